# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow or ping that someone asks about, and its segments or echo requests whose RTT radio.trace explains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError, UnusableError
from cellbed_formats.flow import Flow, ids, named, note
from cellbed_formats.radios import over

from ..radio.grid import grid_of
from ..radio.links import lives_of, over_links
from ..tcp.causes import Causes
from ..tcp.echo import BEYOND_PARTS, decomposed_echoes
from ..tcp.segment import DATA_AND_ACK, ECHOES, RTT_PARTS, decomposed_segments, part_label
from .rows import traced_in_full
from .run import RunAnalysis, analyse
from .utran import settings_of as utran_of

#: What all pings are called.
PING = "ping"


@dataclass(frozen=True)
class Asked:
    """The flow of a run that is asked about, of which the files tell enough."""

    run: RunAnalysis
    flow: Flow
    note: str | None  # of a run with other flows

    @cached_property
    def bundle(self) -> Bundle:
        """The run as the radio network saw it over which the flow goes."""
        return over(self.run.bundle, self.flow)

    @classmethod
    def of(cls, bundle: Bundle, wanted: str | None) -> Asked:
        """Args: wanted: id of a flow; None: the scenario's first, else the largest.

        Raises:
            DataError: the run has no such flow, or lacks the files that it takes.
        """
        run = analyse(bundle)
        if not run.readable:
            raise UnusableError(run.problem)
        flow = _meant(bundle, wanted)
        asked = cls(run, flow, note([*bundle.all_flows, *bundle.pings], flow, wanted))
        if flow.whole:
            parts = [part for part in bundle.all_flows if flow.has_part(part)]
            raise DataError(f"{asked.where}: a connection of MPTCP has no RTT, its subflows have; choose one with "
                            f"--flow: {ids(parts) or 'there is none'}")
        if utran_of(asked.bundle) is not None:
            raise DataError(f"{bundle.path}: the parts of an RTT are not known over the UTRAN; choose a run over "
                            "LTE or NR")
        if flow.source not in bundle.captured_nodes:
            raise DataError(f"{asked.where}: no capture of what {flow.source} sent; {bundle.to_capture}")
        if not traced_in_full(bundle):
            raise DataError(f"{asked.where}: radio.trace has events only; run it with capture.radio_trace: full")
        return asked

    @property
    def where(self) -> str:
        """Of messages."""
        return f"{self.run.bundle.path}: flow {self.flow.id}"

    @property
    def unexplained(self) -> str:
        """The message where no segment is explained."""
        return f"{self.where}: radio.trace explains no RTT of this {'ping' if self.flow.pings else 'flow'}; choose " \
               "another flow or time"

    @cached_property
    def sent(self) -> pl.DataFrame:
        """Every echo request of a ping, as `echo.decomposed_echoes`."""
        return decomposed_echoes(self.bundle, self.flow, lives_of(self.bundle))

    def explained(self) -> pl.DataFrame:
        """Segments, or echo requests, whose RTT is known with all its parts, by the time they were sent.

        Raises:
            DataError: the connection carried no data.
        """
        bundle, flow = self.bundle, self.flow
        if flow.pings:
            return self.sent.drop_nulls(["rtt_ns", *RTT_PARTS])
        if not flow.packets(bundle.capture(flow.source))["payload_bytes"].sum():
            raise DataError(f"{self.where}: the connection carried no data; choose another flow with --flow")
        segments = self.run.segments(flow.id)
        if segments.is_empty():
            segments = decomposed_segments(bundle, flow, lives_of(bundle))
        return segments.drop_nulls(["rtt_ns", *RTT_PARTS]).sort("out_ns", maintain_order=True)

    def label(self, part: str) -> str:
        """One of RTT_PARTS or BEYOND_PARTS in words."""
        if part in BEYOND_PARTS:
            return BEYOND_PARTS[part]
        return part_label(part, part in self.wired, grid_of(self.bundle).nr, self.packets)

    @property
    def packets(self) -> Mapping[str, str]:
        """What goes there and what comes back, in words."""
        return ECHOES if self.flow.pings else DATA_AND_ACK

    def causes(self, segments: pl.DataFrame) -> Causes | None:
        """What made round trips of `explained` long; None over links in place of a radio network."""
        return None if over_links(self.bundle) else Causes(self.bundle, self.flow, segments)

    @property
    def wired(self) -> frozenset[str]:
        """Parts of the RTT that have wires in them."""
        ues = self.bundle.ue_numbers
        return frozenset((() if self.flow.source in ues else ("host_tx", "host_rx"))
                         + (() if self.flow.sink in ues else ("receiver",)))


def _meant(bundle: Bundle, wanted: str | None) -> Flow:
    """The flow or the ping of that name; None: the run's first flow, or its first ping where it has none.

    Raises:
        DataError: there is none, or there are several pings and `ping` does not say which.
    """
    pings, named_so = bundle.pings, {flow.id for flow in bundle.all_flows} | {flow.command for flow in bundle.all_flows}
    if wanted == PING and PING not in named_so:
        if not pings:
            raise DataError(f"{bundle.path}: --flow {PING}: no node sent an echo request that a capture has")
        if len(pings) > 1 and PING not in {ping.command for ping in pings}:
            raise DataError(f"{bundle.path}: --flow {PING}: the run has {len(pings)}; allowed {ids(pings)}")
        wanted = pings[0].id if len(pings) == 1 else wanted
    if not bundle.all_flows and not pings and wanted is None:
        raise DataError(f"{bundle.path}: {bundle.without_flows}")
    return named([*bundle.all_flows, *pings], wanted, bundle.path)
