# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands shown in the documents run, and their links lead somewhere."""

import contextlib
import json
import math
import os
import re
import subprocess
import sys

import polars as pl
import pytest
from e2e import CELLBED, ROOT, needs_two_kernels
from one_cleaner import the_only_cleaner

from cellbed.cli import reference
from cellbed_formats import bounded_yaml

BLOCK = re.compile(r"(<!-- not run here: [^>]+ -->\n)?```sh\n(.*?)```", re.DOTALL)


def tracked(pattern):
    done = subprocess.run(["git", "-C", ROOT, "ls-files", f"*{pattern}"], capture_output=True, text=True, check=True)
    return [ROOT / name for name in done.stdout.split()]


def tracked_pages():
    return tracked(".md")


def run_page(page, folder, least, before=None):
    """Run a page in a folder like a checkout's, block after block, as a reader types them.

    Args:
        before: what to type before a block that begins with some words, in the place of what takes too long.
    """
    for name in ("docs", "scenarios", "captures"):
        (folder / name).symlink_to(ROOT / name)
    blocks = [text for skipped, text in BLOCK.findall(page.read_text()) if not skipped]
    env = {**os.environ, "PATH": f"{CELLBED.parent}:{os.environ['PATH']}"}
    for block in blocks:
        block = "\n".join([*(text for words, text in (before or {}).items() if block.startswith(words)), block])
        with the_only_cleaner() if "cellbed clean" in block else contextlib.nullcontext():
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=env, capture_output=True,
                                  text=True, timeout=800, check=False)
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    assert len(blocks) >= least


@pytest.mark.lab
@pytest.mark.parametrize(("page", "least"), [("link", 2), ("nr", 2), ("en-dc", 2), ("sweep", 4), ("peers", 1),
                                             ("watch", 3), ("fleet", 1)])
def test_pages_run_from_top_to_bottom(tmp_path, page, least):
    run_page(ROOT / f"docs/{page}.md", tmp_path, least)


# Needs a kernel tree, and has a test of its own.
OF_A_TREE = "my-tcp"
HOW_TO = sorted(path.stem for path in (ROOT / "docs/howto").glob("*.md") if path.stem not in ("README", OF_A_TREE))


@pytest.mark.lab
@pytest.mark.parametrize("page", HOW_TO)
def test_how_tos_run_from_top_to_bottom(tmp_path, page):
    run_page(ROOT / f"docs/howto/{page}.md", tmp_path, least=1)


@pytest.mark.lab
@pytest.mark.timeout(3600)  # where the tree has to be unpacked and compiled first
@needs_two_kernels
def test_how_to_try_a_tcp_of_ones_own(kernel_tree, tmp_path):
    (tmp_path / "linux").symlink_to(kernel_tree)
    run_page(ROOT / f"docs/howto/{OF_A_TREE}.md", tmp_path, least=3)
    before, after = (json.loads(next((tmp_path / f"results/{name}").glob("*/manifest.json")).read_text())
                     for name in ("vegas", "patched"))
    assert before["congestion_control"] == after["congestion_control"] == {"file": "vegas"}
    assert before["description"]["programs"]["kernel"] != after["description"]["programs"]["kernel"]


def test_each_how_to_is_on_the_list():
    listed = re.findall(r"\]\(([a-z0-9-]+)\.md\)", (ROOT / "docs/howto/README.md").read_text())
    assert sorted(listed) == sorted([*HOW_TO, OF_A_TREE])


def test_the_reference_is_that_of_the_code():
    """`make reference` writes it."""
    for path, text in reference.made(ROOT).items():
        assert (ROOT / path).read_text() == text, path


