# SPDX-License-Identifier: GPL-2.0-or-later
"""S-GW, tunnels and the messages of a handover, step by step.

Source: TS 36.300 10.1.2.1.1; Pacifico, Figures 2, 5 and 6
"""

import struct

import pytest
from coreffi import Cell, lib, make_cfg
from corenet import DL, MS, SGW, SGW_ADDRESS, UL, Plan, Run, address, enb_port, user_packet

PREFIX = "CELL_RRC_"
STEP = {getattr(lib, name): name.removeprefix(PREFIX).lower() for name in dir(lib) if name.startswith(PREFIX)}
ECT0, CE, NOT_ECT = 2, 3, 0
ECN_NONE, ECN_COPY = 0, 1
C_RNTI = 3  # as Wireshark has it


def cells(changes: dict | None = None) -> dict:
    """Two eNBs, a UE at the first one and one at the second."""
    ue = {"peer": 0, "mode": 0, "cqi_ul": 15, "cqi_dl": 15, "cqi_sl": 15}
    return {
        "n_enb": 2, "n_ue": 2, "rlc.mode": lib.CELL_RLC_AM, "gtpu.sgw_addr": SGW_ADDRESS,
        "gtpu.enb_addr": [address("10.60.1.1"), address("10.60.2.1")],
        "ue": [ue | {"addr": address("10.45.0.1"), "enb": 0}, ue | {"addr": address("10.45.0.2"), "enb": 1}],
    } | (changes or {})  # fmt: skip


def steps(run, *names) -> list:
    """(time in ms, step, eNB) of UE 1, of @names only if there are any."""
    rows = [(r["t_ns"] / MS, STEP[r["value"]], r["enb"]) for r in run.rows(lib.CELL_EV_RRC)]
    return [row for row in rows if not names or row[1] in names]


def stream(first_ms, last_ms, every_ms=3, ue=1, length=1000) -> list:
    return [(t * MS, "downlink", ue, [length]) for t in range(first_ms, last_ms, every_ms)]


def in_order(actions) -> list:
    return sorted(actions, key=lambda action: action[0])


HANDOVER = (50 * MS, "handover", 1, 1)
BEGIN = [(50, "measurement_report", 0), (50, "handover_decision", 0), (50, "handover_request", 0),
         (54, "handover_request_ack", 1), (58, "handover_command", 0), (58, "detach", 0),
         (58, "sn_status_transfer", 0)]  # fmt: skip
SWITCH = ["user_plane_update_request", "path_switched", "user_plane_update_reply", "path_switch_request_ack"]


def test_standard_procedure():
    """Grant and transmission, 2 + 4 sub-frames, bring the confirm; the MME is 4 ms away."""
    run = Run(Plan(cells(), [HANDOVER]))
    assert steps(run) == [
        *BEGIN, (88, "synchronised", 1), (94, "handover_confirm", 1), (94, "path_switch_request", 1),
        *((98, name, 0) for name in SWITCH), (102, "release_resource", 1),
    ]  # fmt: skip
    assert {row["node"] for row in run.rows(lib.CELL_EV_RRC) if STEP[row["value"]] in SWITCH} == {SGW}
    assert run.stats.handovers == run.stats.path_switches == 1


def test_fast_path_switch():
    run = Run(Plan(cells({"handover.procedure": lib.CELL_HO_FAST_PATH_SWITCH}), [HANDOVER]))
    assert steps(run) == [
        *BEGIN, (58, "path_switch_request", 0), *((62, name, 0) for name in SWITCH), (88, "synchronised", 1),
        (94, "handover_confirm", 1), (94, "release_resource", 1),
    ]  # fmt: skip


def test_prediction():
    """The command comes at once: the target has been prepared."""
    actions = [(50 * MS, "predict", 1, 1), (180 * MS, "handover", 1, 1)]
    run = Run(Plan(cells({"handover.procedure": lib.CELL_HO_PREDICTION}), actions))
    assert steps(run) == [
        (50, "predicted", 0), (50, "handover_request", 0), (54, "handover_request_ack", 1),
        (54, "path_switch_request", 1), *((58, name, 0) for name in SWITCH),
        (180, "measurement_report", 0), (180, "handover_decision", 0), (180, "handover_command", 0),
        (180, "detach", 0), (180, "sn_status_transfer", 0), (210, "synchronised", 1), (216, "handover_confirm", 1),
        (216, "release_resource", 1),
    ]  # fmt: skip


