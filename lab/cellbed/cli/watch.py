# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed watch`: a live view of runs that go on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli.analysed import analysing
from cellbed.host.interrupt import cleaning_up
from cellbed_formats.screen import Screen

#: Where srsRAN's users point Wireshark. Source: srsRAN 4G, mac_pcap_net (client port)
WIRESHARK_PORT = 5847

Folder = Annotated[Path | None, typer.Argument(help="A results folder or bundle. Default: your run in progress.")]


def run_watch(
    folder: Folder = None,
    web: Annotated[bool, typer.Option("--web", help="Also serve a web page on this machine, until Ctrl-C.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port of the page; 0 means any free one.")] = 8042,
    wireshark: Annotated[bool, typer.Option("--wireshark", help="Send the radio's PDUs to Wireshark over loopback.")]
    = False,
    wireshark_port: Annotated[int, typer.Option(min=1, max=65535, help="The UDP port for that.")] = WIRESHARK_PORT,
) -> None:
    """Show a run in progress: cwnd, RTT, queues, channel, HARQ, RLC and events. Watching does not affect the run."""
    import asyncio

    from cellbed_watch.follow import Wanted, watch

    console = Screen() if sys.stdout.isatty() else Screen(width=120)
    wanted = Wanted(folder, port if web else None, wireshark_port if wireshark else None)
    with cleaning_up(), analysing(folder or Path("what is watched")):  # and the terminal's cursor comes back
        asyncio.run(watch(wanted, console))


def register(app: typer.Typer) -> None:
    app.command("watch")(run_watch)
