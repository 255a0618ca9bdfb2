# SPDX-License-Identifier: GPL-2.0-or-later
"""Executes the runs of a sweep on hosts that have nothing of cellbed, over SSH; ssh_worker.py is the other end.

The user's own ssh leads there, with its keys, hosts and settings, and never asks anything. Nothing listens anywhere:
what is said goes through its input and output. A host's programs are copied there for the sweep and vanish with it.
"""

from __future__ import annotations

import base64
import contextlib
import os
import pickle
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import IO

from cellbed.error import CellbedError, LabError, told
from cellbed.host import programs
from cellbed.host.interrupt import held
from cellbed.labs import kernels
from cellbed.labs.user_terminal import note
from cellbed.results.bundle import Bundle
from cellbed.run import memory
from cellbed.scenario.description import Run
from cellbed.sweep import receive, remote_run, shipped, ssh_frames
from cellbed.sweep.execute import Outcome, Sweep
from cellbed.sweep.remote_run import Executed, Task
from cellbed_formats.inside import Inside
from cellbed_formats.printable import shown

_ADDRESS = re.compile(r"(?:ssh://)?(?:([A-Za-z0-9_][A-Za-z0-9_.-]*)@)?"
                      r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_][A-Za-z0-9_.-]*)(?::([0-9]{1,5}))?")
# A connection that has gone is seen after a minute. BatchMode: no questions of passwords and unknown hosts.
_OPTIONS = ("-T", "-oBatchMode=yes", "-oConnectTimeout=10", "-oServerAliveInterval=15", "-oServerAliveCountMax=4",
            "-oClearAllForwardings=yes", "-oLogLevel=ERROR")
# The version decides bytes, too, and is compared exactly later.
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"
_NOT_FOUND = 127
_READY_S, _LISTEN_S, _STOP_S = 300.0, 0.2, 60.0
# A ping is on its way for less.
_SHORT_S = 2.0
# A host that has not heard anything for so long gives up.
_PATIENCE_S, _PING_S = 120.0, 10.0
# A host that runs says more often what it does, even while it packs what came of it: a lab that makes no progress is
# stopped after labs.follow.STALLED_AFTER_S.
_SILENT_S = 600.0
# So many hosts may die of a run.
_TRIES = 4
# What hosts have said and nobody has heard yet; then they have to wait.
_EVENTS_MAX = 64
# Of what is printed there; the last line is told when the connection ends.
_ERRORS_BYTES = 4096


@dataclass(frozen=True)
class Gone:
    """The connection to a host has ended."""

    why: str


Event = tuple["Host", ssh_frames.OfHost | Gone, IO[bytes] | None]


def parse(texts: list[str]) -> list[str]:
    """Addresses of texts such as 'ssh://node1,root@node2:2222'.

    Raises:
        CellbedError: one is none, or there twice.
    """
    found: list[str] = []
    for text in texts:
        for part in text.split(",") if text.startswith("ssh://") else [""]:
            match = _ADDRESS.fullmatch(part)
            if match is None or int(match[3] or 22) > 65535:
                raise CellbedError(f"--on: value {text}: allowed ssh://[USER@]HOST[:PORT], and more of them after "
                                   "commas")
            if (address := f"ssh://{part.removeprefix('ssh://')}") in found:
                raise CellbedError(f"--on: value {text}: {address} is there twice")
            found.append(address)
    return found


@contextlib.contextmanager
def connected(on: list[str], lab: str, kernel: str | None) -> Iterator[Hosts]:
    """Hosts that are ready to run; what was copied there is gone afterwards.

    Raises:
        CellbedError: one of them cannot be reached, cannot run, or is not like this machine.
    """
    addresses = parse(on)
    receive.check_lab("--on", lab, kernel)
    if programs.find("ssh") is None:
        raise CellbedError("--on needs ssh; run `apt-get install openssh-client`")
    hosts = Hosts(kernel or kernels.default())
    try:
        hosts.start(addresses)
        yield hosts
    finally:
        hosts.end()


