# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed realism`: a link beside recordings of real ones."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cellbed.cli.analysed import analysing
from cellbed.cli.screens import console
from cellbed.error import CellbedError
from cellbed.host.interrupt import cleaning_up

if TYPE_CHECKING:
    from cellbed_analysis.realism.recording import Recording

_CSV = ".csv"


def run_realism(
    link: Annotated[str, typer.Argument(metavar="LINK", help="A ready-made link, or a scenario file; the first UE.")],
    traces: Annotated[list[Path], typer.Argument(metavar="TRACE...", help="Recordings of real links that the link was "
                      "not fitted to: packet-delivery traces of Mahimahi, .csv files with t_s and rate_mbps, rtt_ms or "
                      "handover_ms, or folders of these. The files of a folder are one group, others are a group "
                      "each.")],
    bar: Annotated[list[Path] | None, typer.Option("--bar", metavar="TRACE", show_default=False, help="Further "
                   "recordings, which count among the real ones for the bar only. May be repeated.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="So many runs of the link.")] = 5,
    seconds: Annotated[int, typer.Option(min=10, max=3600, help="The length of each.")] = 120,
    set_: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", show_default=False, help="Change a "
                    "key of the link. May be repeated.")] = None,
    under_load: Annotated[bool, typer.Option("--under-load", help="Also compare RTTs of downloads by CUBIC and by BBR "
                          "over each recording that has a rate each 10 ms, and over the link's, in the virtual "
                          "lab.")] = False,
    output: Annotated[Path | None, typer.Option(show_default=False, help="Write the table to this file, as "
                                                "JSON.")] = None,
    figure: Annotated[Path | None, typer.Option(show_default=False, help="Draw the distributions to this "
                                                "file, .svg.")] = None,
) -> None:
    """Compare what a link delivers with recordings of real links, beside how far these are from each other.

    The status is 0 whatever passes; the table says what does.
    """
    with analysing(traces[0], output or figure), cleaning_up():
        from cellbed_analysis.realism import acceptance, show
        from cellbed_formats.inside import Inside

        held_out, others = _recordings(traces), _recordings(bar or [])
        if under_load:
            _expect_rates(held_out)
        model = _model(link, range(1, seeds + 1), seconds, tuple(set_ or []), [*held_out, *others])
        if under_load:
            held_out, others, model = _with_load([held_out, others, model], seconds)
        found = acceptance.judge(model, held_out, others)
        console().print(show.table(link, found))
        console().print(show.said(found), soft_wrap=True)
        if output is not None:
            Inside.beside(output).write(json.dumps(found.to_json(), indent=1) + "\n")
        if figure is not None:
            show.draw(found, figure)


def _recordings(paths: list[Path]) -> list[Recording]:
    files = [(file, path.name) for path in paths if path.is_dir()
             for file in sorted(one for one in path.rglob("*") if one.is_file())]
    files += [(path, path.name) for path in paths if not path.is_dir()]
    if paths and not files:
        raise CellbedError(f"{paths[0]}: the folder has no files; give recordings of links")
    return [_recording(file, group) for file, group in files]


def _recording(path: Path, group: str) -> Recording:
    import numpy as np

    from cellbed.run import mahimahi
    from cellbed_analysis.realism.recording import of_deliveries, read_csv

    if path.suffix == _CSV:
        return read_csv(path, group)
    return of_deliveries(path.name, group, np.array(mahimahi.read(path), dtype=float))


def _model(link: str, seeds: range, seconds: int, overrides: tuple[str, ...],
           real: list[Recording]) -> list[Recording]:
    """Runs of the link, with what of it the real ones have."""
    from dataclasses import replace

    from cellbed.link import saturated
    from cellbed_analysis.realism.recording import Recording, of_deliveries

    made = []
    with_rate, with_pings = (any(len(getattr(one, name)) for one in real for name in names)
                             for names in (("rate",), ("rtt_ms", "handover_ms")))
    for seed in seeds:
        run = saturated.of([link], seed, seconds, overrides)
        name = f"seed {seed}"
        one = Recording(name, name)
        if with_rate:
            got = saturated.delivered(run)
            one = of_deliveries(name, name, got.t_ns / 1e6, got.length, seconds)
        if with_pings:
            pings = saturated.pinged(run)
            one = replace(one, rtt_ms=pings.rtt_ms, handover_ms=pings.handover_ms)
        made.append(one)
    return made


def _expect_rates(recordings: list[Recording]) -> None:
    from cellbed.api import loaded

    if not any(loaded.fits(one) for one in recordings):
        raise CellbedError(f"--under-load: no recording has a rate each {1000 * loaded.STEP_MAX_S:g} ms for "
                           f"{loaded.LEAST_S} s or more; give packet-delivery traces")


def _with_load(recordings: list[list[Recording]], seconds: int) -> list[list[Recording]]:
    """All in one sweep, in the lists in which they came."""
    from rich.progress import Progress

    from cellbed.api import loaded
    from cellbed.cli.screens import errors

    with Progress(console=errors().screen, transient=True) as bar:
        task = bar.add_task("downloads", total=None)
        every = loaded.with_load([one for some in recordings for one in some], seconds, lambda done: bar.update(
            task, completed=done.runs_done, total=done.runs))
    ends = list(itertools.accumulate(len(some) for some in recordings))
    return [every[end - len(some):end] for some, end in zip(recordings, ends, strict=True)]


def register(app: typer.Typer) -> None:
    app.command("realism")(run_realism)
