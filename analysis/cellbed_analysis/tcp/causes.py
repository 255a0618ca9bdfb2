# SPDX-License-Identifier: GPL-2.0-or-later
"""What made round trips long: the time that each cause took, and of one packet whose bytes were ahead of it.

The parts of a round trip say where a packet was. A wait in a queue is not a cause yet: what the air was used for
meanwhile is (`radio.service`). The causes add up to the RTT, as the parts do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from ..radio.handover import handovers
from ..radio.packet_path import radio_log
from ..radio.service import WAITS, Service, service
from .segment import WAY_PARTS, tcp_tag

#: Causes in words.
CAUSES = {**WAITS, "hosts": "wires, core network and hosts"}
#: Parts of a way in which a packet is in the queue of a UE, or of a base station.
UP_WAITS = ("queue", "rac_wait", "rar", "bsr", "bsr_decode", "bsr_harq", "tdd", "schedule", "grant")
DOWN_WAITS = ("dl_tdd", "dl_wait")
#: Parts whose cause is what the air is used for. Until its BSR is decoded, a UE does not wait for others.
CONTENDED = ("queue", "schedule", "dl_wait")
#: Parts that are one cause.
SURE = {**dict.fromkeys(("rac_wait", "rar", "bsr", "bsr_decode", "grant", "air", "dl"), "air"),
        **dict.fromkeys(("bsr_harq", "harq", "dl_harq"), "harq"), **dict.fromkeys(("tdd", "dl_tdd"), "tdd"),
        **dict.fromkeys(("arq", "dl_arq"), "rlc"), "link_wait": "own", "link": "air"}  # fmt: skip
#: Parts outside of the radio, when each begins, and the end of the flow that it leads to. What a base station forwards
#: to another is outside until it has arrived.
HOSTS = (("host_tx", "out_ns", None), ("receiver", "data_out_ns", "sink"), ("host_rx", "ack_out_ns", "source"))
#: What is not of a flow that has a name.
OTHER = "other packets"


@dataclass(frozen=True)
class Wait:
    """One packet's wait in one queue."""

    side: str  # "data" or "ack"
    node: str | None  # the UE whose queue it is; None: the base station's
    ms: float
    ahead: dict[str, int]  # bytes that were sent before its last byte while it waited, by flow; without its own
    causes_ms: dict[str, float]  # of CAUSES
    blocks: int  # new transport blocks of this queue meanwhile
    mbps: float  # in them, RLC's headers included
    cqi: float | None  # mean of their grants
    usual_cqi: float | None  # the same over the run


