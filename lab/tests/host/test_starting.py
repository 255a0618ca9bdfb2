# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs and environments of children: what others have put in the way does not count, and nothing goes past this."""

import ast
import os
from pathlib import Path

import pytest

import cellbed_kernel
from cellbed import paths
from cellbed.host import programs
from cellbed.host.python_child import python_command

LAB = Path(paths.__file__).parent
# Who may write down how Python starts, and who looks for programs of a user in his PATH.
OF_PYTHON = {"host/python_child.py", "sweep/ssh_boot.py"}
OF_USERS = {"cli/link.py", "cli/shell.py", "scenario/named_files.py"}
# A server of a scenario, which users can write as well; and an option of QEMU.
NO_CHILDREN = {("link/links.py", "-m"), ("labs/vm.py", "-m")}
# The Python of a guest, by the path of this one.
INTERPRETER = {"labs/virtual.py", "labs/vm.py", "labs/boot_check.py"}
# cellbed_kernel.steps.run, which finds them.
OF_STEPS = "run"
STARTS = {"run", "Popen", "Process", "check_output", "check_call", "call", "execv", "execve", "execvp", "execvpe",
          "system", "popen", "getoutput"}


KERNEL = Path(cellbed_kernel.__file__).parent


def source(top=LAB):
    for path in sorted(top.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            yield str(path.relative_to(top)), node


def test_one_module_starts_python():
    found = set()
    for name, node in source():
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.executable" and name not in INTERPRETER:
            found.add((name, "sys.executable"))
        elif isinstance(node, ast.Constant) and node.value == "-m":
            found.add((name, "-m"))
    assert {(name, what) for name, what in found - NO_CHILDREN if name not in OF_PYTHON} == set()


def test_one_function_finds_programs():
    assert not [name for name, node in source(KERNEL) if isinstance(node, ast.Attribute) and node.attr == "which"]
    assert {name for name, node in source() if isinstance(node, ast.Attribute) and node.attr == "which"} == OF_USERS


def words(node):
    """Lists that are, or are in, the arguments of a call."""
    return [part for argument in node.args for part in ast.walk(argument) if isinstance(part, ast.List)]


@pytest.mark.parametrize("top", [LAB, KERNEL])
def test_no_program_is_started_by_its_bare_name(top):
    bare = {(name, line[0].value) for name, node in source(top) if isinstance(node, ast.Call)
            and ast.unparse(node.func).rpartition(".")[2] in STARTS and ast.unparse(node.func) != OF_STEPS
            for line in (found.elts for found in words(node)) if line and isinstance(line[0], ast.Constant)
            and isinstance(line[0].value, str) and not line[0].value.startswith(("-", "/"))}
    assert bare == set()


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Two folders with a program `tool`, the current one and one that is root's own."""
    for folder in ("here", "good"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tool").write_text("#!/bin/sh\n")
        (tmp_path / folder / "tool").chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


@pytest.mark.parametrize("before", ["", ".", "../here", "/nowhere"])
def test_only_folders_with_whole_paths_count(places, monkeypatch, before):
    monkeypatch.setenv("PATH", f"{before}:{places / 'good'}")
    assert programs.find("tool") == programs.command("tool") == str(places / "good/tool")
    monkeypatch.setenv("PATH", f"{before}:/usr/bin")
    assert programs.find("tool") is None
    assert not Path(programs.command("tool")).exists()


def test_what_cannot_be_started_is_no_program(places, monkeypatch):
    (places / "good/tool").chmod(0o644)
    monkeypatch.setenv("PATH", str(places / "good"))
    assert programs.find("tool") is None


@pytest.mark.parametrize(("uid", "mode", "counts"), [(0, 0o755, True), (65534, 0o755, False), (0, 0o775, False),
                                                     (0, 0o757, False), (0, 0o1777, False)])
@pytest.mark.skipif(os.geteuid() != 0, reason="others' folders are made by root")
def test_root_takes_what_only_root_can_change(places, monkeypatch, uid, mode, counts):
    os.chown(places / "good", uid, -1)
    (places / "good").chmod(mode)
    monkeypatch.setenv("PATH", str(places / "good"))
    assert (programs.find("tool") is not None) == counts
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert programs.find("tool") is not None


def test_folders_of_the_system_need_not_be_in_path(places, monkeypatch):
    monkeypatch.setattr(programs, "_SBIN", ("/nowhere", str(places / "good")))
    monkeypatch.setenv("PATH", "/usr/bin")
    assert programs.find("tool") == str(places / "good/tool")


def test_a_guest_does_not_look(monkeypatch):
    monkeypatch.setattr(programs, "_in_guest", False)
    programs.be_in_guest()
    assert programs.command("tc") == "tc"


HIS = {"PATH": ".:/usr/bin::bin", "LD_PRELOAD": "/his.so", "PYTHONPATH": "/his", "BASH_ENV": "/his", "HOME": "/his"}


@pytest.mark.parametrize(("uid", "sudo", "kept"), [
    (0, {"SUDO_UID": "1000"}, {"PATH": "/usr/bin", "HOME": "/his", "SUDO_UID": "1000"}),
    (0, {}, {**HIS, "PATH": "/usr/bin"}),
    (0, {"SUDO_UID": "0"}, {**HIS, "PATH": "/usr/bin", "SUDO_UID": "0"}),
    (1000, {}, HIS),
])
def test_environment_of_children(monkeypatch, uid, sudo, kept):
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    assert programs.trusted(HIS | sudo) == kept


@pytest.mark.parametrize("uid", [0, 1000])
def test_what_was_given_is_still_known(monkeypatch, uid):
    whole = HIS | {"SUDO_UID": "1000"}
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    monkeypatch.setattr(os, "environ", dict(whole))
    monkeypatch.setattr(programs, "_taken", {})
    programs.distrust()
    assert os.environ["PATH"] == "/usr/bin" and os.environ["PYTHONSAFEPATH"] == "1"
    assert ("LD_PRELOAD" in os.environ) == (uid != 0)
    os.environ["LATER"] = "1"
    assert programs.given() == whole | {"LATER": "1"}


@pytest.mark.parametrize("uid", [0, 1000])
def test_how_python_starts(monkeypatch, uid):
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    words = python_command("cellbed.some", "word")
    assert words[1] == "-P" and ("-s" in words) == (uid == 0) and words[-3:] == ["-m", "cellbed.some", "word"]
