# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed shell`: into a node of a running lab, from as many terminals as one likes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cellbed.cli.link import NOT_FOUND, WithCommand
from cellbed.error import CellbedError, LabError
from cellbed.host import capabilities, confinement, ledger, mode, rootless
from cellbed.host.netns import enter_netns
from cellbed.labs.choices import ATTACHABLE
from cellbed.labs.user_terminal import (
    Control,
    Grace,
    Streams,
    appear,
    input_for_guest,
    note,
    restoring_terminal,
    wanted_signals,
)
from cellbed.link.account import account_of, environment_of, identity_of
from cellbed.run import attach, hosts_file, inventory
from cellbed_formats.printable import shown

_ENDED_POLL_S = 0.02


@dataclass(frozen=True)
class Lab:
    """A lab that runs."""

    kind: str
    directory: Path
    cgroup: Path | None
    owner: int
    owner_start: str
    nodes: dict[str, Any]

    @property
    def name(self) -> str:
        return ledger.lab_name(self.directory)

    @property
    def is_link(self) -> bool:
        return (self.directory / attach.FILE).exists()

    def runs(self) -> bool:
        return ledger.start_time(self.owner) == self.owner_start and self.directory.exists()


def running() -> list[Lab]:
    """The labs of this user that have nodes."""
    found = []
    for entry in ledger.living():
        if entry.lab in ATTACHABLE and (there := inventory.read(entry.temporary)):
            found.append(Lab(entry.lab, entry.temporary, entry.cgroup, entry.owner_pid, entry.owner_start, there))
    return found


def choose(labs: list[Lab], node: str | None, wanted: int | None) -> Lab:
    """The lab meant: that of process @wanted, or the only link, or the only lab.

    Raises:
        CellbedError: none, or several, or it has no such node.
    """
    if not labs:
        raise CellbedError("no lab is running; `cellbed link` in another terminal starts one")
    links = [lab for lab in labs if lab.is_link]
    meant = [lab for lab in labs if lab.owner == wanted] if wanted is not None else links or labs
    if len(meant) != 1:
        raise CellbedError("--pid: choose one of the labs that run: "
                           + ", ".join(f"{lab.owner} ({lab.kind}: {lab.name})" for lab in labs))
    if node is not None and node not in meant[0].nodes:
        raise CellbedError(f"node '{node}': allowed {', '.join(meant[0].nodes)}")
    return meant[0]


def run_shell(
    ctx: typer.Context,
    node: Annotated[str | None, typer.Argument(help="A node such as ue1. Without one, list the nodes.")] = None,
    mininet: Annotated[bool, typer.Option("--mininet", hidden=True)] = False,
    pid: Annotated[int | None, typer.Option(help="The pid of the cellbed that runs the lab, if several do.")] = None,
    user: Annotated[str | None, typer.Option(help="The user, as for `cellbed link`.")] = None,
) -> None:
    if mininet:
        raise CellbedError("shell --mininet: this option is gone; run `cellbed topology --mininet SCENARIO > script.py`"
                           " and `cellbed guest -- python3 script.py cli`")
    lab = choose(running(), node, pid)
    if node is None:
        for name, there in lab.nodes.items():
            print(shown(f"{name:12} {' '.join(there.get('addresses', [there['address']]))}"))
        return
    account = None if lab.kind == "native" and lab.cgroup is None else account_of(user)
    argv = ctx.meta["command"] or [account.pw_shell if account is not None else os.environ.get("SHELL", "/bin/sh")]
    environment = environment_of(node, account, interactive=not ctx.meta["command"])
    environment |= inventory.variables_there(node, lab.nodes[node])
    if lab.kind == "native":
        _enter(lab, node, argv, environment, identity_of(account))
    sys.exit(_ask_guest(lab, node, argv, environment))


def _enter(lab: Lab, node: str, argv: list[str], environment: dict[str, str],
           identity: tuple[int, int, list[int]] | None) -> None:
    """Become the command, in the node and in the lab's cgroup or pid namespace, with which it ends."""
    as_root = os.geteuid() == 0
    if shutil.which(argv[0], path=environment.get("PATH")) is None:
        note(f"{argv[0]}: no such program")
        sys.exit(NOT_FOUND)
    try:
        if lab.cgroup is not None:
            (lab.cgroup / "cgroup.procs").write_text(str(os.getpid()))
        else:
            rootless.visit(int((lab.directory / rootless.FILE).read_text()))
        enter_netns(os.open(f"/proc/{lab.nodes[node]['pid']}/ns/net", os.O_RDONLY | os.O_CLOEXEC))
        hosts_file.use(hosts_file.path(lab.directory, node))
        if identity is not None:
            uid, gid, groups = identity
            os.setgroups(groups)
            os.setgid(gid)
            os.setuid(uid)
        if lab.cgroup is None:
            capabilities.keep_for_this_process()
            if as_root:
                confinement.confine()
    except OSError as error:
        raise LabError(f"cannot enter the lab: {error.strerror}; run this as root") from error
    os.umask(mode.callers_umask())
    os.execvpe(argv[0], argv, environment)


def _ask_guest(lab: Lab, node: str, argv: list[str], environment: dict[str, str]) -> int:
    """Have the guest run the command, with this terminal. Return: its status."""
    if not lab.is_link:
        raise LabError("a program cannot be started in the lab of a run, because the run would no longer repeat to the "
                       "byte; start a lab with `cellbed link`")
    tty = os.isatty(0) and os.isatty(1)
    folder = lab.directory / f"session-{os.getpid()}"
    folder.mkdir()
    size = os.get_terminal_size(0) if tty else os.terminal_size((80, 24))
    stdin = input_for_guest()
    request = {"node": node, "argv": argv, "environment": {**environment, "TMPDIR": "/run"}, "cwd": os.getcwd(),
               "tty": tty, "rows": size.lines, "columns": size.columns, "stdin": stdin}
    wanted, given_up = wanted_signals(), threading.Event()
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    with restoring_terminal(), Streams(folder, tty, tty or stdin == "stream"):
        threading.Thread(target=_pass_signals, args=(Control(folder, tty), wanted, given_up), daemon=True).start()
        appear(folder / "request.json", json.dumps(request).encode())
        while lab.runs() and not given_up.is_set() and not (folder / "ended").exists():
            time.sleep(_ENDED_POLL_S)
    if not (folder / "ended").exists():
        raise LabError("the lab does not answer; look at the terminal that started it" if lab.runs()
                       else "the lab has ended; start it again")
    return int((folder / "ended").read_text())


def _pass_signals(control: Control, wanted: list[signal.Signals], given_up: threading.Event) -> None:
    grace = Grace(lambda: control.tell(signal.SIGKILL), given_up.set)
    while True:
        sig = signal.sigwait(wanted)
        control.tell(sig)
        grace.after(sig)


def register(app: typer.Typer) -> None:
    app.command("shell", cls=WithCommand, help="Run a shell or a command in a node of a running lab.")(run_shell)
