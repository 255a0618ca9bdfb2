# SPDX-License-Identifier: GPL-2.0-or-later
"""What runs of handovers are called: their procedure, and the queue management of their links."""

from __future__ import annotations

import re
from typing import Any

#: Values of parameters, in words.
PROCEDURES = {"standard": "standard", "fast_path_switch": "fast path switch", "prediction": "prediction",
              "conditional": "conditional", "daps": "DAPS"}
QUEUES = {"none": "", "red": "RED dropping", "red_ecn": "RED marking"}


def queue_of(row: dict[str, Any]) -> str:
    """Queue management of a run's links, from its row of metrics: that of any that has one."""
    kinds = {value for key, value in row.items() if re.fullmatch(r"param\.links\.\d+\.aqm", key)}
    return next(iter(sorted(kinds - {None, "none"})), "none")
