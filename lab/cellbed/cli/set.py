# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed set`: change a native lab while it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from cellbed.cli.shell import choose, running
from cellbed.error import CellbedError


def run_set(
    ue: Annotated[str, typer.Argument(help="A UE, such as ue1.")],
    changes: Annotated[list[str], typer.Argument(metavar="KEY=VALUE...", help="What changes, as in `radio.events`: "
                       "cqi_dl=4, dl_rate=5Mbit, loss_dl=0.01, delay_ms=40, outage_ms=2000, handover=enb2; or rate, "
                       "up, loss, delay=40ms, outage=2s; or flush.")],
    pid: Annotated[int | None, typer.Option(help="The pid of the cellbed that runs the lab, if several do.")] = None,
) -> None:
    """Change a link or run of the native lab while it goes on."""
    from cellbed.link import live

    wanted = live.parse(changes)
    live.requests(ue, wanted)
    lab = choose(running(), ue, pid)
    if lab.kind == "virtual":
        raise CellbedError("set: the time of the virtual lab is not that of this terminal; write the change into "
                           "radio.events, with its time")
    live.change(lab.directory, ue, wanted)


def register(app: typer.Typer) -> None:
    app.command("set")(run_set)
