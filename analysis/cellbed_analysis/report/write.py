# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a report where there is none of these bundles yet; what draws is imported only then."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellbed_formats.bundle import Results
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ..claims.claim import collect, read_claims
from ..metrics.runs import analyse_all
from . import unchanged
from .whole import REPORT, whole

#: Formats of figures besides SVG, which the page has.
KINDS = ("pdf", "png")


def write_report(results_dir: Path | Results, claims_file: Path | None = None, output: Path | None = None,
                 figures: Sequence[str] = ()) -> Path:
    """Write the report of some bundles; one of the same bundles, claims and code that lies there stays as it is.

    Args:
        results_dir: directory with one bundle per run, or one bundle; what has been loaded and checked of it.
        claims_file: claims to judge instead of those that the runs carry.
        output: directory to write to instead of `summary/` of the results, or `derived/` of the bundle.
        figures: formats of figures besides SVG, of KINDS.

    Returns:
        Path of report.html; figures/ lies beside it, of a results directory also index.html, claims.json and
        metrics.parquet.

    Raises:
        DataError: no bundle below the directory, a malformed claim, or no such format.
    """
    kinds = [kind for kind in KINDS if kind in figures]
    for kind in figures:
        if kind not in KINDS:
            raise DataError(f"--figures {kind}: allowed {', '.join(KINDS)}")
    results = whole(results_dir)
    claims = collect(results) if claims_file is None else read_claims(claims_file)
    directory = results.report_dir if output is None else Inside.named(output)
    key = unchanged.key_of(results, directory, {"claims": claims, "figures": kinds})
    if not unchanged.is_made(directory, key):
        from .make import make

        written = make(results, claims, directory, kinds)
        if written is not None:
            unchanged.remember(directory, key, written)
    return (directory / REPORT).path


def write_each(results: Results, figures: Sequence[str] = ()) -> None:
    """Write the report of every readable bundle; an index made after that links them."""
    for run in analyse_all(results.bundles):
        if run.readable:
            write_report(Results(run.bundle.path, [run.bundle]), figures=figures)
