# SPDX-License-Identifier: GPL-2.0-or-later
"""The first program on a host of a sweep. Its text comes as an argument, to a Python that has nothing of cellbed.

It reads a line with the number of bytes of an archive and the runner's arguments, then the archive, which shipped.py
packs; unpacks it into a folder of its own, runs by what is in there, and removes the folder when that has ended,
however it did. The rest of the input is the runner's. Everything that is made on this machine is in the folder.
"""

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from typing import IO

PREFIX = "cellbed-host-"
CLEAN = "from cellbed.host.clean import clean; clean()"


def read(source: IO[bytes], size: int) -> bytes:
    """So many bytes, and none of what comes after them."""
    pieces = []
    while size and (piece := source.read(size)):
        pieces.append(piece)
        size -= len(piece)
    if size:
        sys.exit("the connection ended while programs were copied")
    return b"".join(pieces)


def remove_dead(below: str) -> None:
    """What one that was killed has left."""
    for entry in os.scandir(below):
        pid = entry.name.removeprefix(PREFIX).partition("-")[0]
        if entry.name.startswith(PREFIX) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
            with contextlib.suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                    shutil.rmtree(entry.path, ignore_errors=True)


def unpack(packed: bytes, folder: str) -> None:
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        tar.extraction_filter = getattr(tarfile, "tar_filter", lambda member, _: member)
        tar.extractall(folder)
    for name in ("tmp", "run"):
        os.mkdir(os.path.join(folder, name), 0o700)


def environment(folder: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CELLBED_"))}
    return {**kept, "PATH": f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin", "PYTHONNOUSERSITE": "1",
            "PYTHONPATH": f"{folder}/site", "TMPDIR": f"{folder}/tmp", "XDG_RUNTIME_DIR": f"{folder}/run",
            "XDG_CACHE_HOME": f"{folder}/cache"}


def main() -> int:
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda *_: sys.exit(1))
    with open(0, "rb", buffering=0, closefd=False) as source:
        size, *arguments = source.readline().split()
        packed = read(source, int(size))
    below = os.path.realpath(tempfile.gettempdir())
    remove_dead(below)
    folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=below)
    try:
        unpack(packed, folder)
        env = environment(folder)
        # As host/python_child.py starts children, which is not to be had before it is unpacked.
        with subprocess.Popen([sys.executable, "-P", "-m", "cellbed.sweep.ssh_worker", *arguments],
                              cwd=folder, env=env) as executor:
            try:
                return executor.wait()
            finally:
                for sig in (signal.SIGTERM, signal.SIGHUP):
                    signal.signal(sig, signal.SIG_IGN)
                executor.kill()
                executor.wait()
                subprocess.run([sys.executable, "-P", "-c", CLEAN], env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError as error:
        sys.exit(f"{error.filename or below}: {error.strerror}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
