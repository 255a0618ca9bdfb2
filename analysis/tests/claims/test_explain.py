# SPDX-License-Identifier: GPL-2.0-or-later
"""Causes are made of the rows' own numbers."""

from __future__ import annotations

from typing import Any

from cellbed_analysis.claims.explain import departures, explain, parts_ms
from cellbed_analysis.studies.d2d_nardini.figure4 import paper_parts_ms

LEG = {"rar": 3.0, "bsr": 2.0, "bsr_decode": 4.0, "grant": 2.0, "air": 4.0}


def row(**change: Any) -> dict[str, Any]:
    return {"combination": "DM-DM", "data_mode": "DM", "ack_mode": "DM"} | change


def test_the_papers_parts_add_up_to_its_rtts() -> None:
    assert sum(paper_parts_ms(row()).values()) == 30
    assert sum(paper_parts_ms(row(data_mode="IM")).values()) == 35


def test_departures_name_the_largest_first() -> None:
    measured = {"data_rac_wait": 4.0, "ack_air": 3.9, "receiver": 2.0, "host_tx": 1.0}
    reference = {"ack_air": 4.0}
    assert departures(measured, reference) == (
        "data: wait before the RAC request +4.0 ms; receiver's host and TCP (delayed ACK) "
        "+2.0 ms; sender's host, capture to radio +1.0 ms"
    )
    assert departures({"receiver": 0.01}, {}) == "no part differs by 0.05 ms or more"


def test_the_wait_for_the_downlink_is_part_of_the_papers_5_ms() -> None:
    assert departures({"data_dl": 3.75, "data_dl_wait": 1.25}, {"data_dl": 5.0}).startswith("no")


def test_rtt_without_parts_says_so() -> None:
    assert parts_ms([row()]) == {}
    assert "could not be taken apart" in explain({}, [row()], [])


def test_rtt_difference_compares_the_two_runs() -> None:
    a = row(part_receiver_ms=5.0, part_data_air_ms=4.0)
    b = row(combination="IM-IM", part_receiver_ms=1.0, part_data_air_ms=4.0)
    found = explain({"explain": "rtt"}, [a], [b])
    assert found.startswith("DM-DM: data 4.0 + receiver 5.0")
    assert found.endswith("receiver's host and TCP (delayed ACK) +4.0 ms.")


def test_blocked_segments_are_compared_with_the_others() -> None:
    a = row(data_blocked_share=0.6, data_blocked_extra_delay_ms=2.5, data_blocked_extra_rtt_ms=0.0)
    assert explain({"explain": "blocked"}, [a], []).startswith(
        "DM-DM: 60% of segments waited over 1 TTI for their request; their one-way delay differs by +2.5 ms "
        "from the others', the rest of their round trip by -2.5 ms."
    )
    assert "all segments waited" in explain({"explain": "blocked"}, [row()], [])


def test_fluctuation_names_the_parts_that_vary() -> None:
    a = row(rtt_std_ms=7.1, part_receiver_std_ms=6.9, part_data_schedule_std_ms=0.4, part_host_tx_std_ms=0.01)
    assert explain({"explain": "fluctuation"}, [a], [row(combination="IM-IM")]) == (
        "DM-DM: standard deviations: RTT 7.1 ms, receiver's host and TCP (delayed ACK) 6.9 ms; "
        "data: wait for the data grant 0.4 ms. "
        "IM-IM: standard deviations: no part varies by 0.05 ms."
    )


def test_access_tells_how_grants_were_obtained() -> None:
    measured = row(data_rac_per_packet=0.2, ack_stolen_share=0.25)
    both = explain({"explain": "access"}, [measured], [])
    assert both == "DM-DM: 0.20 RAC requests per segment; 25% of ACKs stolen beside a BSR."
    # A claim about one side is explained by that side.
    claim = {"explain": "access", "measure": {"metric": "ack_stolen_share"}}
    assert explain(claim, [measured], []) == "DM-DM: 25% of ACKs stolen beside a BSR."


