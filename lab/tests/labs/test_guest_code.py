# SPDX-License-Identifier: GPL-2.0-or-later
"""The archive of Python that a guest gets: complete, small in what it imports, the same with and without a cache."""

import io
import subprocess
import sys
import zipfile

import pytest

from cellbed import paths
from cellbed.labs import guest_code

# What takes long to import and no run needs.
HEAVY = {"argparse", "dataclasses", "inspect", "logging", "mininet", "platform", "pydantic", "shutil", "tempfile",
         "traceback", "typer", "zlib"}


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    guest_code.archive.cache_clear()
    yield tmp_path / "cache/cellbed/guest"
    guest_code.archive.cache_clear()


def imported(tmp_path, module):
    """All modules that there are after one was imported from the archive, as in a guest."""
    (tmp_path / guest_code.NAME).write_bytes(guest_code.archive())
    code = f"import cellbed.{module}, sys; print(*sys.modules); print(cellbed.{module}.__file__)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(tmp_path / guest_code.NAME)}, cwd="/")
    modules, file = done.stdout.splitlines()
    assert file == str(tmp_path / guest_code.NAME / f"cellbed/{module.replace('.', '/')}.pyc")
    return set(modules.split())


def test_the_runner_imports_little_and_nothing_from_elsewhere(tmp_path):
    assert HEAVY & imported(tmp_path, "run.runner") == set()


def test_the_runner_takes_no_random_numbers_of_its_kernel_when_it_is_imported(tmp_path):
    """Python's random does so: ports and sequence numbers of every run would be others."""
    assert "random" not in imported(tmp_path, "run.runner")


@pytest.mark.parametrize("module", ["run.guest_main", "run.datagrams", "run.stream", "host.tracepoints"])
def test_programs_of_a_guest_are_there(tmp_path, module):
    assert f"cellbed.{module}" in imported(tmp_path, module)


def test_the_same_from_the_cache(cache):
    made = guest_code.archive()
    guest_code.archive.cache_clear()
    (kept,) = cache.iterdir()
    assert guest_code.archive() == kept.read_bytes() == made


def test_of_other_code_it_is_another_one(cache, monkeypatch):
    guest_code.archive()
    for n in range(guest_code.KEPT + 2):
        monkeypatch.setattr(paths, "code", lambda n=n: f"{n:02x}" * 32)
        guest_code.archive.cache_clear()
        guest_code.archive()
    assert len(list(cache.iterdir())) == guest_code.KEPT


def test_without_a_cache(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc")
    assert "__main__.pyc" in zipfile.ZipFile(io.BytesIO(guest_code.archive())).namelist()


def test_errors_name_files_of_the_source(tmp_path):
    (tmp_path / guest_code.NAME).write_bytes(guest_code.archive())
    done = subprocess.run([sys.executable, "-S", "-m", "cellbed.run.runner", tmp_path], capture_output=True, text=True,
                          env={"PYTHONPATH": str(tmp_path / guest_code.NAME)}, cwd="/", check=False)
    assert f'File "{paths.ROOT}/lab/cellbed/run/runner.py"' in done.stderr
    assert "(out / \"description.json\").read_text()" in done.stderr