def test_a_handover_before_its_target_is_prepared_waits_for_it():
    actions = [(50 * MS, "predict", 1, 1), (53 * MS, "handover", 1, 1)]
    run = Run(Plan(cells({"handover.procedure": lib.CELL_HO_PREDICTION}), actions))
    assert [t_ms for t_ms, _, _ in steps(run, "handover_decision", "handover_command")] == [53, 58]


def test_prediction_saves_forwarding():
    """What it is for: with the queue drained before, nothing is forwarded, and nothing is lost."""
    traffic = stream(0, 300)
    predicted = Run(Plan(cells({"handover.procedure": lib.CELL_HO_PREDICTION}),
                         in_order([*traffic, (50 * MS, "predict", 1, 1), (180 * MS, "handover", 1, 1)])))
    standard = Run(Plan(cells(), in_order([*traffic, (172 * MS, "handover", 1, 1)])))
    assert len(standard.rows(lib.CELL_EV_HO_FORWARD)) > 10
    assert not predicted.rows(lib.CELL_EV_HO_FORWARD)
    waits = [r for r in predicted.rows(lib.CELL_EV_HO_HOLD) if r["enb"] == 1]
    assert waits[-1]["value"] == 0 and waits[-1]["t_ns"] == 210 * MS  # the End Marker was there before the UE
    for run in (predicted, standard):
        assert run.got[1, DL] == list(range(1, 101))


def test_a_wrong_prediction_switches_back():
    traffic = stream(0, 500)
    run = Run(Plan(cells({"handover.prediction_timeout_ms": 200}), in_order([*traffic, (50 * MS, "predict", 1, 1)])))
    assert steps(run, "prediction_expired", "handover_cancel", "path_switched") == [
        (58, "path_switched", 0), (250, "prediction_expired", 0), (250, "handover_cancel", 0),
        (254, "path_switched", 0),
    ]  # fmt: skip
    assert run.stats.handovers == 0 and run.stats.path_switches == 2
    assert run.got[1, DL] == list(range(1, 168))


def test_another_target_than_predicted():
    cfg = cells({"n_enb": 3, "gtpu.enb_addr": [address(f"10.60.{k}.1") for k in (1, 2, 3)]})
    run = Run(Plan(cfg, in_order([*stream(0, 500), (50 * MS, "predict", 1, 1), (150 * MS, "handover", 1, 2)])))
    assert [enb for _, _, enb in steps(run, "synchronised")] == [2]
    assert steps(run, "handover_cancel") == [(150, "handover_cancel", 0)]
    assert run.got[1, DL] == list(range(1, 168))


def test_a_prediction_after_the_decision_waits_for_the_end():
    """What is under way is a handover: given up as a prediction, both eNBs would forward to each other for ever."""
    late = [(50 * MS, "predict", 1, 1), (51 * MS, "handover", 1, 1), (52 * MS, "predict", 1, 0)]
    run = Run(Plan(cells(), in_order([*stream(0, 400), *late])))
    assert [enb for _, _, enb in steps(run, "synchronised")] == [1]
    ((released, _, _),) = steps(run, "release_resource")
    assert all(t_ms > released for t_ms, _, _ in steps(run, "handover_cancel"))
    assert run.got[1, DL] == list(range(1, 135))


def test_the_next_handover_waits_for_the_end_of_one():
    run = Run(Plan(cells(), in_order([*stream(0, 400), HANDOVER, (60 * MS, "handover", 1, 0)])))
    assert [enb for _, _, enb in steps(run, "synchronised")] == [1, 0]
    back = steps(run, "handover_decision")[1][0]
    assert back >= steps(run, "release_resource")[0][0]
    assert run.got[1, DL] == list(range(1, 135))


def test_end_marker_is_last_on_the_old_path_and_forwarded():
    run = Run(Plan(cells(), in_order([*stream(0, 200), HANDOVER])))
    ends = [(r["t_ns"] / MS, r["event"] == lib.CELL_EV_GTPU_TX, r["node"], r["enb"])
            for r in sorted(run.rows(lib.CELL_EV_GTPU_TX) + run.rows(lib.CELL_EV_GTPU_RX), key=lambda r: r["t_ns"])
            if r["value"] == lib.CELL_TUNNEL_END_MARKER]  # fmt: skip
    assert ends == [(98, True, SGW, 0), (102, True, 0, 0), (102, False, 0, 0), (106, False, 0, 1)] or ends == [
        (98, True, SGW, 0), (102, False, 0, 0), (102, True, 0, 0), (106, False, 0, 1)]  # fmt: skip
    old = [r["t_ns"] for r in run.rows(lib.CELL_EV_GTPU_TX) if r["node"] == SGW and r["sn"] >> 16 == 1]
    assert max(old) == 98 * MS


