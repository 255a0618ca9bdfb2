# SPDX-License-Identifier: GPL-2.0-or-later
"""Translators of 464XLAT in network namespaces that somebody else has made, such as Mininet's hosts.

They are those of a run, and nothing else of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from cellbed.error import LabError
from cellbed.host import ledger, programs
from cellbed.host.process import Running
from cellbed.run import xlat

# A program that becomes another user outlives its parent. So it is in a PID namespace, whose first process does not.
_TOGETHER = ["--pid", "--fork", "--kill-child", "sh", "-c", '"$@"; exit $?', "sh"]


class Translators:
    """Translators together, which end with the thread that starts them, however that ends."""

    def __init__(self, wanted: Sequence[xlat.Translator], pids: Mapping[str, int]) -> None:
        """Args: pids: of each node a process in its network."""
        self._wanted, self._pids = wanted, dict(pids)
        self._running = contextlib.ExitStack()
        self._started: list[Running] = []

    def start(self) -> None:
        """Make their interfaces.

        Raises:
            LabError: it does not work; then there are none.
        """
        with ledger.scratch() as scratch, contextlib.ExitStack() as stack:
            # The folder goes now, so that nothing can be left of it.
            log = stack.enter_context(open(scratch / "log", "ab"))
            self._started = xlat.start(stack, self._wanted, self._pids, scratch, Path(f"/proc/self/fd/{log.fileno()}"),
                                       rootless=False, by=[programs.command("unshare"), *_TOGETHER])
            self._running = stack.pop_all()

    def turn(self) -> None:
        """Once more for interfaces of the radio that are new. Raises LabError where it does not work."""
        for one in self._wanted:
            xlat.turn(one, self._pids[one.node])

    def stop(self) -> None:
        """End them, and with them their interfaces.

        Raises:
            LabError: one of them had ended before.
        """
        ended = next((f"{one.name}: it ended before the link did: {one.log_tail()}" for one in self._started
                      if one.popen.poll() is not None), None)
        self._running.close()
        for one in self._wanted if self._started else []:
            xlat.await_gone(one, self._pids[one.node])
        self._started = []
        if ended is not None:
            raise LabError(ended)
