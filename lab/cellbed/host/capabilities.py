# SPDX-License-Identifier: GPL-2.0-or-later
"""Capabilities of this process, and of programs that it becomes.

Source: capabilities(7)
"""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_VERSION = 0x20080522
_PR_CAP_AMBIENT, _RAISE = 47, 2
_LAST = Path("/proc/sys/kernel/cap_last_cap")
_SETS = struct.Struct("=6I")  # effective, permitted, inheritable, each of the first 32; then of the others


def keep() -> None:
    """Let programs that this process becomes have its capabilities, whatever their user."""
    permitted = _change(permitted=True, inheritable=True)
    for capability in range(int(_LAST.read_text()) + 1):
        if permitted >> capability & 1:
            _check(_LIBC.prctl(_PR_CAP_AMBIENT, _RAISE, capability, 0, 0))


def keep_for_this_process() -> None:
    """Let programs that this process becomes have what every program of its user has, no more."""
    _change(permitted=True, inheritable=False)


def give_up() -> None:
    """Have none."""
    _change(permitted=False, inheritable=False)


def _change(permitted: bool, inheritable: bool) -> int:
    """All capabilities of this process in a set, or none; what cannot be inherited is not ambient either.

    Return: those of this process before, a bit each.
    """
    header = struct.pack("=Ii", _VERSION, 0)
    data = ctypes.create_string_buffer(_SETS.size)
    _check(_LIBC.capget(header, data))
    effective, first, _, effective_others, others, _ = _SETS.unpack_from(data.raw)
    _check(_LIBC.capset(header, _SETS.pack(
        permitted * effective, permitted * first, inheritable * first,
        permitted * effective_others, permitted * others, inheritable * others)))
    return first | others << 32


def _check(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"capabilities: {os.strerror(ctypes.get_errno())}")
