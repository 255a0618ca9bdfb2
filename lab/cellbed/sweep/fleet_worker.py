# SPDX-License-Identifier: GPL-2.0-or-later
"""What a Dask worker does for a sweep: it says what it would execute with, executes runs, and hands their files over.

A run executes in a folder of the worker's own. Its files then go into the results folder where the worker sees that one
as the client does, and through the scheduler otherwise; the client makes them a bundle in either case.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from distributed import get_worker
from distributed.core import Status

from cellbed.error import LabError
from cellbed.host import clean, ledger
from cellbed.host.ledger import TEMPORARY_PREFIX
from cellbed.labs.follow import Watch
from cellbed.sweep import remote_run
from cellbed.sweep.remote_run import Executed, Task

_WORKING = (Status.running, Status.paused, Status.closing_gracefully)
# Progress is for a person's eye.
_TELL_S = 0.5

_executing: set[str] = set()  # keys of this process's tasks


def facts(kernel: str) -> dict[str, str]:
    """As remote_run.facts(), and of Dask."""
    return {**remote_run.facts(kernel), **_dask()}


def _dask() -> dict[str, str]:
    return {"distributed": metadata.version("distributed")}


def execute(task: Task) -> Executed:
    """Execute a run; as remote_run.execute()."""
    worker = get_worker()
    watch = _TaskWatch(worker, task)
    directory = Path(worker.local_directory) / f"{TEMPORARY_PREFIX}{task.name}.{os.getpid()}"
    _executing.add(watch.key)
    try:
        here = remote_run.Worker(f"worker {worker.address}", _own_cpu(), partial(_hand_over, task), _dask())
        return remote_run.execute(task, directory, here, watch)
    finally:
        _executing.discard(watch.key)


class _TaskWatch(Watch):
    """Tells the client of progress; stops when the client gave the run up or is gone, or this worker ends."""

    def __init__(self, worker: Any, task: Task) -> None:
        self.worker, self.task = worker, task
        self.key = worker.get_current_task()
        self.told = 0.0

    def advanced(self, done_s: float, all_s: float) -> None:
        if time.monotonic() - self.told >= _TELL_S:
            self.told = time.monotonic()
            self.worker.log_event(self.task.sweep, [self.task.index, done_s, all_s])

    def stopping(self) -> bool:
        known = self.worker.state.tasks.get(self.key)
        return known is None or known.state == "cancelled" or self.worker.status not in _WORKING


@contextlib.contextmanager
def _own_cpu() -> Iterator[int]:
    """A CPU that no other worker's lab of this user has; with more workers than CPUs, any."""
    cpus = sorted(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        for cpu in cpus:
            file = stack.enter_context(open(ledger.directory() / f"cpu-{cpu}", "w"))  # noqa: SIM115
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield cpu
            return
        yield cpus[os.getpid() % len(cpus)]


def _hand_over(task: Task, directory: Path, measured: dict[str, Any]) -> Executed:
    if task.proof is not None and _is_mine(task.proof):
        folder = task.results / f"{TEMPORARY_PREFIX}{task.name}-{uuid.uuid4().hex[:8]}.{task.owner}"
        try:
            shutil.move(directory, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return Executed(measured, folder=folder.name)
    return Executed(measured, packed=remote_run.pack(directory))


def _is_mine(proof: Path) -> bool:
    """The client's folder is here under its name, and what is put into it belongs to the client's user."""
    try:
        return proof.stat().st_uid == os.geteuid() and os.access(proof.parent, os.W_OK)
    except OSError:
        return False


def end(sweep: str) -> bool:
    """Remove what dead workers of this machine left. Return: whether nothing of a sweep runs here any more."""
    if any(key.startswith(sweep) for key in _executing):
        return False
    with contextlib.suppress(OSError, LabError):
        clean.clean()
    return True
