# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that end a command with one clear message."""

from __future__ import annotations

import re
from pathlib import Path

#: Debian's packages of programs that a run starts.
PACKAGES = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables", "unshare": "util-linux", "ssh": "openssh-client",
            "iperf3": "iperf3", "tayga": "tayga"}
#: Where a program that is missing would be; see host/programs.py.
_MISSING = "/usr/sbin/"

_YAML = {"True": "true", "False": "false", "None": "null"}


class CellbedError(Exception):
    """Something a user can act on; the text says what and how.

    Args:
        detail: lines of another program that belong to it, such as a compiler's.
        status: that the command ends with (docs/exit-status.md).
    """

    def __init__(self, text: str = "", detail: str = "", status: int = 1) -> None:
        super().__init__(text)
        self.detail, self.status = detail, status


class ScenarioError(CellbedError):
    """A scenario file is wrong: file, key, value, allowed range."""


class LabError(CellbedError):
    """A lab could not run: what is missing, what did not come in time, what died."""


def as_yaml(text: str) -> str:
    """A message in which values that YAML has other words for are as it has them."""
    return re.sub(r"\b(value|allowed) (True|False|None)\b", lambda found: f"{found[1]} {_YAML[found[2]]}", text)


def told(error: OSError, where: Path | str = "") -> str:
    """File, or @where of an error that names none, and what the system said.

    Of a folder that could not be moved (shutil.Error) the first of its files tells. A program that is not installed is
    named with its package.
    """
    program = str(error.filename).removeprefix(_MISSING)
    if isinstance(error, FileNotFoundError) and program in PACKAGES:
        return f"{program} is not installed; install it with `apt-get install {PACKAGES[program]}`"
    said = error.strerror
    first = error.args[0] if error.args else None
    if not said and isinstance(first, list) and first and isinstance(first[0], tuple) and len(first[0]) > 2:
        said = str(first[0][2])
    return f"{error.filename or where}: {said or ' '.join(str(error).split()) or type(error).__name__}"
