# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands `cellbed demo` and `cellbed scenarios`: what one has just after the installation."""

from __future__ import annotations

from pathlib import Path

import typer

from cellbed.cli.options import Results
from cellbed.cli.screens import console
from cellbed.scenario import included

_FIRST = Path("d2d-nardini/static")


def demo(results: Results = Path("results")) -> None:
    """Run the first experiment, four combinations of direct and infrastructure mode, and report it against its paper.
    """
    from cellbed.cli.main import report, run

    run(included.named(_FIRST), results, keep_going=True)  # the report says it, too
    report(str(results))


def scenarios() -> None:
    """List the scenarios that come with cellbed. `cellbed run NAME` executes one."""
    listed = list(included.titles())
    width = max(len(name) for name, _ in listed)
    for name, title in listed:
        console().print(f"{name:{width}}  {title}", soft_wrap=True, markup=False, highlight=False)


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)
    app.command("scenarios")(scenarios)
