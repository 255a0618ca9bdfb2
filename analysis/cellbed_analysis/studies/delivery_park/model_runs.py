# SPDX-License-Identifier: GPL-2.0-or-later
"""The model of section 3 beside runs of its own parameters: RTT increment and utilisation.

Variants are named `rtt<ms>-free`, where nothing is lost, and `rtt<ms>-harq<ms>-<order>`.
What a run adds to the free one's RTT is its increment; its share of the free one's
goodput is the utilisation.

Source: Park 2013 section 3, Tables 1 and 2, Figure 2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...claims.measure import measure
from ...metrics.one_lab import one_lab
from ...metrics.over_runs import estimate
from ...stats.interval import Estimate
from ...stats.numbers import mean_of as mean
from . import delivery, park

Row = dict[str, Any]
VARIANT = re.compile(r"rtt(?P<rtt>\d+)-(free|harq(?P<harq>\d+)-(?P<order>in|out))")

#: Parts of the increment, in ms: label, parts of the RTT that it sums.
PARTS = (
    ("behind gaps", ("data_reorder", "ack_reorder")),
    ("sent again, data", ("data_dl_harq", "data_dl_arq")),
    ("queue, data", ("data_dl_wait", "data_dl")),
    ("receiver's TCP", ("receiver",)),
    ("sent again, ACK", ("ack_bsr_harq", "ack_harq", "ack_arq")),
    ("queue, ACK", ("ack_queue", "ack_grant", "ack_air", "ack_schedule")),
)


@dataclass(frozen=True)
class Point:
    """One end-to-end RTT and HARQ RTT; increments in ms, utilisations as shares, None where not measured."""

    e2e_ms: int
    harq_ms: int
    printed: str | None
    model_inc_ms: float
    model_share: float
    bounded_inc_ms: float | None
    bounded_share: float | None
    increment_ms: dict[str, Estimate]
    share: dict[str, Estimate]
    parts_ms: dict[str, dict[str, float]]
    in_flight: float | None


def belongs(row: Row) -> bool:
    """Whether a run is part of such a sweep, usable or not."""
    return VARIANT.fullmatch(str(row.get("variant") or "")) is not None


def points(rows: Sequence[Row]) -> list[Point]:
    """What usable runs of one lab give, the virtual one if both are there."""
    by_variant: dict[str, list[Row]] = {}
    for row in one_lab([row for row in rows if row["usable"] and belongs(row)]):
        by_variant.setdefault(row["variant"], []).append(row)
    cases = {(int(m["rtt"]), int(m["harq"])) for m in map(VARIANT.fullmatch, by_variant) if m and m["harq"]}
    return [_point(e2e, harq, by_variant) for e2e, harq in sorted(cases) if f"rtt{e2e}-free" in by_variant]


def _point(e2e_ms: int, harq_ms: int, by_variant: dict[str, list[Row]]) -> Point:
    free = by_variant[f"rtt{e2e_ms}-free"]
    runs = {order: by_variant.get(f"rtt{e2e_ms}-harq{harq_ms}-{order}", []) for order in ("in", "out")}
    present = {order: group for order, group in runs.items() if group}
    model_ms = delivery.both_ways_ms(harq_ms, as_printed=True)
    bounded = bounded_increment_ms(harq_ms, runs["in"])
    printed = dict(zip(park.TABLE2_HARQ_RTT_MS, park.TABLE2.get(e2e_ms, ()), strict=False))
    rate, rtt = mean(runs["in"], "pdus_per_s_dl"), mean(runs["in"], "rtt_mean_ms")
    return Point(
        e2e_ms=e2e_ms,
        harq_ms=harq_ms,
        printed=printed.get(harq_ms),
        model_inc_ms=model_ms,
        model_share=float(delivery.utilisation(e2e_ms, model_ms)),
        bounded_inc_ms=bounded,
        bounded_share=None if bounded is None else float(delivery.utilisation(e2e_ms, bounded)),
        increment_ms=_compared("minus", "rtt_mean_ms", present, free),
        share=_compared("ratio", "goodput_mbps", present, free),
        parts_ms={order: _parts(group, free) for order, group in present.items()},
        in_flight=None if rate is None or rtt is None else rate * rtt / 1000,
    )


def _compared(how: str, metric: str, runs: dict[str, list[Row]], free: list[Row]) -> dict[str, Estimate]:
    """A metric minus the free runs', or over it."""
    found = {}
    for order, group in runs.items():
        claim: dict[str, Any] = {
            "measure": {"metric": metric, "where": {"variant": group[0]["variant"]}},
            how: {"metric": metric, "where": {"variant": free[0]["variant"]}},
        }
        value = measure(claim, [*group, *free])
        if value is not None:
            found[order] = value
    return found


def _parts(rows: list[Row], free: list[Row]) -> dict[str, float]:
    """What each part of the RTT adds to that of the free runs, in ms."""

    def total(group: list[Row], names: Sequence[str]) -> float:
        return sum(mean(group, f"part_{name}_ms") or 0.0 for name in names)

    return {label: total(rows, names) - total(free, names) for label, names in PARTS}


def bounded_increment_ms(harq_ms: float, rows: Sequence[Row]) -> float | None:
    """The model for PDUs as often as measured, of which only a window is in flight: both ways, in ms."""
    rtt = estimate(rows, "rtt_mean_ms")
    rates = [mean(rows, f"pdus_per_s_{code}") for code in ("dl", "ul")]
    if rtt is None or not all(rates):
        return None
    total = 0.0
    for rate, harq_rtt_ms in zip(rates, (harq_ms, delivery.UPLINK_HARQ_RTT_MS), strict=True):
        tti_ms = 1000 / (rate or 1)
        link = replace(delivery.Link(), harq_rtt_ms=harq_rtt_ms, tti_ms=tti_ms)
        total += delivery.ladder_wait_ms(link, max(1, round(rtt.value / tti_ms)))
    return total
