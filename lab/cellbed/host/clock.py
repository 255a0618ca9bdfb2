# SPDX-License-Identifier: GPL-2.0-or-later
"""Waiting for a time of the monotonic clock, without reading it.

time.sleep() reads the clock first. In a guest many reads take virtual time, so the end of the sleep would depend on
what happened before it, and on the version of Python.
"""

from __future__ import annotations

import ctypes
import errno
import os
import time

_LIBC = ctypes.CDLL(None)
_TIMER_ABSTIME = 1


def sleep_until(t_ns: int) -> None:
    """Return when CLOCK_MONOTONIC has reached @t_ns; at once when it has passed."""
    until = timespec(t_ns)
    while failed := _LIBC.clock_nanosleep(time.CLOCK_MONOTONIC, _TIMER_ABSTIME, until, None):
        if failed != errno.EINTR:  # of a signal, whose handler has run by now
            raise OSError(failed, os.strerror(failed))


def sleep_for(duration_ns: int) -> None:
    """Return after that time, or when a signal's handler has run."""
    _LIBC.clock_nanosleep(time.CLOCK_MONOTONIC, 0, timespec(duration_ns), None)


def timespec(t_ns: int) -> ctypes.Array[ctypes.c_long]:
    """As system calls take it."""
    return (ctypes.c_long * 2)(*divmod(t_ns, 1_000_000_000))
