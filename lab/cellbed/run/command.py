# SPDX-License-Identifier: GPL-2.0-or-later
"""Any program as traffic of a run: on a node, in the foreground (its end ends the run) or beside the others."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from cellbed.error import LabError
from cellbed.host import cgroup, programs
from cellbed.host.busy import Busy
from cellbed.host.process import NotStarted, Process
from cellbed.run import hosts_file
from cellbed.run.attach import Attachment
from cellbed.run.relay import Session

# A program in the background that has not computed for so long and does not listen is no server; while it computes, as
# one that starts on a busy machine does, it is waited for longer.
_LISTEN_IDLE_S = 2.0
_LISTEN_DEADLINE_S = 20.0
_STOP_DEADLINE_S = 2.0
_TCP_LISTEN, _UDP_BOUND = "0A", "07"
# Of the runner itself, not of programs that a scenario starts.
_OWN_VARIABLES = ("PYTHONPATH", "PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE")


def shell_status(returncode: int) -> int:
    """Exit status as a shell has it: 128 + n for signal n."""
    return 128 - returncode if returncode < 0 else returncode


class Command:
    """A program on a node.

    Its output goes to <id>.stdout and <id>.stderr, and it works in the bundle's folder; unless the run is attached to
    somebody's terminal, files or pipes (see attach.py): then to those, in their folder.

    Args:
        own: variables of its node.

    Attributes:
        in_cgroups: each is in a cgroup, by which the probe tells its sockets.
    """

    in_cgroups = True
    lead_ns = 0

    def __init__(self, flow: dict[str, Any], pids: dict[str, int], own: dict[str, str], out: Path,
                 attachment: Attachment | None = None) -> None:
        self.flow, self.out, self.netns_pid = flow, out, pids[flow["node"]]
        self.attachment = attachment if attachment is not None and attachment.flow == flow["id"] else None
        self.confined = attachment is not None and attachment.confined
        inherited = {k: v for k, v in os.environ.items() if k not in _OWN_VARIABLES}
        if attachment is not None:
            inherited = attachment.environment if self.attachment is not None else \
                programs.trusted(attachment.environment)
        self.environment = {**inherited, **own, **flow["environment"]}
        self.process: Process | None = None
        self.session: Session | None = None
        self.not_started: NotStarted | None = None
        self.stopped = False
        self.start_ns: int | None = None
        self.end_ns: int | None = None  # None: not yet, or with the run

    @property
    def background(self) -> bool:
        return self.flow["background"]

    @property
    def popen(self) -> subprocess.Popen[bytes]:
        """Of a program that was started."""
        assert self.process is not None
        return self.process.popen

    def pid(self) -> int:
        return self.popen.pid

    def end_s(self) -> float:
        return math.inf

    def limit_s(self) -> float:
        return math.inf if self.flow["limit_s"] is None else self.flow["start_s"] + self.flow["limit_s"]

    def overdue(self) -> LabError:
        return LabError(f"traffic {self.flow['id']}: took longer than limit_s = {self.flow['limit_s']:g} s")

    def start_server(self) -> None:
        """Start what runs beside the others, and let it begin to listen.

        Raises:
            LabError: it did not start, or ended at once with an error.
        """
        if not self.background:
            return
        before = _listening(self.netns_pid)
        self._start()
        busy = Busy(self.popen.pid)
        end = time.monotonic() + _LISTEN_DEADLINE_S
        while time.monotonic() < end and busy.idle_s() < _LISTEN_IDLE_S and \
                _listening(self.netns_pid) <= before and self.popen.poll() is None:
            time.sleep(0.01)
        if self.popen.poll():
            raise LabError(f"traffic {self.flow['id']}: {self._ended()}")

    def start_client(self, at_ns: int) -> None:
        """Start what the run is for, now. That it cannot be started is its result."""
        if self.background:
            return
        try:
            self._start()
        except NotStarted as error:
            self.not_started = error

    def _start(self) -> None:
        name, hosts = f"traffic {self.flow['id']}", hosts_file.path(self.out, self.flow["node"])
        join = functools.partial(cgroup.join, cgroup.part(self.flow["id"])) if self.in_cgroups else lambda: None
        first = _confine_server if self.confined else join  # which has no cgroup to join
        self.start_ns = time.monotonic_ns()
        if self.attachment is not None:
            self.process, self.session = self.attachment.start(name, self.flow["argv"], self.environment, self.out,
                                                               self.netns_pid, hosts, join)
        else:
            with contextlib.ExitStack() as stack:
                stdout, stderr = (stack.enter_context(open(self._output(kind), "wb")) for kind in ("stdout", "stderr"))
                self.process = Process(name, self.flow["argv"], self.out / "log", self.netns_pid, stdout, stderr,
                                       before_exec=hosts_file.before(hosts, first), env=self.environment, cwd=self.out,
                                       process_group=0)
        threading.Thread(target=self._note_end, args=(self.process,), daemon=True).start()

    def _note_end(self, process: Process) -> None:
        """When it ends, which a caller that waits for the last of several commands does not see."""
        process.wait(math.inf)
        self.end_ns = time.monotonic_ns()

    def _output(self, kind: str) -> Path:
        return self.out / f"{self.flow['id']}.{kind}"

    def running(self) -> bool:
        return not self.background and self.process is not None and self.process.popen.poll() is None

    def stop(self) -> None:
        """End what ran beside the others."""
        if self.process is None or not self.background or self.process.popen.poll() is not None:
            return
        self.stopped = True
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.popen.wait(_STOP_DEADLINE_S)
        self._signal(signal.SIGKILL)  # also what it started
        self.process.popen.wait()

    def _signal(self, sig: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, sig)

    def kill(self) -> None:
        if self.process is not None:
            if self.attachment is None:
                self._signal(signal.SIGKILL)
            self.process.kill()
        if self.session is not None:
            self.session.close()

    def status(self) -> int | None:
        """Exit status as a shell has it; None: it still runs, or was ended with the run."""
        if self.not_started is not None:
            return self.not_started.shell_status
        if self.stopped or self.process is None or self.process.popen.poll() is None:
            return None
        return shell_status(self.process.popen.returncode)

    def error(self) -> str | None:
        """What went wrong, or None."""
        if self.not_started is not None:
            return str(self.not_started)
        return self._ended() if self.status() else None

    def _ended(self) -> str:
        said = []
        if self.attachment is None:
            said = self._output("stderr").read_text(errors="replace").strip().splitlines()
        return f"{self.flow['argv'][0]} ended with status {self.status()}" + (f": {said[-1]}" if said else "")

    def congestion_control(self) -> None:
        return None

    def describe(self) -> dict[str, Any]:
        """The command as the manifest lists it."""
        return {**{key: self.flow[key] for key in ("id", "node", "argv", "background", "congestion_control")},
                "status": self.status(), "start_ns": self.start_ns,
                "end_ns": None if self.status() is None else self.end_ns}


def _confine_server() -> None:
    from cellbed.host import capabilities, confinement  # of no use in a guest

    confinement.confine(but=[capabilities.NET_BIND_SERVICE])


def _listening(pid: int) -> set[str]:
    """Sockets of the network namespace of @pid that wait for others: TCP that listens, UDP that is not connected."""
    found = set()
    for name, state in (("tcp", _TCP_LISTEN), ("tcp6", _TCP_LISTEN), ("udp", _UDP_BOUND), ("udp6", _UDP_BOUND)):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == state:
                    found.add(f"{name} {fields[1]} {fields[9]}")
    return found
