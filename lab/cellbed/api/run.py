# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes a scenario's runs and gives their results, at once or for asyncio."""

from __future__ import annotations

import contextlib
import math
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cellbed.api.scenario import Scenario
from cellbed.error import CellbedError
from cellbed.labs.choices import check_lab
from cellbed.labs.prepare import suited
from cellbed.scenario.description import Run
from cellbed.sweep.execute import Executor, Observer, Outcome, Sweep

if TYPE_CHECKING:
    from cellbed.api.results import Results


@dataclass(frozen=True)
class Progress:
    """How far a run is, and how far all are.

    Attributes:
        done_s, all_s: of its traffic; all_s is infinite where a file decides.
        ended: the run has ended, or was found finished.
        error: why it failed.
        runs_done, runs: of all.
    """

    variant: str
    seed: int
    done_s: float
    all_s: float
    ended: bool
    error: str | None
    runs_done: int
    runs: int

    def __str__(self) -> str:
        run = f"[{self.runs_done}/{self.runs}] {self.variant} seed {self.seed}"
        if self.error is not None:
            return f"{run}: failed: {self.error}"
        return f"{run}: done" if self.ended else f"{run}: {self.done_s:.1f} of {self.all_s:.1f} s"


Listener = Callable[[Progress], None]


class _Teller(Observer):
    """Tells a listener of progress, which comes from several threads."""

    def __init__(self, listener: Listener | None, n_runs: int) -> None:
        self.listener, self.n_runs, self.n_done = listener, n_runs, 0
        self.lock = threading.Lock()

    def _tell(self, run: Run, done_s: float, all_s: float, ended: bool = False, error: str | None = None) -> None:
        if self.listener is not None:
            self.listener(Progress(run.variant, run.seed, done_s, all_s, ended, error, self.n_done, self.n_runs))

    def advanced(self, run: Run, done_s: float, all_s: float) -> None:
        self._tell(run, done_s, all_s)

    def noticed(self, run: Run, text: str) -> None:
        """Its bundle says it, too."""

    def finished(self, run: Run, outcome: Outcome) -> None:
        with self.lock:
            self.n_done += 1
        self._tell(run, math.nan, math.nan, True, outcome.error)


def sweep_of(scenario: Scenario, results: Path, observer: Observer, *, lab: str = "virtual", kernel: str | None = None,
             fleet: Executor | None = None, again: bool = False, compress: bool = False,
             load: Path | None = None) -> Sweep:
    """What executes runs of a scenario, as the command line and `run_scenario` use it.

    Args:
        kernel: as suited() has it.
    """
    return Sweep(scenario.model, scenario.claims, results.resolve(), lab, kernel, observer, fleet=fleet, again=again,
                 compress=compress, load=load)


def run_scenario(scenario: Scenario | str | Path, results: str | Path = "results", *, lab: str = "virtual",
         kernel: str | None = None, jobs: int | None = None, again: bool = False, compress: bool = False,
         progress: Listener | None = None) -> Results:
    """Execute every run of a scenario that has no finished bundle yet, and give the bundles of all.

    Args:
        results: the folder for the bundles.
        lab: virtual, native or vm; README says what each is.
        kernel: of the virtual lab, such as "6.12"; None: the newest that is built.
        jobs: how many runs at once; None: one per CPU.
        again: run also what is finished.
        compress: captures and traces, after each run.
        progress: told of every step, from other threads.

    Raises:
        CellbedError: the lab cannot execute here, or a run failed; the others' bundles are there.

    Examples:
        >>> scenario = Scenario.load("d2d-nardini/static").variant("DM-DM", "IM-IM").set("traffic.0.duration_s", 2)
        >>> run_scenario(scenario, "results")
        <Results results: 2 bundles>
    """
    found, sweep, at_once = _prepared(scenario, results, lab, kernel, jobs, again, compress, progress)
    return _results(found, sweep.execute(found.runs, at_once), results)


async def run_scenario_async(scenario: Scenario | str | Path, results: str | Path = "results", *, lab: str = "virtual",
                     kernel: str | None = None, jobs: int | None = None, again: bool = False, compress: bool = False,
                     progress: Listener | None = None) -> Results:
    """As `run_scenario`, while other tasks go on. A task that is cancelled stops its runs, and leaves nothing behind.

    Examples:
        >>> scenario = Scenario.load("d2d-nardini/static").variant("DM-IM").set("traffic.0.duration_s", 2)
        >>> asyncio.run(run_scenario_async(scenario, "results"))
        <Results results: 1 bundle>
    """
    import asyncio  # which commands do not wait for

    found, sweep, at_once = await asyncio.to_thread(_prepared, scenario, results, lab, kernel, jobs, again, compress,
                                                    progress)

    def executing() -> list[Outcome] | None:
        try:
            return sweep.execute(found.runs, at_once)
        except KeyboardInterrupt:  # as a run's thread has it when the sweep is stopped
            return None

    # Not a task of asyncio's, which would pass such an interrupt on to the whole loop.
    thread = asyncio.get_running_loop().run_in_executor(None, executing)
    try:
        outcomes = await asyncio.shield(thread)
    except asyncio.CancelledError:
        sweep.stop.set()
        with contextlib.suppress(CellbedError):
            await thread
        raise
    return _results(found, outcomes or [], results)


def _prepared(scenario: Scenario | str | Path, results: str | Path, lab: str, kernel: str | None, jobs: int | None,
              again: bool, compress: bool, progress: Listener | None) -> tuple[Scenario, Sweep, int]:
    check_lab(lab, kernel)
    found = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    sweep = sweep_of(found, Path(results), _Teller(progress, len(found.runs)), lab=lab,
                     kernel=suited(lab, kernel, found.runs), again=again, compress=compress)
    return found, sweep, jobs or os.cpu_count() or 1


def _results(scenario: Scenario, outcomes: list[Outcome], results: str | Path) -> Results:
    from cellbed.api.results import Results  # with Polars, which `cellbed run` does not wait for

    failed = [(run, outcome.error) for run, outcome in zip(scenario.runs, outcomes, strict=True) if outcome.error]
    if failed:
        run, error = failed[0]
        raise CellbedError(f"{len(failed)} of {len(outcomes)} runs failed: {run.variant} seed {run.seed}: {error}")
    return Results(Path(results), [outcome.path for outcome in outcomes if outcome.path is not None])
