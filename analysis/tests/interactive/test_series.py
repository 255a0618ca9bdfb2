# SPDX-License-Identifier: GPL-2.0-or-later
"""Series of a run over time: what thinning keeps, what is counted, on numbers made by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from synthetic_cut import TIMEOUT
from synthetic_switch import IM, radio_row, switch_rows, tcp_row, write_switch_bundle

from cellbed_analysis.interactive.series import RunSeries, changes, run_series, thin
from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import read_bundle


def series(tmp_path: Path, radio: list, tcp: list, points: int = 1000) -> RunSeries:
    bundle = read_bundle(write_switch_bundle(tmp_path, radio, tcp))
    return run_series(analyse(bundle), bundle.flows[0], points)


def test_thinning_loses_no_extreme_and_neither_end() -> None:
    t = np.arange(10_000.0)
    value = np.full(10_000, 50.0)
    value[4321], value[7654] = 1, 99
    line = thin(t, value, 100)
    assert len(line.t_s) < 130
    assert (line.value.min(), line.value.max()) == (1, 99)
    assert (line.t_s[0], line.t_s[-1]) == (0, 9999)
    assert line.t_s[line.value == 1].tolist() == [4321]
    assert (np.diff(line.t_s) > 0).all()


def test_thinning_passes_gaps_over() -> None:
    value = np.full(1000, np.nan)
    value[500] = 7
    assert 7 in thin(np.arange(1000.0), value, 40).value
    assert len(thin(np.arange(30.0), np.arange(30.0), 40).t_s) == 30


def test_a_step_function_keeps_its_changes() -> None:
    line = changes(np.arange(7.0), np.array([1, 1, 2, 2, np.nan, np.nan, 3]))
    assert line.t_s.tolist() == [0, 2, 4, 6]


def test_what_is_acknowledged_becomes_a_rate(tmp_path: Path) -> None:
    opening = tcp_row(0, "state", 0, 0, 10) | {"snd_una": 0}  # while the connection opens
    rows = [opening, *(tcp_row(ms, "segment_in", ms * 250, ms * 250, 10) for ms in range(100, 10_000, 10))]
    rate = series(tmp_path, [], rows).lines["throughput"]
    assert rate.value[20:].mean() == pytest.approx(2.0, rel=0.01)  # 250 bytes a ms


def test_modes_events_and_queues_are_there(tmp_path: Path) -> None:
    drops = [radio_row(2000 + 0.001 * i, "pkt_drop", value=1, node=1) for i in range(3)]
    found = series(tmp_path, [*switch_rows(2000, IM, 9, 0), *drops], TIMEOUT)
    assert [(span.start_s, span.end_s, span.text) for span in found.modes] == [(0, 2, "DM"), (2, 10, "IM")]
    (dropped,) = found.happenings
    assert (dropped.kind, dropped.t_s, dropped.count, dropped.detail) == ("packet dropped", 2.0, 3, "mode switch")
    assert [cut.kind for cut in found.cuts] == ["timeout"] and not found.empty
