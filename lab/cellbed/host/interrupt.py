# SPDX-License-Identifier: GPL-2.0-or-later
"""What SIGTERM and a hang-up do: they end the command at once, unless it has something to clean up."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

INTERRUPTED = 130  # the status of a command that was
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def cleaning_up() -> Iterator[None]:
    """While the block runs the signals are a KeyboardInterrupt.

    Python raises it only between its own instructions. So what reads input, which may keep a library busy for long,
    belongs outside: there the kernel ends the process.
    """
    handlers = {sig: signal.getsignal(sig) for sig in _SIGNALS}
    for sig, handler in handlers.items():
        if handler != signal.SIG_IGN:  # as under nohup
            signal.signal(sig, _interrupt)
    try:
        yield
    finally:
        for sig, handler in handlers.items():
            signal.signal(sig, handler)


def was_interrupted(error: BaseException | None) -> bool:
    """Whether an interrupt is what an error came from: libraries that import others make errors of their own of it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
