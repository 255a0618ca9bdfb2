# SPDX-License-Identifier: GPL-2.0-or-later
"""Channels of several eNBs along a way: what a UE hears of each, and what it measures."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_channel import cqi, fading, profiles, trace
from cellbed_channel.error import ParameterError
from cellbed_channel.link import Budget, noise_dbm
from cellbed_channel.path_loss import UrbanMacro
from cellbed_channel.render import (
    Cell,
    CqiParameters,
    Parameters,
    PathLossParameters,
    RouteParameters,
    render,
    render_file,
)

ENBS = {"west": (-500.0, 0.0), "east": (500.0, 0.0)}
CELL = Cell({"rider": None, "shop": None}, 50, tuple(ENBS))
PLAIN = RouteParameters(ENBS, {"rider": "way.csv"}, fading=False, shadowing_sigma_db=0.0, load=1.0)


@pytest.fixture
def rendered(tmp_path):
    (tmp_path / "way.csv").write_text("x_m,y_m,t_s\n-400,30,0\n400,30,40\n")

    def of(route=PLAIN, seed=1, duration_s=45.0, enbs=tuple(ENBS), cell=None, **others):
        parameters = Parameters("route", route=route, **{"positions": {"shop": (0.0, 100.0)}, **others})
        cell = cell or Cell(CELL.peers, CELL.n_rb, enbs)
        return trace.ChannelTrace(render(parameters, cell, seed, duration_s, tmp_path), {}, cell.numbers)

    return of


def mean_power_dbm(x_m, y_m, enb):
    """What the UE receives of an eNB over the carrier, by the formulas: no fading, shadowing or line of sight."""
    distance = np.array([math.hypot(x_m - ENBS[enb][0], y_m)])
    budget = Budget()
    loss_db = float(UrbanMacro().nlos_loss_db(distance)[0])
    return budget.enb_tx_dbm + budget.enb_gain_dbi - budget.cable_loss_db - loss_db


def test_sinr_by_hand(rendered):
    """At 10 s the rider is 300 m from one eNB and 700 m from the other."""
    found = rendered()
    own, other = (10 ** (mean_power_dbm(-200, 30, enb) / 10) for enb in ENBS)
    noise = 10 ** ((noise_dbm(50) + 5.0) / 10)
    for enb, sinr in enumerate((own / (other + noise), other / (own + noise))):
        direction = found.records_of(1, "dl", enb)
        at = direction[np.searchsorted(direction["t_ns"], 10_000_000_000, side="right") - 1]
        assert at["sinr_cdb"] / 100 == pytest.approx(10 * math.log10(sinr), abs=0.02)


def test_the_uplink_has_no_interference(rendered):
    budget, loss = Budget(), UrbanMacro().nlos_loss_db(np.array([math.hypot(500, 100)]))
    sinr = budget.ue_tx_dbm + budget.enb_gain_dbi - budget.cable_loss_db - loss[0] - noise_dbm(50) - 5.0
    assert rendered().records_of(2, "ul", 1)["sinr_cdb"][0] / 100 == pytest.approx(sinr, abs=0.01)


def test_rsrp_is_the_power_of_a_resource_element(rendered):
    """Every 200 ms, the mean of the samples before: the shop does not move."""
    measured = rendered(duration_s=2.0).records_of(2, "rsrp", 0)
    assert list(measured["t_ns"]) == [ms * 1_000_000 for ms in range(200, 2001, 200)]
    expected = mean_power_dbm(0, 100, "west") - 10 * math.log10(12 * 50)
    assert measured["sinr_cdb"] / 100 == pytest.approx([expected] * 10, abs=0.01)


def test_the_stronger_cell_changes_half_way(rendered):
    found = rendered()
    west, east = (found.records_of(1, "rsrp", enb)["sinr_cdb"].astype(int) for enb in range(2))
    crossing = np.flatnonzero(np.diff(np.sign(east - west)))
    assert len(crossing) == 1
    assert found.records_of(1, "rsrp")["t_ns"][crossing[0]] / 1e9 == pytest.approx(20, abs=0.3)


def test_load_scales_interference(rendered):
    def edge(load):
        return rendered(RouteParameters(**{**vars(PLAIN), "load": load})).records_of(2, "dl", 0)["sinr_cdb"][0]

    assert edge(1.0) / 100 == pytest.approx(0, abs=0.1)  # the shop is as far from both; noise is far below
    assert (edge(0.5) - edge(1.0)) / 100 == pytest.approx(10 * math.log10(2), abs=0.1)


def test_interferers_serve_nobody_and_are_heard(rendered):
    """A third one as far as the others: the shop then hears two of the same strength, 3 dB more than one."""
    alone, joined = (rendered(RouteParameters(**{**vars(PLAIN), "interferers": others}))
                     for others in ((), ((500.0, 0.0),)))
    assert {int(enb) for enb in joined.records["enb"]} == {0, 1}
    fell = alone.records_of(2, "dl", 0)["sinr_cdb"][0] - joined.records_of(2, "dl", 0)["sinr_cdb"][0]
    assert fell / 100 == pytest.approx(10 * math.log10(2), abs=0.1)
    for direction in ("ul", "rsrp"):
        assert (alone.records_of(2, direction, 0) == joined.records_of(2, direction, 0)).all()


def test_a_beam_is_for_its_own_ue(rendered):
    """It raises the SINR by its gain in both directions, also where interference dominates, and what UEs measure."""
    without, with_beam = (rendered(RouteParameters(**{**vars(PLAIN), "beam_gain_db": gain})) for gain in (0.0, 18.0))
    for direction in ("ul", "dl", "rsrp"):
        raised = with_beam.records_of(2, direction, 0)["sinr_cdb"] - without.records_of(2, direction, 0)["sinr_cdb"]
        assert raised / 100 == pytest.approx([18.0] * len(raised), abs=0.01), direction


URBAN = PathLossParameters("umi_38901", "by_place", 28.0, 10.0)
BY_PLACE = RouteParameters(**{**vars(PLAIN), "shadowing": "tr38901"})


def test_maps_are_of_enbs_and_not_of_ues(rendered):
    """The shop stands where the rider comes by at 20 s: both have sight there or not, and the same shadowing."""
    found = rendered(BY_PLACE, path_loss=URBAN, positions={"shop": (0.0, 30.0)})
    for enb in range(2):
        rider = found.records_of(1, "ul", enb)
        passing = rider[np.searchsorted(rider["t_ns"], 20_000_000_000, side="right") - 1]
        assert passing["sinr_cdb"] == found.records_of(2, "ul", enb)["sinr_cdb"][0]


def test_sight_comes_and_goes_on_the_way(rendered):
    """At 100 m the two losses of UMi differ by 20 dB: steps of 10 dB and more are where sight begins or ends.

    Correlated over 50 m, they are some on a way of 800 m, and not one in every 5 m.
    """
    plain = RouteParameters({"gnb": (0.0, -60.0)}, PLAIN.tracks, fading=False, shadowing_sigma_db=0.0)
    steps = [np.abs(np.diff(rendered(plain, seed=seed, path_loss=URBAN, enbs=("gnb",)).records_of(1, "ul")["sinr_cdb"]))
             for seed in range(8)]
    assert 8 <= sum((one > 1000).sum() for one in steps) < 8 * 160


def test_only_models_of_5g_say_how_far_sight_goes(rendered):
    for route, loss in ((PLAIN, PathLossParameters("uma", "by_place")), (BY_PLACE, PathLossParameters())):
        with pytest.raises(ParameterError, match="path_loss.model: value uma: allowed uma_38901"):
            rendered(route, path_loss=loss)


def test_cqis_of_nr_follow_from_its_tables(rendered):
    """273 blocks of 30 kHz; each CQI is that of the flat SINR by the thresholds of the table of its direction."""
    tables = {"ul": "nr_qam64", "dl": "nr_qam256"}
    found = rendered(cell=Cell(CELL.peers, 273, tuple(ENBS), 360_000, tables))
    for direction, table in tables.items():
        of = found.records_of(1, direction, 0)
        assert (of["cqi"] == cqi.cqi_of(of["sinr_cdb"], table)).all()
        assert len(set(of["cqi"].tolist())) > 5


FADING = RouteParameters(ENBS, {"rider": "way.csv"}, shadowing_sigma_db=0.0)


def test_fading_belongs_to_places(rendered):
    """Who stands still has one channel; who moves one that varies, as much as Rayleigh's does over a carrier."""
    found = rendered(FADING, granularity_ms=5, duration_s=20)
    assert len(found.records_of(2, "dl", 0)) == 1
    plain = rendered(PLAIN, granularity_ms=5, duration_s=20)
    rider, mean = (of.records_of(1, "rsrp")["sinr_cdb"] / 100 for of in (found, plain))
    assert 0.3 < np.std(rider - mean) < 4
    assert abs(np.mean(10 ** ((rider - mean) / 10)) - 1) < 0.3


