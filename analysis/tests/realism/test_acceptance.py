# SPDX-License-Identifier: GPL-2.0-or-later
"""A link is judged by distances that mean what they say: none from itself, and a bar that is the recordings' own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_analysis.realism.acceptance import BAR_PERCENTILE, bar_of, judge, part_s
from cellbed_analysis.realism.recording import PART_S, Recording, of_deliveries
from cellbed_analysis.realism.statistic import autocorrelation, outages_s
from cellbed_analysis.stats.distance import ks_distance
from cellbed_formats.error import DataError


def walk(seed: int, seconds: int = 60, group: str = "", burst: int = 20) -> Recording:
    """A rate that is drawn again every few windows."""
    draws = np.random.default_rng(seed)
    rate = np.repeat(draws.exponential(10.0, seconds * 100 // burst), burst)
    return Recording(f"{seed}", group or f"{seed}", rate=rate, rtt_ms=40 + draws.exponential(10.0, 300))


samples = st.lists(st.floats(0, 100), min_size=1, max_size=40).map(lambda values: np.sort(np.array(values)))


@given(samples)
def test_a_sample_has_no_distance_from_itself(one: np.ndarray) -> None:
    assert ks_distance(one, one) == 0


@given(samples, samples)
def test_a_distance_is_a_share_and_the_same_both_ways(a: np.ndarray, b: np.ndarray) -> None:
    assert 0 <= ks_distance(a, b) <= 1
    assert ks_distance(a, b) == pytest.approx(ks_distance(b, a))


@given(st.lists(samples, min_size=2, max_size=6))
def test_the_bar_comes_of_all_pairs(groups: list[np.ndarray]) -> None:
    bar, pairs = bar_of(groups)
    apart = [ks_distance(a, b) for a, b in itertools.combinations(groups, 2)]
    assert pairs == len(groups) * (len(groups) - 1) // 2
    assert bar is not None
    assert min(apart) <= bar <= max(apart)
    assert np.mean([distance <= bar + 1e-12 for distance in apart]) >= BAR_PERCENTILE / 100 - 1 / len(apart)


def test_one_group_has_no_bar() -> None:
    found = judge([walk(1)], [walk(2)])
    assert {row.bar for row in found.rows} == {None}
    assert {row.passed for row in found.rows} == {None}


@given(st.integers(0, 1000))
def test_the_recordings_themselves_pass(seed: int) -> None:
    """A model that delivers exactly what was recorded has distance 0 in every row."""
    real = [walk(seed), walk(seed + 1), walk(seed + 2)]
    found = judge(real, real)
    assert len(found.rows) > 9
    assert [row.distance for row in found.rows] == [0] * len(found.rows)
    assert all(row.passed for row in found.rows)


def test_another_kind_of_link_does_not() -> None:
    """A constant rate has another distribution than one that is drawn, and no outages."""
    steady = Recording("steady", "steady", rate=np.full(6000, 10.0), rtt_ms=np.full(300, 40.0))
    real = [walk(seed) for seed in range(6)]
    rows = {row.statistic: row for row in judge([steady], real).rows}
    for name in ("rate over 10 ms, of the mean", "rate over 1 s, of the mean", "length of an outage (s)",
                 "RTT, idle, above the least (ms)"):
        assert rows[name].passed is False, name
    assert rows["length of an outage (s)"].distance == 1
    assert rows["length of an outage (s)"].model is None


@given(st.integers(0, 100), st.floats(0.1, 10))
def test_the_unit_of_a_rate_does_not_matter(seed: int, factor: float) -> None:
    real, model = [walk(seed), walk(seed + 1)], [walk(seed + 7, burst=50)]
    scaled = [Recording(one.name, one.group, rate=factor * one.rate, rtt_ms=one.rtt_ms) for one in model]
    assert [row.distance for row in judge(scaled, real).rows] == pytest.approx(
        [row.distance for row in judge(model, real).rows])


def test_held_out_recordings_are_compared_and_others_make_the_bar_only() -> None:
    held, others, model = [walk(1), walk(2)], [walk(3, burst=200), walk(4)], [walk(5)]
    alone, beside = judge(model, held), judge(model, held, others)
    assert [row.distance for row in beside.rows] == [row.distance for row in alone.rows]
    assert [row.pairs for row in alone.rows] == [1] * len(alone.rows)
    assert [row.pairs for row in beside.rows] == [6] * len(beside.rows)


def test_coarse_recordings_have_coarse_statistics_only() -> None:
    """Of a rate each 0.5 s nothing is said below; what is said is of the model in the same steps."""
    coarse = [Recording(str(seed), str(seed), 0.5, walk(seed).over(0.5)) for seed in range(3)]
    names = [row.statistic for row in judge([walk(9)], coarse).rows]
    assert "rate over 1 s, of the mean" in names
    assert not [name for name in names if "10 ms" in name or "100 ms" in name]


def test_parts_have_one_length() -> None:
    assert part_s([walk(1, 600)]) == PART_S
    assert part_s([walk(1, 30), walk(2, 30), walk(3, 300)]) == 30
    assert [len(part.rate) for part in walk(1, 250).parts(100)] == [10_000, 10_000]
    assert [len(part.rate) for part in walk(1, 60).parts(100)] == [6000]
    assert list(walk(1, 40).parts(100)) == []
    assert [len(part.rtt_ms) for part in walk(1, 250).parts(100)] == [300, 0]


@given(st.lists(st.tuples(st.integers(1, 300), st.integers(1, 300)), min_size=1, max_size=20))
def test_outages_and_the_times_between_them(spans: list[tuple[int, int]]) -> None:
    """Windows with and without deliveries, by turns, are found again; short ones are no outages."""
    rate = np.concatenate([np.ones(1), *(np.repeat([0.0, 1.0], span) for span in spans)])
    lengths, _ = outages_s(Recording("", "", rate=rate))
    assert lengths == pytest.approx([low / 100 for low, _ in spans if low >= 5])


def test_what_the_recording_cuts_is_no_outage() -> None:
    rate = np.array([0.0] * 50 + [1.0] * 100 + [0.0] * 10 + [1.0] * 30 + [0.0] * 20 + [1.0] * 10 + [0.0] * 99)
    lengths, between = outages_s(Recording("", "", rate=rate))
    assert lengths == pytest.approx([0.1, 0.2])
    assert between == pytest.approx([0.3])


@given(st.lists(st.integers(0, 5), min_size=4, max_size=50), st.integers(1, 3))
def test_autocorrelation_is_within_one(values: list[int], lag: int) -> None:
    assert -1 <= autocorrelation(np.array(values, dtype=float), lag) <= 1


def test_deliveries_are_counted_in_windows() -> None:
    one = of_deliveries("x", "x", np.array([0.0, 9.9, 10.0, 35.0]), np.array([1500, 500, 1000, 40]), 0.05)
    assert one.rate.tolist() == [2000, 1000, 0, 40, 0]
    assert of_deliveries("x", "x", np.array([3.0, 12.0, 25.0])).rate.tolist() == [1, 1]


def test_empty_recordings_are_refused() -> None:
    with pytest.raises(DataError, match="no statistic that could be compared"):
        judge([walk(1)], [Recording("x", "x", rate=np.zeros(100))])
