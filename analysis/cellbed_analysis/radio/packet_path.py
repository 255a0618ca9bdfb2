# SPDX-License-Identifier: GPL-2.0-or-later
"""The life of every packet in the radio network, from radio.trace.

A packet enters at a UE, waits for a transmission opportunity, is sent over the
uplink or the sidelink, possibly over the downlink, and leaves at the peer. One
from the network side enters at the eNB and knows the downlink only. For
each packet this finds the transport block that carried its last byte, what became
of that block on the air, the grant behind it, and what the grant answered: a random
access (RAC) request and the BSR that followed it, or a BSR that trailed earlier data.
"""

from __future__ import annotations

from functools import cached_property

import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError

from ..stats.ranks import with_rank
from .grid import Grid, grid_of

ENB = 0
ACCESS = pl.Enum(["request", "stolen", "trailing"])

#: Moments of a packet's life in order; those a packet did not have are null.
MOMENTS = (
    "in_ns",  # enters at the UE
    "queued_ns",  # earlier data no longer stand before it: its own request is next
    "request_ns",  # the UE sends the RAC request that led to the grant
    "rar_ns",  # the eNB answers it with a grant of minimum size
    "bsr_tx_ns",  # the UE sends the BSR that led to the grant
    "bsr_tried_ns",  # the eNB has tried to decode it for the first time
    "bsr_rx_ns",  # the eNB has decoded it
    "tdd_ns",  # NR with TDD: it has waited for an uplink slot, as the grant is for no earlier one
    "grant_ns",  # the eNB grants
    "tx_ns",  # the UE sends the packet's last byte
    "tried_ns",  # the eNB (infrastructure) or the peer (direct) has tried to decode its block for the first time
    "harq_ns",  # it has decoded the block, or HARQ gave it up
    "rx_ns",  # it has decoded the last byte, which RLC may have sent again
    "dl_tdd_ns",  # NR with TDD: the first downlink slot begins after it came to the gNB
    "dl_tx_ns",  # the eNB sends the packet's last byte in the downlink
    "dl_tried_ns",  # the same three at the peer
    "dl_harq_ns",
    "dl_rx_ns",
    "turn_ns",  # over a link in place of LTE: it has waited, and is sent
    "there_ns",  # it was sent and is at the other end
    "out_ns",  # leaves at the peer
)
#: Those that links have.
OF_LINKS = ("turn_ns", "there_ns")
DOWNLINK = ("dl_tx_ns", "dl_tried_ns", "dl_harq_ns", "dl_rx_ns")
#: What a packet has of its second crossing, from one UE to another by way of the core network.
SECOND_CROSSING = ("dl_tdd_ns", *DOWNLINK, "there_ns", "out_ns")


class RadioLog:
    """radio.trace split by event."""

    def __init__(self, radio: pl.DataFrame, grid: Grid | None = None) -> None:
        """Split `radio`, radio.trace as `trace.read_trace` gives it.

        Args:
            grid: of the network; None: that of LTE.
        """
        self.grid = Grid() if grid is None else grid
        self._numbered = "block" in radio.columns
        if not self._numbered:
            radio = radio.with_columns(block=pl.lit(0, pl.UInt32))
        self._by_event = {str(key[0]): frame for key, frame in radio.partition_by("event", as_dict=True).items()}
        self._empty = radio.clear()
        self.pdus: dict[int, pl.DataFrame] = {}  # `uplink_pdus` by UE

    def rows(self, event: str, **equal: int | str) -> pl.DataFrame:
        """Rows of one event whose columns equal the given values, in time order."""
        frame = self._by_event.get(event, self._empty)
        for name, value in equal.items():
            frame = frame.filter(pl.col(name) == value)
        return frame

    def apart(self) -> list[RadioLog]:
        """A log for each MAC entity of UEs: with PDCP duplication and with EN-DC there are two, which ask and send by
        themselves."""
        if not self.grid.stations and self.rows("pdcp_copy").is_empty():
            return [self]
        radio = pl.concat(self._by_event.values()).sort("t_ns", maintain_order=True)
        return [RadioLog(cell, self._grid_at(int(enb)))
                for (enb,), cell in radio.partition_by("enb", as_dict=True, maintain_order=True).items()]

    def _grid_at(self, enb: int) -> Grid:
        return self.grid.stations[enb] if self.grid.stations else self.grid

    @cached_property
    def zero_ns(self) -> int:
        """When TTI 0 began, by the first block on the air; 0 without any."""
        first = self.rows("mac_tx").head(1)
        if first.is_empty():
            return 0
        grid = self._grid_at(int(first["enb"][0])) if self.grid.stations else self.grid
        return int(first["t_ns"][0]) - int(first["sn"][0]) * grid.tti_ns

    @cached_property
    def span_ns(self) -> tuple[int, int]:
        """Times of the first and the last row; 0 without any."""
        times = [(int(rows["t_ns"][0]), int(rows["t_ns"][-1])) for rows in self._by_event.values()]
        return min(first for first, _ in times or [(0, 0)]), max(last for _, last in times or [(0, 0)])

    @cached_property
    def blocks(self) -> pl.DataFrame:
        """One row per transport block whose fate is known: block, tried_ns, harq_ns, rx_ns (null: lost) as in MOMENTS.

        Raises:
            DataError: a trace from before blocks had numbers.
        """
        ended = pl.concat([self.rows("mac_rx"), self.rows("mac_lost")])
        if len(ended) and not self._numbered:
            raise DataError("radio.trace has no field 'block', as of older versions: execute the run again")
        first = self.rows("harq_nack", value=1).select("block", nack_ns="t_ns")
        return (
            ended.filter(pl.col("block") > 0)
            .join(first, on="block", how="left")
            .select(
                "block",
                tried_ns=pl.coalesce("nack_ns", "t_ns"),
                harq_ns="t_ns",
                rx_ns=pl.when(pl.col("event") == "mac_rx").then("t_ns"),
            )
        )


