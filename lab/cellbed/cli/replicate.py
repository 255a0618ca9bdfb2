# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed replicate`: all that belongs to a paper or a study, from its scenarios to its page."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cellbed import paths
from cellbed.cli import completion
from cellbed.cli.analysed import UNUSABLE, KeepGoing, analysing
from cellbed.cli.options import ALL_CPUS, FleetKey, Jobs, Kernel, On, Scheduler, Shared, fleet_of
from cellbed.cli.screens import console, errors
from cellbed.error import CellbedError, LabError
from cellbed.host.interrupt import cleaning_up
from cellbed.results import published, size
from cellbed.scenario import included
from cellbed_formats.bundle import read_bundle

if TYPE_CHECKING:
    from cellbed.api.scenario import Scenario
    from cellbed.scenario.description import Run
    from cellbed.sweep.execute import Executor, Outcome

LAB = "virtual"
PAGE = "page"
PAGES = paths.ROOT / "docs/replication"


def replicate(
    study: Annotated[str, typer.Argument(metavar="STUDY", autocompletion=completion.studies,
                                         help="A paper: nardini, pacifico, demey, li or park; or another folder of "
                                         "scenarios with claims, such as nr-l4s.")],
    quick: Annotated[bool, typer.Option("--quick", help="A small part, in minutes: the folder's quick scenario, else "
                                        "the first seed of the one that its claims name first.")] = False,
    results: Annotated[Path | None, typer.Option(show_default=False, help="The folder for the bundles, the report and "
                                                 "the page. Default: results/STUDY.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Run published runs again and compare what they record with "
                                        "the page's recordings.csv. Says which recordings differ, one by one, and "
                                        "fails then.")] = False,
    sample: Annotated[int | None, typer.Option(min=1, show_default=False, metavar="NUMBER", help="With --check: only "
                                               "so many of the runs, always the same ones.")] = None,
    pages: Annotated[Path | None, typer.Option(show_default=False, help="With --check: the folder of the pages. "
                                               "Default: those that cellbed comes with.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the report in a browser at the end.")] = False,
    jobs: Jobs = ALL_CPUS,
    kernel: Kernel = None,
    scheduler: Scheduler = None,
    on: On = None,
    key: FleetKey = None,
    shared: Shared = True,
    keep_going: KeepGoing = False,
) -> None:
    """Run all scenarios of a paper or a study, judge its claims, and write its report and its page. The same command
    resumes what was interrupted.
    """
    from cellbed.cli.main import report

    name, folder = included.study(study)
    if check:
        _check(name, folder, pages or PAGES, sample, kernel, jobs)
        return
    if sample is not None:
        raise CellbedError("--sample: allowed with --check")
    where = Path("results") / name if results is None else results
    chosen = _chosen(folder, quick)
    _tell(name, chosen, where)
    outcomes: list[Outcome] = []
    with cleaning_up():
        kernels = [_kernel(kernel, one) for one in chosen]
        for scenario, own in zip(chosen, kernels, strict=True):
            with fleet_of(scheduler, on, LAB, own, shared, key) as fleet:
                outcomes += _execute(scenario, where, own, fleet, jobs)
    page = _publish(where, folder)
    failed = sum(outcome.error is not None for outcome in outcomes)
    try:
        report(str(where), keep_going=keep_going)
    finally:
        console().print(f"Page: {page}", soft_wrap=True)
        if open_:
            webbrowser.open((where / "summary/report.html").resolve().as_uri())
    if failed:
        raise CellbedError(f"{failed} of {len(outcomes)} runs failed; the same command retries them")