class Host:
    """A connection, with one thread that listens and one that speaks: a host need not read what it is told."""

    def __init__(self, address: str, begin: bytes, tell: Callable[[Event], object]) -> None:
        """Args: begin: what its first program reads. tell: is told each event."""
        self.name, self.tell = address, tell
        self.cpus, self.free_mib = 0, 0
        self.ready = False
        self.given: set[int] = set()  # runs that it may speak of
        self.heard_s = time.monotonic()
        self.outbox: queue.Queue[tuple[ssh_frames.Frame, bytes] | None] = queue.Queue()
        # In a session of its own: the keys of a terminal are for this process, which says what shall end.
        self.process = subprocess.Popen([programs.command("ssh"), *_OPTIONS, *_where(address), _first_command()],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True)
        self.errors = _Errors(self.process)
        self.speaker = threading.Thread(target=self._speak, args=(begin,), daemon=True)
        self.speaker.start()
        threading.Thread(target=self._listen, daemon=True).start()

    def _speak(self, begin: bytes) -> None:
        """What is in the outbox, until the end of it; who does not read it has ended, and says why."""
        out = self.process.stdin
        assert out is not None
        with contextlib.suppress(OSError):
            out.write(begin)
            out.flush()
            while (said := self.outbox.get()) is not None:
                ssh_frames.say(out, *said)
                self._heard()
        with contextlib.suppress(OSError):
            out.close()

    def _listen(self) -> None:
        """Pass on what it says, until the connection ends or something comes that is no frame."""
        source = self.process.stdout
        assert source is not None
        why = ""
        try:
            if ssh_frames.await_beginning(source):
                while (frame := ssh_frames.hear(source, ssh_frames.OF_HOST, self._expected, self._heard)) is not None:
                    self.tell((self, *frame))
            why = self._last_words() or "the connection ended"
        except ssh_frames.Garbled as error:
            why = str(error)
        except OSError as error:
            why = f"no room for what it sent: {told(error, tempfile.gettempdir())}"
        finally:
            self.drop()
            source.close()
            self.tell((self, Gone(why), None))

    def _heard(self) -> None:
        self.heard_s = time.monotonic()

    def _expected(self, said: ssh_frames.OfHost) -> bool:
        """Whether it says that it is ready, once, and then what becomes of runs that it has, of each once."""
        if isinstance(said, ssh_frames.Ready | ssh_frames.Refused):
            first, self.ready = not self.ready, True
            return first
        if not isinstance(said, ssh_frames.Advanced) and said.run in self.given:
            self.given.discard(said.run)
            return True
        return said.run in self.given

    def _last_words(self) -> str:
        """Why the connection ended, as far as ssh or the first program there say it."""
        try:
            status = self.process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            return ""
        if status == _NOT_FOUND:
            return f"there is no {_PYTHON}, with which this machine runs"
        return shown(self.errors.last())

    def drop(self) -> None:
        """Nothing more is wanted of it."""
        self.process.kill()

    def execute(self, index: int, task: Task) -> None:
        self.given.add(index)
        self.outbox.put((ssh_frames.Execute(), pickle.dumps(task)))
        self._heard()

    def silent(self) -> bool:
        """It has said nothing for longer than one that runs does."""
        return time.monotonic() - self.heard_s > _SILENT_S

    def ping(self) -> None:
        """Unless something is on its way there anyway."""
        if self.outbox.empty():
            self.outbox.put((ssh_frames.Ping(), b""))

    def close(self) -> None:
        """End its input, and with it all that it does; while something long is on its way there, that."""
        self.outbox.put(None)
        self.speaker.join(_SHORT_S)
        if self.speaker.is_alive():
            self.process.terminate()


