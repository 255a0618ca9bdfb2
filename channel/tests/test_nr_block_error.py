# SPDX-License-Identifier: GPL-2.0-or-later
"""Block errors of NR over SINR against published points, points computed by hand, and the table that the core has."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cellbed_channel import effective, nr_block_error, nr_block_error_table

ROOT = Path(__file__).resolve().parents[2]

# Bits per symbol, rate times 1024, bits of a code block; two published points (SINR, share of blocks lost).
PUBLISHED = [
    (2, 120, 3104, (-1.37, 0.6135817), (-1.21, 0.2600932)), (2, 308, 768, (1.7065, 0.5477468), (2.2201, 0.045)),
    (2, 679, 8192, (5.15, 0.9640152), (5.45, 0.4233333)), (4, 490, 1544, (8.13, 0.7420977), (8.37, 0.3480191)),
    (4, 490, 6912, (8.21, 0.8933566), (8.5737, 0.0579)), (6, 567, 4096, (13.6952, 0.8509934), (14.04, 0.2323394)),
    (6, 772, 3104, (17.16, 0.9219858), (17.63, 0.2924365)), (6, 873, 8192, (19.27, 0.8625), (19.6, 0.1967919)),
    (8, 682.5, 8192, (20.3333, 0.9476103), (20.61, 0.4875954)),
    (8, 797, 8192, (22.8333, 0.8767241), (23.1667, 0.2909931)),
    (8, 885, 4096, (24.9167, 0.6818182), (25.3333, 0.09217374))]  # fmt: skip


def half_lost_db(bits: int, rate_x1024: float, block_bits: float) -> float:
    """SINR at which the fitted form loses half of the code blocks."""
    sinr_db = np.arange(-20, 35, 0.001)
    mean, _ = nr_block_error.needed(bits, rate_x1024 / 1024, block_bits)
    return float(sinr_db[np.argmax(nr_block_error.information(bits, sinr_db) >= mean)])


def test_as_published():
    """Half of the blocks are lost where the published curves have it, within the error of the fit."""
    errors = []
    for bits, rate, block_bits, (above, lost_above), (below, lost_below) in PUBLISHED:
        share = (lost_above - 0.5) / (lost_above - lost_below)
        errors.append(half_lost_db(bits, rate, block_bits) - (above + share * (below - above)))
    assert max(abs(error) for error in errors) < 0.4, errors
    assert math.sqrt(np.mean(np.square(errors))) < 0.23, errors


@pytest.mark.parametrize("bits", nr_block_error.MODULATIONS)
def test_information_is_that_of_the_definition(bits):
    sinr_db = np.arange(-9.95, 30, 3.7)
    assert nr_block_error.information(bits, sinr_db) == pytest.approx(effective.information(bits, sinr_db), abs=2e-4)


@pytest.mark.parametrize("bits", nr_block_error.MODULATIONS)
def test_higher_rates_need_more(bits):
    for block_bits in (24, 300, 3840, 8448):
        needed = [nr_block_error.needed(bits, rate, block_bits)[0] for rate in np.arange(0.01, 0.94, 0.003)]
        assert all(low < high for low, high in pairwise(needed))


# Where the information is what is needed half of the blocks fail, a spread above it 15.87 %, below it 84.13 %.
@pytest.mark.parametrize(("deviations", "failed"), [(-1, 0.8413), (0, 0.5), (1, 0.1587)])
def test_gaussian(deviations, failed):
    tbs_bits, coded = 3000, 7000
    mean, spread = nr_block_error.needed(4, tbs_bits / coded, tbs_bits + 16)
    sinr_db = np.arange(0, 12, 0.0005)
    at = float(sinr_db[np.argmin(abs(nr_block_error.information(4, sinr_db) - mean - deviations * spread))])
    assert nr_block_error.block_error_rate(4, 0.43, tbs_bits, [(coded, at)]) == pytest.approx(failed, abs=0.02)


def test_needed_by_hand():
    """16QAM at 490/1024, 1600 bits: 0.6756 + 1.0089 (1 - 0.478516) / 40 and 0.2857 / 1600^0.4."""
    mean, spread = nr_block_error.needed(4, 490 / 1024, 1600)
    assert mean == pytest.approx(0.6756 + 0.013153, abs=1e-5)
    assert spread == pytest.approx(0.2857 / 19.1270, abs=1e-6)


@pytest.mark.parametrize(("bits", "lowest"), [(2, 120), (4, 340), (6, 438), (8, 682.5)])
def test_repeated_bits_add_energy(bits, lowest):
    """Half the rate at half the SINR, and so on; far below, information counts by its amount."""
    for times in (2, 4, 8):
        less = half_lost_db(bits, lowest, 1e9) - half_lost_db(bits, lowest / times, 1e9)
        assert less == pytest.approx(10 * math.log10(times), abs=0.05)
    mean, spread = nr_block_error.needed(bits, lowest / 1024 / 8, 1000)
    assert nr_block_error.needed(bits, lowest / 1024 / 16, 1000) == pytest.approx((mean / 2, spread / 2))


# Rows worked out by hand. Source: TS 38.212 5.2.2, 7.2.2
@pytest.mark.parametrize(("tbs_bits", "rate", "count", "bits"), [
    (24, 0.6, 1, 40), (3824, 0.67, 1, 3840), (3848, 0.25, 2, 1960), (8424, 0.6, 1, 8448), (8448, 0.6, 2, 4260),
    (20000, 0.6, 3, 6699), (1277992, 948 / 1024, 152, 8432)])  # fmt: skip
def test_code_blocks(tbs_bits, rate, count, bits):
    assert nr_block_error.code_blocks(tbs_bits, rate) == (count, bits)


def test_a_transport_block_fails_with_any_of_its_code_blocks():
    one = nr_block_error.block_error_rate(4, 0.6, 8424, [(14000, 10.3)])
    three = nr_block_error.block_error_rate(4, 0.6, 25224, [(41920, 10.3)])
    assert 0.01 < one < 0.3
    assert three == pytest.approx(1 - (1 - one) ** 3, rel=0.1)


def test_attempts_add_up():
    once = nr_block_error.block_error_rate(6, 0.75, 9000, [(12000, 15.0)])
    again = nr_block_error.block_error_rate(6, 0.75, 9000, [(12000, 15.0), (12000, 8.0)])
    assert once > 0.999
    assert again < 0.001
    assert again == nr_block_error.block_error_rate(6, 0.75, 9000, [(12000, 8.0), (12000, 15.0)])


@pytest.mark.parametrize("name", nr_block_error.CQI)
def test_thresholds_are_at_the_target(name):
    for bits, rate in nr_block_error.CQI[name]:
        target, coded = nr_block_error.CQI_TARGET[name], bits * nr_block_error.THRESHOLD_ELEMENTS
        tbs_bits = int(coded * rate / 1024) // 8 * 8
        threshold = nr_block_error.threshold_cdb(bits, rate, target)
        above, below = (nr_block_error.block_error_rate(bits, rate / 1024, tbs_bits, [(coded, cdb / 100)])
                        for cdb in (threshold, threshold - 1))
        assert above <= target < below


def test_tables_of_formats():
    """Indices of the tables, and that each is more efficient than the one before, but for MCS 17 of the first."""
    assert [len(table) for table in nr_block_error.MCS.values()] == [29, 28, 29]
    assert [len(table) for table in nr_block_error.CQI.values()] == [15, 15, 15]
    for table in (*nr_block_error.MCS.values(), *nr_block_error.CQI.values()):
        falls = [high for low, high in pairwise(table) if low[0] * low[1] >= high[0] * high[1]]
        assert falls in ([], [(6, 438)])


def test_the_core_has_this_table():
    """Remake it with `python -m cellbed_channel.nr_block_error_table > emulator/core/phy/nr/bler_table.c`."""
    assert (ROOT / "emulator/core/phy/nr/bler_table.c").read_text() == nr_block_error_table.render()
