# SPDX-License-Identifier: GPL-2.0-or-later
"""Paired comparison and the data set of a sweep, on bundles with values known before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from rich.console import Console
from scipy import stats
from synthetic_bundle import write_bundle

from cellbed_analysis.metrics import dataset
from cellbed_analysis.metrics.dataset import COLUMNS, METADATA_KEY, Executed, data_set, values, write_data_set
from cellbed_analysis.metrics.run import RunAnalysis
from cellbed_analysis.report import compare as module
from cellbed_analysis.report.compare import compare, said_of, tables, to_json
from cellbed_formats.bundle import read_bundle
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

GOODPUT = {"DM-DM": {1: 4.0, 2: 6.0, 3: 5.0}, "IM-IM": {1: 5.0, 2: 8.0, 3: 6.5, 4: 100.0}}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two variants over seeds with the goodput above; seed 4 has no partner."""
    for variant, of in GOODPUT.items():
        for seed in of:
            write_bundle(tmp_path, variant, seed=seed, duration_s=0.2)

    def told(bundles: list[Any]) -> list[RunAnalysis]:
        return [_told(bundle) for bundle in bundles]

    monkeypatch.setattr(module, "analyse_all", told)
    monkeypatch.setattr(dataset, "analyse_all", told)
    monkeypatch.setattr(dataset, "analyse", _told)
    return tmp_path


def _told(bundle: Any) -> RunAnalysis:
    manifest = bundle.manifest
    return RunAnalysis(bundle, {
        "scenario": manifest["scenario"]["id"], "lab": "virtual", "seed": manifest["seed"], "usable": True,
        "status": "usable", "goodput_mbps": GOODPUT[manifest["variant"]][manifest["seed"]], "run_id": manifest["id"],
        "rtt_mean_ms": None, "bundle": bundle.path.name,
    })  # fmt: skip


def test_pairs_of_one_seed_are_compared(results: Path) -> None:
    (found,) = compare(results, ["goodput_mbps"])
    assert (found.baseline, found.variant, found.pairs) == ("DM-DM", "IM-IM", 3)
    assert (found.baseline_mean, found.variant_mean, found.difference) == (5.0, 6.5, 1.5)
    # Differences 1, 2, 1.5: standard deviation 0.5, t of 2 degrees of freedom 4.303.
    assert found.high - found.difference == pytest.approx(4.302652729911275 * 0.5 / 3**0.5)
    assert found.d_z == pytest.approx(3.0)


def test_against_scipy(results: Path) -> None:
    (found,) = compare(results, ["goodput_mbps"])
    pairs = [(GOODPUT["DM-DM"][seed], GOODPUT["IM-IM"][seed]) for seed in (1, 2, 3)]
    interval = stats.ttest_rel([b for _, b in pairs], [a for a, _ in pairs]).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-3)


def test_other_way_round(results: Path) -> None:
    (found,) = compare(results, ["goodput_mbps"], "IM-IM")
    assert (found.variant, found.difference) == ("DM-DM", -1.5)


def test_the_same_difference_everywhere_has_no_effect_size(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GOODPUT, "IM-IM", {seed: value + 0.1 for seed, value in GOODPUT["DM-DM"].items()} | {4: 0.0})
    (found,) = compare(results, ["goodput_mbps"])
    assert found.difference == pytest.approx(0.1) and found.d_z is None


def test_a_variant_that_never_varies_has_no_effect_size(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GOODPUT, "IM-IM", {1: 7.0, 2: 7.0, 3: 7.0, 4: 7.0})
    (found,) = compare(results, ["goodput_mbps"])
    assert found.d_z is None and found.p is not None


def test_p_values_against_scipy(results: Path) -> None:
    (found,) = compare(results, ["goodput_mbps"])
    pairs = [(GOODPUT["DM-DM"][seed], GOODPUT["IM-IM"][seed]) for seed in (1, 2, 3)]
    p = stats.ttest_rel([b for _, b in pairs], [a for a, _ in pairs]).pvalue
    assert (found.p, found.p_holm) == pytest.approx((p, p), rel=1e-9)


def test_more_comparisons_need_more(results: Path) -> None:
    twice = compare(results, ["goodput_mbps", "goodput_mbps"])
    assert [c.p_holm for c in twice] == pytest.approx([2 * c.p for c in twice if c.p is not None])


def test_an_unknown_metric_lists_those_there_are(results: Path) -> None:
    with pytest.raises(DataError, match="^metric 'goodput': allowed goodput_mbps$"):
        compare(results, ["goodput"])