def _check(name: str, folder: Path, pages: Path, number: int | None, kernel: str | None, jobs: int) -> None:
    """Repeat published runs in a folder of their own, and compare."""
    from cellbed.api.scenario import Scenario

    if (there := published.pages_of(pages)) and name not in there:
        raise CellbedError(f"--check: no runs of {name} are published; allowed {', '.join(there)}")
    known = published.read(pages / name / published.RECORDINGS)
    programs = published.programs(pages / name)
    cases = published.sample(known, number)
    lines: list[str] = []
    others: list[str] = []
    with cleaning_up(), tempfile.TemporaryDirectory(prefix="cellbed-check-") as where:
        for scenario_id in dict.fromkeys(case.scenario for case in cases):
            wanted = {case for case in cases if case.scenario == scenario_id}
            scenario = Scenario.load(folder / f"{scenario_id.partition('/')[2]}.yaml")
            runs = {published.Case(scenario_id, run.variant, run.seed): run for run in scenario.runs}
            if missing := sorted(wanted - runs.keys()):
                raise CellbedError(f"{missing[0]}: the scenario has no such run any more; publish its rows again")
            own = _kernel(kernel, scenario)
            for case in sorted(wanted):
                outcome, = _execute(scenario, Path(where), own, None, jobs, [runs[case]])
                if outcome.path is None:
                    raise CellbedError(f"{case}: {outcome.error}")
                bundle = read_bundle(outcome.path)
                lines += published.differences(case, known[case], bundle.recorded())
                others += published.other_programs(programs.get(case, {}), bundle.manifest["description"]["programs"])
    for line in lines:
        console().print(line, soft_wrap=True, markup=False, highlight=False)
    if lines and others:
        raise CellbedError(f"{name}: recordings differ, and so do programs of this machine "
                           f"({'; '.join(dict.fromkeys(others))}), so that they cannot be compared", status=UNUSABLE)
    if lines:
        raise CellbedError(f"{len(lines)} recordings of {len(cases)} runs are not those of {pages / name}; where bytes "
                           "changed on purpose, publish the rows again (docs/claims.md)")
    console().print(f"{name}: {len(cases)} runs recorded what is published", soft_wrap=True)


def _chosen(folder: Path, quick: bool) -> list[Scenario]:
    from cellbed.api.scenario import Scenario

    if not quick:
        return [Scenario.load(path) for path in included.scenarios_of(folder)]
    if (small := folder / "quick.yaml").exists():
        return [Scenario.load(small)]
    first = Scenario.load(included.first_claimed(folder))
    return [first.seeds([first.runs[0].seed])]


def _tell(name: str, chosen: Sequence[Scenario], where: Path) -> None:
    """What is about to happen: how many runs, how long in virtual time, how much on disk."""
    runs = [run for scenario in chosen for run in scenario.runs]
    virtual_s = sum(size.virtual_s(run.settings) for run in runs)
    most = sum(size.expected_bytes(run.settings) for run in runs)
    many = f"{len(chosen)} scenarios" if len(chosen) > 1 else f"scenario {chosen[0].id}"
    console().print(f"{name}: {len(runs)} runs of {many}, {virtual_s:.0f} s of virtual time, at most {size.text(most)} "
                    f"in {where} before they are compressed", soft_wrap=True)


def _kernel(wanted: str | None, scenario: Scenario) -> str | None:
    """The kernel of a scenario's runs, which is built where none is that suits them."""
    from cellbed.labs import kernels, prepare

    try:
        found = prepare.suited(LAB, wanted, scenario.runs)
        kernels.find(found)
    except LabError:
        version = wanted or prepare.version_for(scenario.runs)
        console().print(f"{scenario.id}: the lab kernel {version} is built first", soft_wrap=True)
        kernels.build(version)
        found = version
    return found


def _execute(scenario: Scenario, where: Path, kernel: str | None, fleet: Executor | None, jobs: int,
             only: Sequence[Run] = ()) -> list[Outcome]:
    """Run a scenario, or only these of its runs."""
    from cellbed.api.run import sweep_of
    from cellbed.cli.show import Show

    runs = list(only) or scenario.runs
    console().print(f"{scenario.id}: {scenario.title}", soft_wrap=True, markup=False)
    show = Show(len(runs), console(), errors(), None)
    sweep = sweep_of(scenario, where, show, lab=LAB, kernel=kernel, fleet=fleet, compress=True)
    with show.under_way():
        outcomes: list[Outcome] = sweep.execute(runs, jobs)
    return outcomes


def _publish(where: Path, folder: Path) -> Path:
    """The page, as docs/replication/ has them. Return: its index."""
    with analysing(where, keep_going=True):  # the report says what is wrong
        from cellbed_analysis.report.publish import publish

        index: Path = publish(where, where / PAGE, included.claims_of(folder))
    return index


def register(app: typer.Typer) -> None:
    app.command("replicate")(replicate)
