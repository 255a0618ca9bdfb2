# SPDX-License-Identifier: GPL-2.0-or-later
"""Transport flows: those that a scenario names, and every TCP and UDP 5-tuple that was seen in a run.

Captures say what was sent; where there are none, the probe does, which also says whose each socket was. The direction
that carries more is the flow's data direction: of a download, from the server.

Source: RFC 9000 section 17.2 (QUIC's long header), section 15 (versions); RFC 9369 section 3.1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from .address import number_of, text_of
from .capture import PROTOCOL_TCP, PROTOCOL_UDP
from .error import DataError

TRANSPORTS = {PROTOCOL_TCP: "tcp", PROTOCOL_UDP: "udp"}
TCP, UDP, QUIC, ICMP, MPTCP = "tcp", "udp", "quic", "icmp", "mptcp"
#: Of a run without any connection: only the radio is shown.
NO_TRANSPORT = "none"
#: Kind of a flow that no scenario names.
FOUND = "command"
#: Kind of a part of a connection of MPTCP.
SUBFLOW = "subflow"
#: Header form and fixed bit of a QUIC packet with a long header.
LONG_HEADER = 0xC0
QUIC_VERSIONS = (0x00000001, 0x6B3343CF)
QUIC_DRAFTS = 0xFF000000  # the last byte is the draft's number
#: A 5-tuple in the direction of its packets.
ENDS = ("protocol", "src", "sport", "dst", "dport")

Ends = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class Flow:
    """A transport flow of the run; times in ns of CLOCK_MONOTONIC."""

    id: str
    kind: str
    source: str
    sink: str
    saddr: int
    daddr: int
    port: int
    start_ns: int
    end_ns: int
    bytes: int | None = None  # of a file; then end_ns is the end of the run's traffic
    sport: int | None = None  # of the data connection
    transport: str = TCP
    program: str | None = None  # that made the socket: of the command, else of the end that opened the flow
    command: str | None = None  # id of the traffic whose program that is
    sent_bytes: int | None = None  # IP bytes in the data direction; None: not seen
    back_bytes: int | None = None  # and against it
    congestion_control: str | None = None
    paths: Mapping[int, str] = field(default_factory=dict)  # of MPTCP: radio networks by the UE's addresses there

    @property
    def found(self) -> bool:
        """No scenario names it, so it is known by its 5-tuple alone."""
        return self.kind in (FOUND, SUBFLOW)

    @property
    def whole(self) -> bool:
        """It is a connection of MPTCP, whose packets are those of its subflows."""
        return self.transport == MPTCP

    def has_part(self, other: Flow) -> bool:
        """Whether another flow is a subflow of this one."""
        return other.kind == SUBFLOW and other.id.startswith(f"{self.id}/")

    def has_subflow(self, ends: Ends) -> bool:
        """Whether a 5-tuple, in the direction of the data, is a subflow of this connection of MPTCP."""
        protocol, src, sport, dst, dport = ends
        if protocol != PROTOCOL_TCP:
            return False
        if self.saddr in self.paths:
            return src in self.paths and (dst, dport) == (self.daddr, self.port)
        return dst in self.paths and (src, sport) == (self.saddr, self.sport)

    @property
    def datagrams(self) -> bool:
        """It goes over UDP."""
        return self.transport in (UDP, QUIC)

    @property
    def pings(self) -> bool:
        """It is the echo requests of one `ping`, and their replies."""
        return self.transport == ICMP

    @property
    def protocol(self) -> int:
        """Number of its protocol above IP."""
        return PROTOCOL_UDP if self.datagrams else PROTOCOL_TCP

    def packets(self, capture: pl.DataFrame, back: bool = False) -> pl.DataFrame:
        """Its packets in a capture: of the data direction, or those that come back.

        Of a transfer that a scenario names all that go to its port, from whatever port.
        """
        ends = (self.saddr, self.sport if self.found else None, self.daddr, self.port)
        names = ("dst", "dport", "src", "sport") if back else ("src", "sport", "dst", "dport")
        chosen = pl.col("protocol") == self.protocol
        for name, value in zip(names, ends, strict=True):
            if value is not None:
                chosen &= pl.col(name) == value
        return capture.filter(chosen)


@dataclass
class Seen:
    """Packets of one direction of a 5-tuple; IP bytes."""

    first_ns: int
    last_ns: int
    pkts: int
    bytes: int
    payload_bytes: int
    quic: bool = False


@dataclass
class Owner:
    """Who made a socket; None: not known."""

    program: str | None
    command: str | None


@dataclass
class Sightings:
    """All that was seen of a run: each direction of each 5-tuple, and whose the sockets are, by their own ends."""

    ways: dict[Ends, Seen] = field(default_factory=dict)
    owners: dict[Ends, Owner] = field(default_factory=dict)
    addresses: dict[int, str] = field(default_factory=dict)  # those of IPv6, by their numbers


def is_quic() -> pl.Expr:
    """Whether a datagram starts as a QUIC connection does: a long header of a version that is known."""
    long = (pl.col("first_byte") & LONG_HEADER) == LONG_HEADER
    draft = (pl.col("next_word") & 0xFFFFFF00) == QUIC_DRAFTS
    return long & (pl.col("next_word").is_in(QUIC_VERSIONS) | draft)


def tuples(capture: pl.DataFrame) -> pl.DataFrame:
    """Each direction of each TCP and UDP 5-tuple of a capture, by its first packet.

    Fragments count for the packet whose first fragment the capture has.

    Args:
        capture: as `capture.read_capture` gives it.

    Returns:
        ENDS, first_ns, last_ns, pkts, bytes (of IP), payload_bytes, quic (its first datagram starts a QUIC
        connection). The bytes are those of all TCP and UDP packets.
    """
    packets = capture.filter(pl.col("protocol").is_in(list(TRANSPORTS)))
    whole = packets.filter(~pl.col("fragment"))
    if len(whole) < len(packets):
        of = ["protocol", "src", "dst", "ip_id"]
        ports = whole.select(*of, "sport", "dport").unique(of, keep="last", maintain_order=True)
        rest = packets.filter("fragment").drop("sport", "dport").join(ports, on=of, how="left")
        packets = pl.concat([whole, rest.with_columns(pl.col("sport", "dport").fill_null(0)).select(whole.columns)])
    return (
        packets.sort("t_ns", maintain_order=True)
        .group_by(ENDS, maintain_order=True)
        .agg(
            first_ns=pl.col("t_ns").first(), last_ns=pl.col("t_ns").last(), pkts=pl.len(),
            bytes=pl.col("ip_bytes").cast(pl.Int64).sum(), payload_bytes=pl.col("payload_bytes").cast(pl.Int64).sum(),
            quic=is_quic().first() & (pl.col("protocol").first() == PROTOCOL_UDP),
        )
    )  # fmt: skip


def reverse(ends: Ends) -> Ends:
    """The same 5-tuple for the packets that go the other way."""
    protocol, src, sport, dst, dport = ends
    return protocol, dst, dport, src, sport


def of_captures(captures: Mapping[str, pl.DataFrame], nodes: Mapping[int, str]) -> dict[Ends, Seen]:
    """What captures have of each direction, that of its sender before others.

    Args:
        captures: by node.
        nodes: names of nodes by address.
    """
    ways: dict[Ends, Seen] = {}
    at_sender: set[Ends] = set()
    for node, capture in captures.items():
        for *ends, first_ns, last_ns, pkts, size, payload, quic in tuples(capture).iter_rows():
            key = tuple(ends)
            sender = nodes.get(key[1]) == node
            if key not in ways or (sender and key not in at_sender):
                ways[key] = Seen(first_ns, last_ns, pkts, size, payload, quic or (key in ways and ways[key].quic))
            if sender:
                at_sender.add(key)
    return ways


def of_probe(counted: Iterable[Mapping[str, Any]]) -> Sightings:
    """What the probe has counted of each socket. Args: counted: `flows` of tcp.json."""
    seen = Sightings()
    for entry in counted:
        protocol = next(number for number, name in TRANSPORTS.items() if name == entry["protocol"])
        own: Ends = (protocol, number_of(entry["saddr"]), entry["sport"], number_of(entry["daddr"]), entry["dport"])
        seen.addresses |= {number_of(text): text for text in (entry["saddr"], entry["daddr"]) if ":" in text}
        seen.owners[own] = Owner(entry.get("program"), entry.get("command"))
        for key, way in ((own, "sent"), (reverse(own), "received")):
            pkts, size = entry[f"{way}_pkts"], entry[f"{way}_bytes"]
            if pkts and (way == "sent" or key not in seen.ways):
                header = 40 if protocol == PROTOCOL_TCP else 28
                header += 20 if ":" in entry["saddr"] else 0
                payload = max(size - header * pkts, 0)
                seen.ways[key] = Seen(entry["first_ns"], entry["last_ns"], pkts, size, payload)
    return seen


def of_samples(tcp: pl.DataFrame) -> dict[Ends, Seen]:
    """Connections of tcp.trace, of bundles whose probe counted nothing: bytes are those acknowledged."""
    ways: dict[Ends, Seen] = {}
    sockets = tcp.sort("t_ns", maintain_order=True).group_by("saddr", "sport", "daddr", "dport", maintain_order=True)
    grouped = sockets.agg(
        first=pl.col("t_ns").first(), last=pl.col("t_ns").last(), pkts=pl.len(), delivered=pl.col("delivered").max(),
        mss=pl.col("mss").max(), out=pl.col("len").max())
    for saddr, sport, daddr, dport, first, last, pkts, delivered, mss, longest in grouped.iter_rows():
        size = int(delivered) * max(int(mss), int(longest), 1)
        ways[PROTOCOL_TCP, saddr, sport, daddr, dport] = Seen(first, last, pkts, size, size)
    return ways


def completed(transfer: Flow, seen: Sightings) -> Flow:
    """A transfer that a scenario names, with what was seen of its data connection, or of its subflows together."""
    mine = [(ends, way) for ends, way in seen.ways.items() if belongs(transfer, ends) and ends[0] == transfer.protocol]
    data = [(ends, way) for ends, way in mine if transfer.sport in (None, ends[2], ends[4])]
    if transfer.whole:
        sent = sum(way.bytes for ends, way in mine if transfer.has_subflow(ends))
        back = sum(way.bytes for ends, way in mine if transfer.has_subflow(reverse(ends)))
        return replace(transfer, sent_bytes=sent, back_bytes=back) if mine else transfer
    sent = sum(way.bytes for ends, way in data if ends[1] == transfer.saddr and ends[4] == transfer.port)
    back = sum(way.bytes for ends, way in data if ends[3] == transfer.saddr and ends[2] == transfer.port)
    owner = next((seen.owners[ends] for ends, _ in mine if ends in seen.owners), Owner(None, None))
    program = owner.program or (transfer.kind if transfer.kind == "iperf3" else None)
    if not mine:
        return replace(transfer, program=program)
    return replace(transfer, program=program, sent_bytes=sent, back_bytes=back)


def belongs(transfer: Flow, ends: Ends) -> bool:
    """Whether a 5-tuple is a transfer's: its data connection, or iperf3's of control to the same port, or a subflow."""
    if transfer.whole:
        return transfer.has_subflow(ends) or transfer.has_subflow(reverse(ends))
    protocol, src, sport, dst, dport = ends
    if transfer.protocol != protocol and transfer.kind != "iperf3":
        return False
    forth = (src, dst, dport) == (transfer.saddr, transfer.daddr, transfer.port)
    return forth or (dst, src, sport) == (transfer.saddr, transfer.daddr, transfer.port)


def found(seen: Sightings, transfers: Sequence[Flow], nodes: Mapping[int, str],
          commands: Sequence[Mapping[str, Any]]) -> list[Flow]:
    """Flows that belong to no transfer, the largest first.

    Args:
        nodes: names of nodes by address.
        commands: of the manifest; the only one on a node owns what no probe told of.
    """  # fmt: skip
    flows, done = [], set()
    for ends in seen.ways:
        if ends in done or any(belongs(transfer, ends) for transfer in transfers):
            continue
        done |= {ends, reverse(ends)}
        flows.append(_found(seen, ends, nodes, commands))
    taken: dict[str, int] = {}
    for flow in flows:
        taken[flow.id] = taken.get(flow.id, 0) + 1
    flows = [replace(flow, id=f"{flow.id}/{flow.transport}") if taken[flow.id] > 1 else flow for flow in flows]
    return sorted(flows, key=lambda flow: (-(flow.sent_bytes or 0) - (flow.back_bytes or 0), flow.start_ns, flow.id))


def _found(seen: Sightings, ends: Ends, nodes: Mapping[int, str], commands: Sequence[Mapping[str, Any]]) -> Flow:
    nothing = Seen(seen.ways[ends].first_ns, seen.ways[ends].last_ns, 0, 0, 0)
    opener = min((e for e in (ends, reverse(ends)) if e in seen.ways), key=lambda e: seen.ways[e].first_ns)
    answer = reverse(opener)
    ways = {answer: seen.ways.get(answer, nothing), opener: seen.ways[opener]}
    data = answer if ways[answer].payload_bytes > ways[opener].payload_bytes else opener
    protocol, src, sport, dst, dport = data
    source, sink = (nodes.get(address) or text_of(address, seen.addresses) for address in (src, dst))
    owner = _owner(seen, opener, nodes, commands)
    transport = TRANSPORTS[protocol]
    if transport == UDP and any(way.quic for way in ways.values()):
        transport = QUIC
    return Flow(
        f"{source}:{sport}-{sink}:{dport}", FOUND, source, sink, src, dst, dport,
        min(way.first_ns for way in ways.values()), max(way.last_ns for way in ways.values()) + 1, sport=sport,
        transport=transport, program=owner.program, command=owner.command, sent_bytes=ways[data].bytes,
        back_bytes=ways[reverse(data)].bytes if reverse(data) != data else 0,
    )  # fmt: skip


def _owner(seen: Sightings, opener: Ends, nodes: Mapping[int, str], commands: Sequence[Mapping[str, Any]]) -> Owner:
    """The command that the run is for, else the process that opened the flow."""
    told = [seen.owners[ends] for ends in (opener, reverse(opener)) if ends in seen.owners]
    ahead = {entry["id"] for entry in commands if not entry["background"]}
    for owner in told:
        if owner.command in ahead:
            return owner
    if told:
        return told[0]
    places = {nodes.get(opener[1]), nodes.get(opener[3])}
    there = [entry for entry in commands if not entry["background"] and entry.get("node") in places]
    return Owner(None, there[0]["id"] if len(there) == 1 else None)


def named(flows: Sequence[Flow], wanted: str | None, where: object) -> Flow:
    """The flow that somebody means: by its id, or by that of a command which has one; without either the first.

    Raises:
        DataError: there is none of that name.
    """
    if wanted is None:
        return flows[0]
    for flow in flows:
        if flow.id == wanted:
            return flow
    of_command = [flow for flow in flows if flow.command == wanted]
    if len(of_command) == 1:
        return of_command[0]
    allowed = of_command or flows
    raise DataError(f"{where}: --flow {wanted}: allowed {ids(allowed)}" if flows else
                        f"{where}: --flow {wanted}: the run has no flow")


def ids(flows: Sequence[Flow], most: int = 20) -> str:
    """Ids of some flows for people, the first ones of very many."""
    more = f" and {len(flows) - most} more" if len(flows) > most else ""
    return ", ".join(flow.id for flow in flows[:most]) + more


def note(flows: Sequence[Flow], chosen: Flow, wanted: str | None) -> str | None:
    """What is said where one flow of several is shown and none was asked for."""
    others = [flow for flow in flows if flow is not chosen]
    if wanted is not None or not others:
        return None
    return f"flow {chosen.id}; --flow names another: {ids(others, 8)}"
