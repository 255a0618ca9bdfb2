# SPDX-License-Identifier: GPL-2.0-or-later
"""Chance that a transport block is not decoded, from the SINR of its transmissions.

Link-level simulations of LTE's turbo code over Gaussian noise give, for a modulation, a code rate and a size of code
block, block errors that follow a Gaussian distribution over the mutual information per coded bit:

    P(code block fails) = Q((I - mean) / deviation)

`block_error.csv` has mean and deviation. Source: Mezzavilla et al, the curves of the simulator that Li et al use. They
go with the information of IEEE 802.16m EMD, 4.3.2.1, an approximation of the exact one in `effective`.
Incremental redundancy adds the information of all transmissions, and their coded bits, so the code rate falls:

    I = sum(coded bits x information of the SINR) / sum(coded bits),  rate = information bits / sum(coded bits)

A transport block of several code blocks is lost when one of them is. Source: TS 36.212 5.1.2 (segmentation)

The radio core has the same as a table of integers, `emulator/core/phy/lte/bler_table.c`; `block_error_table` makes it.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("block_error.csv")
CRC_BITS = 24
BLOCK_MAX_BITS = 6144

# Chance that a UE misses PCFICH or PDCCH at -10, -9.8, ... -1 dB, two antennas at the eNB, with implementation margin;
# none beyond, that of the end before. Source: R4-081920, read where LENA has it
CONTROL_FIRST_DB, CONTROL_STEP_DB = -10.0, 0.2
CONTROL_ERROR = (
    0.922602, 0.871559, 0.82334, 0.777789, 0.734758, 0.694107, 0.655706, 0.619429, 0.585159, 0.552785, 0.520927,
    0.479229, 0.440869, 0.405579, 0.373114, 0.343104, 0.309947, 0.279994, 0.252936, 0.228492, 0.206048, 0.181449,
    0.159787, 0.140711, 0.123912, 0.109119, 0.0916184, 0.0769244, 0.0645871, 0.0542285, 0.0454971, 0.037584,
    0.0310472, 0.0256473, 0.0211866, 0.0175023, 0.0144636, 0.0119524, 0.00987724, 0.00816236, 0.00673821, 0.00532283,
    0.00420476, 0.00332154, 0.00262385, 0.0020727)


# Shares of the bits of a symbol and their distances, by bits per symbol. Source: IEEE 802.16m EMD, 4.3.2.1
_BIT_CHANNELS = {2: ((1.0, 2.0),), 4: ((0.5, 0.8), (0.25, 2.17), (0.25, 0.965)),
                 6: ((1 / 3, 1.47), (1 / 3, 0.529), (1 / 3, 0.366))}
_KNEE = 1.6363


def _bit_information(distance: np.ndarray) -> np.ndarray:
    """Information of a bit behind Gaussian likelihoods. Source: IEEE 802.16m EMD, 4.3.2.1"""
    d = distance
    low = -0.04210661 * d**3 + 0.209252 * d**2 - 0.00640081 * d
    high = 1.0 - np.exp(0.00181492 * d**3 - 0.142675 * d**2 - 0.0822054 * d + 0.0549608)
    return np.clip(np.where(d <= _KNEE, low, high), 0.0, 1.0)


def information(bits: int, sinr_db: np.ndarray | float) -> np.ndarray:
    """Mutual information per coded bit of QPSK, 16QAM or 64QAM at SINRs up to 30 dB, where it is 1 but for rounding."""
    amplitude = 10.0 ** (np.minimum(np.asarray(sinr_db, dtype=float), 30.0) / 20.0)
    return np.asarray(sum(share * _bit_information(distance * amplitude) for share, distance in _BIT_CHANNELS[bits]))


@cache
def _published() -> dict[int, dict[float, dict[int, tuple[float, float]]]]:
    """Bits per symbol -> code rate -> size of code block -> (mean, deviation)."""
    curves: dict[int, dict[float, dict[int, tuple[float, float]]]] = {}
    with FILE.open(newline="") as f:
        for row in csv.DictReader(f):
            sizes = curves.setdefault(int(row["bits_per_symbol"]), {}).setdefault(float(row["code_rate"]), {})
            sizes[int(row["block_bits"])] = float(row["mean"]), float(row["deviation"])
    return curves


@cache
def sizes() -> tuple[int, ...]:
    """Sizes of code blocks in bits that have curves, of some code rate at least."""
    return tuple(sorted({size for rates in _published().values() for curve in rates.values() for size in curve}))


@cache
def rates(bits: int) -> tuple[float, ...]:
    """Code rates of a modulation that have curves."""
    return tuple(sorted(_published()[bits]))


def curve(bits: int, rate: float, size: int) -> tuple[float, float]:
    """Published mean and deviation; those of the next larger size where there is none of this one."""
    found = _published()[bits][rate]
    return found[min(other for other in found if other >= size)]


def _at(bits: int, rate: float, block_bits: float) -> tuple[float, float]:
    """Mean and deviation at any code rate: on the line between the published ones.

    Of two sizes that of the smaller one, as it needs more. Above the last rate the mean rises as the rate does, as it
    does there; below the first one it stays.
    """
    size = max((size for size in sizes() if size <= block_bits), default=sizes()[0])
    known = rates(bits)
    points = [curve(bits, one, size) for one in known]
    mean = float(np.interp(rate, known, [point[0] for point in points])) + max(0.0, rate - known[-1])
    return mean, float(np.interp(rate, known, [point[1] for point in points]))


def code_blocks(tb_bits: int) -> tuple[int, float]:
    """Number of code blocks of a transport block, and bits of each, check bits included."""
    with_crc = tb_bits + CRC_BITS
    if with_crc <= BLOCK_MAX_BITS:
        return 1, with_crc
    count = math.ceil(with_crc / (BLOCK_MAX_BITS - CRC_BITS))
    return count, math.ceil((with_crc + count * CRC_BITS) / count)


def block_error_rate(bits: int, tb_bits: int, attempts: Sequence[tuple[int, float]]) -> float:
    """Chance that a transport block is still not decoded after some transmissions.

    Args:
        bits: per symbol.
        tb_bits: size of the transport block.
        attempts: coded bits and SINR in dB of each transmission.
    """
    coded = sum(count for count, _ in attempts)
    mean_information = sum(count * float(information(bits, sinr_db)) for count, sinr_db in attempts) / coded
    count, block_bits = code_blocks(tb_bits)
    mean, deviation = _at(bits, tb_bits / coded, block_bits)
    failed = 0.5 * math.erfc((mean_information - mean) / (math.sqrt(2.0) * deviation))
    return 1.0 - (1.0 - failed) ** count


def control_error_rate(sinr_db: float) -> float:
    """Chance that a UE misses the control channels of a sub-frame, on the line between the published points."""
    at = CONTROL_FIRST_DB + CONTROL_STEP_DB * np.arange(len(CONTROL_ERROR))
    return 0.0 if sinr_db > at[-1] + 1e-9 else float(np.interp(sinr_db, at, CONTROL_ERROR))
