# SPDX-License-Identifier: GPL-2.0-or-later
"""Waiting for a time of the monotonic clock."""

from __future__ import annotations

import ctypes
import errno
import os
import time

_LIBC = ctypes.CDLL(None)
_TIMER_ABSTIME = 1


def sleep_until(t_ns: int) -> None:
    """Return when CLOCK_MONOTONIC has reached @t_ns; at once when it has passed.

    time.sleep() reads the clock first. In a guest a read takes virtual time, so the end of the sleep would depend on
    what happened before it.
    """
    until = (ctypes.c_long * 2)(*divmod(t_ns, 1_000_000_000))  # struct timespec
    while failed := _LIBC.clock_nanosleep(time.CLOCK_MONOTONIC, _TIMER_ABSTIME, until, None):
        if failed != errno.EINTR:  # of a signal, whose handler has run by now
            raise OSError(failed, os.strerror(failed))