def sinrs(found, direction):
    """Of the rider in the first cell, as ratios, each 100 ms of its way."""
    records = found.records_of(1, direction, 0)
    at = np.searchsorted(records["t_ns"], np.arange(400) * 100_000_000, side="right") - 1
    return 10 ** (records["sinr_cdb"][at] / 1000)


@pytest.mark.parametrize("antennas", [2, 4])
def test_sinrs_of_antennas_add_up(rendered, antennas):
    """Without fading all antennas receive the same."""
    one, more = (rendered(RouteParameters(**{**vars(PLAIN), "rx_antennas": number})) for number in (1, antennas))
    for direction in ("ul", "dl"):
        assert sinrs(more, direction) / sinrs(one, direction) == pytest.approx(np.full(400, antennas), rel=0.003)
    assert (more.records_of(1, "rsrp", 0) == one.records_of(1, "rsrp", 0)).all()  # of one antenna, whatever the others


@pytest.mark.parametrize("antennas", [1, 2, 4])
def test_antennas_seldom_fade_at_once(rendered, antennas):
    """Rayleigh's power is exponential, so the sum over M antennas deviates by 1/sqrt(M) of its mean."""
    one_block = Cell(CELL.peers, 1, tuple(ENBS))
    plain = sinrs(rendered(PLAIN, cell=one_block, granularity_ms=100), "ul")
    faded = RouteParameters(**{**vars(FADING), "rx_antennas": antennas})
    gain = np.concatenate([sinrs(rendered(faded, seed, cell=one_block, granularity_ms=100), "ul") / plain
                           for seed in range(1, 6)])
    assert np.mean(gain) == pytest.approx(antennas, rel=0.1)
    assert np.std(gain) / np.mean(gain) == pytest.approx(1 / math.sqrt(antennas), rel=0.1)


