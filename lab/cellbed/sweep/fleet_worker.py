# SPDX-License-Identifier: GPL-2.0-or-later
"""What a Dask worker does for a sweep: it says what it would play with, plays runs, and hands their files over.

A run plays in a folder of the worker's own. Its files then go into the results folder where the worker sees that one
as the client does, and through the scheduler otherwise; the client makes them a bundle in either case.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import shutil
import socket
import tarfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from distributed import get_worker
from distributed.core import Status

from cellbed import paths
from cellbed.error import CellbedError, LabError, told
from cellbed.host import clean, ledger
from cellbed.host.ledger import TEMPORARY_PREFIX
from cellbed.labs import kernels
from cellbed.labs.follow import Watch
from cellbed.labs.virtual import play as play_virtual
from cellbed.results.bundle import FACTS, furnish, strip, tool_versions
from cellbed.scenario import channel, named_files
from cellbed.scenario.description import Run

HOST = "host"
_WORKING = (Status.running, Status.paused, Status.closing_gracefully)
# Progress is for a person's eye.
_TELL_S = 0.5
# Captures shrink to about half; more effort costs more time than it saves.
_COMPRESSION = 1


paths.code()  # now: as this process has loaded it


class Differs(CellbedError):
    """A worker would not play what the client has described."""


class Stopped(CellbedError):
    """Nobody wants the run any more."""


@dataclass(frozen=True)
class Task:
    """A run on its way to a worker.

    Attributes:
        sweep: name of the sweep, for its progress.
        index: of the run in it.
        facts: what has to be the same at the worker.
        files: those of the run that come from files of the client's machine.
        results: where bundles belong, and a folder in there that proves that it is the same one.
        owner: process that answers for what is unfinished in there.
    """

    sweep: str
    index: int
    name: str
    run: Run
    description: dict[str, Any]
    kernel: str
    facts: dict[str, str]
    files: dict[str, bytes]
    results: Path
    proof: Path | None
    owner: int


@dataclass(frozen=True)
class Played:
    """What came of it: measurements from outside, and the files, packed or in a folder; or an error."""

    measured: dict[str, Any] | None = None
    packed: bytes | None = None
    folder: str | None = None
    error: str | None = None


# --- is it the same? ---


def facts(kernel: str) -> dict[str, str]:
    """What decides a run's bytes besides its description, by name.

    Raises:
        LabError: something is missing.
    """
    return _facts_and_kernel(kernel)[0]


def _facts_and_kernel(kernel: str) -> tuple[dict[str, str], Path]:
    path = kernels.find(kernel)
    prints = paths.fingerprints(paths.programs())
    return {HOST: socket.gethostname(), "cellbed": metadata.version("cellbed"),
            "Python code of cellbed": prints["code"], **{name: prints[name] for name in paths.PROGRAMS},
            f"lab kernel {kernel}": f"{paths.sha256(path)} ({path.parent.name})",
            **tool_versions(), "distributed": metadata.version("distributed")}, path


def differences(there: dict[str, str], here: dict[str, str]) -> str:
    """In words, "" when there is none."""
    return ", ".join(f"{name} is {_short(there.get(name))}, here {_short(here.get(name))}"
                     for name in here if name != HOST and there.get(name) != here[name])


def _short(text: str | None) -> str:
    if text is None:
        return "unknown"
    return " ".join(word[:12] if len(word) == 64 else word for word in text.split())


# --- a run ---

_playing: set[str] = set()  # keys of this process's tasks


def play(task: Task) -> Played:
    """Play a run; what goes wrong with it is its result.

    Raises:
        Differs: this worker is not like the client.
        Stopped: nobody wants the result any more.
    """
    worker = get_worker()
    watch = _TaskWatch(worker, task)
    found, kernel = _facts_and_kernel(task.kernel)
    files = named_files.differences(task.description["files"], task.description["settings"])
    if text := ", ".join(filter(None, [differences(found, task.facts), files])):
        raise Differs(f"worker {worker.address} ({found[HOST]}): {text}")
    clean.clean()  # what a worker of this machine left that died
    directory = Path(worker.local_directory) / f"{TEMPORARY_PREFIX}{task.name}.{os.getpid()}"
    _playing.add(watch.key)
    try:
        directory.mkdir()
        _furnish(directory, task)
        with _own_cpu() as cpu:
            measured = play_virtual(kernel, directory, task.description, cpu, watch, None)
        strip(directory, keep=(FACTS,))
        return _hand_over(directory, task, measured)
    except KeyboardInterrupt:
        raise Stopped("stopped") from None
    except CellbedError as error:
        return Played(error=str(error))
    except OSError as error:
        return Played(error=f"worker {worker.address}: {told(error, directory)}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        _playing.discard(watch.key)


def _furnish(directory: Path, task: Task) -> None:
    furnish(directory, task.description, paths.programs())
    for name, content in task.files.items():
        (directory / name).write_bytes(content)
    if channel.FILE not in task.files:
        channel.render(directory, task.run.settings, task.run.seed, directory)


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


def _hand_over(directory: Path, task: Task, measured: dict[str, Any]) -> Played:
    if task.proof is not None and _is_mine(task.proof):
        folder = task.results / f"{TEMPORARY_PREFIX}{task.name}-{uuid.uuid4().hex[:8]}.{task.owner}"
        try:
            shutil.move(directory, folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return Played(measured, folder=folder.name)
    return Played(measured, packed=pack(directory))


def _is_mine(proof: Path) -> bool:
    """The client's folder is here under its name, and what is put into it belongs to the client's user."""
    try:
        return proof.stat().st_uid == os.geteuid() and os.access(proof.parent, os.W_OK)
    except OSError:
        return False


def pack(directory: Path) -> bytes:
    """All files of a folder, without owners."""
    def nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=_COMPRESSION) as tar:
        tar.add(directory, ".", filter=nobodys)
    return buffer.getvalue()


def unpack(packed: bytes, directory: Path) -> None:
    """The files again, in a new folder."""
    directory.mkdir()
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        tar.extraction_filter = getattr(tarfile, "tar_filter", lambda member, _: member)
        tar.extractall(directory)


def end(sweep: str) -> bool:
    """Remove what dead workers of this machine left. Return: whether nothing of a sweep plays here any more."""
    if any(key.startswith(sweep) for key in _playing):
        return False
    with contextlib.suppress(OSError, LabError):
        clean.clean()
    return True
