# SPDX-License-Identifier: GPL-2.0-or-later
"""The bundles that a report is about."""

from __future__ import annotations

from pathlib import Path

from cellbed_formats.bundle import Results, load_results


def whole(results: Path | Results) -> Results:
    """Bundles whose files are as their runs have written them. Raises DataError: there is none."""
    return results if isinstance(results, Results) else load_results(Path(results)).checked()
