# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages that are kept beside the code: the same of the same runs, complete, small, and read by viewers of Markdown."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from paper_claims import CLAIMS
from synthetic_bundle import write_bundle

from cellbed_analysis.__main__ import main
from cellbed_analysis.claims.judge import COUNTED, VERDICTS
from cellbed_analysis.figures.figure import FigureSpec, save
from cellbed_analysis.report.pages import briefly, typical_factor
from cellbed_analysis.report.paper import COLUMNS, read_rows
from cellbed_analysis.report.publish import publish, publish_again, publish_rows, replaced
from cellbed_analysis.report.wheel import PROGRAMS, fingerprints, name_wheel
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

MODES = ("DM-DM", "DM-IM", "IM-DM", "IM-IM")
#: A second scenario, which varies what the first one does not state.
VARIED = {"id": "d2d-nardini/varied", "title": "Varied", "source": "after Nardini", "file": "scenarios/v.yaml"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("results")
    for modes in MODES:
        write_bundle(made, modes, scenario="d2d-nardini/static")
    write_bundle(made, seed=2, outcome="failed")
    write_bundle(made, window="16KiB", scenario=VARIED["id"])
    return made


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's, of which one varies, and one has what Markdown would take for mark-up."""
    found = yaml.safe_load(CLAIMS.read_text())
    number = next(claim for claim in found if claim["id"] == "rtt-dm-dm")
    number["vary"] = {"scenario": VARIED["id"], "by": ["tcp.receive_window"]}
    number["statement"] = "a | b < c, *d* _e_"
    path = tmp_path_factory.mktemp("scenarios") / "d2d-nardini" / "claims.yaml"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(found))
    return path


