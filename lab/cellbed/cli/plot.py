# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed plot`: one figure for a paper, and its data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cellbed.cli import completion
from cellbed.cli.analysed import KeepGoing, analysing
from cellbed.cli.options import OfSeed, OfSettings, OfVariant
from cellbed.cli.screens import console
from cellbed.results.choose import Wanted

Kind = Annotated[str, typer.Argument(help="cwnd, rtt, rtt-cdf, rtt-parts, rtt-causes, time-sequence, throughput, "
                                     "shares or pdus; box, violin or metric-cdf of a metric over seeds.",
                                     autocompletion=completion.plots)]
Where = Annotated[list[str], typer.Argument(metavar="RESULTS...", help="Bundles, or folders of them: a series for each "
                                            "run. FOLDER@latest is the newest in FOLDER.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The file of the figure: .pdf, .svg, .png or .eps. Its "
                                      "data go to a .csv file beside it.")]


def run_plot(
    kind: Kind,
    results: Where,
    output: Output,
    venue: Annotated[str, typer.Option(help="Use the width and font size of: ieee, acm, usenix, thesis or slides.",
                                       autocompletion=completion.venues)] = "ieee",
    columns: Annotated[int, typer.Option(min=1, max=2, help="Columns of a page that the figure spans: 1 or 2.")] = 1,
    height: Annotated[float | None, typer.Option(metavar="INCHES", min=0.5, max=12, show_default=False,
                                                 help="The height. Default: 0.62 of a column's width.")] = None,
    begin: Annotated[float | None, typer.Option("--from", metavar="SECONDS", show_default=False,
                                                help="Only what is at or after this time of the run.")] = None,
    end: Annotated[float | None, typer.Option("--to", metavar="SECONDS", show_default=False,
                                              help="Only what is before this time of the run.")] = None,
    variant: OfVariant = None,
    seed: OfSeed = None,
    set_: OfSettings = None,
    flow: Annotated[list[str] | None, typer.Option(help="Only this flow. May be repeated. Default: the scenario's "
                                                   "flows, or all flows if it names none.")] = None,
    metric: Annotated[str, typer.Option(help="What box, violin and metric-cdf show, of docs/metrics.md.",
                                        autocompletion=completion.metrics)] = "goodput_mbps",
    label: Annotated[list[str] | None, typer.Option(metavar="NAME=TEXT", show_default=False, help="Write TEXT in place "
                                                    "of a series' name, or of a part of it. May be repeated.")] = None,
    order: Annotated[list[str] | None, typer.Option(metavar="NAME", show_default=False, help="A series, or a part of "
                                                    "its name, that comes before others. May be repeated.")] = None,
    legend: Annotated[str, typer.Option(help="Where names are: above, right, inside or none.",
                                        autocompletion=completion.legends)] = "above",
    per_seed: Annotated[bool, typer.Option("--per-seed", help="A series for each seed. Default: one for all seeds of a "
                                           "variant, with its 95 % confidence band.")] = False,
    keep_going: KeepGoing = False,
) -> None:
    """Draw one figure for a paper, in a venue's width and type, and write what it shows as CSV."""
    with analysing(results[0], output, keep_going) as standing:
        from cellbed_analysis.metrics.run import analyse
        from cellbed_analysis.plots.kind import Wanted as Part
        from cellbed_analysis.plots.names import Names
        from cellbed_analysis.plots.plot import Look, Plot, data

        look = Look(venue, columns, height, legend)
        chosen = Wanted.of_texts(variant, seed, set_)
        bundles = [bundle for where in results for bundle in standing.fitting(where, chosen)]
        bundles = standing.runs([analyse(bundle) for bundle in bundles])
        frame = data(kind, bundles, Part(tuple(flow or ()), begin, end, metric), per_seed)
        figure = Plot(kind, Names.of_texts(label or (), order or (), frame).of(frame), look)
        for path in figure.write(output):
            console().print(str(path), soft_wrap=True)


def register(app: typer.Typer) -> None:
    app.command("plot")(run_plot)
