# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes the runs of a sweep on a Dask cluster; fleet_worker.py is the other end.

The client describes runs and makes bundles of what comes back, so that a bundle is the same wherever it was executed.
Dask gives the run of a worker that died to another one, so often as the scheduler allows.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import time
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellbed.error import CellbedError, LabError
from cellbed.host import ledger
from cellbed.host.ledger import TEMPORARY_PREFIX
from cellbed.labs import kernels
from cellbed.labs.user_terminal import note
from cellbed.results.bundle import Bundle
from cellbed.scenario.description import Run
from cellbed.sweep import fleet_key, receive, remote_run
from cellbed.sweep.execute import Outcome, Sweep
from cellbed.sweep.remote_run import Executed, Task
from cellbed_formats.inside import Inside

if TYPE_CHECKING:
    from distributed import Client, Future

_CONNECT_S = 10
_LOOK_S = 2.0
_STOP_S = 60.0


@contextlib.contextmanager
def connected(address: str, lab: str, kernel: str | None, shared: bool, key: Path | None) -> Iterator[Fleet]:
    """The cluster behind a scheduler.

    Args:
        shared: let workers that see the results folder put bundles there.
        key: of the fleet; None on loopback.

    Raises:
        CellbedError: no scheduler answers, or a worker is not like this machine.
    """
    fleet_key.parse_address("--scheduler", address, key)
    receive.check_lab("--scheduler", lab, kernel)
    try:
        from distributed import Client

        from cellbed.sweep import fleet_worker  # noqa: F401 (needs it, too)
    except ModuleNotFoundError as error:
        raise CellbedError(f"--scheduler needs Dask ({error}); run `pip install 'cellbed[fleet]'`") from None
    for name in ("distributed", "distributed.client"):  # what went wrong is told in our words
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            client = Client(address, timeout=_CONNECT_S, set_as_default=False,
                            security=fleet_key.security(key) if key is not None else None)
        except (OSError, ValueError) as error:
            raise CellbedError(f"--scheduler {address}: {error}") from None
    try:
        fleet = Fleet(client, kernel or kernels.default(), shared)
        try:
            fleet.check()
            yield fleet
        finally:
            fleet.end()
    finally:
        client.close()


