# SPDX-License-Identifier: GPL-2.0-or-later
"""The Markdown of papers' pages: one that is read in minutes, its details behind it, and the index."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2

from cellbed_formats.inside import Inside

from ..claims.judge import COUNTED, VERDICTS, Outcome
from ..figures.figure import FigureSpec, save_one
from ..figures.paper_numbers import Number, draw
from ..study import studies
from . import paper as kept
from .paper import Figure, Paper
from .words import distance_text, multiple_text, number_text

INDEX, DETAILS = "README.md", "details.md"
SUMMARY, FINDINGS = "summary.md", "findings.md"
#: Name, title and caption of the figure that every paper with printed numbers has.
NUMBERS = (
    "paper-numbers", "Printed and measured numbers",
    "Every number that the paper prints is at the line. A mark is what was measured, with the 95 % interval that "
    "decides. A row is one measurement with all printed numbers that hang on it.",
)  # fmt: skip
#: The last paragraph of a summary names the figures that stand on the short page.
_FIGURES = re.compile(r"^Figures: (.+)$", re.MULTILINE)


def write_pages(pages: Inside, names: Sequence[str], claims: Sequence[dict[str, Any]], files: Sequence[Path]) -> Path:
    """Pages of these papers by the data that are kept of them, and the index.

    Args:
        pages: where data are and pages go.
        names: of the papers.
        claims: all that are known.
        files: those with claims; summary.md and findings.md lie beside them.

    Returns:
        Path of the index.
    """
    papers = [kept.read(pages, name, claims) for name in names]
    beside = {path.parent.name: path.parent for path in files}
    for one in papers:
        kept.write(one, pages)
        summary, figures = _summary(_text(beside.get(one.name), SUMMARY), one.figures)
        numbers = _numbers(one, pages)
        values = {"paper": one, "summary": summary, "figures": [*numbers, *(figures or one.figures[:2])],
                  "computed": _computed(one)}  # fmt: skip
        (pages / f"{one.name}.md").write(_page("paper.md.j2", **values))
        findings = _text(beside.get(one.name), FINDINGS)
        (pages / one.name / DETAILS).write(_page("details.md.j2", paper=one, findings=findings, numbers=numbers))
    index = pages / INDEX
    total = sum((one.group_counts for one in papers), Counter[str]())
    lines = sum((one.counts for one in papers), Counter[str]())
    index.write(_page("index.md.j2", papers=papers, total=total, lines=lines))
    return index.path


def _numbers(paper: Paper, pages: Inside) -> list[Figure]:
    """The figure with all printed numbers, drawn into the paper's folder; none of a paper without any."""
    rows = [(group.name, found) for group in paper.groups if (found := [
        Number(one.paper, one.judgement.compared, one.verdict) for one in group.lines
        if one.judgement and isinstance(one.paper, int | float) and one.paper > 0 < one.judgement.compared.value
    ])]  # fmt: skip
    if not rows:
        return []
    name, title, caption = NUMBERS
    save_one(FigureSpec(name, title, caption, lambda: draw(rows)), (pages / paper.name).make())
    return [Figure(name, title, caption)]


def _computed(paper: Paper) -> list[str]:
    """What studies compute of the paper's numbers."""
    outcomes = {outcome.claim["id"]: outcome for outcome in paper.outcomes}
    found = [study.page_section(paper.name, outcomes) for study in studies()]
    return [text for text in found if text]


def _text(folder: Path | None, name: str) -> str:
    findings = folder / name if folder else None
    return findings.read_text().strip() if findings and findings.is_file() else ""


def _summary(text: str, figures: Sequence[Figure]) -> tuple[str, list[Figure]]:
    """What is said, and the figures that its last paragraph names."""
    said = _FIGURES.search(text)
    names = [name.strip(" `.") for name in said[1].split(",")] if said else []
    by_name = {one.name: one for one in figures}
    return _FIGURES.sub("", text).strip(), [by_name[name] for name in names if name in by_name]


def _page(template: str, **values: object) -> str:
    """A page's Markdown."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "templates"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )  # fmt: skip
    made.filters |= {
        "number": number_text, "distance": distance_text, "multiple": multiple_text, "cell": _cell, "there": _there,
        "met": _met, "factor": factor_text, "power": _power, "briefly": briefly,
    }  # fmt: skip
    return made.get_template(template).render(
        values, index=INDEX, verdicts=VERDICTS, counted=COUNTED, infinity=math.inf
    )


def _cell(text: object) -> str:
    """A cell of a Markdown table: one line, and no mark-up that it does not mean."""
    line = " ".join(str(text).split())
    for sign in ("\\", "|", "<", "*", "_", "`", "~"):
        line = line.replace(sign, f"\\{sign}")
    return line


def _power(one: Outcome) -> str:
    found = one.power
    return "" if found is None else f"{found:.0%}"


def briefly(text: str, longest: int = 220) -> str:
    """The first sentence of a cause, or as many words of it as fit."""
    first = re.split(r"(?<=[a-z)%]\.) ", text, maxsplit=1)[0]
    return first if len(first) <= longest else f"{first[:longest].rsplit(' ', 1)[0]} …"


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


def factor_text(outcomes: Sequence[Outcome]) -> str:
    """The typical factor between measured and printed numbers, either way, e.g. "1.4"; empty with fewer than three."""
    found = typical_factor([(one.measured.value, one.paper) for one in outcomes if one.measured])
    return "" if found is None else f"{found:.2f}"


def typical_factor(pairs: Sequence[tuple[float, float | str]]) -> float | None:
    """The factor exp(mean |ln(measured / paper)|): 1 where all are alike; None with fewer than three numbers."""
    ratios = [measured / paper for measured, paper in pairs if isinstance(paper, int | float) and paper * measured > 0]
    return math.exp(sum(abs(math.log(ratio)) for ratio in ratios) / len(ratios)) if len(ratios) > 2 else None
