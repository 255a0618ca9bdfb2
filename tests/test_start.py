# SPDX-License-Identifier: GPL-2.0-or-later
"""What the start of a guest costs, counted in processes: times depend on the machine, their number does not. And that
no result depends on it."""

import io
import json
import marshal
import os
import zipfile
from pathlib import Path

import pytest
import yaml
from soak import Silent

from cellbed.labs import guest_code
from cellbed.labs.follow import Watch
from cellbed.results.bundle import FACTS
from cellbed.run import guest_mounts
from cellbed.scenario.description import expand
from cellbed.sweep.execute import Sweep

pytestmark = pytest.mark.lab


def execute(folder, ues):
    """Files of a run, in a guest with a server behind an eNB, so many UEs, all captures."""
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
    sweep.lab.execute(directory, bundle.description, min(os.sched_getaffinity(0)), Watch(), None)
    return directory


def started(folder, ues):
    """Processes and threads of a guest up to its traffic."""
    return json.loads((execute(folder, ues) / FACTS).read_text())["started_processes"]


def test_a_ue_is_one_process(tmp_path):
    """The holder of its namespace."""
    assert started(tmp_path, 11) - started(tmp_path, 1) == 10


def test_a_guest_of_three_nodes(tmp_path):
    """The kernel's own threads, init and the runner, three holders, four daemons, two calls of tc(8)."""
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
    first, second = (started(folder, 1) for folder in (tmp_path / "a", tmp_path / "b"))
    assert first == second < 40


def test_what_python_imports_shifts_no_byte(tmp_path, monkeypatch):
    """Imports take virtual time, as locks of Python read the clock, and random numbers depend on times."""
    source = Path(guest_mounts.__file__).read_text().replace("import ctypes\n", "import ctypes\nimport colorsys\n", 1)
    code = marshal.dumps(compile(source, guest_mounts.__file__, "exec"))
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(guest_code.archive())) as made, zipfile.ZipFile(changed, "w") as file:
        for name in made.namelist():
            content = made.read(name)
            file.writestr(name, content[:16] + code if name == "__main__.pyc" else content)
    captures, nodes_ns = [], []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        directory = execute(tmp_path / name, 1)
        captures.append((directory / "ip-ue1.pcap").read_bytes())
        nodes_ns.append(json.loads((directory / FACTS).read_text())["phases"]["nodes"])
        monkeypatch.setattr(guest_code, "archive", changed.getvalue)
    assert captures[0] == captures[1] and nodes_ns[0] == nodes_ns[1]
