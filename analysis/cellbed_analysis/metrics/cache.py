# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that were computed before, in the bundle's `derived/`, and whether they are still true.

They are keyed by the content of the raw files and by the code that measures, since a sweep's captures take longer to
read than its report to write. `derived/` may be deleted at any time.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import cellbed_formats
from cellbed_formats import checksums, stored
from cellbed_formats.bundle import DERIVED, Bundle

METRICS_JSON, SEGMENTS, OTHER_SEGMENTS = "metrics.json", "segments.parquet", "other-segments.parquet"
RAW_FILES = (
    "ip-*.pcap*", "radio.trace*", "radio.json", "*-radio.trace*", "*-radio.json", "tcp.trace*", "tcp.json",
    "counters.json", "*.iperf3.json", "*.stream.json",
)  # fmt: skip
#: Packages whose code measures, and what of a study does: its own metrics and the models that they take.
MEASURING = ("stats", "radio", "tcp", "metrics")


@functools.cache
def code_digest() -> bytes:
    """Changes with the code that metrics may depend on: readers, packages that measure, and studies with metrics."""
    packages = Path(__file__).parent.parent
    studies = [path.parent for path in sorted(packages.glob("studies/*/metrics.py"))]
    folders = (Path(cellbed_formats.__file__).parent, *(packages / name for name in MEASURING), *studies)
    return digest_of(path for folder in folders for path in sorted(folder.rglob("*.py")))


def digest_of(code: Iterable[Path]) -> bytes:
    """Changes with the content of files of this project's packages."""
    digest = hashlib.sha256()
    for path in code:
        digest.update(path.read_bytes())
    return digest.digest()


def contents(bundle: Bundle, *patterns: str) -> Iterator[str]:
    """A line for each file that fits a pattern, which changes with its content.

    It has the run's checksum, which `find` checks and compression leaves as it is; of a bundle without checksums size
    and time of the last change.
    """
    known = checksums.known(bundle.manifest) or {}
    for path in bundle.inside.matching(*patterns):
        if path.is_file():
            name, state = stored.plain_name(path), path.state()
            yield f"{name} {known.get(name) or (state and (state.st_size, state.st_mtime_ns))}"


def cache_key(bundle: Bundle) -> str:
    """Changes with the bundle's raw files and with this package's code."""
    said = {key: value for key, value in bundle.manifest.items() if key not in ("claims", checksums.KEY)}
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode() + code_digest())
    for line in contents(bundle, *RAW_FILES):
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


def kept_rows(bundle: Bundle) -> list[dict[str, Any]] | None:
    """The rows in `derived/`, None when they are absent, half-written or of other files or code."""
    try:
        kept = json.loads((bundle.inside / DERIVED / METRICS_JSON).text())
        whole = kept["key"] == cache_key(bundle) and kept["sum"] == checksum(kept["row"], *kept["others"])
        return [dict(row) for row in (kept["row"], *kept["others"])] if whole else None
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def checksum(*rows: dict[str, Any]) -> str:
    """Tells rows that were written from some that were damaged since."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
