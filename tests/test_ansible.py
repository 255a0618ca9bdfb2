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


def execute(*args, limit="localhost", **environment):
    """Run site.yml here. Return: (exit status, output)."""
    env = {**os.environ, "ANSIBLE_CONFIG": str(ROOT / "ansible/ansible.cfg"), "ANSIBLE_NOCOLOR": "1",
           "ANSIBLE_DISPLAY_OK_HOSTS": "1", **environment}
    done = subprocess.run([PLAYBOOK, ROOT / "ansible/site.yml", "--limit", limit, *args], capture_output=True,
                          text=True, check=False, env=env)
    return done.returncode, done.stdout + done.stderr


def test_a_second_run_changes_nothing():
    """The first one may compile what was edited since `make setup`."""
    execute("--tags", "packages,cellbed")
    status, output = execute("--tags", "packages,cellbed")
    assert status == 0, output
    assert re.search(r"localhost +: ok=[1-9]\d* +changed=0 ", output), output


@pytest.mark.parametrize("groups, wanted", [("[]", ["cellbed-none"]), ("[vm]", ["cellbed-none", "cellbed-vm"])])
def test_packages_that_are_missing(tmp_path, groups, wanted):
    """Installed ones, comments and groups that were not asked for are left out."""
    listed = tmp_path / "packages.txt"
    listed.write_text("# a comment\nmake\ncellbed-none # why\ncellbed-vm vm\ncellbed-host vm-host\n")
    extra = f"{{packages_file: {listed}, packages_groups: {groups}, packages_lists_valid_s: 99999999}}"
    status, output = execute("--tags", "packages", "--check", "-e", extra, "-vv")
    assert status != 0
    missing = re.search(r"packages_missing:\n((?: +- .*\n)+)", output)
    assert missing and [line.split()[-1] for line in missing[1].splitlines()] == wanted, output


@pytest.mark.skipif(os.geteuid() != 0, reason="apt pretends to install as root only")
def test_what_a_distribution_need_not_have(tmp_path):
    """An optional package is installed where there is one; where there is none nothing is amiss."""
    listed = tmp_path / "packages.txt"
    listed.write_text("make\nmake-guile optional\ncellbed-none optional\ncellbed-vm vm optional\n")
    extra = f"{{packages_file: {listed}, packages_lists_valid_s: 99999999}}"
    status, output = execute("--tags", "packages", "--check", "-e", extra, "-vv")
    assert status == 0, output
    assert "Inst make-guile " in output, output


#: Reads its options as ssh does, and finds the host `there` on this machine.
SSH = """#!/bin/sh
while getopts Ci:l:o:p: option; do echo "$option $OPTARG" >>"$0.options"; done
shift $((OPTIND - 1))
[ "$1" = 127.0.0.1 ] || { echo "no host <$1>" >&2; exit 255; }
shift
exec "$@"
"""


@pytest.mark.parametrize("name", ["ansible", "ansible_ssh"])
def test_sources_are_copied_through_the_way_into_the_host(tmp_path, name):
    """rsync gets the port, the key and the options that Ansible itself uses; what git ignores stays here."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    (source / "Makefile").write_text("build:\n")
    (source / ".gitignore").write_text("/build/\n")
    (source / "build").mkdir()
    ssh = tmp_path / "ssh"
    ssh.write_text(SSH)
    ssh.chmod(0o755)
    inventory = tmp_path / "inventory.yml"
    inventory.write_text(
        f"all: {{hosts: {{there: {{ansible_connection: local, {name}_host: 127.0.0.1, {name}_port: 2222, "
        "ansible_ssh_private_key_file: /key, ansible_ssh_common_args: -o LogLevel=ERROR, "
        f"cellbed_source: {source}, cellbed_directory: {target}}}}}}}\n")
    status, output = execute("-i", inventory, "--tags", "cellbed", limit="there",
                             PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert status == 0, output
    assert sorted(path.name for path in target.iterdir()) == [".gitignore", "Makefile"]
    assert {"p 2222", "i /key", "o LogLevel=ERROR"} <= set((tmp_path / "ssh.options").read_text().splitlines())
