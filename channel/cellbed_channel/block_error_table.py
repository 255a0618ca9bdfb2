# SPDX-License-Identifier: GPL-2.0-or-later
"""The curves of `block_error` as integers for the radio core: `python -m cellbed_channel.block_error_table`.

It writes FILES below the current folder; a test compares. The core interpolates on lines between the entries.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from . import block_error as curves

Q20 = 1 << 20
Q32_ONE = (1 << 32) - 1
MODULATIONS = (2, 4, 6)
SINR_FIRST_CDB, SINR_LAST_CDB, SINR_STEP_CDB = -2500, 3000, 25
TAIL_STEPS_PER_DEVIATION = 32
TAIL_DEVIATIONS = 6.5  # beyond, the chance is less than 2^-32


def information() -> list[list[int]]:
    """Of each modulation at each SINR, in Q20, never decreasing."""
    sinr_db = np.arange(SINR_FIRST_CDB, SINR_LAST_CDB + 1, SINR_STEP_CDB) / 100.0
    return [[round(value * Q20) for value in np.maximum.accumulate(curves.information(bits, sinr_db))]
            for bits in MODULATIONS]


def tail() -> list[int]:
    """Chance that a standard Gaussian is above 0, 1/32, 2/32, ..., in Q32."""
    count = round(TAIL_DEVIATIONS * TAIL_STEPS_PER_DEVIATION) + 1
    return [round(0.5 * math.erfc(i / TAIL_STEPS_PER_DEVIATION / math.sqrt(2.0)) * Q32_ONE) for i in range(count)]


def control() -> list[int]:
    return [round(value * Q32_ONE) for value in curves.CONTROL_ERROR]


def array_rows(values: Iterable[int], suffix: str = "") -> str:
    """Lines of a C array."""
    words = [f"{value}{suffix}," for value in values]
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) > 80:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n".join(f"\t{line}" for line in [*lines, line])


def _columns() -> list[tuple[int, float]]:
    """(bits per symbol, code rate) of the curves in order."""
    return [(bits, rate) for bits in MODULATIONS for rate in curves.rates(bits)]


def render() -> str:
    """The C file."""
    columns, sizes = _columns(), curves.sizes()
    first = [sum(len(curves.rates(other)) for other in MODULATIONS[:i]) for i in range(len(MODULATIONS) + 1)]

    def matrix(kind: str, name: str, rows: list[list[int]], dims: str) -> str:
        body = "\n".join(f"\t{{\n{array_rows(row)}\n\t}}," for row in rows)
        return f"const {kind} {name}{dims} = {{\n{body}\n}};\n"

    points = [[curves.curve(bits, rate, size) for bits, rate in columns] for size in sizes]
    return "\n".join([
        "/* SPDX-License-Identifier: GPL-2.0-or-later */",
        "/* bler_table.c - made by cellbed_channel.block_error_table; see bler.h. */",
        "/* clang-format off */",
        '#include "phy/lte/bler.h"\n',
        f"const uint16_t bler_block_bits[BLER_SIZES] = {{\n{array_rows(sizes)}\n}};\n",
        f"const uint8_t bler_first_rate[BLER_MODULATIONS + 1] = {{\n{array_rows(first)}\n}};\n",
        f"const uint32_t bler_rate_q20[BLER_RATES] = {{\n{array_rows(round(rate * Q20) for _, rate in columns)}\n}};\n",
        matrix("uint32_t", "bler_mean_q20", [[round(m * Q20) for m, _ in row] for row in points],
               "[BLER_SIZES][BLER_RATES]"),
        matrix("uint32_t", "bler_deviation_q20", [[round(d * Q20) for _, d in row] for row in points],
               "[BLER_SIZES][BLER_RATES]"),
        matrix("uint32_t", "bler_information_q20", information(), "[BLER_MODULATIONS][BLER_SINRS]"),
        f"const uint32_t bler_control_q32[BLER_CONTROL] = {{\n{array_rows(control(), 'u')}\n}};",
    ]) + "\n"


def render_tail() -> str:
    """The C file of what LTE and NR have in common."""
    return "\n".join([
        "/* SPDX-License-Identifier: GPL-2.0-or-later */",
        "/* soft_table.c - made by cellbed_channel.block_error_table; see soft.h. */",
        "/* clang-format off */",
        '#include "phy/common/soft.h"\n',
        f"const uint32_t soft_tail_q32[BLER_TAIL] = {{\n{array_rows(tail(), 'u')}\n}};",
    ]) + "\n"


FILES = {"emulator/core/phy/lte/bler_table.c": render, "emulator/core/phy/common/soft_table.c": render_tail}


if __name__ == "__main__":
    for name, text in FILES.items():
        Path(name).write_text(text())
