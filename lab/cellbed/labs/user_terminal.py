# SPDX-License-Identifier: GPL-2.0-or-later
"""The terminal, streams and signals of the user of `cellbed link`, and how the command gets them."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import stat
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cellbed.host import mode, rootless
from cellbed.labs.follow import Watch
from cellbed.run import relay
from cellbed.run.attach import SESSION, Attachment
from cellbed_formats.printable import shown

FORWARDED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2,
             signal.SIGWINCH)
# Signals after which everything has to end, and how long a command has for it; interactive shells ignore SIGTERM.
_LAST = (signal.SIGHUP, signal.SIGTERM)
_GRACE_S = 5.0
# si_code of a signal that a key made: the terminal has sent it to the command as well.
_SI_KERNEL = 0x80
_COPY_S = 0.005
# A command may have started so long before this process knows of it.
_STARTING_S = 0.3
# The guest sees /tmp, and cannot write there.
_GUEST_TMPDIR = "/run"
# Files of input that wait for the guest; a fast source has to wait, too.
_INPUT_AHEAD = 16


def wanted_signals() -> list[signal.Signals]:
    """Those to forward: what the user ignores (nohup) is not for the command either."""
    return [sig for sig in FORWARDED if signal.getsignal(sig) != signal.SIG_IGN]


class Grace:
    """What follows a signal that shall end a command when it does not: it is killed; then its lab is given up."""

    def __init__(self, kill: Callable[[], None], give_up: Callable[[], None]) -> None:
        self.steps = (kill, give_up)
        self.running = False

    def after(self, number: int) -> None:
        """A signal was passed on."""
        if number not in _LAST or self.running:
            return
        self.running = True
        for n, step in enumerate(self.steps, 1):
            timer = threading.Timer(n * _GRACE_S, step)
            timer.daemon = True
            timer.start()


class Control:
    """Tells a guest's program of signals and of the terminal's size."""

    def __init__(self, session: Path, tty: bool) -> None:
        self.session, self.tty = session, tty
        self.numbers = itertools.count()

    def tell(self, number: int) -> None:
        with contextlib.suppress(OSError):  # the terminal or the guest is gone
            if number != signal.SIGWINCH:
                self._say(f"{relay.SIGNAL} {int(number)}")
            elif self.tty:
                size = os.get_terminal_size(0)
                self._say(f"{relay.WINDOW} {size.lines} {size.columns}")

    def _say(self, text: str) -> None:
        appear(self.session / f"{relay.CONTROL}.{next(self.numbers)}", text.encode())


class UserTerminal(Watch):
    """This process, for the labs: it attaches the command, passes signals on and knows when to stop.

    Args:
        user: uid, gid and groups of the command in the native lab; None: those of this process.
        interactive: a shell for a person; time in the virtual lab then keeps pace with the clock.

    Attributes:
        outside: of a lab without root: what is outside its pid namespace.
    """

    outside: int | None = None

    def __init__(self, flow: str, environment: dict[str, str], user: tuple[int, int, list[int]] | None = None,
                 interactive: bool = False) -> None:
        self.attachment = Attachment(flow, environment, os.getcwd(), user)
        self.interactive = interactive
        self.tty = os.isatty(0) and os.isatty(1)
        self.pid: int | None = None
        self.session: Path | None = None
        self.signalled: int | None = None
        self.signalled_at = 0.0
        self.control: Control | None = None
        self.grace = Grace(lambda: self._deliver(signal.SIGKILL, by_key=False), self._give_up)

    # --- signals ---

    @contextlib.contextmanager
    def forwarding(self) -> Iterator[None]:
        """Take signals from now on: for the command once it runs, to stop until then."""
        wanted = wanted_signals()
        signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
        threading.Thread(target=self._forward, args=(wanted,), daemon=True).start()
        with restoring_terminal():
            yield

    def _forward(self, wanted: list[signal.Signals]) -> None:
        while True:
            info = signal.sigwaitinfo(wanted)
            if self.pid is not None:
                self._deliver(info.si_signo, info.si_code == _SI_KERNEL)
            elif info.si_signo != signal.SIGWINCH:
                self.signalled, self.signalled_at = info.si_signo, time.monotonic()

    def _deliver(self, number: int, by_key: bool) -> None:
        if self.control is not None:
            self.control.tell(number)
        elif self.pid is not None and number != signal.SIGWINCH and (
                not by_key or number == signal.SIGHUP):  # which not everybody gets
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)
        self.grace.after(number)

    def _give_up(self) -> None:
        self.signalled, self.signalled_at = signal.SIGKILL, 0.0

    def started(self, pid: int) -> None:
        self.pid = pid if self.outside is None else rootless.outer_pid(self.outside, pid)
        if self.signalled is not None:
            self._deliver(self.signalled, by_key=False)
            self.signalled = None

    def noticed(self, text: str) -> None:
        note(text)

    def stopping(self) -> bool:
        """Signalled when there is no command yet, unless it is just starting."""
        return self.signalled is not None and time.monotonic() - self.signalled_at > _STARTING_S

    # --- native ---

    def attach_natively(self, directory: Path, without_root: bool) -> tuple[int, ...]:
        """Write down how. Return: descriptors that the runner has to inherit."""
        self.attachment.stdio, self.attachment.rootless = [os.dup(fd) for fd in (0, 1, 2)], without_root
        self.attachment.confined = without_root and os.geteuid() == 0
        # In a pid namespace this one's number is not known: there the runner does not leave the process group.
        self.attachment.group = None if without_root else os.getpgrp()
        self.attachment.umask = mode.callers_umask()
        self.attachment.write(directory)
        return tuple(self.attachment.stdio)

    # --- virtual ---

    def attach_to_guest(self, directory: Path) -> None:
        """Write down how."""
        self.session = directory / SESSION
        self.session.mkdir()
        self.control = Control(self.session, self.tty)
        size = os.get_terminal_size(0) if self.tty else os.terminal_size((80, 24))
        self.attachment.request = {"tty": self.tty, "rows": size.lines, "columns": size.columns,
                                   "stdin": input_for_guest()}
        self.attachment.environment["TMPDIR"] = _GUEST_TMPDIR
        self.attachment.pace = self.interactive and self.tty
        if os.access(self.attachment.cwd, os.W_OK):
            self.attachment.writable = [self.attachment.cwd]
        if self.attachment.pace:
            (directory / relay.TICKS).mkdir()
            (directory / relay.TICKS / "0").touch()
        self.attachment.write(directory)

    @contextlib.contextmanager
    def relayed(self, directory: Path) -> Iterator[None]:
        """Copy input, output and time between this process and the guest."""
        assert self.session is not None and self.attachment.request is not None  # by attach_to_guest()
        streams = Streams(self.session, self.tty, self.attachment.request["stdin"] == "stream" or self.tty)
        if self.attachment.pace:
            streams.add(self._tick, directory / relay.TICKS)
        with streams:
            yield
        for name in ("stdout", "stderr"):
            if (self.session / name).exists():
                os.rename(self.session / name, directory / f"{self.attachment.flow}.{name}")

    def _tick(self, ending: threading.Event, folder: Path) -> None:
        while self.pid is None and not ending.is_set():
            time.sleep(relay.TICK_S)
        start, done = time.monotonic(), 0
        while not ending.wait(relay.TICK_S):
            now = int((time.monotonic() - start) / relay.TICK_S)
            os.rename(folder / str(done), folder / str(now))
            done = now


class Streams:
    """Copies between this process's streams and the files of a guest's program."""

    def __init__(self, session: Path, raw: bool, has_input: bool) -> None:
        self.session, self.raw = session, raw
        self.ending = threading.Event()
        self.threads: list[threading.Thread] = []
        self.closed: set[int] = set()  # outputs that nobody reads any more
        if has_input:
            self.add(self._copy_input)
        self.add(self._copy_output)

    def add(self, target: Any, *args: Any) -> None:
        self.threads.append(threading.Thread(target=target, args=(self.ending, *args), daemon=True))

    def __enter__(self) -> Streams:
        if self.raw:
            tty.setraw(0)
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        for thread in self.threads:
            thread.join(2)

    def _copy_input(self, ending: threading.Event) -> None:
        number = 0
        while not ending.is_set():
            if number >= _INPUT_AHEAD and (self.session / f"{relay.INPUT}.{number - _INPUT_AHEAD}").exists():
                time.sleep(_COPY_S)
                continue
            if not select.select([0], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(0, 65536)
            except OSError:
                data = b""
            appear(self.session / f"{relay.INPUT}.{number}", data)
            number += 1
            if not data:
                if self.raw:  # a raw terminal has no end of input: it is gone
                    os.kill(os.getpid(), signal.SIGHUP)
                return

    def _copy_output(self, ending: threading.Event) -> None:
        at = {1: 0, 2: 0}
        while True:
            last = ending.is_set()
            for fd, name in ((1, "stdout"), (2, "stderr")):
                at[fd] += self._copy_file(self.session / name, at[fd], fd)
            if last:
                return
            time.sleep(_COPY_S)

    def _copy_file(self, path: Path, offset: int, fd: int) -> int:
        """Bytes that were new in a file and were copied."""
        if fd in self.closed:
            return 0
        done = 0
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as f:
            f.seek(offset)
            while data := f.read(65536):
                done += len(data)
                try:
                    while data:
                        data = data[os.write(fd, data):]
                except OSError as error:
                    self.closed.add(fd)
                    # The command would have had SIGPIPE; a terminal that is gone says EIO.
                    os.kill(os.getpid(), signal.SIGTERM if isinstance(error, BrokenPipeError) else signal.SIGHUP)
                    return done
        return done


def appear(path: Path, content: bytes) -> None:
    """A file that is complete as soon as it is there."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    os.rename(new, path)


def input_for_guest() -> Any:
    """What the guest's command reads: nothing, a file from an offset, or a stream."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return "none"
    if stat.S_ISREG(mode):
        return [os.readlink("/proc/self/fd/0"), os.lseek(0, 0, os.SEEK_CUR)]
    if stat.S_ISCHR(mode) and not os.isatty(0):
        return "none"
    return "stream"


@contextlib.contextmanager
def restoring_terminal() -> Iterator[None]:
    """The terminal afterwards as before, and in the foreground, however a command leaves it."""
    state = termios.tcgetattr(0) if os.isatty(0) else None
    try:
        yield
    finally:
        if state is not None:
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
            with contextlib.suppress(OSError, termios.error):
                if os.tcgetpgrp(0) != os.getpgrp() and _is_gone(os.tcgetpgrp(0)):
                    os.tcsetpgrp(0, os.getpgrp())
                termios.tcsetattr(0, termios.TCSADRAIN, state)


def _is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def note(text: str) -> None:
    """A note to the user, beside what the command prints."""
    print(f"cellbed: {shown(text)}", file=sys.stderr)
