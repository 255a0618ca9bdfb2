# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of this package that runs in a guest, compiled: an archive that Python imports from.

Compiling it in each guest would take longer than a run of a second. Archives are kept in the cache, by what they are
made of; whether there was one changes no run, as a guest is given the same file either way.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import marshal
import zipfile
from pathlib import Path
from typing import Any

from cellbed import paths
from cellbed_formats.inside import Inside

NAME = "cellbed.zip"
# Programs of a guest: what they import comes along.
_PROGRAMS = ("run.guest_main", "host.tracepoints")
# What an archive does that is started as a program.
_MAIN = "run.guest_mounts"
KEPT = 8
# Of a compiled module that is never compared with a source. Source: PEP 552, "the pyc is unchecked"
_HEAD = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)


@functools.cache
def archive() -> bytes:
    """From the cache, or new."""
    folder = paths.cache() / "guest"
    path = folder / f"{paths.code()[:16]}-{importlib.util.MAGIC_NUMBER.hex()}.zip"
    with contextlib.suppress(OSError):
        return path.read_bytes()
    made = _compiled()
    with contextlib.suppress(OSError):  # somebody else's cache, or a full disk
        (Inside.named(folder) / path.name).write(made)
        for old in sorted(folder.iterdir(), key=lambda file: file.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    return made


def _compiled() -> bytes:
    from modulefinder import ModuleFinder

    package = Path(__file__).parents[1]
    finder = ModuleFinder([str(package.parent)])
    for name in (*_PROGRAMS, _MAIN):
        finder.import_hook(f"{package.name}.{name}")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        modules: dict[str, Any] = finder.modules  # what a module of theirs has is not declared
        own = {name: module for name, module in modules.items() if name.partition(".")[0] == package.name}
        for name, module in sorted(own.items()):
            inner = name.replace(".", "/") + ("/__init__" if module.__path__ else "")
            content = _HEAD + marshal.dumps(module.__code__)
            file.writestr(zipfile.ZipInfo(f"{inner}.pyc"), content)
            if name == f"{package.name}.{_MAIN}":
                file.writestr(zipfile.ZipInfo("__main__.pyc"), content)
    return made.getvalue()
