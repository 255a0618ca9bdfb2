# SPDX-License-Identifier: GPL-2.0-or-later
"""Lab kernels that one user of a checkout gives to the others: in its folder kernel/built, with their digests."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import tempfile
from pathlib import Path

IMAGE, CONFIG, KEY, _DIGEST = "linux", "config", "key.json", "linux.sha256"
# What it takes to compile one more file into it, where its build kept that.
KIT = "kit.tar.xz"
_BUILT = "built"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def place(kernel: Path) -> Path:
    """Folder of all that were given. Args: kernel: the folder of that name in a checkout, or in what a wheel brings."""
    return kernel / _BUILT


def folders(kernel: Path, version: str) -> list[Path]:
    """Those of a version. Args: kernel: as above."""
    return sorted(path.parent for path in place(kernel).glob(f"{version}-*/{IMAGE}"))


def give(image: Path, checkout: Path) -> None:
    """Put a kernel into a checkout, in the place of what is there of its version.

    Raises:
        OSError: it cannot be written.
    """
    built, name = checkout / "kernel" / _BUILT, image.parent.name
    built.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".giving-", dir=built) as scratch:
        new = Path(scratch, name)
        new.mkdir()
        for file, mode in ((IMAGE, 0o755), (CONFIG, 0o644), (KEY, 0o644)):
            shutil.copyfile(image.with_name(file), new / file)
            (new / file).chmod(mode)
        if image.with_name(KIT).exists():
            shutil.copyfile(image.with_name(KIT), new / KIT)
            (new / KIT).chmod(0o644)
        (new / _DIGEST).write_text(_digest(new / IMAGE) + "\n")
        for path, mode in ((new / _DIGEST, 0o644), (new, 0o755), (built, 0o755)):
            path.chmod(mode)
        for old in folders(checkout / "kernel", name.partition("-")[0]):
            shutil.rmtree(old)
        new.rename(built / name)


def unfit(folder: Path, recipe: str) -> str | None:
    """Why a kernel is not to be run, or None.

    Args:
        recipe: digest of what this checkout makes such a kernel of.
    """
    trusted = {0, os.geteuid(), folder.parents[2].stat().st_uid}
    try:
        for path in (folder.parent, folder, *(folder / name for name in (IMAGE, KEY, _DIGEST))):
            state = path.lstat()
            if state.st_uid not in trusted or state.st_mode & _OTHERS_WRITE or stat.S_ISLNK(state.st_mode):
                return (f"{path.name}: owner {state.st_uid}, mode {stat.S_IMODE(state.st_mode):04o}: allowed one of "
                        "root, of the checkout's owner or of your own that others cannot write to")
        if json.loads((folder / KEY).read_text())["recipe"] != recipe:
            return "built of patches and a configuration that are not those of this checkout"
        if (folder / _DIGEST).read_text().strip() != _digest(folder / IMAGE):
            return f"{IMAGE}: not what its digest says"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"its files cannot be used ({error})"
    return None


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
