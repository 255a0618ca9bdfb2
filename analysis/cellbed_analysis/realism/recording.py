# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings of links: a rate over time, round-trip times, gaps of handovers; of the field or of a model.

A recording of a rate comes from a packet-delivery trace, or from a CSV file with the columns `t_s` and `rate_mbps`.
Other columns of CSV files: `rtt_ms` of an idle link (empty: lost), and `handover_ms`, how long the UE is in no cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from cellbed_formats.error import FileError

#: Windows in which what is delivered is counted.
STEP_S = 0.01
#: Longer recordings are cut into parts, so that all have normal rates of their own and equal chances of rare events.
PART_S = 120
COLUMNS = ("rate_mbps", "rtt_ms", "handover_ms")
#: A step may differ so far from the usual one, as a share of it; clocks of measurements are not exact.
_STEP_TOLERANCE = 0.5


def _nothing() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class Recording:
    """One test of a link.

    Attributes:
        name: of its file.
        group: a day, an operator, a walk: what else is compared with it is of another one.
        step_s: of the rate.
        rate: (n,) in any unit; empty: none.
        rtt_ms, handover_ms: (m,) each; empty: none.
        loaded_ms: (m,) RTTs at equal steps of a download, by its congestion control.
    """

    name: str
    group: str
    step_s: float = STEP_S
    rate: np.ndarray = field(default_factory=_nothing)
    rtt_ms: np.ndarray = field(default_factory=_nothing)
    handover_ms: np.ndarray = field(default_factory=_nothing)
    loaded_ms: Mapping[str, np.ndarray] = field(default_factory=dict)

    def parts(self, length_s: float) -> Iterator[Recording]:
        """The recording in parts of one length; one of less than half of it has none."""
        per_part = round(length_s / self.step_s)
        if len(self.rate) >= per_part:
            for first in range(0, len(self.rate) // per_part * per_part, per_part):
                part = replace(self, rate=self.rate[first : first + per_part])
                yield part if first == 0 else replace(part, rtt_ms=_nothing(), handover_ms=_nothing(), loaded_ms={})
        elif 2 * len(self.rate) >= per_part or not len(self.rate):
            yield self

    def over(self, window_s: float) -> np.ndarray:
        """The mean rate over windows, each of whole steps; (n,)."""
        steps = round(window_s / self.step_s)
        whole = len(self.rate) // steps * steps
        return np.asarray(self.rate[:whole].reshape(-1, steps).mean(axis=1))


def opportunities_ms(one: Recording, rate_pps: float, duration_s: float) -> np.ndarray:
    """When packets could leave: at a recording's rate over time, scaled to a mean; (n,) whole ms, as in Mahimahi's
    traces, where the last one is the end."""
    steps = one.rate[: round(duration_s / one.step_s)]
    until = np.concatenate([[0.0], np.cumsum(steps)]) / steps.mean() * one.step_s * rate_pps
    at_s = np.interp(np.arange(1, int(until[-1]) + 1), until, np.arange(len(until)) * one.step_s)
    return np.append(np.ceil(np.round(1000 * at_s, 6)), round(1000 * len(steps) * one.step_s)).astype(np.int64)


def of_deliveries(name: str, group: str, t_ms: np.ndarray, weight: np.ndarray | None = None,
                  duration_s: float | None = None) -> Recording:
    """The rate of deliveries.

    Args:
        t_ms: (n,) since the start.
        weight: (n,) bytes of each; None: all have the same.
        duration_s: None: up to the last one.
    """
    end_ms = 1000 * duration_s if duration_s is not None else float(t_ms[-1]) if len(t_ms) else 0.0
    windows = int(end_ms / (1000 * STEP_S))
    at = (t_ms / (1000 * STEP_S)).astype(np.int64)
    counts = np.bincount(at[at < windows], None if weight is None else weight[at < windows], windows)
    return Recording(name, group, rate=counts.astype(float))


def read_csv(path: Path, group: str) -> Recording:
    """A recording of a CSV file.

    Raises:
        FileError: it cannot be read, has none of COLUMNS, or a value is wrong.
    """
    try:
        frame = pl.read_csv(path, infer_schema=False, comment_prefix="#")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise FileError(path, f"no CSV: {' '.join(str(error).split())[:100]}") from error
    found = [name for name in COLUMNS if name in frame.columns]
    if not found:
        raise FileError(path, f"columns {', '.join(frame.columns)[:100]}: expected t_s and rate_mbps, or one of "
                              f"{', '.join(COLUMNS[1:])}")
    values = {name: _numbers(path, frame, name) for name in found}
    step_s = _step_s(path, frame) if "rate_mbps" in found else STEP_S
    rate, rtt_ms, handover_ms = (values.get(name, _nothing()) for name in COLUMNS)
    return Recording(path.name, group, step_s, rate, rtt_ms, handover_ms)


def _numbers(path: Path, frame: pl.DataFrame, name: str) -> np.ndarray:
    """A column; what is missing or lost of a time is left out."""
    read = frame[name].str.strip_chars()
    numbers = read.cast(pl.Float64, strict=False)
    for row, (text, number) in enumerate(zip(read.to_list(), numbers.to_list(), strict=True), 2):
        if not text and name not in ("t_s", "rate_mbps"):
            continue
        if number is None or not 0 <= number < float("inf"):
            raise FileError(path, f"line {row}: {name} '{(text or '')[:40]}': allowed numbers from 0")
    return numbers.drop_nulls().to_numpy()


def _step_s(path: Path, frame: pl.DataFrame) -> float:
    if "t_s" not in frame.columns:
        raise FileError(path, "column t_s is missing beside rate_mbps: seconds of each rate, in equal steps")
    t_s = _numbers(path, frame, "t_s")
    if len(t_s) < 2:
        raise FileError(path, f"{len(t_s)} rates: expected 2 or more")
    steps = np.diff(t_s)
    usual = float(np.median(steps))
    if not usual > 0 or np.abs(steps - usual).max() > _STEP_TOLERANCE * usual:
        raise FileError(path, f"t_s: steps of {usual:g} s mostly, but from {steps.min():g} to {steps.max():g} s: "
                              "allowed equal steps")
    return round(usual, 2) if usual >= STEP_S else usual
