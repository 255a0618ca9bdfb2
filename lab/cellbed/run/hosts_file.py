# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of the nodes for commands on them: an /etc/hosts that only the command and its children see.

It is mounted over the machine's in a mount namespace of the command's own, so nothing is left of it. The far end is
`base` as well, the address that CELLBED_BASE has.
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
_HOSTS = "/etc/hosts"
_RESOLV_CONF = "/etc/resolv.conf"
BASE = "base"
# Of a lab with a way out: what takes the place of /etc/resolv.conf.
RESOLVERS = "resolv.conf"
PATTERN = "hosts-*"


def path(directory: Path, node: str) -> Path:
    """Of a node's names in a lab's folder."""
    return directory / PATTERN.replace("*", node)


def write(directory: Path, nodes: dict[str, Any]) -> None:
    """Args: nodes: as inventory.describe() has them."""
    known = [(node["address"], name) for name, node in nodes.items() if node["address"]]
    own = Path(_HOSTS).read_text(errors="replace") if os.access(_HOSTS, os.R_OK) else "127.0.0.1 localhost\n"
    for name, node in nodes.items():
        lines = [f"{address} {other}{f' {BASE}' if address == node['base'] else ''}\n" for address, other in known]
        if node["base"] and node["base"] not in dict(known):
            lines.append(f"{node['base']} {BASE}\n")
        path(directory, name).write_text("".join(lines) + own)


def use(hosts: Path) -> None:
    """In the child that becomes the command, as root. Where it cannot be done there are addresses only."""
    if not hosts.exists():
        return
    with contextlib.suppress(OSError):
        _check(_LIBC.unshare(_CLONE_NEWNS))
        _check(_LIBC.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None))
        _check(_LIBC.mount(os.fsencode(hosts), _HOSTS.encode(), None, _MS_BIND, None))
        resolvers = hosts.with_name(RESOLVERS)
        if resolvers.exists():
            _check(_LIBC.mount(os.fsencode(resolvers), _RESOLV_CONF.encode(), None, _MS_BIND, None))


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
