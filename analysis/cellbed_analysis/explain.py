# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a claim differs: sentences made of numbers taken from the traces.

Each function gets the rows of metrics.parquet that a claim compared, and says
where the time went or how grants were obtained there. Nothing is asserted that
is not a column of those rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .segment import HOST_LABELS, LEG_PARTS, RTT_PARTS, part_label

Row = dict[str, Any]

#: Parts of an undisturbed leg, in ms. Source: Nardini, section III, Figure 4
PAPER_LEG_MS = {"rar": 3.0, "bsr": 2.0, "bsr_decode": 4.0, "grant": 2.0, "air": 4.0}
PAPER_DOWNLINK_MS = 5.0
TOP = 3
WORTH_MS = 0.05  # parts that differ by less are not named


def explain(kind: str, rows: Sequence[Row], other: Sequence[Row]) -> str:
    """The cause behind a claim that differs.

    Args:
        kind: key of EXPLANATIONS, as the claim's `explain` names it.
        rows: rows the claim measured, in the order of its `over` if it has one.
        other: rows it subtracted, or none.
    """
    function = EXPLANATIONS.get(kind)
    return function(rows, other) if function and rows else ""


def mean(rows: Sequence[Row], name: str) -> float | None:
    """Mean of a column over rows that have it."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return sum(values) / len(values) if values else None


def parts_ms(rows: Sequence[Row]) -> dict[str, float]:
    """Mean parts of the RTT over rows, in ms; empty when they have none."""
    found = {part: mean(rows, f"part_{part}_ms") for part in RTT_PARTS}
    return {part: value for part, value in found.items() if value is not None}


def paper_parts_ms(row: Row) -> dict[str, float]:
    """Parts of the RTT by Figure 4's timeline for the row's combination of modes."""
    parts = dict.fromkeys(RTT_PARTS, 0.0)
    for side in ("data", "ack"):
        parts |= {f"{side}_{part}": value for part, value in PAPER_LEG_MS.items()}
        if row.get(f"{side}_mode") == "IM":
            parts[f"{side}_dl"] = PAPER_DOWNLINK_MS
    return parts


def departures(measured: dict[str, float], reference: dict[str, float]) -> str:
    """The largest differences between two decompositions, in words."""
    gaps = {part: measured[part] - reference.get(part, 0.0) for part in measured}
    # The downlink and what precedes it at the eNB are one number in the paper.
    for side in ("data", "ack"):
        gaps[f"{side}_dl"] = gaps.get(f"{side}_dl", 0) + gaps.pop(f"{side}_dl_wait", 0)
    largest = sorted(gaps.items(), key=lambda item: -abs(item[1]))[:TOP]
    named = [f"{part_label(part)} {gap:+.1f} ms" for part, gap in largest if abs(gap) >= WORTH_MS]
    return "; ".join(named) if named else "no part differs by 0.05 ms or more"


def legs_text(parts: dict[str, float]) -> str:
    """A decomposition in one line: data leg, receiver, ACK leg, hosts."""
    legs = {side: sum(parts.get(f"{side}_{part}", 0.0) for part in LEG_PARTS) for side in ("data", "ack")}
    hosts = parts.get("host_tx", 0.0) + parts.get("host_rx", 0.0)
    return (
        f"data leg {legs['data']:.1f} + receiver {parts.get('receiver', 0.0):.1f} "
        f"+ ACK leg {legs['ack']:.1f} + sender's host {hosts:.1f} ms"
    )


def _rtt(rows: Sequence[Row], other: Sequence[Row]) -> str:
    measured = parts_ms(rows)
    if not measured:
        return "The RTT could not be taken apart: no segment was found in both capture and trace."
    name = rows[0].get("combination")
    if other:
        against = parts_ms(other)
        return (
            f"{name}: {legs_text(measured)}; {other[0].get('combination')}: {legs_text(against)}. "
            f"Largest differences: {departures(measured, against)}."
        )
    text = (
        f"{sum(measured.values()):.1f} ms = {legs_text(measured)}. Largest departures from the "
        f"timeline of Figure 4: {departures(measured, paper_parts_ms(rows[0]))}."
    )
    waits = [
        f"{mean(rows, f'{side}_blocked_share'):.0%} of {label}"
        for side, label in (("data", "segments"), ("ack", "ACKs"))
        if (mean(rows, f"{side}_blocked_share") or 0) > 0.005
    ]
    return text + (f" Waited over 1 TTI for their request: {', '.join(waits)}." if waits else "")


def _access(rows: Sequence[Row], other: Sequence[Row]) -> str:
    return " ".join(_access_of(group) for group in (rows, other) if group)


def _access_of(rows: Sequence[Row]) -> str:
    sides = []
    for side, label in (("data", "segment"), ("ack", "ACK")):
        facts = [
            (f"{side}_rac_per_packet", f"{{:.2f}} RAC requests per {label}"),
            (f"{side}_stolen_share", f"{{:.0%}} of {label}s stolen beside a BSR"),
            (f"{side}_stolen_per_request_mean", f"{{:.2f}} {label}s ended beside each BSR"),
            (f"{side}_packets_per_tti_mean", f"{{:.1f}} {label}s ended per sub-frame used"),
            (f"{side}_trailing_bsr_share", "{:.0%} of data PDUs with a trailing BSR"),
            (f"{side}_trailing_grant_share", "{:.0%} of them granted for one"),
            (f"{side}_rac_interval_min_ms", "requests at least {:.0f} ms apart"),
        ]
        found = [(mean(rows, name), text) for name, text in facts]
        sides.append(", ".join(text.format(value) for value, text in found if value is not None))
    names = sorted({str(row.get("combination")) for row in rows})
    flight = mean(rows, "flight_mean_bytes")
    tail = "" if flight is None else f" In flight: {flight:.0f} bytes on average."
    return f"{', '.join(names)}: {'; '.join(filter(None, sides))}.{tail}"


def _timeline(rows: Sequence[Row], other: Sequence[Row]) -> str:
    points = ("bsr_tx", "bsr_rx", "data_tx", "data_rx", "data_out", "ack_out")
    found = [(point, mean(rows, f"timeline_{point}_ms")) for point in points]
    shown = ", ".join(f"{point.replace('_', ' ')} {v:.2f}" for point, v in found if v is not None)
    n = mean(rows, "timeline_segments") or 0
    if not shown:
        return "No segment had a life that nothing else disturbed."
    return f"Medians over {n:.0f} undisturbed segments, ms after the RAC request: {shown}."


def _size(rows: Sequence[Row], other: Sequence[Row]) -> str:
    size, grant = mean(rows, "ack_mac_bytes"), mean(rows, "ack_rar_grant_bytes")
    if size is None:
        return "No PDU carried a single ACK without a BSR."
    text = f"A PDU with one ACK uses {size:.0f} bytes besides padding"
    return f"{text}; the grant of one RB has {grant:.0f}." if grant is not None else f"{text}."


def _trend(rows: Sequence[Row], other: Sequence[Row]) -> str:
    peak = max(range(len(rows)), key=lambda i: rows[i].get("rtt_mean_ms") or 0)
    shown = sorted({0, peak, len(rows) - 1})
    return " ".join(_window_text(rows[i]) for i in shown)


def _window_text(row: Row) -> str:
    window = row.get("receive_window_bytes")
    parts = parts_ms([row])
    largest = sorted(parts.items(), key=lambda item: -item[1])[:2]
    text = f"At {window / 1024:.0f} KiB: {sum(parts.values()):.1f} ms" if window else ""
    if largest:
        text += f", most in {' and '.join(f'{part_label(p)} ({v:.1f} ms)' for p, v in largest)}"
    facts = (
        ("data_rac_per_packet", "{:.2f} RAC requests per segment"),
        ("data_trailing_grant_share", "{:.0%} of data PDUs granted for a trailing BSR"),
    )
    for name, wording in facts:
        if row.get(name) is not None:
            text += f", {wording.format(row[name])}"
    return f"{text}."


EXPLANATIONS: dict[str, Callable[[Sequence[Row], Sequence[Row]], str]] = {
    "rtt": _rtt,
    "access": _access,
    "timeline": _timeline,
    "size": _size,
    "trend": _trend,
}

__all__ = ["EXPLANATIONS", "HOST_LABELS", "explain", "paper_parts_ms", "parts_ms"]
