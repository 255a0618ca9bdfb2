# SPDX-License-Identifier: GPL-2.0-or-later
"""What the start of a guest costs, counted in processes: times depend on the machine, their number does not."""

import json
import os

import pytest
import yaml
from soak import Silent

from cellbed.bundle import FACTS
from cellbed.description import expand
from cellbed.follow import Watch
from cellbed.sweep import Sweep

pytestmark = pytest.mark.lab


def started(folder, ues):
    """Processes and threads of a guest up to its traffic: a server behind an eNB, so many UEs, all captures."""
    names = [f"ue{n + 1}" for n in range(ues)]
    scenario = folder / f"{ues}.yaml"
    scenario.write_text(yaml.safe_dump({
        "format": 1, "id": "start",
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
                  **{name: {"address": f"10.45.0.{n + 1}/24"} for n, name in enumerate(names)}},
        "links": [{"a": "server", "b": "enb", "rate": "1Gbit"}],
        "radio": {"ues": {name: {"peer": "enb"} for name in names}},
        "traffic": [{"id": "flow", "kind": "stream", "from": "server", "to": "ue1", "duration_s": 0.1}]}))
    model, (run,) = expand(scenario, seeds=[1])
    sweep = Sweep(model, [], folder, "virtual", None, Silent())
    bundle = sweep.bundle(run)
    directory = bundle.begin(sweep.programs)
    sweep.lab.play(directory, bundle.description, min(os.sched_getaffinity(0)), Watch(), None)
    return json.loads((directory / FACTS).read_text())["started_processes"]


def test_a_ue_is_one_process(tmp_path):
    """The holder of its namespace."""
    assert started(tmp_path, 11) - started(tmp_path, 1) == 10


def test_a_guest_of_three_nodes(tmp_path):
    """The kernel's own threads, init and the runner, three holders, four daemons, two calls of tc(8)."""
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
    first, second = (started(folder, 1) for folder in (tmp_path / "a", tmp_path / "b"))
    assert first == second < 40
