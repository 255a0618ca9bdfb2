# SPDX-License-Identifier: GPL-2.0-or-later
"""Block errors over SINR against published points, points computed by hand, and the table that the core has."""

import math
from pathlib import Path

import numpy as np
import pytest

from cellbed_channel import block_error, block_error_table, cqi, effective

ROOT = Path(__file__).resolve().parents[2]


# SINR as a ratio, and the information that the LTE module of ns-3 has for it.
@pytest.mark.parametrize(("bits", "ratio", "published"), [
    (2, 0.013, 0.008922), (2, 3.197, 0.862005), (4, 0.063, 0.018884), (4, 9.993, 0.764879), (6, 0.25, 0.036455),
    (6, 10.75, 0.529043)])
def test_information_as_published(bits, ratio, published):
    assert float(block_error.information(bits, 10 * math.log10(ratio))) == pytest.approx(published, abs=2e-6)


# By hand, QPSK at 0 dB: distance 2 is above the knee, so 1 - exp(0.0145194 - 0.5707 - 0.1644108 + 0.0549608)
def test_information_by_hand():
    assert float(block_error.information(2, 0.0)) == pytest.approx(1 - math.exp(-0.6656306), abs=1e-7)


@pytest.mark.parametrize("bits", [2, 4, 6])
def test_information_rises_to_one(bits):
    values = block_error.information(bits, np.arange(-15, 30.01, 0.5))
    assert (np.diff(values) >= -1e-5).all()
    assert values[-1] == pytest.approx(1.0, abs=1e-6)


# Where the information is the mean half of the blocks fail, a deviation above it 15.87 %, a deviation below 84.13 %.
@pytest.mark.parametrize(("bits", "rate", "size", "mean", "deviation"), [
    (2, 0.1, 1024, 0.1497, 0.0074), (2, 0.44, 6144, 0.5193, 0.0081), (4, 0.37, 2560, 0.4351, 0.0095),
    (6, 0.92, 6144, 0.9325, 0.0058), (6, 0.55, 1024, 0.6089, 0.0169)])
def test_published_curves(bits, rate, size, mean, deviation):
    assert block_error.curve(bits, rate, size) == (mean, deviation)
    tb_bits = size - block_error.CRC_BITS
    coded = round(tb_bits / rate)
    sinr_db = np.arange(-15, 30, 0.001)
    information = block_error.information(bits, sinr_db)
    for deviations, failed in ((-1, 0.8413), (0, 0.5), (1, 0.1587)):
        at = float(sinr_db[np.argmin(abs(information - mean - deviations * deviation))])
        assert block_error.block_error_rate(bits, tb_bits, [(coded, at)]) == pytest.approx(failed, abs=0.02)


def test_small_blocks_take_the_next_larger_curve_where_they_have_none():
    assert block_error.curve(6, 0.55, 40) == block_error.curve(6, 0.55, 1024)
    assert block_error.curve(6, 0.92, 1024) == block_error.curve(6, 0.92, 2560)


# 36696 bits and 24 of CRC are more than 6144: 6 blocks of (36720 + 6 * 24) / 6 = 6144 bits.
@pytest.mark.parametrize(("tb_bits", "count", "bits"), [
    (16, 1, 40), (6120, 1, 6144), (6200, 2, 3136), (36696, 6, 6144), (75376, 13, 5824)])
def test_code_blocks(tb_bits, count, bits):
    assert block_error.code_blocks(tb_bits) == (count, bits)


def test_a_transport_block_fails_with_any_of_its_code_blocks():
    """A transport block of two code blocks, each of 3136 bits, against one code block of that size."""
    one = block_error.block_error_rate(4, 3112, [(7000, 5.8)])
    two = block_error.block_error_rate(4, 6200, [(13946, 5.8)])
    assert 0.1 < one < 0.9
    assert two == pytest.approx(1 - (1 - one) ** 2, rel=0.02)


def test_attempts_add_up():
    """Two attempts at a third of the power each do what one at full power cannot: the code rate halves."""
    once = block_error.block_error_rate(2, 4392, [(9000, 0.0)])
    again = block_error.block_error_rate(2, 4392, [(9000, 0.0), (9000, -3.0)])
    assert once > 0.99
    assert again < 0.01
    # In any order, and a further attempt never harms.
    assert again == block_error.block_error_rate(2, 4392, [(9000, -3.0), (9000, 0.0)])


# Points of R4-081920, a point between two of them, and the ends.
@pytest.mark.parametrize(("sinr_db", "missed"), [
    (-10, 0.922602), (-8, 0.520927), (-5, 0.109119), (-1, 0.0020727), (-7.9, (0.520927 + 0.479229) / 2),
    (-30, 0.922602), (-0.9, 0.0), (30, 0.0)])
def test_control_errors_as_published(sinr_db, missed):
    assert block_error.control_error_rate(sinr_db) == pytest.approx(missed, abs=1e-9)


def test_thresholds_of_cqis_are_at_ten_percent():
    """Formats of TS 36.213 Table 7.2.3-1 on 50 blocks of 120 elements; the steepest curve loses 0.1 in 0.02 dB."""
    for number, threshold_cdb in enumerate(cqi.TABLES["mezzavilla"], 1):
        bits, elements = effective.BITS[number - 1], 50 * 120
        tb_bits = round(cqi.EFFICIENCY[number - 1] * elements / 8) * 8
        above, below = (block_error.block_error_rate(bits, tb_bits, [(bits * elements, db)])
                        for db in (threshold_cdb / 100, threshold_cdb / 100 - 0.01))
        assert above <= 0.1 < below


@pytest.mark.parametrize("file", sorted(block_error_table.FILES))
def test_the_core_has_this_table(file):
    """Remake it with `python -m cellbed_channel.block_error_table`."""
    assert (ROOT / file).read_text() == block_error_table.FILES[file]()
