# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures as a page: the flows in a table, the largest over time as a run's page has them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from markupsafe import Markup

from cellbed_formats.inside import Inside

from ..interactive.embed import figure_json, script
from ..interactive.series import Happening, RunSeries, changes, rate, thin
from ..interactive.timeline_plot import draw
from ..report.page import page
from ..tcp.cuts import Cut
from .analysis import Analysis
from .columns import NONE
from .connection import Capture
from .measures import CE, COLUMNS, FlowMeasures
from .retransmission import FAST, TAIL_PROBE, TIMEOUT
from .segments import Direction
from .show import COLUMNS as SHOWN
from .show import DELAYS, RADIO, shown_row

#: Flows that are drawn, points of a line, flows of the table, rows of a table of retransmissions.
DRAWN_MAX, POINTS, LISTED_MAX, CUTS_MAX = 6, 4000, 200, 200
#: Where the handshake tells no segment size.
SEGMENT_BYTES = 1448
#: Segments for which a capture shows something over time.
LEAST_SEGMENTS = 4
EVENTS = {FAST: "fast retransmit", TIMEOUT: "timeout"}


def write_page(found: Analysis, path: Path) -> None:
    """One HTML file that needs nothing else; whole or not at all."""
    Inside.beside(path).write(render(found))


def render(found: Analysis) -> str:
    """The page's HTML."""
    drawn = [(one.row, events, partial(_figure, series))
             for capture, flows in zip(found.captures, found.flows, strict=True)
             for one in flows[:DRAWN_MAX] if one.way is not None and len(one.way.segments) >= LEAST_SEGMENTS
             for series, events in [flow_series(capture, one)]]
    return page(
        "pcap.html.j2", title=", ".join(dict.fromkeys(path.name for path in found.paths)),
        rows=[shown_row(row) for row in found.rows[:LISTED_MAX]], n_rows=len(found.rows), columns=SHOWN, drawn=drawn,
        cuts_max=CUTS_MAX, delays=[one.row() for one in found.delays], delay_columns=DELAYS,
        radio=[row for one in found.radio for row in one.rows()], radio_columns=RADIO, notes=found.notes(),
        meanings=[metric for metric in COLUMNS.values() if any(row[metric.name] is not None for row in found.rows)],
        every=found.rows[:DRAWN_MAX], script=script() if drawn else None,
    )  # fmt: skip


def _figure(series: RunSeries, place: str) -> Markup:
    return figure_json(draw(series), place)


def flow_series(capture: Capture, one: FlowMeasures) -> tuple[RunSeries, list[Cut]]:
    """What a flow's figure shows, and its losses; times count from the capture's first packet."""
    way = one.way
    assert way is not None
    start_ns = capture.start_ns
    series = RunSeries(end_s=(one.last_ns - start_ns) / 1e9, start_ns=start_ns,
                       flow=one.row["flow"])
    found, size = way.segments, one.row["mss_bytes"] or SEGMENT_BYTES
    flight = changes((found["out_ns"] - start_ns) / 1e9, np.ceil(found["flight_bytes"] / size))
    series.lines["flight"] = thin(flight.t_s, flight.value, POINTS)
    timed = way.timed
    if len(timed):
        series.lines["rtt"] = thin((timed["out_ns"] - start_ns) / 1e9, timed["rtt_ns"] / 1e6, POINTS)
    if len(way.signs.t_ns):
        series.lines["throughput"] = rate(series, (way.signs.t_ns - start_ns) / 1e9, np.maximum(way.signs.reach, 0))
    series.cuts = _losses(way, size)
    series.happenings = _happenings(way, start_ns)
    return series, series.cuts


def _losses(way: Direction, segment_bytes: int) -> list[Cut]:
    """The first retransmission of each repair."""
    again = way.segments.where(way.segments["again"])
    names = ("kind", "una", "flight_bytes", "seq", "ack_ns", "out_ns", "spurious")
    found, until = [], -1
    rows = zip(*(again[name].tolist() for name in names), strict=True)
    for kind, una, flight_bytes, seq, ack_ns, out_ns, vain in rows:
        if kind not in EVENTS or (kind == FAST and una < until):
            continue
        until = una + flight_bytes
        told = f"The segment at byte {seq} was sent again"
        if ack_ns != NONE:
            told += f"; it was acknowledged {(ack_ns - out_ns) / 1e6:.1f} ms later"
        told += "; the receiver had it already" if vain else ""
        found.append(Cut(EVENTS[kind], out_ns, -(-flight_bytes // segment_bytes), None, f"{told}."))
    return found


def _happenings(way: Direction, start_ns: int) -> list[Happening]:
    """What happened in moments: a mark for each."""
    found = way.segments
    kinds = {
        "retransmission": found["again"], "tail loss probe": found["kind"] == TAIL_PROBE,
        "spurious retransmission": found["spurious"], "out of order": found["out_of_order"],
        "CE mark": found["ecn"] == CE,
    }  # fmt: skip
    return [Happening(kind, (t_ns - start_ns) / 1e9, 1, "") for kind, rows in kinds.items()
            for t_ns in found["out_ns"][rows].tolist()[:POINTS]]


