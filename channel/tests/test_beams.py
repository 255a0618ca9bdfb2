# SPDX-License-Identifier: GPL-2.0-or-later
"""Beams that point where they point: what a pair receives, which one serves, and when there is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_channel import route, tr38901, trace, track
from cellbed_channel.beams import BeamParameters, Following, follow, pair_gain_db
from cellbed_channel.blockage import BlockageParameters, Way
from cellbed_channel.clusters import Clusters
from cellbed_channel.link import Budget
from cellbed_channel.render import Cell, Parameters, PathLossParameters, RouteParameters, render

GNB = {"gnb": (0.0, 0.0)}
UMI = PathLossParameters("umi_38901", los="by_place", carrier_ghz=28.0, enb_height_m=10.0)


def one_way(departure_deg=0.0, arrival_deg=0.0):
    return Clusters(np.ones((1, 1)), np.full((1, 1), departure_deg), np.full((1, 1), arrival_deg))


def gain(parameters, around, to_ue_deg=0.0, heading_deg=180.0, blocked_db=0.0):
    (found,) = pair_gain_db(parameters, around, np.array([to_ue_deg]), np.array([heading_deg]), blocked_db)
    return found


@pytest.mark.parametrize(("to_ue_deg", "expected_db"), [(0.0, 0.0), (90.0, 0.0), (11.25 / 2, -3.0), (11.25, 0.0)])
def test_half_way_between_two_beams_each_has_3_db_less(to_ue_deg, expected_db):
    found = gain(BeamParameters(gnb_beams=32, ue_beams=1), one_way(), to_ue_deg)
    assert found.max() == pytest.approx(expected_db, abs=1e-9)
    assert len(found) == 32 and found.min() == pytest.approx(-20.0)


def test_the_ue_turns_and_has_beams_of_its_own():
    """It looks at the gNB, and then 22.5 degrees aside: half-way between two of eight beams."""
    towards, aside = (gain(BeamParameters(1, 8), one_way(), 0.0, heading) for heading in (180.0, 157.5))
    assert towards.max() == pytest.approx(0.0) and aside.max() == pytest.approx(-3.0)


@pytest.mark.parametrize(("held", "heading_deg", "expected_db"), [
    ("none", 0.0, 0.0), ("portrait", 0.0, -30.0), ("portrait", 180.0, 0.0), ("portrait", 61.0, 0.0),
    ("portrait", 59.0, -30.0), ("landscape", 79.0, -30.0), ("landscape", 81.0, 0.0)])
def test_the_body_is_behind(held, heading_deg, expected_db):
    """At 0 degrees the UE goes away from the gNB."""
    found = gain(BeamParameters(1, 1, self_blocking=held), one_way(), 0.0, heading_deg)
    assert found.max() == pytest.approx(expected_db)


def test_where_one_way_is_blocked_another_beam_helps():
    around = Clusters(np.array([[0.9, 0.1]]), np.array([[0.0, 90.0]]), np.array([[0.0, 90.0]]))
    free, blocked = (gain(BeamParameters(8, 8), around, blocked_db=np.array([[loss, 0.0]])) for loss in (0.0, 40.0))
    assert free.argmax() == 0 and free.max() == pytest.approx(10 * np.log10(0.9), abs=0.1)
    assert blocked.argmax() == 2 and blocked.max() == pytest.approx(-10.0, abs=0.1)


FOUR = BeamParameters(report_ms=20, hysteresis_db=3.0, switch_ms=10, failure_sinr_db=-6.0, failure_count=3,
                      recovery_ms=50)


@pytest.mark.parametrize(("sinr_db", "expected"), [
    ([[10, 5], [10, 13], [10, 13]], Following([0], [0], [])),  # better by the hysteresis is not enough
    ([[10, 5], [10, 14], [10, 14]], Following([0, 30], [0, 1], [])),
    ([[10, 5], [10, 14], [20, 14], [20, 14]], Following([0, 30, 50], [0, 1, 0], [])),
    ([[10, 5], [-7, 14], [-7, 14], [-5, 14]], Following([0, 70], [0, 1], [])),  # a UE that hears nothing is silent
    ([[10, 5], [-7, 14], [-7, 14], [-7, 14], [-7, 14]], Following([0, 110], [0, 1], [60])),
    ([[10, 5], [-7, 14], [-7, 14], [10, 5], [-7, 14], [-7, 14]], Following([0], [0], [])),  # not in a row
    ([[10, 5], *[[-7, -7]] * 4, [-7, -6]], Following([0, 150], [0, 1], [100])),  # until a beam is there
    ([[10, 5], *[[-7, -7]] * 9], Following([0], [0], []))])
def test_who_serves(sinr_db, expected):
    assert follow(FOUR, np.array(sinr_db, dtype=float)) == expected


@given(st.lists(st.lists(st.integers(-20, 30), min_size=3, max_size=3), min_size=1, max_size=60),
       st.integers(0, 5), st.integers(0, 100), st.integers(1, 5), st.integers(0, 100))
def test_beams_change_for_a_reason(sinr_db, hysteresis_db, switch_ms, failure_count, recovery_ms):
    parameters = BeamParameters(report_ms=20, hysteresis_db=hysteresis_db, switch_ms=switch_ms,
                                failure_count=failure_count, recovery_ms=recovery_ms)
    sinr = np.array(sinr_db, dtype=float)
    found = follow(parameters, sinr)
    assert found.from_ms == sorted(found.from_ms) and found.beams[0] == sinr[0].argmax()
    for before, beam, from_ms in zip(found.beams[:-1], found.beams[1:], found.from_ms[1:], strict=True):
        failed = from_ms - recovery_ms in found.failures_ms
        at = (from_ms - (recovery_ms if failed else switch_ms)) // 20
        assert sinr[at, beam] == sinr[at].max() and sinr[at, beam] >= (-6 if failed else sinr[at, before])
        if failed:
            assert (sinr[max(at - failure_count + 1, 0): at + 1, before] < -6).all()
    assert len(found.failures_ms) < len(found.beams)


def walk(places, speed_mps=1.4):
    ends = np.array(places, dtype=float)
    way_m = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ends, axis=0).T))])
    return track.Track(way_m / speed_mps, ends, way_m)


def beams_along(way, seed, blockers=None, **keys):
    parameters = RouteParameters(enbs=GNB, load=0.3, fading=False, shadowing="tr38901", beam_gain_db=18.0,
                                 beams=BeamParameters(**keys))
    budget = Budget(13.0, 23.0, 8.0, 5.0, 0.0, 7.0, 10.0)
    radio = route.Radio(tr38901.UrbanMicro(28.0, 10.0), "by_place", 28.0, budget, {"ul": "kawser", "dl": "kawser"}, 66,
                        1_440_000, blockers, Way(28.0, 10.0, 1.5))
    return route.beams_of(route.Links(parameters, radio, "ue1", "dl", way, seed))


def test_a_window_does_not_depend_on_those_before():
    t_ms = np.arange(0, 30_000, 10)
    blockers = BlockageParameters(per_minute=60.0)
    whole = beams_along(walk([(20, 10), (60, 10)]), 1, blockers).gain_db(t_ms)
    other = beams_along(walk([(20, 10), (60, 10)]), 1, blockers)
    for part in (t_ms[2500:], t_ms[1500:2500], t_ms[:1500]):
        assert np.array_equal(other.gain_db(part), whole[part[0] // 10:][:len(part)])


def test_with_its_back_to_the_gnb_a_ue_changes_beams_more_often():
    """A UE that faces it has 0.4 changes a second in measurements at 28 and 39 GHz, one that has its back to it 2."""
    def changes(way, seed):
        found = beams_along(way, seed, self_blocking="portrait")
        return sum(from_ms >= 10_000 * number for number in range(4) for _, one in found.window(number)
                   for from_ms in one.from_ms[1:]) / 40.0

    ends = (100.0, 20.0), (40.0, 15.0)
    facing, back = (np.mean([changes(walk(way), seed) for seed in range(1, 5)]) for way in (ends, ends[::-1]))
    assert 0.05 < facing < 1.2 and 0.5 < back < 5.0 and back > 2 * facing


def rendered(beam_parameters, seed=1, seconds=2.0):
    parameters = Parameters("route", 20, path_loss=UMI, positions={"ue1": (60.0, 40.0)}, link=Budget(13.0, 23.0, 8.0),
                            route=RouteParameters(enbs=GNB, shadowing="tr38901", fading=False,
                                                  beam_gain_db=18.0, beams=beam_parameters))
    return render(parameters, Cell({"ue1": None}, 66, ("gnb",)), seed, seconds)


def test_a_beam_all_around_is_as_none():
    assert np.array_equal(rendered(BeamParameters(1, 1)), rendered(None))


def test_both_directions_and_measurements_have_the_gain_of_the_pair():
    """A UE that stands keeps its beam, and that costs as much everywhere."""
    without, with_beams = (trace.ChannelTrace(rendered(keys), {}, {1: "ue1"}) for keys in (None, BeamParameters()))
    lost = {way: set((without.records_of(1, way, 0)["sinr_cdb"].astype(int)
                      - with_beams.records_of(1, way, 0)["sinr_cdb"]).tolist()) for way in ("ul", "dl", trace.RSRP)}
    (first, *_) = lost["dl"]
    assert first > 0
    for values in lost.values():
        assert all(abs(value - first) <= 1 for value in values)


def test_from_a_description():
    data = {"model": "route", "route": {"enbs": GNB, "beams": {"gnb_beams": 16}}}
    assert Parameters.from_dict(data).route.beams == BeamParameters(gnb_beams=16)
    assert Parameters.from_dict({"model": "route", "route": {"enbs": GNB, "beams": None}}).route.beams is None
