# SPDX-License-Identifier: GPL-2.0-or-later
"""Words without quotes are what YAML 1.2 says; what is written is read as the same."""

import math

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from cellbed_formats import bounded_yaml


@pytest.mark.parametrize("text", [
    "yes", "no", "on", "off", "Yes", "ON", "y", "n", "1:30", "190:20:30", "1:30.5", "2026-05-01",
    "2026-05-01T12:00:00Z", "1_000", "<<", "0b101", "=", "tRUE", "0o8", "-0x1", "+.nan", "1e", "e3", "."])
def test_texts(text):
    assert bounded_yaml.parse(text, "text") == text


@pytest.mark.parametrize(("text", "value"), [
    ("0777", 777), ("0o17", 15), ("0x1F", 31), ("-5", -5), ("+5", 5), ("0", 0), ("1e3", 1000.0), ("1.", 1.0),
    (".5", 0.5), ("-1.5E-3", -0.0015), (".inf", math.inf), ("-.INF", -math.inf), ("true", True), ("FALSE", False),
    ("~", None), ("null", None), ("", None)])
def test_values(text, value):
    found = bounded_yaml.parse(text, "text")
    assert found == value and type(found) is type(value)


def test_not_a_number():
    assert math.isnan(bounded_yaml.parse(".NaN", "text"))


@pytest.mark.parametrize("text", ["!!bool yes", "!!int 1:30", "!!float x", "!!int [1]"])
def test_a_tag_makes_no_number_of_a_word(text):
    with pytest.raises(bounded_yaml.NotYaml, match="^text"):
        bounded_yaml.parse(text, "text")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) |
    st.from_regex(r"[-+]?(0o|0x|0b)?[0-9_]{1,3}[:.eE]?[-+]?[0-9]{0,2}", fullmatch=True),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=8)


@given(VALUES)
@example("1e3")
@example("0o17")
@example("yes")
@example("1:30")
@example("<<")
@example("=")
def test_what_is_written_is_read_as_the_same(value):
    text = bounded_yaml.dump(value)
    assert bounded_yaml.parse(text, "text") == value
    assert yaml.safe_load(text) == value  # by readers of YAML 1.1, too
