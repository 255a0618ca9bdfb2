# SPDX-License-Identifier: GPL-2.0-or-later
"""The labs and lab kernels that a command line can name."""

from __future__ import annotations

from pathlib import Path

from cellbed.error import CellbedError
from cellbed.labs.lab_kernels import VERSIONS

LABS = ("virtual", "native", "vm")
# Those in which a command of this terminal can run (`cellbed link`, `cellbed shell`).
ATTACHABLE = ("virtual", "native")
# The native lab without root, for links.
ROOTLESS = "rootless"
# Of the virtual lab; the first one that is built here unless another is named.
KERNELS = VERSIONS


def check_lab(lab: str, kernel: str | None, allowed: tuple[str, ...] = LABS) -> None:
    """Raises CellbedError when a command line names a lab or kernel that there is not."""
    if lab not in allowed:
        raise CellbedError(f"--lab {lab}: allowed {', '.join(allowed)}")
    if lab == "virtual" and kernel not in (None, *KERNELS) and not Path(kernel).expanduser().exists():
        raise CellbedError(f"--kernel {kernel}: allowed {', '.join(KERNELS)}, a kernel built for User Mode Linux, or a "
                           "source tree of Linux; any kernel image with --lab vm")
    if lab == "native" and kernel is not None:
        raise CellbedError(f"--kernel {kernel}: the native lab runs this machine's kernel; leave --kernel out, or "
                           "add --lab vm")
    if lab == "vm" and kernel is None:
        raise CellbedError("--lab vm: name a kernel image with --kernel, such as /boot/vmlinuz-$(uname -r)")