def radio_log(bundle: Bundle) -> RadioLog:
    """The log of a run's radio network, which is split once."""
    if "radio_log" not in bundle.made:
        bundle.made["radio_log"] = RadioLog(bundle.radio, grid_of(bundle))
    log: RadioLog = bundle.made["radio_log"]
    return log


def packet_paths(log: RadioLog, n_ue: int) -> pl.DataFrame:
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
    downlink = _downlink(log)
    lives = pl.concat([_lives_of_ue(log, ue, downlink) for ue in range(1, n_ue + 1)])
    return pl.concat([lives, _lives_of_network(log, downlink).match_to_schema(lives.schema)]).sort("pkt")


def both_crossings(lives: pl.DataFrame, pkts: pl.DataFrame) -> pl.DataFrame:
    """Lives of packets from one UE to another, with the downlink where the core network sends them back as others.

    Args:
        lives: of `packet_paths`.
        pkts: pkt of the packets wanted, and last_pkt, the same packet on its last crossing; null: it never got there.

    Returns:
        Rows of `lives` by pkt; SECOND_CROSSING are those of last_pkt.
    """
    twice = pkts.filter(pl.col("pkt").ne_missing(pl.col("last_pkt"))).select("pkt", "last_pkt")
    last = twice.join(lives.select("pkt", *SECOND_CROSSING), left_on="last_pkt", right_on="pkt", how="left")
    own = lives.filter(pl.col("pkt").is_in(pkts["pkt"].implode()))
    return own.update(last.drop("last_pkt"), on="pkt", how="left", include_nulls=True)


def _lives_of_network(log: RadioLog, downlink: pl.DataFrame) -> pl.DataFrame:
    """Packets that entered at the eNB: the eNB grants itself, so they have no moments before the downlink's."""
    entered = log.rows("pkt_in", node=ENB).select(
        "pkt", "node", "tag", "bytes", "peer", direction="dir", in_ns="t_ns", access=pl.lit(None, ACCESS)
    )
    lives = (
        entered.join(downlink, on="pkt", how="left")
        .join(log.rows("pkt_out", peer=ENB).select("pkt", out_ns="t_ns"), on="pkt", how="left")
        .sort("pkt")
    )
    if log.grid.tdd:
        open_ns = pl.Series(log.grid.next_downlink_ns(lives["in_ns"].to_numpy(), log.zero_ns), dtype=pl.Int64)
        lives = lives.with_columns(dl_tdd_ns=pl.min_horizontal(open_ns, "dl_tx_ns", "out_ns"))
    before = [pl.lit(None, pl.Int64).alias(moment) for moment in MOMENTS if moment not in lives.columns]
    busy_until = pl.col("dl_tx_ns").cum_max().shift(1).over("peer", order_by="pkt").fill_null(-1)
    return lives.with_columns(*before, buffer_empty=busy_until < pl.col("in_ns")).select(
        "pkt", "node", "tag", "bytes", "direction", "access", "buffer_empty", *MOMENTS
    )


