# SPDX-License-Identifier: GPL-2.0-or-later
"""What a reader of a run asks about first: falls of windows and their causes, mode switches, handovers, losses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.radios import networks, over

from ..radio.grid import grid_of
from ..radio.handover import handovers
from ..radio.mode_switch import switches
from ..tcp.connection import radio_events
from ..tcp.cuts import cuts

SCHEMA = {"t_s": pl.Float64, "kind": pl.String, "who": pl.String, "what": pl.String}
#: Of `radio_events`: what mode switches and handovers say better.
TOLD = ("mode_switch", "handover")


def events(bundle: Bundle) -> pl.DataFrame:
    """Events of a run in order of time.

    Returns:
        t_s, kind (timeout, fast retransmit, mark, lowered; mode switch, handover, prediction; drop, radio link failure,
        …), who (the flow or the UE), what (in words; of a fall of the window from and to how many packets, and why).
    """
    rows = list(_windows(bundle))
    for network in (bundle, *networks(bundle).values()):
        if network.has("radio.trace"):
            rows += [*_modes(network), *_handovers(network), *_radio(network)]
    seconds = [{**row, "t_s": (row.pop("t_ns") - bundle.start_ns) / 1e9} for row in rows]
    return pl.DataFrame(seconds, schema=SCHEMA).sort("t_s", maintain_order=True)


def _windows(bundle: Bundle) -> Iterator[dict[str, Any]]:
    for flow in bundle.all_flows:
        for cut in cuts(over(bundle, flow), flow):
            after = "?" if cut.after is None else str(cut.after)
            yield {"t_ns": cut.t_ns, "kind": cut.kind, "who": flow.id,
                   "what": f"window {cut.before} to {after} packets. {cut.cause}"}


def _modes(bundle: Bundle) -> Iterator[dict[str, Any]]:
    for flow in bundle.flows:
        for switch in switches(bundle, flow):
            what = f"{switch.before} to {switch.after}"
            if switch.flushed:
                what += f", {switch.data_pkts} packets of data and {switch.ack_pkts} of ACKs flushed"
            yield {"t_ns": switch.t_ns, "kind": "mode switch", "who": flow.source, "what": what}


def _handovers(bundle: Bundle) -> Iterator[dict[str, Any]]:
    station = grid_of(bundle).station
    for ue in bundle.ue_numbers:
        for handover in handovers(bundle, ue):
            kind = "prediction" if handover.wrong else "handover"
            away = None if handover.left_ns is None or handover.attached_ns is None else (
                f", without a cell for {(handover.attached_ns - handover.left_ns) / 1e6:.1f} ms")
            yield {"t_ns": handover.start_ns, "kind": kind, "who": f"{ue}{bundle.over_network}",
                   "what": f"{station} {handover.source} to {station} {handover.target}{away or ''}"}


def _radio(bundle: Bundle) -> Iterator[dict[str, Any]]:
    for event in radio_events(bundle):
        if event.kind not in TOLD:
            yield {"t_ns": event.t_ns, "kind": event.kind.replace("_", " "),
                   "who": f"{event.ue or 'enb'}{bundle.over_network}", "what": event.what.replace("_", " ")}
