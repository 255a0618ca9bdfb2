# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of the nodes for commands on them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cellbed.run import hosts_file

NODES = {"server": {"address": "10.46.0.1", "base": "10.45.0.1"}, "enb": {"address": "", "base": None},
         "ue1": {"address": "10.45.0.1", "base": "10.46.0.1"}}


def machine(monkeypatch, tmp_path, name, text):
    """A machine of that name with such an /etc/hosts."""
    hosts = tmp_path / "machine"
    hosts.write_text(text)
    monkeypatch.setattr(hosts_file, "_HOSTS", str(hosts))
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", name, "", "", "")))


def test_a_machine_whose_name_is_in_no_file(monkeypatch, tmp_path):
    machine(monkeypatch, tmp_path, "laptop", "127.0.0.1 localhost # laptop\n")
    hosts_file.write(tmp_path, NODES)
    assert hosts_file.path(tmp_path, "enb").read_text().endswith("127.0.1.1 laptop\n127.0.0.1 localhost # laptop\n")


def test_resolvers_of_a_way_to_the_internet_stay(tmp_path):
    hosts_file.write(tmp_path, NODES)
    assert (tmp_path / "resolv.conf").read_text().startswith("nameserver 127.0.0.1\n")
    (tmp_path / "resolv.conf").write_text("nameserver 192.0.2.1\n")
    hosts_file.write(tmp_path, NODES)
    assert (tmp_path / "resolv.conf").read_text() == "nameserver 192.0.2.1\n"


def test_each_node_has_all_names_and_a_base_of_its_own(monkeypatch, tmp_path):
    own = "127.0.0.1 localhost mine\n"
    machine(monkeypatch, tmp_path, "mine", own)
    hosts_file.write(tmp_path, NODES)
    assert hosts_file.path(tmp_path, "ue1").read_text() == f"10.46.0.1 server base\n10.45.0.1 ue1\n{own}"
    assert hosts_file.path(tmp_path, "server").read_text() == f"10.46.0.1 server\n10.45.0.1 ue1 base\n{own}"
    assert hosts_file.path(tmp_path, "enb").read_text() == f"10.46.0.1 server\n10.45.0.1 ue1\n{own}"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")
@pytest.mark.skipif("/" not in [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()],
                    reason="the root is no mount point here (a chroot), so no mount can be private")
def test_only_the_child_sees_them(tmp_path):
    hosts_file.write(tmp_path, NODES)
    before = Path("/etc/hosts").read_text()
    as_ue1 = hosts_file.before(hosts_file.path(tmp_path, "ue1"))
    done = subprocess.run([sys.executable, "-c", "import socket; print(socket.gethostbyname('base'))"], text=True,
                          capture_output=True, check=True, preexec_fn=as_ue1)
    assert done.stdout == "10.46.0.1\n"
    assert Path("/etc/hosts").read_text() == before


def test_without_names_there_are_none(tmp_path):
    ran = []
    hosts_file.before(tmp_path / "missing", lambda: ran.append(True))()
    hosts_file.before(None)()
    assert ran == [True]
