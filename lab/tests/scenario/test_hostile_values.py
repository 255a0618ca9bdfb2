# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are no files, numbers that are no numbers: one line with key, value and what is allowed."""

import copy
import os

import pytest

from cellbed.error import ScenarioError
from cellbed.scenario.description import expand, load_claims
from cellbed.scenario.dotted import parse_override, set_key
from cellbed.scenario.file import validate


@pytest.fixture(params=["/dev/zero", "fifo"])
def no_file(request, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    return request.param


def refused(write, data):
    with pytest.raises(ScenarioError) as error:
        expand(write(data))
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", ["trace", "fifo.csv"])
def test_a_channel(minimal, write, no_file, tmp_path, name):
    (tmp_path / "fifo.csv").symlink_to(no_file)
    minimal["radio"]["channel"] = {"model": "trace", "trace": no_file if name == "trace" else name}
    assert "key 'radio.channel.trace': " in (said := refused(write, minimal)) and "not a regular file" in said


def test_a_packet_trace(wired, write, no_file):
    wired["radio"].update(system="packet_trace", packet_trace={"uplink": no_file, "downlink": no_file})
    assert "key 'radio.packet_trace.uplink': " in (said := refused(write, wired)) and "not a regular file" in said


def test_claims(minimal, write, no_file):
    minimal["claims"] = no_file
    path = write(minimal)
    scenario, _ = expand(path)
    with pytest.raises(ScenarioError, match="not a regular file"):
        load_claims(scenario, path)


def test_a_scenario(no_file, tmp_path):
    with pytest.raises(ScenarioError, match="not a regular file"):
        expand(tmp_path / no_file)


@pytest.mark.parametrize(("setting", "said"), [
    ("traffic.0.duration_s=true", "value true: true and false"), ("traffic.0.duration_s=1:30", "value 1:30: allowed"),
    ("traffic.0.duration_s=.inf", "value inf: allowed finite"), ("traffic.0.duration_s=.nan", "value nan: allowed"),
    ("traffic.0.port=true", "value true: true and false are"), ("nodes.ue1.address=0", "value 0: no text; allowed"),
    ("nodes.ue1.address=1.5", "value 1.5: no text; allowed"), ("seeds=[true]", "allowed numbers"),
    ("format=true", "allowed"), ("radio.n_rb=yes", "value yes: allowed"), ("tcp.delayed_ack=1:30", "allowed"),
    ("tcp.sysctls={net.ipv4.tcp_sack: true}", "allowed numbers"), ("tcp.receive_window=true", "allowed numbers")])
def test_a_number_that_is_none(minimal, write, setting, said):
    key, value = parse_override(setting)
    set_key(minimal, key, value, "file")
    assert said in (told := refused(write, minimal)), told
    assert f"key '{key}" in told


def test_more_ues_than_allowed(minimal):
    ue = copy.deepcopy(minimal["nodes"]["ue1"])
    minimal["nodes"] = {f"u{i}": {**ue, "address": f"10.45.0.{i}/24"} for i in range(1, 102)}
    minimal["radio"]["ues"] = {f"u{i}": {"peer": "u1" if i > 1 else "u2"} for i in range(1, 102)}
    with pytest.raises(ScenarioError, match=r"^x: key 'radio.ues': 101 entries: allowed 1\.\.100$"):
        validate(minimal, "x")
