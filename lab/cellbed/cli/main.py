# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed`."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from cellbed.cli.analysed import KeepGoing, analysing, judge
from cellbed.cli.lazy import LazyGroup
from cellbed.cli.options import (
    ALL_CPUS,
    Again,
    BundleName,
    Compress,
    Control,
    FleetKey,
    Jobs,
    Kernel,
    Lab,
    Load,
    OfSeed,
    OfSettings,
    OfVariant,
    On,
    Overrides,
    Results,
    ScenarioFile,
    Scheduler,
    Seeds,
    Shared,
    Variants,
    Watch,
    WhichFlowOrPing,
    fleet_of,
)
from cellbed.cli.screens import console, errors
from cellbed.error import CellbedError, told
from cellbed.host.interrupt import INTERRUPTED, cleaning_up, was_interrupted
from cellbed.labs.choices import LABS, check_lab
from cellbed.scenario.included import named
from cellbed_formats.printable import shown
from cellbed_formats.renamed import command_line

# Plain help: Rich's boxes take longer to import than all else of it.
app = typer.Typer(cls=LazyGroup, pretty_exceptions_enable=False, rich_markup_mode=None,
                  help="Real TCP stacks over an emulated cellular radio network, reproducible to the byte.")

# Commands live for seconds, and most of what they make as long: an eighth of a report was spent on looking for garbage.
_OBJECTS_UNTIL_COLLECTED = 50_000


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        console().print(f"cellbed {version('cellbed')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def common(
    ctx: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_version,
                                               help="Show the version and exit.")] = False,
) -> None:
    """What holds for every command."""
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())
        sys.exit(2)


@app.command()
def run(
    scenario: ScenarioFile,
    results: Results = Path("results"),
    lab: Lab = "virtual",
    seed: Seeds = None,
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
    compress: Compress = False,
    keep_going: KeepGoing = False,
) -> None:
    """Run a scenario. Finished runs with the same programs, files and settings are not repeated."""
    from cellbed.api.run import sweep_of
    from cellbed.api.scenario import Scenario
    from cellbed.cli.show import Show, tell_size, view
    from cellbed.labs.prepare import suited
    from cellbed.scenario.dotted import parse_override

    check_lab(lab, kernel)
    wanted = Scenario.load(scenario, seeds=seed, variants=variant, settings=map(parse_override, set_ or []))
    runs = wanted.runs
    kernel = suited(lab, kernel, runs, cc or [])
    show = Show(len(runs), console(), errors(), view(watch, results, console()))
    tell_size(runs, results, show, compress)
    with cleaning_up(), fleet_of(scheduler, on, lab, kernel, shared, key) as fleet:
        sweep = sweep_of(wanted, results, show, lab=lab, kernel=kernel, fleet=fleet, again=again, compress=compress,
                         load=load)
        with show.under_way():
            outcomes = sweep.execute(runs, jobs)
    failed = sum(outcome.error is not None for outcome in outcomes)
    if failed:
        raise CellbedError(f"{failed} of {len(runs)} runs failed")
    judge(outcomes, keep_going)


@app.command()
def report(
    results: Annotated[str, typer.Argument(help="A folder with result bundles, or one bundle. FOLDER@latest is "
                                           "the newest in FOLDER.")],
    output: Annotated[Path | None, typer.Option(help="The folder for the report, instead of RESULTS/summary or "
                                                "BUNDLE/derived.")] = None,
    figures: Annotated[list[str] | None, typer.Option(metavar="FORMAT", show_default=False, help="Also write the "
                                                      "figures as: pdf or png. May be repeated. Default: SVG "
                                                      "only.")] = None,
    each: Annotated[bool, typer.Option("--each", help="Also write a report of each bundle, which the index "
                                       "links.")] = False,
    variant: OfVariant = None,
    seed: OfSeed = None,
    set_: OfSettings = None,
    keep_going: KeepGoing = False,
) -> None:
    """Measure, judge the claims, and write RESULTS/summary/report.html and index.html, or BUNDLE/derived/report.html.
    """
    with analysing(results, output, keep_going) as standing:
        from cellbed.results.choose import LATEST, Wanted, choose
        from cellbed_analysis.report.console import print_table
        from cellbed_analysis.report.whole import whole
        from cellbed_analysis.report.write import write_each, write_report

        all_of_it = variant is None and seed is None and not set_ and not results.endswith(LATEST)
        of = whole(Path(results) if all_of_it else choose(results, Wanted.of_texts(variant, seed, set_)))
        standing.results(of)
        if each:
            write_each(of, figures or ())
        report = write_report(of, output=output, figures=figures or ())
        standing.runs(print_table(of, report=report))


