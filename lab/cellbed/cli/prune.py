# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed prune`: what results take on disk, and less of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli.analysed import analysing
from cellbed.cli.screens import console


def run_prune(
    results: Annotated[Path, typer.Argument(help="A folder with result bundles, or one bundle.")],
    compress: Annotated[bool, typer.Option("--compress", help="Compress captures and traces with zstd.")] = False,
    derived: Annotated[bool, typer.Option("--derived", help="Remove reports, figures and tables.")] = False,
    superseded: Annotated[bool, typer.Option("--superseded", help="Remove bundles of runs that newer programs have "
                                             "run again, with a valid result.")] = False,
) -> None:
    """Free disk space taken by results. Without options, only report how much could be freed."""
    from cellbed.results import prune, size

    chosen = {"recordings": compress, "derived": derived, "superseded": superseded}
    with analysing(results):
        found = prune.freeable(results)
        if any(chosen.values()):
            # Whole bundles first: nothing that is removed has to be compressed.
            wanted = [item for kind in reversed(prune.KINDS) if chosen[kind] for item in found if item.what == kind]
            console().print(f"{results}: {size.text(prune.free(wanted))} freed", soft_wrap=True)
            return
    from cellbed_analysis.report.fitted import Column, Fitted

    table = Fitted("", Column("option", words=True), Column("takes"), Column("what", words=True, keep=1))
    for kind, option in zip(prune.KINDS, ("--compress", "--derived", "--superseded"), strict=True):
        table.add_row(option, size.text(sum(item.bytes for item in found if item.what == kind)), prune.KINDS[kind])
    console().print(table)


def register(app: typer.Typer) -> None:
    app.command("prune")(run_prune)
