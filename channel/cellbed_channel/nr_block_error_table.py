# SPDX-License-Identifier: GPL-2.0-or-later
"""The curves of `nr_block_error` as integers for the radio core.

Made with `python -m cellbed_channel.nr_block_error_table > FILE`. FILE is emulator/core/phy/nr/bler_table.c; a test
compares. The core interpolates on lines between the entries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from . import nr_block_error as curves
from .block_error_table import Q20, array_rows

SINR_FIRST_CDB, SINR_LAST_CDB, SINR_STEP_CDB = -3000, 4000, 25
# Sizes of code blocks between which the core interpolates: by 2^(1/4) from the smallest to the largest.
SIZES = tuple(round(24 * 2 ** (i / 4)) for i in range(34)) + (8448,)


def information() -> list[list[int]]:
    """Of each modulation at each SINR, in Q20, never decreasing."""
    sinr_db = np.arange(SINR_FIRST_CDB, SINR_LAST_CDB + 1, SINR_STEP_CDB) / 100.0
    return [[round(value * Q20) for value in curves.information(bits, sinr_db)] for bits in curves.MODULATIONS]


def _array(kind: str, name: str, values: Sequence[int], suffix: str = "") -> str:
    return f"const {kind} {name} = {{\n{array_rows(values, suffix)}\n}};\n"


def _matrix(kind: str, name: str, matrix: Sequence[Sequence[int]]) -> str:
    body = "\n".join(f"\t{{\n{array_rows(row)}\n\t}}," for row in matrix)
    return f"const {kind} {name} = {{\n{body}\n}};\n"


def render() -> str:
    """The C file."""
    columns = [(bits, rate) for bits in curves.MODULATIONS for rate in curves.rates(bits)]
    points = [curves.curve(bits, rate) for bits, rate in columns]
    first = [sum(len(curves.rates(other)) for other in curves.MODULATIONS[:i])
             for i in range(len(curves.MODULATIONS) + 1)]
    mcs = [[curves.threshold_cdb(*one, curves.MCS_TARGET) for one in table] for table in curves.MCS.values()]
    cqi = [[curves.threshold_cdb(*one, curves.CQI_TARGET[name]) for one in table] for name, table in curves.CQI.items()]
    return "\n".join([
        "/* SPDX-License-Identifier: GPL-2.0-or-later */",
        "/* bler_table.c - made by cellbed_channel.nr_block_error_table; see bler_table.h. */",
        "/* clang-format off */",
        '#include "phy/nr/bler_table.h"\n',
        _array("uint8_t", "nr_bler_first_rate[NR_BLER_MODULATIONS + 1]", first),
        _array("uint32_t", "nr_bler_rate_q20[NR_BLER_RATES]", [round(rate * Q20) for _, rate in columns]),
        _array("uint32_t", "nr_bler_mean_q20[NR_BLER_RATES]", [round(one.mean * Q20) for one in points]),
        _array("uint32_t", "nr_bler_size_q20[NR_BLER_RATES]", [round(one.size * Q20) for one in points]),
        _array("uint32_t", "nr_bler_deviation_q20[NR_BLER_RATES]", [round(one.deviation * Q20) for one in points]),
        _array("uint16_t", "nr_bler_size_bits[NR_BLER_SIZES]", SIZES),
        _array("uint32_t", "nr_bler_root_q20[NR_BLER_SIZES]", [round(Q20 / math.sqrt(size)) for size in SIZES]),
        _array("uint32_t", "nr_bler_spread_q20[NR_BLER_SIZES]", [round(size**curves.EXPONENT * Q20) for size in SIZES]),
        _matrix("uint32_t", "nr_bler_information_q20[NR_BLER_MODULATIONS][NR_BLER_SINRS]", information()),
        _matrix("int16_t", "nr_bler_mcs_cdb[NR_TABLES][NR_MCS_MAX]", mcs),
        _matrix("int16_t", "nr_bler_cqi_cdb[NR_TABLES][NR_CQI_MAX]", cqi),
    ])


if __name__ == "__main__":
    print(render(), end="")
