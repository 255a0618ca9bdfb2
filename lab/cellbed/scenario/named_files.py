# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that the commands of a run name: another content makes another run.

These are the program of a command, and every file whose absolute path is one of its words, a part of one (`sh -c "…"`,
`--config=…`), or the value of a variable. What such a file opens itself is not known; `cellbed run --again` is for
that. Of large files size and time of the last change stand for the content, which would take long to read.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LARGE_BYTES = 256 << 20
# What may stand around a path in a word: blanks, quotes and operators of a shell, and the = of an option.
_BETWEEN = re.compile(r"[\s'\"=;&|<>(),:]+")


def digests(settings: dict[str, Any]) -> dict[str, str]:
    """SHA-256 (of large ones size and time) of each file that a command of the run names, by the word that names it."""
    found: dict[str, str] = {}
    for flow in settings["traffic"]:
        if flow["kind"] == "command":
            for name, path in _named(flow):
                found.setdefault(name, _digest(path))
    return found


def differences(known: dict[str, str], settings: dict[str, Any]) -> str:
    """In words, where files are others than they were; "" when there is none."""
    here = digests(settings)
    return ", ".join(f"file {name} is another one" for name in sorted(known.keys() | here.keys())
                     if known.get(name) != here.get(name))


def _named(flow: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """Words that name files, and the files."""
    environment = flow["environment"]
    program = shutil.which(flow["argv"][0], path=environment.get("PATH") or os.environ.get("PATH"))
    if program is not None:
        yield flow["argv"][0], Path(program)
    for word in [*flow["argv"][1:], *environment.values()]:
        for part in dict.fromkeys([word, *_BETWEEN.split(word)]):
            if part.startswith("/") and os.path.isfile(part):  # False of a name that no file can have, too
                yield part, Path(part)


def _digest(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            state = os.fstat(file.fileno())
            if state.st_size > _LARGE_BYTES:
                return f"{state.st_size} bytes, changed at {state.st_mtime_ns} ns"
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:  # it is the program's business whether it needs the file
        return f"not readable: {error.strerror}"
