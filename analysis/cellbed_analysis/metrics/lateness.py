# SPDX-License-Identifier: GPL-2.0-or-later
"""How late the radio daemon was."""

from __future__ import annotations

from cellbed_formats.bundle import Bundle

from .metric import Metric
from .rtt import Values

LATENESS = (
    Metric("lateness_p50_us", "us", "how late the radio daemon woke up, median"),
    Metric("lateness_p99_us", "us", "99th percentile of that"),
    Metric("lateness_p999_us", "us", "99.9th percentile of that"),
    Metric("lateness_max_us", "us", "largest lateness"),
    Metric("missed_ttis", "1", "wake-ups that were late by more than a sub-frame"),
)


def lateness_metrics(bundle: Bundle) -> Values:
    """Lateness percentiles, as the radio daemon counted them."""
    found = bundle.radio_stats.get("lateness", {})
    values: Values = {f"lateness_{name}": found.get(name) for name in ("p50_us", "p99_us", "p999_us", "max_us")}
    return values | {"missed_ttis": found.get("missed_ttis")}
