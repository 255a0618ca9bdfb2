# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures about in-sequence delivery: names, titles, captions, and how to draw them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...figures.figure import FigureSpec
from . import gain_chart, utilisation_chart, window_chart
from .model_runs import points
from .sweep import studies, sweeps
from .tables import concerns


def specs(rows: Sequence[dict[str, Any]]) -> list[FigureSpec]:
    """Figures that the rows of metrics.parquet allow; none where no run is about in-sequence delivery."""
    if not concerns(rows):
        return []
    found = sweeps(rows)
    measured = [sweep for sweep in found if not sweep.point and any(cell.gain_percent for cell in sweep.cells)]
    shares = points(rows)
    gains = [
        FigureSpec(
            f"delivery-fig3-gain{'' if index == 0 else f'-{index + 1}'}",
            "Goodput in percent of in-sequence delivery",
            f"The runs are those of {sweep.scenario} in the {sweep.lab} "
            f"lab{', with ' + sweep.point if sweep.point else ''}. Each bar is the mean over seeds of the ratio of "
            "two runs that met the same radio, with its 95 % confidence interval (Student's t). Diamonds mark the "
            "percentages that the paper states for out-of-sequence delivery (Figure 3).",
            partial(gain_chart.draw, sweep),
        )
        for index, sweep in enumerate(measured)
    ]
    windows = [
        FigureSpec(
            f"delivery-window{'' if index == 0 else f'-{index + 1}'}",
            "Goodput against what the paper does not specify",
            f"{title}. Points are means over seeds with 95 % confidence intervals (Student's t). Dotted lines show the "
            "paper's Table 4, which does not say what is varied here. No value is chosen to meet it.",
            partial(window_chart.draw, study),
        )
        for index, (title, study) in enumerate(studies(found).items())
    ]
    return [
        *gains,
        *windows,
        FigureSpec(
            "delivery-fig2-utilisation",
            "Throughput utilisation with in-sequence delivery, by the paper's model",
            "Lines are computed from the residual BLERs of the paper's section 3, and marks are the values that it "
            "prints in Table 2. In Figure 2 of the paper less of the throughput is left the shorter the end-to-end "
            "RTT and the longer the HARQ RTT of the downlink is. "
            + (
                "Stars are measured: filled ones in sequence, empty ones out of sequence."
                if shares
                else "Nothing is measured here."
            ),
            partial(utilisation_chart.draw, shares),
        ),
    ]