def _lives_of_ue(log: RadioLog, ue: int, downlink: pl.DataFrame) -> pl.DataFrame:
    granted = pl.concat([uplink_pdus(cell, ue) for cell in log.apart()]).select(
        "block", "direction", "access", "queued_ns", "request_ns", "rar_ns", "bsr_tx_ns", "bsr_tried_ns", "bsr_rx_ns",
        "grant_ns", "tdd_ns",
    )  # fmt: skip
    outs = log.rows("pkt_out", peer=ue).select("pkt", out_ns="t_ns")
    lives = (
        log.rows("pkt_in", node=ue)
        .select("pkt", "node", "tag", "bytes", in_ns="t_ns")
        .join(_carried(log, ue).drop("peer"), on="pkt", how="left")
        .join(granted, on="block", how="left")
        .join(downlink, on="pkt", how="left")
        .join(outs, on="pkt", how="left")
        .sort("pkt")
    )
    # A mode switch may take a packet back from the eNB, to be sent directly.
    direct = (pl.col("direction") == "sl").fill_null(value=False)
    lives = lives.with_columns(
        *(pl.when(~direct).then(pl.col(moment)).alias(moment) for moment in DOWNLINK),
        *(pl.lit(None, pl.Int64).alias(moment) for moment in ("dl_tdd_ns", *OF_LINKS)),
    )
    busy_until = pl.col("tx_ns").cum_max().shift(1).fill_null(-1)
    return lives.with_columns(buffer_empty=busy_until < pl.col("in_ns")).select(
        "pkt", "node", "tag", "bytes", "direction", "access", "buffer_empty", *MOMENTS
    )


def _endings(log: RadioLog, node: int) -> pl.DataFrame:
    """RLC rows of a node that carry a packet's last byte for the first time, one a packet.

    After RLC began again it sends that byte once more: the last time before the packet left counts, since
    what is sent after that is needless. Of two copies of a packet, by PDCP duplication, the one that was delivered
    counts.
    """
    copies = log.rows("pdcp_copy").select("pkt", "dir", "lcid")
    outs = log.rows("pkt_out").select("pkt", left_ns="t_ns")
    return (
        log.rows("rlc_tx", node=node)
        .filter(pl.col("aux") & 1 == 1)
        .join(copies, on=["pkt", "dir", "lcid"], how="anti", maintain_order="left")
        .join(outs, on="pkt", how="left", maintain_order="left")
        .filter(pl.col("left_ns").is_null() | (pl.col("t_ns") <= pl.col("left_ns")))
        .unique("pkt", keep="last", maintain_order=True)
    )


def _carried(log: RadioLog, node: int) -> pl.DataFrame:
    """What became of the last byte of each packet that a node sent.

    Returns:
        Columns pkt, peer, block (0 where the trace numbers none), tx_ns, tried_ns, harq_ns and rx_ns as in
        MOMENTS. RLC may send the byte again while HARQ still tries: what is decoded first counts.
    """
    blocks, endings = log.blocks, _endings(log, node)
    again = (
        _retransmitted(log, node, endings)
        .join(blocks.select("block", again_ns="rx_ns"), on="block")
        .group_by("pkt")
        .agg(pl.col("again_ns").min())
    )
    return (
        endings.select("pkt", "peer", "block", tx_ns="t_ns")
        .join(blocks, on="block", how="left")
        .join(again, on="pkt", how="left")
        .with_columns(rx_ns=pl.min_horizontal("rx_ns", "again_ns"))
        .select("pkt", "peer", "block", "tx_ns", "tried_ns", pl.min_horizontal("harq_ns", "rx_ns"), "rx_ns")
    )


