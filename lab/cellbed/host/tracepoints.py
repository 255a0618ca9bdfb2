# SPDX-License-Identifier: GPL-2.0-or-later
"""Records tracepoints of the kernel into the bundle: `python -m cellbed.host.tracepoints DIR GROUP:NAME...`.

It has a trace buffer of its own (an instance of tracefs), on CLOCK_MONOTONIC, as the other traces of a run are. The
buffer is emptied by a timer: woken by each event, a reader would cost more than the events do. Where tracefs is not
mounted, the process sees it in a mount namespace of its own, so nothing is left of that.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from cellbed.error import LabError

TRACE, STATS = "tracepoints.txt", "tracepoints.json"
PREFIX = "cellbed-"
_ROOT = Path("/sys/kernel/tracing")
_HEAD = "# seconds of CLOCK_MONOTONIC; clock.start_ns of manifest.json is t = 0\n"
_BUFFER_KIB = 8192  # of each CPU
_DRAIN_S = 0.25
_BLOCK = 1 << 20
_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _MS_REC, _MS_SLAVE = 0x20000, 0x4000, 0x80000


def see_tracefs() -> None:
    """Have tracefs at its place.

    Raises:
        LabError: this kernel has none, or it may not be mounted.
    """
    if (_ROOT / "instances").is_dir():
        return
    if not _ROOT.is_dir():
        raise LabError("key 'capture.tracepoints': this kernel has no tracefs; allowed [], or use a kernel with "
                       "CONFIG_FTRACE")
    if (_LIBC.unshare(_CLONE_NEWNS) < 0 or _LIBC.mount(None, b"/", None, _MS_REC | _MS_SLAVE, None) < 0
            or _LIBC.mount(b"tracefs", os.fsencode(_ROOT), b"tracefs", 0, None) < 0):
        raise LabError(f"mounting tracefs: {os.strerror(ctypes.get_errno())}")


def check(names: list[str], events: Path = _ROOT / "events") -> None:
    """Raises LabError for a tracepoint that this kernel lacks, with those that it has."""
    for i, name in enumerate(names):
        group, _, event = name.partition(":")
        if not (events / group / event / "enable").exists():
            known = events / group
            have = [f"{group}:{path.name}" for path in known.iterdir() if path.is_dir()] if known.is_dir() else \
                [f"{path.name}:…" for path in events.iterdir() if path.is_dir()]
            raise LabError(f"key 'capture.tracepoints.{i}': value {name}: this kernel has {', '.join(sorted(have))}; "
                           f"{_ROOT}/available_events lists all")


@contextlib.contextmanager
def _instance() -> Iterator[Path]:
    """A trace buffer that goes with the block."""
    path = _ROOT / "instances" / f"{PREFIX}{os.getpid()}"
    path.mkdir()
    try:
        (path / "trace_clock").write_text("mono")
        (path / "buffer_size_kb").write_text(str(_BUFFER_KIB))
        yield path
    finally:
        path.rmdir()


def _drain(pipe: int, out: int) -> None:
    with contextlib.suppress(BlockingIOError):
        while data := os.read(pipe, _BLOCK):
            os.write(out, data)


def _lost(instance: Path) -> int:
    """Events that found the buffer full."""
    lines = [line for path in instance.glob("per_cpu/cpu*/stats") for line in path.read_text().splitlines()]
    return sum(int(line.rpartition(":")[2]) for line in lines
               if line.startswith(("overrun:", "commit overrun:", "dropped events:")))


def record(folder: Path, names: list[str], ready_fd: int) -> None:
    """Until SIGTERM."""
    see_tracefs()
    check(names)
    signals = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    with _instance() as instance, open(folder / TRACE, "wb", buffering=0) as out:
        out.write(_HEAD.encode())
        pipe = os.open(instance / "trace_pipe", os.O_RDONLY | os.O_NONBLOCK)
        try:
            for name in names:
                (instance / "events" / name.replace(":", "/") / "enable").write_text("1")
            os.write(ready_fd, b"ready\n")
            while signal.sigtimedwait(signals, _DRAIN_S) is None:
                _drain(pipe, out.fileno())
            (instance / "tracing_on").write_text("0")
            _drain(pipe, out.fileno())
        finally:
            os.close(pipe)
        (folder / STATS).write_text(json.dumps({"lost": _lost(instance)}))


def remove_leftovers() -> None:
    """Take away buffers of processes that were killed; prints each."""
    see_tracefs()
    for path in (_ROOT / "instances").glob(f"{PREFIX}*"):
        pid = path.name.removeprefix(PREFIX)
        if not Path("/proc", pid).exists():
            path.rmdir()
            print(f"trace buffer {path}")


def main() -> None:
    import argparse  # runs that record none import this module, too

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--ready-fd", type=int, default=1)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("names", nargs="*", metavar="GROUP:NAME")
    chosen = parser.parse_args()
    try:
        if chosen.clean:
            remove_leftovers()
        else:
            record(chosen.folder, chosen.names, chosen.ready_fd)
    except (LabError, OSError) as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
