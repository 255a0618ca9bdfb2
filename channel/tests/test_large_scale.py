# SPDX-License-Identifier: GPL-2.0-or-later
"""Line of sight and shadowing as maps: how often, how far correlated, and the same whenever somebody comes by."""

import numpy as np
import pytest

from cellbed_channel import large_scale, tr38901

UMA = tr38901.UrbanMacro(3.5, 25.0)
UMI = tr38901.UrbanMicro(28.0, 10.0)
RMA = tr38901.RuralMacro(0.7, 35.0)


def circle(radius_m, count):
    """Places that are equally far from [0, 0], and their distances from it."""
    angle = 2 * np.pi * np.arange(count) / count
    return radius_m * np.column_stack([np.cos(angle), np.sin(angle)]), np.full(count, float(radius_m))


# 63 m, UMa: 18/63 + e^-1 (1 - 18/63); 36 m, UMi: 0.5 + e^-1 0.5; 1010 m, RMa: e^-1. Means of 300 maps, three
# deviations.
@pytest.mark.parametrize(("model", "radius_m", "probability"), [
    (UMA, 63, 0.54849), (UMI, 36, 0.68394), (RMA, 1010, 0.36788)], ids=lambda value: getattr(value, "NAME", None))
def test_sight_is_as_frequent_as_the_report_says(model, radius_m, probability):
    places, distance = circle(radius_m, 1)
    seen = [large_scale.sight(model, seed, "gnb", places, distance)[0] for seed in range(300)]
    assert np.mean(seen) == pytest.approx(probability, abs=3 * np.sqrt(probability * (1 - probability) / 300))


def test_sight_is_correlated_over_50_m():
    """Two fields with correlation r agree in sign with the probability 1/2 + asin(r) / pi: at 50 m r is 1/e."""
    apart = {5.0: np.exp(-0.1), 50.0: np.exp(-1.0), 500.0: 0.0}
    for metres, r in apart.items():
        places = np.array([[0.0, 0.0], [metres, 0.0]])

        class Even(tr38901.UrbanMacro):
            def los_probability(self, distance_m):
                return np.full(len(distance_m), 0.5)

        seen = [large_scale.sight(Even(3.5, 25.0), seed, "gnb", places, np.full(2, 100.0)) for seed in range(400)]
        expected = 0.5 + np.arcsin(r) / np.pi
        assert np.mean([a == b for a, b in seen]) == pytest.approx(expected, abs=0.075)  # three deviations at 1/2


def test_nobody_sees_more_by_walking_faster():
    """Places decide, not how often they are asked for, nor who asks."""
    places, distance = circle(80, 720)
    every = large_scale.sight(UMI, 7, "gnb", places, distance)
    assert (large_scale.sight(UMI, 7, "gnb", places[::10], distance[::10]) == every[::10]).all()
    assert (large_scale.sight(UMI, 7, "other", places, distance) != every).any()
    assert 0 < np.abs(np.diff(every.astype(int))).sum() < 100


# Source: TR 38.901 Tables 7.4.1-1, 7.5-6. The breakpoint of RMA is at 769.69 m.
@pytest.mark.parametrize(("model", "metres", "los", "deviation_db"), [
    (UMA, 100, True, 4.0), (UMA, 100, False, 6.0), (UMI, 100, True, 4.0), (UMI, 100, False, 7.82),
    (RMA, 700, True, 4.0), (RMA, 800, True, 6.0), (RMA, 800, False, 8.0)])
def test_deviation_of_the_shadowing(model, metres, los, deviation_db):
    places, distance = circle(metres, 1)
    drawn = [large_scale.shadowing_db(model, seed, "gnb", places, distance, np.array([los]))[0] for seed in range(400)]
    assert np.mean(drawn) == pytest.approx(0, abs=3 * deviation_db / 20)
    assert np.std(drawn) == pytest.approx(deviation_db, rel=0.11)  # three deviations of that of 400


@pytest.mark.parametrize(("los", "distance_m"), [(True, 10.0), (False, 13.0)])
def test_shadowing_is_correlated_over_the_distance_of_its_table(los, distance_m):
    places = np.array([[100.0, 0.0], [100.0, distance_m]])
    pairs = np.array([large_scale.shadowing_db(UMI, seed, "gnb", places, np.full(2, 100.0), np.full(2, los))
                      for seed in range(400)])
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(np.exp(-1), abs=0.13)


def test_with_and_without_sight_are_two_maps():
    places, distance = circle(90, 50)
    seen = np.arange(50) % 2 == 0
    mixed, clear, hidden = (large_scale.shadowing_db(UMI, 3, "gnb", places, distance, los)
                            for los in (seen, np.ones(50, bool), np.zeros(50, bool)))
    assert (mixed == np.where(seen, clear, hidden)).all()
    assert np.corrcoef(clear / 4.0, hidden / 7.82)[0, 1] < 0.9
