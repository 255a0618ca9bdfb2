# SPDX-License-Identifier: GPL-2.0-or-later
"""What results take on disk and could be freed: compressed, made again, or superseded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cellbed.scenario.description import identity
from cellbed_formats import stored
from cellbed_formats.bundle import DERIVED, MANIFEST, SUMMARY, Bundle, load_results
from cellbed_formats.inside import Inside


@dataclass(frozen=True)
class Item:
    """Something that can be freed.

    Attributes:
        what: "recordings" to be compressed, "derived" files or a "superseded" bundle, to be removed.
    """

    what: str
    path: Inside
    bytes: int


KINDS = {
    "recordings": "captures and traces; --compress keeps all that is in them",
    "derived": "reports, figures and tables; `cellbed report` makes them again",
    "superseded": "bundles of the same run, executed by older programs",
}


def freeable(results: Path) -> list[Item]:
    """All that could be freed below a results folder, or of one bundle."""
    found = load_results(results)
    items = [Item("recordings", path, path.size()) for bundle in found.bundles
             for path in stored.recordings(bundle.inside) if path.suffix != stored.SUFFIX]
    folders = [folder for bundle in found.bundles for folder in bundle.inside.matching(DERIVED)]
    folders += [] if found.alone else Inside(found.path).matching(SUMMARY)
    items += [Item("derived", folder, folder.size()) for folder in folders if folder.is_folder()]
    old = [Inside(found.path, bundle.path.name) for bundle in _superseded(found.bundles)]
    return items + [Item("superseded", folder, folder.size()) for folder in old]


def _superseded(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Those of which there is a newer one of the same settings, seed, lab and files."""
    newest: dict[str, Bundle] = {}
    for bundle in sorted(bundles, key=lambda bundle: str(bundle.manifest.get("created"))):
        if bundle.valid:
            newest[_run_of(bundle)] = bundle
    return [bundle for bundle in bundles if newest.get(_run_of(bundle), bundle) is not bundle]


def _run_of(bundle: Bundle) -> str:
    """What is run, by any program."""
    said = {"files": {}, "memory_mib": None, **bundle.manifest["description"], "programs": {}}
    return json.dumps([bundle.scenario_id, identity(said)])


def free(items: Sequence[Item]) -> int:
    """Compress recordings, remove the rest. Return: bytes that this freed."""
    freed = 0
    for item in items:
        if not item.path.exists():  # went with its bundle
            continue
        if item.what == "recordings":
            freed += stored.compress(item.path)
            continue
        # A bundle without its manifest is none: should this be interrupted, the rest is not taken for a result.
        (item.path / MANIFEST).remove()
        item.path.remove_folder()
        freed += item.bytes
    return freed