class _Errors:
    """The last of what a program prints to its stderr, however much that is."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        self.source, self.end = process.stderr, b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with self.source:
            while piece := os.read(self.source.fileno(), _ERRORS_BYTES):
                self.end = (self.end + piece)[-_ERRORS_BYTES:]

    def last(self) -> str:
        """The last line with something in it; of a program that has ended."""
        self.thread.join(_SHORT_S)
        lines = self.end.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _where(address: str) -> list[str]:
    match = _ADDRESS.fullmatch(address)
    assert match is not None  # by parse()
    user, host, port = match.groups()
    return [*(["-l", user] if user else []), *(["-p", port] if port else []), "--", host.strip("[]")]


def _first_command() -> str:
    """What the user's shell there is to run, whichever that is: so nothing is in it that one could read otherwise."""
    text = resources.files("cellbed.sweep").joinpath("ssh_boot.py").read_bytes()
    return f"{_PYTHON} -I -c 'import base64;exec(base64.b64decode(\"{base64.b64encode(text).decode()}\"))'"


class Hosts:
    """The hosts of one sweep."""

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.facts = remote_run.facts(kernel)
        self.events: queue.Queue[Event] = queue.Queue(_EVENTS_MAX)
        self.hosts: list[Host] = []
        self.ended = threading.Event()
        self.given = 0

    def start(self, addresses: list[str]) -> None:
        """Raises CellbedError when one of them cannot run what this machine would."""
        packed = shipped.archive(self.kernel)
        begin = f"{len(packed)} {self.kernel} {_PATIENCE_S:g}\n".encode() + packed
        self.hosts = [Host(address, begin, self._tell) for address in addresses]
        waiting, deadline = set(self.hosts), time.monotonic() + _READY_S
        while waiting:
            event = self.next_event()
            if event is not None:
                waiting.discard(self._check(*event))
            elif time.monotonic() > deadline:
                raise CellbedError(f"{min(host.name for host in waiting)}: not ready within {_READY_S:g} s")
        threading.Thread(target=self._ping, daemon=True).start()

    def _check(self, host: Host, said: ssh_frames.OfHost | Gone, _: IO[bytes] | None) -> Host:
        if not isinstance(said, ssh_frames.Ready):
            raise CellbedError(f"{host.name}: {said.why if isinstance(said, Gone) else getattr(said, 'error', '')}")
        if text := remote_run.differences(said.facts, self.facts):
            raise CellbedError(f"{host.name}: {text}; a host has to have the same of these as this machine")
        host.cpus, host.free_mib = said.cpus, said.free_mib
        return host

    def _tell(self, event: Event) -> None:
        """An event from a thread, which waits while nobody hears it, but not at the end."""
        while not self.ended.is_set():
            with contextlib.suppress(queue.Full):
                self.events.put(event, timeout=_LISTEN_S)
                return

    def next_event(self) -> Event | None:
        """Not for ever, as signals do not end every wait."""
        try:
            with held():
                return self.events.get(timeout=_LISTEN_S)
        except queue.Empty:
            return None

    def _ping(self) -> None:
        while not self.ended.wait(_PING_S):
            for host in list(self.hosts):
                host.ping()

    def execute(self, sweep: Sweep, runs: list[Run]) -> list[Outcome]:
        """As Sweep.execute()."""
        try:
            Inside.named(sweep.results)
        except OSError as error:
            raise LabError(f"{error.filename}: {error.strerror}") from None
        batch = _Batch(self, sweep, runs, self.given)
        self.given += len(runs)
        return batch.execute()

    def end(self) -> None:
        """Wait until nothing of it is left there."""
        self.ended.set()
        for host in self.hosts:
            host.close()
        deadline = time.monotonic() + _STOP_S
        for host in self.hosts:
            try:
                host.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                note(f"{host.name} does not answer; its runs end by themselves after {_PATIENCE_S:g} s")
            finally:
                host.process.kill()
                host.process.wait()


