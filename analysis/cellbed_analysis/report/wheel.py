# SPDX-License-Identifier: GPL-2.0-or-later
"""Which wheel recorded the runs of a page: one whose programs are those that the runs name."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path, PurePosixPath

from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from . import paper as kept

#: Where a wheel has the programs whose digests runs record.
PROGRAMS = {
    "celld": "cellbed_files/build/emulator/daemon/celld", "tcpwatch": "cellbed_files/build/ebpf/tcpwatch/tcpwatch",
    "ipdump": "cellbed_files/build/emulator/ipdump/ipdump",
}  # fmt: skip
#: And the packages that execute runs, in the order in which cellbed.paths takes them.
_CODE = ("cellbed", "cellbed_channel")


def name_wheel(wheel: Path, directory: Path) -> list[str]:
    """Add a wheel's SHA-256 to what recorded published runs, wherever its programs and its code are the same.

    Returns:
        Names of the papers with such runs.

    Raises:
        DataError: it is no wheel of cellbed, or no published run was recorded by its programs.
    """
    own = fingerprints(wheel)
    digest, named = hashlib.sha256(wheel.read_bytes()).hexdigest(), []
    pages = Inside.named(directory)
    for name in kept.names(pages):
        path = pages / name / kept.PROGRAMS
        programs = json.loads(path.text())
        made = [one for one in programs.values() if own.items() <= one.items()]
        for one in made:
            one["wheel"] = digest
        if made:
            path.write(kept.json_text(programs))
            named.append(name)
    if not named:
        raise DataError(f"{wheel}: no published run was recorded by its programs (celld {own['celld'][:16]}…)")
    return named


def fingerprints(wheel: Path) -> dict[str, str]:
    """SHA-256 of each program and of the code, as cellbed.paths.fingerprints() has them where the wheel is installed.

    Raises:
        DataError: it is no wheel of cellbed.
    """
    try:
        with zipfile.ZipFile(wheel) as opened:
            programs = {name: hashlib.sha256(opened.read(member)).hexdigest() for name, member in PROGRAMS.items()}
            digest = hashlib.sha256()
            for package in _CODE:
                for path in sorted(map(PurePosixPath, opened.namelist())):
                    if path.parts[0] == package:
                        digest.update(str(path).encode() + b"\0" + opened.read(str(path)) + b"\0")
    except (zipfile.BadZipFile, KeyError, RuntimeError, OSError) as error:
        raise DataError(f"{wheel}: not a wheel of cellbed ({error})") from error
    return {**programs, "code": digest.hexdigest()}
