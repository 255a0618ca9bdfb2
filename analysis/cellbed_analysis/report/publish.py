# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as pages that are kept beside the code: two per paper, and an index; Markdown, SVG and JSON.

Runs make data (paper.py) and figures, and data make the pages: a change of a claim or of a template needs no run. The
same bundles and claims make the same bytes. Pages have no date, and the figures of a paper show its own runs only.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cellbed_formats import bounded_yaml
from cellbed_formats.bundle import Bundle, load_results
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ..claims.claim import collect, read_claims, scenarios_of
from ..claims.judge import evaluate, evaluate_one, with_sweeps
from ..claims.scan import scans
from ..figures.figure import save
from ..figures.gallery import available
from ..metrics.run import RunAnalysis
from ..metrics.runs import analyse_all
from . import paper as kept
from .pages import write_pages
from .paper import Figure, Paper, Row, Scenario

#: What it shows is the harness on the machine of that day, not the paper.
UNPUBLISHED = ("lateness",)
SHOWN_HEX = 16


def publish(results_dir: Path, directory: Path, claims_files: Sequence[Path] = ()) -> Path:
    """Write the pages of some results.

    Args:
        results_dir: directory with one bundle per run.
        directory: where the pages go: README.md, and for each paper NAME.md and NAME/ with details, figures, and the
            data that the pages follow from.
        claims_files: claims to judge instead of those that the runs carry; summary.md and findings.md beside one are
            put into its paper's pages.

    Returns:
        Path of the index.

    Raises:
        DataError: no bundle below the directory, none that a claim is about, or a malformed claim.
    """
    results = load_results(Path(results_dir))
    claims = [claim for path in claims_files for claim in read_claims(path)] or collect(results)
    runs = analyse_all(results.bundles)
    names = _names(runs, claims)
    if not names:
        raise DataError(f"{results_dir}: no claim is about any of its runs; run a scenario that has claims")
    pages = Inside.named(directory)
    for name in names:
        own = [run for run in runs if _folder(run.row["scenario"]) == name]
        kept.write(_paper(name, own, [one for one in claims if name in map(_folder, scenarios_of(one))], pages), pages)
    return write_pages(pages, names, claims, claims_files)


def publish_again(directory: Path, claims_files: Sequence[Path]) -> Path:
    """Write pages again by the data that are kept beside them, with the claims as they are now.

    Returns:
        Path of the index.

    Raises:
        DataError: no data there, or a malformed claim.
    """
    pages = Inside.named(directory)
    names = kept.names(pages)
    if not names:
        raise DataError(f"{directory}: no data of pages; publish results there first")
    return write_pages(pages, names, [claim for path in claims_files for claim in read_claims(path)], claims_files)


def publish_rows(results_dir: Path, directory: Path) -> list[str]:
    """Take what runs recorded over into runs.csv, in place of the rows of the same runs, and into recordings.csv; all
    else stays. `cellbed replicate --check` repeats runs of recordings.csv.

    Returns:
        Names of the papers.

    Raises:
        DataError: no bundle, or fewer runs of a scenario, variant and seed than there are rows.
    """
    pages = Inside.named(directory)
    papers: dict[str, list[RunAnalysis]] = {}
    for run in analyse_all(load_results(Path(results_dir)).bundles):
        papers.setdefault(_folder(run.row["scenario"]), []).append(run)
    for name, own in papers.items():
        path, beside = pages / name / kept.RUNS, pages / name / kept.RECORDINGS
        programs = pages / name / kept.PROGRAMS
        rows = replaced(kept.read_rows(path), [row_of(run) for run in own])
        path.write(kept.rows_text(rows))
        programs.write(kept.programs_text(_programs(own) | json.loads(programs.text()), rows))
        fresh = [line for run in own for line in recordings_of(run)]
        repeated = {_point(line) for line in fresh}
        there = kept.read_rows(beside) if beside.exists() else ()
        lines = [*(line for line in there if _point(line) not in repeated), *fresh]
        beside.write(kept.rows_text(sorted(lines, key=lambda line: (*_point(line), line["file"])), kept.RECORDED))
    return sorted(papers)


def publish_scenarios(results_dir: Path, directory: Path, claims_files: Sequence[Path]) -> Path:
    """Publish the scenarios that some results hold, in place of what the pages have of these; all else stays.

    Claims that need other scenarios as well, figures and tables of settings stay as they are.

    Returns:
        Path of the index.

    Raises:
        DataError: no bundle, no data of pages, or a malformed claim.
    """
    pages = Inside.named(directory)
    claims = [claim for path in claims_files for claim in read_claims(path)]
    runs = analyse_all(load_results(Path(results_dir)).bundles)
    for name in _names(runs, claims):
        own = [run for run in runs if _folder(run.row["scenario"]) == name]
        there, fresh = kept.read(pages, name, claims), {str(run.row["scenario"]) for run in own}
        rows = with_sweeps([run.row for run in own])
        outcomes = tuple(evaluate_one(one.claim, rows) if set(scenarios_of(one.claim)) <= fresh else one
                         for one in there.outcomes)  # fmt: skip
        kept.write(replace(
            there, outcomes=outcomes, programs={**_programs(own), **there.programs},
            scenarios=tuple(sorted([*(one for one in there.scenarios if one.id not in fresh), *_scenarios(own)],
                                   key=lambda one: one.id)),
            rows=tuple(sorted([*(row for row in there.rows if row["scenario"] not in fresh), *map(row_of, own)],
                              key=_order)),
        ), pages)  # fmt: skip
    return publish_again(directory, claims_files)