def _retransmitted(log: RadioLog, node: int, endings: pl.DataFrame) -> pl.DataFrame:
    """pkt and block of every RLC retransmission by a node that has a packet's last byte.

    A PDU is sent again whole or in segments: from byte `value` on, `bytes` long with its header. Whether a
    segment reaches the last byte follows from its header, which grows by 12 bits for every SDU that ends before.
    SNs are those of a logical channel: several bearers of a UE count apart.

    Source: TS 36.322 6.2.1.5
    """
    again = log.rows("rlc_retx", node=node).with_row_index("again")
    if again.is_empty():
        return again.select("pkt", "block")
    if log.grid.stations:
        cells = [(cell, cell.rows("rlc_tx", node=node)["block"].unique()) for cell in log.apart()]
        return pl.concat([_retransmitted(cell, node, endings.filter(pl.col("block").is_in(blocks.implode())))
                          for cell, blocks in cells])
    if log.grid.nr:
        return _retransmitted_in_nr(log, node, endings)
    sent = log.rows("rlc_tx", node=node).with_columns(end=pl.col("value").cum_sum().over("block", "lcid", "sn"))
    pdus = sent.unique(["block", "lcid", "sn"], keep="first", maintain_order=True)
    return (
        again.select("again", "t_ns", "peer", "dir", "lcid", "sn", "bytes", so="value", again_block="block")
        .join_asof(
            pdus.select("t_ns", "peer", "dir", "lcid", "sn", "block", pdu_bytes="bytes"),
            on="t_ns", by=["peer", "dir", "lcid", "sn"], check_sortedness=False,
        )
        .join(sent.select("block", "lcid", "sn", "pkt", "end", ends=pl.col("aux") & 1 == 1), on=["block", "lcid", "sn"])
        .filter(pl.col("end") > pl.col("so"))
        .with_columns(before=pl.int_range(pl.len()).over("again", order_by="end"))
        .with_columns(header=4 + (3 * pl.col("before") + 1) // 2)
        .filter(
            (pl.col("so") == 0) & (pl.col("bytes") == pl.col("pdu_bytes"))
            | (pl.col("bytes").cast(pl.Int64) >= pl.col("header") + pl.col("end") - pl.col("so"))
        )
        .filter("ends")
        .join(endings.select("pkt", "block", "lcid", "sn"), on=["pkt", "block", "lcid", "sn"], how="semi")
        .select("pkt", block="again_block")
    )  # fmt: skip


def _retransmitted_in_nr(log: RadioLog, node: int, endings: pl.DataFrame) -> pl.DataFrame:
    """The same for NR, where a PDU has bytes of one SDU only, and each SDU has its SN.

    A header with a segment offset is two octets longer than one without. Source: TS 38.322 6.2.2.4
    """
    channel = ["peer", "dir", "lcid"]
    sent = log.rows("rlc_tx", node=node)
    sdus = sent.group_by("pkt", *channel).agg(sdu_bytes=pl.col("value").sum())
    headers = sent.group_by(channel).agg(header=(pl.col("bytes").cast(pl.Int64) - pl.col("value")).min())
    again = log.rows("rlc_retx", node=node).select("t_ns", *channel, "sn", "bytes", so="value", again_block="block")
    return (
        again.join_asof(endings.select("t_ns", *channel, "sn", "pkt"), on="t_ns", by=[*channel, "sn"],
                        check_sortedness=False)
        .join(sdus, on=["pkt", *channel])
        .join(headers, on=channel)
        .filter(pl.col("so") + pl.col("bytes") - pl.col("header") - 2 * (pl.col("so") > 0) >= pl.col("sdu_bytes"))
        .select("pkt", block="again_block")
    )


def _downlink(log: RadioLog) -> pl.DataFrame:
    """pkt and DOWNLINK of packets that the eNB sent."""
    return _carried(log, ENB).select("pkt", **{moment: moment.removeprefix("dl_") for moment in DOWNLINK})


def uplink_pdus(log: RadioLog, ue: int) -> pl.DataFrame:
    """One row per MAC PDU that a UE sent, with the grant chain behind it.

    Returns:
        Columns block, tx_ns, direction, bytes (transport block), padding_bytes, on_rar
        (granted by a random access response or in answer to a scheduling request), access, rx_ns, tdd_ns, grant_ns,
        bsr_rx_ns, bsr_tried_ns, bsr_tx_ns, rar_ns, request_ns, queued_ns; null where there
        was none. Access is "stolen" on such a grant: data there take room that was granted for the BSR, which goes
        with them.
    """
    if ue not in log.pdus:
        log.pdus[ue] = _uplink_pdus(log, ue)
    return log.pdus[ue]


def _uplink_pdus(log: RadioLog, ue: int) -> pl.DataFrame:
    pdus = _of_carriers(_sent(log, ue)).join(_of_carriers(_granted(log, ue)), on=["tx_ns", "carrier"], how="left")
    pdus = pdus.drop("carrier")
    pdus = pdus.with_columns(on_rar=pl.col("on_rar") | pl.col("own_rar_ns").is_not_null())
    reports = (
        log.rows("bsr_rx", peer=ue)
        .select("block", bsr_rx_ns="t_ns")
        .unique()
        .join(pdus.select("block", bsr_tx_ns="tx_ns", bsr_tried_ns="tried_ns", bsr_rar_ns="own_rar_ns"), on="block")
        .drop("block")
        .sort("bsr_rx_ns")
    )
    requests = _requests(log, ue).select(request_ns="t_ns").sort("request_ns")
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
            tdd_ns=_waited_until(log),
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
        .drop("own_grant_ns", "own_rar_ns", "bsr_rar_ns", "before_ns", "served_ns", "tried_ns")
        .sort("tx_ns")
    )


