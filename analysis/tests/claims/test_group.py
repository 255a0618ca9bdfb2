# SPDX-License-Identifier: GPL-2.0-or-later
"""One measurement counts once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_claim import claim

from cellbed_analysis.claims.claim import check, read_claims
from cellbed_analysis.claims.group import groups
from cellbed_analysis.claims.judge import COUNTED, VERDICTS, Outcome
from cellbed_formats.error import DataError

FILES = sorted((Path(__file__).parents[3] / "scenarios").glob("*/*claims.yaml"))
PAPERS = ("celledge-li", "d2d-nardini", "delivery-park", "handover-pacifico", "maxdat-demey")


def outcome(verdict: str, **more: Any) -> Outcome:
    return Outcome(claim(**more), verdict)


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        (["reproduced", "reproduced"], "reproduced"), (["reproduced", "undecided"], "undecided"),
        (["undecided", "differs", "reproduced"], "differs"), (["implied", "reproduced"], "reproduced"),
        (["implied", "not-testable"], "implied"), (["not-run"], "not-run"),
    ],
)  # fmt: skip
def test_a_group_holds_where_all_its_lines_do(verdicts: list[str], whole: str) -> None:
    (found,) = groups([outcome(verdict, evidence="Table 1") for verdict in verdicts])
    assert (found.name, found.verdict) == ("Table 1", whole)
    assert found.judged == sum(verdict in COUNTED for verdict in verdicts)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(VERDICTS))), st.integers(1, 5))
def test_a_claim_that_is_said_again_counts_nothing(said: list[tuple[str, str]], times: int) -> None:
    once = [outcome(verdict, evidence=name) for name, verdict in said]
    assert [(g.name, g.verdict) for g in groups(once * times)] == [(g.name, g.verdict) for g in groups(once)]


def test_what_follows_from_several_groups_decides_none() -> None:
    lines = [outcome("reproduced", evidence="a"), outcome("reproduced", evidence="b"),
             outcome("differs", evidence=["b", "a"])]  # fmt: skip
    first, second = groups(lines)
    assert (first.verdict, second.verdict) == ("reproduced", "reproduced")
    assert not first.derived and [one.verdict for one in second.derived] == ["differs"]


def test_a_claim_without_evidence_is_its_own_group() -> None:
    (one, other) = groups([outcome("reproduced"), outcome("differs", statement="It is 31.")])
    assert (one.name, other.name) == ("It is 30.", "It is 31.")


@pytest.mark.parametrize("evidence", [1, [], ["one"], [1, 2], ""])
def test_evidence_is_a_name_or_two(evidence: object) -> None:
    with pytest.raises(DataError, match="key evidence: .*: expected a name, or a list of two or more"):
        check(claim(evidence=evidence))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_names_its_evidence(paper: str) -> None:
    """What follows from several groups names groups that there are."""
    found = [one for path in FILES if path.parent.name == paper for one in read_claims(path)]
    said = [one.get("evidence") for one in found]
    names = {name for name in said if isinstance(name, str)}
    assert all(said), [one["id"] for one in found if not one.get("evidence")]
    assert {name for several in said if isinstance(several, list) for name in several} <= names
