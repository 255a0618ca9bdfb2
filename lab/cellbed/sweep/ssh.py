# SPDX-License-Identifier: GPL-2.0-or-later
"""Plays the runs of a sweep on hosts that have nothing of cellbed, over SSH; ssh_worker.py is the other end.

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
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from cellbed.error import CellbedError, LabError
from cellbed.host import programs
from cellbed.labs import kernels
from cellbed.labs.caller import note
from cellbed.results.bundle import Bundle
from cellbed.run import memory
from cellbed.scenario.description import Run
from cellbed.sweep import away, receive, shipped, ssh_frames
from cellbed.sweep.away import Played, Task
from cellbed.sweep.play import Outcome, Sweep
from cellbed_formats.inside import Inside

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
# So many hosts may die of a run.
_TRIES = 4
Event = tuple["Host", dict[str, Any], bytes]
GONE = "gone"  # an event of this side


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
    """Hosts that are ready to play; what was copied there is gone afterwards.

    Raises:
        CellbedError: one of them cannot be reached, cannot play, or is not like this machine.
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
    """A connection, and the thread that listens to it."""

    def __init__(self, address: str, begin: bytes, events: queue.Queue[Event]) -> None:
        self.name, self.events = address, events
        self.cpus, self.free_mib = 0, 0
        self.lock = threading.Lock()
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        # In a session of its own: the keys of a terminal are for this process, which says what shall end.
        self.process = subprocess.Popen([programs.command("ssh"), *_OPTIONS, *_where(address), _first_command()],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        start_new_session=True)
        threading.Thread(target=self._listen, args=(begin,), daemon=True).start()

    def _listen(self, begin: bytes) -> None:
        source = self.process.stdout
        assert self.process.stdin is not None and source is not None
        said = ""
        try:
            with self.lock, contextlib.suppress(OSError):  # who does not read has ended, and says why
                self.process.stdin.write(begin)
                self.process.stdin.flush()
            ssh_frames.await_beginning(source)
            while (frame := ssh_frames.hear(source)) is not None:
                self.events.put((self, *frame))
        except ssh_frames.Garbled as error:
            said = str(error)
        source.close()
        self.events.put((self, {"kind": GONE, "why": self._last_words() or said or "the connection ended"}, b""))

    def _last_words(self) -> str:
        """Why the connection ended, as far as ssh or the first program there say it."""
        try:
            status = self.process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return ""
        if status == _NOT_FOUND:
            return f"there is no {_PYTHON}, with which this machine plays"
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def say(self, kind: str, behind: bytes = b"", **said: Any) -> None:
        """That it has gone is told by its event."""
        assert self.process.stdin is not None
        with self.lock, contextlib.suppress(OSError, ValueError):
            ssh_frames.say(self.process.stdin, {"kind": kind, **said}, behind)

    def ping(self) -> None:
        """Unless something is on its way there anyway."""
        if not self.lock.locked():
            self.say("ping")

    def close(self) -> None:
        """End its input, and with it all that it does; while something long is on its way there, that."""
        assert self.process.stdin is not None
        if not self.lock.acquire(timeout=_SHORT_S):
            self.process.terminate()
            return
        try:
            self.process.stdin.close()
        except OSError:
            pass  # it has ended
        finally:
            self.lock.release()


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
        self.facts = away.facts(kernel)
        self.events: queue.Queue[Event] = queue.Queue()
        self.hosts: list[Host] = []
        self.ended = threading.Event()
        self.given = 0

    def start(self, addresses: list[str]) -> None:
        """Raises CellbedError when one of them cannot play what this machine would."""
        packed = shipped.archive(self.kernel)
        begin = f"{len(packed)} {self.kernel} {_PATIENCE_S:g}\n".encode() + packed
        self.hosts = [Host(address, begin, self.events) for address in addresses]
        waiting, deadline = set(self.hosts), time.monotonic() + _READY_S
        while waiting:
            event = self.next_event()
            if event is not None:
                waiting.discard(self._check(*event))
            elif time.monotonic() > deadline:
                raise CellbedError(f"{min(host.name for host in waiting)}: not ready within {_READY_S:g} s")
        threading.Thread(target=self._ping, daemon=True).start()

    def _check(self, host: Host, said: dict[str, Any], _: bytes) -> Host:
        if said.get("kind") != "ready":
            raise CellbedError(f"{host.name}: {said.get('error') or said.get('why')}")
        if text := away.differences(said["facts"], self.facts):
            raise CellbedError(f"{host.name}: {text}; a host has to have the same of these as this machine")
        host.cpus, host.free_mib = int(said["cpus"]), int(said["free_mib"])
        return host

    def next_event(self) -> Event | None:
        """Not for ever, as signals do not end every wait."""
        try:
            return self.events.get(timeout=_LISTEN_S)
        except queue.Empty:
            return None

    def _ping(self) -> None:
        while not self.ended.wait(_PING_S):
            for host in list(self.hosts):
                host.ping()

    def play(self, sweep: Sweep, runs: list[Run]) -> list[Outcome]:
        """As Sweep.play()."""
        try:
            Inside.named(sweep.results)
        except OSError as error:
            raise LabError(f"{error.filename}: {error.strerror}") from None
        batch = _Batch(self, sweep, runs, self.given)
        self.given += len(runs)
        return batch.play()

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
                note(f"{host.name} does not answer; what it plays ends by itself after {_PATIENCE_S:g} s")
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
        self.playing: dict[int, Host] = {}
        self.tries = dict.fromkeys(self.bundles, 0)

    def play(self) -> list[Outcome]:
        """Outcomes in the order of the runs."""
        for index, bundle in self.bundles.items():
            if (outcome := self.sweep.cached(bundle)) is not None:
                self._finished(index, outcome)
            else:
                self.waiting.append(index)
        while len(self.outcomes) < len(self.bundles):
            self._give()
            if (event := self.all.next_event()) is not None:
                try:
                    self._hear(*event)
                except (KeyError, TypeError, ValueError):
                    raise CellbedError(f"{event[0].name}: an answer that is none") from None
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
                self.playing[index] = host
                host.say("play", pickle.dumps(task))

    def _room(self, host: Host) -> int:
        at_once = max(1, min(host.cpus, host.free_mib // self.guest_mib))
        return at_once - list(self.playing.values()).count(host)

    def _task(self, index: int, bundle: Bundle) -> Task:
        # Rendered here: another CPU may round otherwise.
        return Task("", index, bundle.path.name, bundle.run, bundle.description, self.all.kernel, self.all.facts,
                    receive.files(bundle.run, rendered=True), Path(), None, os.getpid())

    def _hear(self, host: Host, said: dict[str, Any], behind: bytes) -> None:
        if said["kind"] == GONE:
            self._lost(host, said["why"])
            return
        index = int(said["run"])
        if self.playing.get(index) is not host:
            return  # of a batch that was given up
        if said["kind"] == "advanced":
            self.sweep.observer.advanced(self.bundles[index].run, float(said["done_s"]), float(said["all_s"]))
        elif said["kind"] == "differs":
            raise CellbedError(f"{host.name}: {said['error']}; a host has to have the same of these as this machine")
        elif said["kind"] == "played":
            del self.playing[index]
            played = Played(said["measured"], packed=behind, error=said["error"])
            self._finished(index, receive.finish(self.sweep, self.bundles[index], played))

    def _lost(self, host: Host, why: str) -> None:
        """Others play what a host had that has gone."""
        self.all.hosts.remove(host)
        note(f"{host.name} has gone: {why}")
        if not self.all.hosts:
            raise CellbedError("no host is left; run the same command again to play the rest")
        for index in [index for index, at in self.playing.items() if at is host]:
            del self.playing[index]
            self.tries[index] += 1
            if self.tries[index] < _TRIES:
                self.waiting.appendleft(index)
            else:
                self._finished(index, Outcome(None, error=f"{_TRIES} hosts went while they were playing it; the last "
                                                          f"one was {host.name}"))
