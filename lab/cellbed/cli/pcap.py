# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed pcap`: captures of any network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cellbed.cli.analysed import analysing
from cellbed.cli.screens import console, errors

if TYPE_CHECKING:
    from cellbed_analysis.pcap.analysis import Analysis

_PAGE, _STDIN = ".html", Path("-")



def there(given: Path | list[Path]) -> Path | list[Path]:
    """Files that a command line names, of which `-` is standard input. Raises BadParameter: one is none."""
    for path in given if isinstance(given, list) else [given]:
        if path != _STDIN and (path.is_dir() or not os.path.lexists(path)):
            raise typer.BadParameter(f"file '{path}' {'is a directory' if path.is_dir() else 'does not exist'}.")
    return given


Captures = Annotated[list[Path], typer.Argument(metavar="FILE...", callback=there,
                     help="Captures: pcap or pcapng, also compressed, of Ethernet, Linux cooked mode or raw IP; or MAC "
                     "and RLC PDUs as Wireshark frames them. - is standard input.")]
WhichOne = Annotated[str | None, typer.Option("--flow", metavar="ID", show_default=False, help="Only flows whose id "
                     "contains this, such as :443. One flow shows all its numbers.")]


def run_pcap(
    files: Captures,
    flow: WhichOne = None,
    output: Annotated[list[Path] | None, typer.Option(help="Write the flows to this file: .csv, .parquet or .json; "
                                                      "as .html a page with figures. May be repeated.")] = None,
    segments: Annotated[Path | None, typer.Option(help="Write every data segment to this file: .csv, .parquet or "
                                                  ".json.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    two_clocks: Annotated[bool, typer.Option("--two-clocks", help="The clocks of the two captures differ: estimate the "
                                             "offset from the least delays of both directions.")] = False,
) -> None:
    """Analyse captures of any network: RTT, losses and their kinds, windows, rates; of two captures one-way delays."""
    with analysing(files[0], output[0] if output else segments):
        from cellbed_analysis.pcap.analysis import analyse
        from cellbed_analysis.pcap.show import check_output, text_of, write

        for path in [*(one for one in output or [] if one.suffix != _PAGE), *([segments] if segments else [])]:
            check_output(path)
        keep = segments is not None or any(path.suffix == _PAGE for path in output or [])
        found = analyse(files, flow, two_clocks, keep)
        for note in found.notes():
            errors().print(f"cellbed: {note}", soft_wrap=True)
        for path in output or []:
            if path.suffix == _PAGE:
                from cellbed_analysis.pcap.page import write_page

                write_page(found, path)
            else:
                write(found.flow_frame(), path)
        if segments is not None:
            write(found.segment_frame(), segments)
        if json_:
            print(text_of(found.to_json()), end="")
        else:
            _print(found)


def _print(found: Analysis) -> None:
    from cellbed_analysis.pcap import show
    from cellbed_formats.screen import Screen

    # In a log or a pipe there is no width to respect.
    screen = console().screen if console().is_terminal else Screen(width=200)
    for capture, flows in zip(found.captures, found.flows, strict=True):
        rows = [one.row for one in flows]
        if len(rows) == 1:  # the title has its name; remarks are sentences and stand below
            numbers = {**rows[0], "flow": None, "remarks": None}
            screen.print(show.details(f"{capture.label}: {rows[0]['flow']}", numbers))
        else:
            title = f"{capture.label}: {capture.records} packets, {len(rows)} flows; times in ms"
            screen.print(show.flow_table(title, rows))
        if len(rows) > show.FLOWS_MAX:
            console().print(f"and {len(rows) - show.FLOWS_MAX} smaller flows, which --output FILE.csv has")
        for row in rows[:show.FLOWS_MAX]:
            if row["remarks"]:
                console().print(f"{row['flow']}: {row['remarks']}", soft_wrap=True)
    if found.delays:
        screen.print(show.table("from one capture to the other; times in ms", show.DELAYS,
                                   [one.row() for one in found.delays[:show.FLOWS_MAX]]))
    for one in found.radio:
        screen.print(show.table(f"{one.path}: PDUs of the radio; times in ms", show.RADIO, one.rows()))


def register(app: typer.Typer) -> None:
    app.command("pcap")(run_pcap)
