# SPDX-License-Identifier: GPL-2.0-or-later
"""A flow that someone asks about, and its segments whose RTT radio.trace explains."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError, UnusableError
from cellbed_formats.flow import Flow, note

from ..radio.links import lives_of
from ..tcp.segment import RTT_PARTS, decomposed_segments
from ..tcp.shown_flow import shown_flow
from .rows import traced_in_full
from .run import RunAnalysis, analyse
from .utran import settings_of as utran_of


@dataclass(frozen=True)
class Asked:
    """The flow of a run that is asked about, of which the files tell enough."""

    run: RunAnalysis
    flow: Flow
    note: str | None  # of a run with other flows

    @classmethod
    def of(cls, bundle: Bundle, wanted: str | None) -> Asked:
        """Args: wanted: id of a flow; None: the scenario's first, else the largest.

        Raises:
            DataError: the run has no such flow, or lacks the files that it takes.
        """
        run = analyse(bundle)
        if not run.readable:
            raise UnusableError(run.problem)
        flow = shown_flow(bundle, wanted)
        if not bundle.all_flows:
            raise DataError(f"{bundle.path}: {bundle.without_flows}")
        asked = cls(run, flow, note(bundle.all_flows, flow, wanted))
        if utran_of(bundle) is not None:
            raise DataError(f"{bundle.path}: the parts of an RTT are not known over the UTRAN; choose a run over "
                            "LTE or NR")
        if flow.source not in bundle.captured_nodes:
            raise DataError(f"{asked.where}: no capture of what {flow.source} sent; run it with capture.ip: true")
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
        return f"{self.where}: radio.trace explains no RTT of this flow; choose another flow or time"

    def explained(self) -> pl.DataFrame:
        """Segments whose RTT is known with all its parts, by the time they were sent.

        Raises:
            DataError: the connection carried no data.
        """
        bundle, flow = self.run.bundle, self.flow
        if not flow.packets(bundle.capture(flow.source))["payload_bytes"].sum():
            raise DataError(f"{self.where}: the connection carried no data; choose another flow with --flow")
        segments = self.run.segments(flow.id)
        if segments.is_empty():
            segments = decomposed_segments(bundle, flow, lives_of(bundle))
        return segments.drop_nulls(["rtt_ns", *RTT_PARTS]).sort("out_ns", maintain_order=True)

    @property
    def wired(self) -> frozenset[str]:
        """Parts of the RTT that have wires in them."""
        ues = self.run.bundle.ue_numbers
        return frozenset((() if self.flow.source in ues else ("host_tx", "host_rx"))
                         + (() if self.flow.sink in ues else ("receiver",)))
