# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue management of NR's bearers: which packets are marked or dropped, and in which order they leave."""

from collections import defaultdict

from coreffi import lib
from coreplan import PORT_NETWORK, Run, destination, in_pieces
from draw import Choices
from draw import plans as plans_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrplan import AM, UM, plan

fast = examples(60)
NOT_ECT, ECT_1, ECT_0, CE = range(4)
MARK, DUALPI2 = lib.CELL_AQM_MARK, lib.CELL_AQM_DUALPI2


def managed(choices: Choices, lossy: bool = True):
    """A network of which each bearer has an AQM. Its times are those of short plans."""
    found = plan(choices, lossy, (AM, UM))
    found.cfg |= {"pdcp.duplication": 0, "nr.aqm.mode": choices.pick(DUALPI2, MARK),
                  "nr.aqm.uplink": choices.pick(0, 1),
                  "nr.aqm.l4s_id": choices.pick(0, 1), "nr.aqm.mark_from_us": choices.pick(1000, 0, 5000),
                  "nr.aqm.mark_range_us": choices.pick(0, 3000), "nr.aqm.target_ms": choices.pick(1, 15),
                  "nr.aqm.tupdate_ms": choices.pick(1, 16), "nr.aqm.rtt_max_ms": choices.pick(10, 100),
                  "nr.aqm.coupling": choices.pick(2, 1, 10), "nr.aqm.shift_ms": choices.pick(30, 0, 2)}
    return found


def networks(**kinds):
    return plans_of(lambda choices: managed(choices, **kinds), 360)


def checksum(header: bytes) -> int:
    words = sum(int.from_bytes(header[i:i + 2]) for i in range(0, len(header), 2))
    while words >> 16:
        words = (words & 0xFFFF) + (words >> 16)
    return words


def packet(tag: int, length: int) -> bytes:
    """IPv4 and IPv6 in turn, with each ECN field; what is too short for a header has none."""
    body = bytearray((tag * 131 + i) & 0xFF for i in range(length))
    ecn = tag // 2 % 4
    if tag % 2 and length >= 40:
        body[:2] = bytes([0x60 | body[0] & 0xF, body[1] & 0xCF | ecn << 4])
    elif length >= 20:
        body[:2] = bytes([0x45, body[1] & 0xFC | ecn])
        body[10:12] = bytes(2)
        body[10:12] = (0xFFFF - checksum(body[:20])).to_bytes(2)
    else:
        body[0] = 0
    return bytes(body)


def ecn_of(data: bytes) -> int:
    if data[0] >> 4 == 6:
        return data[1] >> 4 & 3
    return data[1] & 3 if data[0] >> 4 == 4 else NOT_ECT


def without_ecn(data: bytes) -> bytes:
    if data[0] >> 4 == 6:
        return bytes([data[0], data[1] & 0xCF]) + data[2:]
    return bytes([data[0], data[1] & 0xFC]) + data[2:10] + data[12:] if data[0] >> 4 == 4 else data


def is_l4s(cfg, data: bytes) -> bool:
    return ecn_of(data) in (ECT_1, CE) or (ecn_of(data) == ECT_0 and cfg.nr.aqm.l4s_id == lib.CELL_L4S_ANY_ECT)


@fast
@given(networks())
def test_only_marks_change_packets(network):
    """What is marked is ECT, has a row, and has a right checksum; nothing else of any packet changes."""
    run = Run(network, payload=packet)
    marked = {row["tag"] for row in run.rows(lib.CELL_EV_ECN_MARK)}
    assert run.cell.stats().ecn_marks == len(marked) == len(run.rows(lib.CELL_EV_ECN_MARK))
    for o in run.of(lib.CELL_OUT_DELIVER):
        _, port, before = run.pushed[o.tag]
        assert o.port == destination(run.cfg, port)
        assert without_ecn(o.data) == without_ecn(before)
        assert ecn_of(o.data) == (CE if o.tag in marked else ecn_of(before))
        if o.data[0] >> 4 == 4 and len(o.data) >= 20:
            assert checksum(o.data[:20]) == 0xFFFF
        if o.tag in marked:
            assert ecn_of(before) in (ECT_0, ECT_1) and (port & PORT_NETWORK or run.cfg.nr.aqm.uplink)
            assert run.cfg.nr.aqm.mode == DUALPI2 or is_l4s(run.cfg, before)


@fast
@given(networks())
def test_every_packet_ends_once(network):
    run = Run(network, payload=packet)
    ended = [o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)]
    assert sorted(ended) == sorted(run.pushed)
    dropped = [o for o in run.of(lib.CELL_OUT_DROP) if o.reason == lib.CELL_DROP_AQM]
    assert not dropped or run.cfg.nr.aqm.mode == DUALPI2


@fast
@given(networks(lossy=False))
def test_each_kind_in_order(network):
    """Nothing overtakes its own kind, and in one queue nothing overtakes anything."""
    run = Run(network, payload=packet)
    order = defaultdict(list)
    for o in run.of(lib.CELL_OUT_DELIVER):
        two = run.cfg.nr.aqm.mode == DUALPI2 and (o.port & PORT_NETWORK == 0 or run.cfg.nr.aqm.uplink)
        order[o.port, two and is_l4s(run.cfg, run.pushed[o.tag][2])].append(o.tag)
    for tags in order.values():
        assert tags == sorted(tags)


@fast
@given(networks())
def test_marks_of_the_queue_alone_waited(network):
    """As long as the key says, and never less; those of the other queue's sake as long as they like."""
    run = Run(network, payload=packet)
    for row in run.rows(lib.CELL_EV_ECN_MARK):
        assert row["value"] >= 0
        assert row["aux"] or row["value"] >= run.cfg.nr.aqm.mark_from_us


@fast
@given(networks(), st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(network, cuts):
    once, run = Run(network, payload=packet), Run(network, in_pieces(cuts), payload=packet)
    assert run.cell.outputs == once.cell.outputs
    assert run.digest == once.digest
