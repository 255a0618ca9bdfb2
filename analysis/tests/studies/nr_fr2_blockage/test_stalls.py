# SPDX-License-Identifier: GPL-2.0-or-later
"""Stalls of arrivals made by hand."""

import numpy as np

from cellbed_analysis.studies.nr_fr2_blockage import explain
from cellbed_analysis.studies.nr_fr2_blockage.metrics import Stall, drain_ns, late_ns, stalls_of

MS = 1_000_000
# Every 10 ms, but for a pause of 200 ms from 20 on, which counts, and one of 199 ms, which does not.
OUT = np.array([0, 10, 20, 220, 230, 429, 439]) * MS


def test_a_pause_of_the_least_timeout_is_a_stall():
    assert stalls_of(OUT) == [Stall(20 * MS, 220 * MS, 3)]
    assert stalls_of(OUT[:3]) == stalls_of(OUT[:0]) == []


def test_how_late_it_goes_on():
    """Out of range at 15, for a moment in range at 50, again at 180: 40 ms before a packet comes."""
    changed, cqi = np.array([0, 15, 50, 60, 180, 300]) * MS, np.array([9, 0, 1, 0, 5, 7])
    assert late_ns(stalls_of(OUT)[0], changed, cqi) == 40 * MS
    assert late_ns(stalls_of(OUT)[0], changed[:2], cqi[:2]) is None


def test_how_long_it_drains():
    """Waits of 5 ms are the median: the packet at 429 ms is the first below 10 ms, 209 ms after the stall's end."""
    wait = np.array([5, 5, 5, 205, 100, 6, 5]) * MS
    assert drain_ns(stalls_of(OUT)[0], OUT, wait) == 209 * MS
    assert drain_ns(Stall(0, 0, 6), OUT, np.array([5, 5, 5, 5, 5, 5, 50]) * MS) is None


def test_what_is_said_of_them():
    row = {"variant": "bbr", "stall_count": 2, "stall_max_ms": 1200.0, "rto_count": 3, "goodput_mbps": 50.0,
           "rtt_p50_ms": 40.0, "rtt_max_ms": 1400.0}
    assert explain.stalled({}, [row], []) == (
        "bbr: 2.0 stalls a run, the longest of 1200 ms; 3.0 timeouts; 50.0 Mbit/s; half of the segments have an RTT of "
        "40 ms or less, the slowest one 1400 ms.")
    assert "Against that bbr: 0.0 stalls a run;" in explain.stalled(
        {}, [row], [{**row, "stall_count": 0, "stall_max_ms": None}])
    assert explain.stalled({}, [{"variant": "bbr"}], []) == ""
