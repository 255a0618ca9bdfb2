# SPDX-License-Identifier: GPL-2.0-or-later
"""Progress of many runs: bars on a terminal, a line per run elsewhere, and how long it will take."""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from cellbed.description import Run
from cellbed.error import CellbedError, LabError
from cellbed_analysis.printable import shown

if TYPE_CHECKING:
    from cellbed.sweep import Outcome


def time_left_s(elapsed_s: float, played: float, left: float) -> float | None:
    """Time that the rest takes at the pace so far; None before there is one.

    Args:
        elapsed_s: since the first run began that had to be played, its start-up included.
        played: runs since then, with parts of those under way.
        left: runs still to come, with the rests of those under way.
    """
    return elapsed_s / played * left if played > 0 else None


def time_text(seconds: float | None) -> str:
    """A time for people, such as "3 min left"."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"


def tell_size(runs: Sequence[Run], results: Path) -> None:
    """On stderr, where it is much: what runs may write."""
    from cellbed import size

    # What is not built is said by those who need it.
    with contextlib.suppress(LabError):
        if (told := size.warning(runs, results)) is not None:
            print(f"cellbed: {shown(told)}", file=sys.stderr)


def view(wanted: bool, results: Path, console: Console) -> Callable[[], RenderableType] | None:
    """What --watch shows below the progress: the newest run in a folder.

    Raises:
        CellbedError: the output is no terminal.
    """
    if not wanted:
        return None
    from cellbed_watch.follow import Newest

    if not console.is_terminal:
        raise CellbedError("--watch: the output is no terminal; `cellbed watch` follows runs from another one")
    return Newest(results, console)


class _Bars(Progress):
    """Bars with something below them."""

    below: Callable[[], RenderableType] | None = None

    def get_renderables(self) -> Iterator[RenderableType]:
        yield from super().get_renderables()
        if self.below is not None:
            yield self.below()


class Show:
    """Tells of runs on consoles; called from several threads."""

    def __init__(self, n_runs: int, console: Console, errors: Console,
                 below: Callable[[], RenderableType] | None = None) -> None:
        """Args: below: what stands below the bars, asked for at each refresh."""
        self.n_runs, self.errors = n_runs, errors
        self.done = self.played = 0
        self.began = time.monotonic()  # or when the last run was found finished that came before any played one
        self.parts: dict[int, float] = {}  # of runs under way
        self.lock = threading.Lock()
        # A long name is cut before what is known of the run.
        name = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=3))
        self.progress = _Bars(name, BarColumn(bar_width=None, table_column=Column(ratio=1, min_width=4)),
                              TextColumn("{task.fields[state]}", table_column=Column(no_wrap=True)),
                              TimeElapsedColumn(), expand=True, console=console, transient=True,
                              disable=not console.is_terminal)
        self.progress.below = below
        self.total = self.progress.add_task("all runs", total=n_runs, state="")
        self.tasks: dict[int, TaskID] = {}

    def expect(self, n_runs: int) -> None:
        """So many runs more than there were."""
        with self.lock:
            self.n_runs += n_runs
            self.progress.update(self.total, total=self.n_runs)

    def left(self) -> str:
        """How long all will take, in words."""
        under_way = sum(self.parts.values())
        left = self.n_runs - self.done - under_way
        return time_text(time_left_s(time.monotonic() - self.began, self.played + under_way, left))

    def advanced(self, run: Run, done_s: float, all_s: float) -> None:
        key = id(run)
        known = math.isfinite(all_s)
        with self.lock:
            if key not in self.tasks:
                self.tasks[key] = self.progress.add_task(f"{run.variant} seed {run.seed}",
                                                         total=all_s if known else None, state="")
            self.parts[key] = min(done_s / all_s, 1) if known else 0
            self.progress.update(self.tasks[key], completed=min(done_s, all_s),
                                 state=f"{done_s:.0f} of {all_s:.0f} s" if known else f"{done_s:.0f} s")
            self.progress.update(self.total, state=f"{self.done} of {self.n_runs}, {self.left()}".rstrip(", "))

    def noticed(self, run: Run, text: str) -> None:
        self.errors.print(f"{run.variant} seed {run.seed}: {text}", markup=False, soft_wrap=True)

    def finished(self, run: Run, outcome: Outcome) -> None:
        with self.lock:
            self._finish(run, outcome)

    def _finish(self, run: Run, outcome: Outcome) -> None:
        self.done += 1
        self.played += not outcome.cached
        if not self.played and not self.parts:
            self.began = time.monotonic()
        self.parts.pop(id(run), None)
        if id(run) in self.tasks:
            self.progress.remove_task(self.tasks.pop(id(run)))
        left = self.left() if self.done < self.n_runs else ""
        self.progress.update(self.total, completed=self.done,
                             state=f"{self.done} of {self.n_runs}, {left}".rstrip(", "))
        label = f"[{self.done}/{self.n_runs}] {run.variant} seed {run.seed}: "
        if outcome.error is not None:
            self.errors.print(f"{label}failed: {shown(outcome.error)}", style="red", soft_wrap=True)
        elif outcome.cached:
            self.progress.console.print(f"{label}already there: {outcome.path}", soft_wrap=True)
        else:
            m = outcome.manifest
            verdict = m["validity"]["verdict"]
            why = "; ".join(r["text"] for r in m["validity"]["reasons"])
            self.progress.console.print(
                f"{label}{m['virtual_s']:.0f} s in {m['wall_s']:.1f} s (start-up {m['setup_wall_s']:.1f} s), "
                f"{verdict}{': ' + why if why else ''}{'; ' + left if left else ''}",
                soft_wrap=not self.progress.console.is_terminal)
