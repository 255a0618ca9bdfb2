# SPDX-License-Identifier: GPL-2.0-or-later
"""The loop of `cellbed watch`: looks at one run after the other, shows them, and passes PDUs on."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, RenderableType
from rich.live import Live

from cellbed.error import CellbedError

from .place import Place, choose
from .terminal import render
from .view import View
from .wireshark import LOOPBACK, Stream

LOOK_S = 0.2
#: After the end of a run the next one of a sweep has so much time to begin.
NEXT_S = 5.0


@dataclass(frozen=True)
class Wanted:
    """What the command line asks for."""

    folder: Path | None
    web: int | None  # port; 0 = any
    wireshark: int | None  # UDP port


async def watch(wanted: Wanted, console: Console) -> None:
    """Show runs until none goes on; with a page until interrupted.

    Raises:
        CellbedError: nothing goes on, or a port is taken.
    """
    place = choose(wanted.folder)
    if place is None and wanted.web is None:
        raise CellbedError("no run is going on; start one with `cellbed run`, or name the folder of one")
    board = None
    if wanted.web is not None:
        from .web import Board, serve

        board = Board()
        port = serve(board, wanted.web)
        console.print(f"http://{LOOPBACK}:{port}/", soft_wrap=True)
    if wanted.wireshark is not None:
        console.print(f"PDUs go to UDP port {wanted.wireshark} of {LOOPBACK}: wireshark -C cellbed -i lo -k -f "
                      f"'udp port {wanted.wireshark}'", soft_wrap=True)
    with Live(console=console, auto_refresh=False, screen=False, vertical_overflow="visible") as live:
        while place is not None or board is not None:
            if place is not None:
                await _one(place, live, console, board, wanted.wireshark)
            place = await _next(wanted.folder, place)


class Newest:
    """What the newest run below a folder does, at each call."""

    def __init__(self, results: Path, console: Console) -> None:
        self.results, self.console = results, console
        self.view: View | None = None

    def __call__(self) -> RenderableType:
        """Look, and show; nothing between two runs."""
        if self.view is None or self.view.ended is not None:
            if self.view is not None:
                self.view.close()
            place = choose(self.results) if self.results.is_dir() else None
            self.view = View(place) if place is not None else None
        if self.view is None:
            return ""
        self.view.look()
        return render(self.view, self.console.width)


async def _one(place: Place, live: Live, console: Console, board: object, port: int | None) -> None:
    """Show a run until it has ended and everything of it was read."""
    view = View(place)
    if board is not None:
        board.follow(view)  # type: ignore[attr-defined]
    with contextlib.ExitStack() as stack:
        stack.callback(view.close)
        stream = Stream(place, port) if port is not None else None
        if stream is not None:
            stack.callback(stream.close)
        while view.ended is None:
            view.look()
            if stream is not None:
                stream.pump()
            live.update(render(view, console.width), refresh=True)
            await asyncio.sleep(LOOK_S)


async def _next(folder: Path | None, last: Place | None) -> Place | None:
    """The next run that goes on; None when none begins for a while, or one run was asked for."""
    if folder is not None and last is not None and folder.absolute() in (last.directory, last.final):
        return None
    until = time.monotonic() + NEXT_S
    while time.monotonic() < until:
        place = choose(folder)
        if place is not None and (last is None or place.directory != last.directory) and place.going_on:
            return place
        await asyncio.sleep(LOOK_S)
    return None
