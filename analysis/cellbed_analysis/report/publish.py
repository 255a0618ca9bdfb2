# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as pages that are kept beside the code: one per paper, and an index; Markdown, SVG and JSON.

The same bundles and claims make the same bytes. Pages have no date, and the figures of a paper show its own runs only.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2

from cellbed_formats import bounded_yaml
from cellbed_formats.bundle import Bundle, load_results
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ..claims.claim import collect, read_claims, scenarios_of
from ..claims.judge import COUNTED, VERDICTS, Outcome, evaluate, with_sweeps
from ..claims.scan import Scan, scans
from ..figures.figure import FigureSpec, save
from ..figures.gallery import available
from ..metrics.run import RunAnalysis
from ..metrics.runs import analyse_all
from .words import distance_text, multiple_text, number_text

INDEX, CLAIMS, RUNS, FINDINGS = "README.md", "claims.json", "runs.csv", "findings.md"
#: What it shows is the harness on the machine of that day, not the paper.
UNPUBLISHED = ("lateness",)
SHOWN_HEX = 16


@dataclass(frozen=True)
class Scenario:
    """The runs of one scenario, as a page lists them."""

    id: str
    title: str
    file: str
    runs: tuple[RunAnalysis, ...]

    @property
    def usable(self) -> int:
        """How many runs count."""
        return sum(run.usable for run in self.runs)

    @property
    def seeds(self) -> list[int]:
        """Seeds that were run, rising."""
        return sorted({int(run.row["seed"]) for run in self.runs})

    @property
    def seeds_said(self) -> str:
        """Seeds that were run, and how many the scenario has where those are not all."""
        executed = ", ".join(map(str, self.seeds))
        try:
            whole = bounded_yaml.parse(str(self.runs[0].bundle.manifest["scenario"].get("text", "")), self.id)
        except bounded_yaml.NotYaml:
            return executed
        wanted = whole.get("seeds") if isinstance(whole, dict) else None
        return f"{executed} of {len(wanted)}" \
            if isinstance(wanted, list) and len(wanted) > len(self.seeds) else executed

    @property
    def kernels(self) -> list[str]:
        """Releases of the kernels that ran TCP."""
        return sorted({str(run.bundle.manifest.get("kernel", {}).get("release", "")) for run in self.runs})

    @property
    def command(self) -> str:
        """What executes these runs again."""
        seeds = "".join(f" --seed {seed}" for seed in self.seeds)
        return f"cellbed run {shlex.quote(self.file)}{seeds} --results results/replication"

    @cached_property
    def recorded(self) -> dict[str, str]:
        """`recorded` of every run, by the run's identity; gigabytes are read for it."""
        return {str(run.bundle.manifest["id"]): recorded(run.bundle) for run in self.runs}

    @property
    def digest(self) -> str:
        """SHA-256 over the identities of all runs and what each of them recorded."""
        lines = sorted(f"{name} {content_hash}\n" for name, content_hash in self.recorded.items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()


@dataclass(frozen=True)
class Paper:
    """All that a page says."""

    name: str  # of its folder of scenarios
    source: str
    scenarios: tuple[Scenario, ...]
    outcomes: tuple[Outcome, ...]
    scans: tuple[Scan, ...]
    figures: tuple[FigureSpec, ...]
    findings: str

    @property
    def runs(self) -> int:
        """How many runs were executed."""
        return sum(len(scenario.runs) for scenario in self.scenarios)

    @property
    def counts(self) -> Counter[str]:
        """Claims by verdict."""
        return Counter(outcome.verdict for outcome in self.outcomes)


def publish(results_dir: Path, directory: Path, claims_files: Sequence[Path] = ()) -> Path:
    """Write the pages again.

    Args:
        results_dir: directory with one bundle per run.
        directory: where the pages go: README.md, and for each paper NAME.md and NAME/ with figures, claims.json
            and runs.csv.
        claims_files: claims to judge instead of those that the runs carry; a file findings.md beside one is put into
            its paper's page.

    Returns:
        Path of the index.

    Raises:
        DataError: no bundle below the directory, none that a claim is about, or a malformed claim.
    """
    results = load_results(Path(results_dir))
    claims = [claim for path in claims_files for claim in read_claims(path)] or collect(results)
    runs = analyse_all(results.bundles)
    findings = {path.parent.name: path.with_name(FINDINGS) for path in claims_files}
    papers = [_paper(name, runs, claims, findings.get(name)) for name in _names(runs, claims)]
    if not papers:
        raise DataError(f"{results_dir}: no claim is about any of its runs; run a scenario that has claims")
    pages = Inside.named(directory)
    for paper in papers:
        _write(paper, pages)
    index = pages / INDEX
    index.write(_page("index.md.j2", papers=papers, total=sum((paper.counts for paper in papers), Counter())))
    return index.path


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


def _paper(name: str, runs: Sequence[RunAnalysis], claims: Sequence[dict[str, Any]], findings: Path | None) -> Paper:
    own = [run for run in runs if _folder(run.row["scenario"]) == name]
    about = [claim for claim in claims if name in {_folder(scenario) for scenario in scenarios_of(claim)}]
    rows = with_sweeps([run.row for run in own])
    outcomes = tuple(evaluate(about, rows))
    by_scenario: dict[str, list[RunAnalysis]] = {}
    for run in own:
        by_scenario.setdefault(str(run.row["scenario"]), []).append(run)
    scenarios = tuple(_scenario(key, of) for key, of in sorted(by_scenario.items()))
    sources = [str(run.bundle.manifest["scenario"].get("source") or "") for run in own]
    drawn = tuple(spec for spec in available(own, about) if spec.name not in UNPUBLISHED)
    said = findings.read_text().strip() if findings is not None and findings.is_file() else ""
    return Paper(name, _source(sources), scenarios, outcomes, tuple(scans(outcomes, rows)), drawn, said)


def _scenario(name: str, runs: Sequence[RunAnalysis]) -> Scenario:
    said = runs[0].bundle.manifest["scenario"]
    return Scenario(name, str(said.get("title") or name), str(said.get("file") or name), tuple(runs))


def _source(sources: Sequence[str]) -> str:
    """Authors and title, without the sections that each scenario names: what most scenarios say."""
    papers = Counter(text.partition(", section")[0].partition(", Table")[0] for text in sources if text)
    return min(papers, key=lambda text: (text.startswith("after "), -papers[text], text), default="")


def _write(paper: Paper, directory: Inside) -> None:
    folder = directory / paper.name
    drawn = [(figure.spec, figure.paths[0]) for figure in save(paper.figures, folder)]
    page = _page("paper.md.j2", paper=paper, figures=drawn, verdicts=VERDICTS, counted=COUNTED)
    (directory / f"{paper.name}.md").write(page)
    entries = [outcome.to_json() for outcome in paper.outcomes]
    (folder / CLAIMS).write(json.dumps(entries, indent=1, ensure_ascii=False) + "\n")
    (folder / RUNS).write(_runs(paper))


def _runs(paper: Paper) -> str:
    """A line for each run: what it is, and what it recorded."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(("scenario", "variant", "seed", "lab", "status", "run", "recordings"))
    for scenario in paper.scenarios:
        for run in sorted(scenario.runs, key=lambda run: (str(run.row["variant"]), run.row["bundle"])):
            manifest = run.bundle.manifest
            name = str(manifest["id"])
            lines.writerow((scenario.id, manifest["variant"], manifest["seed"], manifest["lab"], run.row["status"],
                            name[:SHOWN_HEX], scenario.recorded[name][:SHOWN_HEX]))  # fmt: skip
    return text.getvalue()


def _page(template: str, **values: object) -> str:
    """A page's Markdown."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "templates"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )  # fmt: skip
    made.filters |= {
        "number": number_text, "distance": distance_text, "multiple": multiple_text, "cell": _cell, "there": _there,
        "met": _met,
    }  # fmt: skip
    return made.get_template(template).render(values, index=INDEX, verdicts=VERDICTS)


def _cell(text: object) -> str:
    """A cell of a Markdown table: one line, and no mark-up that it does not mean."""
    line = " ".join(str(text).split())
    for sign in ("\\", "|", "<", "*", "_", "`", "~"):
        line = line.replace(sign, f"\\{sign}")
    return line


def _there(one: Outcome) -> str:
    """What a claim measures at a setting, and whether it holds there; in brackets where too few runs tell."""
    if one.measured is None:
        return ""
    value = number_text(one.measured.value)
    return {"reproduced": f"{value} ✓", "implied": f"{value} ✓", "differs": value}.get(one.verdict, f"({value})")


def _met(outcomes: Sequence[Outcome]) -> str:
    """How many of the claims that were decided hold."""
    held = sum(one.verdict in ("reproduced", "implied") for one in outcomes)
    return f"{held} of {held + sum(one.verdict == 'differs' for one in outcomes)}"
