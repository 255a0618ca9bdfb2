# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that this one starts, and the environment they start with: nobody else has a say in which they are.

The user may be in somebody else's folder, and root may have the environment of the user who called sudo.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

# Where programs of the system are that the PATH of an ordinary user lacks, such as tc of Debian.
_SBIN = ("/usr/local/sbin", "/usr/sbin", "/sbin")
_USUAL_PATH = "/usr/local/bin:/usr/bin:/bin"
# Who sets these runs code in other users' programs.
_CODE = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "BASH_ENV", "ENV")
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH

_in_guest = False
_taken: dict[str, str | None] = {}


def be_in_guest() -> None:
    """Take programs by their bare names from now on.

    The PATH of a guest is cellbed's own; looking for a program would be system calls that a guest has to pay for.
    """
    global _in_guest
    _in_guest = True


def find(name: str) -> str | None:
    """Path of a program: in a folder of PATH that counts, or of the system's. None: there is none."""
    for folder in folders():
        path = f"{folder}/{name}"
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def folders() -> list[str]:
    """Where programs are taken from; as the PATH of a child, it takes its own from there, too."""
    return [folder for folder in (*_folders(os.environ.get("PATH", _USUAL_PATH)), *_SBIN) if _trusted(folder)]


def command(name: str) -> str:
    """First word of a command that starts a program; of one that is missing a path at which nothing is.

    With its bare name the missing one would be looked for once more, in every folder of PATH.
    """
    return name if _in_guest else find(name) or f"{_SBIN[1]}/{name}"


def trusted(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment for a child with the powers of this process.

    As root, PATH names no folder relative to the current one; of a caller of sudo, nothing is kept by which he would
    run code of his. Others keep all they have.
    """
    kept = dict(environment)
    if os.geteuid() != 0:
        return kept
    if "PATH" in kept:
        kept["PATH"] = _absolute(kept["PATH"])
    if kept.get("SUDO_UID", "0") != "0":
        for name in _CODE:
            kept.pop(name, None)
    return kept


def distrust() -> None:
    """Make the environment of this process one that its children may have, in whatever folder they start."""
    wanted = {**trusted(os.environ), "PYTHONSAFEPATH": "1"}  # also for those that multiprocessing starts
    if "PATH" in wanted:
        wanted["PATH"] = _absolute(wanted["PATH"])
    for name in {name for name in os.environ.keys() | wanted.keys() if os.environ.get(name) != wanted.get(name)}:
        _taken[name] = os.environ.get(name)
        if name in wanted:
            os.environ[name] = wanted[name]
        else:
            del os.environ[name]


def given() -> dict[str, str]:
    """The environment as this process got it, for a command of the user."""
    environment = {name: value for name, value in os.environ.items() if name not in _taken}
    return environment | {name: value for name, value in _taken.items() if value is not None}


def _folders(path: str) -> list[str]:
    return [folder for folder in path.split(os.pathsep) if folder.startswith("/")]


def _absolute(path: str) -> str:
    return os.pathsep.join(_folders(path)) or _USUAL_PATH


def _trusted(folder: str) -> bool:
    """Whether nobody but root can put a program there; others than root take what their PATH names.

    The owner of / counts as root: without root, in a user namespace, all that is root's looks like nobody's.
    """
    if os.geteuid() != 0:
        return True
    try:
        state = os.stat(folder)
    except OSError:
        return False
    return state.st_uid in (0, os.stat("/").st_uid) and not state.st_mode & _WRITABLE
