# SPDX-License-Identifier: GPL-2.0-or-later
"""Capabilities of this process, and of programs that it becomes.

Source: capabilities(7)
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Collection
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_VERSION = 0x20080522
NET_BIND_SERVICE, _SETPCAP = 10, 8
_ALL = (1 << 64) - 1
_PR_CAPBSET_DROP, _PR_SET_SECUREBITS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _RAISE = 24, 28, 38, 47, 2
# Root is a user as any other, a change of user changes nothing, nothing new is ambient, and none of it can be undone.
_SECUREBITS = 0b11001111
_LAST = Path("/proc/sys/kernel/cap_last_cap")
_SETS = struct.Struct("=6I")  # effective, permitted, inheritable, each of the first 32; then of the others


def keep() -> None:
    """Let programs that this process becomes have its capabilities, whatever their user."""
    permitted = _change(permitted=_ALL, inheritable=_ALL)
    for capability in _known():
        if permitted >> capability & 1:
            _prctl(_PR_CAP_AMBIENT, _RAISE, capability)


def keep_for_this_process() -> None:
    """Let programs that this process becomes have what every program of its user has, no more."""
    _change(permitted=_ALL, inheritable=0)


def give_up() -> None:
    """Have none."""
    _change(permitted=0, inheritable=0)


def give_up_for_good(but: Collection[int] = ()) -> None:
    """Have none but these, in programs that this process becomes as well, whatever their user and their files' rights.

    Raises:
        OSError: this process may not change its own.
    """
    for capability in _known():
        if capability not in but:
            _prctl(_PR_CAPBSET_DROP, capability)
    kept = sum(1 << capability for capability in but)
    _change(permitted=kept | 1 << _SETPCAP, inheritable=kept)
    for capability in but:
        _prctl(_PR_CAP_AMBIENT, _RAISE, capability)
    _prctl(_PR_SET_SECUREBITS, _SECUREBITS)
    _change(permitted=kept, inheritable=kept)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def _known() -> range:
    """Those of this kernel."""
    return range(int(_LAST.read_text()) + 1)


def _prctl(*words: int) -> None:
    _check(_LIBC.prctl(*words, *[0] * (5 - len(words))))


def _change(permitted: int, inheritable: int) -> int:
    """Which capabilities of this process each set keeps, a bit each; what cannot be inherited is not ambient either.

    Return: those of this process before.
    """
    header = struct.pack("=Ii", _VERSION, 0)
    data = ctypes.create_string_buffer(_SETS.size)
    _check(_LIBC.capget(header, data))
    effective, first, _, effective_others, others, _ = _SETS.unpack_from(data.raw)
    _check(_LIBC.capset(header, _SETS.pack(
        permitted & effective, permitted & first, inheritable & first,
        permitted >> 32 & effective_others, permitted >> 32 & others, inheritable >> 32 & others)))
    return first | others << 32


def _check(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"capabilities: {os.strerror(ctypes.get_errno())}")
