# SPDX-License-Identifier: GPL-2.0-or-later
"""Bundles: what is usable, what is set apart, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from synthetic_bundle import OFFSET_NS, START_NS, write_bundle

from cellbed_formats.bundle import Bundle, load_results, read_bundle
from cellbed_formats.error import DataError
from cellbed_formats.size import parse_size

LATE = {
    "verdict": "invalid",
    "reasons": [{"code": "lateness", "text": "p99 lateness", "value": 1500, "bound": 1000}],
}


def test_flow_times_are_monotonic(dm_dm: Bundle) -> None:
    flow = dm_dm.flows[0]
    assert (flow.start_ns, flow.end_ns) == (START_NS, START_NS + 6_000_000_000)
    assert (flow.saddr, flow.daddr) == (0x0A2D0001, 0x0A2D0002)


def test_captures_come_in_the_traces_clock(dm_dm: Bundle) -> None:
    assert dm_dm.realtime_offset_ns == OFFSET_NS
    assert dm_dm.capture("ue1")["t_ns"][0] == START_NS


def test_ue_numbers_follow_the_daemons_configuration(dm_dm: Bundle) -> None:
    assert dm_dm.ue_numbers == {"ue1": 1, "ue2": 2}


def test_invalid_failed_and_broken_runs_are_kept_apart(tmp_path: Path) -> None:
    good = write_bundle(tmp_path, seed=1, duration_s=0.2)
    late = write_bundle(tmp_path, seed=2, duration_s=0.2, validity=LATE)
    failed = write_bundle(tmp_path, seed=3, duration_s=0.2, outcome="failed")
    (tmp_path / ".tmp-half").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "summary").mkdir()
    results = load_results(tmp_path)
    assert [b.path for b in results.bundles] == [good, late, failed]
    assert [b.valid for b in results.bundles] == [True, False, False]
    assert [b.validity_reasons for b in results.bundles] == [
        [], ["p99 lateness (value 1500, bound 1000)"], ["outcome: failed"],
    ]  # fmt: skip
    assert {r.path.name: r.reason.split(":")[0] for r in results.rejected} == {
        ".tmp-half": "interrupted",
        "other": str(tmp_path / "other"),
    }


def test_an_only_run_is_read_once_and_of_many_each_is_forgotten(tmp_path: Path) -> None:
    first = write_bundle(tmp_path, seed=1, duration_s=0.2)
    for only in (load_results(tmp_path).bundles[0], load_results(first).bundles[0]):
        assert only.lent() is only
    write_bundle(tmp_path, seed=2, duration_s=0.2)
    bundle = load_results(tmp_path).checked().bundles[0]
    lent = bundle.lent()
    assert lent == bundle and lent.radio.equals(bundle.radio)
    assert "radio" in vars(lent) and "radio" not in vars(bundle.lent())
    lent.made["log"] = 1
    assert "log" not in bundle.made  # what is made of it is forgotten, too


def test_what_was_checked_is_not_checked_again(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path, duration_s=0.2))
    bundle.check_files()
    path = bundle.path / "radio.trace"
    path.write_bytes(path.read_bytes()[:-1])
    assert bundle.lent().find("radio.trace") is not None  # as it was when it was checked


def test_a_run_without_verdict_is_not_usable(tmp_path: Path) -> None:
    bundle = read_bundle(write_bundle(tmp_path, duration_s=0.2, validity={}))
    assert not bundle.valid
    assert bundle.validity_verdict == "unknown"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "key format: value 2: readable: 1"),
        ({"clock": None}, "key clock: missing"),
    ],
)
def test_refuses_manifests_it_cannot_use(tmp_path: Path, change: dict, message: str) -> None:
    path = write_bundle(tmp_path, duration_s=0.2) / "manifest.json"
    manifest = json.loads(path.read_text()) | change
    path.write_text(json.dumps({k: v for k, v in manifest.items() if v is not None}))
    with pytest.raises(DataError, match=message):
        read_bundle(path.parent)


def test_a_missing_file_is_named_when_it_is_needed(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=0.2)
    (path / "tcp.trace").unlink()
    bundle = read_bundle(path)
    with pytest.raises(DataError, match=r"tcp\.trace: missing from the bundle"):
        _ = bundle.tcp


def test_a_folder_of_bundles_is_no_bundle(tmp_path: Path) -> None:
    path = write_bundle(tmp_path, duration_s=1)
    with pytest.raises(DataError, match=rf"not a result bundle; name one in it, such as {path}$"):
        read_bundle(tmp_path)
    with pytest.raises(DataError, match="no such folder$"):
        read_bundle(tmp_path / "nowhere")


def test_results_without_bundles_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no result bundle"):
        load_results(tmp_path)
    with pytest.raises(DataError, match="no such results directory"):
        load_results(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "expected"),
    [(8192, 8192), ("8KiB", 8192), ("8 KiB", 8192), ("1MiB", 1048576), ("64 KB", 64000), ("9", 9)],
)
def test_sizes(text: int | str, expected: int) -> None:
    assert parse_size(text) == expected


def test_refuses_what_is_no_size() -> None:
    with pytest.raises(DataError, match="size '8 parsecs'"):
        parse_size("8 parsecs")


def test_settings_of_captures_may_be_lists(tmp_path: Path) -> None:
    """Such as `capture.tracepoints`, which every run has."""
    path = write_bundle(tmp_path, duration_s=0.2)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["description"]["settings"]["capture"] = {"ip": True, "tracepoints": ["tcp:tcp_probe"]}
    (path / "manifest.json").write_text(json.dumps(manifest))
    assert read_bundle(path).settings["capture"]["tracepoints"] == ["tcp:tcp_probe"]
