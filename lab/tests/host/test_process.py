# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that fail: what they say is the message, and one that says nothing is named."""

import ast
from pathlib import Path

import pytest

from cellbed import paths
from cellbed.error import PACKAGES, LabError
from cellbed.host import programs
from cellbed.host.process import finished

LAB = Path(paths.__file__).parent


@pytest.mark.parametrize(("words", "message"), [
    (["sh", "-c", "echo so; echo it is >&2; exit 3"], "it is"),
    (["sh", "-c", "exit 3"], "sh ended with status 3"),
    (["/bin/sh", "-c", "kill -9 $$"], "sh was ended by SIGKILL"),
    (["/no/such/program"], "/no/such/program: No such file or directory"),
])
def test_why_a_program_failed(words, message):
    with pytest.raises(LabError, match=f"^{message}$"):
        finished(words)


def test_a_program_that_is_not_installed_is_named_with_its_package(monkeypatch):
    monkeypatch.setitem(PACKAGES, "gone", "its-package")
    with pytest.raises(LabError, match="^gone is not installed; install it with `apt-get install its-package`$"):
        finished([programs.command("gone"), "--version"])


def test_what_a_program_printed():
    assert finished(["sh", "-c", "echo so; echo it is >&2"]) == b"so\n"


def test_no_failure_of_a_program_is_a_traceback():
    """subprocess raises CalledProcessError where it is to check."""
    found = []
    for path in sorted(LAB.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            called = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
            checks = called == "run" and any(word.arg == "check" and getattr(word.value, "value", None) is not False
                                             for word in node.keywords)
            if checks or called in ("check_output", "check_call"):
                found.append(f"{path.relative_to(LAB)}:{node.lineno}")
    assert found == []
