# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed compose`: services of a Compose file as UEs of a cell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli import completion
from cellbed.cli.link import WithCommand, end_as_command
from cellbed.error import CellbedError
from cellbed.host.interrupt import cleaning_up
from cellbed.labs import choices
from cellbed.labs.user_terminal import note
from cellbed.link import compose, containers, links, machine
from cellbed.link.account import account_of
from cellbed.run.address import FAMILIES

UP = "up"
_WAIT = ["sleep", "infinity"]
HELP = """Run the services of a Compose file as UEs of a cell, until Ctrl-C or until a command ends.

podman-compose, docker or podman starts the services. Each is a UE: what it sends to the others and to the far end \
goes over the radio, and their names are addresses on the radio. With a command after --, that runs on the first UE, \
and its status is passed on. At the end the services are taken down.

The section x-cellbed of the file may have `link`, the words of `cellbed link` (default: good); `ues`, a list of the \
services that are UEs, or their UEs by service (default: each is the UE of its name); and `internet: true`.

Example: cellbed compose up edge rtt 80ms"""


def run_compose(
    ctx: typer.Context,
    action: Annotated[str, typer.Argument(metavar=UP, help="The only action.")],
    words: Annotated[list[str] | None, typer.Argument(metavar="[LINK] [KEY VALUE]...", show_default=False,
                                                      help="A link as of `cellbed link`. Default: the file's.",
                                                      autocompletion=completion.link_words)] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", show_default=False, help="The Compose file. Default: "
                                              "compose.yaml, or another name that Compose knows.")] = None,
    internet: Annotated[bool, typer.Option("--internet", help="As of `cellbed link`.")] = False,
    results: Annotated[Path | None, typer.Option(help="Keep a result bundle, with every capture, in this "
                                                 "folder.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything random.")] = 1,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Set any key of the scenario, as key=value. "
                                                   "May be repeated.")] = None,
) -> None:
    if action != UP:
        raise CellbedError(f"compose: '{action}': allowed {UP}")
    path = compose.find(file)
    found = compose.read(path)
    rootless = os.geteuid() != 0
    internet = internet or found.cellbed.internet
    at_machine = not rootless and not internet
    families = machine.families(list(FAMILIES), at_machine, internet)
    command = ctx.meta["command"]
    data, of = compose.scenario(found, path, words or compose.words_of(found, path), command or _WAIT, set_ or [],
                                at_machine, internet)
    with cleaning_up(), containers.up(path, compose.project(found, path), list(found.cellbed.ues)) as running:
        compose.put_containers(data, found, running)

        def placed(data: links.Data) -> None:
            for service, addresses in compose.tell_names(data, found, running).items():
                note(f"{service} is {' and '.join(addresses)}")
            if not command:
                note("Ctrl-C ends it")

        end_as_command(data, of, choices.ROOTLESS if rootless else "native", None, results, seed,
                       None if rootless else account_of(None), False, links.Addresses(families), placed)


def register(app: typer.Typer) -> None:
    app.command("compose", cls=WithCommand, help=HELP)(run_compose)
