# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes the runs of a scenario, as many side by side as there are CPUs for them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import queue
import threading
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from cellbed import paths
from cellbed.error import CellbedError, LabError, told
from cellbed.host import ledger
from cellbed.host.interrupt import held
from cellbed.labs.choices import ROOTLESS
from cellbed.labs.follow import Watch
from cellbed.labs.prepare import prepare
from cellbed.labs.user_terminal import UserTerminal
from cellbed.results.bundle import Bundle, evaluated, tool_versions
from cellbed.run import congestion_control, memory, xlat
from cellbed.scenario.description import Run
from cellbed.scenario.model import Scenario
from cellbed_formats import named_file
from cellbed_formats.inside import Inside


class Observer(Protocol):
    """Told what happens, from several threads."""

    def advanced(self, run: Run, done_s: float, all_s: float) -> None: ...

    def noticed(self, run: Run, text: str) -> None: ...

    def finished(self, run: Run, outcome: Outcome) -> None: ...


_OBJECT_BYTES_MAX = 64 << 20
_FULL_BYTES = 64 << 10
_LISTEN_S = 0.2


@dataclass(frozen=True)
class Outcome:
    path: Path | None
    cached: bool = False
    manifest: dict[str, Any] | None = None
    error: str | None = None


class Executor(Protocol):
    """Somebody else who executes the runs of a sweep."""

    def execute(self, sweep: Sweep, runs: list[Run]) -> list[Outcome]:
        """As Sweep.execute()."""


def _control(load: Path, lab: str) -> bytes:
    """The BPF object of --load. Raises LabError as congestion_control.read()."""
    if lab != "virtual":
        try:
            named_file.check(load, _OBJECT_BYTES_MAX)
        except OSError as error:
            raise LabError(f"--load {told(error)}") from error
    return congestion_control.read(load, lab)


class _RunWatch(Watch):
    """Passes one run's progress on to the sweep's observer."""

    def __init__(self, sweep: Sweep, run: Run) -> None:
        self.sweep, self.run = sweep, run

    def advanced(self, done_s: float, all_s: float) -> None:
        self.sweep.observer.advanced(self.run, done_s, all_s)

    def noticed(self, text: str) -> None:
        self.sweep.observer.noticed(self.run, text)

    def stopping(self) -> bool:
        return self.sweep.stop.is_set()


def _no_space(results: Path) -> str:
    """What to add to a failure when the disk is full: it may have left no room to say so."""
    disk = os.statvfs(results)
    free_bytes = disk.f_bavail * disk.f_frsize
    return f"; {results}: No space left on device" if free_bytes < _FULL_BYTES else ""


def each_variant_first(runs: list[Run]) -> list[int]:
    """Positions of runs in the order in which they start: first one of each variant, so that all are seen early."""
    first = {run.variant: n for n, run in reversed(list(enumerate(runs)))}
    return sorted(range(len(runs)), key=lambda n: (first[runs[n].variant] != n, n))


def _idle_first(cpus: set[int]) -> list[int]:
    """CPUs in the order in which guests are to get them: last those on which guests of other commands run."""
    taken: Counter[int] = Counter()
    for lab in ledger.living():
        with contextlib.suppress(OSError):  # it has just ended
            own = os.sched_getaffinity(lab.lab_pid)
            taken.update(own if len(own) == 1 else ())
    return sorted(cpus, key=lambda cpu: (taken[cpu], cpu))


