# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes runs on a host for the client at the other end of an SSH connection; ssh_boot.py starts it.

It ends with its input, and when the client has said nothing for too long, as after a network that went away.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from cellbed.error import CellbedError, LabError
from cellbed.host.ledger import TEMPORARY_PREFIX
from cellbed.labs import boot_check, kernels
from cellbed.labs.follow import Watch
from cellbed.run import memory
from cellbed.sweep import remote_run, ssh_frames
from cellbed.sweep.remote_run import Executed, Task

_TELL_S = 0.5
Heard = tuple[ssh_frames.OfClient, IO[bytes]]


class Executor:
    """Runs side by side, one on each CPU."""

    def __init__(self, out: IO[bytes]) -> None:
        self.out, self.lock = out, threading.Lock()
        self.stop = threading.Event()
        self.cpus: queue.Queue[int] = queue.Queue()
        for cpu in sorted(os.sched_getaffinity(0)):
            self.cpus.put(cpu)

    def say(self, said: ssh_frames.Frame, behind: bytes = b"") -> None:
        """Stops running when nobody hears it."""
        try:
            with self.lock:
                ssh_frames.say(self.out, said, behind)
        except OSError:
            self.stop.set()

    def introduce(self, kernel: str) -> bool:
        """Say what runs would execute with here. Return: whether they can."""
        try:
            boot_check.boot_once(kernels.find(kernel))
            facts = remote_run.facts(kernel)
        except CellbedError as error:
            self.say(ssh_frames.Refused(error=_short(error)))
            return False
        self.say(ssh_frames.Ready(facts=facts, cpus=self.cpus.qsize(), free_mib=memory.free_mib()))
        return True

    def serve(self, source: IO[bytes], patience_s: float) -> None:
        """Until the client ends it, or is not heard of for so long."""
        heard: queue.Queue[Heard | None] = queue.Queue()
        threading.Thread(target=_listen, args=(source, heard), daemon=True).start()
        with ThreadPoolExecutor(self.cpus.qsize()) as pool:
            try:
                while (frame := heard.get(timeout=patience_s)) is not None:
                    said, behind = frame
                    if isinstance(said, ssh_frames.Execute):
                        pool.submit(self._execute, pickle.load(behind))
            except queue.Empty:
                pass
            self.stop.set()

    def _execute(self, task: Task) -> None:
        if self.stop.is_set():
            return
        directory = Path(tempfile.gettempdir()) / f"{TEMPORARY_PREFIX}{task.name}.{os.getpid()}"
        try:
            worker = remote_run.Worker("host", self._cpu(), _pack)
            executed = remote_run.execute(task, directory, worker, _TaskWatch(self, task))
            if executed.measured is None:
                self.say(ssh_frames.Failed(run=task.index, error=_short(executed.error)))
            else:
                measured = ssh_frames.Measured.model_validate(executed.measured)
                assert isinstance(executed.packed, bytes)
                self.say(ssh_frames.Ended(run=task.index, measured=measured), executed.packed)
        except remote_run.Stopped:
            pass
        except remote_run.Differs as error:
            self.say(ssh_frames.Differs(run=task.index, error=_short(error)))
        except Exception as error:  # whatever it is, the client has to hear of it
            self.say(ssh_frames.Failed(run=task.index, error=_short(f"{type(error).__name__}: {error}")))

    @contextlib.contextmanager
    def _cpu(self) -> Iterator[int]:
        cpu = self.cpus.get()
        try:
            yield cpu
        finally:
            self.cpus.put(cpu)


class _TaskWatch(Watch):
    def __init__(self, executor: Executor, task: Task) -> None:
        self.executor, self.task, self.told = executor, task, 0.0

    def advanced(self, done_s: float, all_s: float) -> None:
        if time.monotonic() - self.told >= _TELL_S:
            self.told = time.monotonic()
            self.executor.say(ssh_frames.Advanced(run=self.task.index, done_s=done_s, all_s=all_s))

    def stopping(self) -> bool:
        return self.executor.stop.is_set()


def _pack(directory: Path, measured: dict[str, Any]) -> Executed:
    """Raises LabError for more than a client takes."""
    packed = remote_run.pack(directory)
    if len(packed) > ssh_frames.BEHIND_BYTES:
        raise LabError(f"files of a run: {len(packed)} bytes, allowed at most {ssh_frames.BEHIND_BYTES}")
    return Executed(measured, packed=packed)


def _short(error: object) -> str:
    """As much of a message as a frame has room for."""
    return str(error).encode(errors="replace").decode()[:ssh_frames.TEXT_MAX]


def _listen(source: IO[bytes], heard: queue.Queue[Heard | None]) -> None:
    with contextlib.suppress(OSError, ssh_frames.Garbled):
        while (frame := ssh_frames.hear(source, ssh_frames.OF_CLIENT)) is not None:
            heard.put(frame)
    heard.put(None)


def main(kernel: str, patience_s: float) -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else is printed is not for the client's ear
    executor = Executor(out)
    out.write(ssh_frames.BEGINNING)
    if executor.introduce(kernel):
        executor.serve(os.fdopen(os.dup(0), "rb"), patience_s)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
