# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong scenarios: one line with file, key, value and what is allowed."""

import pytest
from minimal import ROOT

from cellbed.description import expand, identity, load_claims, set_key
from cellbed.error import ScenarioError


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").rglob("*.yaml")), ids=lambda p: p.stem)
def test_every_scenario_of_the_project_is_valid(path):
    if path.stem == "claims":
        pytest.skip("claims are no scenario; the analysis tests read them")
    scenario, runs = expand(path)
    assert runs
    load_claims(scenario, path)


@pytest.mark.parametrize(("key", "value", "message"), [
    ("radio.ues.ue1.cqi_ul", 16, "key 'radio.ues.ue1.cqi_ul': value 16: allowed less than or equal to 15"),
    ("radio.ues.ue1.cqi_u", 3, "key 'radio.ues.ue1.cqi_u': unknown; did you mean 'cqi_ul'?"),
    ("radio.n_rb", 5, "key 'radio.n_rb': value 5: allowed greater than or equal to 6"),
    ("radio.ues.ue1.mode", "relay", "key 'radio.ues.ue1.mode': value relay: allowed 'im' or 'dm'"),
    ("radio.ues.ue1.peer", "ue1", "key 'radio.ues.ue1.peer': value 'ue1': allowed ue2"),
    ("tcp.receive_window", "8 parsecs", "key 'tcp.receive_window': value 8 parsecs: allowed a number of bytes"),
    ("tcp.receive_window", 10, "key 'tcp.receive_window': value 10: allowed greater than or equal to 1024"),
    ("tcp.congestion_control", "quic", "key 'tcp.congestion_control': value quic: allowed 'reno'"),
    ("traffic.0.to", "ue9", "key 'traffic.0.to': value 'ue9': allowed ue2"),
    ("traffic.0.duration_s", -1, "key 'traffic.0.duration_s': value -1: allowed greater than 0"),
    ("nodes.ue1.address", "10.45.0.999/24", "key 'nodes.ue1.address': value 10.45.0.999/24: allowed"),
    ("nodes.ue3", {"address": "10.45.0.3/24"}, "key 'nodes.ue3': value 'ue3': allowed ue1, ue2"),
    ("format", 2, "key 'format': value 2: allowed 1"),
    ("tpc", {}, "key 'tpc': unknown; did you mean 'tcp'?"),
])
def test_wrong_values(minimal, write, key, value, message):
    set_key(minimal, key, value, "test")
    path = write(minimal)
    with pytest.raises(ScenarioError) as error:
        expand(path)
    assert str(error.value).startswith(f"{path}")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_key(minimal, write):
    del minimal["radio"]
    with pytest.raises(ScenarioError, match="key 'radio': missing"):
        expand(write(minimal))


@pytest.mark.parametrize(("text", "message"), [
    ("format: 1\nformat: 1\n", "key 'format': given twice"),
    ("format: [", "not YAML"),
    ("- a\n", "expected a mapping"),
    ("", "expected a mapping"),
])
def test_wrong_files(write, text, message):
    with pytest.raises(ScenarioError, match=message):
        expand(write(text))


def test_missing_file(tmp_path):
    with pytest.raises(ScenarioError, match="No such file"):
        expand(tmp_path / "none.yaml")


def test_sweep_is_variants_times_grid_times_seeds(minimal, write):
    minimal["seeds"] = [1, 2]
    minimal["sweep"] = {"variants": {"A": {"radio.ues.ue1.mode": "im"}, "B": {"radio.ues.ue1.mode": "dm"}},
                        "grid": {"tcp.receive_window": ["8KiB", "16KiB", "32KiB"]}}
    _, runs = expand(write(minimal))
    assert len(runs) == 2 * 3 * 2
    assert {run.params["tcp.receive_window"] for run in runs} == {8192, 16384, 32768}
    assert {run.params["radio.ues.ue1.mode"] for run in runs if run.variant.startswith("A")} == {"im"}


def test_wrong_value_in_a_sweep_names_the_variant(minimal, write):
    minimal["sweep"] = {"variants": {"bad": {"radio.n_rb": 500}}}
    with pytest.raises(ScenarioError, match=r"\(variant bad\): key 'radio.n_rb': value 500"):
        expand(write(minimal))


def test_override_wins_over_file_and_sweep(minimal, write):
    minimal["sweep"] = {"variants": {"A": {"radio.n_rb": 25}}}
    _, runs = expand(write(minimal), ["radio.n_rb=100"])
    assert runs[0].settings["radio"]["n_rb"] == 100


@pytest.mark.parametrize(("text", "message"), [
    ("radio.n_rb", "expected key=value"), ("radio.n_rb=[", "not YAML"), ("traffic.7.duration_s=1", "allowed 0..0"),
    ("id.x=1", "no keys below it"), ("radio.nrb=1", "unknown"),
])
def test_wrong_overrides(minimal, write, text, message):
    with pytest.raises(ScenarioError, match=message):
        expand(write(minimal), [text])


def test_unknown_variant_names_the_known_ones(minimal, write):
    minimal["sweep"] = {"variants": {"A": {}, "B": {}}}
    with pytest.raises(ScenarioError, match="no variant C: allowed A, B"):
        expand(write(minimal), variants=["C"])


def test_identity_follows_what_decides_the_result(minimal, write):
    def of(data, lab="virtual", seeds=None):
        _, runs = expand(write(data), seeds=seeds)
        return identity(runs[0].describe(lab, {"celld": "x"}))

    base = of(minimal)
    assert of({**minimal, "title": "another title"}) == base
    assert of(minimal, lab="native") != base
    assert of(minimal, seeds=[2]) != base
    assert of({**minimal, "tcp": {**minimal["tcp"], "receive_window": 8192}}) == base  # the same size in other words
    assert of({**minimal, "tcp": {**minimal["tcp"], "receive_window": "9KiB"}}) != base
