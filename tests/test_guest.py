# SPDX-License-Identifier: GPL-2.0-or-later
"""The virtual lab's guest with many nodes, with too little memory, and with programs that would keep it for ever."""

import signal
import subprocess
import time

import pytest
import yaml
from e2e import CELLBED, SHORT, bundles, cellbed
from soak import Silent

from cellbed.labs import follow
from cellbed.run import memory
from cellbed.scenario.description import expand
from cellbed.sweep.execute import Sweep

pytestmark = pytest.mark.lab

FOR_EVER = ["sh", "-c", "while :; do :; done"]


def crowd(ues):
    """A server behind an eNB, and a flow to each of some UEs."""
    names = [f"ue{i + 1}" for i in range(ues)]
    return {
        "format": 1, "id": "crowd",
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
                  **{name: {"address": f"10.45.0.{i + 1}/24"} for i, name in enumerate(names)}},
        "links": [{"a": "server", "b": "enb", "rate": "1Gbit", "queue_pkts": 10000}],
        "radio": {"ues": {name: {"peer": "enb", "cqi_dl": 12} for name in names}},
        "traffic": [{"id": f"flow{i + 1}", "from": "server", "to": name, "port": 5201 + i, "duration_s": 2}
                    for i, name in enumerate(names)],
    }  # fmt: skip


def with_program(argv):
    return yaml.safe_load(SHORT) | {"traffic": [{"id": "program", "kind": "command", "node": "ue1", "argv": argv}]}


@pytest.fixture
def execute(tmp_path):
    def of(scenario, *options, check=True):
        (tmp_path / "scenario.yaml").write_text(yaml.safe_dump(scenario))
        return cellbed("run", tmp_path / "scenario.yaml", "--results", tmp_path / "r", *options, check=check)
    return of


def test_twenty_ues_with_a_flow_each(execute, tmp_path):
    said = execute(crowd(20)).stdout
    assert said.rstrip().endswith("valid"), said
    (bundle,) = bundles(tmp_path / "r").values()
    assert len(list(bundle.glob("ip-ue*.pcap"))) == 20


def test_too_little_memory_is_said_in_words(execute, tmp_path):
    eater = ["python3", "-c", "x = [bytearray(1 << 20) for _ in range(1000)]"]
    done = execute(with_program(eater), "--variant", "DM-DM", "--set", "memory=256MiB", check=False)
    assert done.returncode == 1
    assert "out of memory: the guest's kernel ended 'python3'; set key 'memory'" in done.stderr, done.stderr
    assert not list((tmp_path / "r").iterdir())


def test_more_memory_than_there_is(execute, tmp_path):
    done = execute(yaml.safe_load(SHORT), "--variant", "DM-DM", "--set", "memory=64GiB", check=False)
    if memory.free_mib() > 64 << 10:
        pytest.skip("this machine has it")
    assert done.returncode == 1
    assert "the guest of this run has 65536 MiB of memory, but only " in done.stderr
    assert not list((tmp_path / "r").iterdir())


def test_a_program_that_computes_for_ever_is_named_and_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(follow.Watch, "stalled_after_s", 6)
    (tmp_path / "scenario.yaml").write_text(yaml.safe_dump(with_program(FOR_EVER)))
    model, runs = expand(tmp_path / "scenario.yaml", variants=["DM-DM"])
    (outcome,) = Sweep(model, [], tmp_path / "r", "virtual", None, Silent()).execute(runs, 1)
    assert outcome.error.startswith("the run made no progress for 6 s and was stopped: sh (pid "), outcome.error
    assert not list((tmp_path / "r").iterdir())


def test_a_link_says_who_computes_and_ends_when_told(tmp_path):
    with subprocess.Popen([CELLBED, "link", "edge", "--lab", "virtual", "--", *FOR_EVER], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as link:
        line = next(line for line in link.stderr if "no server runs" not in line)
        assert line.startswith("cellbed: sh (pid ") and "computes without a system call" in line, line
        link.send_signal(signal.SIGTERM)
        told = time.monotonic()
        link.wait(timeout=30)
        assert time.monotonic() - told < 20
