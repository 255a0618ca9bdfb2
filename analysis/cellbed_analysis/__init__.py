# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads result bundles: metrics, claims, figures and the report.

Nothing here imports the lab: a bundle is all the analysis knows about a run.
Heavy libraries (Polars, matplotlib) load when a function needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cellbed_formats.error import DataError, FileError

__all__ = ["DataError", "FileError", "print_table", "write_report"]


def write_report(results_dir: Path, claims_file: Path | None = None, output: Path | None = None,
                 figures: Sequence[str] = ()) -> Path:
    """Write the report of a results directory or a bundle; see `report.write_report`."""
    from .report.write import write_report as write

    return write(results_dir, claims_file, output, figures)


def print_table(results_dir: Path) -> None:
    """Print the console table; see `summary.print_table`."""
    from .report.console import print_table as show

    show(results_dir)