def replaced(rows: Sequence[Row], fresh: Sequence[Row]) -> list[Row]:
    """Rows, those of scenarios, variants and seeds that were run again by the fresh ones.

    Raises:
        DataError: some of such rows would have no successor.
    """
    before, after = (Counter(_case(row) for row in some) for some in (rows, fresh))
    for case, count in after.items():
        if count < before[case]:
            raise DataError(f"{' '.join(case)}: {before[case]} rows are published, and {count} were run")
    taken = [row for row in rows if _case(row) not in after]
    return sorted([*taken, *fresh], key=_order)


def _order(row: Row) -> tuple[str, ...]:
    return row["scenario"], row["variant"], row["seed"], row["run"]


def _case(row: Row) -> tuple[str, str, str]:
    return row["scenario"], row["variant"], row["seed"]


def _point(row: Row) -> tuple[str, str, str]:
    return row["scenario"], row["point"], row["seed"]


def recordings_of(run: RunAnalysis) -> list[Row]:
    """A line of recordings.csv for each capture and trace of a run."""
    said = row_of(run)
    return [{"scenario": said["scenario"], "point": said["point"], "seed": said["seed"], "file": name,
             "sha256": digest[:SHOWN_HEX]} for name, digest in run.bundle.recorded()]  # fmt: skip


def _programs(own: Sequence[RunAnalysis]) -> dict[str, dict[str, str]]:
    """What recorded runs, by the digest that their rows have: programs and the code of the lab by SHA-256, others and
    the kernel by version."""
    said = [run.bundle.manifest.get("description", {}).get("programs", {}) for run in own]
    return {_digest(programs): {name: str(version) for name, version in programs.items()} for programs in said}


def _digest(programs: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(programs, sort_keys=True).encode()).hexdigest()[:SHOWN_HEX]


def row_of(run: RunAnalysis) -> Row:
    """A run's line of runs.csv."""
    manifest = run.bundle.manifest
    described = manifest.get("description", {})
    return {
        "scenario": str(manifest["scenario"]["id"]), "variant": str(manifest["variant"]),
        "point": str(described.get("variant", manifest["variant"])), "seed": str(manifest["seed"]),
        "lab": str(manifest["lab"]), "status": str(run.row["status"]), "run": str(manifest["id"])[:SHOWN_HEX],
        "recordings": recorded(run.bundle)[:SHOWN_HEX], "commit": str(manifest.get("git") or ""),
        "programs": _digest(described.get("programs", {})),
        "kernel": str(manifest.get("kernel", {}).get("release", "")),
    }  # fmt: skip


def recorded(bundle: Bundle) -> str:
    """SHA-256 over the names and contents of a run's captures and traces."""
    hashes = [f"{name} {digest}\n" for name, digest in bundle.recorded()]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def _names(runs: Sequence[RunAnalysis], claims: Sequence[dict[str, Any]]) -> list[str]:
    """Papers of which there are both runs and claims."""
    said = {_folder(scenario) for claim in claims for scenario in scenarios_of(claim)}
    return sorted(said & {_folder(run.row["scenario"]) for run in runs})


def _folder(scenario: str) -> str:
    return scenario.partition("/")[0]


def _paper(name: str, own: Sequence[RunAnalysis], about: Sequence[dict[str, Any]], pages: Inside) -> Paper:
    """A paper's data; its figures are drawn into the folder."""
    rows = with_sweeps([run.row for run in own])
    outcomes = tuple(evaluate(about, rows))
    source = _source([str(run.bundle.manifest["scenario"].get("source") or "") for run in own])
    drawn = save([spec for spec in available(own, about) if spec.name not in UNPUBLISHED], pages / name)
    figures = tuple(Figure(one.spec.name, one.spec.title, one.spec.caption) for one in drawn)
    lines = tuple(sorted(map(row_of, own), key=_order))
    return Paper(name, source, _scenarios(own), outcomes, tuple(scans(outcomes, rows)), figures, lines, _programs(own))


def _scenarios(own: Sequence[RunAnalysis]) -> tuple[Scenario, ...]:
    by_scenario: dict[str, list[RunAnalysis]] = {}
    for run in own:
        by_scenario.setdefault(str(run.row["scenario"]), []).append(run)
    return tuple(_scenario(key, of) for key, of in sorted(by_scenario.items()))


def _scenario(name: str, runs: Sequence[RunAnalysis]) -> Scenario:
    said = runs[0].bundle.manifest["scenario"]
    seeds = tuple(sorted({int(run.row["seed"]) for run in runs}))
    kernels = tuple(sorted({str(run.bundle.manifest.get("kernel", {}).get("release", "")) for run in runs}))
    # Bundles of an installed cellbed once had the whole path.
    file = str(said.get("file") or name).rpartition("/cellbed_files/")[2]
    return Scenario(name, str(said.get("title") or name), file, len(runs),
                    sum(run.usable for run in runs), seeds, _seeds_of(said, len(seeds)), kernels)  # fmt: skip


def _seeds_of(said: dict[str, Any], executed: int) -> int:
    """How many seeds a scenario has, or at least those that were executed."""
    try:
        whole = bounded_yaml.parse(str(said.get("text", "")), str(said.get("id", "")))
    except bounded_yaml.NotYaml:
        return executed
    wanted = whole.get("seeds") if isinstance(whole, dict) else None
    return max(len(wanted), executed) if isinstance(wanted, list) else executed


def _source(sources: Sequence[str]) -> str:
    """Authors and title, without the sections that each scenario names: what most scenarios say."""
    papers = Counter(text.partition(", section")[0].partition(", Table")[0] for text in sources if text)
    return min(papers, key=lambda text: (text.startswith("after "), -papers[text], text), default="")
