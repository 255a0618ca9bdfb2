# SPDX-License-Identifier: GPL-2.0-or-later
"""Packet-delivery traces: their format, the keys of a link that follows them, and what a run gets of it."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from minimal import ROOT, WIRED

from cellbed.error import ScenarioError
from cellbed.run import cellreplay, mahimahi, radio_config
from cellbed.scenario import packet_trace
from cellbed.scenario.description import expand, identity

SAMPLES = ROOT / "scenarios/packet-trace"


@pytest.fixture
def scenario(write, tmp_path):
    """The file of a scenario with such a link, whose `radio` has some more keys."""
    def of(more=None, radio=None, nodes=None):
        (tmp_path / "run").mkdir(exist_ok=True)
        (tmp_path / "up").write_text("0\n5\n")
        (tmp_path / "down").write_text("3\n3\n10\n")
        data = copy.deepcopy(WIRED)
        data["radio"] = {"system": "packet_trace", "packet_trace": {"uplink": "up", "downlink": "down", **(more or {})},
                         "ues": {"ue1": {"peer": "enb"}}, **(radio or {})}
        data["nodes"] = nodes or data["nodes"]
        return write(data)

    return of


@pytest.mark.parametrize(("text", "message"), [
    ("", "0 lines: allowed 1..10000000"),
    ("1\n\n2\n", "line 2: value '': allowed whole milliseconds, 1..4294967295, not less than in the line before"),
    ("5\n4\n", "line 2: value '4': allowed whole milliseconds, 5..4294967295"),
    ("-1\n", "line 1: value '-1': allowed whole milliseconds, 0..4294967295"),
    ("1.5\n", "line 1: value '1.5'"),
    ("1\n٢\n", "line 2: value '٢'"),
    ("4294967296\n", "line 1: value '4294967296'"),
    ("9" * 5000, "line 1: value '9999999999999999999999999999999999999999': allowed"),
    ("0\n0\n", "line 2: value '0': allowed more than 0 in the last line, which is the period"),
])
def test_what_is_no_trace(tmp_path, text, message):
    path = tmp_path / "trace"
    path.write_text(text)
    with pytest.raises(ScenarioError) as error:
        mahimahi.read(path)
    assert str(error.value).startswith(f"{path}: ") and message in str(error.value) and "\n" not in str(error.value)


def test_a_trace_that_is_not_there_and_one_that_is_no_text(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "large", "wb") as file:
        file.truncate(mahimahi.BYTES_MAX + 1)
    for name, message in (("missing", "No such file"), ("binary", "no text"), ("endless", "not a regular file"),
                          ("pipe", "not a regular file"), ("large", "allowed at most 134217728")):
        with pytest.raises(ScenarioError, match=message):
            mahimahi.read(tmp_path / name)


def test_the_last_line_needs_no_end(tmp_path):
    (tmp_path / "trace").write_text("0\n7\n7")
    assert mahimahi.read(tmp_path / "trace") == [0, 7, 7]


@pytest.mark.parametrize(("name", "arguments"), [("down", (1, 10, 1.0, 12.0)), ("up", (2, 7, 0.5, 4.0))])
def test_the_samples_are_made_up_by_the_script(name, arguments):
    times = mahimahi.read(SAMPLES / f"{name}.mahimahi")
    seed, seconds, low_mbps, high_mbps = arguments
    assert times == mahimahi.make(*arguments) and times[-1] == 1000 * seconds
    for start_ms in range(0, 1000 * seconds, 1000):
        mbps = sum(start_ms < t <= start_ms + 1000 for t in times) * mahimahi.BYTES * 8 / 1e6
        assert low_mbps - 0.1 < mbps < high_mbps + 0.1


def test_the_command_prints_a_trace():
    done = subprocess.run([sys.executable, "-m", "cellbed.run.mahimahi"], capture_output=True, text=True, check=True)
    assert done.stdout == (SAMPLES / "down.mahimahi").read_text()


def test_what_celld_gets(scenario, tmp_path):
    run = expand(scenario({"delay_ms": 20}))[1][0]
    packet_trace.render(tmp_path, run.settings, Path(run.file).parent)
    cell = radio_config.cell(run.settings, tmp_path)
    assert cell["system"] == "packet_trace"
    assert cell["packet_trace"] == {"delay_ms": 20, "queue_pkts": 1000, "queue_bytes": 0, "uplink": [0, 5],
                                    "downlink": [3, 3, 10]}  # fmt: skip
    assert cell["ues"] == [{"name": "ue1", "peer": "network", "mode": "im"}]


def test_the_content_of_a_trace_makes_another_run(scenario, tmp_path):
    def of():
        return identity(expand(path)[1][0].describe("virtual", {}))

    path = scenario()
    before = of()
    assert of() == before
    (tmp_path / "down").write_text("3\n4\n10\n")
    assert of() != before


def test_ues_with_links_of_their_own(scenario, tmp_path):
    """What a UE does not say is as radio.packet_trace has it; its files count for the run's identity."""
    (tmp_path / "own").write_text("7\n")
    nodes = {"server": WIRED["nodes"]["server"], "enb": {"kind": "enb"},
             **{f"ue{n}": {"address": f"10.45.0.{n}/24"} for n in (1, 2, 3)}}
    ues = {"ue1": {"peer": "enb"}, "ue2": {"peer": "enb", "packet_trace": {"downlink": "own", "delay_ms": 0}},
           "ue3": {"peer": "enb", "packet_trace": {"queue_pkts": 9}}}
    path = scenario({"delay_ms": 20}, {"ues": ues}, nodes)
    run = expand(path)[1][0]
    packet_trace.render(tmp_path / "run", run.settings, tmp_path)
    cell = radio_config.cell(run.settings, tmp_path / "run")
    common = {"delay_ms": 20, "queue_pkts": 1000, "queue_bytes": 0, "uplink": [0, 5], "downlink": [3, 3, 10]}
    assert cell["packet_trace"] == common
    assert [ue.get("packet_trace") for ue in cell["ues"]] == [
        None, common | {"delay_ms": 0, "downlink": [7]}, common | {"queue_pkts": 9}]
    assert {file.name for file in (tmp_path / "run").iterdir()} == {
        f"{of}{way}link.mahimahi" for of in ("", "ue2-", "ue3-") for way in ("up", "down")}
    before = identity(run.describe("virtual", {}))
    (tmp_path / "own").write_text("8\n")
    assert identity(expand(path)[1][0].describe("virtual", {})) != before