@pytest.fixture(scope="module")
def pages(results: Path, claims: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish(results, tmp_path_factory.mktemp("pages"), [claims]).parent


def files(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def details(pages: Path) -> str:
    return (pages / "d2d-nardini" / "details.md").read_text()


def rows_of(page: str, heading: str) -> list[list[str]]:
    """Cells of the first table behind a heading."""
    lines = page.split(heading)[1].split("\n\n|")[1].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]


def test_the_same_runs_make_the_same_bytes(results: Path, claims: Path, pages: Path, tmp_path: Path) -> None:
    publish(results, tmp_path, [claims])
    assert files(tmp_path) == files(pages)
    again = files(pages)
    publish(results, tmp_path, [claims])  # over what is there
    assert files(tmp_path) == again


def test_every_claim_has_a_line_with_numbers_verdict_and_cause(claims: Path, pages: Path) -> None:
    page = details(pages)
    table = rows_of(page, "## Claims")
    known = yaml.safe_load(claims.read_text())
    assert {len(row) for row in table} == {11}
    assert len(table) == 2 + len(known)
    by_id = {re.findall(r"\*\*(.+?)\*\*", row[0])[0].replace("\\", ""): row for row in table[2:]}
    line = by_id["rtt-dm-dm"]
    assert line[0].endswith(r"a \| b \< c, \*d\* \_e\_")
    assert line[1:4] == ["30", "± 1", "29.99"]
    assert line[9] == "reproduced"
    assert {row[9] for row in table[2:]} <= set(VERDICTS)
    assert all(row[10] for row in table[2:] if row[9] in ("differs", "undecided", "not-run"))
    said = json.loads((pages / "d2d-nardini" / "claims.json").read_text())
    assert [entry["verdict"] for entry in said] == [row[9] for row in table[2:]]


def test_counts_are_those_of_the_table(pages: Path) -> None:
    head, _, line, total = rows_of((pages / "README.md").read_text(), "# The papers, run")
    page = (pages / "d2d-nardini.md").read_text()
    groups = rows_of(page, "## What was measured")[2:]
    verdicts = [row[1] for row in groups]
    assert head[4:-1] == list(VERDICTS)
    assert [int(count) for count in line[4:-1]] == [verdicts.count(verdict) for verdict in VERDICTS]
    assert total[2:] == line[2:]
    assert line[2] == "6" and int(line[3]) == len(groups)
    lines = rows_of(details(pages), "## Claims")[2:]
    assert int(line[-1]) == len(lines) and f"**Of {len(groups)} measurements: " in page
    # What follows from several measurements is counted with none.
    of_groups = sum(int(cell) for row in groups for cell in row[2:5] if cell)
    assert of_groups < sum(row[9] in COUNTED for row in lines)


def test_the_short_page_says_what_the_runs_could_tell(pages: Path) -> None:
    said = json.loads((pages / "d2d-nardini/claims.json").read_text())
    powers = [entry["power"] for entry in said if entry["power"] is not None]
    page = " ".join((pages / "d2d-nardini.md").read_text().split())
    assert powers and (f"of {len(powers)} claims with an interval, {sum(power >= 0.8 for power in powers)} would be "
                       "reproduced with a chance of 80 % or more") in page  # fmt: skip


def test_the_short_page_is_short(pages: Path) -> None:
    page = (pages / "d2d-nardini.md").read_text()
    assert len(page) < 20_000
    assert page.count("![") == 3  # the printed numbers, and two where no summary names others


def test_a_summary_says_what_the_short_page_shows(results: Path, claims: Path, tmp_path: Path) -> None:
    said = claims.with_name("summary.md")
    said.write_text("It is so.\n\nFigures: `rtt-cdf`, `none-such`.\n")
    page = publish(results, tmp_path, [claims]).with_name("d2d-nardini.md").read_text()
    said.unlink()
    assert "It is so." in page and "Figures:" not in page
    assert re.findall(r"!\[.+\]\((.+)\)", page) == ["d2d-nardini/paper-numbers.svg", "d2d-nardini/rtt-cdf.svg"]


def test_pages_follow_from_the_data_beside_them(claims: Path, pages: Path, tmp_path: Path) -> None:
    """All that a page says is kept: no run is needed to write it again, byte for byte."""
    shutil.copytree(pages, tmp_path, dirs_exist_ok=True)
    for page in tmp_path.rglob("*.md"):
        page.unlink()
    assert main(["publish", str(tmp_path), "--claims", str(claims)]) == 0
    assert files(tmp_path) == files(pages)


def test_a_claim_that_changes_is_judged_again_without_a_run(claims: Path, pages: Path, tmp_path: Path) -> None:
    shutil.copytree(pages, tmp_path / "pages")
    found = yaml.safe_load(claims.read_text())
    by_id = {claim["id"]: claim for claim in found}
    by_id["rtt-dm-dm"]["expect"]["value"] = 40
    found.append(by_id["rtt-dm-dm"] | {"id": "new", "statement": "It is new."})
    changed = tmp_path / "d2d-nardini" / "claims.yaml"
    changed.parent.mkdir()
    changed.write_text(yaml.safe_dump(found))
    publish_again(tmp_path / "pages", [changed])
    said = {one["id"]: one for one in json.loads((tmp_path / "pages/d2d-nardini/claims.json").read_text())}
    before = {one["id"]: one for one in json.loads((pages / "d2d-nardini/claims.json").read_text())}
    assert (before["rtt-dm-dm"]["verdict"], said["rtt-dm-dm"]["verdict"]) == ("reproduced", "differs")
    assert said["rtt-dm-dm"]["measured"] == before["rtt-dm-dm"]["measured"]
    assert said["new"]["verdict"] == "not-run" and said["new"]["measured"] is None
    others = [name for name in before if name != "rtt-dm-dm"]
    assert [said[name] for name in others] == [before[name] for name in others]


def test_data_that_are_not_whole_are_one_line(claims: Path, pages: Path, tmp_path: Path) -> None:
    assert main(["publish", str(tmp_path), "--claims", str(claims)]) == 1
    shutil.copytree(pages, tmp_path, dirs_exist_ok=True)
    (tmp_path / "d2d-nardini" / "claims.json").write_text("[1]")
    with pytest.raises(DataError, match="d2d-nardini: not the data of a page"):
        publish_again(tmp_path, [claims])


def test_a_scan_shows_every_setting_beside_the_literal_reading(pages: Path) -> None:
    table = rows_of(details(pages), f"## What {VARIED['id']} decides")
    assert table[0] == ["claim", "paper", "as claimed", "window 16 KiB"]
    assert table[2] == ["rtt-dm-dm", "30", "29.99 ✓", "29.99 ✓"]
    assert table[3][2:] == ["**1 of 1**", "**1 of 1**"]


def test_figures_are_small_and_without_a_date(pages: Path) -> None:
    shown = re.findall(r"!\[.+\]\((.+\.svg)\)", details(pages))
    assert len(shown) > 4
    assert sorted(shown) == sorted(path.name for path in (pages / "d2d-nardini").glob("*.svg"))
    for name in shown:
        text = (pages / "d2d-nardini" / name).read_text()
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert len(text) < 150_000, name
        assert "<dc:date>" not in text
        assert "script" not in text


def test_clouds_of_points_are_pictures_within_a_figure(tmp_path: Path) -> None:
    def drawn(points: int) -> Figure:
        figure, axes = plt.subplots()
        axes.plot(range(points), marker=".")
        axes.scatter(range(points), range(points))
        return figure

    specs = [FigureSpec(f"of-{points}", "t", "c", partial(drawn, points)) for points in (10, 20_000)]
    few, many = (figure.svg for figure in save(specs, Inside(tmp_path)))
    assert "data:image/png" not in few
    assert many.count("data:image/png") >= 1
    assert len(many) < 100_000


def test_a_run_that_recorded_something_else_has_another_hash(results: Path, claims: Path, tmp_path: Path) -> None:
    def hashes(at: Path) -> dict[str, str]:
        publish(results, at, [claims])
        rows = read_rows(Inside(at, "d2d-nardini", "runs.csv"))
        return {",".join((row["scenario"], row["variant"], row["seed"])): row["recordings"] for row in rows}

    runs = hashes(tmp_path / "a")
    stats = next(results.glob("IM-IM*")) / "ip-ue2.pcap"
    original = stats.read_bytes()
    stats.write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    changed = hashes(tmp_path / "b")
    stats.write_bytes(original)
    assert [key for key in runs if runs[key] != changed[key]] == [key for key in runs if "IM-IM" in key]


def test_it_says_what_executes_the_runs_again(pages: Path) -> None:
    page = details(pages)
    assert "--seed 1 --seed 2 --results results/replication" in page
    assert "| 5 | 4 |" in page.split("## Runs")[1]  # one failed
    assert "make replication RESULTS=results/replication" in page


def test_it_says_where_seeds_are_left_out(results: Path, claims: Path, tmp_path: Path) -> None:
    said = {"id": "d2d-nardini/few", "title": "t", "source": "s", "file": "f.yaml", "text": "seeds: [1, 2, 3]\n"}
    path = write_bundle(results, window="32KiB", scenario=said["id"])
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(manifest | {"scenario": said}))
    publish(results, tmp_path, [claims])
    page = details(tmp_path)
    shutil.rmtree(path)
    rows = {row[0]: row[4] for row in rows_of(page, "## Runs")[2:]}
    assert rows["[d2d-nardini/few](../../../f.yaml)"] == "1 of 3"
    assert {seeds for name, seeds in rows.items() if "few" not in name} == {"1, 2", "1"}


