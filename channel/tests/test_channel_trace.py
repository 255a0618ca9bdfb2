# SPDX-License-Identifier: GPL-2.0-or-later
"""Channel traces: what is written is read, what is broken is refused, what is measured is kept."""

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cellbed_channel import render as renderer
from cellbed_channel import trace
from cellbed_channel.error import ChannelError, FileError, ParameterError
from cellbed_channel.render import Cell, CqiParameters, Parameters, PathLossParameters, render, render_file
from cellbed_formats import renamed
from cellbed_formats.trace import read_trace

PAIR = Cell({"ue1": "ue2", "ue2": "ue1"})
SWING = Parameters("swing")


@pytest.fixture
def swing(tmp_path):
    path = tmp_path / "channel.trace"
    render_file(path, SWING, PAIR, seed=1, duration_s=60)
    return path


def values(records, ue, direction):
    return records[(records["ue"] == ue) & (records["dir"] == trace.DIRECTIONS.index(direction))]


def test_the_experiment_of_nardini():
    """Section IV: "each UE has a constant UL CQI equal to 9, and a varying CQI on the SL, going both above and below
    9"."""
    records = render(SWING, PAIR, seed=1, duration_s=500)
    for ue in (1, 2):
        assert set(values(records, ue, "ul")["cqi"]) == {9}
        assert set(values(records, ue, "dl")["cqi"]) == {15}
        direct = values(records, ue, "sl")
        assert (direct["cqi"].min(), direct["cqi"].max()) == (5, 15)
        assert (direct["sinr_cdb"].min(), direct["sinr_cdb"].max()) == (1172, 4013)


def test_the_better_mode_changes_as_the_ues_swing():
    """Every second the mode with the higher CQI, the direct one when both are equal: twice in 43.3 s."""
    direct = values(render(SWING, PAIR, seed=1, duration_s=500), 1, "sl")
    seconds = np.arange(501) * 1_000_000_000
    dm = direct["cqi"][np.searchsorted(direct["t_ns"], seconds, side="right") - 1] >= 9
    assert np.count_nonzero(np.diff(dm)) == 23


def test_same_parameters_same_bytes(tmp_path, swing):
    again = tmp_path / "again"
    render_file(again, SWING, PAIR, seed=1, duration_s=60)
    assert again.read_bytes() == swing.read_bytes()


def test_the_bytes_of_the_experiment():
    """On every machine: no math library may move a record."""
    digest = hashlib.sha256(render(SWING, PAIR, seed=1, duration_s=500).tobytes()).hexdigest()
    assert digest == "da8d9c417a47d8a404853f3e9a0f2e80abec5af9e0b1392cd75e2221251c7581"


def test_a_record_whenever_a_value_changes():
    records = render(Parameters("swing", granularity_ms=100), PAIR, seed=1, duration_s=60)
    assert np.all(records["t_ns"] % 100_000_000 == 0)
    for ue in (1, 2):
        for direction in trace.DIRECTIONS:
            one = values(records, ue, direction)
            assert one["t_ns"][0] == 0
            same = (np.diff(one["sinr_cdb"]) == 0) & (np.diff(one["cqi"].astype(int)) == 0)
            assert not same.any()
    assert np.all(np.diff(records["t_ns"]) >= 0)


def test_a_coarser_trace_has_the_same_values_where_both_have_one():
    fine, coarse = (values(render(Parameters("swing", granularity_ms=ms), PAIR, 1, 30), 1, "sl") for ms in (1, 40))
    held = fine["sinr_cdb"][np.searchsorted(fine["t_ns"], coarse["t_ns"], side="right") - 1]
    assert np.array_equal(held, coarse["sinr_cdb"])


def test_blocks_leave_no_seams(monkeypatch):
    whole = render(Parameters("swing", path_loss=PathLossParameters(los="drawn")), PAIR, 1, 30)
    monkeypatch.setattr(renderer, "BLOCK", 7)
    assert np.array_equal(render(Parameters("swing", path_loss=PathLossParameters(los="drawn")), PAIR, 1, 30), whole)


def test_a_leg_may_have_a_constant_cqi():
    records = render(Parameters("swing", cqi=CqiParameters(ul=7)), PAIR, 1, 60)
    assert set(values(records, 1, "ul")["cqi"]) == {7}
    assert len(set(values(records, 1, "sl")["cqi"])) > 1


def test_line_of_sight_is_drawn_for_each_link():
    def at(seed, los):
        parameters = Parameters("static", positions={"ue1": (100.0, 0.0), "ue2": (0.0, 100.0)},
                                path_loss=PathLossParameters(los=los))
        return render(parameters, PAIR, seed, 1)

    choices = {at(seed, "drawn").tobytes() for seed in range(20)}
    assert 2 < len(choices) <= 8  # three links, each with or without
    never, always = at(1, "never"), at(1, "always")
    assert np.all(always["sinr_cdb"] > never["sinr_cdb"])
    for seed in range(20):
        drawn = at(seed, "drawn")
        assert drawn["sinr_cdb"][2] == drawn["sinr_cdb"][5]  # both directions of the direct link are one link


