# SPDX-License-Identifier: GPL-2.0-or-later
"""Names for commands on nodes: files of /etc that only the command and its children see.

They are mounted over the machine's in a mount namespace of the command's own, so nothing is left of them. /etc/hosts
has the nodes, and the far end also as `base` and `base6`, the addresses of CELLBED_BASE and CELLBED_BASE6. Unless
the lab has a way to the Internet, no name server can be reached from a node. So resolv.conf points to the node itself,
where nobody answers unless the command starts a name server, and the answer to an unknown name comes at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS = 0x20000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_ETC = "/etc"
_HOSTS = "/etc/hosts"
BASE, BASE6 = "base", "base6"
RESOLVERS, SERVICES = "resolv.conf", "nsswitch.conf"
PATTERN = "hosts-*"
_NOBODY = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"
# Of the machine's own name where its /etc/hosts has none, as Debian's installer writes it.
_OWN_ADDRESS = "127.0.1.1"


def path(directory: Path, node: str) -> Path:
    """Of a node's names in a lab's folder."""
    return directory / PATTERN.replace("*", node)


def write(directory: Path, nodes: dict[str, Any]) -> None:
    """Names of all nodes, for a command on each.

    Args:
        directory: the lab's folder; a resolv.conf that is there stays.
        nodes: as inventory.describe() has them.
    """
    known = [(address, name) for name, node in nodes.items()
             for address in node.get("addresses", [node["address"]]) if address]
    own = _machine()
    for name, node in nodes.items():
        bases = ((BASE, node["base"]), (BASE6, node.get("base6")))
        lines = [" ".join([address, other, *(alias for alias, of in bases if of == address)]) + "\n"
                 for address, other in known]
        lines += [f"{of} {alias}\n" for alias, of in bases if of and of not in dict(known)]
        path(directory, name).write_text("".join(lines) + own)
    if not (directory / RESOLVERS).exists():
        (directory / RESOLVERS).write_text(_NOBODY)
    with contextlib.suppress(OSError):
        lines = Path(_ETC, SERVICES).read_text(errors="replace").splitlines()
        (directory / SERVICES).write_text("\n".join(map(_own_files_first, lines)) + "\n")


def _machine() -> str:
    """The machine's /etc/hosts, with the machine's own name, which programs look up (Java, MPI, Python's servers)."""
    text = Path(_HOSTS).read_text(errors="replace") if os.access(_HOSTS, os.R_OK) else "127.0.0.1 localhost\n"
    known = {name for line in text.splitlines() for name in line.partition("#")[0].split()[1:]}
    name = os.uname().nodename
    return text if name in known or not name else f"{_OWN_ADDRESS} {name}\n{text}"


def _own_files_first(line: str) -> str:
    """A line of nsswitch.conf: services such as systemd-resolved answer for the machine's network, not the lab's."""
    return "hosts: files dns" if line.partition(":")[0].strip() == "hosts" else line


def use(hosts: Path) -> None:
    """In the child that becomes the command, as root. Where it cannot be done there are addresses only."""
    if not hosts.exists():
        return
    with contextlib.suppress(OSError):
        _check(_LIBC.unshare(_CLONE_NEWNS))
        _check(_LIBC.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None))
        _check(_LIBC.mount(os.fsencode(hosts), _HOSTS.encode(), None, _MS_BIND, None))
        for name in (RESOLVERS, SERVICES):
            if (file := hosts.with_name(name)).exists() and os.path.exists(f"{_ETC}/{name}"):
                _check(_LIBC.mount(os.fsencode(file), f"{_ETC}/{name}".encode(), None, _MS_BIND, None))


def before(hosts: Path | None, then: Callable[[], None] | None = None) -> Callable[[], None]:
    """What a child does before it becomes the command: take the names, then something else."""
    def prepare() -> None:
        if hosts is not None:
            use(hosts)
        if then is not None:
            then()

    return prepare


def _check(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
