# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands `cellbed sweep` and `cellbed compare`: many runs of a scenario, and what they say together."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from cellbed.cli import completion
from cellbed.cli.analysed import KeepGoing, analysing, judge
from cellbed.cli.options import (
    ALL_CPUS,
    Again,
    Compressed,
    Control,
    FleetKey,
    Jobs,
    Kernel,
    Lab,
    Load,
    On,
    Overrides,
    Results,
    ScenarioFile,
    Scheduler,
    Shared,
    Variants,
    Watch,
    WhichFlow,
    fleet_of,
)
from cellbed.cli.screens import console, errors
from cellbed.cli.show import Show, tell_size, view
from cellbed.error import CellbedError
from cellbed.host.interrupt import cleaning_up
from cellbed.labs.choices import check_lab
from cellbed.scenario.description import Run
from cellbed.scenario.dotted import parse_override
from cellbed.sweep.rounds import Rounds, Until, parse_seeds
from cellbed_formats import bounded_yaml
from cellbed_formats.inside import Inside

DATA_SET = "sweep.parquet"


def parse_grid(texts: list[str], overrides: list[str]) -> dict[str, list[Any]]:
    """Keys and values of texts such as 'radio.n_rb=25,50'; values are YAML."""
    grid: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        try:
            parsed = bounded_yaml.parse(f"[{values}]", f"--grid {key}")
        except bounded_yaml.NotYaml:
            parsed = None
        if not key or not equals or not parsed:
            raise CellbedError(f"--grid {text}: expected key=value,value,..., such as radio.n_rb=25,50")
        if key in grid or any(override.partition("=")[0] == key for override in overrides):
            raise CellbedError(f"--grid {text}: {key} is set twice; set it once")
        grid[key] = parsed
    return grid


def run_sweep(
    scenario: ScenarioFile,
    grid: Annotated[list[str] | None, typer.Option(metavar="KEY=V1,V2,...", help="Run all of these values of a "
                                                   "key, combined with those of other keys. May be repeated.")] = None,
    seeds: Annotated[str | None, typer.Option(help="Seeds such as 1-20 or 1,3,5-7. Default: the scenario's.")] = None,
    until: Annotated[list[str] | None, typer.Option(metavar="METRIC=SHARE", help="Add seeds to a variant until the 95 "
                                                    "% confidence interval of this metric's mean is within ± SHARE of "
                                                    "it. May be repeated.")] = None,
    max_seeds: Annotated[int, typer.Option(min=1, help="With --until, the most seeds of a variant.")] = 50,
    results: Results = Path("results"),
    lab: Lab = "virtual",
    set_: Overrides = None,
    variant: Variants = None,
    jobs: Jobs = ALL_CPUS,
    kernel: Kernel = None,
    cc: Control = None,
    load: Load = None,
    watch: Watch = False,
    scheduler: Scheduler = None,
    on: On = None,
    key: FleetKey = None,
    shared: Shared = True,
    again: Again = False,
    compress: Compressed = True,
    keep_going: KeepGoing = False,
) -> None:
    """Run a scenario over parameters and seeds, and write RESULTS/summary/sweep.parquet. A sweep that was interrupted
    resumes.
    """
    from cellbed.api.run import sweep_of
    from cellbed.api.scenario import Scenario
    from cellbed.host import clean
    from cellbed.labs.prepare import suited
    from cellbed.results.bundle import remove_unfinished

    check_lab(lab, kernel)
    overrides = set_ or []
    values = parse_grid(grid or [], overrides)
    wanted = [Until.parse(text) for text in until or []]
    _check_metrics([u.metric for u in wanted])

    chosen = Scenario.load(scenario, settings=map(parse_override, overrides), variants=variant, grid=values,
                           seeds=parse_seeds(seeds) if seeds else None)
    runs = chosen.runs
    kernel = suited(lab, kernel, runs, cc or [])
    rounds = Rounds(list(dict.fromkeys(run.variant for run in runs)), list(dict.fromkeys(run.seed for run in runs)),
                    wanted, max_seeds)
    clean.clean()
    remove_unfinished(results)
    show = Show(0, console(), errors(), view(watch, results, console()))
    tell_size(runs, results, show, compress)
    table = _Table(results)
    left = rounds.given
    with cleaning_up(), fleet_of(scheduler, on, lab, kernel, shared, key) as fleet:
        sweep = sweep_of(chosen, results, show, lab=lab, kernel=kernel, fleet=fleet, again=again, compress=compress,
                         load=load)
        with show.under_way():
            while left:
                batch = [run for run in chosen.seeds(sorted({s for of in left.values() for s in of})).runs
                         if run.seed in left.get(run.variant, [])]
                show.expect(len(batch))
                table.add(batch, sweep.execute(batch, jobs))
                left = rounds.more(table.values, table.interval) if wanted else {}
    table.write()
    if table.failed:
        raise CellbedError(f"{table.failed} of {len(table.entries)} runs failed; the same command retries them")
    judge([outcome for _, outcome in table.entries], keep_going)