def test_what_was_found_stands_before_the_claims(results: Path, claims: Path, tmp_path: Path) -> None:
    said = claims.with_name("findings.md")
    said.write_text("## What it means\n\nSomething.\n")
    publish(results, tmp_path, [claims])
    page = details(tmp_path)
    said.unlink()
    assert page.index("Something.") < page.index("## Claims")


def test_rows_of_runs_that_were_repeated_are_taken_over(results: Path, pages: Path, tmp_path: Path) -> None:
    """Only what moved: all other rows, and the pages' other data, stay as they are."""
    shutil.copytree(pages, tmp_path / "pages")
    again = tmp_path / "again"
    shutil.copytree(next(results.glob("IM-IM*")), again / "IM-IM")
    trace = again / "IM-IM" / "ip-ue2.pcap"
    original = trace.read_bytes()
    trace.write_bytes(original[:-1] + bytes([original[-1] ^ 1]))
    assert main(["publish", str(again), str(tmp_path / "pages"), "--rows"]) == 0
    before, after = (read_rows(Inside(at, "d2d-nardini", "runs.csv")) for at in (pages, tmp_path / "pages"))
    moved = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [old["variant"] for old, _ in moved] == ["IM-IM"]
    assert {key for old, new in moved for key in old if old[key] != new[key]} == {"recordings"}
    beside = read_rows(Inside(tmp_path, "pages", "d2d-nardini", "recordings.csv"))
    assert {(line["point"], line["seed"]) for line in beside} == {("IM-IM", "1")} and len(beside) > 2
    programs = json.loads((tmp_path / "pages/d2d-nardini/programs.json").read_text())
    assert {row["programs"] for row in after} == programs.keys()
    publish_rows(again, tmp_path / "pages")
    assert read_rows(Inside(tmp_path, "pages", "d2d-nardini", "recordings.csv")) == beside


def wheel_of(programs: dict[str, bytes], folder: Path) -> Path:
    """A wheel with these programs and the shortest code."""
    wheel = folder / "x.whl"
    with zipfile.ZipFile(wheel, "w") as opened:
        for member in (*PROGRAMS.values(), "cellbed/run.py", "cellbed_channel/__init__.py"):
            opened.writestr(member, programs.get(member, b""))
    return wheel


