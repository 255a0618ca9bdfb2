# SPDX-License-Identifier: GPL-2.0-or-later
"""Mode switches and what the sender makes of them, on traces written by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_bundle import MS, START_NS
from synthetic_reaction import DUPACKS, TIMEOUT
from synthetic_switch import BASE, DM, IM, radio_row, switch_rows, tcp_row, write_switch_bundle

from cellbed_analysis import write_report
from cellbed_analysis.metrics.mode_switch import ack_metrics, air_metrics, event_metrics, reaction_metrics
from cellbed_analysis.metrics.rows import compute
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.radio.mode_switch import Switch, switches
from cellbed_analysis.tcp.after_switch import Reaction, reactions
from cellbed_analysis.tcp.sender import CongestionEvent, Sender, congestion_events
from cellbed_formats.bundle import Bundle, read_bundle


def _bundle(tmp_path: Path, radio: list, tcp: list, **more: object) -> Bundle:
    return read_bundle(write_switch_bundle(tmp_path, radio, tcp, **more))  # type: ignore[arg-type]


def _ms(t_ns: int | None) -> float | None:
    return None if t_ns is None else (t_ns - START_NS) / MS


def test_a_switch_has_its_modes_and_what_it_flushed_in_each_direction(tmp_path: Path) -> None:
    radio = switch_rows(2000, IM, 15, 5) + [
        radio_row(5000, "route", node=1, peer=2, value=DM),
        radio_row(5000, "flush", node=1, peer=0, dir="ul", value=6, bytes=9000),
        radio_row(5000, "flush", node=0, peer=2, dir="dl", value=4, bytes=6000),
        radio_row(5000, "route", node=2, peer=1, value=DM),
        radio_row(5000, "flush", node=2, peer=0, dir="ul", value=2, bytes=80),
        radio_row(5000, "flush", node=0, peer=1, dir="dl", value=1, bytes=40),
        *switch_rows(11_000, IM, 9, 9),  # after the end
    ]
    bundle = _bundle(tmp_path, radio, TIMEOUT)
    found = switches(bundle, bundle.flows[0])
    assert [(s.before, s.after, _ms(s.t_ns), _ms(s.until_ns)) for s in found] == [
        ("DM", "IM", 2000, 5000),
        ("IM", "DM", 5000, 10_000),
    ]
    assert [(s.data_pkts, s.data_bytes, s.ack_pkts, s.ack_bytes) for s in found] == [
        (15, 22_500, 5, 200),
        (10, 15_000, 3, 120),
    ]


def test_a_timeout_and_its_slow_start_are_one_event(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, switch_rows(2000, IM, 15, 5), TIMEOUT)
    (event,) = congestion_events(Sender(bundle, bundle.flows[0]))
    assert (event.kind, _ms(event.t_ns), event.cwnd, event.ssthresh, event.sacked) == ("timeout", 2300, 30, 15, 0)
    assert _ms(event.end_ns) == 2600
    (reaction,) = reactions(bundle, bundle.flows[0])
    assert reaction.waited and not reaction.second_event
    assert (reaction.outstanding, reaction.cwnd, reaction.low) == (20, 30, 1)
    assert _ms(reaction.repaired_ns) == 2600
    assert _ms(reaction.back_ns) == 4000  # 21 packets: the receive window of 20 is filled, 30 are not needed
    assert reaction.after_1s == 16  # what held at 0.9 s


def test_a_timeout_in_fast_recovery_and_a_second_congestion_event(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, switch_rows(5000, IM, 10, 0), DUPACKS)
    events = congestion_events(Sender(bundle, bundle.flows[0]))
    assert [(e.kind, _ms(e.t_ns), e.ssthresh) for e in events] == [
        ("fast retransmit", 5050, 10),
        ("timeout", 6050, 5),
        ("fast retransmit", 6400, 2),
    ]
    (reaction,) = reactions(bundle, bundle.flows[0])
    assert reaction.waited and reaction.second_event
    assert events[0].sacked == 3 and _ms(events[0].end_ns) == 6300
    assert reaction.low == 1 and reaction.back_ns is None and reaction.after_1s == 1


def test_a_retransmission_that_is_not_the_oldest_is_a_probe(tmp_path: Path) -> None:
    rows = [tcp_row(1000, "segment_out", 0, 5000, 10), tcp_row(1100, "retransmit", 0, 5000, 10, seq=4000)]
    bundle = _bundle(tmp_path, switch_rows(2000, IM, 1, 0), rows)
    assert congestion_events(Sender(bundle, bundle.flows[0])) == []


def test_metrics_of_a_run_without_captures(tmp_path: Path) -> None:
    radio = [
        radio_row(-1000, "channel", node=1, peer=0, dir="ul", cqi=9),
        radio_row(-1000, "channel", node=1, peer=2, dir="sl", cqi=15),
        radio_row(3000, "channel", node=1, peer=2, dir="sl", cqi=5),
        *switch_rows(2000, IM, 15, 5),
        *switch_rows(5000, DM, 10, 0),
    ]
    row, segments = compute(_bundle(tmp_path, radio, TIMEOUT[:-1] + DUPACKS))
    assert segments.is_empty()
    expected = {
        "combination": None, "mode_switches": 2, "flushing_switches": 2, "flushed_data_pkts": 25,
        "flushed_ack_pkts": 5, "switch_flushed_share": 30 / 40, "switch_rto_share": 1, "switch_rto_first_share": 0.5,
        "switch_second_event_share": 0.5, "switch_recovery_p50_ms": (600 + 1300) / 2, "switch_recovery_max_ms": 1300,
        "switch_ssthresh_p50_pkts": 12.5, "switch_ssthresh_p50_bytes": 12_500, "switch_cwnd_low_pkts": 1,
        "switch_ssthresh_ratio_p50": 0.5, "switch_rto_p50_ms": (300 + 1050) / 2,
        "switch_cwnd_back_share": 0.5, "switch_cwnd_back_p50_ms": None, "fast_recoveries": 2,
        "switch_flushed_data_mean_pkts": 12.5, "switch_flushed_data_mean_bytes": 18_750,
        "switch_flushed_ack_mean_pkts": 2.5, "switch_outstanding_mean_pkts": 20, "switch_unrepaired": 0,
        "switch_cwnd_low_p50_pkts": 1, "switch_cwnd_1s_p50_pkts": (16 + 1) / 2, "switch_sacked_mean_pkts": 1.5,
        "switch_first_event_p50_ms": (300 + 50) / 2, "fast_recovery_p50_ms": (1250 + 100) / 2,
        "fast_recovery_max_ms": 1250, "fast_recovery_rto_share": 0.5, "fast_recovery_rto_p50_ms": 1000,
        "recoveries": 2, "rto_count": 1, "cqi_ul_min": 9, "cqi_ul_max": 9, "cqi_sl_min": 5, "cqi_sl_max": 15,
        "goodput_iperf3_mbps": 20.0, "probe_lost": 0,
    }  # fmt: skip
    assert {name: row.get(name) for name in expected} == pytest.approx(expected)
    assert row.get("rtt_mean_ms") is None and row.get("goodput_mbps") is None and row.get("data_packets") is None


def test_a_flow_without_congestion_has_no_recoveries() -> None:
    values = event_metrics([])
    assert values["fast_recoveries"] == 0
    assert values["fast_recovery_max_ms"] is None


def test_acks_that_come_together(tmp_path: Path) -> None:
    times = ((1000, 1000), (1000.5, 2000), (1000.6, 2000), (1002, 3000), (1002.1, 4000))
    rows = [
        tcp_row(ms, "segment_in", max(ack - 1000, 0) if i != 2 else 2000, 9000, 9, ack=(BASE + ack) % 2**32)
        for i, (ms, ack) in enumerate(times)
    ]
    bundle = _bundle(tmp_path, switch_rows(2000, IM, 1, 0), rows)
    sender = Sender(bundle, bundle.flows[0])
    assert sender.new_ack.tolist() == [True, True, False, True, True]
    assert sender.dupack.tolist() == [False, False, True, False, False]
    assert ack_metrics(bundle, sender) == {}  # a sample every 10 ms
    bundle.manifest["description"]["settings"]["capture"]["tcp_interval_ms"] = 0
    assert ack_metrics(bundle, sender) == {"ack_same_tti_share": 2 / 3}


def test_flushed_packets_that_were_on_the_air(tmp_path: Path) -> None:
    radio = [
        radio_row(1998, "rlc_tx", node=1, peer=2, dir="sl", pkt=7, aux=0),
        radio_row(1999, "rlc_tx", node=1, peer=2, dir="sl", pkt=7, aux=1),
        radio_row(1999, "rlc_tx", node=1, peer=2, dir="sl", pkt=8, aux=0),  # a part of it
        radio_row(1999, "rlc_tx", node=1, peer=0, dir="ul", pkt=9, aux=1),  # waits for its second hop
        *switch_rows(2000, IM, 3, 0),
        *(radio_row(2000, "pkt_drop", node=1, peer=2, dir="sl", pkt=pkt, value=1) for pkt in (7, 8)),
        radio_row(2000, "pkt_drop", node=0, peer=2, dir="dl", pkt=9, value=1),
        radio_row(2100, "pkt_drop", node=1, peer=2, dir="sl", pkt=7, value=1),
    ]
    bundle = _bundle(tmp_path, radio, TIMEOUT)
    times = [switch.t_ns for switch in switches(bundle, bundle.flows[0])]
    assert air_metrics(bundle, times) == {}  # events only
    bundle.manifest["description"]["settings"]["capture"]["radio_trace"] = "full"
    assert air_metrics(bundle, times) == {"switch_flushed_on_air_mean_pkts": 1}


def test_modes_that_never_change_give_no_metrics_of_switches(tmp_path: Path) -> None:
    row, _ = compute(_bundle(tmp_path, [], TIMEOUT))
    assert row.get("mode_switches") is None


def test_a_report_of_runs_without_captures(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_switch_bundle(tmp_path, switch_rows(2000, IM, 15, 5), TIMEOUT, seed=seed)
    assert all(analyse(read_bundle(path)).usable for path in tmp_path.glob("reno-*"))
    assert "reno" in write_report(tmp_path).read_text()


def _reaction(ssthresh: int | None, events: int = 1, back: bool = True) -> Reaction:
    """What followed a switch that flushed 10 of 40 packets: events each 100 ms, of which the second waits."""
    kinds = ("fast retransmit", "timeout", "fast retransmit")
    own = tuple(CongestionEvent(kinds[i], START_NS + (100 + 100 * i) * MS, 40, ssthresh, 3, START_NS + 900 * MS, 0)
                for i in range(events))  # fmt: skip
    switch = Switch(START_NS, START_NS + 1000 * MS, "DM", "IM", 8, 12_000, 2, 80)
    return Reaction(switch, own, 40, 40, None, None, START_NS + 700 * MS if back else None, None)


def test_switches_after_which_nothing_was_lost() -> None:
    assert reaction_metrics([], 1000) == {"flushing_switches": 0}
    values = reaction_metrics([_reaction(20, events=0), _reaction(20, events=0, back=False)], 1000)
    assert (values["flushing_switches"], values["switch_rto_share"], values["switch_unrepaired"]) == (2, 0, 2)
    assert values["switch_flushed_share"] == 20 / 80
    assert values["switch_cwnd_back_share"] == 0.5
    assert not {"switch_sacked_mean_pkts", "switch_ssthresh_p50_bytes", "switch_rto_p50_ms"} & values.keys()


def test_thresholds_in_bytes_need_a_segment_size() -> None:
    followed = [_reaction(20, events=2), _reaction(10, events=1)]
    values = reaction_metrics(followed, 1000)
    assert (values["switch_ssthresh_p50_pkts"], values["switch_ssthresh_p50_bytes"]) == (15, 15_000)
    assert (values["switch_rto_p50_ms"], values["switch_first_event_p50_ms"]) == (200, 100)
    assert values["switch_ssthresh_ratio_p50"] == (0.5 + 0.25) / 2
    assert "switch_ssthresh_p50_bytes" not in reaction_metrics(followed, None)
    assert "switch_ssthresh_p50_bytes" not in reaction_metrics([_reaction(None)], 1000)


def test_a_timer_in_a_fast_recovery_that_is_over_is_not_its_own() -> None:
    first, second = _reaction(20, events=2).events
    ended = replace(first, end_ns=second.t_ns)
    assert event_metrics([first, second])["fast_recovery_rto_share"] == 1
    assert event_metrics([ended, second])["fast_recovery_rto_share"] == 0
    assert event_metrics([replace(first, end_ns=None), second])["fast_recovery_rto_p50_ms"] == 100


def test_a_switch_with_nothing_outstanding_flushes_at_most_what_it_did() -> None:
    idle = replace(_reaction(20, events=0), outstanding=0)
    assert reaction_metrics([idle], 1000)["switch_flushed_share"] == 10
