# SPDX-License-Identifier: GPL-2.0-or-later
"""Stalls of arrivals made by hand."""

from dataclasses import replace

import numpy as np
from synthetic_nr import nr_run

from cellbed_analysis.studies.nr_fr2_blockage import explain
from cellbed_analysis.studies.nr_fr2_blockage.metrics import (
    Stall,
    drain_ns,
    late_ns,
    passage_of,
    stall_metrics,
    stalls_of,
)
from cellbed_formats.flow import Flow

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


def download(outs_ms, trace="full", system="nr"):
    """A download of packets that take 5 ms, or, behind the pause of 200 ms, 205, 100 and 5 ms; out of range in it."""
    took_ms = dict(zip(outs_ms, (5, 5, 5, 205, 100, 6, 5), strict=True))
    rows = [row for pkt, (out, took) in enumerate(took_ms.items()) for row in (
        {"t_ns": START + (out - took) * MS, "event": "pkt_in", "pkt": pkt, "node": 0, "peer": 1, "bytes": 1500},
        {"t_ns": START + out * MS, "event": "pkt_out", "pkt": pkt, "node": 1, "peer": 0})]
    rows += [{"t_ns": START + at * MS, "event": "channel", "peer": 1, "cqi": cqi, "value": 100 * cqi}
             for at, cqi in ((0, 9), (25, 0), (180, 5))]
    rows += [{"t_ns": START, "event": "pkt_in", "pkt": 99, "node": 1, "peer": 0},
             {"t_ns": START + MS, "event": "channel", "peer": 2, "cqi": 0}]
    return nr_run(rows, system, trace)


START = 10**9
FLOW = Flow("f", "iperf3", "server", "ue1", 1, 2, 5201, START, START + 1250 * MS)  # its first 250 ms are warm-up
OUTS_MS = (300, 310, 320, 520, 530, 540, 550)


def test_stalls_of_a_download():
    """From 320 to 520 ms; in range again at 180 ms, outside; the packet at 540 ms is the first below 10 ms."""
    assert stall_metrics(download(OUTS_MS), FLOW) == {
        "stall_count": 1, "stall_max_ms": 200, "stall_late_max_ms": None, "stall_drain_max_ms": 20}
    # All earlier by 250 ms: nothing but the last two is in the steady part.
    early = stall_metrics(download([at - 250 - 30 for at in OUTS_MS]), FLOW)
    assert early == {"stall_count": 0, "stall_max_ms": None, "stall_late_max_ms": None, "stall_drain_max_ms": None}


def test_a_stall_that_ends_after_the_channel_is_back():
    flow = Flow("f", "iperf3", "server", "ue1", 1, 2, 5201, START, START + 50 * MS)
    late = stall_metrics(download([20, 30, 40, 240, 250, 260, 270]), replace(flow, end_ns=START + 300 * MS,
                                                                             start_ns=START - 75 * MS))
    assert late["stall_late_max_ms"] == 240 - 180


def test_passages_have_what_came_and_the_channel_of_their_ue():
    passage = passage_of(download(OUTS_MS), FLOW)
    assert ((passage.out_ns - START) // MS).tolist() == list(OUTS_MS)
    assert (passage.wait_ns // MS).tolist() == [5, 5, 5, 205, 100, 6, 5]
    assert set(passage.size_bytes.tolist()) == {1500}
    assert passage.cqi.tolist() == [9, 0, 5] and passage.sinr_cdb.tolist() == [900, 0, 500]


def test_only_downloads_over_nr_with_every_packet_have_stalls():
    assert stall_metrics(download(OUTS_MS, trace="events"), FLOW) == {}
    assert stall_metrics(download(OUTS_MS, system="lte"), FLOW) == {}
    assert stall_metrics(download(OUTS_MS), replace(FLOW, sink="server")) == {}
