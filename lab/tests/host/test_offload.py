# SPDX-License-Identifier: GPL-2.0-or-later
"""Offloads of an interface of a namespace, beside what ethtool(8) says of them."""

import os
import subprocess

import pytest

from cellbed.host import offload
from cellbed.host.netns import in_netns

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root")


@pytest.fixture
def namespace():
    """A process in a network namespace of its own that has a pair of veths."""
    script = "ip link add veth0 type veth peer name veth1 && echo && exec sleep 60"
    process = subprocess.Popen(["unshare", "--net", "sh", "-c", script], stdout=subprocess.PIPE)
    process.stdout.readline()
    yield process.pid
    process.kill()
    process.wait()
    process.stdout.close()


def said(interface):
    lines = subprocess.run(["ethtool", "-k", interface], capture_output=True, text=True, check=True).stdout.splitlines()
    return {name.strip(): value.split()[0] for name, value in (line.split(": ", 1) for line in lines[1:])}


@pytest.mark.parametrize("checksum", [False, True])
def test_they_are_off_and_read_as_ethtool_reads_them(namespace, checksum):
    with in_netns(namespace):
        before = said("veth0")
        assert offload.read("veth0") == {name: before[name] for name in offload.read("veth0")}
        assert before["tcp-segmentation-offload"] == before["tx-checksumming"] == "on"
        offload.switch_off("veth0", checksum=checksum)
        after = said("veth0")
    # Kinds of TCP that have a bit of their own are segmented when plain TCP is.
    names = ("tx-tcp-segmentation", "tx-tcp6-segmentation", "generic-segmentation-offload", "generic-receive-offload")
    assert {after[name] for name in names} == {"off"}
    assert after["tx-checksumming"] == ("off" if checksum else "on")


def test_an_interface_that_is_not_there_has_none(namespace):
    with in_netns(namespace):
        offload.switch_off("veth2", checksum=True)
        assert offload.read("veth2") == {}
