# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed dataset`: results for tools that read many Parquet files as one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli import completion
from cellbed.cli.analysed import KeepGoing, analysing
from cellbed.cli.screens import console


def run_dataset(
    results: Annotated[Path, typer.Argument(help="A folder with result bundles, or a bundle.")],
    output: Annotated[Path, typer.Option(help="The folder of the data set.")] = Path("dataset"),
    table: Annotated[list[str] | None, typer.Option(show_default=False, help="What to write: flows, segments, samples "
                                                    "or radio. May be repeated. Default: flows.",
                                                    autocompletion=completion.tables)] = None,
    keep_going: KeepGoing = False,
) -> None:
    """Write results as one partitioned Parquet data set, for DuckDB, Polars and the like."""
    from cellbed_analysis.export import data_set
    from cellbed_analysis.metrics.runs import analyse_all
    from cellbed_formats.bundle import load_results

    wanted = list(dict.fromkeys(table)) if table else list(data_set.TABLES[:1])
    with analysing(results, output, keep_going) as standing:
        loaded = load_results(results).checked()
        standing.results(loaded)
        standing.runs(analyse_all(loaded.bundles))
        files = sum(1 for _ in data_set.write(loaded, output, wanted))
        console().print(f"{files} files: {', '.join(str(output / name) for name in wanted)}", soft_wrap=True)


def register(app: typer.Typer) -> None:
    app.command("dataset")(run_dataset)
