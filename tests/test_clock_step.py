# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine whose clock is set while it executes: the run is invalid, and says when it was and by how much."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from e2e import CELLBED, SHORT, bundles, cellbed, needs_native

from cellbed.error import LabError
from cellbed.labs.lab_kernels import VERSIONS, look

pytestmark = pytest.mark.lab

ONE = {**yaml.safe_load(SHORT), "traffic": [{"id": "file", "from": "ue1", "to": "ue2", "duration_s": 5}]}
ONE.pop("sweep")
SAID = re.compile(r"the machine's clock was set by (\S+) ms, seen at (\S+) s")
# Waits for the traffic, then sets the clock.
SETTER = """
import pathlib, time
while not any("traffic" in path.read_text() for path in pathlib.Path("r").glob(".tmp-*/progress")):
    time.sleep(0.1)
time.sleep(2)
time.clock_settime(time.CLOCK_REALTIME, time.time() - 0.1)
"""


@pytest.fixture
def one(tmp_path):
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(ONE))
    return tmp_path / "one.yaml"


def judged(folder):
    """Verdict, and what is said of the clock: ms and seconds."""
    ((bundle,),) = [bundles(folder).values()]
    manifest = json.loads((bundle / "manifest.json").read_text())
    found = [SAID.match(reason["text"]) for reason in manifest["validity"]["reasons"]
             if reason["code"] == "clock_step"]
    return manifest, [(float(match[1]), float(match[2])) for match in found]


@pytest.fixture
def stepped(tmp_path):
    """A shared object that sets the clock, as programs see it, when a file is there."""
    built = tmp_path / "clock_step.so"
    subprocess.run([shutil.which("gcc"), "-shared", "-fPIC", "-O1", "-Wall", "-o", built,
                    Path(__file__).with_name("clock_step.c")], check=True)
    return {**os.environ, "LD_PRELOAD": str(built), "CLOCK_STEP_FILE": str(tmp_path / "now")}


@needs_native
@pytest.mark.parametrize(("ms", "bound", "verdict"), [("100", "1", "invalid"), ("-100", "1", "invalid"),
                                                      ("100", "150", "valid"), ("0", "1", "valid")])
def test_a_clock_that_is_set_during_a_run(one, stepped, tmp_path, ms, bound, verdict):
    with subprocess.Popen([CELLBED, "run", one, "--results", tmp_path / "r", "--lab", "native", "--set",
                           f"validity.clock_step_ms={bound}"], env={**stepped, "CLOCK_STEP_MS": ms}) as run:
        while run.poll() is None and not traffic(tmp_path / "r"):
            time.sleep(0.05)
        time.sleep(2)
        (tmp_path / "now").touch()
    manifest, said = judged(tmp_path / "r")
    assert manifest["validity"]["verdict"] == verdict
    assert [round(step["step_ns"] / 1e6) for step in manifest["clock"]["steps"]] == ([] if ms == "0" else [-int(ms)])
    if verdict == "invalid":
        ((step_ms, at_s),) = said
        assert step_ms == pytest.approx(-int(ms), abs=0.5) and 1 < at_s < 4.5


def traffic(results):
    return any("traffic" in path.read_text() for path in results.glob(".tmp-*/progress"))


@needs_native
def test_a_clock_that_is_set_at_the_end(one, stepped, tmp_path):
    """After the last look of the traffic there is one more."""
    with subprocess.Popen([CELLBED, "run", one, "--results", tmp_path / "r", "--lab", "native"],
                          env={**stepped, "CLOCK_STEP_MS": "100"}) as run:
        while run.poll() is None and not any("stop" in path.read_text()
                                             for path in (tmp_path / "r").glob(".tmp-*/progress")):
            time.sleep(0.02)
        (tmp_path / "now").touch()
    manifest, said = judged(tmp_path / "r")
    assert manifest["validity"]["verdict"] == "invalid" and said[0][0] == pytest.approx(-100, abs=0.5)


def test_in_a_lab_kernel_whose_clock_is_really_set(one, tmp_path):
    """Captures are stamped by it: `why` then says that they do not agree, and no time below nothing."""
    for version in VERSIONS:
        try:
            look(version)
            break
        except LabError:
            continue
    else:
        pytest.skip("no lab kernel is built")
    (tmp_path / "set.py").write_text(SETTER)
    python = CELLBED.with_name("python")
    done = cellbed("guest", "--kernel", version, "--", "sh", "-c", f"{python} -S set.py & exec {CELLBED} run one.yaml "
                   "--lab native --results r", cwd=tmp_path, check=False)
    manifest, said = judged(tmp_path / "r")
    assert manifest["validity"]["verdict"] == "invalid", done.stdout + done.stderr
    ((step_ms, at_s),) = said
    assert step_ms == pytest.approx(-100, abs=1) and 1.5 < at_s < 4.5
    before, after = (cellbed("why", tmp_path / "r", "--at", at, check=False).stdout for at in ("0.1", "4"))
    assert "not known" not in before and "segment at byte" in before
    assert "segment at byte" in after and not re.search(r"^ +-\S+ ms|RTT -", after, re.MULTILINE), after
    assert "where its time went is not known: " in after and "set by -100.0 ms" in after
