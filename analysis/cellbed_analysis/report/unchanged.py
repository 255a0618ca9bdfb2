# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a report that lies there is the one that would be made now, byte for byte.

A report is a function of the bundles, of options and of code. The digest of these three lies beside it in KEPT, with
the digest of every file that was written. If one of them has changed, all is made again.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import cellbed_channel
import cellbed_formats
from cellbed_formats.bundle import Bundle, Results
from cellbed_formats.inside import Inside

from ..metrics.cache import contents, digest_of
from .whole import has_own_report

KEPT = "report.json"
CODE = (".py", ".j2", ".js")
#: Third-party packages that say what a report looks like.
LIBRARIES = ("bokeh", "jinja2", "matplotlib", "numpy", "polars")


def key_of(results: Results, directory: Inside, options: Mapping[str, Any]) -> str:
    """Changes with all that a report depends on.

    Args:
        directory: of the report, to which its links are relative.
        options: what was asked for besides.
    """
    said = {
        "code": _code(),
        "options": options,
        "name": results.path.resolve().name,
        "alone": results.alone,
        "bundles": [_said(bundle, directory) for bundle in results.bundles],
        "linked": [] if results.alone else [has_own_report(bundle) for bundle in results.bundles],
        "rejected": [[one.path.name, one.reason] for one in results.rejected],
        "in_progress": results.in_progress,
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()


def _said(bundle: Bundle, directory: Inside) -> list[Any]:
    """All that a report reads of a bundle."""
    link = os.path.relpath(bundle.path, directory.path)
    return [link, bundle.manifest, list(contents(bundle, "[!.]*"))]


@functools.cache
def _code() -> list[str]:
    """Changes with the code and templates of the packages that make reports, and with versions of third-party ones."""
    versions = [f"{name} {metadata.version(name)}" for name in LIBRARIES]
    return [platform.python_version(), *versions, digest_of(code_files()).hex()]


def code_files() -> list[Path]:
    """All that has a part in reports, in a fixed order."""
    folders = (Path(__file__).parents[1], Path(cellbed_channel.__file__).parent, Path(cellbed_formats.__file__).parent)
    return [path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in CODE]


def is_made(directory: Inside, key: str) -> bool:
    """Whether a report of this key lies there, and each of its files is as it was written."""
    try:
        noted: dict[str, Any] = json.loads((directory / KEPT).text())
        whole = all(_digest(directory / name) == said for name, said in noted["files"].items())
        return bool(noted["key"] == key) and whole
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def remember(directory: Inside, key: str, written: Sequence[Inside]) -> None:
    """Note what has been made in a directory."""
    depth = len(directory.names)
    files = {"/".join(path.names[depth:]): _digest(path) for path in written}
    (directory / KEPT).write(json.dumps({"key": key, "files": files}, indent=1) + "\n")


def _digest(path: Inside) -> str:
    return hashlib.sha256(path.content()).hexdigest()