@pytest.mark.lab
def test_the_guide_to_python_runs_from_top_to_bottom(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/python.md").read_text(), re.DOTALL)
    assert len(blocks) >= 2
    subprocess.run([CELLBED.with_name("python"), "-c", "\n".join(blocks)], cwd=tmp_path, check=True)
    assert (tmp_path / "rtt.pdf").stat().st_size > 5000 and (tmp_path / "rtt.csv").exists()


@pytest.mark.lab
@pytest.mark.timeout(600)  # some thirty runs, also where other labs keep the machine busy
def test_the_tutorial_runs_from_top_to_bottom(tmp_path):
    run_page(ROOT / "docs/tutorial.md", tmp_path, least=8)
    sums = [line.split()[0] for line in subprocess.run(
        ["bash", "-c", "cat results/DM-DM-seed1-*/radio.pcap | sha256sum; cat results/again/DM-DM-seed1-*/radio.pcap | "
         "sha256sum"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()]
    assert sums[0] == sums[1]
    assert (tmp_path / "results/cwnd.png").stat().st_size > 5000


@pytest.mark.lab
@pytest.mark.timeout(600)  # as above
def test_the_experiments_run_from_top_to_bottom(tmp_path):
    run_page(ROOT / "docs/experiments.md", tmp_path, least=5)


@pytest.mark.lab
def test_the_afternoon_runs_from_top_to_bottom(tmp_path):
    few = "cellbed sweep mine.yaml --seeds 1-4 --results results"
    run_page(ROOT / "docs/tutorial-afternoon.md", tmp_path, least=5, before={"cellbed compare": few})
    assert {path.name for path in (tmp_path / "figures").iterdir()} == \
        {f"{name}.{kind}" for name in ("edge", "cwnd", "rtt") for kind in ("pdf", "csv")}
    # The figure and the table of the first answer say the same.
    drawn = pl.read_csv(tmp_path / "figures/edge.csv").group_by("series", "seed").agg(pl.median("rtt_ms"))
    table = pl.read_parquet(tmp_path / "results/edge/summary/sweep.parquet")
    both = drawn.join(table, left_on=["series", "seed"], right_on=["variant", "seed"])
    assert len(both) == 20 and ((both["rtt_ms"] - both["rtt_p50_ms"]).abs() < 1e-6).all()


def runs_of(path):
    """How many runs a scenario file has."""
    data = bounded_yaml.read(path)
    sweep = data.get("sweep", {})
    return math.prod(map(len, [data["seeds"], sweep.get("variants") or "1", *sweep.get("grid", {}).values()]))


def test_the_list_of_experiments_is_whole_and_has_their_numbers_of_runs():
    told = {}
    for line in (ROOT / "docs/experiments.md").read_text().splitlines():
        files = re.findall(r"\]\(\.\./(scenarios/[^)]+\.yaml)\)", line) if line.startswith("| [") else []
        if files:
            told |= dict(zip(files, map(int, line.rstrip(" |").rpartition("|")[2].split(",")), strict=True))
    paths = [path for path in sorted(ROOT.glob("scenarios/*/*.yaml"))
             if path.parent.name != "links" and not path.name.endswith("claims.yaml")]
    assert told == {str(path.relative_to(ROOT)): runs_of(path) for path in paths}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


@pytest.mark.parametrize("page", ["README.md", "docs/experiments.md", "docs/labs.md", "docs/install.md"])
def test_every_command_of_a_page_exists(page):
    """Options and subcommands that it shows are ones that the program knows."""
    text = "".join(block for _, block in BLOCK.findall((ROOT / page).read_text()))
    help_of = {}
    for line in re.findall(r"^cellbed (.+?)(?:#.*)?$", text, re.MULTILINE):
        words = line.split()
        if words[0] not in help_of:
            done = subprocess.run([CELLBED, words[0], "--help"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "COLUMNS": "200"})
            assert done.returncode == 0, line
            help_of[words[0]] = done.stdout
        for word in words[1:]:
            if word.startswith("--"):
                assert word in help_of[words[0]], line
            elif word.endswith(".yaml"):
                assert (ROOT / word).exists() or f"cellbed new {word} " in text, line
    assert help_of or "cellbed " not in text


@pytest.mark.parametrize("page", tracked_pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_the_site_has_every_page_and_needs_nothing_from_elsewhere(tmp_path):
    """`make docs` fails on a link or an anchor that leads nowhere."""
    done = subprocess.run([sys.executable, ROOT / "docs/site/build.py", tmp_path / "site"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(tmp_path / "site"): path.read_text() for path in (tmp_path / "site").rglob("*.html")}
    assert len(pages) > len(tracked_pages())
    entries = json.loads((tmp_path / "site-pages.json").read_text())["nav"]
    listed = {heading: [path for page in pages for path in page.values()] for entry in entries
              for heading, pages in entry.items()}
    assert all(listed.values())
    assert sum(len(found) for heading, found in listed.items() if heading not in ("Papers", "Decisions")) <= 40
    linked = {os.path.relpath((page.parent / target).resolve(), ROOT) for page in tracked_pages()
              for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text())}
    linked |= {f"{folder}/README.md" for folder in linked} | {path for found in listed.values() for path in found}
    assert {str(page.relative_to(ROOT)) for page in tracked_pages()} - linked == set()
    assert [page for page, text in pages.items() if re.search(r"""<(?:script|img|link)[^>]+(?:src|href)=["']?https?:""",
                                                             text)] == []


@pytest.mark.parametrize("page", tracked_pages(), ids=lambda p: str(p.relative_to(ROOT)))
def test_tables_are_whole(page):
    """Lines of a table stand together: a blank one within would end it, and the rest would be text."""
    inside = False
    for number, line in enumerate(re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL).splitlines(), 1):
        row = line.startswith("|")
        if row and not inside:
            header = line
        elif row and header is not None:
            assert re.fullmatch(r"\|( ?:?-+:? ?\|)+", line), f"{page.relative_to(ROOT)}: {number}: {header}"
            header = None
        inside = row


def test_tests_that_the_threats_name_exist():
    named = re.findall(r"`(test_[a-z_]+\.py)(?:::(test_[a-z0-9_]+))?`", (ROOT / "docs/trust.md").read_text())
    assert len(named) > 30
    tests = tracked("test_*.py")
    for file, name in named:
        found = [path for path in tests if path.name == file]
        assert any(f"def {name}(" in path.read_text() for path in found) if name else found, f"{file}::{name}"
