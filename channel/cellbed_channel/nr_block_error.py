# SPDX-License-Identifier: GPL-2.0-or-later
"""Chance that an LDPC-coded transport block of NR is not decoded, from the SINR of its transmissions.

As in `block_error` block errors follow a Gaussian distribution over the mutual information per coded bit, here that of
bitwise decoding by its definition (`effective`):

    P(code block fails) = Q((I - needed) / spread)
    needed = mean + SIZE[bits] (1 - rate) / sqrt(code block bits),   spread = deviation (code block bits)^-0.4

`nr_block_error.csv` has mean and deviation of each modulation and code rate of the MCS tables. They, SIZE and the
exponent are least-squares fits to 5G-LENA's curves: a Gaussian to each of those with three points or more between
0.15 % and 99.85 % of blocks lost, then the two forms over their means and deviations. The SINR at which half of the
blocks are lost is met within 0.23 dB (root of the mean square; 0.18 dB for code blocks of 500 bits or more). Those
curves need 3 dB more than the information would allow, and up to 6 dB at the lowest rates: as their authors'
link-level simulator has it.
Source: 5G-LENA

Incremental redundancy adds information and coded bits of all transmissions, so the rate falls. Below the lowest rate
of a modulation bits repeat, and energy adds up: half the rate needs half the SINR. Above the highest rate what is
needed rises as the rate does. A transport block is lost when one of its code blocks is.
Source: TS 38.212 5.2.2, 6.2.1, 7.2.1 (segmentation)

The radio core has the same as a table of integers, `emulator/core/phy/nr/bler_table.c`; `nr_block_error_table` makes
it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import effective

FILE = Path(__file__).with_name("nr_block_error.csv")
MODULATIONS = (2, 4, 6, 8)
SIZE = {2: 0.2426, 4: 1.0089, 6: 1.4502, 8: 2.3385}
EXPONENT = -0.4
REPETITIONS = (2, 4, 8)
SMALL_MAX_BITS = 3824
BLOCK_CRC_BITS = 24
_LOW_DB, _HIGH_DB = -30.0, 40.0

# Bits per symbol and code rate times 1024. Source: TS 38.214 Tables 5.1.3.1-1 to 5.1.3.1-3, 5.2.2.1-2 to 5.2.2.1-4
_QPSK = (120, 157, 193, 251, 308, 379, 449, 526, 602)
_16QAM = (378, 434, 490, 553, 616)
_64QAM = (466, 517, 567, 616, 666, 719, 772)


def _formats(qpsk: Sequence[float] = (), qam16: Sequence[float] = (), qam64: Sequence[float] = (),
             qam256: Sequence[float] = ()) -> tuple[tuple[int, float], ...]:
    by_bits = {2: qpsk, 4: qam16, 6: qam64, 8: qam256}
    return tuple((bits, rate) for bits, rates in by_bits.items() for rate in rates)


MCS = {"64qam": _formats((*_QPSK, 679), (340, *_16QAM, 658), (438, *_64QAM, 822, 873, 910, 948)),
       "256qam": _formats((120, 193, 308, 449, 602), (*_16QAM, 658), (*_64QAM, 822, 873),
                          (682.5, 711, 754, 797, 841, 885, 916.5, 948)),
       "64qam-low-se": _formats((30, 40, 50, 64, 78, 99, *_QPSK), (340, *_16QAM), (438, *_64QAM))}
CQI = {"64qam": _formats((78, 120, 193, 308, 449, 602), (378, 490, 616), (466, 567, 666, 772, 873, 948)),
       "256qam": _formats((78, 193, 449), (378, 490, 616), (466, 567, 666, 772, 873), (711, 797, 885, 948)),
       "64qam-low-se": _formats((30, 50, 78, 120, 193, 308, 449, 602), (378, 490, 616), (466, 567, 666, 772))}
# Of blocks that may be lost at a CQI. Source: TS 38.214 5.2.2.1
CQI_TARGET = {"64qam": 0.1, "256qam": 0.1, "64qam-low-se": 1e-5}
MCS_TARGET = 0.1
THRESHOLD_ELEMENTS = 50 * 144  # resource elements of the blocks whose thresholds these are: 50 PRBs, 12 symbols


@cache
def _information_curve(bits: int) -> tuple[np.ndarray, np.ndarray]:
    sinr_db = np.arange(_LOW_DB, _HIGH_DB + 0.25, 0.25)
    return sinr_db, np.maximum.accumulate(effective.information(bits, sinr_db))


def information(bits: int, sinr_db: np.ndarray | float) -> np.ndarray:
    """Mutual information per coded bit of QPSK, 16QAM, 64QAM or 256QAM; below -30 and above 40 dB as there."""
    return np.asarray(np.interp(sinr_db, *_information_curve(bits)))


class Curve(NamedTuple):
    """What code blocks of a rate need: `mean` + `size` / sqrt(bits), and `deviation` times bits to the `EXPONENT`."""

    mean: float
    size: float
    deviation: float


def _repeated(bits: int, lowest: Curve, times: int) -> Curve:
    """The same where every bit is sent so often: at the SINR that is as much less, on the curve of the information."""
    sinr_db, values = _information_curve(bits)
    at_db = float(np.interp(lowest.mean, values, sinr_db))
    less_db = at_db - 10 * math.log10(times)
    slope, slope_less = (float(information(bits, db + 0.1) - information(bits, db - 0.1)) for db in (at_db, less_db))
    return Curve(float(information(bits, less_db)), lowest.size * slope_less / slope,
                 lowest.deviation * slope_less / slope)


@cache
def _curves() -> dict[int, dict[float, Curve]]:
    """Bits per symbol -> code rate -> curve; fitted ones, and those of repeated bits below."""
    curves: dict[int, dict[float, Curve]] = {}
    with FILE.open(newline="") as f:
        for row in csv.DictReader(f):
            bits, rate = int(row["bits_per_symbol"]), float(row["code_rate_x1024"]) / 1024
            size = SIZE[bits] * (1 - rate)
            curves.setdefault(bits, {})[rate] = Curve(float(row["mean"]), size, float(row["deviation"]))
    for bits, known in curves.items():
        lowest = min(known)
        known.update({lowest / times: _repeated(bits, known[lowest], times) for times in REPETITIONS})
    return curves


def rates(bits: int) -> tuple[float, ...]:
    """Code rates of a modulation that have curves, rising."""
    return tuple(sorted(_curves()[bits]))


def curve(bits: int, rate: float) -> Curve:
    """The curve of one of `rates`."""
    return _curves()[bits][rate]


def needed(bits: int, rate: float, block_bits: float) -> tuple[float, float]:
    """Information per coded bit with which half of the code blocks of that size are lost, and its spread."""
    known = rates(bits)
    at = min(max(rate, known[0]), known[-1])
    columns = zip(*(curve(bits, one) for one in known), strict=True)
    mean, size, deviation = (float(np.interp(at, known, column)) for column in columns)
    mean, spread = mean + size / math.sqrt(block_bits), deviation * block_bits**EXPONENT
    if rate < known[0]:
        return mean * rate / known[0], spread * rate / known[0]
    return mean + max(0.0, rate - known[-1]), spread


def code_blocks(tbs_bits: int, rate: float) -> tuple[int, int]:
    """Number of code blocks of a transport block, and bits of each, check bits included.

    Args:
        tbs_bits: transport block size.
        rate: code rate that the MCS names.
    """
    with_crc = tbs_bits + (24 if tbs_bits > SMALL_MAX_BITS else 16)
    graph_2 = tbs_bits <= 292 or rate <= 0.25 or (tbs_bits <= SMALL_MAX_BITS and rate <= 0.67)
    most = 3840 if graph_2 else 8448
    if with_crc <= most:
        return 1, with_crc
    count = math.ceil(with_crc / (most - BLOCK_CRC_BITS))
    return count, math.ceil((with_crc + count * BLOCK_CRC_BITS) / count)


def block_error_rate(bits: int, rate: float, tbs_bits: int, attempts: Sequence[tuple[int, float]]) -> float:
    """Chance that a transport block is still not decoded after some transmissions.

    Args:
        bits: per symbol.
        rate: code rate that the MCS names, which decides how the block is cut.
        tbs_bits: transport block size.
        attempts: coded bits and SINR in dB of each transmission.
    """
    coded = sum(count for count, _ in attempts)
    have = sum(count * float(information(bits, sinr_db)) for count, sinr_db in attempts) / coded
    count, block_bits = code_blocks(tbs_bits, rate)
    mean, spread = needed(bits, tbs_bits / coded, block_bits)
    failed = 0.5 * math.erfc((have - mean) / (math.sqrt(2.0) * spread))
    return -math.expm1(count * math.log1p(-failed)) if failed < 1.0 else 1.0


def threshold_cdb(bits: int, rate_x1024: float, target: float) -> int:
    """Least SINR in 1/100 dB at which a block of `THRESHOLD_ELEMENTS` is lost as often as `target` at most."""
    coded = bits * THRESHOLD_ELEMENTS
    tbs_bits = int(coded * rate_x1024 / 1024) // 8 * 8
    low, high = round(_LOW_DB * 100), round(_HIGH_DB * 100)
    while low < high:
        middle = (low + high) // 2
        if block_error_rate(bits, rate_x1024 / 1024, tbs_bits, [(coded, middle / 100)]) <= target:
            high = middle
        else:
            low = middle + 1
    return low
