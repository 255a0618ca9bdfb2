# SPDX-License-Identifier: GPL-2.0-or-later
"""The channels of an eNB and of a gNB in one trace, rendered before it is used, and while it is."""

import itertools

import numpy as np
import pytest

from cellbed_channel import render, together, trace
from cellbed_channel.error import StationError
from cellbed_channel.render import Cell, Parameters, PathLossParameters, RouteParameters

UES = {"ue1": None, "ue2": None}
PLACES = {"ue1": (100.0, 0.0), "ue2": (300.0, 50.0)}
NAMES = {0: "enb", 1: "gnb"}
ROUTE = RouteParameters({"site": (0.0, 0.0)})
TABLES = {"ul": "nr_qam64", "dl": "nr_qam256"}


def stations(lte_ms=10, nr_ms=20):
    lte = Parameters("static", lte_ms, positions=PLACES)
    nr = Parameters("route", nr_ms, route=ROUTE, positions=PLACES, path_loss=PathLossParameters(carrier_ghz=3.5))
    return {"enb": together.Station(0, lte, Cell(UES, 50), 1),
            "gnb": together.Station(1, nr, Cell(UES, 273, ("site",), 360_000, TABLES), 2)}


def of_station(records, number):
    return records[records["enb"] == number]


def test_each_has_what_it_has_alone(tmp_path):
    both = stations()
    together.render_file(tmp_path / "channel.trace", both, NAMES, 2.0)
    found = trace.read(tmp_path / "channel.trace")
    assert found.enbs == NAMES and found.ues == {1: "ue1", 2: "ue2"}
    for one in both.values():
        alone = render.render(one.parameters, one.cell, one.seed, 2.0)
        own = of_station(found.records, one.number)
        assert len(own) == len(alone)
        for name in ("t_ns", "ue", "dir", "cqi", "sinr_cdb"):
            assert np.array_equal(own[name], alone[name])
    assert np.array_equal(found.records, trace.in_order(found.records))
    assert len(found.records_of(1, trace.RSRP, 1)) == 10 and not len(found.records_of(1, trace.RSRP, 0))


def test_the_header_says_what_each_was_made_from(tmp_path):
    together.render_file(tmp_path / "channel.trace", stations(), NAMES, 1.0)
    made = trace.read(tmp_path / "channel.trace").model["stations"]
    assert {name: (of["n_rb"], of["seed"], of["duration_s"]) for name, of in made.items()} == {
        "enb": (50, 1, 1.0), "gnb": (273, 2, 1.0)}
    assert made["gnb"]["cqi_tables"] == TABLES and "route" not in made["enb"]["parameters"]


@pytest.mark.parametrize("name", ["enb", "gnb"])
def test_one_may_be_without(tmp_path, name):
    """Its number stays, and the other one's name is in the header."""
    only = {name: stations()[name]}
    together.render_file(tmp_path / "channel.trace", only, NAMES, 1.0)
    found = trace.read(tmp_path / "channel.trace")
    assert set(found.records["enb"].tolist()) == {only[name].number} and found.enbs == NAMES


# Windows of 7 and of 11 ms end at other times than those of 10 ms.
@pytest.mark.parametrize(("lte_ms", "nr_ms"), [(10, 20), (7, 20), (10, 8), (11, 40)])
def test_what_grows_has_the_same_values(tmp_path, lte_ms, nr_ms):
    both, path = stations(lte_ms, nr_ms), tmp_path / "channel.trace"
    grown = together.grow(path, both, NAMES)
    reached_s = list(itertools.islice(grown, 4))
    grown.close()
    found = trace.read(path)  # which checks the order of time
    assert all(after > before for before, after in itertools.pairwise(reached_s))
    assert found.records["t_ns"].max() < reached_s[-1] * 1e9 and found.model["stations"]["enb"]["duration_s"] is None
    for one in both.values():
        whole = render.render(one.parameters, one.cell, one.seed, reached_s[-1])
        for ue, direction in itertools.product((1, 2), ("ul", "dl")):
            own = of_station(found.records, one.number)
            own = own[(own["ue"] == ue) & (own["dir"] == trace.DIRS.index(direction))]
            wanted = whole[(whole["ue"] == ue) & (whole["dir"] == trace.DIRS.index(direction))]
            t_ns = np.arange(0, int(reached_s[-1] * 1e9), one.parameters.granularity_ms * 1_000_000)
            now, then = (of["sinr_cdb"][np.searchsorted(of["t_ns"], t_ns, side="right") - 1] for of in (own, wanted))
            assert np.abs(now.astype(np.int64) - then).max() <= 1


def test_what_is_wrong_says_of_which_it_is(tmp_path):
    both = stations()
    both["gnb"] = together.Station(1, Parameters("route", route=ROUTE), both["gnb"].cell, 2)
    with pytest.raises(StationError, match="route.tracks.ue1") as wrong:
        together.render_file(tmp_path / "channel.trace", both, NAMES, 1.0)
    assert wrong.value.station == "gnb"
    with pytest.raises(StationError, match="route.tracks.ue1"):
        next(together.grow(tmp_path / "channel.trace", both, NAMES))