class Sweep:
    """One invocation of `cellbed run` and the like."""

    def __init__(self, scenario: Scenario, claims: list[dict[str, Any]], results: Path, lab: str,
                 kernel: str | None, observer: Observer, terminal: UserTerminal | None = None,
                 fleet: Executor | None = None, again: bool = False, compress: bool = False,
                 load: Path | None = None) -> None:
        """
        Args:
            again: run also what has a finished bundle, which is replaced.
            compress: captures and traces, after each run.
            load: BPF object whose congestion control the runs may have.
        """
        self.scenario, self.claims, self.results = scenario, claims, results
        self.observer, self.terminal, self.fleet = observer, terminal, fleet
        self.again, self.compress = again, compress
        self.programs = paths.programs(load is not None, lab == ROOTLESS)
        self.control = _control(load, lab) if load is not None else None
        self.lab = prepare(lab, kernel)
        self.prints = {**paths.fingerprints(self.programs), **tool_versions(), "kernel": self.lab.kernel}
        if self.control is not None:
            self.prints["load"] = hashlib.sha256(self.control).hexdigest()
        self.cpus: queue.Queue[int] = queue.Queue()
        self.stop = threading.Event()

    def execute(self, runs: list[Run], jobs: int) -> list[Outcome]:
        """Execute every run that has no finished bundle. Return: outcomes in the order of the runs.

        Raises:
            LabError: the lab cannot run anything on this machine.
        """
        if self.fleet is not None:
            return self.fleet.execute(self, runs)
        self.lab.try_out()
        cpus = _idle_first(os.sched_getaffinity(0))
        jobs = min(jobs, len(cpus), self._guests_at_once(runs)) if self.lab.side_by_side else 1
        self.cpus = queue.Queue()  # an earlier call has given its CPUs back to its own
        for cpu in cpus[:jobs]:
            self.cpus.put(cpu)
        try:
            Inside.named(self.results)
        except OSError as error:
            raise LabError(f"{error.filename}: {error.strerror}") from None
        with ThreadPoolExecutor(jobs) as pool:
            futures: dict[int, Future[Outcome | None]] = {}
            try:
                for n in each_variant_first(runs):  # that one runs already while the others wait their turn
                    futures[n] = self._submit(pool, runs[n], False)
                outcomes = self._results([futures[n] for n in range(len(runs))])
                # What other commands were running then; most of it has its bundle by now.
                late = {n: self._submit(pool, run, True) for n, run in enumerate(runs) if outcomes[n] is None}
                executed = dict(zip(late, self._results(list(late.values())), strict=True))
            except KeyboardInterrupt:
                self.stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        every = [executed.get(n, outcome) for n, outcome in enumerate(outcomes)]
        return [outcome for outcome in every if outcome is not None]

    def _submit(self, pool: ThreadPoolExecutor, run: Run, wait_for_others: bool) -> Future[Outcome | None]:
        with held():
            return pool.submit(self._one, run, wait_for_others)

    @staticmethod
    def _results(futures: list[Future[Outcome | None]]) -> list[Outcome | None]:
        pending = set(futures)
        while pending:
            # Not for ever: once Polars is imported, no signal ends a wait, and Python hears of none.
            with held():
                _, pending = wait(pending, _LISTEN_S, return_when=FIRST_COMPLETED)
        return [future.result() for future in futures]

    def _guests_at_once(self, runs: list[Run]) -> int:
        """As many as there is memory for, if all were as large as the largest."""
        return memory.side_by_side(max((memory.guest_mib(run.settings) for run in runs), default=1))

    def bundle(self, run: Run) -> Bundle:
        """Where a run's result belongs, with what it is."""
        own = {**self.lab.controls(run.settings, self.control is not None), **xlat.fingerprint(run.settings)}
        return Bundle(self.results, run, run.describe(self.lab.name, {**self.prints, **own}))

    def cached(self, bundle: Bundle, by_others: bool = False) -> Outcome | None:
        """What a finished run has, None when it has to be executed.

        Args:
            by_others: somebody else has just been running it.
        """
        if self.again and not by_others or self.terminal is not None or (manifest := bundle.complete()) is None:
            return None
        bundle.refresh(self.claims, evaluated(self.scenario))
        return Outcome(bundle.path, cached=True, manifest=manifest)

    def _go_on(self) -> None:
        """Raises KeyboardInterrupt in a run's thread when the command has been interrupted: no signal comes there."""
        if self.stop.is_set():
            raise KeyboardInterrupt

    def _one(self, run: Run, wait_for_others: bool) -> Outcome | None:
        """Execute a run, unless it has a bundle. Return: None: somebody else is executing it just now."""
        bundle, waited = self.bundle(run), False
        outcome = self.cached(bundle)
        try:
            while outcome is None and not bundle.claim.take():
                if not wait_for_others:
                    return None
                if not waited:
                    self.observer.noticed(run, "another command is running it; waiting for that")
                waited = True
                self._go_on()
                time.sleep(_LISTEN_S)
            if outcome is None:  # somebody else may have finished it meanwhile
                outcome = self.cached(bundle, waited or wait_for_others) or self._execute(run, bundle)
        except OSError as error:
            outcome = Outcome(None, error=told(error, self.results))
        finally:
            bundle.claim.release()
        self.observer.finished(run, outcome)
        return outcome

    def _execute(self, run: Run, bundle: Bundle) -> Outcome:
        cpu = self.cpus.get()
        watch = self.terminal or _RunWatch(self, run)
        try:
            directory = bundle.begin(self.programs, self._go_on)
            if self.control is not None:
                (Inside(directory) / congestion_control.OBJECT).write(self.control)
            with bundle.channel:
                measured = self.lab.execute(directory, bundle.description, cpu, watch, self.terminal)
            manifest = bundle.finish(self.scenario, self.claims, measured, self.compress)
            return Outcome(bundle.path, manifest=manifest)
        except CellbedError as error:
            return Outcome(None, error=f"{error}{_no_space(self.results)}")
        except OSError as error:
            return Outcome(None, error=told(error, bundle.temporary))
        finally:
            bundle.abandon()
            self.cpus.put(cpu)
