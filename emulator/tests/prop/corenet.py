# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells with a core network in Python: a router between the ends of their tunnels, traffic and handovers."""

import heapq
import ipaddress
import struct
from collections import defaultdict
from dataclasses import dataclass, field

from coreffi import NEVER, Cell, ffi, lib

MS = 1_000_000
TAIL_NS = 60_000 * MS  # for what is under way after the last action; with two blocks in five lost it takes long
SGW = 0x70  # its port and its node; then those of the eNBs
UL, DL = 0, 1


def address(text: str) -> int:
    return int(ipaddress.IPv4Address(text))


SGW_ADDRESS = address("10.60.0.1")


def enb_port(enb: int) -> int:
    return SGW + 1 + enb


def user_packet(ue: int, direction: int, tag: int, length: int) -> bytes:
    """An IPv4 header to or from the UE, the tag, and bytes that follow from it."""
    me, server = address(f"10.45.0.{ue}"), address("10.46.1.1")
    src, dst = (server, me) if direction == DL else (me, server)
    header = struct.pack("!BBHHHBBHII", 0x45, 0, length, 0, 0, 64, 17, 0, src, dst)
    return header + struct.pack("!I", tag) + bytes((tag * 131 + i * 7 + (i >> 8)) & 0xFF for i in range(length - 24))


def tag_of(packet: bytes) -> int:
    return struct.unpack_from("!I", packet, 20)[0]


def is_outer(packet: bytes) -> bool:
    return len(packet) >= 28 and packet[9] == 17 and struct.unpack_from("!H", packet, 22)[0] == 2152


@dataclass
class Plan:
    """Cells and what happens: actions (t_ns, kind, ue, argument) in order of time."""

    cfg: dict
    actions: list
    delay_ns: dict = field(default_factory=dict)  # (from, to) port: of that path
    lost: frozenset = frozenset()  # numbers of tunnel packets, in order of sending, that get lost


class Run:
    """A plan carried out, with a router between the ports of the core network."""

    def __init__(self, plan: Plan, n_out: int | None = None, check=lambda run: None):
        """@n_out: size of the output array; @check: called after every action and at the end."""
        self.plan, self.cell = plan, Cell(plan.cfg, n_out)
        self.sent: dict[int, tuple[int, int, bytes]] = {}  # tag: (ue, direction, packet)
        self.got = defaultdict(list)  # (ue, direction): tags
        self.routed: list[bytes] = []  # packets between the ends of tunnels
        self.refused = self._tag = self._seen = 0
        self._flying = []
        for t_ns, kind, ue, argument in plan.actions:
            self._until(t_ns)
            getattr(self, f"_{kind}")(t_ns, ue, argument)
            check(self)
        self._until((plan.actions[-1][0] if plan.actions else 0) + TAIL_NS)
        check(self)
        self.digest = self.cell.digest()
        self.held = self.cell.stats().pkts_held
        self.cell.done()
        self.stats = self.cell.stats()

    def _until(self, end_ns: int):
        while (t_ns := min(self.cell.next(), self._flying[0][0] if self._flying else NEVER)) < end_ns:
            while self._flying and self._flying[0][0] <= t_ns:
                _, _, port, packet = heapq.heappop(self._flying)
                self.cell.push(port, packet, 0, t_ns)
            bound_ns = self.cell.next_output()
            self.cell.advance(t_ns)
            self._take(bound_ns)

    def _take(self, bound_ns: int):
        new, self._seen = self.cell.outputs[self._seen :], len(self.cell.outputs)
        for o in new:
            if o.type != lib.CELL_OUT_DELIVER:
                continue
            assert o.t_ns >= bound_ns
            if o.port >= SGW and is_outer(o.data):
                self._route(o)
            else:
                tag = tag_of(o.data)
                ue, direction, data = self.sent[tag]
                assert o.data == data
                assert o.port == (ue if direction == DL else SGW)
                self.got[ue, direction].append(tag)

    def _route(self, o):
        dst = struct.unpack_from("!I", o.data, 16)[0]
        port = SGW if dst == SGW_ADDRESS else enb_port(self.plan.cfg["gtpu.enb_addr"].index(dst))
        assert port != o.port
        self.routed.append(o.data)
        number = len(self.routed)
        if number not in self.plan.lost:
            t_ns = o.t_ns + self.plan.delay_ns.get((o.port, port), 4 * MS)
            heapq.heappush(self._flying, (t_ns, number, port, o.data))

    def _send(self, t_ns, ue, direction, length):
        self._tag += 1
        packet = user_packet(ue, direction, self._tag, length)
        if self.cell.push(SGW if direction == DL else ue, packet, self._tag, t_ns) == 0:
            self.sent[self._tag] = ue, direction, packet
        else:
            self.refused += 1

    def _downlink(self, t_ns, ue, lengths):
        for length in lengths:
            self._send(t_ns, ue, DL, length)

    def _uplink(self, t_ns, ue, lengths):
        for length in lengths:
            self._send(t_ns, ue, UL, length)

    def _handover(self, t_ns, ue, enb):
        assert self.cell.command(lib.CELL_CMD_HANDOVER, ue, enb, t_ns) == 0

    def _predict(self, t_ns, ue, enb):
        assert self.cell.command(lib.CELL_CMD_PREDICT, ue, enb, t_ns) == 0

    def _measure(self, t_ns, ue, powers_cdbm):
        """All eNBs at one time."""
        for enb, rsrp_cdbm in enumerate(powers_cdbm):
            command = ffi.new("struct cell_cmd *", {"type": lib.CELL_CMD_MEASURE, "ue": ue, "enb": enb,
                                                    "rsrp_cdbm": rsrp_cdbm})
            assert lib.cell_apply(self.cell.cell, command, t_ns) == 0

    def _channel(self, t_ns, ue, sinr_db):
        """What the UE and each eNB hear of each other; CQIs are not those of the SINRs."""
        for enb, db in enumerate(sinr_db):
            for direction in (UL, DL):
                command = ffi.new("struct cell_cmd *", {
                    "type": lib.CELL_CMD_CHANNEL, "ue": ue, "enb": enb, "dir": direction,
                    "cqi": 9 if db > -12 else 0, "sinr_cdb": 100 * db})
                assert lib.cell_apply(self.cell.cell, command, t_ns) == 0

    def rows(self, event: int) -> list:
        return self.cell.rows(event)

    def reasons(self) -> set:
        return {o.reason for o in self.cell.outputs if o.type == lib.CELL_OUT_DROP}
