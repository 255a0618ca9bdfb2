# SPDX-License-Identifier: GPL-2.0-or-later
"""Delay, queue and timer around a handover, worked by hand from the paper's tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_analysis.studies.handover_pacifico import pacifico
from cellbed_analysis.studies.handover_pacifico.handover_path import (
    Network,
    ack_gap_ms,
    case_probabilities,
    delivered_bound_kb,
    forwarded_rtt_ms,
    overflow_pkts,
    predicted_ack_gap_ms,
    queue_range_pkts,
    rto_ms,
    rtt_ms,
)

PAPER = Network()
MES = np.array(pacifico.FIGURE8_MES)


def test_delays_without_queues() -> None:
    # 1500 bytes take 1 ms at 12 Mb/s and 0.12 ms at 100 Mb/s; four times 2 ms of latency, and two more with a gateway.
    assert PAPER.packet_ms == 1
    assert PAPER.base_rtt_ms == PAPER.pipe_pkts == pytest.approx(9.12)
    assert Network(links=3, radio_rtt_ms=10).base_rtt_ms == pytest.approx(23.12)
    assert PAPER.forwarding_ms == 6


def test_queues_by_number_of_flows() -> None:
    low, high = queue_range_pkts(PAPER, [0, 1, 2, 3, 5])
    # 44 - 9.12 and 88 - 9.12 stand still; 132 and more fill 90, and (90 + 9.12) / 2 - 9.12 is left of them.
    assert high == pytest.approx([0, 34.88, 78.88, 90, 90])
    assert low == pytest.approx([0, 34.88, 78.88, 40.44, 40.44])
    assert rtt_ms(PAPER, high) == pytest.approx([9.12, 44, 88, 99.12, 99.12])
    # The text's "around 100 ms" is a full queue.
    assert rtt_ms(PAPER, 90) == pytest.approx(pacifico.TYPICAL_RTT_MS, rel=0.01)


def test_a_forwarded_packet_waits_twice_or_for_the_target_cell() -> None:
    assert forwarded_rtt_ms(PAPER, 34.88, [0, 24, 78.88, 90]) == pytest.approx([74, 74, 128.88, 140])
    assert ack_gap_ms(PAPER, [0, 24, 78.88, 90]) == pytest.approx([31, 31, 85.88, 97])
    worst_s = float(forwarded_rtt_ms(PAPER, 90, 90)) / 1000
    assert worst_s == pytest.approx(0.19512)
    assert worst_s < pacifico.FIGURE10_RTT_S[1]


def test_a_prediction_far_ahead_leaves_a_gap() -> None:
    # 130 + 30 ms after the switch the ME is there; the old path was empty after 34.88 + 3 or 90 + 3 ms.
    assert predicted_ack_gap_ms(PAPER, [34.88, 90], 90) == pytest.approx([122.12, 67])
    # Not before the handover, and not before the new queue is served: 60 + 3 - (20 + 3) ms; never below a packet.
    assert predicted_ack_gap_ms(Network(detach_ms=0), 20, 60, step_ms=23) == pytest.approx(40)
    assert predicted_ack_gap_ms(Network(detach_ms=0), 20, 0, step_ms=23) == 1
    with pytest.raises(ValueError, match="not empty"):
        predicted_ack_gap_ms(PAPER, 90, 90, step_ms=92)


def test_timer() -> None:
    assert rto_ms(44, [0, 20, 300]).tolist() == [1000, 1000, 1244]
    assert rto_ms(44, [0, 20], min_rto_ms=0, granularity_ms=10).tolist() == [54, 124]
    # As Linux computes it, no delay of the paper lasts that long either.
    assert rto_ms(44, 0, min_rto_ms=0, granularity_ms=200) == 244 > ack_gap_ms(PAPER, pacifico.ROUTER_QUEUE_PKTS)


def test_overflow_of_the_targets_queue() -> None:
    assert overflow_pkts(PAPER, [46, 78.88, 90], 44) == pytest.approx([0, 32.88, 44])


def test_with_the_timer_of_the_rfc_no_delay_of_the_paper_is_a_timeout() -> None:
    found = case_probabilities(PAPER, MES, rto_ms(44, 0))
    assert found["timeout"].tolist() == [0, 0, 0, 0]
    # Two MEs always leave room for 11 of 44 packets. Of 40.44 to 90 the queues above 46 overflow: 44 of 49.56.
    assert found["halving"] == pytest.approx([1, 44 / 49.56, 44 / 49.56, 44 / 49.56])


def test_without_a_least_timer_every_handover_is_a_timeout() -> None:
    assert case_probabilities(PAPER, MES, rto_ms(44, 0, min_rto_ms=0))["timeout"].tolist() == [1, 1, 1, 1]


def test_timers_between_let_the_case_depend_on_the_moment() -> None:
    # A gap of 60 ms is a queue of 53; one of 47.44 the lowest, 97 the highest.
    assert case_probabilities(PAPER, 3, [47.44, 60, 97])["timeout"] == pytest.approx([1, 37 / 49.56, 0])
    found = case_probabilities(PAPER, 3, 60)
    assert found["halving"] == pytest.approx(7 / 49.56) and found["ideal"] == pytest.approx(5.56 / 49.56)
    assert case_probabilities(PAPER, 0, [30, 31])["timeout"].tolist() == [1, 0]


@given(st.integers(0, 9), st.floats(0, 300), st.floats(0, 100), st.floats(2, 44))
def test_probabilities_of_the_cases(mes: int, timer_ms: float, more_ms: float, cwnd: float) -> None:
    found = case_probabilities(PAPER, mes, timer_ms, cwnd)
    assert list(found) == list(pacifico.ORDER)
    assert all(-1e-12 <= p <= 1 for p in found.values()) and sum(found.values()) == pytest.approx(1)
    assert case_probabilities(PAPER, mes, timer_ms + more_ms, cwnd)["timeout"] <= found["timeout"]
    low, high = queue_range_pkts(PAPER, mes)
    if timer_ms > ack_gap_ms(PAPER, high) + 1e-9:
        assert found["timeout"] == 0
    if timer_ms < ack_gap_ms(PAPER, low) - 1e-9:
        assert found["timeout"] == 1


def test_figure_12_has_an_axis_beyond_what_the_link_carries() -> None:
    # 1.5 KB per ms, for 30 ms without a cell and an RTT of 200 ms.
    # An axis that ends at 700 KB for its bars' sake has one above 600.
    assert delivered_bound_kb(PAPER, 1000 * pacifico.FIGURE10_RTT_S[1]) == pytest.approx(345)
    assert delivered_bound_kb(PAPER, 99.12) == pytest.approx(193.68)
