# SPDX-License-Identifier: GPL-2.0-or-later
"""Services of a Compose file as containers, started and taken down by the program for it that this machine has.

Source: the Compose Specification; podman-compose(1); docker-compose(1)
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.labs.user_terminal import note

# The first that works is taken. Beside each: what it starts containers by.
_PROGRAMS = ((["podman-compose"], "podman"), (["docker", "compose"], "docker"), (["podman", "compose"], "podman"),
             (["docker-compose"], "docker"))
_LABEL = "com.docker.compose"
_LINES_SHOWN = 3


class Container(NamedTuple):
    """One of a service."""

    pid: int  # its first process
    hosts: Path  # what it has as /etc/hosts

    @property
    def netns(self) -> str:
        return f"/proc/{self.pid}/ns/net"


@contextlib.contextmanager
def up(file: Path, project: str, services: Sequence[str]) -> Iterator[dict[str, Container]]:
    """Run a Compose file during the block. Yields: the containers of @services.

    Raises:
        LabError: no program for it, or it fails; a service that does not run, runs more than once, or has no network
            of its own.
    """
    program, engine = _program()
    compose = [*program, "-f", str(file.resolve()), "-p", project]
    before = _networks(engine, project)
    try:
        note(f"{' '.join(program)} starts the services of {file}")
        said = _output([*compose, "up", "-d"])
        found = {service: _container(engine, project, service, said) for service in services}
        _check_networks(found)
        yield found
    except SystemExit:  # of a command
        _down(compose, engine, project, before)
        raise
    except BaseException:
        with contextlib.suppress(LabError):  # what is wrong has been said
            _down(compose, engine, project, before)
        raise
    else:
        _down(compose, engine, project, before)


def _down(compose: list[str], engine: str, project: str, before: set[str]) -> None:
    """Args: before: networks that were there."""
    _output([*compose, "down"])
    if new := _networks(engine, project) - before:  # podman-compose 1.0 leaves them
        _output([engine, "network", "rm", *sorted(new)])


def _program() -> tuple[list[str], str]:
    for program, engine in _PROGRAMS:
        if programs.find(program[0]) is not None:
            with contextlib.suppress(LabError):
                _output([*program, "version"])
                return program, engine
    raise LabError("cellbed compose needs podman-compose, or the command compose of docker or podman; install one with "
                   "`apt-get install podman-compose`")


def _output(words: Sequence[str]) -> str:
    """What a program prints, on both streams. The keys of the terminal are not for it.

    Raises:
        LabError: it fails, with what it said last.
    """
    process = subprocess.Popen([programs.command(words[0]), *words[1:]], stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                               start_new_session=True, env=programs.trusted(programs.given()),
                               preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, []))
    try:
        said = process.communicate()[0]
    except BaseException:  # what it still does would come after the end
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate()
        raise
    if process.returncode:
        raise LabError(f"`{' '.join(words)}` failed: {_last_words(said)}")
    return said


def _last_words(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return "; ".join(lines[-_LINES_SHOWN:]) or "it printed nothing"


def _networks(engine: str, project: str) -> set[str]:
    return set(_output([engine, "network", "ls", "--filter", f"label={_LABEL}.project={project}", "--format",
                        "{{.Name}}"]).split())


def _container(engine: str, project: str, service: str, said: str) -> Container:
    """Args: said: by the program that started it, which may not tell a failure by its status."""
    ids = _output([engine, "ps", "--filter", f"label={_LABEL}.project={project}", "--filter",
                   f"label={_LABEL}.service={service}", "--format", "{{.ID}}"]).split()
    if not ids:
        raise LabError(f"service {service}: it does not run: {_last_words(said)}")
    if len(ids) > 1:
        raise LabError(f"service {service}: {len(ids)} containers; a UE is one of them, so leave out its replicas")
    (found,) = json.loads(_output([engine, "inspect", "--type", "container", ids[0]]))
    return Container(found["State"]["Pid"], Path(found["HostsPath"]))


def _check_networks(found: dict[str, Container]) -> None:
    """Raises LabError for a service that has no network of its own."""
    taken = {_inode("/proc/self/ns/net"): "this machine"}
    for service, container in found.items():
        number = _inode(container.netns)
        if number in taken:
            raise LabError(f"service {service}: it has the network of {taken[number]}; remove its network_mode, or "
                           "leave it out of x-cellbed.ues")
        taken[number] = service


def _inode(namespace: str) -> int:
    try:
        return os.stat(namespace).st_ino
    except OSError as error:
        raise LabError(f"{namespace}: {error.strerror}; run it as root where containers are root's") from error