def test_a_ue_of_the_network_has_no_direct_leg():
    records = render(Parameters("static", positions={"ue1": (50.0, 0.0)}), Cell({"ue1": None}), 1, 1)
    assert [(int(r["ue"]), trace.DIRECTIONS[r["dir"]]) for r in records] == [(1, "ul"), (1, "dl")]


def test_written_is_read(swing):
    found = trace.read(swing)
    assert np.array_equal(found.records, render(SWING, PAIR, 1, 60))
    assert found.ues == {1: "ue1", 2: "ue2"}
    assert Parameters.from_dict(found.model["parameters"]) == SWING
    header = swing.read_bytes().partition(b"\n")[0] + b"\n"
    assert len(header) % 64 == 0
    assert json.loads(header)["header_bytes"] == len(header)


def test_the_analysis_reads_it(swing):
    frame = read_trace(swing, "channel")
    assert frame.columns == ["t_ns", "ue", "dir", "cqi", "reserved", "sinr_cdb"]
    assert frame["dir"][:3].to_list() == ["ul", "dl", "sl"]
    assert frame["ue"][0] == "ue1"


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(0, 15)), min_size=1, max_size=30))
def test_any_series_comes_back(tmp_path_factory, samples):
    """Expanding the changes again gives the series."""
    path = tmp_path_factory.mktemp("any") / "channel.trace"
    t_ns = np.arange(len(samples), dtype=np.int64) * 1_000_000
    sinr, cqis = (np.array(column, dtype=np.int64) for column in zip(*samples, strict=True))
    trace.write(path, trace.changes(t_ns, [trace.Series(3, "sl", sinr, cqis)]), {3: "x"}, {})
    one = trace.read(path).records_of(3, "sl")
    held = one[np.searchsorted(one["t_ns"], t_ns, side="right") - 1]
    assert np.array_equal(held["sinr_cdb"], sinr)
    assert np.array_equal(held["cqi"], cqis)


def broken(data, how):
    line = data.partition(b"\n")[0]
    if how == "cut":
        return data[:-3]
    if how == "empty":
        return b""
    if how == "name":
        return data.replace(b'"name":"channel"', b'"name":"radioxx"')
    if how == "version":
        return data.replace(b'"version":1', b'"version":9')
    if how == "size":
        return line[:-1] + data[len(line):]
    if how == "field":
        return data.replace(b'"name":"cqi"', b'"name":"cqx"')
    body = bytearray(data[len(line) + 1:])
    body[10 if how == "cqi" else 9] = 200
    return line + b"\n" + bytes(body)


@pytest.mark.parametrize(("how", "message"), [
    ("cut", "truncated: ends 13 bytes into record"), ("empty", "not a cellbed-trace file"),
    ("name", "holds the trace 'radioxx', expected 'channel'"), ("version", "trace version 9: readable: 1"),
    ("size", "but the header has"), ("field", "bad trace header: no field cqi"),
    ("cqi", "record 1: cqi 200: allowed 0..15"), ("dir", "record 1: dir 200: allowed 0..2"),
])
def test_broken_traces(swing, how, message):
    swing.write_bytes(broken(swing.read_bytes(), how))
    with pytest.raises(FileError, match=message) as error:
        trace.read(swing)
    assert str(error.value).startswith(str(swing))


