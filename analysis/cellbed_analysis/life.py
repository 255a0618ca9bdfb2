# SPDX-License-Identifier: GPL-2.0-or-later
"""The life of every packet in the radio network, from radio.trace.

A packet enters at a UE, waits for a transmission opportunity, is sent over the
uplink or the sidelink, possibly over the downlink, and leaves at the peer. One
from the network side enters at the eNB and knows the downlink only. For
each packet this finds the transmission that carried its last byte, the grant
behind that transmission, and what the grant answered: a random access (RAC)
request and the BSR that followed it, or a BSR that trailed earlier data.
"""

from __future__ import annotations

import polars as pl

TTI_NS = 1_000_000
ENB = 0
ACCESS = pl.Enum(["request", "stolen", "trailing"])

#: Moments of a packet's life in order; those a packet did not have are null.
MOMENTS = (
    "in_ns",  # enters at the UE
    "queued_ns",  # earlier data no longer stand before it: its own request is next
    "request_ns",  # the UE sends the RAC request that led to the grant
    "rar_ns",  # the eNB answers it with a grant of minimum size
    "bsr_tx_ns",  # the UE sends the BSR that led to the grant
    "bsr_rx_ns",  # the eNB has decoded it
    "grant_ns",  # the eNB grants
    "tx_ns",  # the UE sends the packet's last byte
    "rx_ns",  # the eNB (infrastructure) or the peer (direct) has decoded it
    "dl_tx_ns",  # the eNB sends the packet's last byte in the downlink
    "dl_rx_ns",  # the peer has decoded it
    "out_ns",  # leaves at the peer
)


class RadioLog:
    """radio.trace split by event."""

    def __init__(self, radio: pl.DataFrame) -> None:
        """Split `radio`, radio.trace as `trace.read_trace` gives it."""
        self._by_event = {str(key[0]): frame for key, frame in radio.partition_by("event", as_dict=True).items()}
        self._empty = radio.clear()

    def rows(self, event: str, **equal: int | str) -> pl.DataFrame:
        """Rows of one event whose columns equal the given values, in time order."""
        frame = self._by_event.get(event, self._empty)
        for name, value in equal.items():
            frame = frame.filter(pl.col(name) == value)
        return frame


def packet_lives(log: RadioLog, n_ue: int) -> pl.DataFrame:
    """One row per packet that entered, in order of `pkt`.

    Args:
        log: radio.trace.
        n_ue: UEs are nodes 1..n_ue.

    Returns:
        Columns pkt, node (where it entered, 0 for the network side), tag, bytes,
        direction ("ul", "sl", or "dl" from the network side), access ("request", "stolen", "trailing": how its last
        transmission was obtained), buffer_empty (no earlier packet of its UE
        was waiting when it arrived), and MOMENTS in ns; null where the life
        has no such thing.
    """
    lives = pl.concat([_lives_of_ue(log, ue) for ue in range(1, n_ue + 1)])
    return pl.concat([lives, _lives_of_network(log).match_to_schema(lives.schema)]).sort("pkt")


def _lives_of_network(log: RadioLog) -> pl.DataFrame:
    """Packets that entered at the eNB: the eNB grants itself, so they have no moments before the downlink's."""
    entered = log.rows("pkt_in", node=ENB).select(
        "pkt", "node", "tag", "bytes", "peer", direction="dir", in_ns="t_ns", access=pl.lit(None, ACCESS)
    )
    lives = (
        entered.join(_downlink(log), on="pkt", how="left")
        .join(log.rows("pkt_out", peer=ENB).select("pkt", out_ns="t_ns"), on="pkt", how="left")
        .sort("pkt")
    )
    before = [pl.lit(None, pl.Int64).alias(moment) for moment in MOMENTS if moment not in lives.columns]
    busy_until = pl.col("dl_tx_ns").cum_max().shift(1).over("peer", order_by="pkt").fill_null(-1)
    return lives.with_columns(*before, buffer_empty=busy_until < pl.col("in_ns")).select(
        "pkt", "node", "tag", "bytes", "direction", "access", "buffer_empty", *MOMENTS
    )


def _lives_of_ue(log: RadioLog, ue: int) -> pl.DataFrame:
    pdus = uplink_pdus(log, ue).drop("padding_bytes", "on_rar").rename({"bytes": "pdu_bytes"})
    outs = log.rows("pkt_out", peer=ue).select("pkt", out_ns="t_ns")
    lives = (
        log.rows("pkt_in", node=ue)
        .select("pkt", "node", "tag", "bytes", in_ns="t_ns")
        .join(_endings(log, node=ue).select("pkt", tx_ns="t_ns"), on="pkt", how="left")
        .join(pdus, on="tx_ns", how="left")
        .join(_downlink(log), on="pkt", how="left")
        .join(outs, on="pkt", how="left")
        .sort("pkt")
    )
    busy_until = pl.col("tx_ns").cum_max().shift(1).fill_null(-1)
    return lives.with_columns(buffer_empty=busy_until < pl.col("in_ns")).select(
        "pkt", "node", "tag", "bytes", "direction", "access", "buffer_empty", *MOMENTS
    )


