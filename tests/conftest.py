# SPDX-License-Identifier: GPL-2.0-or-later
import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from e2e import ROOT, SHORT, WIRED, judged

from cellbed import paths
from cellbed.cli import main
from cellbed.labs import lab_kernels

# Tests may run under nohup or in the background of a script, and commands would inherit that they ignore a hang-up or
# an interrupt. They do not inherit a handler.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """What `make wheel` makes, once for all workers; or the one that CELLBED_WHEEL names."""
    if "CELLBED_WHEEL" in os.environ:
        return Path(os.environ["CELLBED_WHEEL"])
    base = tmp_path_factory.getbasetemp()
    out = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "dist"
    out.mkdir(exist_ok=True)
    with open(out / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(out.glob("*.whl")):
            subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-deps",
                            "--wheel-dir", out, ROOT], check=True)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture
def command(monkeypatch, capsys):
    """The command in this process, which has imported already what it needs: what a user is told, and the status."""
    def call(*words, check=False):
        monkeypatch.setattr(sys, "argv", ["cellbed", *map(str, words)])
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        with pytest.raises(SystemExit) as end:
            main.main()
            raise SystemExit(0)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask, "it takes signals: it needs a process of its own"
        out, err = capsys.readouterr()
        assert not check or end.value.code == 0, out + err
        return subprocess.CompletedProcess(words, end.value.code, out, err)

    return call


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    return path


@pytest.fixture
def wired(tmp_path):
    path = tmp_path / "wired.yaml"
    path.write_text(WIRED)
    return path


KERNEL_SOURCE = lab_kernels.found("6.12")


def _ipv4_as_packaged(tree):
    """Files below net/ipv4 as the distribution has them, kept apart: a test that is killed leaves edits in the tree."""
    kept = tree.with_suffix(".ipv4")
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=tree.parent) as scratch:
            subprocess.run(["tar", "-xf", KERNEL_SOURCE, "-C", scratch, "--strip-components=1", "--wildcards",
                            "*/net/ipv4"], check=True)
            os.rename(Path(scratch, "net/ipv4"), kept)
    return {path.name: path.read_bytes() for path in kept.iterdir() if path.is_file()}


def _restore_ipv4(tree, packaged):
    folder = tree / "net/ipv4"
    for path in folder.glob("*.[ch]"):
        if path.name not in packaged:
            path.unlink()
    for name, content in packaged.items():
        if (folder / name).read_bytes() != content:
            (folder / name).write_bytes(content)


@pytest.fixture
def kernel_tree():
    """A source tree that a test may edit, below net/ipv4.

    Unpacked and compiled once, it is kept in the cache: the first time takes minutes.
    """
    if KERNEL_SOURCE is None:
        pytest.skip("no source of Linux 6.12; `kernel/build --version 6.12` fetches it")
    tree = paths.cache() / "test-tree"
    tree.mkdir(parents=True, exist_ok=True)
    with open(tree.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (tree / "unpacked").exists():
            subprocess.run(["tar", "-xf", KERNEL_SOURCE, "-C", tree, "--strip-components=1"], check=True)
            (tree / "unpacked").touch()
        packaged = _ipv4_as_packaged(tree)
        _restore_ipv4(tree, packaged)
        subprocess.run([ROOT / "kernel/build", "--source", tree], check=True, capture_output=True)
        yield tree


@pytest.fixture
def stack():
    """Things to leave at the end of the test."""
    with contextlib.ExitStack() as entered:
        yield entered


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """With a failure come the bundles of the test's folders: where they are, and what their runs were judged."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        folders = [value for value in item.funcargs.values() if isinstance(value, Path)]
        if said := judged(folders):
            report.sections.append(("bundles", "\n".join(said)))
