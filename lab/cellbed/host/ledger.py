# SPDX-License-Identifier: GPL-2.0-or-later
"""What running labs own on this machine, written down before it exists, so that `cellbed clean` finds it.

One JSON file per running lab names the process that answers for it (pid and start time), the lab's own process,
its temporary bundle and its cgroup. An entry is believed only when nobody else can have written it, and only about what
a lab makes: a user who cleans up as root must not be told by others what to delete or kill.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cellbed.error import LabError
from cellbed.host import cgroup

TEMPORARY_PREFIX = ".tmp-"
SCRATCH, SCRATCH_PREFIX = "scratch", "link-"
BUNDLE = "bundle"
_MODE = 0o700

Pid = Annotated[int, Field(gt=1)]
Ticks = Annotated[str, Field(pattern=r"^[0-9]+$")]


# --- folders ---


def private_folder(base: str | Path) -> Path:
    """This user's folder below @base, which nobody else can look or write into.

    Raises:
        LabError: under its name is something of somebody else's, or open to others.
    """
    path = Path(base) / f"cellbed-{os.geteuid()}"
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=_MODE)
    found = path.lstat()
    mode = stat.S_IMODE(found.st_mode)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or mode & ~_MODE:
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "no folder"
        raise LabError(f"{path}: {what} of user {found.st_uid} with mode {mode:04o}: allowed a folder of user "
                       f"{os.geteuid()} with mode {_MODE:04o}; remove it, or name another place in TMPDIR")
    return path


def directory() -> Path:
    """Where this user's entries are. XDG_RUNTIME_DIR counts when it is this user's own; after sudo it may not be."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return private_folder(runtime if runtime and is_own_folder(Path(runtime)) else tempfile.gettempdir())


def is_own_folder(path: Path) -> bool:
    """Whether a folder belongs to this user and is reached without a symbolic link."""
    try:
        found = path.lstat()
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and path.resolve() == path
    except (OSError, ValueError):
        return False


def remove_folder(path: Path) -> bool:
    """Remove a folder if it is this user's own; whatever else has that name stays. Return: whether it was."""
    if not is_own_folder(path):
        return False
    shutil.rmtree(path, ignore_errors=True)
    return True


# --- entries ---


class Entry(BaseModel):
    """What one running lab owns. `scratch` is the folder of a link that has not come to its lab, `bundle` that of a run
    before its lab begins and after that has ended.
    """

    # Built when it is first used: most commands read no entry.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    lab: Literal["virtual", "native", "vm", "scratch", "bundle"]
    owner_pid: Pid
    owner_start: Ticks
    lab_pid: Pid
    lab_start: Ticks | None  # None: it had ended by then
    temporary: Path
    cgroup: Path | None

    @model_validator(mode="after")
    def names_what_a_lab_makes(self) -> Entry:
        if self.lab == SCRATCH:
            made = self.temporary.parent == scratch_folder() and self.temporary.name.startswith(SCRATCH_PREFIX)
        else:
            made = self.temporary.is_absolute() and ".." not in self.temporary.parts and fnmatch.fnmatchcase(
                self.temporary.name, f"{TEMPORARY_PREFIX}*.{self.owner_pid}")
        if not made:
            raise ValueError("allowed a folder that a lab could have made")
        if self.cgroup is not None and self.cgroup != cgroup.path_of(lab_name(self.temporary)):
            raise ValueError("allowed the cgroup that is named after the folder")
        return self

    @property
    def alive(self) -> bool:
        """Whether the process that answers for the lab lives."""
        return start_time(self.owner_pid) == self.owner_start

    def kill_guest(self) -> int:
        """Kill what is left of the lab's own session. Return: how many processes.

        Without its leader a session is known by what works in the lab's folder: the number may be another's by now.
        """
        if self.lab_pid == self.owner_pid:
            return 0
        now = start_time(self.lab_pid)
        if now is not None and now != self.lab_start:
            return 0
        members = session_members(self.lab_pid)
        return kill([pid for pid in members if now is not None or _works_in(pid, self.temporary)], signal.SIGKILL)


def lab_name(temporary: Path) -> str:
    """What the things of a lab are called by, its folder and its cgroup."""
    return temporary.name.removeprefix(TEMPORARY_PREFIX)


def scratch_folder() -> Path:
    """Where links have their folders."""
    return private_folder(Path(tempfile.gettempdir()).resolve())


def private(path: Path, text: str) -> None:
    """Write a file for this user only."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(text)


@contextlib.contextmanager
def entry(lab: str, lab_pid: int, temporary: Path, group: Path | None = None) -> Iterator[None]:
    """Keep an entry while the block runs."""
    path = directory() / f"{os.getpid()}-{temporary.name}.{lab}.json"
    new = path.with_suffix(".new")
    private(new, json.dumps({
        "lab": lab, "owner_pid": os.getpid(), "owner_start": start_time(os.getpid()), "lab_pid": lab_pid,
        "lab_start": start_time(lab_pid), "temporary": str(temporary.resolve()),
        "cgroup": str(group) if group else None}))
    os.replace(new, path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that goes with this process; `cellbed clean` removes it if it cannot."""
    folder = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=scratch_folder()))
    try:
        with entry(SCRATCH, os.getpid(), folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read() -> tuple[list[tuple[Path, Entry]], list[Path]]:
    """Entries with their files, and the files that are none."""
    found, refused = [], []
    for path in sorted(directory().glob("*.json")):
        try:
            mine = stat.S_ISREG((said := path.lstat()).st_mode) and said.st_uid == os.geteuid()
            content = path.read_bytes() if mine else b""
        except FileNotFoundError:  # its lab has just ended
            continue
        try:
            found.append((path, Entry.model_validate_json(content)))
        except ValidationError:
            refused.append(path)
    return found, refused


def remove_unwritten() -> None:
    """Remove entries that somebody was killed over while writing them down."""
    for path in directory().glob("*.new"):
        pid = path.name.partition("-")[0]
        if pid.isdigit() and start_time(int(pid)) is None:
            path.unlink(missing_ok=True)


def living() -> list[Entry]:
    """Entries of labs whose owners live."""
    return [entry for _, entry in read()[0] if entry.alive and entry.lab != BUNDLE]


# --- processes ---


def start_time(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot: tells it from a later one with its pid."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]


def session_members(sid: int) -> list[int]:
    """Processes whose session is @sid."""
    members = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == sid and fields[0] != "Z":
                members.append(int(path.parent.name))
    return members


def kill_session(sid: int, sig: signal.Signals) -> int:
    """Signal every process of a session that a lab began. Return: how many."""
    return kill(session_members(sid), sig)


def kill(pids: list[int], sig: signal.Signals) -> int:
    """Signal processes, some of which may have ended. Return: how many there were."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sig)
    return len(pids)


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd").removesuffix(" (deleted)")).is_relative_to(folder)
    except OSError:
        return False
