# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that people name: regular ones only, and none beyond a bound.

A FIFO or a terminal would be waited for, /dev/zero has no end. What is refused here is an OSError with a reason that
`file: reason` says in one line, like any other file that cannot be read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO, Protocol

#: Of scenarios' channels and waypoints, which are read as a whole.
TABLE_BYTES_MAX = 1 << 30
#: Of captures and of what runs leave, which are looked at where they lie.
RECORDING_BYTES_MAX = 1 << 40


class Opens(Protocol):
    """A file that opens itself in a way of its own (inside.py)."""

    def opened(self, most: int | None) -> BinaryIO: ...

    @property
    def path(self) -> Path: ...


def open_named(path: Path | Opens, most: int | None = None) -> BinaryIO:
    """Open a file for reading.

    Args:
        most: bytes that it may have; None: the caller bounds it.

    Raises:
        OSError: it cannot be opened, is not a regular file, or is larger.
    """
    if not isinstance(path, Path):
        return path.opened(most)
    try:
        # Without waiting for a writer of a FIFO.
        return checked(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY), path, most)
    except ValueError as error:  # a NUL in its name
        raise OSError(errno.EINVAL, str(error), str(path)) from error


def checked(fd: int, path: Path, most: int | None) -> BinaryIO:
    """A file that has been opened, which is closed when it is not as open_named() wants it. Raises OSError as that."""
    try:
        state = os.fstat(fd)
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "not a regular file: name one, as pipes and devices may have no end", str(path))
        if most is not None and state.st_size > most:
            raise OSError(errno.EFBIG, f"{state.st_size} bytes: allowed at most {most}", str(path))
        return os.fdopen(fd, "rb")
    except BaseException:
        os.close(fd)
        raise


def content(path: Path | Opens, most: int) -> bytes:
    """All of a file. Raises OSError as open_named()."""
    with open_named(path, most) as file:
        found = file.read(most + 1)  # files of /proc have no size
    if len(found) > most:
        raise OSError(errno.EFBIG, f"allowed at most {most} bytes", str(path))
    return found


def check(path: Path | Opens, most: int | None = None) -> None:
    """Open a file for a caller that reads it in its own way. Raises OSError as open_named()."""
    open_named(path, most).close()
