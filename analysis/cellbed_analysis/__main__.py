# SPDX-License-Identifier: GPL-2.0-or-later
"""`python -m cellbed_analysis`: the analysis without the lab.

Commands: report RESULTS, table RESULTS, publish RESULTS PAGES, why BUNDLE --at SECONDS, metrics
(prints docs/metrics.md), maxdat --bler BLER --rate RATE (a model's advice, and
what runs say to it).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cellbed_formats.error import UnusableError, in_words
from cellbed_formats.printable import shown

from . import DataError, print_table, write_report
from .study import studies

#: docs/exit-status.md
UNUSABLE = 4


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m cellbed_analysis", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (("report", "write RESULTS/summary"), ("table", "print the table")):
        command = commands.add_parser(name, help=about)
        command.add_argument("results", type=Path)
        if name == "report":
            command.add_argument("--claims", type=Path, help="file of claims, instead of those in the manifests")
            command.add_argument("--figures", action="append", default=[], metavar="FORMAT",
                                 help="write figures as pdf or png, too")
    pages = commands.add_parser("publish", help="write a page for each paper, to be kept beside the code")
    pages.add_argument("results", type=Path, nargs="?", help="none: the pages again, by the data beside them")
    pages.add_argument("pages", type=Path, help="directory of the pages")
    part = pages.add_mutually_exclusive_group()
    part.add_argument("--scenarios", action="store_true", help="only the scenarios that the results hold")
    part.add_argument("--rows", action="store_true", help="take over into runs.csv what the results recorded, only")
    pages.add_argument("--claims", type=Path, nargs="+", default=[], help="files of claims, instead of the manifests'")
    pages.add_argument("--wheel", type=Path, action="append", default=[], metavar="FILE",
                       help="a wheel whose programs recorded runs of the pages: name it there; without RESULTS")
    why = commands.add_parser("why", help="where the RTT of one segment went")
    why.add_argument("bundle", type=Path)
    why.add_argument("--at", type=float, default=0.0, metavar="SECONDS", help="sent at or after")
    commands.add_parser("metrics", help="print docs/metrics.md")
    for study in studies():
        study.add_command(commands)
    chosen = parser.parse_args(arguments)
    if chosen.command == "publish" and chosen.wheel and chosen.results:
        pages.error("--wheel names the wheel of runs that are published: give the pages only")
    try:
        _run(chosen)
    except (DataError, OSError) as error:
        print(f"error: {shown(in_words(error))}", file=sys.stderr)
        return UNUSABLE if isinstance(error, UnusableError) else 1
    return 0


def _publish(chosen: argparse.Namespace) -> None:
    from .report import publish
    from .report.wheel import name_wheel

    if chosen.results is None:
        for wheel in chosen.wheel:
            print(f"{wheel}: {', '.join(name_wheel(wheel, chosen.pages))}")
        print(publish.publish_again(chosen.pages, chosen.claims))
    elif chosen.scenarios:
        print(publish.publish_scenarios(chosen.results, chosen.pages, chosen.claims))
    elif chosen.rows:
        print(", ".join(publish.publish_rows(chosen.results, chosen.pages)))
    else:
        print(publish.publish(chosen.results, chosen.pages, chosen.claims))


def _run(chosen: argparse.Namespace) -> None:
    if chosen.command == "report":
        print(write_report(chosen.results, chosen.claims, figures=chosen.figures))
    elif chosen.command == "table":
        print_table(chosen.results)
    elif chosen.command == "publish":
        _publish(chosen)
    elif chosen.command == "why":
        from cellbed_formats.bundle import read_bundle

        from .report.why import why

        print(shown(str(why(read_bundle(chosen.bundle), chosen.at)), "\n"))
    elif "run" in chosen:  # a study's
        print(chosen.run(chosen))
    else:
        from .metrics.reference import markdown

        print(markdown(), end="")


if __name__ == "__main__":
    sys.exit(main())
