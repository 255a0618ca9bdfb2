# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims judged where a scenario varies what the paper does not specify: every value, and how many claims each meets.

The literal reading of the paper decides a claim's verdict. No value is chosen, whatever it meets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .explain import Row
from .judge import Outcome, evaluate_one
from .vary import by_setting, ways

SETTINGS_SHOWN = 8


@dataclass(frozen=True)
class Scan:
    """Claims that one scenario varies, as claimed and at each of its settings."""

    scenario: str
    claimed: tuple[Outcome, ...]
    settings: dict[str, tuple[Outcome, ...]]  # of the same claims in the same order, by the setting in words

    @property
    def tells(self) -> bool:
        """Whether enough numbers of the paper are measured for a typical factor, at few enough settings for a line."""
        numbers = [one for one in self.claimed if one.measured and isinstance(one.paper, int | float)]
        return len(numbers) > 2 and len(self.settings) <= SETTINGS_SHOWN


def scans(outcomes: Sequence[Outcome], rows: Sequence[Row]) -> list[Scan]:
    """Scans of the scenarios that claims name in `vary` and that there are runs of, in the order of the claims.

    Args:
        outcomes: of the claims as they stand.
        rows: those of all runs, and what studies make of many runs.
    """
    found: dict[str, list[tuple[Outcome, dict[str, Outcome]]]] = {}
    for outcome in outcomes:
        for way in ways(outcome.claim):
            claim = {key: value for key, value in outcome.claim.items() if key != "vary"}
            claim["scenario"] = way["scenario"]
            there = {where: evaluate_one(claim, own) for where, own in by_setting(rows, way).items()}
            if there:
                found.setdefault(way["scenario"], []).append((outcome, there))
    return [_scan(scenario, lines) for scenario, lines in found.items()]


def _scan(scenario: str, lines: Sequence[tuple[Outcome, dict[str, Outcome]]]) -> Scan:
    # Claims may vary by different parameters of one scenario.
    settings = dict.fromkeys(where for _, there in lines for where in there)
    columns = {
        where: tuple(there.get(where) or Outcome(one.claim, "not-run") for one, there in lines) for where in settings
    }
    return Scan(scenario, tuple(one for one, _ in lines), columns)
