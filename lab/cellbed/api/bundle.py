# SPDX-License-Identifier: GPL-2.0-or-later
"""A run's result as data frames, answers and pictures."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellbed_formats import bundle as stored
from cellbed_formats.inside import Inside
from cellbed_formats.renamed import with_old_arguments

if TYPE_CHECKING:
    import polars as pl

    from cellbed_analysis.metrics.run import RunAnalysis
    from cellbed_analysis.plots.plot import Plot
    from cellbed_analysis.report.answer import Answer
    from cellbed_analysis.report.why import DatagramAnswer
    from cellbed_analysis.report.why_flow import FlowAnswer

# Of a page within a notebook.
_PAGE_PX = 900


class Bundle:
    """One run. Frames count time from the start of the traffic, in s, and have units in the names of their columns.

    Examples:
        >>> run = results.bundle(variant="IM-IM")
        >>> run.variant, run.seed, run.valid
        ('IM-IM', 1, True)
    """

    def __init__(self, path: str | Path | stored.Bundle) -> None:
        """Open a bundle.

        Raises:
            DataError: there is none, or it does not read.
        """
        self.stored = path if isinstance(path, stored.Bundle) else stored.read_bundle(Path(path))

    @property
    def path(self) -> Path:
        """Its folder."""
        return self.stored.path

    @property
    def scenario(self) -> str:
        """Name of the scenario."""
        return self.stored.scenario_id

    @property
    def variant(self) -> str:
        """Name of the variant, with the values of a grid in it."""
        return str(self.stored.manifest["description"]["variant"])

    @property
    def seed(self) -> int:
        return int(self.stored.manifest["seed"])

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting of the run, defaults included."""
        return self.stored.settings

    @property
    def valid(self) -> bool:
        """The run reached its end, and nothing in the lab disturbed it."""
        return self.stored.valid

    @property
    def reasons(self) -> list[str]:
        """Why it is not valid, in words."""
        return self.stored.validity_reasons

    @cached_property
    def _analysis(self) -> RunAnalysis:
        from cellbed_analysis.metrics.run import analyse
        from cellbed_formats.error import DataError

        found = analyse(self.stored)
        if not found.readable:
            raise DataError(f"{self.path}: {found.problem}")
        return found

    @property
    def metrics(self) -> dict[str, Any]:
        """Metrics of the run and its first flow by name, those that it has; docs/metrics.md explains them."""
        return {name: value for name, value in self._analysis.row.items() if value is not None}

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row for each flow: its ends, when it was, and every metric that it has.

        Examples:
            >>> run.flows.select("flow", "source", "sink", "congestion_control").row(0)
            ('file', 'ue1', 'ue2', 'reno')
            >>> 30 < run.flows["rtt_mean_ms"][0] < 60
            True
        """
        from cellbed_analysis.frames.tables import flows

        return flows(self._analysis)

    @cached_property
    def segments(self) -> pl.DataFrame:
        """One row for each data segment of every TCP flow, with its RTT and the parts of it.

        Examples:
            >>> run.segments.columns[:7]
            ['flow', 't_s', 'seq', 'payload_bytes', 'retransmitted', 'in_flight_bytes', 'rtt_ms']
        """
        from cellbed_analysis.frames.tables import segments

        return segments(self._analysis)

    @cached_property
    def tcp(self) -> pl.DataFrame:
        """The probe's samples of every TCP flow's sender: windows in packets, RTTs in ms."""
        from cellbed_analysis.frames.tables import tcp

        return tcp(self.stored)

    @cached_property
    def radio(self) -> pl.DataFrame:
        """One row for each event of the radio network; docs/trace-format.md explains them.

        Examples:
            >>> run.radio.filter(event="mac_lost").height
            0
        """
        from cellbed_analysis.frames.tables import radio

        return radio(self.stored)

    @cached_property
    def events(self) -> pl.DataFrame:
        """What a reader asks about first: falls of windows with their causes, mode switches, handovers, losses.

        Examples:
            >>> run.events.columns
            ['t_s', 'kind', 'who', 'what']
        """
        from cellbed_analysis.frames.events import events

        return events(self.stored)

    def packets(self, node: str) -> pl.DataFrame:
        """The IP capture of a node."""
        from cellbed_analysis.frames.tables import packets

        return packets(self.stored, node)

    def why(self, segment: float | Mapping[str, Any] | pl.DataFrame = 0.0,
            flow: str | None = None, seq: int | None = None) -> Answer | DatagramAnswer:
        """Where the RTT of a segment or a ping went; for UDP and QUIC, the delay of a datagram.

        Args:
            segment: a row of `segments`, or a time in s: then the first one that was sent at or after it.
            flow: id of a flow or ping, or "ping" for the only one; None: the row's, or the run's first.
            seq: icmp_seq of the ping, or the segment's first byte in the stream; None: the first.

        Examples:
            >>> slowest = run.segments.drop_nulls("rtt_ms").sort("rtt_ms").tail(1)
            >>> answer = run.why(slowest)
            >>> round(answer.rtt_ms - slowest["rtt_ms"][0], 6), round(sum(answer.parts_ms.values()) - answer.rtt_ms, 6)
            (0.0, 0.0)
        """
        from cellbed_analysis.report.why import why

        row = segment if isinstance(segment, float | int | Mapping) else segment.row(0, named=True)
        if isinstance(row, Mapping):
            return why(self.stored, float(row["t_s"]), flow or row.get("flow"), row.get("seq"))
        return why(self.stored, float(row), flow, seq)

    def why_flow(self, flow: str | None = None) -> FlowAnswer:
        """Where the RTTs of a whole flow went, and what the slowest ones have more of. Args: flow: None: the first.

        Examples:
            >>> answer = run.why_flow()
            >>> bool(abs(answer.parts["all_ms"].sum() - answer.rtt_ms.mean()) < 0.02)
            True
        """
        from cellbed_analysis.report.why_flow import why_flow

        return why_flow(self.stored, flow)

    @with_old_arguments
    def plot(self, kind: str, *, flows: tuple[str, ...] = (), start_s: float | None = None, end_s: float | None = None,
             venue: str = "ieee", columns: int = 1) -> Plot:
        """A figure for a paper: cwnd, rtt, rtt-cdf, time-sequence, throughput, shares or pdus.

        Examples:
            >>> figure = run.plot("cwnd")
            >>> figure.data.columns
            ['series', 't_s', 'cwnd_pkts', 'ssthresh_pkts']
        """
        from cellbed_analysis.plots.kind import Wanted
        from cellbed_analysis.plots.plot import Look, plot

        return plot(kind, [self.stored], Wanted(tuple(flows), start_s, end_s), Look(venue, columns))

    def report(self, figures: Sequence[str] = ()) -> Path:
        """Write the run's page, and say where it is.

        Args:
            figures: formats of its figures besides SVG: pdf, png. They lie in figures/ beside the page.
        """
        from cellbed_analysis.report.write import write_report

        return write_report(self.path, figures=figures)

    def export(self, format_: str, folder: str | Path = ".", node: str | None = None,
               flow: str | None = None) -> list[Path]:
        """Write the run in the format of another tool; docs/peers.md lists them."""
        from cellbed_analysis.export.write import export

        return export(self.stored, format_, Path(folder), node, flow)

    def __repr__(self) -> str:
        verdict = "" if self.valid else f", {self.stored.validity_verdict}"
        return f"<Bundle {self.scenario} {self.variant} seed {self.seed}{verdict}>"

    def _repr_html_(self) -> str:
        """The run's page, inline."""
        page = html.escape(Inside.beside(self.report()).text(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {_PAGE_PX}px; border: 0"></iframe>'
