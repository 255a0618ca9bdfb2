# SPDX-License-Identifier: GPL-2.0-or-later
"""The first step of `make setup`: what a machine lacks is one line that says what to do."""

import os
import shlex
import shutil
import subprocess
import sys

import pytest
from e2e import ROOT, needs_namespaces

PROGRAMS = ("apt-get", "awk", "bash", "cat", "df", "dirname", "dpkg-query", "grep", "id", "mktemp", "rm", "sed", "tail")


@pytest.fixture
def checkout(tmp_path):
    """The script with a list of packages of which one is nowhere."""
    (tmp_path / "ansible").mkdir()
    shutil.copy(ROOT / "ansible/bootstrap", tmp_path / "ansible")
    (tmp_path / "packages.txt").write_text("# build: lab kernel\nbash\ncellbed-none\n# labs\ncellbed-other\n")
    return tmp_path


def bootstrap(checkout, *args, without=(), inside=(), **environment):
    """Return: (status, lines on standard error)."""
    programs = checkout / "programs"
    programs.mkdir()
    for name in set(PROGRAMS) - set(without):
        (programs / name).symlink_to(shutil.which(name))
    done = subprocess.run([*inside, shutil.which("env"), f"PATH={programs}", checkout / "ansible/bootstrap",
                           *(args or [sys.executable])], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stderr.splitlines()


def test_everything_is_there(checkout):
    (checkout / "packages.txt").write_text("# build: lab kernel\nbash\n# labs\ncellbed-other\n")
    assert bootstrap(checkout) == (0, [])


def test_no_package(checkout):
    status, (line,) = bootstrap(checkout, CELLBED_ROOM_MIB="99999999")
    assert status == 1 and line.startswith(f"setup: {checkout} has ") and "99999999 are needed" in line


def test_no_python(checkout):
    status, (line,) = bootstrap(checkout, "python-none")
    assert status == 1 and line.startswith("setup: python-none is missing; ")


def test_an_old_python(checkout):
    """As Debian 11's."""
    old = checkout / "python3.9"
    old.write_text('#!/bin/sh\n[ "$1" != --version ] || echo Python 3.9.2\nexit 1\n')
    old.chmod(0o755)
    status, (line,) = bootstrap(checkout, old)
    assert status == 1 and "has Python 3.9.2, and cellbed needs 3.11 or later" in line


@needs_namespaces
@pytest.mark.parametrize("system", ["Fedora Linux 42", "Alpine Linux v3.22"])
def test_a_system_without_apt(checkout, system):
    (checkout / "os-release").write_text(f'PRETTY_NAME="{system}"\n')
    script = f"mount --bind {shlex.quote(str(checkout / 'os-release'))} /etc/os-release && exec \"$@\""
    status, (line,) = bootstrap(checkout, without=["apt-get"], inside=["unshare", "--mount", "sh", "-c", script, "sh"])
    assert status == 1 and line.startswith(f"setup: {system} has no apt-get; use cellbed's image or wheel there")


@needs_namespaces
def test_offline(checkout):
    status, (line,) = bootstrap(checkout, inside=["unshare", "--net"])
    assert status == 1 and line.startswith("setup: ") and line.endswith("is there a network, and a mirror in /etc/apt?")
