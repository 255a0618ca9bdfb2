# SPDX-License-Identifier: GPL-2.0-or-later
"""The labs and lab kernels that a command line can name."""

from __future__ import annotations

from cellbed.error import CellbedError

LABS = ("virtual", "native")
KERNELS = ("6.12", "6.1")


def check_lab(lab: str, kernel: str) -> None:
    """Raises CellbedError when a command line names a lab or kernel that there is not."""
    if lab not in LABS:
        raise CellbedError(f"--lab {lab}: allowed {', '.join(LABS)}")
    if kernel not in KERNELS:
        raise CellbedError(f"--kernel {kernel}: allowed {', '.join(KERNELS)}")
