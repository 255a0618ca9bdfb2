# SPDX-License-Identifier: GPL-2.0-or-later
"""A link made of a capture is the link that was captured, where that is known; and distances between two runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conversation import MSS, Conversation

from cellbed_analysis.pcap.analysis import largest
from cellbed_analysis.pcap.fitted_link import Behaviour, behaviour, fit, nearness
from cellbed_analysis.stats.distance import ks_distance
from cellbed_formats.error import DataError


def over_a_link(per_ms: float, delay_ms: float, numbers: int = 400, window: int = 60, idle_ms: int = 0) -> Conversation:
    """A sender with a window over a link with a queue, as the sender's capture has it; then it may pause once."""
    talk = Conversation().opened(rtt_ms=2 * delay_ms)
    free, acked = 0.0, []
    for number in range(numbers):
        now = acked[number - window] if number >= window else 2 * delay_ms
        if idle_ms and number > numbers // 2:
            now = max(now, acked[numbers // 2] + idle_ms)
        talk.data(now, number)
        free = max(free, now) + 1 / per_ms
        acked.append(free + 2 * delay_ms)
    for number, t_ms in enumerate(acked):
        talk.ack(t_ms, number + 1)
    return talk


def fitted(talk: Conversation, folder: Path):  # type: ignore[no-untyped-def]
    talk.capture(folder)
    return fit(largest(folder / "x.pcap"), 1000)


def test_a_busy_link_is_found_again(tmp_path: Path) -> None:
    """Four packets of 1040 bytes each 10 ms, 20 ms away, with 60 packets in flight."""
    link = fitted(over_a_link(0.4, 20), tmp_path)
    assert link.delay_ms == 20 or link.delay_ms == 21  # half of 42.5 ms, of which 2.5 ms are the first packet's service
    busy = link.times_ms[(link.times_ms > 1200) & (link.times_ms < 1900)]
    assert len(busy) / 700 == pytest.approx(0.4 * 1040 / 1500, rel=0.03)
    assert link.busy_share > 0.9 and link.queue_pkts > 60 and link.window_bytes is None


def test_a_pause_of_the_sender_is_not_one_of_the_link(tmp_path: Path) -> None:
    link = fitted(over_a_link(0.4, 20, idle_ms=2000), tmp_path)
    per_s = np.histogram(link.times_ms, bins=np.arange(1200, 4000, 200))[0]
    assert per_s.min() > 0.5 * per_s.max()
    assert link.busy_share < 0.6


def test_too_little_is_one_message(tmp_path: Path) -> None:
    talk = over_a_link(0.4, 20, numbers=20)
    with pytest.raises(DataError, match=r"flow 10\.0\.0\.1:40000-.*: 20 data segments of TCP: allowed 50 or more"):
        fitted(talk, tmp_path)


def test_nearness_of_a_capture_to_itself_is_none(tmp_path: Path) -> None:
    over_a_link(0.4, 20).capture(tmp_path)
    same = behaviour(largest(tmp_path / "x.pcap"))
    found = nearness(same, same)
    assert found.rtt_ks == found.delivered_difference_max_share == 0
    assert found.goodput_mbps[0] == found.goodput_mbps[1] > 3


def test_nearness_sees_what_differs() -> None:
    curve = np.array([0.0, 10, 20]), np.array([MSS, 2 * MSS, 4 * MSS])
    late = np.array([0.0, 10, 20]), np.array([MSS, MSS, 4 * MSS])
    found = nearness(Behaviour(1, np.array([1.0, 2, 3, 4]), 0, curve), Behaviour(2, np.array([3.0, 4, 5, 6]), 3, late))
    assert (found.rtt_ks, found.delivered_difference_max_share, found.retransmissions) == (0.5, 0.25, (0, 3))


@pytest.mark.parametrize("seed", range(3))
def test_the_distance_is_that_of_scipy(seed: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    source = np.random.default_rng(seed)
    a, b = np.sort(source.integers(0, 50, 200)), np.sort(source.integers(5, 60, 150))
    assert ks_distance(a, b) == pytest.approx(stats.ks_2samp(a, b).statistic)