def test_causes_of_throughput_tell_what_retransmissions_cost() -> None:
    measured = row(
        variant="cubic-in", harq_retransmissions_dl=120, rlc_retransmissions_dl=7, part_data_dl_harq_ms=1.2,
        part_ack_harq_ms=0.3, part_data_dl_arq_ms=0.02, part_data_reorder_ms=2.0, part_data_dl_ms=3.75,
    )  # fmt: skip
    found = explain({"explain": "delivery"}, [measured], [])
    assert "120 HARQ retransmissions, 7 RLC retransmissions" in found
    assert "Of the mean RTT: HARQ retransmissions 1.5 ms, waits in RLC behind such 2.0 ms." in found


def test_who_repaired_is_told() -> None:
    quiet = row(
        retransmissions=0, spurious_retransmits=0, cwnd_reductions=0, goodput_mbps=5.0, rtt_mean_ms=40.0,
        rlc_retransmissions_dl=0, harq_retransmissions_dl=50,
    )  # fmt: skip
    assert "HARQ repaired every loss in order" in explain({"explain": "delivery"}, [quiet], [])
    both = quiet | {"rlc_retransmissions_dl": 3}
    assert "HARQ and RLC repaired every loss in order" in explain({"explain": "delivery"}, [both], [])


def test_the_wait_for_the_downlink_has_its_name_where_both_were_measured() -> None:
    free = {"data_dl": 3.75, "data_dl_wait": 1.25}
    assert departures(free | {"data_dl_wait": 6.25}, free) == "data: wait at the eNB for the downlink +5.0 ms"


def test_rtt_tells_what_happened_to_some_segments_only() -> None:
    measured = row(part_receiver_ms=2.0, receiver_delayed_share=0.1, receiver_delayed_mean_ms=20.0, ack_blocked_share=0)
    assert explain({}, [measured], []).endswith(
        "DM-DM: the receiver held back the ACK of 10% of segments, by 20.0 ms on average."
    )


def test_timeline_and_size() -> None:
    calm = row(timeline_segments=12, timeline_bsr_tx_ms=6.0)
    assert "12 undisturbed segments" in explain({"explain": "timeline"}, [calm], [])
    assert explain({"explain": "timeline"}, [row()], []).startswith("No segment")
    assert explain({"explain": "size"}, [row(ack_mac_bytes=49, ack_rar_grant_bytes=89)], []) == (
        "A PDU with one ACK uses 49 bytes besides padding; the grant of one RB has 89."
    )


def points(*rtts_ms: float) -> list[dict[str, Any]]:
    return [
        row(receive_window_bytes=8192 << k, rtt_mean_ms=rtt, part_data_queue_ms=rtt - 30, part_data_air_ms=30.0)
        for k, rtt in enumerate(rtts_ms)
    ]


TREND = {
    "explain": "trend",
    "measure": {"metric": "rtt_mean_ms", "over": "receive_window_bytes"},
    "expect": {"trend": "rises", "effect": 1},
}


def test_a_trend_is_explained_by_its_largest_fall() -> None:
    found = explain(TREND, points(30, 50, 70, 45, 60), [])
    assert found == (
        "It falls most between 32 KiB (RTT 70.0 ms) and 64 KiB (RTT 45.0 ms). "
        "What changed between: data: wait in the RLC queue behind earlier data -25.0 ms."
    )


def test_a_trend_that_never_falls_is_explained_by_its_ends() -> None:
    found = explain(TREND, points(30, 50, 70), [])
    assert found.startswith("It never falls; 8 KiB (RTT 30.0 ms) and 32 KiB (RTT 70.0 ms).")
    assert "+40.0 ms" in found


def test_a_rise_that_is_missing_is_looked_for_up_to_the_peak() -> None:
    claim = TREND | {"expect": {"trend": "rises-first", "effect": 1}}
    found = explain(claim, points(35, 35.5, 31), [])
    assert found.startswith("The rise is the one between 8 KiB (RTT 35.0 ms) and 16 KiB (RTT 35.5 ms).")


def test_seeds_of_a_point_are_averaged() -> None:
    found = explain(TREND, points(30, 50) + points(32, 40), [])
    assert "8 KiB (RTT 31.0 ms) and 16 KiB (RTT 45.0 ms)" in found


def test_a_size_without_a_packet_of_its_own() -> None:
    assert explain({"explain": "size"}, [row()], []) == "No PDU carried a single packet without a BSR."
    said = explain({"explain": "size"}, [row(ack_mac_bytes=49)], [])
    assert said == "A PDU with one ACK uses 49 bytes besides padding."
