# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing that lies in the current folder is run: no module, whatever it is called, and no program."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import typer
from e2e import CELLBED, SHORT, UNBUILT, cellbed, needs_native
from ordinary import Ordinary, needs_an_ordinary_user, needs_user_namespaces

from cellbed.cli import lazy, main

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


# Those that work by themselves without a word, for minutes, or until they are stopped.
ALONE = {"demo", "scheduler"}
COMMANDS = sorted(lazy.every(typer.main.get_command(main.app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_tree(folder, tmp_path, monkeypatch, name):
    """Its help, and what it says of too few words and of a file that is not there, for which it imports all."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))  # `watch` would follow the runs of other tests
    assert cellbed(name, "--help", check=False).returncode == 0
    for words in ([], ["none.yaml"]) if name not in ALONE else ():
        done = cellbed(name, *words, check=False, stdin=subprocess.DEVNULL)
        assert "Traceback" not in done.stderr and done.returncode != 99, done.stderr


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


# Loaded into every program that LD_PRELOAD reaches: who it runs as, and as what.
PRELOADED = """
#include <stdio.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void)
{
    char said[200] = "";
    FILE *own = fopen("/proc/self/cmdline", "r"), *out = fopen(MARKER, "a");
    size_t n = own ? fread(said, 1, sizeof(said) - 1, own) : 0;
    for (size_t i = 0; i < n; i++)
        said[i] = said[i] ? said[i] : ' ';
    if (out)
        fprintf(out, "%u %s\\n", geteuid(), said);
}
"""
# Imported by every Python that PYTHONPATH reaches.
CUSTOMIZED = """
import os, sys
with open({marker!r}, "a") as out:
    print(os.geteuid(), *sys.orig_argv, file=out)
"""


@needs_native
@pytest.mark.parametrize("variable", ["LD_PRELOAD", "PYTHONPATH"])
def test_code_of_a_caller_of_sudo(monkeypatch, variable):
    """It is run in cellbed itself, which sudo starts, and in his command as himself; in nothing else of root's."""
    with tempfile.TemporaryDirectory() as name:
        his = Path(name)
        his.chmod(0o755)
        marker = his / "marker"
        marker.touch()
        marker.chmod(0o666)
        (his / "code.c").write_text(PRELOADED)
        (his / "sitecustomize.py").write_text(CUSTOMIZED.format(marker=str(marker)))
        subprocess.run(["cc", "-shared", "-fPIC", f'-DMARKER="{marker}"', "-o", his / "code.so", his / "code.c"],
                       check=True)
        for path in (his / "code.so", his / "sitecustomize.py"):
            path.chmod(0o755)
        monkeypatch.setenv("SUDO_UID", "65534")
        monkeypatch.setenv("SUDO_GID", "65534")
        monkeypatch.setenv(variable, str(his / "code.so" if variable == "LD_PRELOAD" else his))
        cellbed("link", "good", "--lab", "native", "--", "/usr/bin/python3", "-c", "'his own'", cwd=his)
        ran = [line.partition(" ") for line in marker.read_text().splitlines()]
    of_root = [said for uid, _, said in ran if uid == "0"]
    assert of_root and all(f"{CELLBED} link good" in said for said in of_root), of_root
    assert any(uid == "65534" and "his own" in said for uid, _, said in ran), ran


@needs_native
def test_a_program_of_another_user_in_path(folder, tmp_path, monkeypatch):
    """A folder that root alone can write to counts; this one does not."""
    os.chown(folder, 65534, 65534)
    folder.chmod(0o777 | stat.S_ISVTX)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    cellbed(*NATIVE[:-1], "/bin/true")


@needs_an_ordinary_user
@needs_user_namespaces
def test_an_ordinary_user_whose_path_lacks_sbin():
    user = Ordinary()
    try:
        environment = {**user.environment, "PATH": "/usr/local/bin:/usr/bin:/bin",
                       "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        cellbed("link", "good", "rate", "10mbit", "--", "true", **{**user.options, "env": environment})
    finally:
        user.remove()
