# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed guest`: any command in a guest kernel, in virtual time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli import completion
from cellbed.cli.link import WithCommand, end_as_command
from cellbed.labs import choices
from cellbed.link import links

LAB = "virtual"
_NAME = Path("guest.yaml")
HELP = """Run a command in a guest kernel in virtual time, or a shell when none is given.

The command is root there and has no network but what it makes: namespaces, wires, and radio links by Mininet \
(docs/howto/mininet.md). It sees this machine's files, and can write to the folder that it starts in and to $TMPDIR. \
The same command gives the same results, on any machine. Exit status and signals are passed through.

Example: cellbed guest -- python3 script.py"""


def run_guest(
    ctx: typer.Context,
    memory: Annotated[str | None, typer.Option(metavar="SIZE", show_default=False, help="The guest's memory, such as "
                                               "2GiB, in steps of 1MiB. Default: 512MiB.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything random in the guest's kernel.")] = 1,
    kernel: Annotated[str | None, typer.Option(show_default=False, help="7.3, 6.12 or 6.1. Default: the newest that "
                                               "is built.", autocompletion=completion.kernels)] = None,
) -> None:
    choices.check_lab(LAB, kernel, choices.ATTACHABLE)
    argv = ctx.meta["command"] or [os.environ.get("SHELL", "/bin/sh")]
    # It has the place of a UE, of a link that is not used.
    data, _ = links.build([], argv, [f"memory={memory}"] if memory is not None else [])
    end_as_command(data, _NAME, LAB, kernel, None, seed, None, not ctx.meta["command"])


def register(app: typer.Typer) -> None:
    app.command("guest", cls=WithCommand, help=HELP)(run_guest)
