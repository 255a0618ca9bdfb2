# SPDX-License-Identifier: GPL-2.0-or-later
"""The cell-edge channel as a whole: SINR by hand, what distance and interference do, reports, bytes."""

import hashlib
import math
import time

import numpy as np
import pytest

from cellbed_channel import cell_edge, figure, link, trace
from cellbed_channel.cell_edge import CellEdgeParameters
from cellbed_channel.error import ParameterError
from cellbed_channel.render import Cell, Parameters, render, render_file

ONE = Cell({"ue1": None})


def still(**changes):
    """No fading, no shadowing, a box so small that the UE hardly moves."""
    return CellEdgeParameters(**{"fading": False, "shadowing_sigma_db": 0.0, "box_m": 0.1, **changes})


def sinr_db(parameters, direction="dl", steps=10):
    found = cell_edge.Link(parameters, "ue1", direction, 50, 1, 1, range(steps)).sinr(0, steps)
    return 10 * np.log10(found)


def directions(parameters, seed=1, seconds=4, granularity_ms=1):
    records = render(Parameters("cell_edge", granularity_ms=granularity_ms, cell_edge=parameters), ONE, seed, seconds)
    return {direction: records[records["dir"] == number] for number, direction in enumerate(trace.DIRECTIONS)}


# 60 degrees: cosine 1/2, sine 0.8660
def test_the_box_is_where_distance_and_azimuth_say():
    assert CellEdgeParameters(distance_m=100, azimuth_deg=60).centre() == pytest.approx((50, 86.60), abs=0.01)


# Mean of the bounds at sqrt(299.5^2 + 28.5^2) = 300.853 m: 94.885 + 10 + 22.5 log(300.853 / 1260.87) = 90.884 dB;
# noise over the carrier -104.433 dBm: 46 - 90.884 + 104.433 - 9
def test_downlink_without_interference_by_hand():
    found = sinr_db(still(distance_m=300.0, interference=False))
    assert found == pytest.approx(np.full((10, 50), 50.549), abs=0.005)


def test_uplink_by_hand():
    """1.9 GHz: breakpoint 1140.79 m, 93.146 dB there; loss 90.120 dB; 10 - 90.120 + 104.433 - 5."""
    canyon = cell_edge.StreetCanyon(1.9)
    assert (canyon.breakpoint_m(), canyon.breakpoint_loss_db()) == pytest.approx((1140.79, 93.146), abs=0.005)
    found = sinr_db(still(distance_m=300.0), "ul")
    assert found == pytest.approx(np.full((10, 50), 19.307), abs=0.01)


def test_interference_of_the_own_site_by_hand():
    """No other sites: two sectors 120 degrees off, -20 dB each, at nearly the same distance: 17 dB less 0.05 for it."""
    near = sinr_db(still(distance_m=200.0, tiers=0))
    assert near == pytest.approx(np.full((10, 50), 20 - 10 * math.log10(2)), abs=0.06)


def test_interference_is_a_sum():
    """By direct sum over the cells at one place."""
    parameters = still(distance_m=260.0)
    place = np.array([[260.0, 0.0]])
    gain = 10 ** (cell_edge.gain_db(parameters, place, 2.1)[0] / 10) * 10 ** 4.6
    noise = 10 ** ((link.noise_dbm(50) + 9) / 10)
    wanted = 10 * math.log10(gain[0] / (gain[1:].sum() + noise))
    assert sinr_db(parameters, steps=1)[0, 0] == pytest.approx(wanted, abs=1e-9)
    assert len(gain) == 57


def test_load_scales_interference():
    full, half = (sinr_db(still(distance_m=300.0, load=load))[0, 0] for load in (1.0, 0.5))
    assert half - full == pytest.approx(10 * math.log10(2), abs=0.01)
    none, off = sinr_db(still(load=0.0)), sinr_db(still(interference=False))
    assert none == pytest.approx(off)


