# SPDX-License-Identifier: GPL-2.0-or-later
"""Where all is that is not Python: in a checkout, or in what a wheel brings of one, at the same places."""

from pathlib import Path

_BROUGHT = Path(__file__).resolve().parents[1] / "cellbed_files"
IS_CHECKOUT = not _BROUGHT.is_dir()
ROOT = Path(__file__).resolve().parents[2] if IS_CHECKOUT else _BROUGHT
# What builds lab kernels, as a user types it.
BUILD_COMMAND = "kernel/build" if IS_CHECKOUT else "python -m cellbed_kernel"
