# SPDX-License-Identifier: GPL-2.0-or-later
"""Which run is watched: one that is going on, found through the ledger of running labs or in a results folder."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from cellbed.error import CellbedError
from cellbed.host import ledger
from cellbed.host.ledger import TEMPORARY_PREFIX
from cellbed_formats import stored
from cellbed_formats.inside import Inside

TRACES = ("radio.trace", "tcp.trace")


class Place:
    """The folder of one run, under its temporary or its final name; a file that was opened stays readable."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        name = directory.name
        self.final = directory
        if name.startswith(TEMPORARY_PREFIX):
            self.final = directory.with_name(name.removeprefix(TEMPORARY_PREFIX).rpartition(".")[0])
        self.name = self.final.name

    @property
    def going_on(self) -> bool:
        """The run has not ended: its folder still has the temporary name."""
        return self.directory.name.startswith(TEMPORARY_PREFIX) and self.directory.is_dir()

    def path(self, name: str) -> Inside | None:
        """Where a file of the run is now; None when it is not there (yet), or a link."""
        for directory in (self.directory, self.final):
            with contextlib.suppress(OSError):
                if (found := Inside(directory) / name).is_file():
                    return found
        return None

    def json(self, name: str) -> dict[str, Any]:
        """A JSON file of the run, {} while it is not there or half-written."""
        path = self.path(name)
        with contextlib.suppress(OSError, ValueError):
            if path is not None:
                return dict(json.loads(path.text()))
        return {}

    def description(self) -> dict[str, Any]:
        """What is run: of a run that ended, from its manifest."""
        return self.json("description.json") or dict(self.json("manifest.json").get("description", {}))

    def zero_ns(self) -> int | None:
        """When the traffic began or will, on the clock of the traces; None while that is not known."""
        clock = self.json("manifest.json").get("clock", {})
        if clock:
            return int(clock["start_ns"])
        path = self.path("progress")
        with contextlib.suppress(OSError):
            for line in path.text().splitlines() if path is not None else []:
                word, _, at = line.partition(" ")
                if word == "traffic":
                    return round(float(at) * 1e9)
        return None

    def verdict(self) -> str | None:
        """How the run ended, in words; None while it goes on."""
        if self.going_on:
            return None
        validity = self.json("manifest.json").get("validity")
        if validity is None:
            return "ended without a result"
        reasons = "; ".join(str(reason.get("text", "")) for reason in validity.get("reasons", []))
        return f"{validity['verdict']}{': ' + reasons if reasons else ''}"


def going_on(results: Path | None = None) -> list[Place]:
    """Runs of this user that are going on, the one that began last first; with a folder those below it."""
    found = []
    if results is None:
        found = [entry.temporary for entry in ledger.living()]
    else:
        for path in results.glob(f"{TEMPORARY_PREFIX}*.*"):
            pid = path.name.rpartition(".")[2]
            if pid.isdigit() and ledger.start_time(int(pid)) is not None:
                found.append(path)
    began = {}
    for path in found:
        with contextlib.suppress(OSError):
            began[path] = os.stat(path / "description.json").st_mtime_ns
    return [Place(path) for path in sorted(began, key=lambda path: -began[path])]


def choose(folder: Path | None) -> Place | None:
    """The run to watch: the one that a folder is, or the newest that goes on; None when there is none now.

    Raises:
        CellbedError: the folder is no folder, or a run whose traces are compressed.
    """
    if folder is None:
        return next(iter(going_on()), None)
    if not folder.is_dir():
        raise CellbedError(f"{folder}: no such folder")
    if any((folder / name).is_file() for name in ("description.json", "manifest.json")):
        packed = any((folder / f"{name}{stored.SUFFIX}").is_file() for name in TRACES)
        if packed and not any((folder / name).is_file() for name in TRACES):
            raise CellbedError(f"{folder}: its traces are compressed; `cellbed report` and `cellbed why` read them")
        return Place(folder.absolute())
    return next(iter(going_on(folder.absolute())), None)