@given(st.floats(0, 1e4), st.floats(0.001, 1), st.integers(1, 1500), st.integers(0, 1499))
def test_equal_steps_are_a_short_cut_only(start_m, step_m, count, stop):
    """Amplitudes along a way at constant speed, and with a stop in it, are the sum of waves at each place."""
    taps = fading.Taps(1, "fading/rider/dl/west", 40.0, profiles.profile("tdl_c", 300.0))
    even = start_m + step_m * np.arange(count)
    for way_m in (even, np.minimum(even, even[min(stop, count - 1)])):
        waves = np.exp(1j * (taps.pulsation[None] * way_m[:, None, None] + taps.phase[None]))
        assert np.abs(taps.along(way_m) - waves.sum(axis=2) / taps.divisor).max() < 1e-7


def test_shadowing_has_its_deviation(rendered, tmp_path):
    """Over seeds, at one place."""
    shadowed = RouteParameters(ENBS, {"rider": "way.csv"}, fading=False)
    values = [rendered(shadowed, seed, duration_s=0.3).records_of(2, "rsrp", 0)["sinr_cdb"][0] / 100
              for seed in range(60)]
    assert np.std(values) == pytest.approx(6.0, abs=1.7)
    assert np.mean(values) == pytest.approx(mean_power_dbm(0, 100, "west") - 10 * math.log10(600), abs=2.4)


def test_blocks_leave_no_seams(rendered, monkeypatch):
    whole = rendered(FADING, duration_s=6).records
    monkeypatch.setattr("cellbed_channel.route._BLOCK", 30)
    assert np.array_equal(rendered(FADING, duration_s=6).records, whole)


def test_the_start_of_the_way(rendered):
    later = rendered(RouteParameters(**{**vars(PLAIN), "start_s": 10.0}), duration_s=5)
    whole = rendered(duration_s=15)
    assert np.array_equal(later.records_of(1, "rsrp")["sinr_cdb"], whole.records_of(1, "rsrp")["sinr_cdb"][50:75])


def test_constants_count_in_every_cell(rendered):
    found = rendered(cqi=CqiParameters(dl=9), duration_s=5)
    assert all(set(found.records_of(1, "dl", enb)["cqi"]) == {9} for enb in range(2))


def test_written_is_read(rendered, tmp_path):
    parameters = Parameters("route", route=PLAIN, positions={"shop": (0.0, 100.0)})
    for name in ("one", "two"):
        render_file(tmp_path / name, parameters, CELL, 1, 5.0, tmp_path)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    found = trace.read(tmp_path / "one")
    assert found.enbs == {0: "west", 1: "east"}
    assert np.array_equal(found.records, render(parameters, CELL, 1, 5.0, tmp_path))
    assert Parameters.from_dict(found.model["parameters"]).route.load == 1.0


@pytest.mark.parametrize(("changes", "message"), [
    ({"route": None}, "route: value null"),
    ({"granularity_ms": 30}, "granularity_ms: value 30: allowed whole parts of"),
    ({"positions": {}}, "route.tracks.shop: value null: allowed a file of waypoints, or positions"),
    ({"route": RouteParameters({"west": (0, 0)}, {"rider": "way.csv"})}, "route.enbs.east: value null"),
    ({"route": RouteParameters({**ENBS, "east": (9000, 0)}, {"rider": "way.csv"})}, "distance: value 94"),
])
def test_what_does_not_fit(rendered, changes, message):
    with pytest.raises(ParameterError, match=message):
        rendered(**changes)
