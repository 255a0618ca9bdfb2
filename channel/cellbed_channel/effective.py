# SPDX-License-Identifier: GPL-2.0-or-later
"""One SINR for many resource blocks: mutual information effective SINR mapping (MIESM).

    effective SINR = beta I^-1( mean of I(SINR of each block / beta) )

I is the mutual information per bit of QPSK, 16QAM, 64QAM or 256QAM with Gray mapping and bitwise decoding over
Gaussian noise, computed here by its definition; which of them, and beta, belong to the transport format of a CQI. LENA
uses MIESM too, with tables of its own.
"""

from __future__ import annotations

from functools import cache

import numpy as np

# Betas of CQI 1 to 15. Source: Vienna, MIESM calibration over its link level results
BETA = (3.07, 4.41, 0.6, 1.16, 1.06, 1.06, 0.87, 1.01, 1.04, 1.03, 1.11, 1.01, 1.07, 1.0, 1.05)
# Bits per symbol of CQI 1 to 15. Source: TS 36.213 Table 7.2.3-1
BITS = (2,) * 6 + (4,) * 3 + (6,) * 6

_STEPS_PER_DB = 100
_LOW_DB, _HIGH_DB = -60.0, 45.0  # of the curves
# A block counts with at most this: beyond it even 64QAM's information is 1 but for rounding, and 256QAM's.
CAP_DB, CAP_256QAM_DB = 32.0, 38.0


def _pam(bits: int) -> tuple[np.ndarray, np.ndarray]:
    """Levels of unit power of 2^bits in a row, and their Gray labels."""
    levels = np.arange(1 - 2**bits, 2**bits, 2, dtype=float)
    numbers = np.arange(2**bits)
    return levels / np.sqrt(np.mean(levels**2)), numbers ^ (numbers >> 1)


def information(bits: int, sinr_db: np.ndarray) -> np.ndarray:
    """Mutual information per bit of square QAM with `bits` per symbol: that of one of its two dimensions.

    1 - the mean over levels and bits of log2(1 + likelihood of the other bit value / likelihood of the right one), by
    summing over the noise.
    """
    half = bits // 2
    levels, labels = _pam(half)
    noise = np.linspace(-9.0, 9.0, 721)
    weight = np.exp(-noise * noise / 2)
    weight /= weight.sum()
    values = np.empty(len(sinr_db))
    for at, amplitude in enumerate(np.sqrt(10.0 ** (np.asarray(sinr_db, dtype=float) / 10.0))):
        distance = amplitude * (levels[:, None] - levels[None, :])  # sent, candidate; noise has variance 1
        metric = -(noise[None, None, :] + distance[:, :, None]) ** 2 / 2
        metric = np.exp(metric - metric.max(axis=1, keepdims=True))
        lost = 0.0
        for bit in range(half):
            same = ((labels[:, None] >> bit) & 1) == ((labels[None, :] >> bit) & 1)
            right = (metric * same[:, :, None]).sum(axis=1)
            lost += float((np.log2(metric.sum(axis=1) / np.maximum(right, 1e-300)) @ weight).mean())
        values[at] = 1.0 - lost / half
    return np.clip(values, 0.0, 1.0)


@cache
def _curve(bits: int) -> tuple[np.ndarray, np.ndarray]:
    """SINR in steps of 0.01 dB and information there, never decreasing."""
    coarse = np.arange(_LOW_DB, _HIGH_DB + 0.25, 0.25)
    fine = np.arange(round((_HIGH_DB - _LOW_DB) * _STEPS_PER_DB) + 1) / _STEPS_PER_DB + _LOW_DB
    return fine, np.maximum.accumulate(np.interp(fine, coarse, information(bits, coarse)))


def effective_db(sinr: np.ndarray, cqis: tuple[int, ...] = tuple(range(1, 16)), bits: tuple[int, ...] = BITS,
                 beta: tuple[float, ...] = BETA) -> np.ndarray:
    """(times, CQIs) effective SINR in dB for the transport format of each CQI.

    Args:
        sinr: (times, blocks) as ratios.
        bits, beta: of CQI 1 to 15; those of LTE where nothing else is said.
    """
    cap_db = CAP_DB if max(bits) <= max(BITS) else CAP_256QAM_DB
    db = np.clip(10.0 * np.log10(np.maximum(sinr, 1e-9)), -50.0, cap_db)
    index = np.rint((db - _LOW_DB) * _STEPS_PER_DB).astype(np.int32)
    found = np.empty((len(sinr), len(cqis)))
    for column, number in enumerate(cqis):
        fine, curve = _curve(bits[number - 1])
        shift = round(10.0 * np.log10(beta[number - 1]) * _STEPS_PER_DB)
        mean = np.take(curve, index - shift).mean(axis=1)
        top = int(np.searchsorted(curve, curve[-1] - 1e-12))  # above, rounding would choose
        found[:, column] = np.interp(mean, curve[: top + 1], fine[: top + 1]) + shift / _STEPS_PER_DB
    return found
