# SPDX-License-Identifier: GPL-2.0-or-later
"""The report is one file that needs nothing else, says what is invalid, and renders."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from collector import Collector
from paper_claims import CLAIMS
from synthetic_bundle import write_bundle

import cellbed_analysis
from cellbed_analysis.claims.judge import VERDICTS
from cellbed_analysis.metrics.catalog import METRICS
from cellbed_formats.bundle import load_results, read_bundle
from cellbed_formats.error import DataError

LATE = {
    "verdict": "invalid",
    "reasons": [{"code": "lateness", "text": "p99 lateness <late>", "value": 1500, "bound": 1000}],
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four good runs, an invalid one, a failed one, one that does not read, an unfinished one."""
    results = tmp_path_factory.mktemp("results")
    claims = yaml.safe_load(CLAIMS.read_text())
    for combination in ("DM-DM", "DM-IM", "IM-DM", "IM-IM"):
        write_bundle(results, combination, claims=claims)
    write_bundle(results, seed=2, claims=claims, validity=LATE)
    write_bundle(results, seed=3, claims=claims, outcome="failed")
    cut = write_bundle(results, seed=4, claims=claims) / "radio.trace"
    cut.write_bytes(cut.read_bytes()[:-1])
    (results / ".tmp-gone").mkdir()
    return cellbed_analysis.write_report(results)


@pytest.fixture(scope="module")
def page(report: Path) -> Collector:
    collector = Collector()
    collector.feed(report.read_text())
    return collector


def test_a_run_alone_has_the_page_that_it_has_when_its_files_are_read_again(tmp_path: Path) -> None:
    results = load_results(write_bundle(tmp_path, "IM-IM", duration_s=1))
    pages = []
    for only in (True, False):
        bundles = [replace(bundle, only=only) for bundle in results.bundles]
        made = cellbed_analysis.write_report(replace(results, bundles=bundles), output=tmp_path / str(only))
        pages.append(made.read_bytes())
        shutil.rmtree(results.path / "derived")
    assert pages[0] == pages[1]


def test_is_well_formed_and_refers_to_nothing_outside(report: Path, page: Collector) -> None:
    assert page.open == []
    assert page.addresses
    inside = ("data:image/svg+xml;base64,", "#", "index.html")
    assert all(a.startswith(inside) for a in page.addresses)
    source = re.sub(r"<script[^>]*>.*?</script>", "", report.read_text(), flags=re.DOTALL)
    for token in ("@import", "url(", "<link", "http:", "https:"):
        assert token not in source, token
    assert "default-src 'none'" in source  # and whatever a script may try is refused


def test_shows_paper_beside_measured(page: Collector) -> None:
    text = " ".join(" ".join(page.text).split())
    assert "DM-DM 8 KiB virtual 1 29.99 ± 0.00 30 29.99 29.99" in text
    assert "IM-IM 8 KiB virtual 1" in text
    assert "Figure 4 of the paper" in text


def test_invalid_runs_stand_out_and_are_not_averaged(report: Path, page: Collector) -> None:
    text = " ".join(" ".join(page.text).split())
    assert "p99 lateness <late> (value 1500, bound 1000)" in text  # escaped in the source
    assert "outcome: failed" in text
    assert "truncated: ends 47 bytes into record" in text
    assert "4 usable 4 set apart" in text
    assert "interrupted: the run did not finish" in text
    assert report.read_text().count('<tr class="bad">') >= 5
    assert text.count("not averaged") == 3


