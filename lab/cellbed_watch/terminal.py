# SPDX-License-Identifier: GPL-2.0-or-later
"""The view in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .view import View

if TYPE_CHECKING:
    from cellbed_analysis.report.fitted import Fitted

_BARS = "▁▂▃▄▅▆▇█"
#: Curves of the view: column of the history, words, unit.
CURVES = (("cwnd", "cwnd", "packets"), ("srtt", "srtt", "ms"), ("mbps", "delivered", "Mbit/s"),
          ("queue", "largest RLC queue", "kB"), ("cqi", "CQI", ""), ("sinr", "SINR", "dB"))
EVENTS = 8
CURVE_MIN = 10


def curve(values: Sequence[float | None], width: int) -> str:
    """Values as bars between their least and greatest; the greatest of those that share a place."""
    values = list(values)[-width * max(1, -(-len(values) // width)):]
    per = max(1, -(-len(values) // width))
    places = [[v for v in values[i : i + per] if v is not None] for i in range(0, len(values), per)]
    known = [v for place in places for v in place]
    if not known:
        return ""
    low, high = min(known), max(known)
    span = (high - low) or 1
    return "".join(" " if not place else _BARS[int((max(place) - low) / span * (len(_BARS) - 1))] for place in places)


def render(view: View, width: int) -> RenderableType:
    """A screenful."""
    told = view.snapshot()
    head = Text.assemble((f"{told['run']}", "bold"), f"  {told['lab']} lab  {told['t']:.1f} s of traffic")
    if view.zero_ns is None:
        head.append("  starting" if told["ended"] is None else "")
    if told["ended"] is not None:
        head.append(f"  {told['ended']}", "bold green" if told["ended"].startswith("valid") else "bold red")
    return Group(head, _curves(view, width), *_whose(view), _connections(told), _legs(told), _counts(told),
                 _events(told))


def _curves(view: View, width: int) -> Table:
    rows = []
    for name, words, unit in CURVES:
        values = [point[name] for point in view.history]
        known = [v for v in values if v is not None]
        if known:
            rows.append((words, f"{known[-1]:.4g} {unit}".rstrip(), f"{min(known):.4g} to {max(known):.4g}", values))
    # What the words leave: a curve that is too long would lose its newest end.
    taken = sum(max((len(row[column]) for row in rows), default=0) + 1 for column in range(3))
    table = Table.grid(padding=(0, 1))
    for words, now, between, values in rows:
        bars = Text(curve(values, max(width - taken, CURVE_MIN)), style="cyan")
        table.add_row(words, Text(now, justify="right"), bars, Text(between, style="dim"))
    return table


def _whose(view: View) -> list[Text]:
    """Which connection the curves are of, where there are several."""
    senders = view.senders()
    return [Text(f"curves of TCP: {senders[0].name}, which got most of {len(senders)}", style="dim")] \
        if len(senders) > 1 else []


def _table(*columns: str) -> Fitted:
    from cellbed_analysis.report.fitted import Column, Fitted

    return Fitted("", *(Column(column, words=not place, keep=-place) for place, column in enumerate(columns)))


def _connections(told: dict[str, Any]) -> Fitted:
    table = _table("connection", "cwnd", "ssthresh", "srtt (ms)", "in flight", "again", "timeouts", "Mbit/s")
    for c in told["connections"]:
        table.add_row(c["name"], str(c["cwnd"]), _number(c["ssthresh"]), _number(c["srtt_ms"]), str(c["flight"]),
                      str(c["retransmissions"]), str(c["timeouts"]), f"{c['mbps']:.3f}")
    return table


def _legs(told: dict[str, Any]) -> Fitted:
    table = _table("link", "mode", "CQI", "SINR (dB)", "MCS", "RLC queue (bytes)", "packets", "RLC SN")
    for channel in told["channels"]:
        table.add_row(f"{channel['ue']} {channel['direction']}", channel["mode"] or "", _number(channel["cqi"]),
                      _number(channel["sinr_db"]), _number(channel["mcs"]), str(channel["queue_bytes"]),
                      str(channel["queue_pkts"]), _number(channel["sn"]))
    return table


def _counts(told: dict[str, Any]) -> Text:
    parts = [f"{words} {n}" for words, n in told["counts"].items()]
    parts += [f"{reason} {n}" for reason, n in told["drops"].items()]
    return Text("  ".join(parts), style="dim")


def _events(told: dict[str, Any]) -> Table:
    table = Table.grid(padding=(0, 1))
    for t, text in told["events"][-EVENTS:]:
        table.add_row(Text(f"{t:.3f} s", justify="right", style="yellow"), text)
    return table


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