def test_no_file(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        trace.read(tmp_path / "none")


@pytest.mark.parametrize(("series", "message"), [
    (trace.Series(0, "ul", np.zeros(1), np.zeros(1)), "ue: value 0: allowed 1..255"),
    (trace.Series(1, "up", np.zeros(1), np.zeros(1)), "direction: value up: allowed ul, dl, sl"),
    (trace.Series(1, "ul", np.zeros(1), np.full(1, 16)), r"cqi: value .16, 16.: allowed 0..15"),
])
def test_what_has_no_place_in_a_record(series, message):
    with pytest.raises(ParameterError, match=message):
        trace.changes(np.zeros(1, dtype=np.int64), [series])


@pytest.mark.parametrize(("parameters", "cell", "message"), [
    (SWING, Cell({"a": "b", "b": "a", "c": None}), "model: value swing: allowed two UEs only, here are 3"),
    (Parameters("static", positions={"ue1": (0, 1)}), PAIR, "positions.ue2: value null"),
    (Parameters("trace"), PAIR, "trace: value null: allowed a file"),
])
def test_parameters_that_do_not_fit(parameters, cell, message):
    with pytest.raises(ChannelError, match=message):
        render(parameters, cell, 1, 1)


def measured(tmp_path, text):
    (tmp_path / "m.csv").write_text(text)
    return render(Parameters("trace", trace="m.csv", granularity_ms=20), PAIR, 1, 0.1, tmp_path)


def test_measured_values(tmp_path):
    records = measured(tmp_path, "ue,t_ms,direction,sinr_db,cqi\nue2,0,sl,18.9,\nue2,41,sl,,12\nue2,45,sl,30,3\n"
                                 "ue1,10,ul,-3.5,\n")
    rows = [(int(r["t_ns"]) // 1_000_000, int(r["ue"]), trace.DIRECTIONS[r["dir"]], int(r["cqi"]), int(r["sinr_cdb"]))
            for r in records]
    assert rows == [(0, 1, "ul", 0, -350), (0, 2, "sl", 9, 1890), (60, 2, "sl", 3, 3000)]


def test_a_cqi_without_sinr(tmp_path):
    records = measured(tmp_path, "t_ms,ue,direction,cqi\n0,ue1,dl,4\n")
    assert (records["cqi"][0], records["sinr_cdb"][0]) == (4, trace.UNKNOWN_SINR)


def test_the_old_name_of_a_column(tmp_path, capsys):
    text = "t_ms,ue,direction,cqi\n0,ue1,dl,4\n"
    today = measured(tmp_path, text).tobytes()
    renamed._tell.cache_clear()
    assert measured(tmp_path, text.replace("direction", "leg")).tobytes() == today
    assert capsys.readouterr().err.startswith("cellbed: column leg: its name is now direction;")


@pytest.mark.parametrize(("text", "message"), [
    ("t_ms,ue,direction,cqi\n0,ue9,ul,4\n", ":2: column 'ue': value 'ue9': allowed ue1, ue2"),
    ("t_ms,ue,direction,cqi\n0,ue1,up,4\n", ":2: column 'direction': value 'up': allowed ul, dl, sl"),
    ("t_ms,ue,direction,cqi\n0,ue1,ul,16\n", ":2: column 'cqi': value '16': allowed 0..15"),
    ("t_ms,ue,direction,cqi\n0,ue1,ul,4.5\n", ":2: column 'cqi': value '4.5': allowed whole numbers 0..15"),
    ("t_ms,ue,direction,sinr_db\n0,ue1,ul,nan\n", ":2: column 'sinr_db': value 'nan': allowed -100..200"),
    ("t_ms,ue,direction,sinr_db\n0,ue1,ul,loud\n", ":2: column 'sinr_db': value 'loud': allowed -100..200"),
    ("t_ms,ue,direction,sinr_db\n-1,ue1,ul,3\n", ":2: column 't_ms': value '-1': allowed 0..8.64e+07"),
    ("t_ms,ue,direction,sinr_db\n,ue1,ul,3\n", ":2: column 't_ms': value '': allowed 0..8.64e+07"),
    ("t_ms,ue,direction,sinr_db\n5,ue1,ul,3\n\n4,ue1,ul,3\n", ":4: column 't_ms': value '4': allowed at least 5"),
    ("t_ms,ue,direction,sinr_db,cqi\n0,ue1,ul,,\n", ":2: columns 'sinr_db' and 'cqi': both empty"),
    ("t_ms,ue,direction,sinr_db\n0,ue1,ul\n", ":2: 3 cells: allowed 4"),
    ("t_ms,ue,direction\n0,ue1,ul\n", ":1: columns 'sinr_db' and 'cqi': missing"),
    ("t_ms,ue,cqi\n0,ue1,3\n", ":1: column 'direction': missing"),
    ("t_ms,ue,direction,cqi,rsrp\n", ":1: column 'rsrp': unknown: allowed t_ms, ue, direction, sinr_db, cqi"),
    ("t_ms,ue,direction,cqi,cqi\n", ":1: column 'cqi': given twice"),
    ("t_ms,ue,direction,cqi\n", "no measurements"),
    ("", ":1: column 't_ms': missing"),
])
def test_wrong_measurements(tmp_path, text, message):
    with pytest.raises(FileError) as error:
        measured(tmp_path, text)
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "m.csv"))


def test_a_channel_trace_again(tmp_path, swing):
    records = render(Parameters("trace", trace=swing.name), PAIR, 1, 60, swing.parent)
    assert np.array_equal(records, trace.read(swing).records)
    other_names = Cell({"a": "b", "b": "a"})
    with pytest.raises(ParameterError, match="allowed UEs a, b; UE 1 there is 'ue1'"):
        render(Parameters("trace", trace=swing.name), other_names, 1, 60, swing.parent)
