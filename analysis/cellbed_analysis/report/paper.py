# SPDX-License-Identifier: GPL-2.0-or-later
"""What a paper's pages say, as data that are kept beside them: the pages follow from these files alone.

Source: docs/claims.md, "Pages"
"""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ..claims.again import outcome_of
from ..claims.group import Group, groups
from ..claims.judge import Outcome
from ..claims.scan import Scan

PAGE, CLAIMS, SCANS, PROGRAMS = "page.json", "claims.json", "scans.json", "programs.json"
RUNS, RECORDINGS = "runs.csv", "recordings.csv"
#: Of runs.csv. `point` is the variant with the values of the grid in its name. `commit`, `programs` and `kernel` are
#: those that recorded the run; without programs the commit is that which published the row.
COLUMNS = (
    "scenario", "variant", "point", "seed", "lab", "status", "run", "recordings", "commit", "programs", "kernel",
)  # fmt: skip
#: Of recordings.csv: what the runs recorded that `cellbed replicate --check` repeats.
RECORDED = ("scenario", "point", "seed", "file", "sha256")

Row = dict[str, str]


@dataclass(frozen=True)
class Scenario:
    """The runs of one scenario, as a page lists them."""

    id: str
    title: str
    file: str
    runs: int
    usable: int
    seeds: tuple[int, ...]
    seeds_of: int  # how many the scenario has
    kernels: tuple[str, ...]

    @property
    def seeds_said(self) -> str:
        """Seeds that were run, and how many the scenario has where those are not all."""
        executed = ", ".join(map(str, self.seeds))
        return f"{executed} of {self.seeds_of}" if self.seeds_of > len(self.seeds) else executed

    @property
    def command(self) -> str:
        """What executes these runs again."""
        seeds = "".join(f" --seed {seed}" for seed in self.seeds)
        return f"cellbed run {shlex.quote(self.file)}{seeds} --results results/replication"


@dataclass(frozen=True)
class Figure:
    """A figure of a page; the file NAME.svg lies beside the data."""

    name: str
    title: str
    caption: str


@dataclass(frozen=True)
class Paper:
    """All that pages say."""

    name: str  # of its folder of scenarios
    source: str
    scenarios: tuple[Scenario, ...]
    outcomes: tuple[Outcome, ...]
    scans: tuple[Scan, ...]
    figures: tuple[Figure, ...]
    rows: tuple[Row, ...]  # of runs.csv
    programs: Mapping[str, Mapping[str, str]]  # what recorded rows, by what `programs` of a row says

    @property
    def runs(self) -> int:
        """How many runs were executed."""
        return sum(scenario.runs for scenario in self.scenarios)

    @property
    def counts(self) -> Counter[str]:
        """Claims by verdict."""
        return Counter(outcome.verdict for outcome in self.outcomes)

    @property
    def groups(self) -> list[Group]:
        """Claims by independent evidence."""
        return groups(self.outcomes)

    @property
    def group_counts(self) -> Counter[str]:
        """Groups by verdict."""
        return Counter(group.verdict for group in self.groups)

    @property
    def powers(self) -> list[float]:
        """How likely each claim would be reproduced if it is true, of those whose interval tells."""
        return [outcome.power for outcome in self.outcomes if outcome.power is not None]

    @property
    def makers(self) -> list[tuple[str, str, str, str, list[str], int]]:
        """Commit, programs, wheel and kernel that made rows, the scenarios of these, and how many there are."""
        found: dict[tuple[str, str, str, str], list[str]] = {}
        for row in self.rows:
            wheel = self.programs.get(row["programs"], {}).get("wheel", "")
            found.setdefault((row["commit"], row["programs"], wheel, row["kernel"]), []).append(row["scenario"])
        return [(*made, list(dict.fromkeys(scenarios)), len(scenarios)) for made, scenarios in found.items()]


def programs_text(programs: Mapping[str, Mapping[str, str]], rows: Sequence[Mapping[str, str]]) -> str:
    """Of PROGRAMS: those of @programs that rows name, by their key."""
    used = {row["programs"] for row in rows}
    return json_text({key: programs[key] for key in sorted(used & programs.keys())})