def test_forwarded_packets_carry_their_sn_then_fresh_ones_follow():
    run = Run(Plan(cells(), [(50 * MS, "downlink", 1, [1400] * 40), HANDOVER]))
    forwarded = run.rows(lib.CELL_EV_HO_FORWARD)
    numbered = [r["sn"] for r in forwarded if r["value"]]
    assert numbered and numbered == list(range(numbered[0], numbered[0] + len(numbered)))
    assert [r["value"] for r in forwarded] == sorted((r["value"] for r in forwarded), reverse=True)
    assert run.got[1, DL] == list(range(1, 41))


def test_duplicates_are_discarded_at_the_ue():
    """No STATUS PDU for long: the source sends again what the UE has."""
    run = Run(Plan(cells({"rlc.am.t_status_prohibit_ms": 500, "rlc.am.poll_pdu": 1000, "rlc.am.poll_byte": 10**6}),
                   in_order([*stream(0, 100), HANDOVER])))
    assert run.stats.pkts_dropped[lib.CELL_DROP_DUPLICATE] > 0
    assert run.got[1, DL] == list(range(1, 35))


def test_the_uplink_goes_on_at_the_target():
    actions = [(t * MS, "uplink", 1, [200]) for t in range(0, 200, 2)]
    run = Run(Plan(cells(), in_order([*actions, HANDOVER])))
    assert run.got[1, UL] == list(range(1, 101))
    up = [(r["t_ns"], r["enb"]) for r in run.rows(lib.CELL_EV_GTPU_TX) if r["node"] == 0 and r["dir"] == UL]
    assert {enb for t_ns, enb in up if t_ns < 58 * MS} == {0} and {enb for t_ns, enb in up if t_ns > 88 * MS} == {1}
    assert not [t_ns for t_ns, _ in up if 58 * MS < t_ns < 88 * MS]


def test_um_loses_what_is_on_the_air_and_forwards_the_rest():
    run = Run(Plan(cells({"rlc.mode": lib.CELL_RLC_UM}), [(40 * MS, "downlink", 1, [1400] * 60), HANDOVER]))
    assert run.reasons() == {lib.CELL_DROP_HANDOVER}
    assert 0 < run.stats.pkts_dropped[lib.CELL_DROP_HANDOVER] <= 15  # five sub-frames of three
    assert all(not row["value"] for row in run.rows(lib.CELL_EV_HO_FORWARD))
    assert run.got[1, DL] == sorted(run.got[1, DL])
    assert len(run.got[1, DL]) + run.stats.pkts_dropped[lib.CELL_DROP_HANDOVER] == 60


def test_without_forwarding_the_source_drops():
    run = Run(Plan(cells({"handover.forwarding": 0}), in_order([*stream(0, 200), HANDOVER])))
    assert run.reasons() <= {lib.CELL_DROP_HANDOVER}
    assert run.stats.pkts_dropped[lib.CELL_DROP_HANDOVER] > 10 and run.stats.gtpu_tx[lib.CELL_TUNNEL_X2] == 0


def test_the_target_holds_no_more_than_a_queue():
    run = Run(Plan(cells({"rlc.queue_pkts": 5}), in_order([*stream(0, 200, every_ms=1, length=100), HANDOVER])))
    assert max(r["value"] for r in run.rows(lib.CELL_EV_HO_HOLD) if r["enb"] == 1) == 5
    assert lib.CELL_DROP_QUEUE_FULL in run.reasons()


@pytest.mark.parametrize("lost", ["on S1", "on X2"])
def test_a_lost_end_marker_costs_time_only(lost):
    whole = Run(Plan(cells(), in_order([*stream(0, 200), HANDOVER])))
    markers = [i for i, data in enumerate(whole.routed, 1) if data[29] == 254]
    run = Run(Plan(cells(), in_order([*stream(0, 200), HANDOVER]), lost=frozenset([markers[lost == "on X2"]])))
    assert run.got[1, DL] == whole.got[1, DL] == list(range(1, 68))
    held = [r["t_ns"] / MS for r in run.rows(lib.CELL_EV_HO_HOLD) if r["enb"] == 1 and r["value"] == 0]
    assert 250 < held[-1] < 350


