# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed replicate`: a paper by its name, from its scenarios to its page."""

import csv
import re

import pytest
from e2e import bundles, cellbed
from hypothesis import given
from hypothesis import strategies as st

from cellbed import paths
from cellbed.api.scenario import Scenario
from cellbed.cli.analysed import UNUSABLE
from cellbed.error import CellbedError
from cellbed.results import published
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


CASE = published.Case("s/quick", "a_x=1", 1)
HASHES = {"a.pcap": "0" * 16, "b.trace": "1" * 16}


def test_recordings_that_differ_are_named_one_by_one():
    def said(**now):
        recorded = [(name, digest) for name, digest in (HASHES | now).items() if digest]
        return published.differences(CASE, HASHES, recorded)

    assert said() == []
    assert published.differences(CASE, HASHES, [(name, f"{digest}{'f' * 48}") for name, digest in HASHES.items()]) == []
    one = "s/quick a_x=1 seed 1"
    assert said(**{"a.pcap": "2" * 64}) == [f"{one}: a.pcap: published {'0' * 16}, recorded {'2' * 16}"]
    assert said(**{"a.pcap": "", "c.pcap": "3" * 64}) == [
        f"{one}: a.pcap: published {'0' * 16}, recorded nothing",
        f"{one}: c.pcap: published nothing, recorded {'3' * 16}",
    ]


@given(st.sets(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(1, 9)), min_size=1),
       st.none() | st.integers(1, 60))
def test_a_sample_is_always_the_same_and_of_the_cases(said, number):
    cases = [published.Case(*one) for one in said]
    found = published.sample(cases, number)
    assert found == published.sample(reversed(cases), number) == sorted(found)
    assert set(found) <= set(cases) and len(set(found)) == min(number or len(cases), len(cases))


@pytest.mark.parametrize(("text", "reason"), [
    (None, "No such file"), ("", "no run is listed"), ("scenario,point\na,b\n", "not a list of published recordings"),
    ("scenario,point,seed,file,sha256\na,b,one,c,d\n", "not a list of published recordings"),
])
def test_what_is_no_list_of_recordings(tmp_path, text, reason):
    if text is not None:
        (tmp_path / "recordings.csv").write_text(text)
    with pytest.raises(CellbedError, match=reason):
        published.read(tmp_path / "recordings.csv")


@pytest.mark.lab
def test_recordings_of_other_programs_are_not_compared(tmp_path):
    page = tmp_path / "handover-pacifico"
    page.mkdir()
    for name in ("recordings.csv", "runs.csv", "programs.json"):
        text = (paths.ROOT / "docs/replication/handover-pacifico" / name).read_text()
        text = re.sub(r'"iperf3": "[^"]*"', '"iperf3": "iperf 2.0"', text)
        (page / name).write_text(re.sub(r"[0-9a-f]{16}$", "0" * 16, text, flags=re.MULTILINE)
                                 if name == "recordings.csv" else text)
    done = cellbed("replicate", "pacifico", "--check", "--sample", "1", "--pages", tmp_path, check=False)
    assert done.returncode == UNUSABLE and "iperf3: iperf 2.0, here iperf 3." in done.stderr
    (page / "programs.json").unlink()
    done = cellbed("replicate", "pacifico", "--check", "--pages", tmp_path, check=False)
    assert done.returncode == 1 and "not a page with the programs of its runs" in done.stderr


PAPERS = ["celledge-li", "d2d-nardini", "delivery-park", "handover-pacifico", "maxdat-demey"]


@pytest.mark.parametrize("name", PAPERS)
def test_each_page_has_runs_that_can_be_repeated(name):
    """What is in recordings.csv is of rows that name their programs, and of runs that the scenarios have."""
    folder = paths.ROOT / "docs/replication" / name
    with (folder / "runs.csv").open(newline="") as text:
        rows = list(csv.DictReader(text))
    made = {published.Case(row["scenario"], row["point"], int(row["seed"])): row for row in rows if row["programs"]}
    repeated = set(published.read(folder / "recordings.csv"))
    assert repeated <= set(made)
    assert all(len(row["commit"]) == 8 and row["kernel"] for row in rows)  # no changed working tree
    for scenario in {case.scenario for case in repeated}:
        there = {(run.variant, run.seed) for run in Scenario.load(f"{paths.ROOT}/scenarios/{scenario}.yaml").runs}
        assert {(case.point, case.seed) for case in repeated if case.scenario == scenario} <= there


def test_a_check_of_what_is_not_published_names_what_is():
    found = cellbed("replicate", "nr-l4s", "--check", check=False)
    assert found.returncode == 1 and "no runs of nr-l4s are published; allowed " + ", ".join(PAPERS) in found.stderr


def test_a_sample_without_a_check_is_refused():
    found = cellbed("replicate", "pacifico", "--sample", "1", check=False)
    assert found.returncode == 1 and "--sample: allowed with --check" in found.stderr


@pytest.mark.lab
def test_a_changed_byte_of_a_page_fails_its_check(tmp_path):
    page = tmp_path / "handover-pacifico" / "recordings.csv"
    page.parent.mkdir()
    for name in ("recordings.csv", "runs.csv", "programs.json"):
        page.with_name(name).write_bytes((paths.ROOT / "docs/replication/handover-pacifico" / name).read_bytes())
    right = cellbed("replicate", "pacifico", "--check", "--sample", "1", "--pages", tmp_path, check=False)
    if right.returncode == UNUSABLE:
        pytest.skip(right.stderr)  # recorded by another iperf3 or kernel
    assert right.returncode == 0, right.stdout + right.stderr
    assert "handover-pacifico: 1 runs recorded what is published" in right.stdout
    header, first, *others = page.read_text().splitlines()
    changed = first[:-1] + ("0" if first[-1] != "0" else "1")
    page.write_text("\n".join([header, changed, *others]) + "\n")
    wrong = cellbed("replicate", "pacifico", "--check", "--sample", "1", "--pages", tmp_path, check=False)
    scenario, point, seed, name, digest = changed.split(",")
    assert wrong.returncode == 1 and "1 recordings of 1 runs are not those of " in wrong.stderr
    assert f"{scenario} {point} seed {seed}: {name}: published {digest}, recorded " in wrong.stdout


@pytest.mark.lab
def test_a_small_part_of_a_paper(tmp_path):
    said = cellbed("replicate", "pacifico", "--quick", "--results", tmp_path / "r", "--keep-going").stdout
    runs = bundles(tmp_path / "r")
    assert f"handover-pacifico: {len(runs)} runs of scenario handover-pacifico/quick, " in said
    assert (tmp_path / "r/summary/report.html").exists()
    page = tmp_path / "r/page/handover-pacifico.md"
    assert "## What was measured" in page.read_text()
    assert "## Claims" in (tmp_path / "r/page/handover-pacifico/details.md").read_text()
    before = {bundle: (bundle / "manifest.json").stat().st_mtime_ns for bundle in runs.values()}
    again = cellbed("replicate", "pacifico", "--quick", "--results", tmp_path / "r", "--keep-going").stdout
    assert str(page.with_name("README.md")) in again.replace("\n", "")
    assert {bundle: (bundle / "manifest.json").stat().st_mtime_ns for bundle in runs.values()} == before
