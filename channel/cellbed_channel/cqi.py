# SPDX-License-Identifier: GPL-2.0-or-later
"""SINR to CQI: the least SINR at which each CQI's transport format is reported.

The standard leaves this to the receiver: TS 36.213 7.2.3 asks for the highest CQI whose block error rate is at most
10 %, and what SINR that takes depends on channel and receiver. Nardini does not name a mapping. `TABLES` has:

kawser (default)
    Thresholds at 10 % block error rate, one antenna at each end, flat Rayleigh channel. Source: Kawser, Table III.
    Read where programs that use the table quote it, not in the paper itself: they agree on CQI 1 to 9 and 14, 15; for
    10 to 13 two versions are about (19.9, 21.5, 23.45, 25.0 dB and 20.9, 22.5, 24.75, 25.5 dB). The first is used, as
    its steps are even. It is the default for two reasons. It was measured over a fading channel, as the block error
    curves of the paper's simulator were. And of the two it is the one that agrees with the paper's "constant UL CQI
    equal to 9" at 300 m, where `piro` gives 12: an inference about what the paper does not specify, not a fit, as every
    threshold is Kawser's.

piro
    log2(1 + SINR / gap) bit/s/Hz with gap = -ln(5 BER) / 1.5 and BER = 5e-5, and the highest CQI whose efficiency in
    TS 36.213 Table 7.2.3-1 is not above. Source: Piro, which the LTE module of ns-3 (LENA) follows.

vienna
    Thresholds at 10 % block error rate over Gaussian noise, for SINRs that `effective` has already freed from fading.
    Source: Vienna, the mapping of its 15 CQIs of Table 7.2.3-1, read in its published files.

mezzavilla
    Thresholds at 10 % block error rate over Gaussian noise by the curves of `block_error`, of a transport block with
    the modulation and code rate of the CQI on 50 resource blocks of 120 resource elements. Source: Mezzavilla et al;
    TS 36.213 7.2.3. With errors that follow from these curves it is the mapping that meets the 10 % of the standard.

nr_qam64, nr_qam256, nr_qam64_low_se
    Of NR's CQI tables 1 to 3, by the curves of `nr_block_error`: where a block over 50 resource blocks is lost in one
    of ten cases, in one of 100 000 with the last one. The radio core has the same thresholds. Source: TS 38.214 5.2.2.1

Below the threshold of CQI 1 the CQI is 0, "out of range".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from . import effective, nr_block_error
from .error import ParameterError
from .link import DIRECTIONS, centi_db

HIGHEST = 15

# Source: Kawser, Table III, SISO
_KAWSER_DB = (1.95, 4.0, 6.0, 8.0, 10.0, 11.95, 14.05, 16.0, 17.9, 19.9, 21.5, 23.45, 25.0, 27.3, 29.0)

# Source: Vienna
_VIENNA_DB = (-5.6, -3.5, -1.5, 0.7, 2.6, 4.6, 6.5, 8.5, 10.5, 12.5, 14.3, 16.1, 18.1, 20.3, 22.0)

# Source: Mezzavilla et al; where block_error.block_error_rate() is 0.1, rounded up
_MEZZAVILLA_DB = (-7.04, -5.36, -3.25, -1.39, 0.58, 2.6, 4.58, 6.43, 8.43, 10.51, 12.35, 14.27, 16.17, 18.01, 20.1)

# Bits per resource element of CQI 1 to 15. Source: TS 36.213 Table 7.2.3-1
EFFICIENCY = (0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023, 4.5234,
              5.1152, 5.5547)
_PIRO_BER = 5e-5


def _piro_db() -> tuple[float, ...]:
    gap = -math.log(5 * _PIRO_BER) / 1.5
    return tuple(10.0 * math.log10(gap * (2.0**bits - 1.0)) for bits in EFFICIENCY)


def _centi(thresholds_db: tuple[float, ...]) -> np.ndarray:
    return np.array([round(value * 100) for value in thresholds_db], dtype=np.int32)


TABLES = {"kawser": _centi(_KAWSER_DB), "piro": _centi(_piro_db()), "vienna": _centi(_VIENNA_DB),
          "mezzavilla": _centi(_MEZZAVILLA_DB)}
# Those of NR, by the name of their formats in nr_block_error.
NR_TABLES = {"nr_qam64": "64qam", "nr_qam256": "256qam", "nr_qam64_low_se": "64qam-low-se"}


def by_direction(table: str, others: Mapping[str, str] | None = None) -> dict[str, str]:
    """The table of each direction: one for all but those that have others."""
    return {direction: (others or {}).get(direction, table) for direction in DIRECTIONS}


@cache
def _nr_cdb(formats: str) -> np.ndarray:
    target = nr_block_error.CQI_TARGET[formats]
    return np.array([nr_block_error.threshold_cdb(*one, target) for one in nr_block_error.CQI[formats]], dtype=np.int32)


def thresholds_cdb(table: str) -> np.ndarray:
    """Least SINR of CQI 1 to 15 in hundredths of a dB.

    Raises:
        ParameterError: no such table.
    """
    if table in NR_TABLES:
        return _nr_cdb(NR_TABLES[table])
    if table not in TABLES:
        raise ParameterError("cqi.table", table, ", ".join([*TABLES, *NR_TABLES]))
    return TABLES[table]


def cqi_of(sinr_cdb: np.ndarray, table: str = "kawser") -> np.ndarray:
    """CQI, 0 to 15, of each SINR in hundredths of a dB.

    Integers are compared, so a CQI never hangs on the last bit of a logarithm.
    """
    return np.searchsorted(thresholds_cdb(table), sinr_cdb, side="right").astype(np.uint8)


def over_blocks(sinr: np.ndarray, table: str) -> tuple[np.ndarray, np.ndarray]:
    """SINR in hundredths of a dB and CQI of the best transport format, from the SINR of each resource block.

    Args:
        sinr: (times, resource blocks) as ratios.
    """
    if table not in NR_TABLES:
        return best_of(centi_db(effective.effective_db(sinr)), table)
    bits = tuple(bits for bits, _ in nr_block_error.CQI[NR_TABLES[table]])
    beta = (1.0,) * len(bits)  # the curves of NR are over the information itself
    return best_of(centi_db(effective.effective_db(sinr, bits=bits, beta=beta)), table)


def best_of(found_cdb: np.ndarray, table: str) -> tuple[np.ndarray, np.ndarray]:
    """SINR and CQI of the best transport format that 10 % block errors allow; of the least one when none does, CQI 0.

    Args:
        found_cdb: (times, CQIs) effective SINR for the format of each CQI from 1, in hundredths of a dB.
    """
    fits = found_cdb >= thresholds_cdb(table)
    best = np.where(fits.any(axis=1), fits.shape[1] - np.argmax(fits[:, ::-1], axis=1), 0).astype(np.uint8)
    return found_cdb[np.arange(len(found_cdb)), np.maximum(best, 1) - 1], best