def test_without_reordering_direct_packets_do_not_wait():
    run = Run(Plan(cells({"handover.reordering": 0}), in_order([*stream(0, 200), HANDOVER]),
                   {(SGW + 1, SGW + 2): 40 * MS}))
    assert sorted(run.got[1, DL]) == list(range(1, 68)) != run.got[1, DL]


def test_a_new_c_rnti_in_the_new_cell():
    run = Run(Plan(cells(), in_order([*stream(0, 200), HANDOVER])))
    seen = [o.info for o in run.cell.outputs if o.type == lib.CELL_OUT_PDU and o.info["rnti_type"] == C_RNTI]
    assert {i["ue"] for i in seen} == {1}
    assert {(i["enb"], i["rnti"]) for i in seen} == {(0, 61), (1, 63)}


def checksum(header: bytes) -> bytes:
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!H", ~total & 0xFFFF)


def with_tos(packet: bytes, tos: int) -> bytes:
    header = bytearray(packet[:20])
    header[1], header[10:12] = tos, b"\0\0"
    header[10:12] = checksum(header)
    return bytes(header) + packet[20:]


def through_sgw(cfg: dict, packet: bytes) -> tuple[Cell, bytes]:
    """@packet from a server. Return: the cell and what leaves the S-GW."""
    cell = Cell(cfg)
    assert cell.push(SGW, packet, 1, 0) == 0
    cell.advance(0)
    return cell, next(o.data for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER)


@pytest.mark.parametrize(("mode", "tos", "sent", "marked", "arrives"), [
    (ECN_NONE, ECT0, NOT_ECT, NOT_ECT, ECT0), (ECN_COPY, ECT0, ECT0, CE, CE), (ECN_COPY, NOT_ECT, ECT0, CE, None),
    (ECN_COPY, NOT_ECT, ECT0, ECT0, NOT_ECT),
])  # fmt: skip
def test_ecn(mode, tos, sent, marked, arrives):
    """A mark on the outer header goes to the inner one, or the packet goes. Source: Pacifico, Figure 7"""
    cell, outer = through_sgw(cells({"gtpu.ecn": mode}), with_tos(user_packet(1, DL, 1, 100), tos))
    assert outer[1] == sent
    cell.push(enb_port(0), with_tos(outer, marked), 0, MS)
    cell.advance(50 * MS)
    assert [o.data[1] for o in cell.outputs if o.type == lib.CELL_OUT_DELIVER and o.port == 1] == [
        tos for tos in (arrives,) if tos is not None]
    assert [o.reason for o in cell.outputs if o.type == lib.CELL_OUT_DROP] == (
        [lib.CELL_DROP_ECN] if arrives is None else [])


def test_nobody_with_that_address_or_tunnel():
    cell, outer = through_sgw(cells(), user_packet(1, DL, 1, 100))
    wrong = [(SGW, user_packet(9, DL, 1, 100)), (enb_port(1), outer), (enb_port(0), outer[:-1]), (SGW, b"x")]
    for port, packet in wrong:
        assert cell.push(port, packet, 0, MS) == 0
    cell.advance(50 * MS)
    assert [o.reason for o in cell.outputs if o.type == lib.CELL_OUT_DROP] == [lib.CELL_DROP_NO_ROUTE] * len(wrong)


def test_a_header_alone_has_a_route_and_less_has_none():
    header = user_packet(1, DL, 1, 24)[:20]
    cell, _ = through_sgw(cells(), header)
    assert cell.push(SGW, header[:-1], 0, MS) == 0
    cell.advance(50 * MS)
    assert [o.reason for o in cell.outputs if o.type == lib.CELL_OUT_DROP] == [lib.CELL_DROP_NO_ROUTE]


@pytest.mark.parametrize(("changes", "field"), [
    ({"n_enb": 5}, "n_enb"), ({"pdcp.reordering": 1}, "pdcp.reordering"), ({"pdcp.sn_bits": 7}, "pdcp.sn_bits"),
    ({"rlc.delivery": 1}, "rlc.delivery"), ({"handover.signalling_us": 600_000}, "handover.prediction_timeout_ms"),
    ({"gtpu.enb_addr": [1, 0]}, "gtpu.enb_addr"), ({"n_enb": 1, "gtpu.enb_addr": [0]}, "gtpu.enb_addr"),
    ({"n_enb": 1}, "enb"), ({"scheduler": 200}, "scheduler"),
])  # fmt: skip
def test_configurations_that_cannot_be(changes, field):
    with pytest.raises(ValueError, match=f"^{field}: "):
        make_cfg(cells(changes))
