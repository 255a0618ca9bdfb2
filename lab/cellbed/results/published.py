# SPDX-License-Identifier: GPL-2.0-or-later
"""What published runs recorded, and how runs that repeat them differ.

Source: docs/claims.md, "Pages"
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cellbed.error import CellbedError, told
from cellbed_formats.inside import Inside

RECORDINGS, RUNS, PROGRAMS = "recordings.csv", "runs.csv", "programs.json"
#: Programs that the machine has, not the checkout, by which the same run may record other bytes.
OF_THE_MACHINE = ("iperf3", "kernel")
#: Of a file's SHA-256, so many digits are published.
SHOWN_HEX = 16


@dataclass(frozen=True, order=True)
class Case:
    """One run of a scenario: the variant with the values of the grid in its name, and the seed."""

    scenario: str
    point: str
    seed: int

    def __str__(self) -> str:
        return f"{self.scenario} {self.point} seed {self.seed}"


def read(path: Path) -> dict[Case, dict[str, str]]:
    """Hashes of the recordings by name, for each run whose recordings are published.

    Raises:
        CellbedError: no such file, or one with other columns.
    """
    found: dict[Case, dict[str, str]] = {}
    try:
        for row in csv.DictReader(Inside.beside(path).text().splitlines()):
            case = Case(row["scenario"], row["point"], int(row["seed"]))
            found.setdefault(case, {})[row["file"]] = row["sha256"]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise CellbedError(f"{path}: not a list of published recordings: {_said(error)}") from error
    if not found:
        raise CellbedError(f"{path}: no run is listed; publish rows of runs first")
    return found


def pages_of(folder: Path) -> list[str]:
    """Papers and studies whose recordings are published in a folder of pages."""
    return sorted(path.parent.name for path in folder.glob(f"*/{RECORDINGS}"))


def _said(error: Exception) -> str:
    """What is wrong with a file of a page, in words."""
    return told(error) if isinstance(error, OSError) else "a column is missing, or a value is of another kind"


def sample(cases: Iterable[Case], number: int | None) -> list[Case]:
    """So many of the cases, always the same ones; all of them where no number is given or there are no more."""
    every = sorted(cases)
    if number is None or number >= len(every):
        return every
    return sorted(random.Random(len(every)).sample(every, number))


def differences(case: Case, published: dict[str, str], recorded: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each recording that is not the published one.

    Args:
        case: the run.
        published: hash by name, of which a part is published.
        recorded: name and SHA-256 of what it recorded when it was repeated.
    """
    found = {name: digest[:SHOWN_HEX] for name, digest in recorded}
    lines = []
    for name in sorted(published.keys() | found.keys()):
        before, now = published.get(name), found.get(name)
        if before != now:
            lines.append(f"{case}: {name}: published {before or 'nothing'}, recorded {now or 'nothing'}")
    return lines


def programs(page: Path) -> dict[Case, dict[str, str]]:
    """What recorded each run of a page that names it: versions and digests by name.

    Args:
        page: the folder of its details.

    Raises:
        CellbedError: its list of runs or of programs is missing or another one.
    """
    try:
        made = json.loads((Inside.named(page) / PROGRAMS).text())
        rows = list(csv.DictReader((Inside.named(page) / RUNS).text().splitlines()))
        return {Case(row["scenario"], row["point"], int(row["seed"])): dict(made[row["programs"]])
                for row in rows if row["programs"]}
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise CellbedError(f"{page}: not a page with the programs of its runs: {_said(error)}") from error


def other_programs(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """In words, programs of the machine that are not those that recorded a published run."""
    return [f"{name}: {before[name]}, here {now[name]}" for name in OF_THE_MACHINE
            if name in before and name in now and before[name] != now[name]]
