# SPDX-License-Identifier: GPL-2.0-or-later
"""What the air was used for while packets waited: all of the time, and what it was in cells that cellsim emulates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from simulated import MS, NETWORK_PORT, needs_cellsim, simulate

from cellbed_analysis.radio.packet_path import RadioLog, packet_paths
from cellbed_analysis.radio.service import WAITS, Service, service

pytestmark = needs_cellsim

#: To UE 1 and 2 from the network, enough to fill many sub-frames.
TO_1, TO_2 = ([(10.0, ue + NETWORK_PORT, 1500) for _ in range(200)] for ue in (1, 2))


def shares(log: RadioLog, own: pl.Series, away_ns: tuple[tuple[int, int], ...] = ()) -> dict[str, float]:
    """Of the wait of the last packet to UE 1 at the eNB, by cause."""
    last = packet_paths(log, 2).filter(pl.col("pkt").is_in(to_ue_1(log).implode())).sort("dl_tx_ns").tail(1)
    start, end = last["in_ns"].to_numpy(), last["dl_tx_ns"].to_numpy()
    found = service(log, 1, "dl", own, away_ns).between(start, end)
    return {cause: float(ns[0]) / (end[0] - start[0]) for cause, ns in found.items()}


def to_ue_1(log: RadioLog) -> pl.Series:
    return log.rows("pkt_in", node=0, peer=1)["pkt"]


def test_a_flow_waits_behind_its_own_data(tmp_path: Path) -> None:
    log = simulate(tmp_path, "net net", TO_1)
    assert shares(log, to_ue_1(log))["own"] > 0.95
    assert shares(log, to_ue_1(log).tail(1))["same_ue"] > 0.95


def test_other_ues_take_their_share(tmp_path: Path) -> None:
    """Two UEs with as much to get and the same CQI share the cell evenly."""
    log = simulate(tmp_path, "net net", TO_1 + TO_2)
    found = shares(log, to_ue_1(log))
    assert found["own"] == pytest.approx(0.5, abs=0.1) and found["other_ues"] == pytest.approx(0.5, abs=0.1)


def test_harq_takes_what_it_sends_again(tmp_path: Path) -> None:
    log = simulate(tmp_path, "net net", TO_1, harq={"max_attempts": 4, "bler": [0.3, 0.01, 0.0, 0.0]})
    first, again = (len(log.rows(event, dir="dl")) for event in ("mac_tx", "harq_tx"))
    assert again and shares(log, to_ue_1(log))["harq"] == pytest.approx(again / (first + again), abs=0.1)


def test_who_is_in_no_cell_waits_for_the_handover(tmp_path: Path) -> None:
    log = simulate(tmp_path, "net net", TO_1)
    first, last = log.span_ns
    assert shares(log, to_ue_1(log), ((first, last + MS),))["handover"] == pytest.approx(1)


@st.composite
def cells(draw: st.DrawFn) -> tuple[list[tuple[float, int, int]], dict[str, Any]]:
    """Arrivals, and keys of a cell."""
    ports = (1, 2, 1 + NETWORK_PORT, 2 + NETWORK_PORT)
    arrival = st.tuples(st.integers(1, 60).map(float), st.sampled_from(ports), st.integers(40, 1500))
    bler = draw(st.floats(0, 0.5))
    harq = {"max_attempts": draw(st.integers(1, 4)), "bler": [bler, bler / 2]}
    return draw(st.lists(arrival, min_size=1, max_size=60)), {"harq": harq, "n_rb": draw(st.sampled_from([6, 25]))}


@given(cells(), st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_causes_are_all_of_the_time(tmp_path: Path, cell: tuple[list[tuple[float, int, int]], dict[str, Any]],
                                    data: st.DataObject) -> None:
    """For each UE and direction, whatever was sent, between any two moments."""
    arrivals, keys = cell
    log = simulate(tmp_path, "net net", arrivals, **keys)
    moment = st.integers(*log.span_ns)
    for ue, direction in ((1, "dl"), (1, "ul"), (2, "dl"), (2, "ul")):
        found: Service = service(log, ue, direction, log.rows("pkt_in", node=ue)["pkt"], ())
        start, end = (np.array([at]) for at in sorted((data.draw(moment), data.draw(moment))))
        ns = found.between(start, end)
        assert set(ns) == set(WAITS) and min(float(value[0]) for value in ns.values()) >= -1e-6
        assert sum(float(value[0]) for value in ns.values()) == pytest.approx(int(end[0] - start[0]), abs=0.01)