class _Table:
    """Outcomes of the runs so far."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self.entries: list[tuple[Run, Any]] = []

    @property
    def failed(self) -> int:
        return sum(outcome.error is not None for _, outcome in self.entries)

    def add(self, runs: list[Run], outcomes: list[Any]) -> None:
        self.entries += zip(runs, outcomes, strict=True)

    def values(self, variant: str, metric: str) -> list[float]:
        """Of the usable runs of a variant, in the order of their seeds."""
        from cellbed_analysis.metrics.dataset import values

        with analysing(self.results):
            return values([outcome.path for run, outcome in self.entries if run.variant == variant and outcome.path],
                          metric)

    @staticmethod
    def interval(values: list[float]) -> float | None:
        from cellbed_analysis.stats.interval import over_seeds

        return over_seeds(values).half_width

    def write(self) -> None:
        """RESULTS/summary/sweep.parquet again."""
        from cellbed_analysis.metrics.dataset import Executed, write_data_set

        executed = [Executed(run.scenario_id, run.variant, run.seed, run.params, outcome.path, outcome.error)
                  for run, outcome in self.entries]
        with analysing(self.results):
            path = write_data_set(executed, Inside.named(self.results) / "summary" / DATA_SET)
        console().print(f"{len(executed)} runs: {path}", soft_wrap=True)


def _check_metrics(names: list[str]) -> None:
    from cellbed_analysis.metrics.catalog import METRICS

    for name in names:
        if name not in METRICS or METRICS[name].unit == "":
            raise CellbedError(f"metric '{name}': allowed those with a unit in docs/metrics.md, such as goodput_mbps")


def run_compare(
    results: Annotated[str, typer.Argument(help="A folder with result bundles; with --why, a bundle.")],
    metric: Annotated[list[str], typer.Argument(help="Metrics such as goodput_mbps, see docs/metrics.md; with --why, "
                                                 "the other bundle.", autocompletion=completion.metrics)],
    baseline: Annotated[str | None, typer.Option(help="The variant that the others are compared with. Default: the "
                                                 "first by name.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Say how two runs differ: settings, programs, files.")] = False,
    flow: WhichFlow = None,
    keep_going: KeepGoing = False,
) -> None:
    """Compare variants, seed by seed: the mean difference with its 95 % confidence interval, and the effect size."""
    from cellbed_analysis.metrics.runs import analyse_all
    from cellbed_analysis.report.compare import compare_bundles, said_of, tables, to_json
    from cellbed_formats.bundle import load_results

    if why:
        _say_why(results, metric, json_, keep_going)
        return
    with analysing(results, keep_going=keep_going) as standing:
        loaded = load_results(Path(results)).checked()
        standing.results(loaded)
        standing.runs(analyse_all(loaded.bundles))
        found = compare_bundles(loaded.bundles, metric, baseline, flow, Path(results))
        if text := said_of(Path(results), flow):
            errors().print(text, soft_wrap=True)
        if json_:
            print(to_json(found))
        else:
            for made in tables(found):
                console().print(made)


def _say_why(first: str, others: list[str], json_: bool, keep_going: bool) -> None:
    """In what two bundles differ."""
    from cellbed.results.choose import Wanted
    from cellbed_analysis.report.what_differs import differences, table
    from cellbed_formats.bundle import read_bundle

    if len(others) != 1:
        raise CellbedError("compare --why: expected two bundles, such as results/A results/B")
    with analysing(first, keep_going=keep_going) as standing:
        one, two = (read_bundle(standing.chosen(where, Wanted())) for where in (first, others[0]))
        found = differences(one, two)
        if json_:
            print(json.dumps([asdict(line) for line in found], indent=1))
        else:
            console().print(table(found, one, two))


def register(app: typer.Typer) -> None:
    app.command("sweep")(run_sweep)
    app.command("compare")(run_compare)
