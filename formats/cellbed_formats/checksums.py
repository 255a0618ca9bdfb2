# SPDX-License-Identifier: GPL-2.0-or-later
"""Checksums of a bundle, which its manifest has: what a disk, a copy or a hand has changed since is no result.

A run's last step takes them of each file's content, uncompressed, so that `cellbed prune --compress` keeps them true,
and of the manifest. They tell damage, not intent: who changes a file on purpose can change its checksum, too.

Source: docs/result-format.md
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .error import FileError
from .inside import Inside
from .stored import find, plain_name, whole

#: Fits into caches of CPUs.
_BLOCK_BYTES = 1 << 18
MANIFEST, KEY = "manifest.json", "checksums"
_CHANGED = "changed after the run: its checksum differs; copy the bundle again, or repeat the run"


def digest(path: Inside) -> str:
    """SHA-256 of a file's content, uncompressed. Raises FileError and OSError where it cannot be read."""
    said = hashlib.sha256()
    with whole(path) as file:
        while block := file.read(_BLOCK_BYTES):
            said.update(block)
    return said.hexdigest()


def sealed(manifest: dict[str, Any], files: dict[str, str]) -> dict[str, Any]:
    """A manifest with the checksums of a bundle's files and its own."""
    said = json.loads(json.dumps({name: value for name, value in manifest.items() if name != KEY}))  # as it is read
    return {**said, KEY: {"manifest": _of_manifest(said, files), "files": files}}


def of_folder(bundle: Inside) -> dict[str, str]:
    """Checksums of the files of a bundle whose manifest is not written yet, by their names without .zst."""
    return {plain_name(path): digest(path) for path in bundle.matching("[!.]*") if path.is_file()}


def _of_manifest(said: dict[str, Any], files: Any) -> str:
    """Of all that a manifest says, the checksums of files included."""
    return hashlib.sha256(json.dumps([said, files], sort_keys=True).encode()).hexdigest()


def known(manifest: dict[str, Any]) -> dict[str, str] | None:
    """Checksums of files; None: the bundle is of a version that took none."""
    return None if KEY not in manifest else dict(manifest[KEY]["files"])


def check_manifest(manifest: dict[str, Any], path: Inside) -> None:
    """Raises FileError for a manifest that is not as the run has written it."""
    if KEY in manifest:
        said = {name: value for name, value in manifest.items() if name != KEY}
        sums = manifest[KEY] if isinstance(manifest[KEY], dict) else {}
        if _of_manifest(said, sums.get("files")) != sums.get("manifest"):
            raise FileError(path, _CHANGED)


def checked(manifest: dict[str, Any], bundle: Inside, name: str) -> Inside | None:
    """A file of a bundle, plain or compressed, as the run has written it; None: there is none, nor was.

    Raises:
        FileError: it has been changed since, or is missing though the run has written it.
    """
    path, wanted = find(bundle / name), (known(manifest) or {}).get(name)
    if path is None and wanted is not None:
        raise FileError(bundle / name, "missing, though the run wrote it; copy the bundle again, or repeat the run")
    if path is not None and wanted is not None and digest(path) != wanted:
        raise FileError(path, _CHANGED)
    return path