@pytest.mark.parametrize(("metric", "baseline", "message"), [
    ("goodput_mbps", "DM", "--baseline DM: allowed DM-DM, IM-IM"), ("rtt_mean_ms", None, "no two variants"),
])  # fmt: skip
def test_nothing_to_compare(results: Path, metric: str, baseline: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        compare(results, [metric], baseline)


def test_for_people_and_for_programs(results: Path) -> None:
    found = compare(results, ["goodput_mbps"])
    console = Console(width=100, record=True)
    for table in tables(found):
        console.print(table)
    text = console.export_text()
    assert "goodput_mbps (Mbit/s)" in text and "+30.0" in text and "+3.00" in text
    assert json.loads(to_json(found))[0] | {"unit": "Mbit/s", "pairs": 3} == json.loads(to_json(found))[0]


def executed(results: Path) -> list[Executed]:
    runs = [read_bundle(path) for path in sorted(results.glob("*-seed*"))]
    params = {"radio.n_rb": 25, "x": "um"}
    done = [Executed("d2d-nardini/static", b.manifest["variant"], b.manifest["seed"], params, b.path) for b in runs]
    return [*done, Executed("d2d-nardini/static", "IM-IM", 9, {"radio.n_rb": 50, "x": "am"}, None, "the guest died")]


def test_data_set(results: Path) -> None:
    frame = data_set(executed(results))
    assert frame.columns[: len(COLUMNS)] == list(COLUMNS) == [
        "scenario", "variant", "seed", "lab", "bundle", "run_id", "usable", "status", "reasons", "flow"]
    assert frame.schema["param.radio.n_rb"] == pl.Int64 and frame.schema["param.x"] == pl.String
    assert frame.schema["seed"] == pl.Int64 and frame.schema["rtt_mean_ms_low"] == pl.Float64
    assert not {"wall_s", "flow_ect"} & set(frame.columns)  # what a run cost, and metrics in words
    failed = frame.filter(pl.col("status") == "failed")
    assert failed.select("scenario", "variant", "seed", "reasons", "usable").rows() == [
        ("d2d-nardini/static", "IM-IM", 9, "the guest died", False)]
    assert frame.filter("usable")["goodput_mbps"].to_list() == [*GOODPUT["DM-DM"].values(), *GOODPUT["IM-IM"].values()]


def test_data_set_says_why_a_run_does_not_count(tmp_path: Path) -> None:
    late = [{"code": "lateness", "text": "late"}, {"code": "missed_ttis", "text": "missed"}]
    write_bundle(tmp_path, duration_s=2, validity={"verdict": "invalid", "reasons": late})
    write_bundle(tmp_path, "IM-IM", duration_s=2)
    found = data_set(executed(tmp_path)).sort("variant", "seed")
    assert found["reasons"].to_list() == ["late; missed", None, "the guest died"]


def test_columns_do_not_depend_on_the_runs(results: Path) -> None:
    """So that data sets of several sweeps can be put together."""
    all_of_them, none = data_set(executed(results)), data_set(executed(results)[-1:])
    assert all_of_them.schema == none.schema


def test_readable_by_others(results: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = write_data_set(executed(results), Inside(results) / "summary/sweep.parquet").path
    assert [p.name for p in path.parent.iterdir()] == ["sweep.parquet"]
    table = parquet.read_table(path)
    assert table.num_rows == 8 and table.column("variant").to_pylist()[0] == "DM-DM"
    said = json.loads(parquet.read_metadata(path).metadata[METADATA_KEY.encode()])
    assert said["format"] == "1" and said["units"]["goodput_mbps"] == "Mbit/s"


def test_values_of_usable_runs(results: Path) -> None:
    assert values([run.path for run in executed(results)[:3]], "goodput_mbps") == [4.0, 6.0, 5.0]
    assert values([run.path for run in executed(results)[:3]], "rtt_mean_ms") == []


def _of_two_flows(bundle: Any) -> RunAnalysis:
    """The run with a second flow, which gets half as much."""
    run = _told(bundle)
    row = run.row | {"flow": "one"}
    return RunAnalysis(bundle, row, others=(row | {"flow": "two", "goodput_mbps": row["goodput_mbps"] / 2},))


def test_a_flow_is_compared_by_its_id(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "analyse_all", lambda bundles: [_of_two_flows(bundle) for bundle in bundles])
    (first,) = compare(results, ["goodput_mbps"])
    (second,) = compare(results, ["goodput_mbps"], flow="two")
    assert (first.baseline_mean, second.baseline_mean) == (5.0, 2.5)
    assert second.difference == first.difference / 2
    assert said_of(results, None) == "flow one; --flow names another: two"
    assert said_of(results, "one") is None
    with pytest.raises(DataError, match="--flow three: allowed one, two"):
        compare(results, ["goodput_mbps"], flow="three")


def test_data_set_has_a_row_for_each_flow(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "analyse_all", lambda bundles: [_of_two_flows(bundle) for bundle in bundles])
    path = next(results.glob("DM-DM*seed1*"))
    frame = data_set([Executed("d2d-nardini/static", "DM-DM", 1, {}, path)])
    assert frame.select("flow", "seed", "goodput_mbps").rows() == [("one", 1, 4.0), ("two", 1, 2.0)]
