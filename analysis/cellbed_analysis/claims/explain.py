# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a claim differs: sentences made of numbers taken from the traces.

Each function gets the rows of metrics.parquet that a claim compared, and says
where the time went or how grants were obtained there. Nothing is asserted that
is not a column of those rows. Studies have further ones.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from ..stats.numbers import facts
from ..stats.numbers import mean_of as mean
from ..study import Explanation, studies
from ..tcp.segment import ARQ_PARTS, HARQ_PARTS, RTT_PARTS, WAY_PARTS, part_label

Row = dict[str, Any]
Rows = Sequence[Row]

TOP = 3
WORTH_MS = 0.05  # parts that differ by less are not named
WORTH_SHARE = 0.005

SIDES = {"data": "segment", "ack": "ACK"}
#: What errors of the radio cost a round trip, in both ways: words, parts.
REPAIRS = (
    ("HARQ retransmissions", HARQ_PARTS),
    ("RLC retransmissions", ARQ_PARTS),
    ("waits in RLC behind such", ("reorder",)),
)


def explain(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """The cause behind a claim that differs.

    Args:
        claim: its `explain` names the function (default "rtt").
        rows: rows the claim measured.
        other: rows it subtracted, or none.
    """
    return explanations()[claim.get("explain", "rtt")](claim, rows, other) if rows else ""


def parts_ms(rows: Rows) -> dict[str, float]:
    """Mean parts of the RTT over rows, in ms; empty when they have none."""
    found = {part: mean(rows, f"part_{part}_ms") for part in RTT_PARTS}
    return {part: value for part, value in found.items() if value is not None}


def departures(measured: Mapping[str, float], reference: Mapping[str, float]) -> str:
    """The largest differences between two decompositions, in words."""
    gaps = {part: measured[part] - reference.get(part, 0.0) for part in measured}
    for side in SIDES:
        if not reference.get(f"{side}_dl_wait"):  # the paper's 5 ms hold the wait for the downlink too
            gaps[f"{side}_dl"] = gaps.get(f"{side}_dl", 0.0) + gaps.pop(f"{side}_dl_wait", 0.0)
    largest = sorted(gaps.items(), key=lambda item: -abs(item[1]))[:TOP]
    named = [f"{part_label(part)} {gap:+.1f} ms" for part, gap in largest if abs(gap) >= WORTH_MS]
    return "; ".join(named) if named else "no part differs by 0.05 ms or more"


def ways_text(parts: Mapping[str, float]) -> str:
    """A decomposition in one line: way of the data, receiver, way of the ACK, hosts."""
    ways = {side: sum(parts.get(f"{side}_{part}", 0.0) for part in WAY_PARTS) for side in SIDES}
    hosts = parts.get("host_tx", 0.0) + parts.get("host_rx", 0.0)
    return (
        f"data {ways['data']:.1f} + receiver {parts.get('receiver', 0.0):.1f} "
        f"+ ACK {ways['ack']:.1f} + sender's host {hosts:.1f} ms"
    )


def repairs_text(rows: Rows) -> str:
    """What errors of the radio cost in the mean round trip, or nothing where they cost none."""
    parts = parts_ms(rows)
    costs = [(words, sum(parts.get(f"{side}_{part}", 0.0) for side in SIDES for part in names))
             for words, names in REPAIRS]  # fmt: skip
    named = [f"{words} {ms:.1f} ms" for words, ms in costs if ms >= WORTH_MS]
    return f"Of the mean RTT: {', '.join(named)}." if named else ""


def _name(rows: Rows) -> str:
    return ", ".join(sorted({str(row.get("combination")) for row in rows}))


def _rtt(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    measured = parts_ms(rows)
    if not measured:
        return "The RTT could not be taken apart: no segment was found in both capture and trace."
    if other:
        against = parts_ms(other)
        text = (
            f"{_name(rows)}: {ways_text(measured)}; {_name(other)}: {ways_text(against)}. "
            f"Largest differences: {departures(measured, against)}."
        )
        return f"{text} {_spread(rows)} {_spread(other)}".strip()
    text = f"{sum(measured.values()):.1f} ms = {ways_text(measured)}."
    for said, expected in filter(None, (study.expected_rtt(rows[0]) for study in studies())):
        text += f" Largest departures from {said}: {departures(measured, expected)}."
    return f"{text} {_spread(rows)}".strip()


def _spread(rows: Rows) -> str:
    """What happened to some segments only: held ACKs, waits for a request, stealing."""
    facts = [
        ("receiver_delayed_share", "the receiver held back the ACK of {:.0%} of segments"),
        ("data_blocked_share", "{:.0%} of segments waited over 1 TTI for their request"),
        ("ack_blocked_share", "{:.0%} of ACKs waited over 1 TTI for theirs"),
        ("data_joined_share", "{:.0%} of segments entered after the request that served them"),
        ("ack_joined_share", "{:.0%} of ACKs entered after theirs"),
        ("data_trailing_grant_share", "{:.0%} of data PDUs were granted for a trailing BSR"),
        ("ack_stolen_share", "{:.0%} of ACKs went with a BSR"),
    ]
    found = [(mean(rows, name), name, text) for name, text in facts]
    said = []
    for value, name, text in found:
        if value is None or value < WORTH_SHARE:
            continue
        said.append(text.format(value))
        held = mean(rows, "receiver_delayed_mean_ms")
        if name == "receiver_delayed_share" and held is not None:
            said[-1] += f", by {held:.1f} ms on average"
    return f"{_name(rows)}: {'; '.join(said)}." if said else ""


ACCESS_FACTS = (
    ("rac_per_packet", "{:.2f} RAC requests per {}"),
    ("packets_per_tti_mean", "{:.1f} {}s ended per sub-frame used"),
    ("stolen_share", "{:.0%} of {}s stolen beside a BSR"),
    ("stolen_per_bsr_mean", "{:.2f} {}s ended beside each such BSR"),
    ("trailing_bsr_share", "{:.0%} of data PDUs with a trailing BSR"),
    ("trailing_grant_share", "{:.0%} of data PDUs granted for one"),
    ("rac_interval_min_ms", "requests at least {:.0f} ms apart"),
    ("backlog_mean_bytes", "{:.0f} bytes in the buffer on average"),
)


def _blocked(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """What became of segments that had to wait for their request."""
    share, delay = mean(rows, "data_blocked_share"), mean(rows, "data_blocked_extra_delay_ms")
    rtt = mean(rows, "data_blocked_extra_rtt_ms")
    if share is None or delay is None or rtt is None:
        return f"{_name(rows)}: all segments waited for their request alike, or none did."
    return (
        f"{_name(rows)}: {share:.0%} of segments waited over 1 TTI for their request; their one-way delay "
        f"differs by {delay:+.1f} ms from the others', the rest of their round trip by {rtt - delay:+.1f} ms."
    )


def _fluctuation(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """Which parts of the RTT vary most."""
    return " ".join(f"{_varying(group)} {_spread(group)}".strip() for group in (rows, other) if group)


def _varying(rows: Rows) -> str:
    found = [(mean(rows, f"part_{part}_std_ms") or 0.0, part) for part in RTT_PARTS]
    largest = sorted(found, reverse=True)[:TOP]
    named = [f"{part_label(part)} {std:.1f} ms" for std, part in largest if std >= WORTH_MS]
    std = mean(rows, "rtt_std_ms")
    total = "" if std is None else f"RTT {std:.1f} ms, "
    return f"{_name(rows)}: standard deviations: {total}{'; '.join(named) or 'no part varies by 0.05 ms'}."


def _access(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    metric = str(claim.get("measure", {}).get("metric", ""))
    sides = [side for side in SIDES if metric.startswith(f"{side}_")] or list(SIDES)
    return " ".join(_access_of(group, sides) for group in (rows, other) if group)


def _access_of(rows: Rows, sides: Sequence[str]) -> str:
    texts = []
    for side in sides:
        found = [(mean(rows, f"{side}_{name}"), text) for name, text in ACCESS_FACTS]
        texts.append(", ".join(text.format(value, SIDES[side]) for value, text in found if value is not None))
    flight = mean(rows, "flight_mean_bytes")
    tail = "" if flight is None else f" In flight: {flight:.0f} bytes on average."
    return f"{_name(rows)}: {'; '.join(filter(None, texts))}.{tail}"


def _timeline(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    points = ("bsr_tx", "bsr_rx", "data_tx", "data_rx", "data_out", "ack_out")
    found = [(point, mean(rows, f"timeline_{point}_ms")) for point in points]
    shown = ", ".join(f"{point.replace('_', ' ')} {v:.2f}" for point, v in found if v is not None)
    n = mean(rows, "timeline_segments") or 0
    if not shown:
        return "No segment had a life that nothing else disturbed."
    return f"Medians over {n:.0f} undisturbed segments, ms after the RAC request: {shown}."


def _size(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    size, grant = mean(rows, "ack_mac_bytes"), mean(rows, "ack_rar_grant_bytes")
    if size is None:
        return "No PDU carried a single packet without a BSR."
    text = f"A PDU with one ACK uses {size:.0f} bytes besides padding"
    return f"{text}; the grant of one RB has {grant:.0f}." if grant is not None else f"{text}."


def _trend(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """The two points that decide about the trend, and what changed between them."""
    over, metric = claim["measure"]["over"], claim["measure"]["metric"]
    every = [[row for row in rows if row.get(over) == x] for x in sorted({row[over] for row in rows})]
    known = [(point, value) for point in every if (value := mean(point, metric)) is not None]
    points, values = [point for point, _ in known], [value for _, value in known]
    said, i, j = _turning_points(claim["expect"]["trend"], values)
    gap = departures(parts_ms(points[j]), parts_ms(points[i]))
    return f"{said} {_point_text(points[i], over)} and {_point_text(points[j], over)}. What changed between: {gap}."


def _turning_points(trend: str, values: Sequence[float]) -> tuple[str, int, int]:
    """Where to look: words, and the indices of two points."""
    if trend == "rises-first":
        return "The rise is the one between", 0, max(range(len(values)), key=values.__getitem__)
    if trend == "falls":
        said, i, j = _turning_points("rises", [-value for value in values])
        return said.replace("falls", "rises"), i, j
    falls = [(values[i] - values[j], i, j) for i in range(len(values)) for j in range(i + 1, len(values))]
    fall, i, j = max(falls, key=lambda item: (item[0], -item[1]))
    if fall <= 0:
        return "It never falls;", 0, len(values) - 1
    return "It falls most between", i, j


def _point_text(rows: Rows, over: str) -> str:
    text = f"{rows[0][over] / 1024:g} KiB" if over.endswith("_bytes") else f"{over} {rows[0][over]}"
    wordings = (
        ("rtt_mean_ms", "RTT {:.1f} ms"),
        ("data_rac_per_packet", "{:.2f} RAC requests per segment"),
        ("data_trailing_grant_share", "{:.0%} of data PDUs granted for a trailing BSR"),
        ("receiver_delayed_share", "ACKs held back for {:.0%} of segments"),
    )
    return f"{text} ({facts(rows, wordings)})"


GENERAL: dict[str, Explanation] = {
    "rtt": _rtt,
    "fluctuation": _fluctuation,
    "blocked": _blocked,
    "access": _access,
    "timeline": _timeline,
    "size": _size,
    "trend": _trend,
}


@functools.cache
def explanations() -> dict[str, Explanation]:
    """All explanations by the name that a claim calls them, those of studies after the general ones."""
    return GENERAL | {name: told for study in studies() for name, told in study.explanations().items()}
