# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed replicate`: a paper by its name, from its scenarios to its page."""

import pytest
from e2e import bundles, cellbed

from cellbed.error import CellbedError
from cellbed.scenario import included
from cellbed_formats import bounded_yaml


@pytest.mark.parametrize(("said", "folder"), [
    ("nardini", "d2d-nardini"), ("pacifico", "handover-pacifico"), ("demey", "maxdat-demey"), ("li", "celledge-li"),
    ("park", "delivery-park"), ("nr-l4s", "nr-l4s"), ("d2d-nardini", "d2d-nardini"),
])
def test_a_study_has_a_short_name(said, folder):
    name, path = included.study(said)
    assert name == folder and included.scenarios_of(path)


def test_what_is_claimed_first_is_a_scenario_of_the_study():
    for name, folder in included.studies().items():
        assert bounded_yaml.read(included.first_claimed(folder))["id"].startswith(f"{name}/")


@pytest.mark.parametrize("name", ["links", "nosuch", "", ".", "../scenarios"])
def test_what_is_no_study(name):
    with pytest.raises(CellbedError, match="allowed celledge-li, d2d-nardini, "):
        included.study(name)


def test_every_claim_is_of_a_scenario_that_replicate_runs():
    for name, folder in included.studies().items():
        there = {f"{name}/{path.stem}" for path in included.scenarios_of(folder)}
        for file in folder.glob("*claims.yaml"):
            for claim in bounded_yaml.read(file):
                of = claim["scenario"] if isinstance(claim["scenario"], list) else [claim["scenario"]]
                assert set(of) <= there, (file, claim["id"])


@pytest.mark.lab
def test_a_small_part_of_a_paper(tmp_path):
    said = cellbed("replicate", "pacifico", "--quick", "--results", tmp_path / "r", "--keep-going").stdout
    runs = bundles(tmp_path / "r")
    assert f"handover-pacifico: {len(runs)} runs of scenario handover-pacifico/quick, " in said
    assert (tmp_path / "r/summary/report.html").exists()
    page = tmp_path / "r/page/handover-pacifico.md"
    assert "## Claims" in page.read_text()
    before = {bundle: (bundle / "manifest.json").stat().st_mtime_ns for bundle in runs.values()}
    again = cellbed("replicate", "pacifico", "--quick", "--results", tmp_path / "r", "--keep-going").stdout
    assert str(page.with_name("README.md")) in again.replace("\n", "")
    assert {bundle: (bundle / "manifest.json").stat().st_mtime_ns for bundle in runs.values()} == before
