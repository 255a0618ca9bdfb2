# SPDX-License-Identifier: GPL-2.0-or-later
"""Path loss, link budget, mapping, mobility against points computed by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_channel import cqi, link, mobility, path_loss
from cellbed_channel.error import ParameterError
from cellbed_channel.stream import stream

UMA = path_loss.UrbanMacro()


def at(*distances):
    return np.array(distances, dtype=float)


# By hand, W = h = 20 m, 25 m and 1.5 m, 2 GHz:
#   161.04 - 7.1 log 20 + 7.5 log 20 = 161.5604; (24.37 - 3.7 (20/25)^2) log 25 = 22.002 * 1.39794 = 30.7575;
#   20 log 2 = 6.0206; 3.2 (log 17.625)^2 - 4.97 = -0.0008; slope 43.42 - 3.1 log 25 = 39.0864 per decade from 1000 m
@pytest.mark.parametrize(("metres", "loss_db"), [(1000, 136.824), (300, 116.387), (100, 97.738), (30, 77.301)])
def test_nlos_of_uma(metres, loss_db):
    assert UMA.nlos_loss_db(at(metres))[0] == pytest.approx(loss_db, abs=0.001)


# Before the breakpoint 22 log d + 28 + 6.0206; after it 40 log d + 7.8 - 18 log 24 - 18 log 0.5 + 2 log 2
@pytest.mark.parametrize(("metres", "loss_db"), [(10, 56.021), (100, 78.021), (300, 88.517), (1000, 108.977)])
def test_los_of_uma(metres, loss_db):
    assert UMA.los_loss_db(at(metres))[0] == pytest.approx(loss_db, abs=0.001)


def test_breakpoint_of_uma():
    """4 * 24 m * 0.5 m * 2 GHz / c, where both branches nearly meet."""
    assert UMA.breakpoint_m() == pytest.approx(320.0)
    below, above = UMA.los_loss_db(at(319.999, 320.0))
    assert abs(above - below) < 0.1


# 18 m: 1; 63 m: (18/63)(1 - 1/e) + 1/e; 300 m: 0.06 (1 - e^-4.762) + e^-4.762
@pytest.mark.parametrize(("metres", "probability"), [(5, 1.0), (18, 1.0), (63, 0.54849), (300, 0.06804)])
def test_los_probability_of_uma(metres, probability):
    assert UMA.los_probability(at(metres))[0] == pytest.approx(probability, abs=1e-4)


@given(st.floats(10, 4999), st.floats(10, 4999))
def test_farther_is_never_better(a, b):
    near, far = sorted((a, b))
    assert UMA.nlos_loss_db(at(near))[0] <= UMA.nlos_loss_db(at(far))[0]
    assert UMA.los_loss_db(at(near))[0] <= UMA.los_loss_db(at(far))[0] + 0.1
    assert UMA.los_probability(at(near))[0] >= UMA.los_probability(at(far))[0] - 1e-12


@given(st.floats(20, 4999))
def test_line_of_sight_is_better(metres):
    assert UMA.loss_db(at(metres), np.array([True]))[0] < UMA.loss_db(at(metres), np.array([False]))[0]


def test_bounds_of_uma():
    assert UMA.nlos_loss_db(at(0.0))[0] == UMA.nlos_loss_db(at(10.0))[0]
    with pytest.raises(ParameterError, match="distance: value 5001 m: allowed at most 5000 m"):
        UMA.nlos_loss_db(at(5001))
    with pytest.raises(ParameterError, match=r"path_loss.ue_height_m: value 1: allowed more than 1..10"):
        path_loss.UrbanMacro(ue_height_m=1)
    with pytest.raises(ParameterError, match="path_loss.model: value hata: allowed uma"):
        path_loss.make("hata")


# Those of TR 36.814 Table B.1.2.1-1; the model has no breakpoint where both ends are as high as their surroundings
@pytest.mark.parametrize(("name", "low", "high"), [
    ("carrier_ghz", 2, 6), ("enb_height_m", 10, 150), ("ue_height_m", 1.01, 10), ("street_width_m", 5, 50),
    ("building_height_m", 5, 50)])
def test_ranges_of_uma(name, low, high):
    for value in (low, high):
        assert getattr(path_loss.UrbanMacro(**{name: value}), name) == value
    for value in (low - 0.02, high + 0.02):
        with pytest.raises(ParameterError, match=f"path_loss.{name}: value {value:g}: allowed"):
            path_loss.UrbanMacro(**{name: value})


def test_noise():
    """-173.975 dBm/Hz + 10 log 9 MHz."""
    assert link.noise_dbm(50) == pytest.approx(-173.975 + 69.542, abs=0.001)


# Nardini, Table 1: transmit power + eNB gain - cable loss - (noise + 5)
@pytest.mark.parametrize(("direction", "gain_db"), [("ul", 20 + 18 - 2 + 99.433), ("dl", 40 + 18 - 2 + 99.433),
                                              ("sl", 20 - 2 + 99.433)])
def test_budget_of_nardini(direction, gain_db):
    assert link.Budget().gain_db(direction, 50) == pytest.approx(gain_db, abs=0.001)


def test_each_receiver_has_its_noise_figure():
    changed = link.Budget(ue_noise_figure_db=7.0)
    differences = {name: link.Budget().gain_db(name, 50) - changed.gain_db(name, 50) for name in link.DIRECTIONS}
    assert differences == pytest.approx({"ul": 0.0, "dl": 2.0, "sl": 2.0})
    with pytest.raises(ParameterError, match="direction: value up: allowed ul, dl, sl"):
        changed.gain_db("up", 50)


def test_terms_are_subtracted():
    seen = link.sinr_db(link.Budget(), "ul", 50, at(100, 100), at(0, 1), at(30, 30), [lambda _, t_s, d: t_s * 3])
    assert seen[0] - seen[1] == pytest.approx(3.0)


@pytest.mark.parametrize(("sinr_db", "kawser", "piro"), [
    (-10, 0, 0), (1.94, 0, 2), (1.95, 1, 2), (17.89, 8, 11), (17.9, 9, 11), (19.05, 9, 12), (29, 15, 15), (60, 15, 15),
])
def test_cqi(sinr_db, kawser, piro):
    sinr_cdb = link.centi_db(at(sinr_db))
    assert (cqi.cqi_of(sinr_cdb, "kawser")[0], cqi.cqi_of(sinr_cdb, "piro")[0]) == (kawser, piro)


def test_piro_by_hand():
    """CQI 9: gap 8.294 / 1.5 = 5.529, times 2^2.4063 - 1 = 4.301: 23.78, 13.76 dB."""
    assert cqi.thresholds_cdb("piro")[8] == 1376


@pytest.mark.parametrize("table", cqi.TABLES)
@given(a=st.integers(-10000, 20000), b=st.integers(-10000, 20000))
def test_more_sinr_is_never_a_lower_cqi(table, a, b):
    low, high = cqi.cqi_of(np.array(sorted((a, b))), table)
    assert 0 <= low <= high <= 15


def test_no_such_table():
    with pytest.raises(ParameterError, match="cqi.table: value lte: allowed kawser, piro"):
        cqi.thresholds_cdb("lte")


SWING = mobility.Swing(("a", "b"), mobility.SwingParameters())


def test_swing_of_nardini():
    """30 m to 160 m and back at 6 m/s: 21.67 s each way."""
    t_s = at(0, 10, 130 / 6, 130 / 3, 130 / 3 + 10)
    assert SWING.ue_distance_m(t_s) == pytest.approx([30, 90, 160, 30, 90])
    places = SWING.positions(t_s)
    assert mobility.distance_m(places["a"], places["b"]) == pytest.approx([30, 90, 160, 30, 90])
    to_enb = mobility.distance_m(places["a"], np.zeros((5, 2)))
    assert to_enb[0] == pytest.approx(300.0)
    assert to_enb[2] == pytest.approx(math.sqrt(300**2 - 15**2 + 80**2))


@given(st.floats(0, 1e5), st.floats(0.001, 1), st.sampled_from(["near", "far"]))
def test_swing_stays_within_its_distances_and_speed(t_s, step_s, start):
    swing = mobility.Swing(("a", "b"), mobility.SwingParameters(start=start))
    before, after = swing.ue_distance_m(at(t_s, t_s + step_s))
    assert 30 <= before <= 160
    assert abs(after - before) <= 6 * step_s + 1e-6
    place = swing.positions(at(t_s, t_s + step_s))["a"]
    assert abs(place[1, 0] - place[0, 0]) <= 3 * step_s + 1e-6


def test_swing_from_far():
    swing = mobility.Swing(("a", "b"), mobility.SwingParameters(start="far"))
    assert swing.ue_distance_m(at(0, 130 / 6)) == pytest.approx([160, 30])


@pytest.mark.parametrize(("change", "message"), [
    ({"distance_m": (160, 30)}, "swing.distance_m: value .160, 30.: allowed two distances above 0"),
    ({"speed_mps": 0}, "swing.speed_mps: value 0: allowed more than 0"),
    ({"enb_distance_m": 15}, "swing.enb_distance_m: value 15: allowed more than 15, half"),
])
def test_impossible_swings(change, message):
    with pytest.raises(ParameterError, match=message):
        mobility.Swing(("a", "b"), mobility.SwingParameters(**change))


def test_streams_have_names():
    assert stream(1, "los/a/b").random() == stream(1, "los/a/b").random()
    assert len({stream(seed, name).random() for seed in (1, 2) for name in ("x", "y")}) == 4
    assert stream(1, "los/enb/ue1").random() == 0.34572703100132973  # on every machine, with every numpy
