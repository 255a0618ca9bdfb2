# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benches of whole runs measure; what they find is docs/benchmarks.md's."""

import subprocess
import sys
from pathlib import Path

import pytest

from cellbed.scenario.description import expand

sys.path.insert(0, str(Path(__file__).with_name("bench")))

import base
import captures
import cases
import cost
import lena
import reports
import scale

# Uses up so much CPU time, in a process that has lost its parent by then.
ORPHAN = """
import os, time
if os.fork():
    os._exit(0)
os.setsid()
while time.process_time() < 0.5:
    pass
"""


def test_time_of_processes_that_lost_their_parent_counts():
    """And no others: this process has a child that does not end."""
    with subprocess.Popen(["sleep", "1000"]) as other:
        spent = cost.cpu_s([sys.executable, "-c", ORPHAN])
        other.kill()
    assert spent >= 0.5


def test_a_command_that_fails_is_no_measurement():
    with pytest.raises(cost.Failed, match="status 3: so it is"):
        cost.cpu_s([sys.executable, "-c", "import sys; print('so it is', file=sys.stderr); sys.exit(3)"])


def test_what_every_run_has_is_told_from_what_a_second_costs():
    assert cost.told(3.0, 8.0, (2, 12)) == cost.Cost(start_s=2.0, per_s=0.5)


@pytest.mark.parametrize("scenario", [
    *({**cases.CASES, **cases.SIZES, **cases.AT_ONCE}).values(), *(lena.scenario(*case) for case in lena.CASES),
    *(made(count).scenario for made, counts in scale.KINDS.values() for count in counts)])
def test_a_case_is_a_scenario(scenario, tmp_path):
    model, runs = expand(cases.write(scenario, 2, tmp_path / "bench.yaml"), seeds=[1])
    assert len(runs) == 1
    assert model.capture.ip == (scenario not in cases.AT_ONCE.values())
    assert model.capture.radio and model.capture.radio_trace == "full"


@pytest.mark.lab
def test_how_the_cost_grows_is_a_table(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["scale.py", "--least", "--only", "runs"])
    assert scale.main() == 0
    header, _, row = capsys.readouterr().out.splitlines()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:2] == ["runs of 0.2 s", "10"] and all(float(cell) > 0 for cell in cells[2:])
    assert row.count("|") == header.count("|")


@pytest.mark.lab
def test_a_report_of_what_is_known_costs_less(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["reports.py", "--least", "--rounds", "1"])
    assert reports.main() == 0
    new, again = ([cell.strip() for cell in line.strip("|").split("|")]
                  for line in capsys.readouterr().out.splitlines()[2:])
    assert (new[0], again[0]) == ("a run of 1 s, new", "a run of 1 s, nothing new")
    assert float(new[1]) > float(again[1]) > 0


@pytest.mark.parametrize("bench", ["virtual.py", "reports.py"])
def test_a_commit_that_is_not_there(bench):
    done = subprocess.run([sys.executable, Path(base.__file__).with_name(bench), "--base", "no-such"],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "bench: BASE=no-such: no commit of this repository\n")


def test_programs_that_read_captures_are_compared(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["captures.py", "--packets", "2000", "--rounds", "1"])
    captures.main()
    said = capsys.readouterr().out
    assert "| cellbed pcap |" in said
