# SPDX-License-Identifier: GPL-2.0-or-later
"""Distances, SINR and CQI over time with the mode that was in use (Nardini, section IV)."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from cellbed_channel.figure import draw as draw_channel
from cellbed_formats.inside import Inside

from ...figures.style import ink
from ...radio.mode_switch import Switch

SHADE = {"DM": "#009E73", "IM": "#0072B2"}


def draw(trace: Inside, ue: str, offset_s: float, switches: Sequence[Switch], start_ns: int, end_s: float) -> Figure:
    """Draw the directions of one UE; bands show its mode, lines where it changed.

    Args:
        trace: channel.trace of the run.
        ue: name of the UE that sends.
        offset_s: start of the traffic, in the trace's time.
        switches: changes of its mode.
        start_ns: CLOCK_MONOTONIC of the start of the traffic.
        end_s: how far it shows, such as to the end of the traffic.
    """
    figure = draw_channel(trace, ue, offset_s)
    bounds = [(0.0, switches[0].before if switches else None)]
    bounds += [((switch.t_ns - start_ns) / 1e9, switch.after) for switch in switches]
    bounds = [bound for bound in bounds if bound[0] < end_s]
    ends = [begin for begin, _ in bounds[1:]] + [end_s]
    for panel in figure.axes:
        panel.set_xlim(0, end_s)
        if (legend := panel.get_legend()) is not None:
            legend.set(frame_on=True, zorder=5)
        for (begin, mode), end in zip(bounds, ends, strict=True):
            if mode is not None:
                panel.axvspan(begin, end, color=SHADE[mode], alpha=0.10, linewidth=0)
        for begin, _ in bounds[1:]:
            panel.axvline(begin, color=ink(), linewidth=0.8)
    top = figure.axes[0]
    top.set_title("", loc="left")  # the letters of the modes are there
    for (begin, mode), end in zip(bounds, ends, strict=True):
        if mode is not None and end - begin >= 0.03 * end_s:
            top.text(
                (begin + end) / 2, 1.02, mode, transform=top.get_xaxis_transform(), ha="center", va="bottom",
                fontsize=9, fontweight="bold",
            )  # fmt: skip
    return figure
