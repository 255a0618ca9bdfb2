# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs, parameters and series are called, and which runs of one name count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_analysis.metrics.names import short_names
from cellbed_analysis.metrics.newest import differences, newest_only
from cellbed_analysis.metrics.one_lab import LABS, one_lab
from cellbed_analysis.metrics.run import RunAnalysis
from cellbed_analysis.metrics.series_name import brief, by_combination, file_name, label, named_series, natural
from cellbed_formats.bundle import Bundle


@pytest.mark.parametrize(("keys", "names"), [
    (["radio.n_rb"], ["n_rb"]),
    (["radio.ues.ue1.cqi_ul", "radio.ues.ue2.cqi_ul"], ["ue1.cqi_ul", "ue2.cqi_ul"]),
    (["rlc.mode", "radio.rlc.mode", "mode"], ["rlc.mode", "radio.rlc.mode", "mode"]),
    (["a.b", "b"], ["a.b", "b"]),
    (["x_rate", "rate"], ["x_rate", "rate"]),  # the end of a word is none of a key
])
def test_short_names(keys: list[str], names: list[str]) -> None:
    assert list(short_names(keys).values()) == names


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(".".join), unique=True, max_size=6))
def test_short_names_tell_keys_apart(keys: list[str]) -> None:
    found = short_names(keys)
    assert len(set(found.values())) == len(keys)
    assert all(key == name or key.endswith(f".{name}") for key, name in found.items())


def run(created: str, seed: int = 1, usable: bool = True, params: dict[str, Any] | None = None,
        **row: Any) -> RunAnalysis:
    manifest = {"params": params or {}, "validity": {"verdict": "valid", "reasons": []}}
    bundle = Bundle(Path(f"/r/{created}-{seed}"), manifest)
    return RunAnalysis(bundle, {"scenario": "s", "variant": "v", "lab": "virtual", "seed": seed, "created": created,
                                "usable": usable, "status": "usable"} | row)


def kept(*runs: RunAnalysis) -> list[bool]:
    return [one.usable for one in newest_only(runs)]


def test_of_each_seed_the_newest_counts() -> None:
    assert kept(run("1"), run("3"), run("2"), run("1", seed=2)) == [False, True, False, True]
    assert kept(run("2"), run("1", usable=False), run("3", usable=False)) == [True, False, False]
    for other in ({"scenario": "t"}, {"variant": "w"}, {"lab": "native"}, {"params": {"x": 1}}):
        assert kept(run("1", **other), run("2")) == [True, True], other


def test_of_seeds_those_count_that_are_configured_as_the_newest() -> None:
    """A drawn start, and what says when a run is valid and what it records, are no configuration."""
    assert kept(run("1", **{"param.radio.n_rb": 25}), run("2", seed=2, **{"param.radio.n_rb": 50})) == [False, True]
    for same in ("param.capture.ip", "param.validity.missed_ttis", "rtt_mean_ms"):
        assert kept(run("1", **{same: 1}), run("2", seed=2, **{same: 2})) == [True, True], same
    drawn = {"param.traffic.0.start_jitter_s": 1}
    assert kept(run("1", **drawn, **{"param.traffic.0.start_s": 0.2}),
                run("2", seed=2, **drawn, **{"param.traffic.0.start_s": 0.7})) == [True, True]
    still = {"param.traffic.0.start_jitter_s": 0}
    assert kept(run("1", **still, **{"param.traffic.0.start_s": 0.2}),
                run("2", seed=2, **still, **{"param.traffic.0.start_s": 0.7})) == [False, True]


def test_what_superseded_a_run() -> None:
    old, new = run("1", **{"param.a": 1, "param.b": 1}), run("2", **{"param.a": 1, "param.b": 2, "param.c": 3})
    assert differences(old, new) == ["b=2 instead of 1", "c=3 instead of None"]
    said = newest_only([old, new])[0]
    assert said.problem == "superseded by 2-1, a newer run of that name with b=2 instead of 1, c=3 instead of None"
    assert (said.row["status"], said.row["usable"]) == ("superseded", False)
    assert newest_only([run("1"), run("2")])[0].problem == "superseded by 2-1, a newer run of that name"
    many = run("2", **{f"param.{name}": 1 for name in "abcde"})
    assert newest_only([run("1"), many])[0].problem.endswith("c=1 instead of None and 2 more")
    three = run("2", **{f"param.{name}": 1 for name in "abc"})
    assert newest_only([run("1"), three])[0].problem.endswith("c=1 instead of None")


@pytest.mark.parametrize(("row", "name"), [
    ({"variant": "cubic"}, "cubic"),
    ({"variant": "run", "combination": "DM-IM"}, "DM-IM"),
    ({"variant": "run", "combination": None}, "run"),
    ({"variant": "run", "point": "n_rb=25"}, "n_rb=25"),
    ({"variant": "bbr", "combination": "DM-DM", "point": "a=1", "shown_point": "a"}, "bbr, a"),
    ({"variant": "bbr", "point": "a=1", "shown_point": ""}, "bbr"),
])
def test_label(row: dict[str, Any], name: str) -> None:
    assert label(row) == name


def test_names_of_files_and_lists() -> None:
    assert brief("2me, traffic=[{a: 1}, {b: 2}]") == "2me, traffic=…" and brief("x=1") == "x=1"
    assert brief("x={a: 1}") == "x=…"
    assert file_name("DM-DM / ../etc\n=ü") == "dm-dm-..-etc-=-" and len(file_name("x" * 300)) == 100
    assert sorted(["b", "a100", "a40", "a40.5", "1"], key=natural) == ["1", "a40", "a40.5", "a100", "b"]


def test_order_of_series() -> None:
    known = named_series()[:2]
    rows = [{"variant": name, "n": n} for n, name in enumerate(["z10", "z9", known[1], known[0], "z9"])]
    found = by_combination(rows)
    assert list(found) == [known[0], known[1], "z9", "z10"]
    assert [row["n"] for row in found["z9"]] == [1, 4]


@given(st.lists(st.sampled_from([*LABS, "moon"])))
def test_labs_are_never_mixed(labs: list[str]) -> None:
    found = one_lab([{"lab": lab, "n": n} for n, lab in enumerate(labs)])
    best = next((lab for lab in LABS if lab in labs), None)
    assert [row["n"] for row in found] == [n for n, lab in enumerate(labs) if lab == best]
