# SPDX-License-Identifier: GPL-2.0-or-later
"""What is on the air of a network of NR, read by others than those who wrote it.

Every block that was decoded goes through a MAC, an RLC (`rlc_nr_reader`) and a PDCP in Python: what they make of it is
what the network delivered, each expiry of t-Reassembly is at the time of theirs, and each STATUS PDU names what they
miss, no more and no less.
"""

from collections import defaultdict

from coreffi import lib
from coreplan import Run
from examples import examples
from hypothesis import event, given
from nrplan import AM, UM, plans
from rlc_nr_reader import AmReceiver, Status, UmReceiver, read_am, read_um
from test_nr_core import blocks
from test_nr_mac_pdu import DL, UL, subpdus

RUNS = 16  # RLC_RANGES_MAX
MS = 1_000_000


class Ear:
    """All receivers of a run, by UE with cell, and direction: what they made of the decoded blocks."""

    def __init__(self, run):
        cfg, self.run = run.cfg, run
        acknowledged = cfg.rlc.mode == AM
        self.sn_bits = cfg.rlc.am.sn_bits if acknowledged else cfg.rlc.um.sn_bits
        self.read = read_am if acknowledged else read_um
        receiver = AmReceiver if acknowledged else UmReceiver
        self.receivers = defaultdict(lambda: receiver(self.sn_bits, cfg.rlc.t_reassembly_ms * MS, runs_max=RUNS))
        self.content = {row["block"]: self.pdus(info["dir"], data) for row, info, data in blocks(run)}
        self.due = defaultdict(list)  # what a STATUS PDU has to name when it is built, by receiver of the PDU
        self.sent = defaultdict(list)  # STATUS PDUs, likewise
        self.heard = 0

    def pdus(self, direction: int, block: bytes) -> list:
        """RLC PDUs of a MAC PDU."""
        link = DL if direction == lib.CELL_DIR_DL else UL
        return [self.read(sdu, self.sn_bits) for lcid, sdu in subpdus(link, block) if 1 <= lcid <= 32]

    def listen(self):
        handlers = {lib.CELL_EV_MAC_RX: self.arrived, lib.CELL_EV_T_REORDERING: self.expired,
                    lib.CELL_EV_RLC_STATUS_TX: self.reported, lib.CELL_EV_MAC_TX: self.transmitted}  # fmt: skip
        for row in self.run.rows(*handlers):
            handlers[row["event"]](row, (row["node"] or row["peer"], row["enb"]), row["dir"])
        for end, states in self.due.items():
            for state, status in zip(states, self.sent[end], strict=True):
                state(status)

    def arrived(self, row: dict, ue: tuple, direction: int):
        for pdu in self.content[row["block"]]:
            if not isinstance(pdu, Status):
                self.receivers[ue, direction].receive(pdu, row["t_ns"])
                self.heard += 1

    def expired(self, row: dict, ue: tuple, direction: int):
        rx = self.receivers[ue, direction]
        assert rx.timer == row["t_ns"]
        rx.expire(row["t_ns"])

    def reported(self, row: dict, ue: tuple, direction: int):
        """A STATUS PDU leaves in @direction: it is about what came the other way."""
        rx = self.receivers[ue, lib.CELL_DIR_UL + lib.CELL_DIR_DL - direction]
        assert rx.due
        rx.due = False
        missing, highest, lowest = rx.missing(), rx.highest_status, rx.next

        def check(status):
            assert status.size == row["bytes"] and status.ack_sn == row["sn"]
            named = [(lowest + (sn - lowest) % rx.turn, *part) for sn, *part in status.portions(self.sn_bits)]
            assert named == missing[: len(named)]
            if len(named) == len(missing):
                assert lowest + (status.ack_sn - lowest) % rx.turn == highest
            else:
                event("a STATUS PDU had no room for all")

        self.due[ue, direction].append(check)

    def transmitted(self, row: dict, ue: tuple, direction: int):
        self.sent[ue, direction] += [pdu for pdu in self.content[row["block"]] if isinstance(pdu, Status)]

    def datagrams(self, rx) -> list[bytes]:
        """IP packets out of PDCP PDUs; with a header of SDAP in front of them where there is one."""
        header = (3 if self.run.cfg.pdcp.sn_bits == 18 else 2) + self.run.cfg.nr.sdap_header
        sdus = [sdu for _, sdu in rx.delivered] + getattr(rx, "whole", [])
        assert all(sdu[0] & 0x80 for sdu in sdus)
        return [sdu[header:] for sdu in sdus]


@examples(100)
@given(plans(rlc_modes=(AM, AM, UM)))
def test_others_read_the_same(plan):
    run = Run(plan)
    if run.rows(lib.CELL_EV_RADIO_LINK_FAILURE):
        event("a link failed")
        return  # entities start again, and blocks on the air are void
    ear = Ear(run)
    ear.listen()
    assert ear.heard == len(run.rows(lib.CELL_EV_RLC_RX))
    read = sorted(data for rx in ear.receivers.values() for data in ear.datagrams(rx))
    delivered = sorted(o.data for o in run.of(lib.CELL_OUT_DELIVER))
    if any(row["value"] for row in run.rows(lib.CELL_EV_RLC_STATUS_TX)):
        event("something was asked for")
    if run.rows(lib.CELL_EV_T_REORDERING):
        event("t-Reassembly expired")
    # PDCP gives up what comes after t-Reordering.
    late = sorted(run.pushed[o.tag][2] for o in run.of(lib.CELL_OUT_DROP) if o.tag in run.pushed
                  and o.reason in (lib.CELL_DROP_PDCP_DISCARD, lib.CELL_DROP_SHUTDOWN))  # fmt: skip
    copies = [run.pushed[row["tag"]][2] for row in run.rows(lib.CELL_EV_PDCP_COPY) if row["tag"] in run.pushed]
    if copies:
        event("a copy of a packet ended by itself")
    late += copies
    for data in delivered:
        read.remove(data)
    for data in read:
        assert data in late
