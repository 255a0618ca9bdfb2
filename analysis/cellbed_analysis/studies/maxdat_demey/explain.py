# SPDX-License-Identifier: GPL-2.0-or-later
"""Why RTT and throughput over a bearer of the UTRAN are what they are, in counted facts beside the closed form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...stats.numbers import facts
from ...stats.numbers import mean_of as mean

Row = dict[str, Any]
Rows = Sequence[Row]

#: Of an AMD PDU without length indicators. Source: TS 25.322 9.2.1.4
RLC_HEADER_BYTES = 2
#: Column and words, means per run.
FACTS = (
    ("transfer_kbps", "{:.1f} kbit/s"),
    ("karn_rtt_mean_s", "RTT {:.3f} s"),
    ("karn_rtt_samples", "of {:.0f} samples"),
    ("karn_rtt_min_s", "the smallest {:.3f} s"),
    ("sdus_discarded_dl", "{:.3g} segments discarded at MaxDAT"),
    ("sdus_discarded_ul", "{:.3g} ACKs"),
    ("tcp_retransmissions", "{:.3g} TCP retransmissions"),
    ("fast_retransmits", "{:.3g} of them fast"),
    ("rto_count", "{:.3g} timeouts"),
    ("rlc_transmissions_per_pdu", "{:.2f} transmissions per PDU"),
    ("model_kbps", "the closed form with Table I has {:.1f} kbit/s"),
    ("model_rtt_s", "and {:.3f} s"),
)
#: Of surfaces.
WHOLE = (
    ("rtt_cells", "{:.0f} cells with an RTT"),
    ("rtt_wired_s", "RTT at BLER 0 {:.4f} s"),
    ("rtt_below_wired_cells", "{:.0f} cells with a mean RTT below RTT_Wired of Table I"),
    ("ret_a", "Ret_A {:.0f}"),
    ("ret_b", "Ret_B {:.0f}"),
    ("table2_rtt_mean_percent", "mismatch of the RTT {:.1f} %"),
    ("table2_rtt_max_percent", "at most {:.1f} %"),
    ("table2_rtt_max_bler", "at BLER {:g}"),
    ("table2_rtt_max_maxdat", "and maxDAT {:.0f}"),
    ("table2_throughput_mean_percent", "of the throughput {:.1f} %"),
    ("table2_throughput_max_percent", "at most {:.1f} %"),
    ("table2_throughput_max_bler", "at BLER {:g}"),
    ("table2_throughput_max_maxdat", "and maxDAT {:.0f}"),
)


def maxdat(claim: Mapping[str, Any], rows: Rows, other: Rows) -> str:
    """What was counted in the runs of a claim, and what bounds them."""
    second = next((claim[key]["metric"] for key in ("minus", "ratio") if key in claim), "")
    pairs = ((rows, claim["measure"]["metric"]), (other, second))
    # A selector finds runs and surfaces alike: only those count that have the metric.
    groups = [group for all_, metric in pairs if (group := [row for row in all_ if row.get(metric) is not None])]
    return " ".join(f"{_facts(group)}{_bound(group)}" for group in groups)


def _facts(rows: Rows) -> str:
    told = facts(rows, (*FACTS, *WHOLE)).replace(", and ", " and ")
    return f"{_where(rows)}: {told}."


def _where(rows: Rows) -> str:
    """Rate, BLER and maxDAT of runs that share them."""
    names = (("utran_rate_kbps", "{:g} kbit/s"), ("utran_bler", "BLER {:g}"), ("utran_max_dat", "maxDAT {:g}"))
    said = [
        text.format(next(iter(values)))
        for name, text in names
        if len(values := {row.get(name) for row in rows}) == 1 and None not in values
    ]
    runs = [row for row in rows if row.get("utran_max_dat") is not None]
    count = f"mean of {len(runs)} runs" if len(runs) > 1 else "1 run" if runs else "surface"
    return ", ".join([*said, count])


def _bound(rows: Rows) -> str:
    """What errors leave of the link, where all runs have one rate and BLER."""
    rates = {(row.get("utran_rate_kbps"), row.get("utran_bler")) for row in rows}
    rate, bler = next(iter(rates)) if len(rates) == 1 else (None, None)
    if rate is None or bler is None:
        return ""
    window = mean(rows, "param.tcp.receive_window")
    left = rate * (1 - bler)
    text = f" Errors leave {left:.1f} kbit/s of the link"
    if window is None or left <= 0:
        return f"{text}."
    mss = mean(rows, "param.tcp.mss") or 1000
    drain_s = window * (mss + 40) / mss * 8 / 1e3 / left
    return f"{text}: a full window takes {drain_s:.2f} s of it.{_serial(rows, rate, mss)}"


def _serial(rows: Rows, rate_kbps: float, mss: float) -> str:
    """What a segment takes on the radio, which the closed form adds to RTT_Wired for retransmissions only."""
    tti_ms, pdu_bytes = mean(rows, "param.radio.utran.tti_ms"), mean(rows, "param.radio.utran.pdu_bytes")
    if tti_ms is None or pdu_bytes is None or mean(rows, "model_rtt_s") is None:
        return ""
    data_bytes = pdu_bytes - RLC_HEADER_BYTES
    pdus = math.ceil((mss + 40) / data_bytes)
    ttis = math.ceil(pdus / max(1, round(rate_kbps * tti_ms / (8 * data_bytes))))
    return (f" A segment is {pdus:.0f} PDUs and takes {ttis * tti_ms / 1e3:.2f} s on the radio before any "
            "retransmission; RTT_Wired of the closed form has none of that.")