class Causes:
    """Causes of the round trips of one flow or ping."""

    def __init__(self, bundle: Bundle, flow: Flow, segments: pl.DataFrame) -> None:
        """Args: segments: rows of `decomposed_segments` or `decomposed_echoes`, of which all parts are known."""
        self.bundle, self.flow, self.segments = bundle, flow, segments
        self.log = radio_log(bundle)
        self._own = self._own_pkts()
        self._services: dict[tuple[str, str], Service] = {}

    def table(self) -> pl.DataFrame:
        """ns of each of CAUSES, a row for each of `segments`; each row's sum is its RTT."""
        sums = {cause: np.zeros(len(self.segments)) for cause in CAUSES}
        for part, begin, node in HOSTS:
            start = self.segments[begin].to_numpy()
            self._but_away(start, start + self.segments[part].to_numpy(), self._node(node), "hosts", sums)
        for side in ("data", "ack"):
            for cause, ns in self._of_parts(side, tuple(WAY_PARTS)).items():
                sums[cause] += ns
        return pl.DataFrame(sums)

    @property
    def labels(self) -> dict[str, str]:
        """CAUSES for this flow."""
        return CAUSES | ({"own": "the ping's own packets"} if self.flow.pings else {})

    def waits(self) -> list[Wait]:
        """Both ways' waits in queues of the first of `segments`."""
        return [wait for side in ("data", "ack") for up in (True, False) if (wait := self._wait(side, up)) is not None]

    def _ends(self, side: str) -> tuple[str, str]:
        return (self.flow.source, self.flow.sink) if side == "data" else (self.flow.sink, self.flow.source)

    def _own_pkts(self) -> pl.Series:
        entered = self.log.rows("pkt_in")
        if self.flow.pings:
            return pl.concat([self.segments[name].drop_nulls() for name in ("data_pkt", "ack_pkt")])
        return entered.filter(pl.col("tag").is_in(_tags(self.bundle, self.flow).implode()))["pkt"]

    def _service(self, node: str, direction: str) -> Service:
        key = node, direction
        if key not in self._services:
            radio = self.bundle.settings["radio"]
            crowded = (radio.get("system", "lte") == "lte" and
                       (radio.get("crowd") or {"direction": None})["direction"] in (direction, "both"))
            self._services[key] = service(self.log, self.bundle.ue_numbers[node], direction, self._own,
                                          self._away_ns(node), radio["n_rb"] if crowded else 0)
        return self._services[key]

    def _away_ns(self, node: str | None) -> list[tuple[int, int]]:
        return [(one.left_ns, one.attached_ns) for one in handovers(self.bundle, node or "")
                if one.left_ns is not None and one.attached_ns is not None and not one.wrong]

    def _span(self, side: str, parts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """When parts that follow each other begin and end."""
        names = list(WAY_PARTS)
        start = self.segments[f"{side}_in_ns"].to_numpy().astype(np.int64)
        for part in names[: names.index(parts[0])]:
            start = start + self.segments[f"{side}_{part}"].to_numpy()
        return start, start + sum(self.segments[f"{side}_{part}"].to_numpy() for part in parts)

    def _of_parts(self, side: str, parts: Sequence[str]) -> dict[str, np.ndarray]:
        """ns of each of CAUSES in some parts of the ways of one side."""
        sums = {cause: np.zeros(len(self.segments)) for cause in CAUSES}
        for part in parts:
            if part in CONTENDED:
                self._of_queue(side, part, sums)
            else:
                self._of_part(side, part, sums)
        return sums

    def _of_queue(self, side: str, part: str, sums: dict[str, np.ndarray]) -> None:
        """A part in which others may have been served."""
        sender, receiver = self._ends(side)
        node = receiver if part in DOWN_WAITS else sender
        start, end = self._span(side, (part,))
        sidelink = (self.segments[f"{side}_direction"] == "sl").fill_null(value=False).to_numpy()
        for direction in ("dl",) if part in DOWN_WAITS else ("ul", "sl"):
            chosen = end > start if direction == "dl" else (end > start) & (sidelink == (direction == "sl"))
            if not chosen.any():
                continue
            if node not in self.bundle.ue_numbers:  # a tunnel's end: what it waited for is not known
                sums["hosts"] += np.where(chosen, end - start, 0)
                continue
            for cause, ns in self._service(node, direction).between(start, end).items():
                sums[cause] += np.where(chosen, ns, 0.0)

    def _of_part(self, side: str, part: str, sums: dict[str, np.ndarray]) -> None:
        """A part that is one cause."""
        start, end = self._span(side, (part,))
        sender, receiver = self._ends(side)
        node = receiver if part.startswith("dl_") or part == "reorder" else sender
        if part != "reorder":
            self._but_away(start, end, node, SURE[part], sums)
            return
        by_harq = self._ended_by_harq(end)
        self._but_away(start, np.where(by_harq, end, start), node, "harq", sums)
        self._but_away(start, np.where(by_harq, start, end), node, "rlc", sums)

    def _node(self, end: str | None) -> str | None:
        return None if end is None else str(getattr(self.flow, end))

    def _but_away(self, start: np.ndarray, end: np.ndarray, node: str | None, cause: str,
                  sums: dict[str, np.ndarray]) -> None:
        """Time of one cause, but for what of it a UE was in no cell."""
        ns = (end - start).astype(float)
        for left, attached in self._away_ns(node) if node in self.bundle.ue_numbers else []:
            away = np.maximum(np.minimum(end, attached) - np.maximum(start, left), 0)
            sums["handover"] += away
            ns = ns - away
        sums[cause] += ns

    def _ended_by_harq(self, at_ns: np.ndarray) -> np.ndarray:
        """Whether a block that HARQ sent again, and that carries nothing that RLC sent again, was decoded then."""
        again = self.log.rows("rlc_retx")["block"]
        resent = pl.col("tried_ns") < pl.col("rx_ns")
        blocks = self.log.blocks.filter(resent & ~pl.col("block").is_in(again.implode()))
        return np.isin(at_ns, blocks["rx_ns"].to_numpy())

    def _wait(self, side: str, up: bool) -> Wait | None:
        sender, receiver = self._ends(side)
        node = sender if up else receiver
        parts = UP_WAITS if up else DOWN_WAITS
        start, end = (int(at[0]) for at in self._span(side, parts))
        if node not in self.bundle.ue_numbers or end <= start:
            return None
        direction = "dl" if not up else "sl" if self.segments[f"{side}_direction"][0] == "sl" else "ul"
        number, end_of = self.bundle.ue_numbers[node], "peer" if direction == "dl" else "node"
        during = (pl.col("t_ns") >= start) & (pl.col("t_ns") < end)
        rlc, blocks, grants = (
            self.log.rows(event, dir=direction).filter(pl.col(which) == number)
            for event, which in (("rlc_tx", end_of), ("mac_tx", end_of), ("grant", "peer")))
        known = not self.log.grid.stations  # CQIs of LTE and NR have no mean
        blocks, cqis = blocks.filter(during), grants.filter((pl.col("cqi") > 0) & known)
        causes = self._of_parts(side, parts)
        now = cqis.filter(during)["cqi"]
        return Wait(side, node if up else None, (end - start) / 1e6, self._ahead(rlc.filter(during), side),
                    {cause: float(ns[0]) / 1e6 for cause, ns in causes.items()}, len(blocks),
                    float(blocks["bytes"].sum()) * 8000 / (end - start), _mean(now), _mean(cqis["cqi"]))

    def _ahead(self, sent: pl.DataFrame, side: str) -> dict[str, int]:
        """Bytes by flow, the most first."""
        names = {0: OTHER}
        for flow in self.bundle.all_flows:
            names |= dict.fromkeys(_tags(self.bundle, flow).to_list(), flow.id)
        others = sent.filter(pl.col("pkt") != int(self.segments[f"{side}_pkt"][0]))
        sums: dict[str, int] = {}
        for tag, size in others.group_by("tag").agg(pl.col("value").sum()).iter_rows():
            owner = names.get(tag, OTHER)
            sums[owner] = sums.get(owner, 0) + int(size)
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))


def _mean(values: pl.Series) -> float | None:
    return float(values.to_numpy().mean()) if len(values) else None


def _tags(bundle: Bundle, flow: Flow) -> pl.Series:
    """Tags of a flow's packets in radio.trace, of both directions, by what a capture has of them."""
    node = next((end for end in (flow.source, flow.sink) if end in bundle.captured_nodes), None)
    if node is None:
        return pl.Series(dtype=pl.UInt64)
    capture = bundle.capture(node)
    packets = pl.concat([flow.packets(capture), flow.packets(capture, back=True)])
    return packets.select(pl.col("udp_tag") if flow.datagrams else tcp_tag()).to_series().unique()
