# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing that lies in the current folder is run: no module, whatever it is called, and no program."""

import os
import stat
import sys

import pytest
from e2e import SHORT, UNBUILT, cellbed, needs_native
from ordinary import Ordinary, needs_an_ordinary_user

pytestmark = pytest.mark.lab

# Besides those of Python: what the packages and their dependencies are called, and what Python itself looks for.
MODULES = {*sys.stdlib_module_names, "sitecustomize", "usercustomize", "cellbed", "cellbed_analysis", "cellbed_channel",
           "cellbed_formats", "cellbed_kernel", "cellbed_watch", "click", "distributed", "mininet", "numpy", "polars",
           "pydantic", "pydantic_core", "rich", "typer", "typing_extensions", "yaml"}
PROGRAMS = ("apt-get", "bpftool", "cc", "env", "gcc", "git", "ip", "iperf3", "mount", "nft", "nsenter", "pasta",
            "python", "python3", "qemu-system-x86_64", "sh", "strip", "systemd-detect-virt", "sysctl", "tc", "tshark",
            "unshare")


def poison(folder, marker):
    """Have everything in @folder say that it was run, in the file @marker, and fail."""
    for name in MODULES:
        (folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write('module {name}\\n')\n"
                                           "raise SystemExit(99)\n")
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho program {name} >> '{marker}'\nexit 99\n")
        (folder / name).chmod(0o755)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, which is in PATH as well; nothing in it may have been run in the end."""
    made, marker = tmp_path / "here", tmp_path / "marker"
    made.mkdir()
    poison(made, marker)
    (made / "short.yaml").write_text(SHORT.replace("duration_s: 3", "duration_s: 1"))
    monkeypatch.chdir(made)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    yield made
    assert not marker.exists(), marker.read_text()


@pytest.mark.parametrize("words", [["--help"], ["scenarios"], ["clean"], ["doctor"], ["check", "short.yaml"]],
                         ids=lambda words: words[0])
def test_commands(folder, words):
    done = cellbed(*words, check=False)
    assert "Traceback" not in done.stderr
    # What doctor finds wanting of this machine is not the point.
    assert done.returncode == 0 or words == ["doctor"], done.stdout + done.stderr


NATIVE = ["link", "good", "rate", "10mbit", "--lab", "native", "--", "true"]


@needs_native
def test_a_native_link(folder):
    cellbed(*NATIVE)


@needs_native
def test_a_native_run(folder, tmp_path):
    cellbed("run", "short.yaml", "--lab", "native", "--variant", "DM-DM", "--results", tmp_path / "results")


@pytest.mark.skipif(len(UNBUILT) > 2, reason="no lab kernel is built")
def test_a_virtual_run_and_its_analysis(folder, tmp_path):
    cellbed("run", "short.yaml", "--results", tmp_path / "results")
    cellbed("report", tmp_path / "results")


@needs_native
def test_the_environment_of_a_caller_of_sudo(folder, tmp_path, monkeypatch):
    """It reaches his command, and nothing that root runs."""
    (folder / "environment").write_text(f"echo BASH_ENV $$ >> '{tmp_path / 'marker'}'\n")
    monkeypatch.setenv("SUDO_UID", "65534")
    monkeypatch.setenv("SUDO_GID", "65534")
    monkeypatch.setenv("BASH_ENV", str(folder / "environment"))
    monkeypatch.setenv("PYTHONSTARTUP", str(folder / "environment"))
    monkeypatch.setenv("ENV", "his own")
    seen = cellbed("link", "good", "--lab", "native", "--", "/bin/sh", "-c", 'echo "$ENV, ${PYTHONSAFEPATH-none}"')
    assert seen.stdout == "his own, none\n"


@needs_native
def test_a_program_of_another_user_in_path(folder, tmp_path, monkeypatch):
    """A folder that root alone can write to counts; this one does not."""
    os.chown(folder, 65534, 65534)
    folder.chmod(0o777 | stat.S_ISVTX)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    cellbed(*NATIVE[:-1], "/bin/true")


@needs_an_ordinary_user
def test_an_ordinary_user_whose_path_lacks_sbin():
    user = Ordinary()
    try:
        environment = {**user.environment, "PATH": "/usr/local/bin:/usr/bin:/bin",
                       "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        cellbed("link", "good", "rate", "10mbit", "--", "true", **{**user.options, "env": environment})
    finally:
        user.remove()