def test_dark_and_light_pictures(report: Path) -> None:
    source = report.read_text()
    source = re.sub(r"<script[^>]*>.*?</script>", "", source, flags=re.DOTALL)
    pictures = [base64.b64decode(found) for found in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', source)]
    assert len(pictures) > 3
    assert all(picture.count(b"prefers-color-scheme: dark") == 1 for picture in pictures)


def test_commands_and_hashes_to_reproduce(page: Collector, report: Path) -> None:
    text = " ".join(page.text)
    assert "make run-experiment SCENARIO=d2d-nardini/static SEED=1 LAB=virtual" in text
    bundle = next(report.parents[1].glob("DM-DM-8KiB-seed1-*"))
    output = subprocess.run(["sha256sum", bundle / "ip-ue1.pcap"], check=True, capture_output=True, text=True).stdout
    assert output.split()[0] in text


def test_a_kernel_without_its_configuration_beside_it(tmp_path: Path) -> None:
    """As `--kernel PATH` may name one."""
    kernel = {"release": "7.3.4", "version": "#1", "config_sha256": None}
    bundle = write_bundle(tmp_path, kernel=kernel)
    assert read_bundle(bundle).manifest["kernel"] == kernel
    assert "configuration\n<code>not known</code>" in cellbed_analysis.write_report(tmp_path).read_text()


def test_claims_show_what_they_test_and_how_far_they_are(page: Collector) -> None:
    text = " ".join(" ".join(page.text).split())
    assert "tests digits" in text and "tests direction" in text
    assert re.search(r"± 2 33.99 33.99 to 33.99 -8.01 4.0 tolerances ms", text)
    assert "implied (not counted)" in text


def test_claims_json_has_the_promised_keys(report: Path) -> None:
    entries: list[dict[str, Any]] = json.loads((report.parent / "claims.json").read_text())
    assert len(entries) == len(yaml.safe_load(CLAIMS.read_text()))
    for entry in entries:
        assert set(entry) == {
            "id", "source", "statement", "paper", "measured", "ci95", "compared", "unit", "tests", "expected",
            "distance", "within", "power", "series", "verdict", "cause",
        }  # fmt: skip
        assert entry["verdict"] in VERDICTS
        assert entry["verdict"] != "differs" or entry["cause"], entry["id"]
    verdicts = {entry["id"]: entry["verdict"] for entry in entries}
    assert verdicts["rtt-dm-dm"] == "reproduced"
    assert verdicts["timeline-ack-delivered"] == "reproduced"
    assert verdicts["rtt-im-im"] == "differs"  # the synthetic cell steals every ACK: 34 ms
    assert verdicts["rtt-falls-im-im"] == "not-run"
    assert verdicts["sps-would-help"] == "not-testable"
    assert verdicts["no-stealing-direct-data"] == "implied"
    (far,) = (entry for entry in entries if entry["id"] == "rtt-im-im")
    assert (far["tests"], far["expected"], far["distance"]["of"]) == ("digits", "± 2", "tolerance")
    assert far["distance"]["value"] == pytest.approx(far["measured"] - 42)
    assert far["distance"]["multiple"] == pytest.approx(far["distance"]["value"] / 2)


def test_metrics_have_one_row_per_run(report: Path) -> None:
    frame = pl.read_parquet(report.parent / "metrics.parquet")
    assert len(frame) == 7
    assert sorted(frame["status"]) == ["failed", "invalid", "unreadable"] + ["usable"] * 4
    assert frame["usable"].sum() == 4  # the one that does not read claims to be valid
    assert set(METRICS) <= set(frame.columns)
    assert "param.tcp.receive_window" in frame.columns
    assert frame.filter(pl.col("seed") == 4)["rtt_mean_ms"].to_list() == [None]


def test_writing_again_gives_the_same_files(report: Path) -> None:
    before = {p: p.read_bytes() for p in sorted(report.parent.rglob("*")) if p.is_file()}
    assert cellbed_analysis.write_report(report.parents[1]) == report
    after = {p: p.read_bytes() for p in sorted(report.parent.rglob("*")) if p.is_file()}
    assert before == after


def test_nothing_of_a_bundle_becomes_part_of_the_page(tmp_path: Path) -> None:
    """Its words could be elements, close the script that figures are in, or go on in a shell."""
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"' $(touch x) <!--"
    claims = [claim | {"statement": evil} for claim in yaml.safe_load(CLAIMS.read_text())]
    for seed, window in ((1, "8KiB"), (1, "64KiB"), (2, "8KiB")):
        path = write_bundle(tmp_path, window=window, seed=seed, claims=claims) / "manifest.json"
        manifest = json.loads(path.read_text()) | {"variant": evil, "git": evil, "tools": {evil: evil}}
        manifest["scenario"] |= {"id": evil, "title": evil, "file": evil}
        manifest["description"] |= {"scenario": evil, "variant": evil}
        if seed == 2:
            manifest["validity"] = {"verdict": evil, "reasons": [{"text": evil}]}
        path.write_text(json.dumps(manifest))
    written = [cellbed_analysis.write_report(tmp_path), cellbed_analysis.write_report(path.parent)]
    for page in (*written, written[0].with_name("index.html")):
        source = page.read_text()
        assert "alert(1)" in source
        assert "<script>alert" not in source and "<img src=x" not in source and "<!--" not in source
        assert "SCENARIO=&#39;" in source or "SCENARIO=" not in source  # quoted for the shell


def test_no_results_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no result bundle"):
        cellbed_analysis.write_report(tmp_path)
    assert not (tmp_path / "summary").exists()
