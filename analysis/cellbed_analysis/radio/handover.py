# SPDX-License-Identifier: GPL-2.0-or-later
"""Handovers of UEs, and predictions of one that did not come: their steps, what was forwarded, what was held.

Source: TS 36.300 10.1.2.1.1; TS 38.300 9.2.3.2, 9.2.3.4
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from .events import rows_of

Rows = list[dict[str, Any]]

#: Messages whose first row after the decision ends a part of the handover. Source: docs/trace-format.md
DECISION, COMMAND, ARRIVAL, SWITCH = "handover_decision", "handover_command", "synchronised", "path_switched"
PREDICTED, EXPIRED = "predicted", "prediction_expired"
#: A conditional handover begins when the UE sees its condition, without a command.
CONDITION, DETACH = "condition_met", "detach"
#: With DAPS it leaves the source when it has been in the target for a while.
RELEASE = "daps_source_release"
BEGINS = (DECISION, CONDITION)


@dataclass(frozen=True)
class Handover:
    """One handover of a UE, or a prediction that none followed; times in ns of CLOCK_MONOTONIC."""

    ue: str
    source: int  # number of the eNB, from 0
    target: int
    start_ns: int  # the source's decision, or the UE's that a condition holds; of a wrong prediction, the prediction
    left_ns: int | None  # the UE leaves the source, on a command or by itself
    attached_ns: int | None  # the UE has reached the target; of a wrong prediction, the path is back at the source
    path_ns: int | None  # the S-GW sends to the target
    wrong: bool  # a prediction, and no handover


def steps_of(bundle: Bundle) -> str:
    """What a run's rows of RRC are about: handovers, or with EN-DC the SCG."""
    return "SCG" if bundle.settings.get("radio", {}).get("system") == "en_dc" else "handover"


def messages(bundle: Bundle) -> pl.DataFrame:
    """Steps of handovers in order of time: t_ns, ue (number), enb, other (eNB at the far end), message."""
    rows = rows_of(bundle.radio, "rrc")
    message = pl.col("value").replace_strict(bundle.radio_symbols.get("rrc", {}), default=None, return_dtype=pl.String)
    return rows.select("t_ns", "enb", ue="peer", other="sn", message=message).sort("t_ns", maintain_order=True)


def handovers(bundle: Bundle, ue: str) -> list[Handover]:
    """Handovers and wrong predictions of a UE, in order."""
    if "enb" not in bundle.radio.columns or ue not in bundle.ue_numbers:
        return []
    said = messages(bundle).filter(pl.col("ue") == bundle.ue_numbers[ue])
    rows = list(said.iter_rows(named=True))
    found = []
    for i, row in enumerate(rows):
        until = next((r["t_ns"] for r in rows[i + 1 :] if r["message"] in BEGINS), None)
        later = [r for r in rows[i:] if until is None or r["t_ns"] < until]
        if row["message"] in BEGINS:
            found.append(_handover(ue, row, rows[:i], later))
        elif row["message"] == EXPIRED:
            found.append(_wrong_prediction(ue, row, rows[:i], later))
    return found


def _first(rows: Rows, message: str, *, to: int | None = None) -> int | None:
    """Time of the first such row; `to` names the eNB that a path leads to."""
    return next((r["t_ns"] for r in rows if r["message"] == message and (to is None or r["other"] == to)), None)


def _handover(ue: str, decision: dict[str, Any], earlier: Rows, later: Rows) -> Handover:
    target = int(decision["other"])
    # A prediction switches the path before; what came before an earlier handover is about that one.
    since = max((i for i, r in enumerate(earlier) if r["message"] in (*BEGINS, EXPIRED)), default=-1)
    left = _first(later, RELEASE) or _first(later, DETACH if decision["message"] == CONDITION else COMMAND)
    return Handover(
        ue, int(decision["enb"]), target, decision["t_ns"], left, _first(later, ARRIVAL),
        _first(earlier[since + 1 :] + later, SWITCH, to=target), False,
    )  # fmt: skip


def _wrong_prediction(ue: str, expired: dict[str, Any], earlier: Rows, later: Rows) -> Handover:
    predicted = next((r for r in reversed(earlier) if r["message"] == PREDICTED), expired)
    source, target = int(predicted["enb"]), int(predicted["other"])
    since = [r for r in earlier if r["t_ns"] >= predicted["t_ns"]]
    return Handover(
        ue, source, target, predicted["t_ns"], None, _first(later, SWITCH, to=source),
        _first(since + later, SWITCH, to=target), True,
    )  # fmt: skip


def of_flow(bundle: Bundle, flow: Flow) -> Handover | None:
    """The handover that a run is about: the first of the flow's UE while the flow lasts; else a wrong prediction."""
    every = handovers(bundle, flow.sink) + handovers(bundle, flow.source)
    inside = [handover for handover in every if flow.start_ns <= handover.start_ns < flow.end_ns]
    return min(inside, key=lambda handover: (handover.wrong, handover.start_ns), default=None)


def forwarded(bundle: Bundle, handover: Handover) -> pl.DataFrame:
    """Rows of the packets of the UE that one eNB sent to another on account of a handover."""
    rows = rows_of(bundle.radio, "ho_forward").filter(pl.col("peer") == bundle.ue_numbers[handover.ue])
    return rows.filter(pl.col("t_ns") >= handover.start_ns)


def held(bundle: Bundle, handover: Handover) -> pl.DataFrame:
    """Rows about what an eNB held for the UE."""
    return rows_of(bundle.radio, "ho_hold").filter(pl.col("peer") == bundle.ue_numbers[handover.ue])


