# SPDX-License-Identifier: GPL-2.0-or-later
"""Workers get the longest tests first, and tests together that share what they have run."""

import os
import subprocess
import sys

import durations

KNOWN = {"a.py": 5.0, "a.py::one": 20.0, "a.py::two": 2.0, "a.py::ages": 60.0,
         "b.py::alone": 30.0, "b.py::each": 44.0, "b.py::brief": 2.0}
TESTS = ["a.py::one", "a.py::two", "a.py::ages", "b.py::alone", "b.py::brief", "b.py::each[x]", "b.py::each[y]",
         "c.py::new"]


def test_what_shares_stays_together_and_the_longest_is_first():
    units = durations.longest_first(TESTS, KNOWN)
    assert list(units.items()) == [
        ("a.py::ages", ["a.py::ages"]), ("b.py::alone", ["b.py::alone"]),
        ("a.py", ["a.py::one", "a.py::two"]),  # 5 s that they share, 20, and 2
        ("b.py::each[x]", ["b.py::each[x]"]), ("b.py::each[y]", ["b.py::each[y]"]),  # 22 s each
        ("b.py", ["b.py::brief"]), ("c.py", ["c.py::new"])]


def test_parts_have_every_test_once():
    parts = [durations.part(TESTS, KNOWN, k, 3) for k in range(3)]
    assert sorted(test for each in parts for test in each) == sorted(TESTS)
    assert [sorted(each) for each in parts] == [
        ["a.py::ages", "b.py::brief", "b.py::each[y]"], ["a.py::one", "b.py::alone", "c.py::new"],
        ["a.py::two", "b.py::each[x]"]]


def test_each_test_is_run_once_by_two_workers(tmp_path):
    """As many pass as there are, those with parameters too, and a file's tests are run by one worker."""
    for name in ("one", "two", "three"):
        (tmp_path / f"test_{name}.py").write_text(
            "import os, pytest\n@pytest.mark.parametrize('k', range(4))\ndef test_worker(k):\n"
            f"    with open({str(tmp_path / name)!r}, 'a') as file:\n"
            "        print(os.environ['PYTEST_XDIST_WORKER'], file=file)\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
    done = subprocess.run([sys.executable, "-m", "pytest", "-n", "2", "-p", "longest_first", "-p", "no:cacheprovider",
                           tmp_path], cwd=tmp_path, env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)},
                          capture_output=True, text=True, check=False)
    assert "12 passed" in done.stdout, done.stdout + done.stderr
    workers = [(tmp_path / name).read_text().split() for name in ("one", "two", "three")]
    assert [len(each) for each in workers] == [4, 4, 4] and all(len(set(each)) == 1 for each in workers)
