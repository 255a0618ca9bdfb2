# SPDX-License-Identifier: GPL-2.0-or-later
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed.scenario.unit import parse_rate, parse_size


@pytest.mark.parametrize(("text", "size"), [
    (8192, 8192), ("8192", 8192), ("8KiB", 8192), ("8 KiB", 8192), ("8kB", 8000), ("1MiB", 1048576), ("1.5KiB", 1536),
    ("0.5 MB", 500000), ("2GiB", 2147483648),
])
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["8KiBs", "", "KiB", "-1", "1e3", "0.3B", True, None, 1.5, "8 Kib it"])
def test_what_is_not_a_size(text):
    with pytest.raises(ValueError, match="allowed"):
        parse_size(text)


@pytest.mark.parametrize(("text", "rate"), [
    ("1kbit", 1000), ("512 kbit", 512_000), ("2.5Mbit", 2_500_000), ("1Gbit", 10**9),
])
def test_rates(text, rate):
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", [1000, "1000", "1", "1gbit", "1MBit", "-1Mbit", "1.0001kbit", "", None, True])
def test_what_is_not_a_rate(text):
    with pytest.raises(ValueError, match="allowed"):
        parse_rate(text)


@given(st.integers(0, 1 << 40), st.sampled_from([("B", 1), ("KiB", 1024), ("kB", 1000), ("MiB", 1 << 20)]))
def test_unit_multiplies(number, unit):
    name, factor = unit
    assert parse_size(f"{number} {name}") == number * factor
