# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars of runs that are under way, on a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column

from cellbed.scenario.description import Run


class Bars(Progress):
    """One for all runs, one for each under way, and something below them."""

    def __init__(self, console: Console, n_runs: int, below: Callable[[], RenderableType] | None) -> None:
        self.below = below  # asked for from the beginning
        # A long name is cut before what is known of the run.
        name = TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=3))
        super().__init__(name, BarColumn(bar_width=None, table_column=Column(ratio=1, min_width=4)),
                         TextColumn("{task.fields[state]}", table_column=Column(no_wrap=True)),
                         TimeElapsedColumn(), expand=True, console=console, transient=True)
        self.total = self.add_task("all runs", total=n_runs, state="")
        self.runs: dict[int, TaskID] = {}

    def get_renderables(self) -> Iterator[RenderableType]:
        yield from super().get_renderables()
        if self.below is not None:
            yield self.below()

    def advance_run(self, run: Run, done_s: float, all_s: float, state: str) -> None:
        """Args: all_s: infinite where nobody knows; state: of all runs."""
        known = math.isfinite(all_s)
        if id(run) not in self.runs:
            self.runs[id(run)] = self.add_task(f"{run.variant} seed {run.seed}", total=all_s if known else None,
                                               state="")
        self.update(self.runs[id(run)], completed=min(done_s, all_s),
                    state=f"{done_s:.0f} of {all_s:.0f} s" if known else f"{done_s:.0f} s")
        self.update(self.total, state=state)

    def end_run(self, run: Run, done: int, state: str) -> None:
        if id(run) in self.runs:
            self.remove_task(self.runs.pop(id(run)))
        self.update(self.total, completed=done, state=state)