def _endings(log: RadioLog, node: int) -> pl.DataFrame:
    """RLC rows of a node that carry a packet's last byte, one a packet.

    ARQ may send that byte several times: the last time before the packet left counts, since
    what is sent after that is in vain.
    """
    outs = log.rows("pkt_out").select("pkt", left_ns="t_ns")
    return (
        log.rows("rlc_tx", node=node)
        .filter(pl.col("aux") & 1 == 1)
        .join(outs, on="pkt", how="left", maintain_order="left")
        .filter(pl.col("left_ns").is_null() | (pl.col("t_ns") <= pl.col("left_ns")))
        .unique("pkt", keep="last", maintain_order=True)
    )


def _downlink(log: RadioLog) -> pl.DataFrame:
    """pkt, dl_tx_ns, dl_rx_ns of packets that the eNB sent; PDUs of one sub-frame are decoded together."""
    received = log.rows("mac_rx", dir="dl").select("sn", peer="node", dl_rx_ns="t_ns").unique(["sn", "peer"])
    sent = log.rows("mac_tx", node=ENB).select("sn", "peer", dl_tx_ns="t_ns").unique(["dl_tx_ns", "peer"])
    pdus = sent.join(received, on=["sn", "peer"], how="left")
    endings = _endings(log, ENB).select("pkt", "peer", dl_tx_ns="t_ns")
    return endings.join(pdus, on=["dl_tx_ns", "peer"], how="left").select("pkt", "dl_tx_ns", "dl_rx_ns")


def uplink_pdus(log: RadioLog, ue: int) -> pl.DataFrame:
    """One row per MAC PDU that a UE sent, with the grant chain behind it.

    Returns:
        Columns tx_ns, direction, bytes (transport block), padding_bytes, on_rar
        (granted by a random access response), access, rx_ns, grant_ns,
        bsr_rx_ns, bsr_tx_ns, rar_ns, request_ns, queued_ns; null where there
        was none. Access is "stolen" on the grant of a random access response:
        data there take room that was granted for the BSR, which goes with them.
    """
    pdus = _sent(log, ue).join(_granted(log, ue), on="tx_ns", how="left")
    reports = (
        log.rows("bsr_rx", peer=ue)
        .select(rx_ns="t_ns")
        .unique()
        .join(
            pdus.select("rx_ns", bsr_tx_ns="tx_ns", bsr_rar_ns="own_rar_ns").drop_nulls("rx_ns"),
            on="rx_ns",
        )
        .rename({"rx_ns": "bsr_rx_ns"})
        .sort("bsr_rx_ns")
    )
    requests = log.rows("ra_preamble", node=ue).select(request_ns="t_ns").sort("request_ns")
    answered = pdus.sort("own_grant_ns").join_asof(
        reports, left_on="own_grant_ns", right_on="bsr_rx_ns", coalesce=False
    )
    access = (
        pl.when("on_rar").then(pl.lit("stolen"))
        .when(pl.col("bsr_rar_ns").is_not_null()).then(pl.lit("request"))
        .when(pl.col("bsr_rx_ns").is_not_null()).then(pl.lit("trailing"))
    )  # fmt: skip
    return (
        answered.with_columns(
            access=access.cast(ACCESS),
            grant_ns="own_grant_ns",
            bsr_tx_ns=pl.when("on_rar").then("tx_ns").otherwise("bsr_tx_ns"),
            rar_ns=pl.coalesce("own_rar_ns", "bsr_rar_ns"),
        )
        .sort("rar_ns")
        .join_asof(requests, left_on="rar_ns", right_on="request_ns", coalesce=False)
        .with_columns(before_ns=pl.col("request_ns") - 1)
        .sort("before_ns")
        .join_asof(
            pdus.select(served_ns="tx_ns").sort("served_ns"),
            left_on="before_ns",
            right_on="served_ns",
            coalesce=False,
        )
        .with_columns(queued_ns=pl.when(pl.col("request_ns").is_null()).then("bsr_tx_ns").otherwise("served_ns"))
        .drop("own_grant_ns", "own_rar_ns", "bsr_rar_ns", "before_ns", "served_ns")
        .sort("tx_ns")
    )


def _sent(log: RadioLog, ue: int) -> pl.DataFrame:
    """PDUs a UE sent, with the time they were decoded."""
    received = log.rows("mac_rx", peer=ue).filter(pl.col("dir") != "dl")
    return (
        log.rows("mac_tx", node=ue)
        .select(
            "sn",
            "bytes",
            tx_ns="t_ns",
            direction="dir",
            padding_bytes="value",
            on_rar=pl.col("aux") == 1,
        )
        .join(received.select("sn", direction="dir", rx_ns="t_ns"), on=["sn", "direction"], how="left")
        .drop("sn")
    )


def _granted(log: RadioLog, ue: int) -> pl.DataFrame:
    """tx_ns with own_grant_ns or own_rar_ns: when each transmission was granted."""
    due = pl.col("t_ns") + pl.col("value").cast(pl.Int64) * TTI_NS
    none = pl.lit(None, pl.Int64)
    grants = log.rows("grant", peer=ue).filter(pl.col("dir") != "dl")
    answers = log.rows("ra_response", peer=ue)
    return pl.concat(
        [
            grants.select(tx_ns=due, own_grant_ns="t_ns", own_rar_ns=none),
            answers.select(tx_ns=due, own_grant_ns=none, own_rar_ns="t_ns"),
        ]
    )
