# SPDX-License-Identifier: GPL-2.0-or-later
"""What the labs have in common whose runs execute in a guest: its files, what it cannot do, why it has no result."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from cellbed.error import LabError, as_yaml
from cellbed.labs import guest_code
from cellbed.run import memory, xlat
from cellbed_formats.inside import Inside


def check(description: dict[str, Any]) -> None:
    """Raises LabError for a run that needs the host's network, or a program that is missing."""
    for name, node in description["settings"]["nodes"].items():
        for key in ("machine", "internet", "netns"):
            if node[key]:
                raise LabError(as_yaml(f"key 'nodes.{name}.{key}': value {node[key]}: allowed in the native lab only; "
                                       "a guest is not on this machine's network"))
    if (refusal := xlat.refusal(description)) is not None:
        raise LabError(refusal)


def copy_package(directory: Path) -> None:
    """Put this package where the guest imports it."""
    (Inside(directory) / guest_code.NAME).write(guest_code.archive())


def check_result(guest: subprocess.Popen[bytes], directory: Path) -> None:
    """Raises LabError for a guest that has ended without a result: what its runner says, or its console's end."""
    status, error = (text_of(directory, name) for name in ("status", "error"))
    said = text_of(directory, "console")
    victim = memory.killed(said)
    if victim is not None:
        raise LabError(f"out of memory: the guest's kernel ended '{victim}'; set key 'memory' of the scenario to give "
                       "it more than its nodes and flows do")
    if status == "0":
        return
    if error:
        raise LabError(error.strip())
    raise LabError(f"the guest ended with status {guest.poll()} and no result; {last_words(said, 8)}")


def text_of(directory: Path, name: str) -> str:
    """What a lab has written into a file of its folder, "" where there is none."""
    path = Inside(directory) / name
    return path.text("replace") if path.is_file() else ""


def last_words(console: str, lines: int = 3) -> str:
    """The end of what a guest has said, up to a panic: registers and addresses come after that."""
    said = console.splitlines()
    end = next((at + 1 for at, line in enumerate(said) if "Kernel panic" in line), len(said))
    return f"its console: {' | '.join(said[max(0, end - lines):end]) or '(empty)'}"
