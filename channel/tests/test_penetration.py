# SPDX-License-Identifier: GPL-2.0-or-later
"""What UEs inside of buildings and cars lose, against numbers worked out by hand and the report's distributions."""

import math

import numpy as np
import pytest

from cellbed_channel import penetration, tr38901, trace
from cellbed_channel.error import ParameterError
from cellbed_channel.path_loss import UrbanMacro
from cellbed_channel.render import Cell, Parameters, PathLossParameters, RouteParameters, render

UMA, UMI, RMA = tr38901.UrbanMacro(3.5, 25.0), tr38901.UrbanMicro(3.5, 10.0), tr38901.RuralMacro(3.5, 35.0)
LOSS = PathLossParameters("uma_38901", carrier_ghz=3.5)


def draws(kind, model, count=4000):
    found = [penetration.draw(kind, model, 3.5, 1, f"ue{number}") for number in range(count)]
    return np.array([one.loss_db for one in found]), np.array([one.depth_m for one in found])


# At 3.5 GHz glass has 2.7 dB, coated glass 24.05 dB and concrete 19 dB:
#   5 - 10 log (0.3 * 0.53703 + 0.7 * 0.012589) = 12.6975; 5 - 10 log (0.7 * 0.0039355 + 0.3 * 0.012589) = 26.8498
@pytest.mark.parametrize(("kind", "model", "deepest_m", "mean_db", "sigma_db"), [
    ("low_loss", UMA, 25, 12.6975, 4.4), ("low_loss", UMI, 25, 12.6975, 4.4), ("low_loss", RMA, 10, 12.6975, 4.4),
    ("high_loss", UMA, 25, 26.8498, 6.5), ("car", RMA, 0, 9.0, 5.0), ("car_metallised", UMI, 0, 20.0, 5.0)])
def test_what_is_drawn(kind, model, deepest_m, mean_db, sigma_db):
    """The lesser of two uniform draws is a third of their range on average."""
    loss_db, depth_m = draws(kind, model)
    assert depth_m.min() >= 0 and depth_m.max() <= deepest_m
    assert depth_m.mean() == pytest.approx(deepest_m / 3, rel=0.05)
    rest_db = loss_db - 0.5 * depth_m - mean_db
    assert abs(rest_db.mean()) < 4 * sigma_db / math.sqrt(len(rest_db))
    assert rest_db.std() == pytest.approx(sigma_db, rel=0.05)
    assert abs(np.corrcoef(rest_db, depth_m)[0, 1]) < 0.07 if deepest_m else True


def test_outdoors_there_is_nothing():
    assert penetration.draw(None, UrbanMacro(), 2.0, 1, "ue1") == penetration.Inside(0.0, 0.0)


@pytest.mark.parametrize(("kind", "model", "message"), [
    ("bus", UMA, r"penetration.ue1: value bus: allowed low_loss, high_loss, car, car_metallised"),
    ("car", UrbanMacro(), r"value car: allowed with a path_loss.model of uma_38901, umi_38901, rma_38901"),
    ("high_loss", RMA, r"value high_loss: allowed with a path_loss.model of uma_38901, umi_38901$"),
    ("low_loss", tr38901.OpenOffice(3.5, 3.0), r"value low_loss: allowed with a path_loss.model of")])
def test_what_cannot_be(kind, model, message):
    with pytest.raises(ParameterError, match=message):
        penetration.draw(kind, model, 3.5, 1, "ue1")


def sinr_db(parameters, cell, ue, direction, enb=0):
    found = trace.ChannelTrace(render(parameters, cell, 1, 0.5), {}, cell.numbers)
    return found.records_of(ue, direction, enb)["sinr_cdb"][0] / 100


def test_links_with_the_enb_lose_it_in_both_directions():
    places = {"ue1": (0.0, 300.0), "ue2": (50.0, 300.0)}
    cell = Cell({"ue1": "ue2", "ue2": "ue1"})
    free = Parameters("static", positions=places, path_loss=LOSS)
    inside = Parameters("static", positions=places, path_loss=LOSS, penetration={"ue1": "low_loss"})
    lost = penetration.draw("low_loss", UMA, 3.5, 1, "ue1").loss_db
    for direction in ("ul", "dl"):
        assert sinr_db(free, cell, 1, direction) - sinr_db(inside, cell, 1, direction) == pytest.approx(lost, abs=0.011)
    for ue, direction in ((1, "sl"), (2, "dl"), (2, "sl")):
        assert sinr_db(free, cell, ue, direction) == sinr_db(inside, cell, ue, direction)


def test_on_a_route_every_enb_is_as_much_weaker():
    """The uplink has no interference, so all of the loss is in its SINR; a building hides some of the sky, too."""
    route = RouteParameters({"a": (0.0, 0.0), "b": (800.0, 0.0)}, fading=False, shadowing="tr38901")
    cell = Cell({"ue1": None}, 50, ("a", "b"))
    free = Parameters("route", positions={"ue1": (300.0, 40.0)}, path_loss=LOSS, route=route)
    inside = Parameters("route", positions={"ue1": (300.0, 40.0)}, path_loss=LOSS, route=route,
                        penetration={"ue1": "high_loss"})
    lost = penetration.draw("high_loss", UMA, 3.5, 1, "ue1").loss_db
    for enb in (0, 1):
        assert sinr_db(free, cell, 1, "ul", enb) - sinr_db(inside, cell, 1, "ul", enb) == pytest.approx(lost, abs=0.011)


def test_sight_ends_at_the_outer_wall(monkeypatch):
    """From the wall, which is as much nearer as the UE is deep inside, there is sight more often."""
    asked = []
    monkeypatch.setattr(tr38901.UrbanMacro, "los_probability",
                        lambda self, distance_m: asked.append(distance_m[0]) or np.ones(len(distance_m)))
    loss = PathLossParameters("uma_38901", "drawn", 3.5)
    sinr_db(Parameters("static", positions={"ue1": (0.0, 300.0)}, path_loss=loss, penetration={"ue1": "low_loss"}),
            Cell({"ue1": None}), 1, "dl")
    assert asked == [300.0 - penetration.draw("low_loss", UMA, 3.5, 1, "ue1").depth_m] * 2
