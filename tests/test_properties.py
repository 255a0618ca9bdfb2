# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds of property tests try what none tried before, and go on failing until what they found is mended."""

import os
import re
import subprocess
import sys
import time

import pytest
from e2e import ROOT
from properties import until

# The whole project's settings, for a test elsewhere.
ELSEWHERE = {"PYTEST_ADDOPTS": "-p conftest --rootdir .",
             "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests/plugins")))}
TEST = """
import os
from hypothesis import given, strategies as st

@given(st.integers(0, 10**9))
def test_some_property(n):
    with open(os.environ["TRIED"], "a") as tried:
        tried.write(f"{n}\\n")
    assert n < int(os.environ["LIMIT"])
"""


@pytest.fixture
def rounds(tmp_path):
    """Runs a round, with a seed or properties.py's own. Return: passed, what was tried, in order, what was said."""
    (tmp_path / "test_some.py").write_text(TEST)

    def execute(name, limit=10**9 + 1, seed=None, how=("1",)):
        tried = tmp_path / name
        env = {**os.environ, **ELSEWHERE, "CELLBED_BUILD": str(tmp_path / "build"), "TRIED": str(tried),
               "LIMIT": str(limit)}
        if seed is not None:
            env["CELLBED_PROPERTY_SEED"] = str(seed)
        command = ["-m", "pytest", "-q"] if seed is not None else [ROOT / "tests/properties.py", *how]
        done = subprocess.run([sys.executable, *command, tmp_path / "test_some.py"], cwd=ROOT, env=env,
                              capture_output=True, text=True, check=False)
        return done.returncode == 0, tried.read_text().split(), done.stdout

    return execute


def test_a_failure_ends_with_the_command_that_runs_it_again(rounds, tmp_path):
    said = rounds("a", limit=777_000)[2]
    (line,) = (line for line in said.splitlines() if line.startswith("run again: "))
    again = subprocess.run(line.removeprefix("run again: "), shell=True, capture_output=True, text=True, check=False,
                           cwd=ROOT, env={**os.environ, **ELSEWHERE, "TRIED": str(tmp_path / "again"),
                                          "LIMIT": "777000", "CELLBED_BUILD": str(tmp_path / "build")})
    assert again.returncode == 1 and "n=777000" in again.stdout


def test_what_ends_the_process_is_told(tmp_path):
    """As a failed assertion of the core does."""
    (tmp_path / "test_some.py").write_text(TEST.replace("    assert n < int(os.environ[\"LIMIT\"])",
                                                        "    if n >= 777_000:\n        os.abort()"))
    done = subprocess.run([sys.executable, "-m", "pytest", tmp_path / "test_some.py"], cwd=ROOT, capture_output=True,
                          text=True, check=False, env={**os.environ, **ELSEWHERE, "TRIED": str(tmp_path / "a")})
    said = done.stderr[done.stderr.index("ended its process"):]
    assert "by signal 6, with the example\ntest_some_property(\n    n=" in said
    assert int(said.split("n=")[1].split(",")[0]) >= 777_000
    assert f"{tmp_path}/test_some.py::test_some_property" in said.splitlines()[-1]


def test_each_round_tries_something_else(rounds):
    first, second = rounds("a"), rounds("b")
    assert first[0] and second[0]
    assert len(first[1]) >= 100 and first[1] != second[1]


def test_rounds_for_some_time_tell_what_they_tried(rounds):
    passed, tried, said = rounds("a", how=("--minutes", "0.05"))
    seeds = re.findall(r"^properties, seed (\d+): held, 100 examples, \d+ s, \d+ s of CPU time$", said, re.MULTILINE)
    total = re.search(r"^properties: (\d+) rounds, 0 failed, (\d+) examples, (\d+) s, \d+ s of CPU time$", said,
                      re.MULTILINE)
    assert passed and int(total[3]) >= 3, said
    assert len(set(seeds)) == len(seeds) == int(total[1]), said
    assert len(tried) >= int(total[2]) == 100 * len(seeds)


def test_rounds_begin_until_the_time_is_over():
    end_s = time.monotonic() + 0.5
    began_s = [time.monotonic() for _ in until(end_s)]
    assert len(began_s) > 1 and time.monotonic() >= end_s
    assert len(list(until(end_s))) == 1


def test_time_that_is_over_ends_with_what_failed(rounds):
    passed, _, said = rounds("a", limit=777_000, how=("--minutes", "0"))
    assert not passed and "n=777000" in said
    assert re.search(r"^properties: 1 rounds, 1 failed, \d+ examples", said, re.MULTILINE), said


def test_a_round_can_be_run_again(rounds):
    _, tried, said = rounds("a")
    seed = said.split("properties, seed ")[1].split(":")[0]
    assert rounds("b", seed=seed)[1] == tried
    assert rounds("c", seed=int(seed) + 1)[1] != tried


def test_what_fails_is_kept_and_tried_first(rounds):
    passed, _, said = rounds("a", limit=777_000)
    assert not passed and "n=777000" in said
    passed, tried, _ = rounds("b", limit=777_000)
    assert not passed and tried[0] == "777000"
    assert rounds("c")[0]
    assert rounds("d", limit=777_000)[1][0] != "777000"  # mended: it held, and is forgotten
