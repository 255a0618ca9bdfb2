# SPDX-License-Identifier: GPL-2.0-or-later
"""Handovers, the case each was for TCP, and their metrics, on traces written by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from synthetic_bundle import MS, START_NS
from synthetic_handover import Wire, handover_rows, radio_row, rrc, tcp_row, write_handover_bundle
from synthetic_timeout import BEFORE, forwarded_wire, timeout_rows

from cellbed_analysis.metrics.handover import case_metrics, data_gap_ms, handover_metrics, loss_metrics, packet_metrics
from cellbed_analysis.metrics.rows import compute
from cellbed_analysis.radio.handover import handovers, messages, of_flow
from cellbed_analysis.studies.handover_pacifico.metrics import cwnd_max_pkts, equation_metrics
from cellbed_analysis.tcp.after_handover import effect
from cellbed_analysis.tcp.packet_rtt import packet_rtts
from cellbed_analysis.tcp.sender import Sender
from cellbed_analysis.tcp.window_events import window_events
from cellbed_formats.bundle import Bundle, read_bundle


def _bundle(tmp_path: Path, tcp: list, radio: list | None = None, wire: Wire | None = None, **more: object) -> Bundle:
    radio = handover_rows(2300) if radio is None else radio
    return read_bundle(write_handover_bundle(tmp_path, radio, tcp, wire, **more))  # type: ignore[arg-type]


def _ms(t_ns: int | None) -> float | None:
    return None if t_ns is None else (t_ns - START_NS) / MS


def _case(bundle: Bundle) -> tuple[str, list[str]]:
    flow = bundle.flows[0]
    handover = of_flow(bundle, flow)
    assert handover is not None
    found = effect(Sender(bundle, flow), handover)
    assert found is not None
    return found.case, [event.kind for event in found.events]


def test_steps_of_a_standard_handover(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, BEFORE)
    assert messages(bundle)["message"].to_list()[:2] == ["measurement_report", "handover_decision"]
    (handover,) = handovers(bundle, "me")
    assert (handover.source, handover.target, handover.wrong) == (0, 1, False)
    times = (handover.start_ns, handover.left_ns, handover.attached_ns, handover.path_ns)
    assert [_ms(t) for t in times] == [2300, 2308, 2338, 2349]
    assert handovers(bundle, "c1") == []


def test_a_predicted_path_switch_is_of_the_handover_that_follows(tmp_path: Path) -> None:
    radio = [*handover_rows(1000), *handover_rows(2300, path_ms=-122, predicted_ms=2170, source=1)]
    first, second = handovers(_bundle(tmp_path, BEFORE, radio), "me")
    assert _ms(first.path_ns) == 1049 and _ms(second.path_ns) == 2178


def test_a_wrong_prediction_lasts_until_the_path_is_back(tmp_path: Path) -> None:
    radio = [
        rrc(2170, "predicted", 0, 1), rrc(2178, "path_switched", 0, 1), rrc(3170, "prediction_expired", 0, 1),
        rrc(3174, "path_switched", 0, 0), rrc(3174, "user_plane_update_reply", 0, 0),
    ]  # fmt: skip
    (wrong,) = handovers(_bundle(tmp_path, BEFORE, radio), "me")
    assert wrong.wrong and [_ms(t) for t in (wrong.start_ns, wrong.path_ns, wrong.attached_ns)] == [2170, 2178, 3174]


def test_a_run_is_about_its_handover_rather_than_a_wrong_prediction(tmp_path: Path) -> None:
    radio = [rrc(1000, "predicted", 0, 1), rrc(2000, "prediction_expired", 0, 1), *handover_rows(2300)]
    bundle = _bundle(tmp_path, BEFORE, radio)
    handover = of_flow(bundle, bundle.flows[0])
    assert handover is not None and not handover.wrong
    late = _bundle(tmp_path / "late", BEFORE, handover_rows(6000))
    assert of_flow(late, late.flows[0]) is None


def test_nothing_happens(tmp_path: Path) -> None:
    assert _case(_bundle(tmp_path, BEFORE)) == ("nothing", [])


def test_a_timeout_long_after_is_the_handovers_if_its_segment_was_under_way_then(tmp_path: Path) -> None:
    late = [tcp_row(3400, "rto", 109, 120, 20), tcp_row(3400, "retransmit", 109, 120, 1, 10, seq=109)]
    assert _case(_bundle(tmp_path / "a", BEFORE + late)) == ("timeout", ["timeout"])
    other = [tcp_row(3400, "rto", 110, 120, 20), tcp_row(3400, "retransmit", 110, 120, 1, 10, seq=110)]
    assert _case(_bundle(tmp_path / "b", BEFORE + other)) == ("nothing", [])  # sent after the span
    early = [tcp_row(2000, "rto", 50, 60, 20), *BEFORE]
    assert _case(_bundle(tmp_path / "c", early)) == ("nothing", [])


def test_a_fast_retransmit_halves_and_a_timeout_beside_it_counts_more(tmp_path: Path) -> None:
    fast = [
        tcp_row(2450, "segment_out", 100, 111, 20, 10, seq=100, len=1000),  # sampled before the retransmission
        tcp_row(2450, "retransmit", 100, 111, 10, 10, seq=100, sacked_out=3),
    ]
    assert _case(_bundle(tmp_path / "a", BEFORE + fast)) == ("halving", ["fast retransmit"])
    both = [*fast, tcp_row(3600, "rto", 105, 111, 10, 10)]
    assert _case(_bundle(tmp_path / "b", BEFORE + both)) == ("timeout", ["fast retransmit", "timeout"])


def test_a_threshold_that_falls_without_retransmission_is_a_mark(tmp_path: Path) -> None:
    infinite = [tcp_row(100, "segment_out", 0, 9, 10, 2**31 - 1), tcp_row(110, "segment_in", 0, 9, 10, 44)]
    marked = [*infinite, *BEFORE, tcp_row(2410, "segment_in", 101, 111, 19, 10)]
    bundle = _bundle(tmp_path, marked)
    (event,) = window_events(Sender(bundle, bundle.flows[0]))
    assert (event.kind, event.ssthresh, _ms(event.t_ns)) == ("mark", 10, 2410)
    assert _case(bundle)[0] == "halving"


def test_a_spurious_timeout_and_what_surrounds_it(tmp_path: Path) -> None:
    links = [
        {"from": "router", "to": "senb", "sent_pkts": 99, "overflow_pkts": 1},
        {"from": "router", "to": "tenb", "sent_pkts": 90, "overflow_pkts": 4, "early_drop_pkts": 6, "marked_pkts": 3},
        {"from": "tenb", "to": "router", "sent_pkts": 1, "overflow_pkts": 99},
    ]
    radio = [
        *handover_rows(2300),
        *(radio_row(2308, "ho_forward", bytes=1500, enb=0, aux=1) for _ in range(3)),
        radio_row(2308, "ho_forward", bytes=1500, peer=2),  # another UE's
        radio_row(2320, "ho_hold", enb=1, value=2), radio_row(2330, "ho_hold", enb=1, value=5),
        radio_row(2360, "ho_hold", enb=1, value=0),
    ]  # fmt: skip
    bundle = _bundle(tmp_path, timeout_rows(), radio, forwarded_wire(), target_mes=3, links=links)
    values = handover_metrics(bundle, bundle.flows[0])
    expected = {
        "ho_handovers": 1, "ho_wrong_predictions": 0, "ho_start_s": 2.3,
        "ho_command_ms": 8, "ho_interruption_ms": 30, "ho_attached_ms": 38,
        "ho_path_switch_ms": 49, "ho_source_mes": 1, "ho_target_mes": 3, "ho_forwarded_pkts": 3,
        "ho_forwarded_bytes": 4500, "ho_held_max_pkts": 5, "ho_held_ms": 40, "ho_drop_source_percent": 1,
        "ho_drop_target_percent": 10, "ho_early_drop_target_pkts": 6, "ho_marked_target_pkts": 3, "ho_timeout": 1,
        "ho_halving": 0, "ho_nothing": 0, "ho_timeout_during": 0, "ho_event_during": 0, "ho_repairing": 0,
        "ho_rtt_ms": 40, "ho_span_ms": 78, "ho_cwnd_pkts": 40, "ho_in_flight_pkts": 30, "ho_event_ms": 100,
        "ho_timeout_ms": 100, "ho_timer_ms": 70, "ho_timeouts": 1, "ho_ssthresh_pkts": 20, "ho_ssthresh_ratio": 0.5,
        "ho_slow_start_ms": 200, "ho_timeout_spurious": 1, "ho_timeout_real": 0, "ho_spurious": 1,
        "ho_rtt_before_ms": 30, "ho_rtt_max_ms": 160, "ho_lost_pkts": 2, "ho_reordered_pkts": 0, "ho_ack_gap_ms": 130,
        "ho_data_gap_ms": 101, "ho_data_gap_before_ms": 1,  # until the retransmission comes; a segment each ms
        # In the span those that left from 2280 on, but for the two lost and the one that waits.
        "ho_delivered_kb": 20, "ho_delivered_switch_kb": 20, "ho_delivered_target_kb": 20, "ho_rtt_target_ms": 30,
        "ho_delivered_switch_target_kb": 20,
        "ho_rate_before_mbps": 0.632, "ho_rate_after_mbps": 0.176,
    }  # fmt: skip
    assert {name: values.get(name) for name in expected} == pytest.approx(expected)
    of_equations = equation_metrics(bundle, bundle.flows[0])
    assert of_equations["ho_model_share"] == pytest.approx(0.83, abs=0.1)


def test_data_are_delivered_from_the_path_switch_and_for_an_rtt_of_the_target_cell(tmp_path: Path) -> None:
    """By a prediction the path is switched 100 ms before, and in the target cell an RTT takes 60 ms, not 40."""
    wire = Wire()
    for segment in range(140):
        wire.send(2160 + 2 * segment, segment, *((20, 10) if segment < 90 else (40, 20)))
    bundle = _bundle(tmp_path, BEFORE, handover_rows(2300, path_ms=-100, predicted_ms=2170), wire)
    values = handover_metrics(bundle, bundle.flows[0])
    assert values["ho_delivered_kb"] == 30  # a segment every 2 ms from 2300 to 2358, none up to 2378
    assert values["ho_delivered_switch_kb"] == 30 + 50
    assert values["ho_rtt_target_ms"] == 60
    assert values["ho_delivered_target_kb"] == 30 + 9
    assert values["ho_delivered_switch_target_kb"] == 30 + 50 + 9


def test_losses_of_flows_that_stay_are_told_apart_for_the_start(tmp_path: Path) -> None:
    wire = Wire()
    for segment in range(10):
        wire.send(100 + segment, segment, way_ms=None if segment < 2 else 20)
    for segment in range(4):
        wire.send(3000 + segment, 10 + segment, way_ms=None if segment < 1 else 20)
    bundle = _bundle(tmp_path, BEFORE, wire=wire)
    handover = of_flow(bundle, bundle.flows[0])
    assert handover is not None
    assert loss_metrics(bundle, handover) == {}  # the one UE that has captures leaves
    values = loss_metrics(bundle, replace(handover, ue="c1"))
    assert values == {"ho_lost_source_start_percent": 20, "ho_lost_source_steady_percent": 25}


def test_a_timeout_of_a_lost_segment_is_real(tmp_path: Path) -> None:
    wire = Wire()
    for segment in range(99):
        wire.send(2201 + segment, segment)
    wire.send(2300, 99, way_ms=None)
    wire.send(2400, 99)
    bundle = _bundle(tmp_path, timeout_rows(), wire=wire)
    values = handover_metrics(bundle, bundle.flows[0])
    assert (values["ho_timeout_spurious"], values["ho_timeout_real"], values["ho_lost_pkts"]) == (0, 1, 1)
    assert values["ho_spurious"] == 0


def test_no_timeout_is_no_spurious_one(tmp_path: Path) -> None:
    """A share of handovers, so that those without any timeout count; of timeouts there is none to tell a share of."""
    bundle = _bundle(tmp_path, BEFORE, wire=forwarded_wire())
    values = handover_metrics(bundle, bundle.flows[0])
    assert values["ho_timeout"] == 0 and values["ho_spurious"] == 0 and "ho_timeout_spurious" not in values


def test_metrics_stand_in_the_row_of_the_run_and_without_a_handover_there_are_none(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path / "a", timeout_rows(), wire=forwarded_wire())
    bundle.manifest["description"]["settings"]["capture"]["ip"] = False
    row, _ = compute(bundle)
    assert row["ho_timeout"] == 1 and row.get("ho_delivered_kb") is None and row["ho_target_mes"] == 2
    none = _bundle(tmp_path / "b", timeout_rows(), radio=[], wire=forwarded_wire())
    assert handover_metrics(none, none.flows[0]) == {}


def test_a_run_that_ends_before_the_ue_arrives_has_steps_only(tmp_path: Path) -> None:
    """Neither the case nor what was delivered can be told; packets that the eNBs lost are counted all the same."""
    bundle = _bundle(tmp_path, timeout_rows(), handover_rows(2300)[:3], wire=forwarded_wire())
    stats = {"gtpu_tx": {"x2": 9, "end_marker": 2}, "gtpu_rx": {"x2": 7, "end_marker": 1}, "lateness": {}}
    (bundle.path / "radio.json").write_text(json.dumps(stats))
    values = handover_metrics(bundle, bundle.flows[0])
    assert (values["ho_command_ms"], values["ho_interruption_ms"], values["ho_attached_ms"]) == (8, None, None)
    assert (values["ho_forwarded_lost_pkts"], values["ho_end_markers_lost"]) == (2, 1)
    assert "ho_timeout" not in values and "ho_delivered_kb" not in values
    assert equation_metrics(bundle, bundle.flows[0]) == {}


def test_what_packets_tell_of_a_ue_that_never_arrives(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, timeout_rows(), wire=forwarded_wire())
    flow = bundle.flows[0]
    there = of_flow(bundle, flow)
    assert there is not None
    found, packets = effect(Sender(bundle, flow), there), packet_rtts(bundle, flow)
    assert found is not None and effect(Sender(bundle, flow), replace(there, attached_ns=None)) is None
    values = packet_metrics(packets, replace(there, attached_ns=None), found)
    assert "ho_rtt_target_ms" not in values and values["ho_delivered_kb"] == 20
    long_after = packet_metrics(packets, replace(there, attached_ns=there.start_ns + 10**12), found)
    assert "ho_rtt_target_ms" not in long_after
    nothing = packet_metrics(packets.clear(), there, found)
    assert (nothing["ho_reordered_pkts"], nothing["ho_lost_pkts"], nothing["ho_data_gap_ms"]) == (0, 0, None)
    assert nothing["ho_rtt_max_ms"] is None and "ho_timeout_spurious" not in nothing


def test_a_timeout_without_a_threshold_has_no_slow_start(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, timeout_rows(), wire=forwarded_wire())
    flow = bundle.flows[0]
    sender, there = Sender(bundle, flow), of_flow(bundle, flow)
    assert there is not None
    found = effect(sender, there)
    assert found is not None and found.timeout is not None
    unset = replace(found, events=tuple(replace(event, ssthresh=None) for event in found.events))
    values = case_metrics(sender, there, unset)
    assert values["ho_ssthresh_pkts"] is None
    assert not {"ho_ssthresh_ratio", "ho_slow_start_ms"} & values.keys()
    assert (values["ho_timeout_ms"], values["ho_timer_ms"]) == (100, 70)


def test_equations_need_the_largest_window(tmp_path: Path) -> None:
    """As configured, else as many segments as the receive window holds, else none."""
    bundle = _bundle(tmp_path, timeout_rows(), wire=forwarded_wire())
    tcp = bundle.manifest["description"]["settings"]["tcp"]
    for keys, pkts in (({"cwnd_max_pkts": 44}, 44), ({"receive_window": "64KiB", "mss": 1000}, 65),
                       ({"receive_window": None, "mss": 1000}, None), ({"receive_window": "64KiB"}, None)):
        tcp.clear()
        tcp |= keys
        assert cwnd_max_pkts(bundle) == pkts
    assert "ho_model_share" not in equation_metrics(bundle, bundle.flows[0])
    assert equation_metrics(bundle, replace(bundle.flows[0], transport="udp")) == {}


def test_a_threshold_that_never_differed_has_no_ratio(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, timeout_rows(), wire=forwarded_wire())
    sender, there = Sender(bundle, bundle.flows[0]), of_flow(bundle, bundle.flows[0])
    assert there is not None
    found = effect(sender, there)
    assert found is not None
    sender.ssthresh[:] = 20
    values = case_metrics(sender, there, found)
    assert values["ho_ssthresh_pkts"] == 20 and "ho_ssthresh_ratio" not in values


def test_of_a_handover_without_a_timeout_there_are_no_round_trips_to_recover(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, BEFORE)
    values = equation_metrics(bundle, bundle.flows[0])
    assert values == {"ho_model_share": pytest.approx(1)}


def test_a_window_that_was_halved_has_no_timer(tmp_path: Path) -> None:
    fast = [tcp_row(2450, "retransmit", 100, 111, 10, 10, seq=100, sacked_out=3)]
    bundle = _bundle(tmp_path, BEFORE + fast)
    sender, there = Sender(bundle, bundle.flows[0]), of_flow(bundle, bundle.flows[0])
    assert there is not None
    found = effect(sender, there)
    assert found is not None and found.case == "halving"
    values = case_metrics(sender, there, found)
    assert (values["ho_halving"], values["ho_timeout"], values["ho_event_ms"]) == (1, 0, 150)
    assert (values["ho_ssthresh_pkts"], values["ho_ssthresh_ratio"]) == (10, 10 / 20)
    assert not {"ho_timeout_ms", "ho_timer_ms", "ho_slow_start_ms"} & values.keys()


@pytest.mark.parametrize(("start_ms", "end_ms", "gap_ms"), [
    (12, 18, 10), (22, 40, 30), (20, 50, 30), (5, 60, 30), (0, 9, 10), (-9, 0, None), (51, 99, None), (10, 20, 10)])
def test_a_gap_lies_in_a_span_in_whole_or_in_part(start_ms: int, end_ms: int, gap_ms: float | None) -> None:
    """Data arrive at 0, 10, 20 and 50 ms."""
    packets = pl.DataFrame({"there_ns": [at * MS for at in (0, 10, 20, 50)], "start": [0, 1, 2, 3]})
    assert data_gap_ms(packets, start_ms * MS, end_ms * MS) == gap_ms
