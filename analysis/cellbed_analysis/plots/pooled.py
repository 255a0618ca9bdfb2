# SPDX-License-Identifier: GPL-2.0-or-later
"""One series of the runs of several seeds: all values with the seed of each, or their mean over time.

Each takes the frames of a series by seed, with `flow` and what is on the axes, and gives one frame. Means have
`<column>_low` and `<column>_high` beside them, their 95 % confidence interval, and `seeds`, how many have a value then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from ..stats.interval import over_seeds

Pool = Callable[[Mapping[int, pl.DataFrame]], pl.DataFrame]
#: Times at which what is held until the next change is looked at.
TIMES = 240


def together(frames: Mapping[int, pl.DataFrame]) -> pl.DataFrame:
    """All values, with a column for their seed."""
    return pl.concat([frame.with_columns(seed=pl.lit(seed)) for seed, frame in frames.items()])


def averaged(y: str) -> Pool:
    """The mean over seeds of what each has at the same times."""

    def pool(frames: Mapping[int, pl.DataFrame]) -> pl.DataFrame:
        rows = pl.concat(list(frames.values()))
        flows = rows["flow"].unique(maintain_order=True).to_list()
        rows = rows.sort(pl.col("flow").cast(pl.Enum(flows)), "t_s", maintain_order=True)
        return pl.concat([_mean(str(flow), float(t_s), y, own[y].to_numpy())
                          for (flow, t_s), own in rows.group_by("flow", "t_s", maintain_order=True)])

    return pool


def held(y: str) -> Pool:
    """The mean over seeds of what each has had since its last change, from when all have something to the first end."""

    def pool(frames: Mapping[int, pl.DataFrame]) -> pl.DataFrame:
        rows = pl.concat([frame.drop_nulls(y).with_columns(seed=pl.lit(seed)) for seed, frame in frames.items()])
        return pl.concat([_held(str(flow), y, own) for (flow,), own in rows.group_by("flow", maintain_order=True)])

    return pool


def _held(flow: str, y: str, rows: pl.DataFrame) -> pl.DataFrame:
    seeds = [(own["t_s"].to_numpy(), own[y].to_numpy()) for _, own in rows.sort("t_s").group_by("seed")]
    start_s, end_s = max(t_s[0] for t_s, _ in seeds), min(t_s[-1] for t_s, _ in seeds)
    times = np.linspace(start_s, max(start_s, end_s), TIMES)
    values = np.array([of[np.searchsorted(t_s, times, side="right") - 1] for t_s, of in seeds])
    return pl.concat([_mean(flow, t_s, y, column) for t_s, column in zip(times.tolist(), values.T, strict=True)])


def _mean(flow: str, t_s: float, y: str, values: np.ndarray) -> pl.DataFrame:
    found = over_seeds(values.tolist())
    return pl.DataFrame({"flow": flow, "t_s": t_s, y: found.value, f"{y}_low": found.low, f"{y}_high": found.high,
                         "seeds": len(values)},
                        schema_overrides={f"{y}_low": pl.Float64, f"{y}_high": pl.Float64, y: pl.Float64})