@app.command()
def why(
    bundle: BundleName,
    at: Annotated[float, typer.Option(min=0, help="Seconds after the start of the traffic.")] = 0.0,
    whole: Annotated[bool, typer.Option("--whole", help="All segments of the flow: mean parts of the RTT, of the "
                                        "middle ones and of the slowest.")] = False,
    variant: OfVariant = None,
    seed: OfSeed = None,
    set_: OfSettings = None,
    flow: WhichFlowOrPing = None,
    seq: Annotated[int | None, typer.Option(min=0, show_default=False, help="The ping with this icmp_seq, or the "
                                            "segment at this byte of the stream, instead of the first.")] = None,
    keep_going: KeepGoing = False,
) -> None:
    """Explain the RTT of the first segment or ping sent at or after a time, or of all; of UDP and QUIC, a delay."""
    with analysing(bundle, keep_going=keep_going) as standing:
        from cellbed.api.bundle import Bundle
        from cellbed.results.choose import Wanted

        chosen = Bundle(standing.chosen(bundle, Wanted.of_texts(variant, seed, set_)))
        if whole:
            console().print(chosen.why_flow(flow))
        else:
            console().print(str(chosen.why(at, flow, seq)), soft_wrap=True)


@app.command("bundle")
def which_bundle(
    bundle: BundleName,
    variant: OfVariant = None,
    seed: OfSeed = None,
    set_: OfSettings = None,
    keep_going: KeepGoing = False,
) -> None:
    """Print the folder of a bundle, so that a shell can pass it to other programs."""
    with analysing(bundle, keep_going=keep_going) as standing:
        from cellbed.results.choose import Wanted

        print(standing.chosen(bundle, Wanted.of_texts(variant, seed, set_)))


@app.command()
def check(
    scenarios: Annotated[list[Path], typer.Argument(help="The scenario files.")],
    seed: Seeds = None,
    set_: Overrides = None,
    variant: Variants = None,
) -> None:
    """Validate scenarios without running them. Options are as of `cellbed run`."""
    from cellbed.api.scenario import Scenario
    from cellbed.scenario.dotted import parse_override

    settings = [parse_override(text) for text in set_ or []]
    for path in map(named, scenarios):
        found = Scenario.load(path, seeds=seed, variants=variant, settings=settings)
        console().print(f"{path}: {found.id}: {len(found.runs)} runs", soft_wrap=True)


@app.command()
def topology(
    scenario: ScenarioFile,
    variant: Annotated[str | None, typer.Option(show_default=False, help="The variant. Default: the scenario's "
                                                "first.")] = None,
    mininet: Annotated[bool, typer.Option("--mininet", help="Print a script for Mininet that has the scenario's nodes, "
                                          "links and traffic.")] = False,
) -> None:
    """Print the nodes and links of a scenario. Needs no root."""
    from cellbed.run import radios
    from cellbed.run.topology import plan
    from cellbed.scenario.description import expand

    model, runs = expand(scenario, variants=[variant] if variant is not None else None)
    settings = runs[0].settings
    if mininet:
        from cellbed.link.mininet_script import script

        print(script(model, runs[0]), end="")
        return
    planned = plan(settings)
    for node in planned.nodes:
        ues = [ue for _, alone in radios.each(settings) if (ue := alone["radio"]["ues"].get(node.name)) is not None]
        way = "".join(f"  -> {ue['peer']} {'direct' if ue['mode'] == 'dm' else 'through the eNB'}" for ue in ues)
        interfaces = ", ".join(" ".join([name, *addresses]) for name, addresses in node.interfaces.items())
        console().print(f"{node.name}  {interfaces}{way}", soft_wrap=True)
        for route in node.routes:
            console().print(f"     ip route {' '.join(route)}", soft_wrap=True)
        for rule in node.rules:
            console().print(f"     ip rule add {' '.join(rule)}", soft_wrap=True)
        for interface, qdiscs in node.shaping.items():
            for qdisc in qdiscs:
                console().print(f"     tc qdisc add dev {interface} {qdisc}", soft_wrap=True)
    for link in planned.links:
        console().print(" -- ".join(f"{end.node} {end.interface}" for end in link.ends), soft_wrap=True)