@pytest.mark.parametrize(("own", "radio", "message"), [
    ({"queue_pkts": 5000}, {},
     "key 'radio.ues.ue1.packet_trace.queue_pkts': value 5000: both directions together exceed"),
    ({"downlink_gap_ms": 5}, {},
     "key 'radio.ues.ue1.packet_trace.downlink_gap_ms': it needs downlink_trains; add that, or"),
    ({"downlink": "none"}, {}, "key 'radio.ues.ue1.packet_trace.downlink': "),
    ({"downlink": None}, {}, "key 'radio.ues.ue1.packet_trace.downlink': value null: "),
    ({"delay": 5}, {}, "key 'radio.ues.ue1.packet_trace.delay': unknown; did you mean 'delay_ms'?"),
    ({}, {"system": "constant_rate", "packet_trace": None, "constant_rate": {}},
     "key 'radio.ues.ue1.packet_trace': radio.system is constant_rate; remove the key, or set"),
])
def test_wrong_links_of_a_ue(scenario, own, radio, message):
    own = {"uplink": "up", "downlink": "down", **own}
    with pytest.raises(ScenarioError) as error:
        expand(scenario({}, {"ues": {"ue1": {"peer": "enb", "packet_trace": own}}, **radio}))
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("more", "radio", "message"), [
    ({"uplink": "none"}, {}, "key 'radio.packet_trace.uplink': "),
    ({"queue_pkts": 0}, {}, "key 'radio.packet_trace.queue_pkts': value 0: allowed 1..65536"),
    ({"queue_pkts": 5000}, {},
     "value 5000: both directions together exceed radio.max_pkts, 8192; allowed at most 4096"),
    ({"delay": 5}, {}, "key 'radio.packet_trace.delay': unknown; did you mean 'delay_ms'?"),
    ({}, {"n_rb": 25}, "key 'radio.n_rb': radio.system packet_trace does not have it; remove it, or set"),
    ({}, {"system": "lte"}, "key 'radio.packet_trace': radio.system is lte; remove the key, or set radio.system:"),
    ({}, {"packet_trace": None}, "key 'radio.packet_trace': missing; radio.system packet_trace needs it"),
    ({}, {"ues": {"ue1": {"peer": "enb", "cqi_dl": 9}}},
     "key 'radio.ues.ue1.cqi_dl': radio.system packet_trace does not have it; remove it, or set"),
])
def test_wrong_links(scenario, more, radio, message):
    with pytest.raises(ScenarioError) as error:
        expand(scenario(more, radio))
    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_wrong_line_is_named_with_its_key(scenario, tmp_path):
    path = scenario()
    (tmp_path / "down").write_text("3\nx\n")
    with pytest.raises(ScenarioError) as error:
        expand(path)
    assert str(error.value) == (f"key 'radio.packet_trace.downlink': {tmp_path}/down: line 2: value 'x': allowed whole "
                                "milliseconds, 3..4294967295, not less than in the line before")


