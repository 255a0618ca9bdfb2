# SPDX-License-Identifier: GPL-2.0-or-later
"""Progress of many runs: a line for each that has ended, bars on a terminal, and how long all will take."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cellbed.error import CellbedError, LabError
from cellbed.scenario.description import Run
from cellbed_formats.printable import shown

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cellbed.cli.bars import Bars
    from cellbed.cli.screens import Output
    from cellbed.results.size import Measured
    from cellbed.sweep.execute import Outcome


def time_left_s(elapsed_s: float, executed: float, left: float) -> float | None:
    """Time that the rest takes at the pace so far; None before there is one.

    Args:
        elapsed_s: since the first run began that had to be executed, its start-up included.
        executed: runs since then, with parts of those under way.
        left: runs still to come, with the rests of those under way.
    """
    return elapsed_s / executed * left if executed > 0 else None


def time_text(seconds: float | None) -> str:
    """A time for people, such as "3 min left"."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"


def tell_size(runs: Sequence[Run], results: Path, show: Show, compress: bool) -> None:
    """On stderr, where it is much: what runs may write, and later what they will by their first ones."""
    from cellbed.results import size

    # What is not built is said by those who need it.
    with contextlib.suppress(LabError):
        if (told := size.warning(runs, results, compress)) is not None:
            print(f"cellbed: {shown(told)}", file=sys.stderr)
            show.room = size.Measured(runs, results)


def view(wanted: bool, results: Path, console: Output) -> Callable[[], RenderableType] | None:
    """What --watch shows below the progress: the newest run in a folder.

    Raises:
        CellbedError: the output is no terminal.
    """
    if not wanted:
        return None
    from cellbed_watch.follow import Newest

    if not console.is_terminal:
        raise CellbedError("--watch: the output is not a terminal; run `cellbed watch` in a terminal")
    return Newest(results, console.screen)


class Show:
    """Tells of runs; called from several threads."""

    def __init__(self, n_runs: int, console: Output, errors: Output,
                 below: Callable[[], RenderableType] | None = None) -> None:
        """Args: below: what stands below the bars, asked for at each refresh."""
        self.n_runs, self.console, self.errors = n_runs, console, errors
        self.done = self.executed = 0
        self.began = time.monotonic()  # or when the last run was found finished that came before any executed one
        self.parts: dict[int, float] = {}  # of runs under way
        self.lock = threading.Lock()
        self.bars: Bars | None = None
        self.room: Measured | None = None
        if console.is_terminal:
            from cellbed.cli.bars import Bars

            self.bars = Bars(console.screen, n_runs, below)

    def under_way(self) -> contextlib.AbstractContextManager[object]:
        """While runs are executed."""
        return contextlib.nullcontext() if self.bars is None else self.bars

    def expect(self, n_runs: int) -> None:
        """So many runs more than there were."""
        with self.lock:
            self.n_runs += n_runs
            if self.bars is not None:
                self.bars.update(self.bars.total, total=self.n_runs)

    def left(self) -> str:
        """How long all will take, in words."""
        under_way = sum(self.parts.values())
        left = self.n_runs - self.done - under_way
        return time_text(time_left_s(time.monotonic() - self.began, self.executed + under_way, left))

    def state(self) -> str:
        """Of all of them."""
        left = self.left() if self.done < self.n_runs else ""
        return f"{self.done} of {self.n_runs}, {left}".rstrip(", ")

    def advanced(self, run: Run, done_s: float, all_s: float) -> None:
        with self.lock:
            self.parts[id(run)] = min(done_s / all_s, 1) if math.isfinite(all_s) else 0
            if self.bars is not None:
                self.bars.advance_run(run, done_s, all_s, self.state())

    def noticed(self, run: Run, text: str) -> None:
        self.errors.print(f"{run.variant} seed {run.seed}: {text}", markup=False, soft_wrap=True)

    def finished(self, run: Run, outcome: Outcome) -> None:
        with self.lock:
            self._finish(run, outcome)

    def _finish(self, run: Run, outcome: Outcome) -> None:
        self.done += 1
        self.executed += not outcome.cached
        if not self.executed and not self.parts:
            self.began = time.monotonic()
        self.parts.pop(id(run), None)
        if self.bars is not None:
            self.bars.end_run(run, self.done, self.state())
        left = self.left() if self.done < self.n_runs else ""
        label = f"[{self.done}/{self.n_runs}] {run.variant} seed {run.seed}: "
        if outcome.error is not None:
            self.errors.print(f"{label}failed: {shown(outcome.error)}", style="red", soft_wrap=True)
        elif outcome.cached:
            self.console.print(f"{label}already there: {outcome.path}", soft_wrap=True)
        elif (m := outcome.manifest) is not None:
            verdict = m["validity"]["verdict"]
            why = "; ".join(r["text"] for r in m["validity"]["reasons"])
            self.console.print(
                f"{label}{m['virtual_s']:.0f} s in {m['wall_s']:.1f} s (start-up {m['setup_wall_s']:.1f} s), "
                f"{verdict}{': ' + why if why else ''}{'; ' + left if left else ''}",
                soft_wrap=not self.console.is_terminal)
        told = self.room.finished(run, outcome.path) if self.room is not None and outcome.path is not None else None
        if told is not None:
            self.errors.print(f"cellbed: {shown(told)}", markup=False, soft_wrap=True)
