# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed new`: a first scenario of one's own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli.screens import console

_RADIO, _FLOWS, _DURATION_S, _SEEDS = "edge", "cubic bbr", 30, 10


def new(
    file: Annotated[Path, typer.Argument(help="The scenario to write, such as mine.yaml.")],
    radio: Annotated[str | None, typer.Option(show_default=False, help=f"A ready-made link with a server, as "
                                              f"`cellbed link --help` lists them. Default: {_RADIO}.")] = None,
    flows: Annotated[list[str] | None, typer.Option(show_default=False, help="Congestion controls of a variant's "
                                                    "flows, with commas: a UE for each. May be repeated, for each "
                                                    "variant. Default: cubic, and bbr.")] = None,
    duration: Annotated[int | None, typer.Option(min=1, max=3600, show_default=False, help="Seconds that each flow "
                                                 f"lasts. Default: {_DURATION_S}.")] = None,
    seeds: Annotated[int | None, typer.Option(min=1, max=1000, show_default=False, help="Runs of each variant. "
                                              f"Default: {_SEEDS}.")] = None,
) -> None:
    """Write a scenario that compares congestion controls over a ready-made link. What no option says is asked for on a
    terminal.
    """
    from cellbed.link.experiment import Question, links, parse_flows, write

    asks = sys.stdin.isatty()
    if radio is None:
        radio = typer.prompt(f"Radio ({', '.join(links())})", _RADIO) if asks else _RADIO
    if not flows:
        words = typer.prompt("Variants, with commas between flows side by side", _FLOWS) if asks else _FLOWS
        flows = words.split()
    if duration is None:
        duration = typer.prompt("Seconds of each flow", _DURATION_S, type=int) if asks else _DURATION_S
    if seeds is None:
        seeds = typer.prompt("Seeds", _SEEDS, type=int) if asks else _SEEDS
    write(file, Question(radio, parse_flows(flows), duration, seeds))
    console().print(f"{file}: next, `cellbed sweep {file} --results results`", soft_wrap=True, markup=False,
                    highlight=False)


def register(app: typer.Typer) -> None:
    app.command("new")(new)