def test_settings_are_plain(scenario):
    json.dumps(expand(scenario())[1][0].settings)


# --- CellReplay ---


@pytest.mark.parametrize(("text", "message"), [
    ("0 20 0\n5 20 0\n", "2 lines: allowed 3 or more"),
    ("0 20 0\n5 20\n9 9 0\n", "line 2: 2 values: allowed three or more"),
    ("0 20 0\n5 x 0\n9 9 0\n", "line 2: value 'x': allowed a base delay, whole milliseconds, 0..60000"),
    ("5 20 0\n4 20 0\n9 9 0\n", "line 2: value '4': allowed times that do not decrease"),
    ("0 20 0 3 2\n", "line 1: value '2': allowed offsets that do not decrease, whole milliseconds, 3..60000"),
    ("0 20  0\n", "line 1: value ''"), ("9" * 5000 + " 20 0\n", "line 1: value '99"),
    ("0 1 0\n0 1 0\n0 1 0\n", "the last one with a time above 0"),
])
def test_what_are_no_trains(tmp_path, text, message):
    (tmp_path / "trains").write_text(text)
    with pytest.raises(ScenarioError) as error:
        cellreplay.read_trains(tmp_path / "trains")
    assert str(error.value).startswith(f"{tmp_path}/trains: ") and message in str(error.value)


@pytest.mark.parametrize("text", ["50 1\n", "100 1\n300 1\n", "100\n", "100 2000\n", "100 nan\n", "100 1 2\n"])
def test_what_are_no_sizes(tmp_path, text):
    (tmp_path / "sizes").write_text(text)
    with pytest.raises(ScenarioError, match="line [12]: value .*: allowed [12]00 and milliseconds"):
        cellreplay.read_sizes(tmp_path / "sizes")


def test_trains_and_sizes_reach_celld(scenario, tmp_path):
    (tmp_path / "trains").write_text("0 20 0 0 5\n100 30 0\n200 20 0 1")
    (tmp_path / "sizes").write_text("100 -1.5\n200 0\n")
    keys = {"downlink_trains": "trains", "downlink_sizes": "sizes", "downlink_gap_ms": 7, "bytes": 1400}
    run = expand(scenario(keys))[1][0]
    packet_trace.render(tmp_path, run.settings, tmp_path)
    cell = radio_config.cell(run.settings, tmp_path)["packet_trace"]
    assert cell == {"delay_ms": 0, "queue_pkts": 1000, "queue_bytes": 0, "bytes": 1400, "downlink_gap_ms": 7,
                    "uplink": [0, 5], "downlink": [3, 3, 10], "downlink_sizes_us": [-1500, 0],
                    "downlink_trains": [[0, 20, 0, 0, 5], [100, 30, 0], [200, 20, 0, 1]]}  # fmt: skip


@pytest.mark.parametrize(("more", "message"), [
    ({"uplink_gap_ms": 5},
     "key 'radio.packet_trace.uplink_gap_ms': it needs uplink_trains; add that, or remove the key"),
    ({"downlink_sizes": "x"},
     "key 'radio.packet_trace.downlink_sizes': it needs downlink_trains; add that, or remove the"),
    ({"uplink_trains": "up", "delay_ms": 5},
     "'radio.packet_trace.delay_ms': value 5: uplink_trains has the delays; allowed 0"),
    ({"uplink_trains": "up"}, "key 'radio.packet_trace.uplink_trains': "),
])
def test_wrong_trains(scenario, more, message):
    with pytest.raises(ScenarioError) as error:
        expand(scenario(more))
    assert message in str(error.value) and "\n" not in str(error.value)
