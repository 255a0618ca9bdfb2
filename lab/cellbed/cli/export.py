# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed export`: a bundle in the format of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli import completion
from cellbed.cli.analysed import KeepGoing, analysing
from cellbed.cli.options import BundleName, OfSeed, OfSettings, OfVariant, WhichFlow
from cellbed.cli.screens import console, errors
from cellbed.results.choose import Wanted
from cellbed_analysis.export import FORMATS


def run_export(
    bundle: BundleName,
    format_: Annotated[str, typer.Option("--format", help=f"The format: {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
                                         autocompletion=completion.formats)],
    node: Annotated[str | None, typer.Option(help="The node whose radio to export; for pcapng, whose capture. "
                                                  "Default: the UE of the first flow.")] = None,
    output: Annotated[Path, typer.Option(help="The folder for the files.")] = Path("."),
    variant: OfVariant = None,
    seed: OfSeed = None,
    set_: OfSettings = None,
    flow: WhichFlow = None,
    keep_going: KeepGoing = False,
) -> None:
    """Write a bundle in the format of another tool."""
    with analysing(bundle, output, keep_going) as standing:
        from cellbed.api.bundle import Bundle
        from cellbed_analysis.export.write import said_of

        opened = Bundle(standing.chosen(bundle, Wanted.of_texts(variant, seed, set_)))
        for path in opened.export(format_, output, node, flow):
            console().print(str(path), soft_wrap=True)
        if text := said_of(opened.stored, format_, flow):
            errors().print(text, soft_wrap=True)


def register(app: typer.Typer) -> None:
    app.command("export")(run_export)