class _Batch:
    """Some runs, on their way to hosts and back."""

    def __init__(self, hosts: Hosts, sweep: Sweep, runs: list[Run], first: int) -> None:
        self.all, self.sweep, self.first = hosts, sweep, first
        self.bundles = {first + n: sweep.bundle(run) for n, run in enumerate(runs)}
        self.guest_mib = max((memory.guest_mib(run.settings) for run in runs), default=1)
        self.outcomes: dict[int, Outcome] = {}
        self.waiting: deque[int] = deque()
        self.executing: dict[int, Host] = {}
        self.tries = dict.fromkeys(self.bundles, 0)

    def execute(self) -> list[Outcome]:
        """Outcomes in the order of the runs."""
        for index, bundle in self.bundles.items():
            if (outcome := self.sweep.cached(bundle)) is not None:
                self._finished(index, outcome)
            else:
                self.waiting.append(index)
        while len(self.outcomes) < len(self.bundles):
            self._give()
            if (event := self.all.next_event()) is not None:
                self._hear(*event)
            for host in {host for host in self.executing.values() if host.silent()}:
                note(f"{host.name}: no answer for {_SILENT_S:g} s; other hosts execute its runs")
                host.drop()
        return [self.outcomes[index] for index in self.bundles]

    def _finished(self, index: int, outcome: Outcome) -> None:
        self.outcomes[index] = outcome
        self.sweep.observer.finished(self.bundles[index].run, outcome)

    def _give(self) -> None:
        """Runs to hosts that have room for them, first where there is most."""
        while self.waiting and self._room(host := max(self.all.hosts, key=self._room)) > 0:
            index = self.waiting.popleft()
            try:
                task = self._task(index, self.bundles[index])
            except CellbedError as error:  # its channel
                self._finished(index, Outcome(None, error=str(error)))
            else:
                self.executing[index] = host
                host.execute(index, task)

    def _room(self, host: Host) -> int:
        at_once = max(1, min(host.cpus, host.free_mib // self.guest_mib))
        return at_once - list(self.executing.values()).count(host)

    def _task(self, index: int, bundle: Bundle) -> Task:
        # Rendered here: another CPU may round otherwise.
        return Task("", index, bundle.path.name, bundle.run, bundle.description, self.all.kernel, self.all.facts,
                    receive.files(bundle.run, rendered=True), Path(), None, os.getpid())

    def _hear(self, host: Host, said: ssh_frames.OfHost | Gone, behind: IO[bytes] | None) -> None:
        if isinstance(said, Gone):
            self._lost(host, said.why)
            return
        if isinstance(said, ssh_frames.Ready | ssh_frames.Refused) or self.executing.get(said.run) is not host:
            return  # of a batch that was given up
        if isinstance(said, ssh_frames.Advanced):
            self.sweep.observer.advanced(self.bundles[said.run].run, said.done_s, said.all_s)
        elif isinstance(said, ssh_frames.Differs):
            raise CellbedError(f"{host.name}: {said.error}; a host has to have the same of these as this machine")
        else:
            del self.executing[said.run]
            executed = Executed(error=said.error) if isinstance(said, ssh_frames.Failed) else \
                Executed(said.measured.model_dump(), packed=behind)
            self._finished(said.run, receive.finish(self.sweep, self.bundles[said.run], executed))

    def _lost(self, host: Host, why: str) -> None:
        """Others run what a host had that has gone."""
        self.all.hosts.remove(host)
        note(f"{host.name} is lost: {why}")
        if not self.all.hosts:
            raise CellbedError("no host is left; run the same command again to execute the rest")
        for index in [index for index, at in self.executing.items() if at is host]:
            del self.executing[index]
            self.tries[index] += 1
            if self.tries[index] < _TRIES:
                self.waiting.appendleft(index)
            else:
                self._finished(index, Outcome(None, error=f"{_TRIES} hosts went while they were running it; the last "
                                                          f"one was {host.name}"))
