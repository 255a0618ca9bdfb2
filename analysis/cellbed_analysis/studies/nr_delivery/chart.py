# SPDX-License-Identifier: GPL-2.0-or-later
"""Goodput, needless retransmissions and RTTs by what PDCP does, by congestion control and loss.

Variants are named `<congestion control>-wait<ms>` or `<congestion control>-once`: PDCP waits up to t-Reordering, or
delivers at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...figures.error_bars import errors
from ...figures.figure import FigureSpec, of_each_scenario
from ...figures.legend import legend_above
from ...figures.style import ink
from ...metrics.over_runs import estimate
from ...metrics.series_name import natural

Row = dict[str, Any]
SCENARIO_PREFIX = "nr-delivery"
VARIANT = re.compile(r"(?P<control>[a-z0-9]+)-(?P<order>wait\d+|once)")
RATE = "param.radio.ues.ue1.bler_dl"
#: What is drawn, one row of panels each: metric, label.
PANELS = (
    ("goodput_mbps", "goodput (Mbit/s)"),
    ("spurious_retransmits", "sent again needlessly"),
    ("rtt_p99_ms", "RTT p99 (ms)"),
)
#: From light to dark the longer PDCP waits.
WAITS, ONCE = ("#9BD0F0", "#56B4E9", "#0072B2", "#003B5C"), "#D55E00"


def belongs(row: Row) -> bool:
    """Whether a run is part of such a sweep, usable or not."""
    return (str(row["scenario"]).startswith(SCENARIO_PREFIX) and row.get(RATE) is not None
            and VARIANT.fullmatch(str(row.get("variant") or "")) is not None)


def specs(rows: Sequence[Row]) -> list[FigureSpec]:
    """A figure for each scenario of that kind with a usable run."""
    return of_each_scenario(
        [row for row in rows if belongs(row)], "nr-delivery", "What order costs TCP in NR",
        "Columns: share of blocks that HARQ gave up, which RLC AM sends again. Bars: PDCP waits up to t-Reordering for "
        "what is missing, or delivers at once. Mean over seeds with its 95 % confidence interval.", draw)


def draw(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each metric and loss rate."""
    rates = sorted({float(row[RATE]) for row in rows})
    figure, panels = plt.subplots(len(PANELS), len(rates), figsize=(2.6 + 3.0 * len(rates), 6.6), layout="constrained",
                                  sharex=True, sharey="row", squeeze=False)
    for column, rate in enumerate(rates):
        own = [row for row in rows if float(row[RATE]) == rate]
        for (metric, label), axes in zip(PANELS, panels[:, column], strict=True):
            _bars(axes, own, metric)
            axes.grid(axis="x", visible=False)
            if not column:
                axes.set_ylabel(label)
        panels[0, column].set_title(f"{100 * rate:g} % left by HARQ", loc="left")
    legend_above(figure)
    return figure


def _bars(axes: Axes, rows: Sequence[Row], metric: str) -> None:
    """One group of bars for each congestion control, one bar for each order."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        match = VARIANT.fullmatch(row["variant"])
        assert match is not None
        found.setdefault((match["control"], match["order"]), []).append(row)
    controls = list(dict.fromkeys(control for control, _ in found))
    orders = sorted({order for _, order in found}, key=natural)
    width = 0.8 / len(orders)
    for place, order in enumerate(orders):
        values = [(i, value) for i, control in enumerate(controls)
                  if (value := estimate(found.get((control, order), []), metric)) is not None]
        x = np.array([i for i, _ in values]) + (place - (len(orders) - 1) / 2) * width
        label = "at once" if order == "once" else f"waits {order.removeprefix('wait')} ms"
        colour = ONCE if order == "once" else WAITS[sum(o != "once" for o in orders[:place]) % len(WAITS)]
        axes.bar(x, [v.value for _, v in values], width, yerr=errors([v for _, v in values]), label=label, color=colour,
                 ecolor=ink(), error_kw={"capsize": 2, "elinewidth": 0.9})
    axes.set_xticks(range(len(controls)), controls)