def test_a_wheel_is_named_where_its_programs_recorded_the_runs(pages: Path, claims: Path, tmp_path: Path) -> None:
    there = tmp_path / "pages"
    shutil.copytree(pages, there)
    wheel = wheel_of({}, tmp_path)
    beside = there / "d2d-nardini" / "programs.json"
    made = json.loads(beside.read_text())
    assert main(["publish", str(there), "--claims", str(claims), "--wheel", str(wheel)]) == 1
    assert json.loads(beside.read_text()) == made
    beside.write_text(json.dumps({key: one | fingerprints(wheel) for key, one in made.items()}))
    assert main(["publish", str(there), "--claims", str(claims), "--wheel", str(wheel)]) == 0
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert {one["wheel"] for one in json.loads(beside.read_text()).values()} == {digest}
    assert digest[:16] in (there / "d2d-nardini.md").read_text()
    for member in (*PROGRAMS.values(), "cellbed/run.py"):
        (tmp_path / "other").mkdir(exist_ok=True)
        with pytest.raises(DataError, match="no published run was recorded by its programs"):
            name_wheel(wheel_of({member: b"x"}, tmp_path / "other"), there)


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_wheel_is_refused(pages: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.whl").write_bytes(content)
    with pytest.raises(DataError, match=r"x\.whl: not a wheel of cellbed"):
        name_wheel(tmp_path / "x.whl", pages)


def test_one_scenario_is_published_and_the_others_stay(
    results: Path, claims: Path, pages: Path, tmp_path: Path
) -> None:
    shutil.copytree(pages, tmp_path / "pages")
    varied = next(path for path in results.iterdir() if (path / "manifest.json").exists()
                  and json.loads((path / "manifest.json").read_text())["scenario"]["id"] == VARIED["id"])  # fmt: skip
    shutil.copytree(varied, tmp_path / "again" / varied.name)
    (tmp_path / "d2d-nardini").mkdir()
    changed = tmp_path / "d2d-nardini" / "claims.yaml"
    found = yaml.safe_load(claims.read_text())
    one = next(claim for claim in found if claim["id"] == "rtt-dm-dm")
    changed.write_text(yaml.safe_dump([*found, one | {"id": "new", "scenario": VARIED["id"]}]))
    command = ["publish", str(tmp_path / "again"), str(tmp_path / "pages"), "--scenarios", "--claims", str(changed)]
    assert main(command) == 0
    before, after = (json.loads((at / "d2d-nardini/claims.json").read_text()) for at in (pages, tmp_path / "pages"))
    assert after[: len(before)] == before
    assert (after[-1]["id"], after[-1]["verdict"]) == ("new", "reproduced")
    assert files(tmp_path / "pages")["d2d-nardini/runs.csv"] == files(pages)["d2d-nardini/runs.csv"]
    assert files(tmp_path / "pages")["d2d-nardini/page.json"] == files(pages)["d2d-nardini/page.json"]


def test_a_row_without_a_successor_is_refused() -> None:
    def row(point: str, seed: str, recordings: str) -> dict[str, str]:
        return dict.fromkeys(COLUMNS, "") | {
            "scenario": "s", "variant": "v", "point": point, "seed": seed, "recordings": recordings,
        }  # fmt: skip

    there = [row("", "1", "a"), row("", "1", "b"), row("", "2", "c")]
    fresh = [row("v_x=1", "1", "d"), row("v_x=2", "1", "e")]
    assert [one["recordings"] for one in replaced(there, fresh)] == ["d", "e", "c"]
    with pytest.raises(DataError, match="s v 1: 2 rows are published, and 1 were run"):
        replaced(there, fresh[:1])


@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=3))
def test_the_typical_factor_is_the_same_both_ways(pairs: list[tuple[float, float]]) -> None:
    found, turned = typical_factor(pairs), typical_factor([(paper, measured) for measured, paper in pairs])
    assert found is not None and found == pytest.approx(turned) and found >= 1
    assert typical_factor([(paper, paper) for _, paper in pairs]) == pytest.approx(1)
    assert typical_factor([(2 * paper, paper) for _, paper in pairs]) == pytest.approx(2)
    assert typical_factor(pairs[:2]) is None and typical_factor([(1.0, "more")] * 3) is None


def test_a_cause_in_brief_is_its_first_sentence() -> None:
    assert briefly("It rises by 3.2 ms. Then more.") == "It rises by 3.2 ms."
    assert len(briefly("word " * 100)) < 225


def test_wrong_results_are_one_line(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DataError, match="no claim is about any of its runs"):
        publish(results, tmp_path / "none")
    assert not (tmp_path / "none").exists()
    assert main(["publish", str(tmp_path / "absent"), str(tmp_path)]) == 1
    assert "no such results directory" in capsys.readouterr().err
