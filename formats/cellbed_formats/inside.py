# SPDX-License-Identifier: GPL-2.0-or-later
"""Files below a folder that others may have written in: bundles, results, and what is made of them.

A link in such a folder is followed neither for reading nor for writing: root would copy, replace or delete what the
link's maker may not touch. Each folder on the way is opened from the one before it, without following links and without
`..`, so that the way cannot change meanwhile. openat2() does the same in one call where the kernel and its filters
allow it; this works everywhere.

What is written gets its name when it is whole. So nothing that already has the name is written into, be it a link,
another name of a file elsewhere, or a FIFO.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import fnmatch
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from . import named_file

#: Of what is created, less what the umask takes: others never write.
FILE_MODE, FOLDER_MODE = 0o644, 0o755
LINKED = "a symbolic link: it could lead to other users' files; copy the file or folder to its place"
_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
#: Files on their way to a name; no pattern of a bundle's files fits them.
_NEW = ".{name}.{pid}-{thread}.new"


class LinkedError(OSError):
    """A link is in the way."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.ELOOP, LINKED, str(path))


class Inside(os.PathLike[str]):
    """A name below a folder, or the folder itself.

    All methods raise OSError with the whole path. On the way to the folder links are followed; it is not one.
    """

    __slots__ = ("names", "root")

    def __init__(self, root: Path, *names: str) -> None:
        """
        Raises:
            OSError: a name leads out of the folder.
        """
        self.root = root
        self.names: tuple[str, ...] = tuple(part for name in names for part in name.split("/"))
        if any(part in ("", ".", "..") or "\0" in part for part in self.names):
            raise OSError(errno.EINVAL, "leads out of its folder", str(root.joinpath(*names)))

    @classmethod
    def given(cls, folder: Path) -> Inside:
        """A folder that a user names, by links where he likes."""
        return cls(folder.resolve() if folder.is_symlink() else folder)

    @classmethod
    def named(cls, folder: Path) -> Inside:
        """As given(); it is created where it is missing."""
        os.makedirs(folder, FOLDER_MODE, exist_ok=True)
        return cls.given(folder)

    @classmethod
    def beside(cls, file: Path) -> Inside:
        """A file that a user names, in a folder that there is. What has its name is replaced, not written into."""
        return cls(file.parent.resolve(), file.name)

    @property
    def path(self) -> Path:
        """For messages, and for programs that take nothing else."""
        return self.root.joinpath(*self.names)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def suffix(self) -> str:
        return self.path.suffix

    def __truediv__(self, name: str) -> Inside:
        return Inside(self.root, *self.names, name)

    def with_name(self, name: str) -> Inside:
        """Another file beside this one."""
        return Inside(self.root, *self.names[:-1], name)

    def __fspath__(self) -> str:
        return str(self.path)

    __str__ = __fspath__

    def __repr__(self) -> str:
        return f"<{self.path}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inside) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    # --- on the way ---

    @contextlib.contextmanager
    def _parent(self, make: bool = False) -> Iterator[tuple[int, str]]:
        """Descriptor of the folder that has the last name, and that name; of the root itself its own and "."."""
        with self._told(), contextlib.ExitStack() as stack:
            at = os.open(self.root, _FOLDER)
            stack.callback(lambda: os.close(at))
            for part in self.names[:-1]:
                if make:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, FOLDER_MODE, dir_fd=at)
                before, at = at, os.open(part, _FOLDER, dir_fd=at)
                os.close(before)
            yield at, self.names[-1] if self.names else "."

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Errors name the whole path, and say where a link is."""
        try:
            yield
        except OSError as error:
            if isinstance(error.filename, str) and os.sep in error.filename and error.filename != str(self.root):
                raise  # of another file, within a block of the caller's
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and (link := self._link()) is not None:
                raise LinkedError(link) from error
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def _link(self) -> Path | None:
        """The first link on the way, for a message."""
        way = (self.root.joinpath(*self.names[:n]) for n in range(len(self.names) + 1))
        return next((path for path in way if path.is_symlink()), None)

    def _state(self) -> os.stat_result | None:
        """Of what has the name. Raises OSError for a link."""
        with self._parent() as (at, name):
            try:
                found = os.stat(name, dir_fd=at, follow_symlinks=False)
            except FileNotFoundError:
                return None
            if stat.S_ISLNK(found.st_mode):
                raise LinkedError(self.path)
            return found

    # --- reading ---

    def state(self) -> os.stat_result | None:
        """What the system says of it; None: there is nothing."""
        try:
            return self._state()
        except FileNotFoundError:
            return None

    def exists(self) -> bool:
        """Something is there. Raises OSError for a link."""
        return self.state() is not None

    def is_file(self) -> bool:
        """A regular file is there. Raises OSError for a link."""
        found = self.state()
        return found is not None and stat.S_ISREG(found.st_mode)

    def is_folder(self) -> bool:
        """A folder is there. Raises OSError for a link."""
        found = self.state()
        return found is not None and stat.S_ISDIR(found.st_mode)

    def opened(self, most: int | None = named_file.RECORDING_BYTES_MAX) -> BinaryIO:
        """Open a regular file of at most so many bytes for reading."""
        with self._parent() as (at, name):
            return named_file.checked(os.open(name, _READ, dir_fd=at), self.path, most)

    def content(self) -> bytes:
        """All of a file."""
        with self.opened() as file:
            return file.read()

    def text(self, errors: str = "strict") -> str:
        """All of a file in UTF-8."""
        return self.content().decode(errors=errors)

    def matching(self, *patterns: str) -> list[Inside]:
        """Files and folders in this folder whose names fit one of some patterns, by name; links are left out."""
        with self._parent() as (at, name), self._listed(at, name) as entries:
            names = [entry.name for entry in entries if not entry.is_symlink()
                     and any(fnmatch.fnmatchcase(entry.name, pattern) for pattern in patterns)]
        return [self / name for name in sorted(names)]

    def links(self) -> list[Inside]:
        """Links in this folder, by name."""
        with self._parent() as (at, name), self._listed(at, name) as entries:
            return [self / entry for entry in sorted(entry.name for entry in entries if entry.is_symlink())]

    @staticmethod
    @contextlib.contextmanager
    def _listed(at: int, name: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
        try:
            with os.scandir(folder) as entries:
                yield entries
        finally:
            os.close(folder)

    def size(self) -> int:
        """Bytes of a file, or of all files below a folder."""
        found = self.state()
        if found is None or not stat.S_ISDIR(found.st_mode):
            return found.st_size if found is not None else 0
        return sum(inner.size() for inner in self.matching("*"))

    # --- writing ---

    def make(self) -> Inside:
        """Create this folder, and those between, where they are missing."""
        if self.names:
            with self._parent(make=True) as (at, name):
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, FOLDER_MODE, dir_fd=at)
                os.close(os.open(name, _FOLDER, dir_fd=at))
        return self

    def create(self) -> None:
        """Create this folder, which nothing may have the name of; those between where they are missing."""
        with self._parent(make=True) as (at, name):
            os.mkdir(name, FOLDER_MODE, dir_fd=at)

    @contextlib.contextmanager
    def replaced(self, mode: int = FILE_MODE) -> Iterator[BinaryIO]:
        """A new file, which gets this name at the end of the block; folders between are created."""
        with self._parent(make=True) as (at, name):
            new = _NEW.format(name=name, pid=os.getpid(), thread=threading.get_ident())
            file = os.fdopen(os.open(new, _CREATE, mode, dir_fd=at), "wb")
            try:
                with file:
                    yield file
                os.rename(new, name, src_dir_fd=at, dst_dir_fd=at)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(new, dir_fd=at)
                raise

    def log(self) -> BinaryIO:
        """A new file, which grows under its name while others read it; what had the name goes."""
        self.remove()
        with self._parent() as (at, name):
            return os.fdopen(os.open(name, _CREATE, FILE_MODE, dir_fd=at), "wb")

    def locked(self) -> int | None:
        """Lock a file of this name, which is created where it is missing and goes with the lock.

        Return: its descriptor, which has the lock until it is closed; None: somebody else has it.
        """
        while True:
            with self._parent() as (at, name):
                fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, FILE_MODE,
                             dir_fd=at)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if os.path.samestat(os.fstat(fd), os.stat(name, dir_fd=at, follow_symlinks=False)):
                        return fd
                except BlockingIOError:
                    os.close(fd)
                    return None
                except FileNotFoundError:  # who had it has just removed it
                    pass
                except OSError as error:
                    if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
                        return fd  # a file system without locks
                    os.close(fd)
                    raise
                os.close(fd)

    def write(self, content: bytes | str, mode: int = FILE_MODE) -> None:
        """Put a file with this content under the name, whatever was there; text as UTF-8."""
        with self.replaced(mode) as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def remove(self) -> None:
        """Remove a file, or a link itself; none need be there."""
        with contextlib.suppress(FileNotFoundError), self._parent() as (at, name):
            os.unlink(name, dir_fd=at)

    def remove_folder(self) -> None:
        """Remove a folder and all in it; links in it go, what they lead to stays."""
        with self._parent() as (at, name):
            if stat.S_ISLNK(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                raise LinkedError(self.path)
            shutil.rmtree(name, dir_fd=at)

    def move(self, to: Inside) -> None:
        """Give it another name, whose file or empty folder it replaces."""
        with self._parent() as (at, name), to._parent() as (there, other):
            os.rename(name, other, src_dir_fd=at, dst_dir_fd=there)
