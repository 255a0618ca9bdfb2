# SPDX-License-Identifier: GPL-2.0-or-later
"""Follows a runner through the progress file it writes, in any lab."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.host.process import await_end
from cellbed.labs.busy_loop import BusyLoop
from cellbed_formats.inside import Inside

STALLED_AFTER_S = 180
_POLL_S = 0.05
# Between two looks there is less, unless this process did not run.
_PAUSE_S = 2


class Watch:
    """What a lab tells of a run's progress, and asks whether to stop."""

    def advanced(self, done_s: float, all_s: float) -> None:
        """Seconds of traffic done and in all; infinity when a file decides."""

    def started(self, pid: int) -> None:
        """The attached command runs; in the native lab as this process."""

    def stopping(self) -> bool:
        return False

    def noticed(self, text: str) -> None:
        """Something that a user would want to know of the run under way."""

    # Without progress for so long a lab is stopped.
    stalled_after_s: float = STALLED_AFTER_S


def timing(started: float, marks: dict[str, float]) -> dict[str, Any]:
    """What a run took in all, and without the time of its traffic, for the manifest."""
    wall_s = time.monotonic() - started
    traffic_s = marks.get("stop", started) - marks.get("traffic", started)
    return {"wall_s": round(wall_s, 3), "setup_wall_s": round(wall_s - traffic_s, 3)}


def follow(process: subprocess.Popen[bytes], directory: Path, watch: Watch, patience: float = 1,
           computing: BusyLoop | None = None) -> dict[str, float]:
    """Wait until the process ends.

    Args:
        patience: how many times longer than usual nothing may happen.
        computing: asked again and again who keeps the lab from going on.

    Returns:
        Wall time (monotonic) at which each phase of the run began.

    Raises:
        LabError: no progress for so long.
        KeyboardInterrupt: the watch wants to stop.
    """
    marks: dict[str, float] = {}
    path = Inside(directory) / "progress"
    seen, last = 0, time.monotonic()
    looked, named = last, None
    while True:
        now = time.monotonic()
        if now - looked > _PAUSE_S:  # this process was stopped meanwhile, and its terminal's lab with it
            last += now - looked
        looked = now
        ended = process.poll() is not None
        lines = path.text().splitlines() if path.is_file() else []
        for line in lines[seen:]:
            last = time.monotonic()
            word, *numbers = line.split()
            if word == "at" and len(numbers) == 2:
                watch.advanced(float(numbers[0]), float(numbers[1]))
            elif word == "started":
                watch.started(int(numbers[0]))
            else:
                marks[word] = last
        seen = len(lines)
        if ended:
            return marks
        if watch.stopping():
            raise KeyboardInterrupt
        computes = computing.look() if computing is not None else None
        if computes is not None and computes != named:
            watch.noticed(computes)
            named = computes
        if now - last > patience * watch.stalled_after_s:
            raise LabError(f"the run made no progress for {patience * watch.stalled_after_s:g} s and was stopped"
                           + (f": {named}" if named else ""))
        await_end([process], _POLL_S)
