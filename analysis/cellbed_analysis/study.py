# SPDX-License-Identifier: GPL-2.0-or-later
"""What the general packages ask a study, and where they find them all.

A study is a paper, or any other experiment with figures, models or explanations of its own. It is a folder of
`studies/`, whose `__init__.py` has a class `Study` that answers what it has an answer to; everything else stays as it
is here. The folder is all that a study needs: no list names it, and no general package imports it.

A study's `__init__.py` is read whenever metrics are, so its methods import what they need when they are called.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from argparse import _SubParsersAction
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cellbed_formats.inside import Inside

Row = dict[str, Any]
#: (claim, rows that it measured, rows that it subtracted or divided by) -> why it differs, in words.
Explanation = Callable[[Mapping[str, Any], Sequence[Row], Sequence[Row]], str]


def of_both_arms(told: Callable[[Sequence[Row]], str]) -> Explanation:
    """What @told says of the rows that a claim measured, and then of those that it is measured against."""

    @functools.wraps(told)
    def explanation(claim: Mapping[str, Any], rows: Sequence[Row], other: Sequence[Row]) -> str:
        text = told(rows)
        return f"{text} Against that {told(other)}" if other and text else text

    return explanation


@dataclass(frozen=True)
class Remark:
    """What a paper says of a general figure."""

    caption: str  # whole sentences, which follow the figure's own
    points_ms: tuple[float, ...] = ()  # times that a sequence chart marks


class BaseStudy:
    """A study without any answer. Rows are those of metrics.parquet; runs are `metrics.run.RunAnalysis`."""

    #: Where its parts stand in a report about several studies: the lowest first.
    place: int = 100

    # Metrics

    def columns(self) -> Mapping[str, Sequence[Any]]:
        """Its columns of metrics.parquet (`metrics.metric.Metric`), by the general column that they follow."""
        return {}

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        """Values of its columns for the first flow of a run; nothing for runs that it is not about."""
        return {}

    def sweep_section(self) -> tuple[str, str, Sequence[Any]] | None:
        """Metrics of many runs together, which claims may measure: title, introduction in Markdown, metrics."""
        return None

    def sweep_rows(self, rows: Sequence[Row]) -> list[Row]:
        """Rows of these metrics, which claims find beside those of runs."""
        return []

    # Claims

    def explanations(self) -> Mapping[str, Explanation]:
        """Its explanations of claims that differ, by what `explain` calls them."""
        return {}

    def expected_rtt(self, row: Row) -> tuple[str, Mapping[str, float]] | None:
        """What a run's RTT should be made of: what says so, in words, and parts in ms by `tcp.segment.RTT_PARTS`."""
        return None

    # Figures

    def series(self) -> tuple[str, Sequence[str]]:
        """What its paper calls its series, and their names in its order: tables and figures have them first."""
        return "", ()

    def draws_alone(self, row: Row) -> bool:
        """Whether the study's own figures show this run, and general figures of RTTs leave it out."""
        return False

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        """Its figures of these runs in the report's order: what `figures.figure.FigureSpec` is made of."""
        return []

    def remark(self, figure: str, paper_ms: Mapping[str, float]) -> Remark | None:
        """What its paper says of a general figure.

        Args:
            figure: name of the figure.
            paper_ms: mean RTTs that claims give for the runs that are drawn, by series; empty without any.
        """
        return None

    # Report

    def tabulates(self, row: Row) -> bool:
        """Whether the study's own tables show this row, and the headline table leaves it out."""
        return False

    def tables(self, rows: Sequence[Row]) -> list[Any]:
        """Its tables for the console."""
        return []

    def section(self, rows: Sequence[Row]) -> str | None:
        """Its section of the report as HTML (`report.page.section`); None where no run is about it."""
        return None

    def page_section(self, paper: str, outcomes: Mapping[str, Any]) -> str | None:
        """What it computes of a paper's numbers, as Markdown for the paper's page; None of another paper.

        Args:
            paper: name of its folder of scenarios.
            outcomes: `claims.judge.Outcome` by the claim's id.
        """
        return None

    def write(self, rows: Sequence[Row], directory: Inside) -> list[Inside]:
        """Write its files beside the report, remove those of an earlier one, and say which there are."""
        return []

    # Command line

    def add_command(self, commands: _SubParsersAction[Any]) -> None:
        """Add a command to `python -m cellbed_analysis`, with the default `run`: parsed options -> text to print."""


@functools.cache
def studies() -> tuple[BaseStudy, ...]:
    """All studies, in the order of their `place`."""
    package = importlib.import_module(f"{__package__}.studies")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    found = [importlib.import_module(f"{package.__name__}.{name}").Study() for name in names]
    return tuple(sorted(found, key=lambda study: study.place))