def _of_carriers(frame: pl.DataFrame) -> pl.DataFrame:
    """PDUs or grants of a sub-frame are those of its carriers in turn."""
    return with_rank(frame, "carrier", ["tx_ns"])


def _sent(log: RadioLog, ue: int) -> pl.DataFrame:
    """PDUs a UE sent, with the times at which they were tried and decoded."""
    return (
        log.rows("mac_tx", node=ue)
        .select(
            "block",
            "bytes",
            tx_ns="t_ns",
            direction="dir",
            padding_bytes="value",
            on_rar=pl.col("aux") == 1,
        )
        .join(log.blocks.select("block", "tried_ns", "rx_ns"), on="block", how="left")
    )


def _waited_until(log: RadioLog) -> pl.Expr:
    """tdd_ns of PDUs whose grant followed from a BSR; null without TDD."""
    if not log.grid.tdd:
        return pl.lit(None, pl.Int64)

    def waited(known: pl.Series) -> pl.Series:
        return pl.Series(log.grid.uplink_wait_ns(known.fill_null(0).to_numpy(), log.zero_ns), dtype=pl.Int64)

    late_ns = pl.col("bsr_rx_ns") + pl.col("bsr_rx_ns").map_batches(waited, return_dtype=pl.Int64)
    return pl.when(pl.col("own_grant_ns") >= pl.col("bsr_rx_ns")).then(pl.min_horizontal("own_grant_ns", late_ns))


def _requests(log: RadioLog, ue: int) -> pl.DataFrame:
    """Rows of a UE's requests for a grant: preambles, and of scheduling requests of NR the first one of each series."""
    return pl.concat([log.rows("ra_preamble", node=ue), log.rows("sr", node=ue, value=1)]).sort("t_ns")


def _granted(log: RadioLog, ue: int) -> pl.DataFrame:
    """tx_ns with own_grant_ns or own_rar_ns: when each transmission was granted, and whether a request asked for it."""
    due = pl.col("t_ns") + pl.col("value").cast(pl.Int64) * log.grid.tti_ns
    none = pl.lit(None, pl.Int64)
    grants = log.rows("grant", peer=ue).filter(pl.col("dir") != "dl")
    asked = _answers_request(log, ue, grants)
    answers = log.rows("ra_response", peer=ue)
    return pl.concat(
        [
            grants.filter(~asked).select(tx_ns=due, own_grant_ns="t_ns", own_rar_ns=none),
            pl.concat([answers, grants.filter(asked)]).select(tx_ns=due, own_grant_ns=none, own_rar_ns="t_ns"),
        ]
    )


def _answers_request(log: RadioLog, ue: int, grants: pl.DataFrame) -> pl.Series:
    """Of each grant whether it answers a scheduling request: the first one after it, unless a BSR came between."""
    requests = log.rows("sr", node=ue)["t_ns"].sort()
    if grants.is_empty() or requests.is_empty():
        return pl.Series([False] * len(grants), dtype=pl.Boolean)
    at = grants["t_ns"]
    told = pl.concat([at, log.rows("bsr_rx", peer=ue)["t_ns"]]).sort()
    last_request = requests.search_sorted(at, "right")
    before = told.search_sorted(at, "left")
    asked_ns = pl.Series([-1, *requests]).gather(last_request)
    told_ns = pl.Series([-1, *told]).gather(before)
    return (asked_ns > told_ns).alias("asked")
