# SPDX-License-Identifier: GPL-2.0-or-later
"""A run that executes on another machine: how it is described, what must be the same there, and what comes back.

The client describes runs and makes bundles of what comes back. Between them are Dask (fleet_worker.py) or SSH
(ssh_worker.py).
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import posixpath
import socket
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import IO, Any

from cellbed import paths
from cellbed.error import CellbedError, LabError, told
from cellbed.host import clean, ledger
from cellbed.labs import kernels
from cellbed.labs.follow import Watch
from cellbed.labs.virtual import execute as execute_virtual
from cellbed.results.bundle import FACTS, furnish, strip, tool_versions
from cellbed.scenario import channel_trace, named_files
from cellbed.scenario.description import Run
from cellbed_formats.inside import Inside

HOST = "host"
# Captures shrink to about half; more effort costs more time than it saves.
_COMPRESSION = 1
# Of a run's files that another machine sends.
_MEMBERS_MAX, _UNPACKED_BYTES = 10_000, 32 << 30
_AT_ONCE_BYTES = 1 << 20


paths.code()  # now: as this process has loaded it


class Differs(CellbedError):
    """A worker would not run what the client has described."""


class Stopped(CellbedError):
    """Nobody wants the run any more."""


@dataclass(frozen=True)
class Task:
    """A run on its way to a worker.

    Attributes:
        sweep: name of the sweep, for its progress.
        index: of the run in it.
        facts: what has to be the same at the worker.
        files: those of the run that the client has made, by name.
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
class Executed:
    """What came of it: measurements from outside, and the files, packed or in a folder; or an error."""

    measured: dict[str, Any] | None = None
    packed: bytes | IO[bytes] | None = None
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
            f"lab kernel {kernel}": f"{paths.sha256(path)} ({path.parent.name})", **tool_versions()}, path


def differences(there: dict[str, str], here: dict[str, str]) -> str:
    """In words, "" when there is none."""
    return ", ".join(f"{name} is {_short(there.get(name))}, here {_short(here.get(name))}"
                     for name in here if name != HOST and there.get(name) != here[name])


def _short(text: str | None) -> str:
    if text is None:
        return "unknown"
    return " ".join(word[:12] if len(word) == 64 else word for word in text.split())


# --- a run ---


@dataclass(frozen=True)
class Worker:
    """Who executes runs here.

    Attributes:
        name: in words.
        cpu: for one guest.
        hand_over: makes a run's result of its folder and of what was measured from outside.
        facts: that have to be the same beside those of the run.
    """

    name: str
    cpu: contextlib.AbstractContextManager[int]
    hand_over: Callable[[Path, dict[str, Any]], Executed]
    facts: dict[str, str] = field(default_factory=dict)


def execute(task: Task, directory: Path, worker: Worker, watch: Watch) -> Executed:
    """Execute a run in a new folder, which is gone afterwards; what goes wrong with the run is its result.

    Raises:
        Differs: this worker is not like the client.
        Stopped: nobody wants the result any more.
    """
    found, kernel = _facts_and_kernel(task.kernel)
    files = named_files.differences(task.description["files"], task.description["settings"])
    if text := ", ".join(filter(None, [differences({**found, **worker.facts}, task.facts), files])):
        raise Differs(f"{worker.name} ({found[HOST]}): {text}")
    clean.clean()  # what a worker of this machine left that died
    try:
        with ledger.entry(ledger.BUNDLE, os.getpid(), directory):
            return _execute(task, directory, kernel, worker, watch)
    except KeyboardInterrupt:
        raise Stopped("stopped") from None
    except CellbedError as error:
        return Executed(error=str(error))
    except OSError as error:
        return Executed(error=f"{worker.name}: {told(error, directory)}")


def _execute(task: Task, directory: Path, kernel: Path, worker: Worker, watch: Watch) -> Executed:
    folder = Inside(directory.parent, directory.name)
    try:
        folder.create()
        _furnish(directory, task)
        with worker.cpu as cpu:
            measured = execute_virtual(kernel, directory, task.description, cpu, watch, None)
        strip(Inside(directory), keep=(FACTS,))
        return worker.hand_over(directory, measured)
    finally:
        with contextlib.suppress(OSError):
            folder.remove_folder()


def _furnish(directory: Path, task: Task) -> None:
    furnish(directory, task.description, paths.programs())
    for name, content in task.files.items():
        (Inside(directory) / name).write(content)
    if channel_trace.FILE not in task.files:
        channel_trace.render(directory, task.run.settings, task.run.seed, directory)


# --- its files on their way ---


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


def unpack(packed: bytes | IO[bytes], directory: Path) -> None:
    """The files again, in a new folder.

    Raises:
        LabError: the archive is none, is larger than a run's may be, or would reach beyond the folder.
    """
    Inside(directory.parent, directory.name).create()
    file = io.BytesIO(packed) if isinstance(packed, bytes) else packed
    try:
        with _Bounded(fileobj=file, mode="rb") as whole, tarfile.open(fileobj=whole, mode="r:") as tar:
            members = _checked(tar)
            tar.extraction_filter = getattr(tarfile, "tar_filter", lambda member, _: member)
            tar.extractall(directory, members)
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError) as error:
        raise LabError(f"files of a run: {error}") from None


class _Bounded(gzip.GzipFile):
    """A packed archive, of which no more comes than a run's files may be, and no large part of it at once."""

    def read(self, size: int | None = -1) -> bytes:
        wanted = -1 if size is None else size
        if not 0 <= wanted <= _AT_ONCE_BYTES:  # a header
            raise tarfile.ReadError(f"a header of {wanted} bytes: allowed at most {_AT_ONCE_BYTES}")
        if self.tell() + wanted > _UNPACKED_BYTES:
            raise tarfile.ReadError(f"allowed at most {_UNPACKED_BYTES >> 30} GiB")
        return super().read(wanted)


def _checked(tar: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """All members of an archive.

    Raises:
        LabError: one is no file or folder below the archive's own, a link to elsewhere, or lies behind a link; or there
            are too many, or too much in them.
    """
    members: list[tarfile.TarInfo] = []
    size = 0
    for member in tar:
        members.append(member)
        size += member.size
        _check_inside(member)
        if len(members) > _MEMBERS_MAX or size > _UNPACKED_BYTES:
            raise LabError(f"files of a run: allowed at most {_MEMBERS_MAX} with {_UNPACKED_BYTES >> 30} GiB")
    links = {posixpath.normpath(member.name) for member in members if member.issym()}
    for member in members:
        if any(str(above) in links for above in PurePosixPath(posixpath.normpath(member.name)).parents):
            raise LabError(f"files of a run: {member.name}: allowed files, folders and links in the run's folder")
    return members


def _check_inside(member: tarfile.TarInfo) -> None:
    """Raises LabError for what is no file or folder below the archive's own, or a link to elsewhere."""
    target = posixpath.join(posixpath.dirname(member.name), member.linkname) if member.issym() else member.name
    ways = [posixpath.normpath(way) for way in (member.name, target)]
    if not (member.isreg() or member.isdir() or member.issym()) or any(way[:1] == "/" or way.split("/")[0] == ".."
                                                                       for way in ways):
        raise LabError(f"files of a run: {member.name}: allowed files, folders and links in the run's folder")
