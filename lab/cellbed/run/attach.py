# SPDX-License-Identifier: GPL-2.0-or-later
"""How a command of a run is attached to the user's shell: in its folder, with its environment and streams.

The caller writes DIR/attach.json before the run; without it a command's output goes into the bundle. In the native lab
the command gets the caller's own descriptors and process group, so that terminal and signals work as without cellbed.
A guest of the virtual lab has neither; there they are relayed (relay.py).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cellbed.host import programs
from cellbed.host.process import Process
from cellbed.run import hosts_file
from cellbed.run.relay import Relay, Session

FILE = "attach.json"
# Of the virtual lab: where messages for the attached command and its output are.
SESSION = "session-0"


class Attachment:
    """Its attributes are all there is in FILE."""

    def __init__(self, flow: str, environment: dict[str, str], cwd: str,
                 user: tuple[int, int, list[int]] | None = None, **more: Any) -> None:
        """
        Args:
            flow: id of the attached command.
            user: uid, gid and groups that commands run with; None: as the runner.
            more: attributes that the lab sets.
        """
        self.flow, self.environment, self.cwd, self.user = flow, environment, cwd, user
        self.stdio: list[int] | None = None  # native: descriptors for the command
        self.group: int | None = None  # native: process group for the command
        self.umask: int | None = None  # native: of the caller
        self.rootless = False  # native: the command is in the caller's process group, and has privileges to lose
        self.confined = False  # native: commands are root, and have powers to lose that come with it
        self.request: dict[str, Any] | None = None  # virtual: what Session wants to know
        self.pace = False  # virtual: time goes no faster than the caller's
        self.writable: list[str] = []  # virtual: folders of the host that commands may write to
        vars(self).update(more)

    def write(self, directory: Path) -> None:
        (directory / FILE).write_text(json.dumps(vars(self)))

    @classmethod
    def read(cls, directory: Path) -> Attachment | None:
        path = directory / FILE
        if not path.exists():
            return None
        attachment = cls(**json.loads(path.read_text()))
        for fd in attachment.stdio or []:
            os.set_inheritable(fd, False)
        return attachment

    def prepare(self, out: Path, pids: dict[str, int]) -> Relay | None:
        """Make the guest fit for the caller's command, before it starts. Return: the relay of a guest."""
        if self.request is None:
            return None
        for path in self.writable:
            subprocess.run([programs.command("mount"), "-t", "hostfs", "-o", path, "hostfs", path], check=False)
        return Relay(out, pids, self.environment, self.pace)

    def start(self, name: str, argv: list[str], environment: dict[str, str], out: Path, netns_pid: int,
              hosts: Path, join: Callable[[], None]) -> tuple[Process, Session | None]:
        """Start the attached command.

        Args:
            join: puts it where it is told from others, while it may.
        """
        if self.request is not None:
            session = Session(out / SESSION, {**self.request, "argv": argv, "environment": environment,
                                              "cwd": self.cwd}, netns_pid, hosts, join)
            return session.process, session

        def become() -> None:
            join()
            self.become_caller()

        assert self.stdio is not None  # of the native lab
        stdin, stdout, stderr = self.stdio
        return Process(name, argv, out / "log", netns_pid, stdout, stderr, stdin,
                       hosts_file.before(hosts, become), env=environment, cwd=self.cwd, process_group=None), None

    def become_caller(self) -> None:
        """In the child: be one of the caller's processes."""
        if self.group is not None:
            os.setpgid(0, self.group)
        if self.umask is not None:
            os.umask(self.umask)
        if self.rootless:
            from cellbed.host import capabilities  # of no use in a guest

            capabilities.keep_for_this_process()
        if self.confined:
            from cellbed.host import confinement

            confinement.confine()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if self.user is not None:
            uid, gid, groups = self.user
            os.setgroups(groups)
            os.setgid(gid)
            os.setuid(uid)
