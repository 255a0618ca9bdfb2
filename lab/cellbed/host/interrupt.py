# SPDX-License-Identifier: GPL-2.0-or-later
"""What SIGINT, SIGTERM and a hang-up do: they end the command at once, unless it has something to clean up.

Only the first counts: one that comes while the command cleans up would interrupt that, and leave things behind.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Mapping
from typing import Any

INTERRUPTED = 130  # the status of a command that was
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What has interrupted this process.
_raised: set[int] = set()
_held = False
_arrived: list[int] = []  # while it was held


def interrupt(number: int = signal.SIGINT, *_: object) -> None:
    """Handler of signals: a KeyboardInterrupt, and nothing for those that follow."""
    if _held:
        _arrived.append(number)
        return
    _raised.add(number)
    for sig in _SIGNALS:
        signal.signal(sig, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextlib.contextmanager
def held() -> Iterator[None]:
    """An interrupt comes after the block, which is short and belongs to the first thread.

    Within, it could come when a lock has just been taken that nobody would release, and another thread waited for ever.
    """
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False
    if _arrived:
        number = _arrived[0]
        _arrived.clear()
        interrupt(number)


@contextlib.contextmanager
def cleaning_up() -> Iterator[None]:
    """While the block runs the signals are a KeyboardInterrupt.

    Python raises it only between its own instructions. So what reads input, which may keep a library busy for long,
    belongs outside: there the kernel ends the process.
    """
    handlers = {sig: signal.getsignal(sig) for sig in _SIGNALS}
    for sig, handler in handlers.items():
        if handler != signal.SIG_IGN:  # as under nohup
            signal.signal(sig, interrupt)
    try:
        yield
    except KeyboardInterrupt:  # the command ends, and what is still to be done for that is not to be interrupted
        raise
    except BaseException:
        _restore(handlers)
        raise
    else:
        _restore(handlers)


def _restore(handlers: Mapping[signal.Signals, Any]) -> None:
    for sig, handler in handlers.items():
        signal.signal(sig, handler)


def was_interrupted(error: BaseException | None) -> bool:
    """Whether an error came from an interrupt: libraries make errors of their own of it, some without a cause."""
    if error is not None and _raised:
        return True
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
