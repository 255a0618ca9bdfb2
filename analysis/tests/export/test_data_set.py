# SPDX-License-Identifier: GPL-2.0-or-later
"""The data set as DuckDB reads it, which knows nothing of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
import synthetic_bundle as made

from cellbed_analysis.export import data_set
from cellbed_formats.bundle import read_bundle
from cellbed_formats.error import DataError

SCENARIO = "own/a&b c"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two variants with two seeds, one run of which says that it was disturbed."""
    folder = tmp_path_factory.mktemp("results")
    for combination in ("DM-DM", "IM-IM"):
        for seed in (1, 2):
            path = made.write_bundle(folder, combination, SCENARIO, seed=seed, duration_s=0.5)
            manifest = json.loads((path / "manifest.json").read_text())
            manifest["id"] = f"{combination}{seed}".ljust(64, "0")
            manifest["description"]["variant"] = combination
            if (combination, seed) == ("IM-IM", 2):
                manifest["validity"] = {"verdict": "invalid", "reasons": [{"code": "late", "text": "late"}]}
            (path / "manifest.json").write_text(json.dumps(manifest))
    return folder


def ask(output: Path, table: str, what: str) -> list[tuple[Any, ...]]:
    files = f"read_parquet('{output}/{table}/**/*.parquet', hive_partitioning = true)"
    return duckdb.sql(what.replace("TABLE", files)).fetchall()


def test_flows_are_one_table(results: Path, tmp_path: Path) -> None:
    assert len(list(data_set.write(results, tmp_path))) == 4
    found = ask(tmp_path, "flows", "SELECT scenario, variant, seed, usable, reasons FROM TABLE ORDER BY variant, seed")
    assert found == [(SCENARIO, "DM-DM", 1, True, None), (SCENARIO, "DM-DM", 2, True, None),
                     (SCENARIO, "IM-IM", 1, True, None), (SCENARIO, "IM-IM", 2, False, "late")]
    means = ask(tmp_path, "flows", "SELECT variant, avg(rtt_mean_ms) FROM TABLE WHERE usable GROUP BY 1 ORDER BY 1")
    assert [variant for variant, _ in means] == ["DM-DM", "IM-IM"] and 0 < means[0][1] < means[1][1]
    (settings,) = ask(tmp_path, "flows", "SELECT DISTINCT settings FROM TABLE WHERE seed = 1 AND variant = 'DM-DM'")
    assert "radio" in json.loads(settings[0])


def test_samples_segments_and_events_of_all_runs(results: Path, tmp_path: Path) -> None:
    tables = ("segments", "samples", "radio")
    assert len(list(data_set.write(results, tmp_path, tables))) == 12
    bundles = [read_bundle(path) for path in sorted(results.glob("*-seed*"))]
    for table, frames in (("samples", [bundle.tcp for bundle in bundles]), ("radio", [b.radio for b in bundles])):
        counts = ask(tmp_path, table, "SELECT count(*) FROM TABLE GROUP BY variant, seed ORDER BY variant, seed")
        assert [count for count, in counts] == [len(frame) for frame in frames]
    first_s, last_s = ask(tmp_path, "samples", "SELECT min(t_s), max(t_s) FROM TABLE")[0]
    assert 0 <= first_s < last_s < 1
    assert ask(tmp_path, "segments", "SELECT count(DISTINCT seed) FROM TABLE WHERE rtt_ns > 0") == [(2,)]


def test_a_run_is_there_once(results: Path, tmp_path: Path) -> None:
    first = {path: path.read_bytes() for path in data_set.write(results, tmp_path)}
    assert {path: path.read_bytes() for path in data_set.write(results, tmp_path)} == first
    assert sorted(tmp_path.rglob("*.*")) == sorted(first)


def test_what_is_no_table(results: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--table cwnd: allowed flows, segments, samples, radio"):
        list(data_set.write(results, tmp_path, ["cwnd"]))
    assert not list(tmp_path.iterdir())
