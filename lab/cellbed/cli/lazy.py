# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands whose modules are imported when they are called: most of a short command's time was others' imports."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

# By name: the module whose register() makes the command, and what `cellbed --help` says of it.
COMMANDS = {
    "demo": ("demo", "Run the first experiment, four combinations of direct and infrastructure mode, and report it "
                     "against its paper."),
    "scenarios": ("demo", "List the scenarios that come with cellbed. `cellbed run NAME` executes one."),
    "new": ("new", "Write a scenario that compares congestion controls over a ready-made link. What no option says is "
                   "asked for on a terminal."),
    "link": ("link", "Run a command behind a radio link, or a shell when none is given."),
    "compose": ("compose", "Run the services of a Compose file as UEs of a cell, until Ctrl-C or until a command "
                           "ends."),
    "pcap": ("pcap", "Analyse captures of any network: RTT, losses and their kinds, windows, rates; of two captures "
                     "one-way delays."),
    "fit": ("fit", "Make a recorded link of a capture or a trace, run it in the virtual lab, and report how close it "
                   "comes."),
    "realism": ("realism", "Compare what a link delivers with recordings of real links, beside how far these are from "
                           "each other."),
    "set": ("set", "Change a link or run of the native lab while it goes on."),
    "guest": ("guest", "Run a command in a guest kernel in virtual time, or a shell when none is given."),
    "prune": ("prune", "Free disk space taken by results. Without options, only report how much could be freed."),
    "shell": ("shell", "Run a shell or a command in a node of a running lab."),
    "sweep": ("sweep", "Run a scenario over parameters and seeds, and write RESULTS/summary/sweep.parquet. A sweep "
                       "that was interrupted resumes."),
    "replicate": ("replicate", "Run all scenarios of a paper or a study, judge its claims, and write its report and "
                               "its page. The same command resumes what was interrupted."),
    "compare": ("sweep", "Compare variants, seed by seed: the mean difference with its 95 % confidence interval, and "
                         "the effect size."),
    "plot": ("plot", "Draw one figure for a paper, in a venue's width and type, and write what it shows as CSV."),
    "dataset": ("dataset", "Write results as one partitioned Parquet data set, for DuckDB, Polars and the like."),
    "export": ("export", "Write a bundle in the format of another tool."),
    "watch": ("watch", "Show a run in progress: cwnd, RTT, queues, channel, HARQ, RLC and events. Watching does not "
                       "affect the run."),
    "fleet-key": ("worker", "Make the key of a fleet. Machines that have it may run code on each other."),
    "scheduler": ("worker", "Connect workers and sweeps, until interrupted. This is Dask's scheduler, on one address; "
                            "beyond loopback it needs a key."),
    "worker": ("worker", "Execute runs for `cellbed sweep --scheduler` on this machine, until interrupted or until "
                         "the scheduler ends."),
}


class LazyGroup(TyperGroup):
    """The command line: its own commands and those of COMMANDS, of which lists need the summaries only."""

    listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, summary = COMMANDS[cmd_name]
        return TyperCommand(cmd_name, help=summary, rich_markup_mode=None) if self.listing else load(module, cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with self._listing():
            super().format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """With the whole first paragraph of each, which would be cut to a line."""
        said = {name: (self.get_command(ctx, name).help or "").split("\n\n")[0] for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl([(name, " ".join(text.split())) for name, text in said.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        with self._listing():
            return super().shell_complete(ctx, incomplete)

    @contextlib.contextmanager
    def _listing(self) -> Iterator[None]:
        self.listing = True
        try:
            yield
        finally:
            self.listing = False


def load(module: str, name: str) -> Any:
    """A command of a module of this folder."""
    app = typer.Typer(rich_markup_mode=None)
    app.callback()(lambda: None)  # with which one command is a group, too
    importlib.import_module(f"cellbed.cli.{module}").register(app)
    return typer.main.get_group(app).commands[name]


def every(group: LazyGroup) -> dict[str, Any]:
    """All commands by name, loaded."""
    return {name: group.get_command(None, name) for name in group.list_commands(None)}
