# SPDX-License-Identifier: GPL-2.0-or-later
"""The bundles that a report is about, and the reports that they have."""

from __future__ import annotations

from pathlib import Path

from cellbed_formats.bundle import DERIVED, Bundle, Results, load_results

REPORT = "report.html"


def whole(results: Path | Results) -> Results:
    """Bundles whose files are as their runs have written them. Raises DataError: there is none."""
    return results if isinstance(results, Results) else load_results(Path(results)).checked()


def has_own_report(bundle: Bundle) -> bool:
    """Whether a report about this bundle alone lies in it."""
    try:
        return (bundle.inside / DERIVED / REPORT).is_file()
    except OSError:  # a link, or of somebody who keeps it to himself
        return False
