# SPDX-License-Identifier: GPL-2.0-or-later
"""What the radio network did for the data flow and for the ACK flow.

Every function takes the packets and PDUs of one side; names in the result get
the prefix `data_` or `ack_`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from ..radio.packet_path import RadioLog
from ..stats.interval import Estimate, mean_within_run, within_run
from ..stats.numbers import mean, median
from ..tcp.segment import way_parts
from .metric import Metric
from .rtt import Values
from .window import Window

DROP_REASONS = (
    "queue_full", "radio_loss", "rlc_discard", "pdcp_discard", "mode_switch", "handover", "duplicate", "ecn",
    "no_route", "aqm", "shutdown",
)  # fmt: skip
#: Of these a run has metrics when there are any.
RARE_DROP_REASONS = ("radio_link_failure", "flush")
#: Of these no loss of the link: copies, and what was still under way at the end.
HARMLESS = ("duplicate", "shutdown")

CELL = (
    Metric("control_missed_ttis", "1", "sub-frames with a DCI that its UE missed, whole run"),
    Metric("radio_link_failures", "1", "radio links that failed, by maxRetxThreshold of AM or otherwise, whole run"),
    Metric("blocks_dl", "1", "downlink transport blocks sent for the first time, whole run"),
    Metric("block_dl_mean_bytes", "bytes", "their mean size"),
    Metric("harq_failures_ul", "1", "uplink transport blocks that HARQ gave up, whole run"),
    Metric("harq_failures_dl", "1", "downlink transport blocks that HARQ gave up, whole run"),
    Metric("harq_retx_ul_share", "1", "share of retransmissions among transmissions of blocks, uplink, whole run"),
    Metric("harq_retx_dl_share", "1", "share of retransmissions among transmissions of blocks, downlink, whole run"),
    Metric("dropped_queue_full_pkts", "packets", "dropped because the RLC queue was full, whole run"),
    Metric("dropped_radio_loss_pkts", "packets", "lost on the air"),
    Metric("dropped_rlc_discard_pkts", "packets", "given up by the reassembly of RLC"),
    Metric("dropped_pdcp_discard_pkts", "packets", "given up by PDCP because its discardTimer expired"),
    Metric("dropped_mode_switch_pkts", "packets", "flushed when the mode of their UE changed"),
    Metric("dropped_handover_pkts", "packets", "given up at a handover"),
    Metric("dropped_duplicate_pkts", "packets", "received a second time after a handover, which is no loss"),
    Metric(
        "dropped_ecn_pkts", "packets",
        "dropped because they were marked in a tunnel, though their hosts do not use ECN",
    ),
    Metric("dropped_no_route_pkts", "packets", "addressed to no known UE"),
    Metric("dropped_aqm_pkts", "packets", "dropped by the queue management of a bearer"),
    Metric("dropped_radio_link_failure_pkts", "packets", "dropped while the radio link had failed, if any were"),
    Metric("dropped_flush_pkts", "packets", "dropped by an event `flush` or `cellbed set UE flush`, if any were"),
    Metric("dropped_shutdown_pkts", "packets", "still held when the run ended, which is no loss"),
    Metric("padding_ul_share", "1", "share of padding in uplink transport blocks"),
    Metric("padding_sl_share", "1", "share of padding in sidelink transport blocks"),
    Metric("padding_dl_share", "1", "share of padding in downlink transport blocks"),
    *(
        metric
        for code, link in (("ul", "uplink"), ("sl", "sidelink"), ("dl", "downlink"))
        for metric in (
            Metric(f"harq_retransmissions_{code}", "1", f"transport blocks sent again by HARQ, {link}, whole run"),
            Metric(f"rlc_retransmissions_{code}", "1", f"RLC PDUs, or segments of one, sent again by ARQ, {link}"),
            Metric(f"pdus_per_s_{code}", "1/s", f"MAC PDUs sent for the first time, {link}"),
        )
    ),
    Metric("cqi_min", "1", "lowest CQI behind any grant"),
)

SIDE = (
    Metric("packets", "1", "packets that entered the radio network"),
    Metric("delay_mean_ms", "ms", "mean one-way delay through the radio network", True),
    Metric("delay_p99_ms", "ms", "99th percentile of that delay"),
    Metric("first_hop_mean_ms", "ms", "from the entry to the decoding at the end of the uplink or sidelink"),
    Metric("downlink_mean_ms", "ms", "from the decoding at the eNB to the delivery, in infrastructure mode", True),
    Metric("rlc_wait_mean_ms", "ms", "from the entry to the RAC request or trailing BSR that served the packet", True),
    Metric("rac_requests", "1", "RAC requests (preambles) sent"),
    Metric("rac_per_packet", "1", "RAC requests per packet", True),
    Metric("rac_interval_min_ms", "ms", "shortest time between two RAC requests"),
    Metric("rac_timeouts", "1", "RAC requests that timed out unanswered"),
    Metric("packets_per_tti_mean", "1", "packets whose last bytes left in the same sub-frame, mean"),
    Metric("blocked_share", "1", "share of packets that waited over 1 TTI for their request", True),
    Metric("joined_share", "1", "share of packets that entered after the RAC request that served them", True),
    Metric("blocked_extra_rtt_ms", "ms", "mean RTT of segments that waited so long minus that of the others"),
    Metric("blocked_extra_delay_ms", "ms", "mean one-way delay of these packets minus that of the others"),
    Metric("stolen_share", "1", "share of packets sent whole or ended beside a BSR (stealing)", True),
    Metric(
        "stolen_per_bsr_mean", "1",
        "packets that ended beside a BSR, mean over the BSRs that had data beside them", True,
    ),
    Metric("stolen_per_bsr_max", "1", "largest number of such packets"),
    Metric("granted_pdus", "1", "MAC PDUs with RLC data on a data grant"),
    Metric("trailing_bsr_share", "1", "share of these with a non-zero trailing BSR", True),
    Metric("trailing_grant_share", "1", "share of these granted for a trailing BSR", True),
    Metric("rar_grant_bytes", "bytes", "size of the transport block that a RAR grants"),
    Metric("mac_bytes", "bytes", "size of the most frequent packet with its PDCP, RLC and MAC headers"),
    Metric("backlog_mean_bytes", "bytes", "time-weighted mean of the UE's transmission buffer"),
    Metric("backlog_max_bytes", "bytes", "largest backlog"),
)


def way_metrics(lives: pl.DataFrame) -> Values:
    """One-way delays. Args: delivered packets of one side inside the window."""
    lives = lives.filter(pl.col("out_ns").is_not_null())
    if lives.is_empty():
        return {}
    t = lives["in_ns"].to_numpy()
    delay_ms = (lives["out_ns"] - lives["in_ns"]).to_numpy() / 1e6
    parts = way_parts(lives)
    first_ms = (lives["rx_ns"] - lives["in_ns"]).drop_nulls() / 1e6
    relayed = lives.filter(pl.col("dl_tx_ns").is_not_null())
    values: Values = {
        "delay_mean_ms": mean_within_run(t, delay_ms),
        "delay_p99_ms": float(np.percentile(delay_ms, 99)),
        "first_hop_mean_ms": mean(first_ms),
        "rlc_wait_mean_ms": mean_within_run(t, (parts["queue"] + parts["rac_wait"]).to_numpy() / 1e6),
    }
    if len(relayed):
        # From the network side there is no first hop: the downlink begins at the entry.
        second = (relayed["out_ns"] - relayed["rx_ns"].fill_null(relayed["in_ns"])).to_numpy() / 1e6
        values["downlink_mean_ms"] = mean_within_run(relayed["in_ns"].to_numpy(), second)
    return values


def access_metrics(log: RadioLog, ue: int, lives: pl.DataFrame, pdus: pl.DataFrame, window: Window) -> Values:
    """How a UE got its transmissions: RAC requests, stealing, trailing BSRs.

    Args:
        log: radio.trace.
        ue: node number of the UE.
        lives: its packets that entered inside the window.
        pdus: its PDUs (`packet_path.uplink_pdus`) sent inside the window.
        window: the window.
    """
    requests = window.cut(log.rows("ra_preamble", node=ue), "t_ns")["t_ns"].to_numpy()
    n_pkts = max(len(lives), 1)
    with_data = _carrying_data(log, ue, pdus)
    stealing = with_data.filter("on_rar")
    data_pdus = with_data.filter(~pl.col("on_rar"))
    values: Values = {
        "packets": len(lives),
        "rac_requests": len(requests),
        "rac_per_packet": _ratio_of_events(window, requests, lives["in_ns"].to_numpy()),
        "rac_interval_min_ms": float(np.diff(requests).min()) / 1e6 if len(requests) > 1 else None,
        "rac_timeouts": len(window.cut(log.rows("ra_timeout", node=ue), "t_ns")),
        "packets_per_tti_mean": n_pkts / max(lives["tx_ns"].n_unique(), 1),
        "stolen_share": mean_within_run(
            lives["in_ns"].to_numpy(),
            (lives["access"] == "stolen").fill_null(False).to_numpy().astype(float),
        ),
    }
    if len(stealing):
        ended = stealing["ended"].to_numpy().astype(float)
        values["stolen_per_bsr_mean"] = mean_within_run(stealing["tx_ns"].to_numpy(), ended)
        values["stolen_per_bsr_max"] = int(ended.max())
    if len(data_pdus):
        values |= _trailing(log, ue, data_pdus)
    return values


def _ratio_of_events(window: Window, numerator_ns: np.ndarray, denominator_ns: np.ndarray) -> Estimate:
    """Events per other event, with the interval over blocks of the window."""
    t = np.concatenate([numerator_ns, denominator_ns])
    is_first = np.concatenate([np.ones(len(numerator_ns)), np.zeros(len(denominator_ns))])
    with np.errstate(invalid="ignore", divide="ignore"):
        return within_run(t, np.stack([is_first, 1 - is_first], axis=1), lambda s: s[..., 0] / s[..., 1])


def _pdu_of(rows: pl.DataFrame) -> list[str]:
    """Columns by which rows find the PDU of a UE: where blocks have no numbers, there is one in a sub-frame."""
    return ["tx_ns"] if (rows["block"] == 0).all() else ["tx_ns", "block"]


def _carrying_data(log: RadioLog, ue: int, pdus: pl.DataFrame) -> pl.DataFrame:
    """PDUs that carry RLC data, with the number of packets that end in each."""
    rlc = log.rows("rlc_tx", node=ue).group_by("block", tx_ns="t_ns").agg(ended=(pl.col("aux") & 1).sum())
    return pdus.join(rlc, on=_pdu_of(rlc), how="inner").sort("tx_ns", maintain_order=True)


def _trailing(log: RadioLog, ue: int, data_pdus: pl.DataFrame) -> Values:
    """Trailing BSRs in data PDUs, and grants that came of them."""
    reports = log.rows("bsr_tx", node=ue).filter(pl.col("bytes") > 0).select("block", tx_ns="t_ns").unique()
    t = data_pdus["tx_ns"].to_numpy()
    told = data_pdus.join(reports.with_columns(told=True), on=_pdu_of(reports), how="left", maintain_order="left")
    with_report = told["told"].fill_null(value=False).to_numpy()
    access = data_pdus["access"]
    return {
        "granted_pdus": len(data_pdus),
        "trailing_bsr_share": mean_within_run(t, with_report.astype(float)),
        "trailing_grant_share": mean_within_run(t, (access == "trailing").fill_null(False).to_numpy().astype(float)),
    }


#: Longest SDU whose MAC subheader has a length field of 7 bits. Source: TS 36.321 6.2.1
SHORT_SDU_BYTES = 127


def size_metrics(log: RadioLog, ue: int, lives: pl.DataFrame, pdus: pl.DataFrame) -> Values:
    """Bytes a usual packet needs in a MAC PDU of its own, against what one RAR grants.

    The packet's own size is the most frequent one (an ACK without payload, a
    full segment). What PDCP, RLC and MAC add is measured on PDUs that carry one
    whole packet of that or another size, no BSR, and padding: what is neither
    padding nor packet is headers. Over the whole run, since at a steady pace a
    packet may never be alone.
    """
    values: Values = {}
    grants = log.rows("ra_response", peer=ue)
    if len(grants):
        values["rar_grant_bytes"] = median(grants["bytes"])
    if lives.is_empty():
        return values
    usual = lives.group_by("bytes").len().sort("len", "bytes")["bytes"][-1]
    alone = _packets_alone(log, ue, lives, pdus).filter(
        (pl.col("ip_bytes") > SHORT_SDU_BYTES) == (usual > SHORT_SDU_BYTES)
    )
    headers = median(alone["bytes"].cast(pl.Int64) - alone["padding_bytes"] - alone["ip_bytes"])
    if headers is not None:
        values["mac_bytes"] = usual + headers
    return values


def _packets_alone(log: RadioLog, ue: int, lives: pl.DataFrame, pdus: pl.DataFrame) -> pl.DataFrame:
    """PDUs with exactly one whole packet (`ip_bytes`), no BSR, and padding."""
    reports = log.rows("bsr_tx", node=ue).select("block", tx_ns="t_ns").unique()
    elements = (
        log.rows("rlc_tx", node=ue)
        .group_by("block", tx_ns="t_ns")
        .agg(n=pl.len(), first=pl.struct("pkt", "value").first())
    )
    single = elements.filter(pl.col("n") == 1).unnest("first")
    return (
        pdus.join(single, on=_pdu_of(single))
        .join(lives.select("pkt", ip_bytes=pl.col("bytes").cast(pl.Int64)), on="pkt")
        .filter(pl.col("value").cast(pl.Int64) >= pl.col("ip_bytes"))  # whole, not a part of it
        .join(reports, on=_pdu_of(reports), how="anti")
        .filter(pl.col("padding_bytes") > 0)
    )


def backlog_metrics(log: RadioLog, ue: int, window: Window) -> Values:
    """Time-weighted mean and maximum of a UE's transmission buffer."""
    rows = log.rows("buffer", node=ue)
    before = rows.filter(pl.col("t_ns") <= window.start_ns).tail(1)
    inside = rows.filter((pl.col("t_ns") > window.start_ns) & (pl.col("t_ns") < window.end_ns))
    t = np.concatenate([[window.start_ns], inside["t_ns"].to_numpy(), [window.end_ns]])
    level = np.concatenate([before["bytes"].to_numpy() if len(before) else [0], inside["bytes"].to_numpy()]).astype(
        float
    )
    return {
        "backlog_mean_bytes": float((level * np.diff(t)).sum() / (window.end_ns - window.start_ns)),
        "backlog_max_bytes": int(level.max()),
    }


