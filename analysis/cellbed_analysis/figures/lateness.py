# SPDX-License-Identifier: GPL-2.0-or-later
"""How late the radio daemon woke up: the error of the emulation itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from .style import BLUE, ORANGE, OTHER, ink


def octaves(buckets: Sequence[tuple[float, int]]) -> dict[int, int]:
    """Counts per power of two: key k holds what lies in (2**(k-1), 2**k] us, key 0 up to 1 us."""
    counts: dict[int, int] = {}
    for upper_us, count in buckets:
        key = max(math.ceil(math.log2(max(upper_us, 1))), 0)
        counts[key] = counts.get(key, 0) + count
    return counts


def draw(labs: Mapping[str, Sequence[tuple[float, int]]], bound_us: float | None) -> Figure:
    """Draw.

    Args:
        labs: per lab the buckets (upper edge in us, wake-ups), summed over its runs.
        bound_us: bound on the 99th percentile, if the scenario has one.
    """
    figure, axes = plt.subplots(figsize=(7.4, 3.4), layout="constrained")
    width = 0.8 / max(len(labs), 1)
    colors = {"virtual": BLUE, "native": ORANGE}
    shown = [key for buckets in labs.values() for key, count in octaves(buckets).items() if count]
    for index, (lab, buckets) in enumerate(labs.items()):
        counts = octaves(buckets)
        total = sum(counts.values()) or 1
        x = np.array(list(counts)) + (index - (len(labs) - 1) / 2) * width
        axes.bar(
            x, [100 * count / total for count in counts.values()], width,
            label=f"{lab} ({total} wake-ups)", color=colors.get(lab, OTHER[0][0]),
        )  # fmt: skip
    last = max(shown, default=0)
    if bound_us is not None:
        at = math.log2(bound_us) + 0.5  # bars stand on the upper edge of their octave
        last = max(last, math.ceil(at))
        axes.axvline(at, color=ink(), linewidth=1, linestyle=(0, (5, 4)))
        axes.annotate(
            f"bound of the\n99th percentile\n{bound_us:g} us", (at, 0.97), xytext=(-5, 0), ha="right",
            xycoords=("data", "axes fraction"), textcoords="offset points", va="top", fontsize=8.5,
        )  # fmt: skip
    axes.set_xlim(-0.7, last + 0.7)
    axes.set_xticks(range(last + 1), [str(2**key) for key in range(last + 1)], rotation=0 if last < 14 else 45)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("lateness of a wake-up, up to (us)")
    axes.set_ylabel("share of wake-ups (%)")
    figure.legend(loc="outside upper left")
    return figure
