# SPDX-License-Identifier: GPL-2.0-or-later
"""Marks of the queue management of a gNB, counted and told."""

from __future__ import annotations

from synthetic_nr import nr_run

from cellbed_analysis.studies.nr_l4s.explain import marking
from cellbed_analysis.studies.nr_l4s.metrics import mark_metrics
from cellbed_formats.flow import Flow

FLOW = Flow("file", "iperf3", "server", "ue1", 1, 2, 5201, 0, 10**9)
ROW = {"variant": "prague", "goodput_mbps": 50.0, "data_delay_mean_ms": 5.0, "data_delay_p99_ms": 9.0,
       "flow_ce_share": 0.125, "ecn_mark_wait_p50_ms": 1.5, "dropped_aqm_pkts": 0}  # fmt: skip


def test_marks_of_a_run() -> None:
    rows = [{"event": "ecn_mark", "t_ns": i, "value": us, "aux": coupled}
            for i, (us, coupled) in enumerate([(900, 1), (1500, 0), (4000, 0), (2100, 1), (50, 1)])]
    assert mark_metrics(nr_run([*rows, {"event": "pkt_in", "aux": 1}]), FLOW) == {
        "ecn_marks": 5, "ecn_marks_coupled_share": 0.6, "ecn_mark_wait_p50_ms": 1.5}
    assert mark_metrics(nr_run([{"event": "pkt_in"}]), FLOW) == {"ecn_marks": 0}
    assert mark_metrics(nr_run(rows, system="lte"), FLOW) == {}


def test_what_is_said_of_marks() -> None:
    text = "prague: 50.0 Mbit/s; packets take 5.0 ms through the radio network, 9.0 ms at the 99th percentile"
    marked = f"{text}; 12.5 % of them are marked, after 1.5 ms in the queue"
    assert marking({}, [ROW], []) == f"{marked}."
    assert marking({}, [ROW | {"dropped_aqm_pkts": 7}], []) == f"{marked}; the queue management dropped 7."
    assert marking({}, [ROW | {"flow_ce_share": 0}], []) == f"{text}."
    assert marking({}, [ROW | {"ecn_mark_wait_p50_ms": None}], [ROW]) == f"{text}. Against that {marked}."
    for missing in ("goodput_mbps", "data_delay_mean_ms", "data_delay_p99_ms"):
        assert marking({}, [ROW | {missing: None}], [ROW]) == ""