class Fleet:
    """The workers of a scheduler, for one sweep."""

    def __init__(self, client: Client, kernel: str, shared: bool) -> None:
        from cellbed.sweep import fleet_worker

        self.client, self.kernel, self.shared = client, kernel, shared
        self.worker = fleet_worker
        self.name = f"cellbed-{uuid.uuid4().hex[:12]}"
        self.facts = fleet_worker.facts(kernel)
        self.futures: dict[int, Future[Executed]] = {}
        self.submitted = 0

    def check(self) -> None:
        """Wait for the first worker; raises CellbedError when one of those there are differs from this machine."""
        if not self.client.scheduler_info()["workers"]:
            note("the scheduler has no workers yet; waiting for one")
        self.client.wait_for_workers(1)
        for address, found in sorted(self.client.run(self.worker.facts, self.kernel, on_error="return").items()):
            if isinstance(found, BaseException):
                raise CellbedError(f"worker {address}: {found}")
            if text := remote_run.differences(found, self.facts):
                raise CellbedError(_refusal(f"worker {address} ({found[remote_run.HOST]}): {text}"))

    def execute(self, sweep: Sweep, runs: list[Run]) -> list[Outcome]:
        """As Sweep.execute()."""
        outcomes: dict[int, Outcome] = {}
        done: queue.Queue[int] = queue.Queue()
        with _proof(sweep.results, self.shared) as proof:
            bundles = {self.submitted + n: sweep.bundle(run) for n, run in enumerate(runs)}
            first, self.submitted = self.submitted, self.submitted + len(runs)
            self.client.subscribe_topic(self.name, lambda event: _advanced(sweep, bundles, event[1]))
            for index, bundle in bundles.items():
                if (outcome := sweep.cached(bundle)) is not None:
                    outcomes[index] = outcome
                    sweep.observer.finished(bundle.run, outcome)
                else:
                    self._submit(index, bundle, sweep.results, proof, done)
            for index in self._as_they_come(done):
                outcomes[index] = self._receive(sweep, bundles[index], self.futures.pop(index))
                sweep.observer.finished(bundles[index].run, outcomes[index])
        return [outcomes[first + n] for n in range(len(runs))]

    def _submit(self, index: int, bundle: Bundle, results: Path, proof: Path | None, done: queue.Queue[int]) -> None:
        task = Task(self.name, index, bundle.path.name, bundle.run, bundle.description, self.kernel, self.facts,
                    receive.files(bundle.run), results, proof, os.getpid())
        future = self.client.submit(self.worker.execute, task, key=f"{self.name}-{index}", pure=False)
        self.futures[index] = future
        future.add_done_callback(lambda _, index=index: done.put(index))

    def _as_they_come(self, done: queue.Queue[int]) -> Iterator[int]:
        """Indices of runs, as they end; tells when there is nobody to execute the rest."""
        alone = False
        while self.futures:
            try:
                yield done.get(timeout=_LOOK_S)
            except queue.Empty:
                if not self.client.scheduler_info()["workers"] and not alone:
                    note("the scheduler has no workers any more; waiting for one")
                    alone = True
                continue
            alone = False

    def _receive(self, sweep: Sweep, bundle: Bundle, future: Future[Executed]) -> Outcome:
        """A bundle of what a worker made."""
        try:
            return receive.finish(sweep, bundle, self._result(future))
        except LabError as error:
            return Outcome(None, error=str(error))
        finally:
            future.release()

    def _result(self, future: Future[Executed]) -> Executed:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            return future.result()
        except remote_run.Differs as error:
            raise CellbedError(_refusal(str(error))) from None
        except KilledWorker as error:
            raise LabError(f"{error.allowed_failures + 1} workers died while they were running it; the last one was "
                           f"{error.last_worker.address}") from None
        except CancelledError:
            raise CellbedError("the scheduler is lost; run the same command again to execute the rest") from None
        except Exception as error:  # of a worker, whatever it is
            raise LabError(f"worker: {type(error).__name__}: {error}") from error

    def end(self) -> None:
        """Give up what still runs, and wait until nothing of it is left."""
        self.client.cancel(list(self.futures.values()))
        deadline = time.monotonic() + _STOP_S
        with contextlib.suppress(Exception):  # the scheduler may be gone; workers see that by themselves
            while not all(self.client.run(self.worker.end, self.name, on_error="ignore").values()):
                if time.monotonic() > deadline:
                    note("a worker is still running; `cellbed clean` on its machine removes what it leaves behind")
                    return
                time.sleep(0.1)


def _refusal(text: str) -> str:
    return f"{text}; all workers have to run with the same: build the same version there and start the worker again"


def _advanced(sweep: Sweep, bundles: dict[int, Bundle], message: list[Any]) -> None:
    index, done_s, all_s = message
    if index in bundles:
        sweep.observer.advanced(bundles[index].run, done_s, all_s)


@contextlib.contextmanager
def _proof(results: Path, shared: bool) -> Iterator[Path | None]:
    """A folder by whose name workers know the results folder; afterwards nothing unfinished is in there."""
    proof = results / f"{TEMPORARY_PREFIX}{uuid.uuid4().hex}.{os.getpid()}"
    with ledger.entry(ledger.BUNDLE, os.getpid(), proof):
        try:
            folder = Inside.named(results)
            if shared:
                (folder / proof.name).create()
        except OSError as error:
            raise LabError(f"{error.filename}: {error.strerror}") from None
        try:
            yield proof if shared else None
        finally:
            for left in folder.matching(f"{TEMPORARY_PREFIX}*.{os.getpid()}"):
                with contextlib.suppress(OSError):
                    left.remove_folder()
