# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs in a guest of the virtual lab whose streams, terminal and signals are the caller's, outside.

Guest and caller share the bundle's folder and nothing else. Each program has a folder in it. What the caller has to
say are files that come into being complete and are read once: input.0, input.1, … with data (none: the end of the
input) and control.0, control.1, … with signals and sizes of the terminal. The output is in `stdout` and `stderr`, which
the caller follows; `ended` has the exit status. The guest looks for files every few milliseconds of its time, which is
what waiting for somebody outside costs in virtual time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from cellbed.host.process import NotStarted, Process
from cellbed.run import hosts_file

INPUT, CONTROL = "input", "control"
SIGNAL, WINDOW = "signal", "window"  # first word of a control file; then the number, or rows and columns
WINDOW_SIZE = struct.Struct("HHHH")  # of TIOCSWINSZ: rows, columns, unused, unused

POLL_S = 0.01
# The caller's clock, when virtual time shall keep to it: a file in this folder, its name the number of steps so far.
TICKS, TICK_S = "ticks", 0.02
# Between looks for new programs, in polls.
_SCAN_POLLS = 10


class Session:
    """One program with its folder.

    request: argv, environment, cwd; tty with rows and columns, or stdin: none, stream, or [path, offset] of a file.
    """

    def __init__(self, folder: Path, request: dict[str, Any], netns_pid: int | None,
                 hosts: Path | None = None, join: Callable[[], None] | None = None) -> None:
        """Args: join: puts the program where it is told from others."""
        folder.mkdir(exist_ok=True)
        self.folder, self.tty, self.hosts, self.join = folder, request["tty"], hosts, join
        self.next = {INPUT: 0, CONTROL: 0}
        self.input: int | None = None  # where data goes
        self.pending = b""
        self.threads: list[threading.Thread] = []
        start = self._start_on_terminal if self.tty else self._start_with_files
        self.process = start(request, netns_pid)

    def _process(self, request: dict[str, Any], netns_pid: int | None, before_exec: Callable[[], None] | None = None,
                 **streams: Any) -> Process:
        def prepare() -> None:
            for then in (self.join, before_exec):
                if then is not None:
                    then()

        return Process(request["argv"][0], request["argv"], self.folder / "log", netns_pid,
                       before_exec=hosts_file.before(self.hosts, prepare), env=request["environment"],
                       cwd=request["cwd"], start_new_session=True, **streams)

    def _start_on_terminal(self, request: dict[str, Any], netns_pid: int | None) -> Process:
        master, slave = os.openpty()
        self._resize(master, request["rows"], request["columns"])

        def control() -> None:
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        try:
            process = self._process(request, netns_pid, stdin=slave, stdout=slave, stderr=slave, before_exec=control)
        except NotStarted:
            os.close(master)
            raise
        finally:
            os.close(slave)
        os.set_blocking(master, False)
        self.input = master
        thread = threading.Thread(target=self._copy_terminal, args=(master,), daemon=True)
        thread.start()
        self.threads.append(thread)
        return process

    def _start_with_files(self, request: dict[str, Any], netns_pid: int | None) -> Process:
        with contextlib.ExitStack() as stack:
            stdout, stderr = (stack.enter_context(open(self.folder / name, "wb")) for name in ("stdout", "stderr"))
            stdin: int | IO[bytes] = subprocess.DEVNULL
            if request["stdin"] == "stream":
                stdin, self.input = os.pipe()
                stack.callback(os.close, stdin)
                os.set_blocking(self.input, False)
            elif request["stdin"] != "none":
                path, offset = request["stdin"]
                stdin = stack.enter_context(open(path, "rb"))
                os.lseek(stdin.fileno(), offset, os.SEEK_SET)
            return self._process(request, netns_pid, stdin=stdin, stdout=stdout, stderr=stderr)

    def _copy_terminal(self, master: int) -> None:
        with open(self.folder / "stdout", "wb", buffering=0) as out, contextlib.suppress(OSError):
            while select.select([master], [], [])[0] and (data := os.read(master, 65536)):
                out.write(data)

    @staticmethod
    def _resize(master: int, rows: int, columns: int) -> None:
        fcntl.ioctl(master, termios.TIOCSWINSZ, WINDOW_SIZE.pack(rows, columns, 0, 0))

    def pump(self) -> None:
        """Obey what is there, and pass on as much input as the program takes."""
        while (words := self._take(CONTROL)) is not None:
            self._control(*words.decode().split())
        while self.input is not None:
            if not self.pending:
                data = self._take(INPUT)
                if data is None:
                    return
                if not data:
                    self._end_input()
                    return
                self.pending = data
            try:
                self.pending = self.pending[os.write(self.input, self.pending):]
            except BlockingIOError:
                return
            except OSError:  # nobody reads it any more
                self._end_input()

    def _take(self, kind: str) -> bytes | None:
        path = self.folder / f"{kind}.{self.next[kind]}"
        try:
            content = path.read_bytes()
        except OSError:
            return None
        path.unlink()
        self.next[kind] += 1
        return content

    def _control(self, what: str, *numbers: str) -> None:
        if what == SIGNAL:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.popen.pid, signal.Signals(int(numbers[0])))
        elif what == WINDOW and self.tty and self.input is not None:
            self._resize(self.input, *map(int, numbers))

    def _end_input(self) -> None:
        """A terminal has no end of input but the key for it."""
        if not self.tty and self.input is not None:
            os.close(self.input)
            self.input = None

    def close(self) -> None:
        """After the program's end, or to end it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.popen.pid, signal.SIGKILL)
        self.process.kill()
        for thread in self.threads:
            thread.join(1)
        if self.input is not None:
            os.close(self.input)
            self.input = None


class Relay(threading.Thread):
    """Serves the programs of a guest: the one that the run is for, and those that the caller adds later."""

    def __init__(self, out: Path, pids: dict[str, int], environment: dict[str, str], pace: bool) -> None:
        super().__init__(daemon=True)
        self.out, self.pids, self.environment, self.pace = out, pids, environment, pace
        self.sessions: dict[str, Session] = {}
        self.own: set[str] = set()  # those that this thread started and so answers for
        self.ending = threading.Event()

    def serve(self, flows: list[Any]) -> None:
        """Begin, with the sessions that flows have."""
        self.sessions |= {flow.session.folder.name: flow.session for flow in flows
                          if getattr(flow, "session", None) is not None}
        self.start()

    def run(self) -> None:
        try:
            self._poll()
        finally:  # whatever ends it: nobody could reach the programs any more
            for session in list(self.sessions.values()):
                session.close()

    def _poll(self) -> None:
        polls, start = 0, time.monotonic()
        while not self.ending.is_set():
            time.sleep(POLL_S)
            if polls % _SCAN_POLLS == 0:
                self._scan()
            for name, session in list(self.sessions.items()):
                session.pump()
                if name in self.own and session.process.popen.poll() is not None:
                    self._end(name, session)
            if self.pace:
                self._wait_for_caller(int((time.monotonic() - start) / TICK_S))
            polls += 1

    def _scan(self) -> None:
        """Start what the caller asks for."""
        for path in sorted(self.out.glob("session-*/request.json")):
            request = json.loads(path.read_text())
            path.unlink()
            folder = path.parent
            try:
                request["environment"] = {**self.environment, **request["environment"]}
                self.sessions[folder.name] = Session(folder, request, self.pids.get(request["node"]),
                                                     hosts_file.path(self.out, str(request["node"])))
                self.own.add(folder.name)
            except (NotStarted, OSError) as error:
                (folder / "stderr").write_text(f"cellbed: {error}\n")
                self._tell(folder, getattr(error, "shell_status", 126))

    def _end(self, name: str, session: Session) -> None:
        status = session.process.popen.returncode
        session.close()
        self._tell(session.folder, 128 - status if status < 0 else status)
        del self.sessions[name]

    @staticmethod
    def _tell(folder: Path, status: int) -> None:
        (folder / "ended.new").write_text(str(status))
        os.rename(folder / "ended.new", folder / "ended")

    def _wait_for_caller(self, tick: int) -> None:
        """Stay busy, so that no virtual time passes, until the caller's clock has come as far."""
        while not self.ending.is_set() and self._ticks() < tick:
            pass

    def _ticks(self) -> int:
        """While the caller renames the file a listing may have both names, or none."""
        return max(map(int, os.listdir(self.out / TICKS)), default=0)

    def close(self) -> None:
        self.ending.set()
        if self.is_alive():
            self.join(1)
        for session in list(self.sessions.values()):
            session.close()


