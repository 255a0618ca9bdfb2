# SPDX-License-Identifier: GPL-2.0-or-later
"""Scenarios that are small on disk and large, deep or without end in memory are refused in one line, and at once."""

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from cellbed.error import CellbedError, ScenarioError
from cellbed.scenario.description import RUNS_MAX, expand
from cellbed.scenario.dotted import parse_override
from cellbed.scenario.file import read_yaml
from cellbed.sweep.rounds import parse_seeds
from cellbed_formats import bounded_yaml
from cellbed_formats.bounded_yaml import BYTES_MAX, DEPTH_MAX, NODES_MAX

# Source: "billion laughs"; 353 bytes that are 9^9 values.
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
MERGES = "a0: &a0 {x0: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9))


@pytest.mark.parametrize(("text", "message"), [
    (BOMB, f":5: more values than allowed, {NODES_MAX}, with what aliases stand for"),
    (MERGES, f"more values than allowed, {NODES_MAX}"),
    ("a: &a [*a]", ":1: an alias that contains itself"), ("&a {b: *a}", ":1: an alias that contains itself"),
    ("[" * 5000, f":1: nested deeper than allowed, {DEPTH_MAX}"), ("{a: " * 5000, ":1: nested deeper than allowed"),
    ("\n".join(" " * n + "a:" for n in range(500)), "nested deeper"),
    ("- " * 5000, "nested deeper"), ("? " * 5000, "nested deeper"),
    ("#" * (BYTES_MAX + 1), f"more bytes than allowed, {BYTES_MAX}"),
    ("- x\n" * NODES_MAX, f":{NODES_MAX}: more values than allowed"),
    ("seeds: " + "9" * 5000, "not YAML: "), ("!!timestamp 2024-13-45", "not YAML: month"), ("!!int x", "not YAML: "),
    ("[a]: 1", ":1: a list or mapping as a key"), ("? {a: 1}\n: 1", ":1: a list or mapping as a key"),
    ("!!python/object/apply:os.system [id]", "not YAML: could not determine a constructor"), ("a: \0", "not YAML: "),
    ("a: *b", "not YAML: found undefined alias"), ("a: 1\na: 2", ":2: key 'a': given twice")])
def test_refused(write, text, message):
    path = write(text)
    begun = time.process_time()
    with pytest.raises(ScenarioError) as error:
        read_yaml(path)
    assert time.process_time() - begun < 20
    assert str(error.value).startswith(str(path)) and message in str(error.value), error.value
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text(write):
    path = write("")
    for content in (b"\xff\xfe\x00", b"a: \x80", bytes(range(256))):
        path.write_bytes(content)
        with pytest.raises(ScenarioError, match="not YAML"):
            read_yaml(path)


@pytest.mark.parametrize("text", [
    "[" * DEPTH_MAX + "]" * DEPTH_MAX, "- x\n" * (NODES_MAX - 1), f"#{'x' * (BYTES_MAX - 1)}",
    "a: &a [1]\nb: [*a, *a]\nc: &d {e: 1}"])
def test_what_is_within_the_bounds(write, text):
    assert read_yaml(write(text)) == yaml.safe_load(text)


@given(st.text(max_size=60) | st.binary(max_size=60))
def test_any_text_is_a_value_or_an_error(text):
    try:
        value = bounded_yaml.parse(text, "text")
    except bounded_yaml.NotYaml as error:
        assert "\n" not in str(error)
    else:
        assert value is None or yaml.safe_dump(value)


def test_a_grid_that_nobody_can_run(minimal, write):
    """A hundred bytes of keys and values: ten million runs."""
    keys = ("radio.n_rb", "tcp.mss", "tcp.rto_min_ms", "tcp.cwnd_max_pkts", "traffic.0.port", "traffic.0.start_s",
            "capture.ip_snaplen")
    minimal["sweep"] = {"grid": {key: list(range(100, 110)) for key in keys}}
    with pytest.raises(ScenarioError, match=rf"key 'sweep': 1e\+07 runs: allowed at most {RUNS_MAX}; remove"):
        expand(write(minimal))


@pytest.mark.parametrize("text", ["1-999999999999", f"1-{RUNS_MAX + 1}", "9" * 5000, "\u00b2", "1-" + "9" * 30])
def test_seeds_without_end(text):
    with pytest.raises(CellbedError, match="--seeds"):
        parse_seeds(text)


def test_an_override_is_bounded_too():
    with pytest.raises(ScenarioError, match=r"^--set a:1: nested deeper than allowed"):
        parse_override("a=" + "[" * 5000)
