# SPDX-License-Identifier: GPL-2.0-or-later
"""Mininet's command line on the nodes of a running lab: `python -m cellbed.link.mininet_cli DIR`.

The nodes are the lab's; this process only adds a shell to each, so leaving it changes nothing.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from mininet.cli import CLI
from mininet.link import Intf
from mininet.log import lg
from mininet.net import Mininet
from mininet.node import Host

from cellbed.run import inventory


class LabNode(Host):
    """A node that is there already, in the namespaces of a process."""

    def startShell(self, mnopts: str | None = None) -> None:  # noqa: N802 (Mininet's name)
        self.inNamespace = False  # not a new one
        super().startShell(f"-cda {self.params['lab_pid']}")
        self.inNamespace = True
        own, here = (os.readlink(f"/proc/{pid}/ns/mnt") for pid in (self.params["lab_pid"], "self"))
        if own != here:
            self.cmd("mount --make-rslave / && mount -t sysfs sysfs /sys")  # that of a namespace shows its interfaces


def attach(lab: dict[str, Any]) -> Mininet:
    """Mininet with the nodes of a lab, as inventory.read() has them."""
    Mininet.inited = True  # its init() would raise limits of the whole machine
    net = Mininet(topo=None, build=False, controller=None)
    for name, node in lab.items():
        host = net.addHost(name, cls=LabNode, ip=None, lab_pid=node["pid"])
        for interface in node["interfaces"]:
            Intf(interface, node=host, moveIntfFn=lambda *_: None).ip = node["address"] or None
    return net


def main(directory: str) -> None:
    logging.getLogger("mininet").setLevel(logging.WARNING)
    lg.setLogLevel("info")
    if not os.access(Path.home(), os.W_OK):
        from cellbed.host.ledger import private_folder

        os.environ["HOME"] = str(private_folder(tempfile.gettempdir()))  # its history has to go somewhere
    net = attach(inventory.read(Path(directory)))
    try:
        CLI(net)
    finally:
        for host in net.hosts:
            host.terminate()


if __name__ == "__main__":
    main(sys.argv[1])
