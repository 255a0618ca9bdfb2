# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims by independent evidence: one measurement counts once, however many sentences of the paper hang on it.

Source: docs/claims.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .expect import DIFFERS, REPRODUCED, UNDECIDED
from .judge import COUNTED, Outcome


@dataclass(frozen=True)
class Group:
    """What one measurement says.

    Attributes:
        name: of the evidence; of a claim that names none, its statement.
        lines: claims that it decides, in the order of the file; the first one leads.
        derived: claims that follow from several groups, listed under the first of these.
    """

    name: str
    lines: tuple[Outcome, ...]
    derived: tuple[Outcome, ...] = ()

    @property
    def counts(self) -> Counter[str]:
        """Lines by verdict."""
        return Counter(line.verdict for line in self.lines)

    @property
    def judged(self) -> int:
        """How many lines were judged."""
        return sum(self.counts[verdict] for verdict in COUNTED)

    @property
    def verdict(self) -> str:
        """Reproduced where all judged lines are, differs where one does; that of the first line where none was."""
        if not self.judged:
            return self.lines[0].verdict
        return next(verdict for verdict in (DIFFERS, UNDECIDED, REPRODUCED) if self.counts[verdict])


def groups(outcomes: Sequence[Outcome]) -> list[Group]:
    """Groups in the order of their first lines."""
    lines: dict[str, list[Outcome]] = {}
    derived: dict[str, list[Outcome]] = {}
    for one in outcomes:
        said = one.claim.get("evidence") or " ".join(one.claim["statement"].split())
        names = said if isinstance(said, list) else [said]
        (lines if len(names) == 1 else derived).setdefault(names[0], []).append(one)
    return [Group(name, tuple(own), tuple(derived.get(name, ()))) for name, own in lines.items()]
