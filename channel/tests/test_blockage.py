# SPDX-License-Identifier: GPL-2.0-or-later
"""Screens in the way of a link, against values worked out by hand, and when they come."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_channel import blockage, render
from cellbed_channel.blockage import BlockageParameters, Way
from cellbed_channel.error import ParameterError

LEVEL = Way(28.0, 1.0, 1.0)  # both antennas 1 m high: a person's edges are 0.7 m above and 1 m below the way
PERSON = BlockageParameters()


def screen(aside_m, way=LEVEL, parameters=PERSON):
    return float(blockage.screen_db(parameters, way, np.array([100.0]), np.array([aside_m]))[0])


def edge(metres, wave_m=LEVEL.wave_m):
    detour = math.hypot(2.0, metres) + math.hypot(98.0, metres) - 100.0
    return math.atan(math.pi / 2 * math.sqrt(math.pi / wave_m * detour)) / math.pi


def test_a_person_in_the_middle_of_the_way():
    """28 GHz are 1.071 cm. 2 m from the UE the way by an edge 0.15 m aside is 5.732 mm longer, so F is atan(pi/2
    sqrt(293.4 * 0.005732)) / pi = 0.3547; 0.4662 by the head and 0.4760 by the feet. 1 - 0.9422 * 0.7094 is left."""
    assert (edge(0.15), edge(0.7), edge(1.0)) == pytest.approx((0.3547, 0.4662, 0.4760), abs=1e-4)
    left = 1 - (edge(0.7) + edge(1.0)) * 2 * edge(0.15)
    assert screen(0.0) == pytest.approx(-20 * math.log10(left), abs=1e-6) == pytest.approx(9.59, abs=0.01)


def test_half_of_the_field_is_left_at_the_edge():
    """Half a width aside one edge of a wide screen is on the way itself, where F is 0, and the other F is near 1/2."""
    lorry = BlockageParameters(blocker="vehicle")
    left = 1 - (edge(0.4) + edge(1.0)) * (0.0 + edge(4.8))
    assert screen(2.4, parameters=lorry) == pytest.approx(-20 * math.log10(left), abs=1e-6)
    assert screen(2.4, parameters=lorry) == pytest.approx(6.0, abs=1.0)


@given(st.floats(0, 19), st.floats(0, 19))
def test_farther_aside_there_is_less_loss(first, second):
    near, far = sorted((first, second))
    assert screen(near) >= screen(far) - 1e-9
    assert screen(far) == pytest.approx(screen(-far), abs=1e-9)
    assert screen(19.99) < 0.1


@given(st.floats(1, 50), st.floats(1, 50))
def test_higher_frequencies_lose_more(first, second):
    low, high = sorted((first, second))
    assert screen(0.0, Way(low, 1.0, 1.0)) <= screen(0.0, Way(high, 1.0, 1.0)) + 1e-9


def test_a_way_above_the_heads_loses_little():
    assert screen(0.0, Way(28.0, 25.0, 6.0)) < 1.0 < screen(0.0, LEVEL)


def test_a_blocker_comes_stays_and_goes():
    at = blockage.offset_m(np.array([0.0, 4.0, 5.0, 6.0, 8.0, 9.0]), 5.0, 2.0, 3.0)
    assert list(at) == [-10.0, -2.0, 0.0, 0.0, 0.0, 2.0]


def test_blockers_come_as_often_as_they_should():
    times = blockage.crossings_s(1, "test", 30.0, 60_000.0)
    assert times == sorted(times)
    assert len(times) == pytest.approx(30_000, rel=4 / math.sqrt(30_000))
    assert blockage.crossings_s(1, "test", 0.0, 1e6) == []


def test_loss_of_a_link_is_that_of_its_blockers_and_depends_on_no_cut():
    t_s = np.arange(0.0, 60.0, 0.01)
    ground = np.full(len(t_s), 100.0)
    standing = BlockageParameters(per_minute=3.0, stay_s=2.0)
    whole = blockage.loss_db(standing, LEVEL, 5, ("me", "gnb"), t_s, ground)
    (first, *_) = blockage.crossings_s(5, "blockage/me/gnb", 3.0, 60.0)
    assert whole[np.searchsorted(t_s, first + 1.0)] == pytest.approx(screen(0.0), abs=0.01)
    assert whole.min() < 0.1
    cut = [blockage.loss_db(standing, LEVEL, 5, ("me", "gnb"), t_s[i : i + 777], ground[i : i + 777])
           for i in range(0, len(t_s), 777)]
    assert np.allclose(np.concatenate(cut), whole, atol=1e-9)


@pytest.mark.parametrize("settings", [
    {"model": "static", "positions": {"me": [80, 0]}},
    {"model": "route", "positions": {"me": [80, 0]}, "route": {"enbs": {"enb": [0, 0]}, "fading": False}}])
def test_a_channel_of_a_scenario_has_them(settings):
    """The same loss in both directions, while nothing else changes."""
    where = {"path_loss": {"model": "umi_38901", "carrier_ghz": 28.0, "los": "always", "enb_height_m": 10.0}}
    blocked = {"blockage": {"per_minute": 30.0, "stay_s": 0.5}}
    cell = render.Cell({"me": None}, 66, ["enb"], 1_440_000)
    free, held = (render.render(render.Parameters.from_dict(settings | where | more), cell, 1, 20.0)
                  for more in ({}, blocked))
    for direction in (0, 1):
        (sinr,) = {int(record["sinr_cdb"]) for record in free if record["dir"] == direction}
        lost = sinr - np.array([record["sinr_cdb"] for record in held if record["dir"] == direction], dtype=int)
        assert lost.min() == pytest.approx(0, abs=1) and 600 < lost.max() < 2000


def test_no_other_blocker():
    with pytest.raises(ParameterError, match="blockage.blocker: value dog: allowed person, vehicle"):
        screen(0.0, parameters=BlockageParameters(blocker="dog"))
