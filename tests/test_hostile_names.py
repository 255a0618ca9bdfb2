# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and values of a hostile scenario: no file but those of its bundles, and nothing that a terminal obeys."""

import pytest
import yaml
from e2e import SHORT, cellbed

# Each with what YAML or a file system could be led astray by.
NAMES = ["../../evil", "/evil", "a/b", "..", ".tmp-x", "a\nb", "a\0b", "", "-rf", " a", "x" * 151, "x" * 300,
         "\x1b[31mred", "caf\u00e9", "a\\b"]
ESCAPE = "\x1b]0;title\x07\x1b[2J"


def write(tmp_path, change):
    """A scenario with a change, and what its folder then holds."""
    data = yaml.safe_load(SHORT)
    change(data)
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


def assert_refused(tmp_path, done, *texts):
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1 and done.stderr[:-1].isprintable(), done.stderr
    for text in texts:
        assert text in done.stderr
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["deep", "results", "scenario.yaml"]


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "deep/results"
    path.mkdir(parents=True)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_that_no_folder_is_called_by(tmp_path, results, command, name):
    def change(data):
        data["sweep"] = {"variants": {name: {"radio.n_rb": 25}}}

    done = command("run", write(tmp_path, change), "--results", results)
    assert_refused(tmp_path, done, "key 'sweep.variants.",
                   "allowed 1 to 150 printable ASCII characters except / and \\")


@pytest.mark.parametrize("value", ["../../evil", "a\nb", ["x" * 300]])
def test_a_grid_that_no_folder_is_called_by(tmp_path, results, command, value):
    def change(data):
        data["sweep"] = {"grid": {"tcp.congestion_control": [value]}}

    done = command("run", write(tmp_path, change), "--results", results)
    assert_refused(tmp_path, done, "key 'sweep.grid': value congestion_control=", "name such values in sweep.variants")


def set_(data, keys, value):
    for key in keys[:-1]:
        data = data[key] if isinstance(data, list) else data.setdefault(key, {})
    data[keys[-1]] = value


@pytest.mark.parametrize(("keys", "value"), [
    (("nodes", "../ue3"), {"address": "10.45.0.3/24"}), (("nodes", "ue\n"), {"address": "10.45.0.3/24"}),
    (("traffic", 0, "id"), "../../evil"), (("traffic", 0, "id"), "file\n"), (("id",), "../../evil"), (("id",), "a\nb"),
    (("claims",), "a\0b"), (("claims",), "a\nb"), (("tcp", "congestion_control"), ESCAPE),
    (("tcp", "sysctls"), {"net.ipv4./../x": 1}), (("tcp", "sysctls"), {"net.ipv4.tcp_sack": "a\0b"}),
    ((ESCAPE,), 1), (("title",), [ESCAPE]), (("title",), {ESCAPE: ESCAPE}),
    (("radio", "channel"), {"model": "trace", "trace": "a\0b"}), (("seeds",), ["\u202e"]),
    (("traffic", 0), {"id": "x", "kind": "command", "node": "ue1", "argv": ["a\0b"]}),
    (("traffic", 0), {"id": "x", "kind": "command", "node": "ue1", "argv": ["a"], "environment": {"A": "a\0b"}}),
    (("traffic", 0), {"id": "x", "kind": "command", "node": "ue1", "argv": ["a"], "environment": {"A=": "b"}}),
])
def test_other_names_and_words(tmp_path, results, command, keys, value):
    path = write(tmp_path, lambda data: set_(data, keys, value))
    assert_refused(tmp_path, command("run", path, "--results", results), f"{path}: key '")


@pytest.mark.parametrize("words", [
    ["run", f"{ESCAPE}.yaml"], ["report", ESCAPE], ["report", "[/]"], ["why", "\udcff"],
    ["run", "SHORT", "--set", ESCAPE], ["run", "SHORT", "--set", f"{ESCAPE}=1"], ["run", "SHORT", "--variant", ESCAPE],
    ["sweep", "SHORT", "--seeds", ESCAPE],
    ["sweep", "SHORT", "--grid", f"radio.n_rb={ESCAPE}"], [ESCAPE], ["run", "SHORT", f"--{ESCAPE}"], ["link", ESCAPE],
    ["run", "SHORT", "--set", "traffic.\u00b2.id=x"], ["export", ESCAPE, "--format", ESCAPE], ["compare", ".", ESCAPE],
    ["run", "SHORT", "--set", "sweep=[1]"], ["sweep", "SHORT", "--grid", "radio.n_rb=25", "--set", "sweep=[1]"],
    ["sweep", "SHORT", "--grid", "title=a,b"], ["run", "x" * 5000]])
def test_a_terminal_obeys_no_word_of_a_command_line(scenario, tmp_path, monkeypatch, command, words):
    monkeypatch.chdir(tmp_path)
    done = command(*(scenario if word == "SHORT" else word for word in words))
    assert done.returncode not in (0, None) and done.stderr and not done.stdout
    assert done.stderr.count("\n") == 1 and done.stderr[:-1].isprintable(), done.stderr


def test_a_whole_command(tmp_path, results):
    """What the tests above do within this process, as a user does it."""
    path = write(tmp_path, lambda data: data["sweep"].update(variants={f"../../evil{ESCAPE}": {}}))
    assert_refused(tmp_path, cellbed("run", path, "--results", results, check=False), r"evil\x1b]0;title\x07")
