# SPDX-License-Identifier: GPL-2.0-or-later
"""A channel trace that is written while it is used has the values of one that is rendered before."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cellbed_channel import trace
from cellbed_channel.beams import BeamParameters
from cellbed_channel.blockage import BlockageParameters
from cellbed_channel.cell_edge import CellEdgeParameters
from cellbed_channel.error import ParameterError
from cellbed_channel.render import (
    WINDOW_MS,
    Cell,
    Parameters,
    PathLossParameters,
    RouteParameters,
    SwingParameters,
    grow,
    render,
)

WINDOWS = 3
ALONE = Cell({"ue1": None})
PAIR = Cell({"ue1": "ue2", "ue2": "ue1"})
TWO = Cell({"ue1": None}, 25, ("west", "east"))
ENBS = {"west": (-500.0, 0.0), "east": (500.0, 0.0)}


def sampled(records, t_ns):
    """Values of each direction at these times, and all measurements."""
    directions, measured = {}, {}
    for key in {(int(one["ue"]), int(one["enb"]), int(one["dir"])) for one in records}:
        own = records[(records["ue"] == key[0]) & (records["enb"] == key[1]) & (records["dir"] == key[2])]
        if trace.DIRS[key[2]] == trace.RSRP:
            measured[key] = own
        else:
            at = np.searchsorted(own["t_ns"], t_ns, side="right") - 1
            directions[key] = own[at][["cqi", "sinr_cdb"]]
    return directions, measured


def compare(tmp_path, parameters, cell, seed):
    """Rounding may move a value by a hundredth of a dB, and so a CQI at the edge of one."""
    path = tmp_path / "channel.trace"
    grown = grow(path, parameters, cell, seed, tmp_path)
    reached_s = list(itertools.islice(grown, WINDOWS))
    grown.close()
    whole = render(parameters, cell, seed, reached_s[-1] - parameters.granularity_ms / 1000, tmp_path)
    found = trace.read(path).records
    t_ns = np.arange(0, int(reached_s[-1] * 1e9), parameters.granularity_ms * 1_000_000)
    (ways, measured), (ways_whole, measured_whole) = sampled(found, t_ns), sampled(whole, t_ns)
    assert ways.keys() == ways_whole.keys() and measured.keys() == measured_whole.keys()
    for key, values in ways.items():
        off_cdb = np.abs(values["sinr_cdb"].astype(np.int64) - ways_whole[key]["sinr_cdb"])
        assert off_cdb.max() <= 1
        assert np.array_equal(values["cqi"][off_cdb == 0], ways_whole[key]["cqi"][off_cdb == 0])
        assert (off_cdb == 0).mean() > 0.999
    for key, values in measured.items():
        assert len(values) > 0
        assert np.array_equal(values["t_ns"], measured_whole[key]["t_ns"][:len(values)])
        assert np.abs(values["sinr_cdb"] - measured_whole[key]["sinr_cdb"][:len(values)]).max() <= 1
        assert len(measured_whole[key]) - len(values) <= 1  # that of the end waits for the next window


@given(granularity_ms=st.sampled_from([3, 7, 10, 32]), period=st.integers(1, 30), delay_ms=st.integers(0, 50),
       seed=st.integers(0, 3))
@settings(max_examples=4, deadline=None)
def test_at_the_cell_edge(tmp_path_factory, granularity_ms, period, delay_ms, seed):
    edge = CellEdgeParameters(cqi_period_ms=period * granularity_ms, cqi_delay_ms=delay_ms, interference=False)
    compare(tmp_path_factory.mktemp("edge"), Parameters("cell_edge", granularity_ms, cell_edge=edge), ALONE, seed)


@pytest.mark.parametrize("parameters, cell", [
    (Parameters("static", positions={"ue1": (100.0, 0.0)},
                blockage=BlockageParameters(blocker="person", per_minute=60.0)), ALONE),
    (Parameters("swing", 7, swing=SwingParameters(), path_loss=PathLossParameters(los="drawn")), PAIR)])
def test_of_positions(tmp_path, parameters, cell):
    compare(tmp_path, parameters, cell, 1)


@pytest.mark.parametrize("waypoints", [["-400,30,0", "400,30,25"], ["-400,30,0", "300,30,9", "400,90,40"]])
def test_along_a_route(tmp_path, waypoints):
    (tmp_path / "way.csv").write_text("\n".join(["x_m,y_m,t_s", *waypoints]) + "\n")
    route = RouteParameters(ENBS, {"ue1": "way.csv"}, interferers=((0.0, 700.0),), rx_antennas=2)
    compare(tmp_path, Parameters("route", 5, route=route), TWO, 1)


def test_beams_along_a_route(tmp_path):
    """Those of a window follow from what was shortly before it, however much has been rendered."""
    (tmp_path / "way.csv").write_text("x_m,y_m,t_s\n-80,30,0\n80,30,40\n")
    route = RouteParameters(ENBS, {"ue1": "way.csv"}, shadowing="tr38901", beam_gain_db=18.0,
                            beams=BeamParameters(self_blocking="portrait"))
    loss, blockage = PathLossParameters("umi_38901", "by_place", 28.0, 10.0), BlockageParameters(per_minute=60.0)
    compare(tmp_path, Parameters("route", 10, path_loss=loss, blockage=blockage, route=route), TWO, 1)


def test_its_end_is_not_known(tmp_path):
    parameters = Parameters("static", positions={"ue1": (100.0, 0.0)})
    grown = grow(tmp_path / "channel.trace", parameters, ALONE, 1)
    assert [next(grown), next(grown)] == [WINDOW_MS / 1000, 2 * WINDOW_MS / 1000]
    grown.close()
    assert trace.read(tmp_path / "channel.trace").model["duration_s"] is None


def test_what_is_wrong_is_said_at_once(tmp_path):
    with pytest.raises(ParameterError, match="positions.ue1"):
        next(grow(tmp_path / "channel.trace", Parameters("static"), ALONE, 1))
