# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run may do to the machine it runs on: little."""

import json
import os
from pathlib import Path

import pytest
import yaml
from e2e import ROOT, SHORT, bundles, cellbed, needs_native

pytestmark = pytest.mark.lab

# The radio daemon of this very run: its configuration is in the folder in which the program works.
FIND_CELLD = 'for p in $(pgrep -x celld); do grep -qF "$PWD/celld.json" /proc/$p/cmdline && cat /proc/$p/status; done'


def execute(tmp_path, lab, script):
    """A run whose traffic is a shell script at UE 1. Return: its bundle."""
    scenario = yaml.safe_load(SHORT)
    scenario["traffic"] = [{"id": "look", "kind": "command", "node": "ue1", "argv": ["sh", "-c", script]}]
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(scenario))
    cellbed("run", path, "--results", tmp_path / "r", "--lab", lab, "--variant", "DM-DM")
    return bundles(tmp_path / "r")["DM-DM"]


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
def test_the_radio_daemon_has_no_privileges(tmp_path, lab):
    bundle = execute(tmp_path, lab, FIND_CELLD)
    lines = (bundle / "look.stdout").read_text().splitlines()
    facts = {key: value.strip() for key, value in (line.split(":", 1) for line in lines)}
    assert {facts[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert facts["NoNewPrivs"] == "1"
    sandbox = json.loads((bundle / "radio.json").read_text())["sandbox"]
    assert sandbox["capabilities"] == []
    assert sandbox["seccomp"] == (facts.get("Seccomp") == "2")
    if lab == "native":
        assert sandbox["seccomp"]


def test_the_virtual_lab_writes_nowhere_but_in_its_bundle(tmp_path):
    """The guest's root is this machine's, read-only, also for who could write there outside."""
    places = [ROOT, tmp_path, Path.home(), Path("/etc"), Path("/var/tmp"), Path("/usr/bin")]
    mine = tmp_path / "mine"
    mine.write_text("as before")
    script = "; ".join([*(f"touch {place}/cellbed-was-here 2>&1" for place in places),
                        f"echo changed 2>&1 >{mine}", f"rm -f {mine} 2>&1", "echo own >here", "echo end"])
    bundle = execute(tmp_path, "virtual", script)
    told = (bundle / "look.stdout").read_text() + (bundle / "look.stderr").read_text()
    assert told.count("Read-only file system") == len(places) + 2, told
    assert "end" in told
    assert (bundle / "here").read_text() == "own\n"
    assert mine.read_text() == "as before"
    assert not [place for place in places if (place / "cellbed-was-here").exists()]
    assert all(os.access(place, os.W_OK) for place in (ROOT, tmp_path))  # the test can fail
