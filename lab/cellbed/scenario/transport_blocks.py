# SPDX-License-Identifier: GPL-2.0-or-later
"""What transport blocks of LTE carry, asked of the core, which has the tables of the standard."""

from __future__ import annotations

import functools

from cellbed import paths
from cellbed.error import LabError
from cellbed.host.process import finished


@functools.cache
def sizes() -> dict[str, dict[int, dict[int, int]]]:
    """Bytes of a sub-frame by direction ("dl", "ul"), resource blocks and CQI, as the core has them.

    Raises:
        LabError: the program that knows them is not built, or fails.
    """
    program = paths.BUILD / "emulator/sim/transport-blocks"
    if not program.exists():
        raise LabError(f"transport-blocks is not built ({program} is missing); {paths.SETUP}")
    table: dict[str, dict[int, dict[int, int]]] = {}
    for line in finished([program]).decode().splitlines():
        direction, cqi, n_rb, size = line.split()
        table.setdefault(direction, {}).setdefault(int(n_rb), {})[int(cqi)] = int(size)
    return table


def rate_bps(direction: str, n_rb: int, cqi: int) -> int:
    """Rate of transport blocks, one in each sub-frame of 1 ms."""
    return sizes()[direction][n_rb][cqi] * 8000
