# SPDX-License-Identifier: GPL-2.0-or-later
"""How long RLC and PDCP of NR held packets back, on packets written by hand."""

from __future__ import annotations

import polars as pl
import pytest
from synthetic_bundle import MS
from synthetic_nr import nr_run

from cellbed_analysis.studies.nr_delivery import metrics
from cellbed_formats.flow import Flow

DOWN, UP = (Flow("f", "iperf3", a, b, 1, 2, 5201, 0, 10**9) for a, b in (("server", "ue1"), ("ue1", "server")))
EXPIRED = [{"event": "pdcp_t_reordering", "t_ns": i} for i in range(3)]


@pytest.fixture
def lives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packets of the gNB, which wait 1 and 4 ms, one of UE 1, which waits 9 ms, and one that never arrived."""
    frame = pl.DataFrame({
        "node": [0, 0, 1, 0], "rx_ns": [None, None, 30 * MS, None], "dl_rx_ns": [10 * MS, 20 * MS, None, 40 * MS],
        "out_ns": [11 * MS, 24 * MS, 39 * MS, None]})  # fmt: skip
    monkeypatch.setattr(metrics, "lives_of", lambda bundle: frame)


@pytest.mark.usefixtures("lives")
def test_the_longest_wait_is_that_of_the_datas_direction() -> None:
    run = nr_run(EXPIRED)
    assert metrics.order_metrics(run, DOWN) == {"pdcp_expiries": 3, "pdcp_wait_max_ms": 4}
    assert metrics.order_metrics(run, UP) == {"pdcp_expiries": 3, "pdcp_wait_max_ms": 9}
    other = Flow("f", "iperf3", "ue2", "server", 1, 2, 5201, 0, 10**9)
    assert metrics.order_metrics(run, other) == {"pdcp_expiries": 3, "pdcp_wait_max_ms": None}


def test_without_every_packet_only_expiries_are_known() -> None:
    assert metrics.order_metrics(nr_run(EXPIRED[:1], trace="events"), DOWN) == {"pdcp_expiries": 1}
    assert metrics.order_metrics(nr_run(EXPIRED, system="lte"), DOWN) == {}
