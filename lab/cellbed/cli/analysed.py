# SPDX-License-Identifier: GPL-2.0-or-later
"""How commands about results end: what is wrong with the results, on stderr, and a status that scripts can rely on.

docs/exit-status.md has the table.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cellbed.cli.screens import errors
from cellbed.error import CellbedError, told
from cellbed_formats.printable import shown

if TYPE_CHECKING:
    from cellbed.results.choose import Wanted
    from cellbed.sweep.execute import Outcome
    from cellbed_analysis.metrics.run import RunAnalysis
    from cellbed_formats.bundle import Bundle, Results

FAILED, USAGE, INVALID, UNUSABLE = 1, 2, 3, 4
KeepGoing = Annotated[bool, typer.Option("--keep-going", help="End with status 0 even if runs are invalid or "
                                         "bundles are unusable. They are named and not counted either way.")]
# So many are named on stderr.
_NAMED_MAX = 4


class Standing:
    """What the runs of a command are worth."""

    def __init__(self) -> None:
        self.n_runs = 0
        self.invalid: dict[str, str] = {}  # why, by name
        self.unusable: dict[str, str] = {}
        self.unsealed: set[str] = set()

    def invalid_run(self, name: str, reasons: Sequence[str]) -> None:
        self.invalid[name] = "; ".join(reasons) or "its lab gave no verdict"

    def results(self, results: Results) -> None:
        """Bundles that a command is about, and what is none any more."""
        for one in results.rejected:
            if one.of_run:
                self.unusable[one.path.name] = one.reason
        for bundle in results.bundles:
            self.n_runs += 1
            if not bundle.valid:
                self.invalid_run(bundle.path.name, bundle.validity_reasons)
            if not bundle.has_checksums:
                self.unsealed.add(bundle.path.name)

    def runs(self, runs: Sequence[RunAnalysis]) -> list[Bundle]:
        """The same, analysed. Return: those that read.

        Raises:
            UnusableError: none does.
        """
        from cellbed_formats.error import UnusableError

        bad = [run for run in runs if not run.readable]
        if bad and len(bad) == len(runs):
            raise UnusableError(bad[0].problem)
        for run in bad:
            self.unusable[run.bundle.path.name] = str(run.problem)
        return [run.bundle for run in runs if run.readable]

    def fitting(self, where: str, wanted: Wanted) -> list[Bundle]:
        """Bundles that words of a command line mean, all of whose files were checked.

        Raises:
            CellbedError: none fits.
            DataError: there is nothing that reads.
        """
        from cellbed.results.choose import looked

        found = looked(where, wanted).checked()
        self.results(found)
        return found.bundles

    def chosen(self, where: str, wanted: Wanted) -> Path:
        """The same, and it is an error if there are several."""
        from cellbed.results.choose import only

        return only(where, wanted, self.fitting(where, wanted)).path

    def end(self, keep_going: bool) -> None:
        """Say what there is to say. Raises typer.Exit for another status than 0."""
        for many, what in ((self.invalid, "is invalid"), (self.unusable, "cannot be used")):
            if many:
                _say(many, what, self.n_runs)
        if self.unsealed:
            n = len(self.unsealed)
            errors().print(f"cellbed: {n} bundle{'s have' if n > 1 else ' has'} no checksums, because an older "
                           "version wrote them; damage may go unnoticed; repeat the runs to have checksums",
                           soft_wrap=True)
        if not keep_going and (self.unusable or self.invalid):
            raise typer.Exit(UNUSABLE if self.unusable else INVALID)


def _say(many: dict[str, str], what: str, n_runs: int) -> None:
    named = "; ".join(f"{name}: {why}" for name, why in list(many.items())[:_NAMED_MAX])
    more = f"; and {len(many) - _NAMED_MAX} more" if len(many) > _NAMED_MAX else ""
    what = what.replace("is ", "are ") if len(many) > 1 else what
    of = f"{len(many)} of {n_runs} runs" if what.endswith("invalid") else f"{len(many)} bundle{'s' * (len(many) > 1)}"
    errors().print(f"cellbed: {of} {what}: {shown(named)}{more}", soft_wrap=True)


def judge(outcomes: Sequence[Outcome], keep_going: bool) -> None:
    """How a command ends that has executed runs, none of which failed. Raises typer.Exit for another status than 0."""
    standing = Standing()
    for outcome in outcomes:
        assert outcome.path is not None and outcome.manifest is not None
        standing.n_runs += 1
        validity = outcome.manifest["validity"]
        if validity["verdict"] != "valid":
            standing.invalid_run(outcome.path.name, [reason["text"] for reason in validity["reasons"]])
    standing.end(keep_going)


@contextlib.contextmanager
def analysing(results: Path | str, output: Path | None = None, keep_going: bool = False) -> Iterator[Standing]:
    """Whatever is wrong with results, or with the disk that something is made of them on, is one line.

    Args:
        results: a bundle, or a folder of bundles.
        output: where files are written; default: among the results.
        keep_going: end well whatever the runs are worth.
    """
    from cellbed_formats.error import DataError, UnusableError, reading
    from cellbed_formats.inside import LinkedError

    standing = Standing()
    try:
        with reading(results):
            yield standing
    except DataError as error:
        status = UNUSABLE if isinstance(error, UnusableError) else FAILED
        raise CellbedError(str(error), status=status) from error
    except OSError as error:  # of a full disk names no file
        status = UNUSABLE if isinstance(error, LinkedError) else FAILED
        raise CellbedError(told(error, output or results), status=status) from error
    standing.end(keep_going)
