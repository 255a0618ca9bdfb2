# SPDX-License-Identifier: GPL-2.0-or-later
"""What Python does by itself changes no byte of a run: versions of it read the clock and draw random numbers as they
like, and look for their files elsewhere."""

import os
import shutil
import subprocess
import sys

import pytest
from e2e import ROOT, bundles

from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
# Another Python, as it were: at each call of what a run does most.
RESTLESS = """
def _restless():
    import os, time
    for _ in range(20):
        time.monotonic_ns(), time.time(), os.urandom(16)
    for _ in range(2_000):
        os.path.exists("/none"), os.getppid()

"""
PLACES = {  # in a module, before a line
    "host/process.py": ("        self.name, self.log = name, log\n        options =",),
    "host/child.py": ("    pid = os.fork()\n",),  # not in the child: what it draws goes on when it becomes a program
    "run/runner.py": ("            now_ns = time.monotonic_ns()\n", "            self.tell(f\"at {max(done_s",
                      "        self.phase(\"traffic\""),
}
SCENARIOS = {
    "iperf3": ("d2d-nardini/static", "--variant", "IM-IM", "--set", "traffic.0.duration_s=2"),
    "stream": ("handover-pacifico/quick", "--set", "traffic.0.duration_s=2", "--set", "traffic.1.duration_s=2"),
    "datagrams": ("celledge-li/quick", "--variant", "UDP-UM", "--set", "traffic.0.duration_s=1"),
}


@pytest.fixture(scope="module")
def restless(tmp_path_factory):
    """A checkout like this one, but for what its Python does between its own calls, and for its path."""
    top = tmp_path_factory.mktemp("restless") / ("deep/" * 10)
    top.mkdir(parents=True)
    for entry in ROOT.iterdir():
        if entry.name not in ("lab", "results"):
            (top / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "lab", top / "lab", ignore=shutil.ignore_patterns("__pycache__", "tests"))
    for name, places in PLACES.items():
        path = top / "lab/cellbed" / name
        text = path.read_text()
        for place in places:
            assert text.count(place) == 1, (name, place)
            indent = place[:len(place) - len(place.lstrip())]
            text = text.replace(place, f"{indent}_restless()\n{place}")
        future = "from __future__ import annotations\n"
        path.write_text(text.replace(future, future + RESTLESS, 1))
    return top


def recorded(top, results, words):
    folders = [top / name for name in ("lab", "formats", "channel", "analysis", "kernel")]
    subprocess.run([sys.executable, "-P", "-c", "from cellbed.cli.entry import main; main()", "run",
                    ROOT / f"scenarios/{words[0]}.yaml", *words[1:], "--results", results], check=True,
                   capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))})
    return {name: dict(read_bundle(path).recorded()) for name, path in bundles(results).items()}


@pytest.mark.parametrize("kind", SCENARIOS)
def test_what_python_does_by_itself_changes_no_byte(restless, tmp_path, kind):
    assert recorded(restless, tmp_path / "there", SCENARIOS[kind]) == recorded(ROOT, tmp_path / "here", SCENARIOS[kind])
