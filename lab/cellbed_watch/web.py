# SPDX-License-Identifier: GPL-2.0-or-later
"""The view as a page of this machine: charts by BokehJS, which grow by server-sent events."""

from __future__ import annotations

import asyncio
import functools
import json
from typing import Any

import jinja2
import tornado.httpserver
import tornado.netutil
import tornado.web
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource, DataRange1d, HoverTool, LayoutDOM
from tornado.iostream import StreamClosedError

from cellbed.error import CellbedError
from cellbed_analysis.interactive.embed import figure_json, script
from cellbed_analysis.interactive.timeline_plot import BLUE, GREEN, GREY, LOW, ORANGE, PINK, TALL, legend, time_panel
from cellbed_analysis.report.page import environment

from .view import HISTORY, View

LOOPBACK = "127.0.0.1"
UPDATE_S = 0.25
#: The charts show the last so many seconds unless a reader zooms.
SHOWN_S = 60
ZERO = "zero"
COLUMNS = ("t", "cwnd", "ssthresh", "srtt", "mbps", "queue", "cqi", "sinr")


class Board:
    """What pages are told: the view that is watched now."""

    def __init__(self) -> None:
        self.view: View | None = None
        self.shown = 0  # runs shown so far

    def follow(self, view: View) -> None:
        """Another run is watched."""
        self.view, self.shown = view, self.shown + 1

    def message(self, shown: int, sent: int) -> tuple[int, int, dict[str, Any]]:
        """What a page that has @sent points of run @shown does not know. Return: where it then is, the message."""
        if self.view is None:
            return shown, sent, {}
        sent = sent if shown == self.shown else 0
        new = min(self.view.points - sent, len(self.view.history))
        points = list(self.view.history)[len(self.view.history) - new :]
        columns = {name: [point[name] for point in points] for name in COLUMNS} | {ZERO: [0] * len(points)}
        message = {"new": shown != self.shown, "points": columns, "now": self.view.snapshot()}
        return self.shown, self.view.points, message


def charts() -> LayoutDOM:
    """Charts above each other; `templates/watch.js` fills the source named `live`."""
    source = ColumnDataSource({name: [0] for name in (*COLUMNS, ZERO)}, name="live")
    axis = DataRange1d(follow="end", follow_interval=SHOWN_S, range_padding=0)
    panels = []
    for ylabel, height, lines in (
        ("packets", TALL, (("cwnd", BLUE), ("ssthresh", ORANGE))), ("srtt (ms)", LOW, (("srtt", BLUE),)),
        ("Mbit/s", LOW, (("mbps", GREEN),)), ("RLC queue (kB)", LOW, (("queue", PINK),)),
        ("CQI, SINR (dB)", LOW, (("cqi", GREY), ("sinr", BLUE))),
    ):  # fmt: skip
        panel = time_panel(axis, ylabel, height)
        panel.scatter("t", ZERO, source=source, size=0)  # BokehJS complains of a chart with nothing to scale by
        for name, colour in lines:
            dash = "dashed" if name == "ssthresh" else "solid"
            label = {"legend_label": name} if len(lines) > 1 else {}
            style = {"line_color": colour, "line_width": 1.8, "line_dash": dash}
            panel.step("t", name, source=source, mode="after", **style, **label)
        tips = [(name, f"@{name}{{0.00}}") for name, _ in lines]
        panel.add_tools(HoverTool(tooltips=[("t", "@t{0.0} s"), *tips], mode="vline", renderers=panel.renderers[1:2],
                                  visible=False))
        legend(panel)
        panels.append([panel])
    panels[-1][0].xaxis.axis_label = "time since the start of the traffic (s)"
    return gridplot(panels, sizing_mode="stretch_width", merge_tools=True, toolbar_location="above",
                    toolbar_options={"logo": None})


@functools.cache
def page() -> str:
    """The page, which is the same for all runs."""
    loaders = [jinja2.PackageLoader(__package__, "templates"), environment().loader]
    loader = jinja2.ChoiceLoader([loader for loader in loaders if loader is not None])
    return environment().overlay(loader=loader).get_template("watch.html.j2").render(
        title="live", script=script(), figure=figure_json(charts(), "charts"), history=HISTORY)


class _Page(tornado.web.RequestHandler):
    """Only for browsers that asked for this machine by its name or address, whatever a name server told them."""

    def prepare(self) -> None:
        if self.request.host_name not in (LOOPBACK, "localhost"):
            raise tornado.web.HTTPError(403)

    def get(self) -> None:
        self.finish(page())


class _Updates(_Page):
    """A stream of messages as long as the page is open."""

    def initialize(self, board: Board) -> None:
        self.board = board

    async def get(self) -> None:  # type: ignore[override]
        self.set_header("Content-Type", "text/event-stream")
        self.set_header("Cache-Control", "no-store")
        shown = sent = 0
        last = ""
        try:
            while True:
                shown, sent, message = self.board.message(shown, sent)
                text = json.dumps(message)
                if message and text != last:
                    self.write(f"data: {text}\n\n")
                    await self.flush()
                    last = text
                await asyncio.sleep(UPDATE_S)
        except StreamClosedError:
            return


def serve(board: Board, port: int) -> int:
    """Listen on the loopback; 0 is any port that is free. Return: the port.

    Raises:
        CellbedError: the port is taken.
    """
    application = tornado.web.Application([("/", _Page), ("/updates", _Updates, {"board": board})])
    try:
        sockets = tornado.netutil.bind_sockets(port, LOOPBACK)
    except OSError as error:
        raise CellbedError(f"--web {port}: {error.strerror}") from error
    server = tornado.httpserver.HTTPServer(application)
    server.add_sockets(sockets)
    return int(sockets[0].getsockname()[1])