@app.command()
def doctor(
    json_: Annotated[bool, typer.Option("--json", help="Print JSON that also describes this machine, for a "
                                        "bug report.")] = False,
) -> None:
    """Say what this machine can run and what is missing. Fails when the default lab cannot run."""
    from rich.table import Table
    from rich.text import Text

    from cellbed.labs.doctor import checks, report, usable, why_not

    found = checks()
    if json_:
        print(json.dumps(report(found), indent=1))
    else:
        table = Table(box=None)
        for title in ("", "what", "labs", "detail"):
            table.add_column(title, overflow="fold")
        for c in found:
            state = Text("ok", "green") if c.ok else Text("no", "red")
            table.add_row(state, c.what, ", ".join(c.labs) or "-", c.detail)
        console().print(table)
        for lab, ok in usable(found).items():
            console().print(f"{lab} lab: {'ready' if ok else 'cannot run'}")
    if why := why_not(LABS[0], found):
        raise CellbedError(f"the {LABS[0]} lab, which is the default, cannot run: {why}")


@app.command()
def man() -> None:
    """Print the manual page: cellbed man > ~/.local/share/man/man1/cellbed.1"""
    from importlib.metadata import version

    from cellbed.cli.manual import page

    print(page(typer.main.get_command(app), version("cellbed")), end="")


@app.command()
def clean() -> None:
    """Remove what killed runs left behind: processes, cgroups and unfinished bundles."""
    from cellbed.host.clean import clean as remove

    removed = remove()
    for what in removed:
        console().print(f"removed {what}", soft_wrap=True)
    if not removed:
        console().print("nothing to clean")


def _hint(said: str) -> str:
    """What a pattern of the shell that fits several bundles needs."""
    first = said.rpartition("(")[2].rstrip(")").partition(" ")[0]
    several = said.startswith("Got unexpected extra argument") and os.path.isdir(first)
    return ": one folder at a time" if several else ""


def _end_interrupted() -> NoReturn:
    """Say so once, however often it is pressed meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    errors().print("cellbed: interrupted; nothing was left behind")
    sys.exit(INTERRUPTED)


def main() -> None:
    """Entry point: errors for people are one line and a status."""
    gc.set_threshold(_OBJECTS_UNTIL_COLLECTED)
    try:
        # Typer returns the status of an Exit, and that of an interrupt.
        status = app(command_line(sys.argv[1:]), standalone_mode=False)
        if status == INTERRUPTED:
            raise KeyboardInterrupt
        if status:
            sys.exit(status)
    except CellbedError as error:
        errors().print(f"cellbed: {shown(str(error))}", style="red", soft_wrap=True)
        if error.detail:
            errors().print(shown(error.detail, "\n"), soft_wrap=True)
        sys.exit(error.status)
    except OSError as error:
        errors().print(f"cellbed: {shown(told(error, 'the system'))}", style="red", soft_wrap=True)
        sys.exit(1)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _end_interrupted()
    except Exception as error:
        if was_interrupted(error):
            _end_interrupted()
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):  # click's usage errors
            said = error.format_message()
            errors().print(f"cellbed: {shown(said)}{_hint(said)}", style="red", soft_wrap=True)
            sys.exit(error.exit_code)
        raise


if __name__ == "__main__":
    main()