def write(paper: Paper, directory: Inside) -> None:
    """Keep a paper's data in the folder of its name."""
    folder = directory / paper.name
    head = {"source": paper.source, "scenarios": [asdict(one) for one in paper.scenarios],
            "figures": [asdict(one) for one in paper.figures]}  # fmt: skip
    (folder / PAGE).write(json_text(head))
    (folder / CLAIMS).write(json_text([outcome.to_json() for outcome in paper.outcomes]))
    (folder / SCANS).write(json_text([_scan_to_json(scan) for scan in paper.scans]))
    (folder / RUNS).write(rows_text(paper.rows))
    (folder / PROGRAMS).write(programs_text(paper.programs, paper.rows))


def read(directory: Inside, name: str, claims: Sequence[dict[str, Any]]) -> Paper:
    """A paper's data, with the claims judged again by what was measured.

    Args:
        directory: of the pages.
        name: of the paper.
        claims: all that are known; one that was not measured yet is "not-run".

    Raises:
        DataError: a file that is not there or not whole.
    """
    folder = directory / name
    try:
        head = json.loads((folder / PAGE).text())
        entries = json.loads((folder / CLAIMS).text())
        scanned = json.loads((folder / SCANS).text())
        scenarios = tuple(Scenario(**{key: _tuple(value) for key, value in one.items()}) for one in head["scenarios"])
        figures = tuple(Figure(**one) for one in head["figures"])
        about = [one for one in claims if _about(one, name)]
        kept = {entry["id"]: entry for entry in entries}
        outcomes = tuple(outcome_of(claim, kept.get(claim["id"])) for claim in about)
        by_id = {outcome.claim["id"]: outcome for outcome in outcomes}
        scans = tuple(_scan_of(one, by_id) for one in scanned)
        rows, programs = read_rows(folder / RUNS), json.loads((folder / PROGRAMS).text())
        return Paper(name, head["source"], scenarios, outcomes, scans, figures, rows, programs)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{folder.path}: not the data of a page: {error!r}") from error


def names(directory: Inside) -> list[str]:
    """Papers whose data are kept."""
    return sorted(path.name for path in directory.matching("*") if path.is_folder() and (path / PAGE).is_file())


def read_rows(path: Inside) -> tuple[Row, ...]:
    """Lines of runs.csv."""
    return tuple(csv.DictReader(path.text().splitlines()))


def rows_text(rows: Sequence[Row], columns: Sequence[str] = COLUMNS) -> str:
    """The text of a file of such rows, by itself runs.csv."""
    text = io.StringIO()
    lines = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    lines.writeheader()
    lines.writerows(rows)
    return text.getvalue()


def _about(claim: dict[str, Any], name: str) -> bool:
    said = claim["scenario"] if isinstance(claim["scenario"], list) else [claim["scenario"]]
    return any(scenario.partition("/")[0] == name for scenario in said)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def json_text(value: object) -> str:
    """As the data beside pages are written."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _scan_to_json(scan: Scan) -> dict[str, Any]:
    """Measured values only: claims are those of the files, and verdicts follow."""
    lines = {one.claim["id"]: [_measured(column[at]) for column in scan.settings.values()]
             for at, one in enumerate(scan.claimed)}  # fmt: skip
    return {"scenario": scan.scenario, "settings": list(scan.settings), "claims": lines}


def _measured(outcome: Outcome) -> dict[str, Any] | None:
    entry = outcome.to_json()
    if entry["measured"] is None:
        return None
    if outcome.verdict == "not-run":
        return {"measured": entry["measured"], "bare": True}
    return {key: entry[key] for key in ("measured", "ci95", "compared", "series")}


def _scan_of(kept: Mapping[str, Any], claimed: Mapping[str, Outcome]) -> Scan:
    lines = {name: there for name, there in kept["claims"].items() if name in claimed}
    settings = {
        where: tuple(outcome_of(claimed[name].claim, there[at]) for name, there in lines.items())
        for at, where in enumerate(kept["settings"])
    }
    return Scan(kept["scenario"], tuple(claimed[name] for name in lines), settings)
