# SPDX-License-Identifier: GPL-2.0-or-later
"""The playbook on this machine: what `make setup` did is done, and the list of packages is read as written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLAYBOOK = Path(sys.executable).with_name("ansible-playbook")

pytestmark = pytest.mark.skipif(not PLAYBOOK.exists(), reason="a machine that another one provisions has no Ansible")


def play(*args):
    """Play site.yml here. Return: (exit status, output)."""
    env = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible/ansible.cfg"), "ANSIBLE_NOCOLOR": "1",
           "ANSIBLE_DISPLAY_OK_HOSTS": "1"}
    done = subprocess.run([PLAYBOOK, ROOT / "ansible/site.yml", "--limit", "localhost", *args], capture_output=True,
                          text=True, check=False, env=env)
    return done.returncode, done.stdout + done.stderr


def test_a_second_run_changes_nothing():
    """The first one may compile what was edited since `make setup`."""
    play("--tags", "packages,cellbed")
    status, output = play("--tags", "packages,cellbed")
    assert status == 0, output
    assert re.search(r"localhost +: ok=[1-9]\d* +changed=0 ", output), output


@pytest.mark.parametrize("groups, wanted", [("[]", ["cellbed-none"]), ("[vm]", ["cellbed-none", "cellbed-vm"])])
def test_packages_that_are_missing(tmp_path, groups, wanted):
    """Installed ones, comments and groups that were not asked for are left out."""
    listed = tmp_path / "packages.txt"
    listed.write_text("# a comment\nmake\ncellbed-none # why\ncellbed-vm vm\ncellbed-host vm-host\n")
    extra = f"{{packages_file: {listed}, packages_groups: {groups}, packages_lists_valid_s: 99999999}}"
    status, output = play("--tags", "packages", "--check", "-e", extra, "-vv")
    assert status != 0
    missing = re.search(r"packages_missing:\n((?: +- .*\n)+)", output)
    assert missing and [line.split()[-1] for line in missing[1].splitlines()] == wanted, output
