# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that users name, for code that a guest has too; other code opens them by `cellbed_formats.named_file`."""

from __future__ import annotations

import errno
import os
import stat


def regular_file(path: str, flags: int) -> int:
    """An `opener` of open() for regular files.

    Raises:
        OSError: it cannot be opened, or is a pipe, a device or a folder, which may have no end.
    """
    fd = os.open(path, flags | os.O_NONBLOCK)  # without waiting for a writer of a FIFO
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file: name one, as pipes and devices may have no end", path)
    return fd
