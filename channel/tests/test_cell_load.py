# SPDX-License-Identifier: GPL-2.0-or-later
"""Load that comes and goes, and the interference with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_channel import trace
from cellbed_channel.cell_load import share
from cellbed_channel.render import Cell, Parameters, RouteParameters, render


@given(st.integers(0, 50), st.floats(0.0, 1.0), st.integers(1, 8), st.floats(0.01, 100.0), st.integers(0, 400))
def test_it_is_a_share_and_the_same_however_it_is_asked_for(seed, load, users, busy_s, first):
    t_s = np.arange(500) * 0.05
    whole = share(seed, "a", t_s, load, users, busy_s)
    assert ((whole >= 0) & (whole <= 1)).all()
    if 0 < load < 1:
        assert np.allclose(whole * users, np.rint(whole * users))
    assert np.array_equal(share(seed, "a", t_s[first:first + 20], load, users, busy_s), whole[first:first + 20])


@pytest.mark.parametrize(("load", "users", "busy_s"), [(0.1, 1, 0.5), (0.5, 4, 1.0), (0.8, 2, 0.2)])
def test_mean_deviation_and_how_long_it_lasts(load, users, busy_s):
    """On and off by turns: the correlation falls by exp(-(1 / busy + 1 / idle) t)."""
    step_s = 0.02
    t_s = np.arange(400_000) * step_s
    found = share(1, "a", t_s, load, users, busy_s)
    assert found.mean() == pytest.approx(load, abs=0.03)
    assert found.std() == pytest.approx(np.sqrt(load * (1 - load) / users), rel=0.08)
    rate_per_s = 1 / busy_s + load / (busy_s * (1 - load))
    lag = max(1, round(0.7 / rate_per_s / step_s))
    off = found - found.mean()
    assert (off[lag:] * off[:-lag]).mean() / off.var() == pytest.approx(np.exp(-rate_per_s * lag * step_s), abs=0.06)


def test_cells_and_seeds_have_loads_of_their_own():
    t_s = np.arange(1000) * 0.05
    loads = [share(seed, site, t_s, 0.5, 4, 1.0) for seed in (1, 2) for site in ("a", "b")]
    assert max(abs(np.corrcoef(loads)[np.triu_indices(4, 1)])) < 0.5


ENBS = {"near": (0.0, 0.0), "other": (300.0, 0.0)}


def sinr_db(**keys):
    """Downlink and uplink of a UE between two cells, in the first of them, and what it measures of the other."""
    parameters = Parameters("route", 20, positions={"ue1": (140.0, 10.0)},
                            route=RouteParameters(ENBS, shadowing_sigma_db=0, fading=False, **keys))
    found = trace.ChannelTrace(render(parameters, Cell({"ue1": None}, 25, tuple(ENBS)), 1, 30.0), {}, {1: "ue1"})
    return [found.records_of(1, way, enb)["sinr_cdb"] / 100 for way, enb in (("dl", 0), ("ul", 0), (trace.RSRP, 1))]


def test_interference_is_that_of_the_load():
    """One UE of the other cell: all of its power or nothing. Uplink and RSRP have nothing to do with it."""
    none, full, changing = (sinr_db(load=load, **keys) for load, keys in (
        (0.0, {}), (1.0, {}), (0.5, {"load_users": 1, "load_busy_ms": 200})))
    assert set(changing[0]) == {none[0][0], full[0][0]} and none[0][0] > full[0][0] + 5
    for number in (1, 2):
        assert set(changing[number]) == set(none[number])


def test_several_ues_have_steps_in_between():
    found = sinr_db(load=0.5, load_users=4, load_busy_ms=200)[0]
    assert len(set(found)) == 5


def test_what_an_enb_sends_does_not_disturb_its_own_ues():
    """Without another cell there is none, whatever the load."""
    alone = Parameters("route", 20, positions={"ue1": (140.0, 10.0)}, route=RouteParameters(
        {"near": (0.0, 0.0)}, shadowing_sigma_db=0, fading=False, load_users=3))
    found = trace.ChannelTrace(render(alone, Cell({"ue1": None}, 25, ("near",)), 1, 10.0), {}, {1: "ue1"})
    assert found.records_of(1, "dl", 0)["sinr_cdb"].tolist() == [round(100 * sinr_db(load=0.0)[0][0])]
