# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims as they are written: in files, in manifests, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from paper_claims import CLAIMS
from synthetic_bundle import write_bundle
from synthetic_claim import MORE, OF_IM, claim, row

from cellbed_analysis.claims.claim import check, collect, read_claims
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_formats.bundle import load_results
from cellbed_formats.error import DataError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expct": {}}, "unknown key expct"),
        ({"expect": {"value": 3}}, "key expect"),
        ({"tests": "luck"}, "key tests: luck: allowed: digits, words, spread, direction"),
        ({"tests": "direction"}, "allowed where direction are tested: above and effect; below and effect"),
        ({"tests": "direction", "expect": {"trend": "explodes", "effect": 1}}, "expect.trend: explodes: allowed"),
        ({"tests": "direction", "expect": {"trend": "rises", "effect": 1}}, "measure.over: missing"),
        ({"tests": "direction", "expect": {"above": 0, "effect": 0}}, "expect.effect: 0: expected more than 0"),
        ({"expect": {"value": "30", "tolerance": 1}}, "expect.value: '30': expected a number"),
        ({"otherwise": 30.5}, "otherwise: 30.5: meets what is expected"),
        ({"otherwise": "42"}, "otherwise: '42': expected a number"),
        ({"measure": {"metric": "beauty"}}, "measure.metric"),
        ({"minus": {"metric": "beauty"}}, "minus.metric"),
        ({"measure": "rtt"}, "measure.metric"),
        ({"than": {"measure": OF_IM}}, "key than: allowed beside minus or ratio"),
        (MORE | {"than": {"measure": OF_IM, "ratio": OF_IM}}, "key than: .* expected measure and minus"),
        (MORE | {"than": {"measure": OF_IM, "minus": {"metric": "beauty"}}}, "key than.minus.metric"),
        ({"vary": "windows"}, "key vary: windows: expected scenario and by"),
        ({"vary": {"scenario": "windows"}}, "key vary: .*: expected scenario and by"),
        ({"vary": [{"scenario": "a", "by": ["b"]}, {"by": []}]}, "key vary: {'by': \\[\\]}: expected scenario and by"),
        ({"explain": "magic"}, "explain: magic: allowed: rtt"),
    ],
)
def test_malformed_claims_are_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        check(claim(**change))
    assert "claim c" in str(error.value)


def test_missing_keys_are_named() -> None:
    with pytest.raises(DataError, match="claim c: key statement: missing"):
        check({k: v for k, v in claim().items() if k != "statement"})
    with pytest.raises(DataError, match="expected a mapping"):
        check("rtt is 30 ms")


def test_claims_come_once_from_the_newest_manifest(tmp_path: Path) -> None:
    old, new = claim(statement="old"), claim(statement="new")
    write_bundle(tmp_path, seed=1, duration_s=0.2, claims=[new], created="2026-02-01")
    write_bundle(tmp_path, seed=2, duration_s=0.2, claims=[old], created="2026-01-01")
    assert [c["statement"] for c in collect(load_results(tmp_path))] == ["new"]


def test_a_malformed_claim_in_a_manifest_does_not_stop_the_report(tmp_path: Path) -> None:
    write_bundle(tmp_path, duration_s=0.2, claims=[claim(tests="direction", expect={"trend": "explodes", "effect": 1})])
    (found,) = collect(load_results(tmp_path))
    outcome = evaluate_one(found, [row(30)])
    assert outcome.verdict == "not-testable"
    assert outcome.cause.startswith("malformed: claim c: key expect.trend: explodes")


def test_an_entry_that_is_no_claim_is_an_error(tmp_path: Path) -> None:
    write_bundle(tmp_path, duration_s=0.2, claims=["rtt is 30 ms"])  # type: ignore[list-item]
    with pytest.raises(DataError, match="expected a mapping with an id"):
        collect(load_results(tmp_path))


@pytest.mark.parametrize("paper", ["d2d-nardini", "delivery-park"])
def test_the_papers_claims_are_well_formed(paper: str) -> None:
    claims = yaml.safe_load((CLAIMS.parents[1] / paper / "claims.yaml").read_text())
    ids = [check(entry)["id"] for entry in claims]
    assert len(ids) == len(set(ids)) > 40
    for entry in claims:
        assert "not_testable" in entry or entry["why"], entry["id"]


def test_claims_of_a_file(tmp_path: Path) -> None:
    assert [entry["id"] for entry in read_claims(CLAIMS)][0] == "cqi-15"
    wrong = tmp_path / "claims.yaml"
    wrong.write_text("a: 1")
    with pytest.raises(DataError, match="expected a list of claims"):
        read_claims(wrong)
    with pytest.raises(DataError, match="nowhere"):
        read_claims(tmp_path / "nowhere")