def drops_by_reason(counts: Mapping[str, int]) -> Values:
    """Metrics of the packets that were dropped for each reason."""
    reasons = (*DROP_REASONS, *(reason for reason in RARE_DROP_REASONS if counts.get(reason, 0)))
    return {f"dropped_{reason}_pkts": counts.get(reason, 0) for reason in reasons}


def cell_metrics(log: RadioLog, reasons: dict[int, str], window: Window) -> Values:
    """Drops by reason and retransmissions (whole run), PDUs and padding by direction, lowest CQI granted.

    Args:
        log: radio.trace.
        reasons: names of the values of `pkt_drop`, from the trace's header.
        window: the window.
    """
    drops = log.rows("pkt_drop")["value"].value_counts()
    counts = {reasons.get(value, str(value)): n for value, n in drops.iter_rows()}
    values: Values = drops_by_reason(counts)
    sent = window.cut(log.rows("mac_tx"), "t_ns")
    for direction in ("ul", "sl", "dl"):
        of = sent.filter(pl.col("dir") == direction)
        for name, event in (("harq", "harq_tx"), ("rlc", "rlc_retx")):
            values[f"{name}_retransmissions_{direction}"] = len(log.rows(event, dir=direction))
        if len(of):
            values[f"pdus_per_s_{direction}"] = len(of) / window.seconds
            values[f"padding_{direction}_share"] = int(of["value"].sum()) / int(of["bytes"].sum())
    cqi = window.cut(log.rows("grant"), "t_ns").filter(pl.col("cqi") > 0)["cqi"]
    alike = len(cqi) and not log.grid.stations  # CQIs of LTE and NR say different things
    values["cqi_min"] = int(cqi.to_numpy().min()) if alike else None
    return values


def control_metrics(stats: dict[str, Any]) -> Values:
    """What the radio daemon counted of control channels and HARQ; of older bundles what they have.

    Args:
        stats: radio.json.
    """
    values: Values = {"control_missed_ttis": stats.get("control_missed"),
                      "radio_link_failures": stats.get("radio_link_failures")}
    for direction in ("ul", "dl"):
        of = stats.get(direction, {})
        sent = of.get("mac_pdus", 0) + of.get("harq_retx", 0)
        values[f"harq_failures_{direction}"] = of.get("harq_failures")
        values[f"harq_retx_{direction}_share"] = of["harq_retx"] / sent if sent else None
    downlink = stats.get("dl", {})
    values["blocks_dl"] = downlink.get("mac_pdus")
    values["block_dl_mean_bytes"] = downlink["mac_bytes"] / downlink["mac_pdus"] if downlink.get("mac_pdus") else None
    return values