def test_farther_is_worse():
    found = [sinr_db(still(distance_m=float(metres)))[0, 0] for metres in range(40, 301, 20)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 10
    assert found[-1] < 0


def test_fading_is_selective_and_leaves_the_mean():
    shadowless = {"shadowing_sigma_db": 0.0, "distance_m": 160.0, "interference": False, "box_m": 0.1}
    parameters = CellEdgeParameters(**shadowless)
    db = sinr_db(parameters, steps=20_000)
    flat = sinr_db(still(distance_m=160.0, interference=False))[0, 0]
    assert 10 * math.log10((10 ** (db / 10)).mean()) == pytest.approx(flat, abs=1.0)  # some 100 coherence times
    assert (db.max(axis=1) - db.min(axis=1)).mean() > 3
    assert np.abs(np.diff(db[:, 25])).mean() < 0.5


def test_shadowing_moves_the_level():
    flat = sinr_db(still(interference=False, shadowing_sigma_db=0.0))[0, 0]
    shadowed = still(interference=False, shadowing_sigma_db=2.0)
    found = [10 * np.log10(cell_edge.Link(shadowed, "ue1", "dl", 50, seed, 1, range(1))
                           .sinr(0, 1)[0, 0]) - flat for seed in range(300)]
    assert np.mean(found) == pytest.approx(0, abs=0.3)
    assert np.std(found) == pytest.approx(2, abs=0.2)


def test_reports_come_late_and_rarely():
    measured = np.arange(20, dtype=np.uint8)
    times = range(20)
    assert list(cell_edge.reported(measured, 1, 1, 4, times)) == [0] * 4 + list(range(16))
    assert list(cell_edge.reported(measured, 1, 5, 4, times)) == [0] * 9 + [5] * 5 + [10] * 5 + [15]
    assert list(cell_edge.reported(measured[:10], 5, 10, 4, range(10))) == [0, 0, 0, 2, 2, 4, 4, 6, 6, 8]
    assert np.array_equal(cell_edge.reported(measured, 1, 1, 0, times), measured)
    assert list(cell_edge.reported(measured[5:], 1, 5, 4, range(14, 20), 5)) == [10] * 5 + [15]


def test_cqi_is_that_of_an_earlier_sinr():
    on_time = directions(CellEdgeParameters(distance_m=160.0, cqi_delay_ms=0))["dl"]
    late = directions(CellEdgeParameters(distance_m=160.0, cqi_delay_ms=7))["dl"]

    def held(records, name):
        return records[name][np.searchsorted(records["t_ns"], np.arange(4000) * 1_000_000, side="right") - 1]

    assert np.array_equal(held(on_time, "sinr_cdb"), held(late, "sinr_cdb"))
    assert np.array_equal(held(on_time, "cqi")[:-7], held(late, "cqi")[7:])


def test_one_record_per_change_from_0():
    for records in (directions(CellEdgeParameters(distance_m=300.0))[direction] for direction in ("ul", "dl")):
        assert records["t_ns"][0] == 0
        assert np.all((np.diff(records["sinr_cdb"]) != 0) | (np.diff(records["cqi"].astype(int)) != 0))
        assert np.all(records["t_ns"] % 1_000_000 == 0)


def test_interference_decides_at_the_edge():
    edge, alone = (directions(CellEdgeParameters(distance_m=300.0, interference=on))["dl"] for on in (True, False))
    assert np.median(edge["cqi"]) <= 3
    assert np.median(alone["cqi"]) == 15


def test_a_coarser_trace_starts_alike_and_a_leg_may_be_constant():
    parameters = CellEdgeParameters(distance_m=160.0, cqi_period_ms=10)
    fine, coarse = (directions(parameters, granularity_ms=ms)["dl"] for ms in (1, 10))
    held = fine["sinr_cdb"][np.searchsorted(fine["t_ns"], coarse["t_ns"], side="right") - 1]
    assert np.abs(held - coarse["sinr_cdb"]).max() <= 1  # rounding


def test_same_seed_same_bytes(tmp_path):
    settings = Parameters("cell_edge", granularity_ms=1, cell_edge=CellEdgeParameters(distance_m=160.0))
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        render_file(tmp_path / name, settings, ONE, seed, 2)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b
    assert a != c
    found = trace.read(tmp_path / "a")
    assert Parameters.from_dict(found.model["parameters"]) == settings


def test_ues_have_draws_of_their_own_that_others_do_not_move():
    settings = Parameters("cell_edge", granularity_ms=1, cell_edge=CellEdgeParameters(distance_m=160.0))
    alone = render(settings, ONE, 1, 1)
    both = render(settings, Cell({"ue1": None, "ue2": None}), 1, 1)
    assert np.array_equal(both[both["ue"] == 1], alone)
    assert not np.array_equal(both[both["ue"] == 2]["sinr_cdb"][:50], alone["sinr_cdb"][:50])


def test_other_models_keep_their_header(tmp_path):
    """Bytes of a swing, header included, from before there was a cell edge."""
    path = tmp_path / "channel.trace"
    render_file(path, Parameters("swing"), Cell({"ue1": "ue2", "ue2": "ue1"}), seed=1, duration_s=60)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest == "3e69e4b636d00caa1b3174d862c24c0c773c1bba56cf7091a0d46f62011985ef"


def test_a_minute_takes_seconds():
    """About 3 s of processor time; ten times that is a mistake."""
    start = time.process_time()
    directions(CellEdgeParameters(distance_m=160.0), seconds=6)
    assert time.process_time() - start < 3


@pytest.mark.parametrize(("changes", "message"), [
    ({"load": 2.0}, "cell_edge.load: value 2.0: allowed 0..1"),
    ({"tiers": 9}, "cell_edge.tiers: value 9: allowed 0..4"),
    ({"cqi_period_ms": 15}, "cell_edge.cqi_period_ms: value 15: allowed multiples of granularity_ms, 10"),
    ({"cqi_period_ms": 10, "cqi_table": "x"}, "cqi.table: value x: allowed kawser, piro, vienna, mezzavilla"),
])
def test_wrong_parameters(changes, message):
    with pytest.raises(ParameterError, match=message):
        directions(CellEdgeParameters(**changes), granularity_ms=10)


def test_no_direct_links():
    with pytest.raises(ParameterError, match="peers.ue1: value ue2: allowed none"):
        render(Parameters("cell_edge", granularity_ms=1), Cell({"ue1": "ue2", "ue2": "ue1"}), 1, 1)


def test_a_figure_has_the_distance(tmp_path):
    path = tmp_path / "channel.trace"
    settings = Parameters("cell_edge", granularity_ms=1, cell_edge=CellEdgeParameters(distance_m=160.0))
    render_file(path, settings, ONE, 1, 2)
    panels = figure.draw(path).axes
    assert [axes.get_ylabel() for axes in panels] == ["distance (m)", "SINR (dB)", "CQI"]
    assert panels[0].lines[0].get_ydata() == pytest.approx(np.full(2000, 160), abs=2)


def test_the_map_has_the_three_sectors_of_a_site():
    """A turn by 120 degrees maps cells onto cells; between two beams it is worse than in one."""
    turn = np.array([[-0.5, math.sqrt(0.75)], [-math.sqrt(0.75), -0.5]])
    places = np.array([[150.0, 40.0], [200.0, 0.0]])
    once = cell_edge.strongest_db(CellEdgeParameters(), places, 50)
    assert cell_edge.strongest_db(CellEdgeParameters(), places @ turn, 50) == pytest.approx(once, abs=1e-6)
    beam, between = cell_edge.strongest_db(CellEdgeParameters(), np.array([[100.0, 0.0], [50.0, 86.6]]), 50)
    assert beam > between + 5
    assert -6 < between < 0  # two sectors alike, and all others


def test_the_map_is_the_serving_cell_where_the_ue_is():
    """In the beam the serving cell is the strongest one."""
    for metres in (60.0, 160.0, 240.0):
        on_map = cell_edge.strongest_db(CellEdgeParameters(), np.array([[metres, 0.0]]), 50)[0]
        assert on_map == pytest.approx(sinr_db(still(distance_m=metres), steps=1)[0, 0], abs=0.01)


def test_a_map_is_drawn(tmp_path):
    drawn = figure.draw_map(spacing_m=50)
    assert drawn.axes[0].get_xlabel() == "x (m)"
    assert drawn.axes[1].get_ylabel() == "SINR of the strongest cell (dB)"
    drawn.savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 5000
