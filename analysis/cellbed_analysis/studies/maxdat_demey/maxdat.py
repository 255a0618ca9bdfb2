# SPDX-License-Identifier: GPL-2.0-or-later
"""How often RLC should send a PDU, maxDAT: the closed form of De Mey, Schumacher and Dubois.

A segment of N PDUs is lost when one of them is lost maxDAT times. What RLC repairs adds
to the RTT, what it gives up is a loss for TCP: Padhye's throughput of both is the answer.
Functions take arrays of BLER and maxDAT that broadcast; times are in s, rates in bit/s.

What the paper does not specify or contradicts, and what its printed numbers say about it:

- Symbols of (9) to (11). (3) makes p the success of a segment; in (9), (10) and (11) p has
  to be its loss and 1 - p its success, as in Padhye, where they come from. Taken with p of
  (3), (9) gives less than 1 bit/s where the paper reads 115 kbit/s. Here they take the loss.
- Segment size: printed nowhere. RTT_Wired is (within 1.4 %) what a window of 20 segments
  of 1040 bytes takes at the downlink rate: 5.2, 1.3 and 0.433 s; so it holds the queue at the
  RNC, not a wired network. 1040 bytes are ns-2's 1000 and 40 of headers; N = 26.
- Throughput counts whole segments: 115 kbit/s times 1.4 s are 161 kbit. (9) times RTT gives
  160 with 1040 bytes, 154 with 1000. So 1.4 s stands for 1.39. Without losses W_MAX / RTT is
  129.7 kbit/s, more than the link has: (9) knows no capacity. Nor do 115 kbit/s fit the
  link: with 15 % of its PDUs lost it carries 108.8. They look like the closed form's.
- RTT_RLC on the right of (5) and (8), T_Polling and T_0: printed nowhere. By (8), 1.384 to
  1.396 s (what 115 kbit/s leave) need 2.02 RTT_RLC + 0.58 T_Polling = 42 to 54 ms, 1.35 to
  1.45 s need 8 to 108 ms. With our 20 and 85 ms that is 90 ms: 1.43 s and 111.6 kbit/s; with
  (8) mended as below 1.388 s and 115.1 kbit/s. One pair of numbers and two free values: that
  these agree does not show that the authors mended (8).
- "Division by 8" is the loss alone: halving maxDAT from 6 divides (9) by 7.2, 7.7, 8.2 and 8.6
  for T_0 of 1, 2, 3 and 4 RTT.
- (9) is Padhye's branch for a window at its limit, used for every loss. Above a loss of
  0.36 % Padhye's mean window is below 20 and his other branch holds: `own_window`.
- P_i of (7) is the probability of i retransmissions (as before (7)), not "after i attempts".
  With maxDAT transmissions there are at most maxDAT - 1 of them, yet the sums of (8) run to
  maxDAT, counting segments that are lost. They begin with 1, so a segment that needs no
  retransmission adds nothing, as RTT_Wired wants; but those that need some pay the TTIs of
  the first transmission (j = 0) again. [x] rounds down, by which the retransmission of
  fewer than r PDUs takes no time. The sums are not divided by the probability of success.
  `as_printed=False` mends all four.
- Zero throughput (maxDAT below Ret_A) cannot be in Table II: it would be a mismatch of 100 %
  of the model, and no percentage of a measured zero; its maximum is 74.43 %.

Source: DeMey 2005 section III
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import polars as pl

from . import demey

#: Packets per ACK that the coefficients of (9) stand for: delayed ACKs. Source: Padhye 2000 section V
PACKETS_PER_ACK = 2
#: Share of the highest throughput at which there is some (Ret_A). A line of 1 % lies on the axis of Figure 5.
SHOWN = 0.01
#: Share of the highest throughput that counts as all of it (Ret_B). The paper takes 6 at BLER 0.15,
#: which has 96 %; 5 has 79 %.
PLATEAU = 0.95
#: (7) below this adds nothing to a sum.
NEGLIGIBLE = 1e-15


@dataclass(frozen=True)
class Session:
    """A download over one bearer.

    Attributes:
        rate_bps: downlink.
        rtt_wired_s: RTT without errors on the air.
        segment_bytes: with headers; not printed, see above.
        pdu_bytes, tti_s, w_max: of the paper.
        rtt_rlc_s: round trip of RLC. Not printed; a TTI there and one back, the least there can be.
        t_polling_s: not printed. Source: EURANE poll_timeout_
        t0_rtts: T_0 in RTTs. Not printed; SRTT + 4 RTTVAR after one sample. Source: RFC 6298 section 2.2

    Source: DeMey 2005 Table I
    """

    rate_bps: float
    rtt_wired_s: float
    segment_bytes: int = 1040
    pdu_bytes: int = demey.PDU_BYTES
    tti_s: float = demey.TTI_MS / 1000
    w_max: int = demey.W_MAX
    rtt_rlc_s: float = 2 * demey.TTI_MS / 1000
    t_polling_s: float = 0.085
    t0_rtts: float = 3.0

    @property
    def pdus(self) -> int:
        """N of a segment."""
        return pdus(self.segment_bytes, self.pdu_bytes)

    @property
    def pdus_per_tti(self) -> float:
        """PDUs that the rate allows in a TTI, r."""
        return self.rate_bps * self.tti_s / (8 * self.pdu_bytes)


def session(rate_bps: float, **other: Any) -> Session:
    """The session of a rate: RTT_Wired of Table I, or the time a window takes at a rate that is not there.

    Args:
        rate_bps: downlink.
        other: attributes of `Session` that differ.
    """
    printed = demey.RTT_WIRED_S.get(int(rate_bps / 1000)) if rate_bps % 1000 == 0 else None
    draining = Session(rate_bps, 0.0)
    drain_s = 8 * draining.w_max * draining.segment_bytes / rate_bps
    return Session(rate_bps, **({"rtt_wired_s": float(printed) if printed else drain_s} | other))


def pdus(segment_bytes: int, pdu_bytes: int) -> int:
    """N: RLC PDUs of a segment. Source: DeMey 2005 equation 1"""
    return ceil(segment_bytes / pdu_bytes)


def pdu_success(bler: Any, maxdat: Any) -> np.ndarray:
    """Probability that one of maxDAT transmissions arrives. Source: DeMey 2005 equation 2"""
    return 1 - np.power(np.asarray(bler, dtype=float), maxdat)


def segment_success(bler: Any, maxdat: Any, n: int) -> np.ndarray:
    """Probability that all N PDUs arrive: p of (3). Source: DeMey 2005 equation 3"""
    return pdu_success(bler, maxdat) ** n


def segment_loss(bler: Any, maxdat: Any, n: int) -> np.ndarray:
    """1 - `segment_success`, exact where it is small: p of (9) to (11)."""
    with np.errstate(divide="ignore"):
        return -np.expm1(n * np.log1p(-np.power(np.asarray(bler, dtype=float), maxdat)))


def rtt_tcp(bler: Any, maxdat: Any, of: Session, as_printed: bool = True) -> np.ndarray:
    """The whole RTT in s. Source: DeMey 2005 equation 4"""
    return rtt_rlc(bler, maxdat, of, as_printed) + of.rtt_wired_s


def status_loss(bler: Any) -> np.ndarray:
    """e: probability that a status report fails, with its poll. Source: DeMey 2005 equation 6"""
    return 1 - (1 - np.asarray(bler, dtype=float)) ** 2


def retransmissions(bler: Any, i: Any, n: int) -> np.ndarray:
    """P_i: probability that N PDUs need exactly i rounds of retransmission. Source: DeMey 2005 equation 7"""
    return segment_success(bler, np.asarray(i) + 1, n) - segment_success(bler, i, n)


def rtt_rlc(bler: Any, maxdat: Any, of: Session, as_printed: bool = True) -> np.ndarray:
    """What RLC adds to the RTT in s, sending at most maxDAT times.

    Args:
        bler, maxdat: arrays that broadcast.
        of: the session.
        as_printed: otherwise with i up to maxDAT - 1, of segments that arrive, TTIs rounded up
            and without those of the first transmission.

    Source: DeMey 2005 equation 8
    """
    b, m = np.broadcast_arrays(np.asarray(bler, dtype=float), np.asarray(maxdat, dtype=int))
    e = status_loss(b)
    trips, some, ttis = _sums(b, m if as_printed else m - 1, of, as_printed)
    with np.errstate(divide="ignore", invalid="ignore"):
        waits = np.where(e < 1, e * (1 - e ** (m - 1)) / (1 - e), m - 1) - (m - 1) * e**m
        added = (
            of.rtt_rlc_s / 2 * (2 - e**m) * trips
            + of.rtt_rlc_s / 2 * some
            + of.t_polling_s * waits * trips
            + of.tti_s * ttis
        )
        return added if as_printed else added / segment_success(b, m, of.pdus)


def _sums(b: np.ndarray, last: Any, of: Session, as_printed: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums of i P_i, P_i and P_i times the TTIs of rounds up to i, from i = 1 to `last`."""
    whole = np.floor if as_printed else np.ceil
    trips, some, ttis = (np.zeros(np.broadcast(b, last).shape) for _ in range(3))
    # Adding and taking off 1e-9 forgives the float's own error at whole numbers.
    nudge = 1e-9 if as_printed else -1e-9
    rounds = whole(of.pdus / of.pdus_per_tti + nudge) * np.ones_like(b) if as_printed else np.zeros_like(b)
    for i in range(1, int(np.max(last)) + 1):
        rounds = rounds + whole(b**i * of.pdus / of.pdus_per_tti + nudge)
        p = np.where(i <= np.asarray(last), retransmissions(b, i, of.pdus), 0.0)
        trips, some, ttis = trips + i * p, some + p, ttis + p * rounds
    return trips, some, ttis


def throughput(bler: Any, maxdat: Any, of: Session, as_printed: bool = True, own_window: bool = False) -> np.ndarray:
    """Throughput in bit/s, headers included.

    Args:
        bler, maxdat: arrays that broadcast.
        of: the session.
        as_printed: see `rtt_rlc`.
        own_window: see `segments_per_s`.
    """
    rtt_s = rtt_tcp(bler, maxdat, of, as_printed)
    loss = segment_loss(bler, maxdat, of.pdus)
    return 8 * of.segment_bytes * segments_per_s(loss, rtt_s, of.t0_rtts * rtt_s, of.w_max, own_window)


def segments_per_s(loss: Any, rtt_s: Any, t0_s: Any, w_max: int, own_window: bool = False) -> np.ndarray:
    """Segments that arrive per second; multiplied out so that a loss of 0 gives W_MAX / RTT, and 1 nothing.

    Args:
        loss: of a segment; p of (9), see above.
        rtt_s, t0_s: RTT and retransmission timer.
        w_max: largest window in segments.
        own_window: where the mean window of this loss is below `w_max`, take Padhye's branch for it.

    Source: DeMey 2005 equation 9; Padhye 2000 section V
    """
    p, rtt, t0 = (np.asarray(value, dtype=float) for value in (loss, rtt_s, t0_s))
    arrives = 1 - p
    q = timeout_share(p, w_max)
    received = arrives + p * (w_max / 2 + q)
    rounds = rtt * (p * w_max / 4 + arrives / w_max + 2 * p)
    with np.errstate(divide="ignore", invalid="ignore"):
        limited = arrives * received / (arrives * rounds + p * q * backoff(p) * t0)
        if not own_window:
            return limited
        w = np.maximum(mean_window(p), 1.0)
        q = timeout_share(p, w)
        received = arrives + p * (w / 2 + q)
        free = arrives * received / (arrives * rtt * p * (w + 1) + p * q * backoff(p) * t0)
        return np.where(w < w_max, free, limited)


def mean_window(loss: Any) -> np.ndarray:
    """Mean window in segments that a loss leaves, were there no limit. Source: Padhye 2000 equation 13"""
    p = np.asarray(loss, dtype=float)
    b = PACKETS_PER_ACK
    first = (2 + b) / (3 * b)
    with np.errstate(divide="ignore"):
        return first + np.sqrt(8 * (1 - p) / (3 * b * p) + first**2)


def timeout_share(loss: Any, w: Any) -> np.ndarray:
    """Q: share of losses that end in a timeout; 3 / W without losses. Source: DeMey 2005 equation 10"""
    p, w = np.broadcast_arrays(np.asarray(loss, dtype=float), np.asarray(w, dtype=float))
    arrives = 1 - p

    def any_of(k: Any) -> np.ndarray:
        """1 - (1 - p)^k, exact where p is small."""
        return -np.expm1(k * np.log1p(-np.minimum(p, 1 - 1e-16)))

    with np.errstate(divide="ignore", invalid="ignore"):
        share = any_of(3) * (1 + arrives**3 * any_of(w - 3)) / any_of(w)
        return np.minimum(1.0, np.where(p > 0, share, 3 / w))


def backoff(loss: Any) -> np.ndarray:
    """G: timeouts in a row, each twice as long, up to 64 T_0. Source: DeMey 2005 equation 11"""
    p = np.asarray(loss, dtype=float)
    return np.asarray(1 + sum(2.0 ** (i - 1) * p**i for i in range(1, 7)))


def maxdats() -> np.ndarray:
    """All maxDAT of Table I, 1 to 12."""
    return np.arange(demey.MAXDAT[0], demey.MAXDAT[1] + 1)


def limits(bler: Any, of: Session, as_printed: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Ret_A and Ret_B: the smallest maxDAT of 1 to 12 with any throughput, and with all of it.

    Shares of the highest throughput that the BLER allows, `SHOWN` and `PLATEAU`: the paper reads both off
    curves, and in the model no throughput is ever 0.

    Args:
        bler: (n,) array or a number.
        of: the session.
        as_printed: see `rtt_rlc`.

    Source: DeMey 2005 section V
    """
    rates = throughput(np.asarray(bler, dtype=float)[..., None], maxdats(), of, as_printed)
    share = rates / rates.max(axis=-1, keepdims=True)
    first = [maxdats()[(share >= level).argmax(axis=-1)] for level in (SHOWN, PLATEAU)]
    return first[0], first[1]


def propose(
    bler: float,
    of: Session,
    max_rtt_s: float | None = None,
    min_throughput_bps: float | None = None,
    as_printed: bool = True,
) -> int:
    """A maxDAT of 1 to 12 for a goal. RTT and throughput both grow with it.

    For a throughput the smallest that reaches it, which has the shortest RTT. Otherwise, of those within the
    RTT, the smallest with `PLATEAU` of the throughput that they allow: without a goal that is Ret_B.

    Args:
        bler, of: the case.
        max_rtt_s, min_throughput_bps: goals; both may be given.
        as_printed: see `rtt_rlc`.

    Raises:
        ValueError: none meets the goals; the text says what is possible.
    """
    every = maxdats()
    rtt_s, rates = rtt_tcp(bler, every, of, as_printed), throughput(bler, every, of, as_printed)
    within = rtt_s <= (np.inf if max_rtt_s is None else max_rtt_s)
    if not within.any():
        raise ValueError(f"no maxDAT keeps the RTT within {max_rtt_s:g} s: the shortest is {rtt_s.min():.3f} s")
    best_bps = rates[within].max()
    if min_throughput_bps is None:
        return int(every[within & (rates >= PLATEAU * best_bps)][0])
    enough = within & (rates >= min_throughput_bps)
    if not enough.any():
        wanted = f"no maxDAT gives {min_throughput_bps / 1000:g} kbit/s"
        limit = "" if max_rtt_s is None else f" within {max_rtt_s:g} s"
        raise ValueError(f"{wanted}{limit}: the most is {best_bps / 1000:.1f} kbit/s")
    return int(every[enough][0])


def table(bler: Sequence[float], of: Session, as_printed: bool = True) -> pl.DataFrame:
    """The surfaces as rows: rate (bit/s), bler, maxdat, rtt (s), throughput (bit/s).

    Args:
        bler: values.
        of: the session.
        as_printed: see `rtt_rlc`.
    """
    b, m = (grid.ravel() for grid in np.meshgrid(np.asarray(bler, dtype=float), maxdats(), indexing="ij"))
    return pl.DataFrame(
        {"rate": np.full(len(b), of.rate_bps), "bler": b, "maxdat": m, "rtt": rtt_tcp(b, m, of, as_printed),
         "throughput": throughput(b, m, of, as_printed)}
    )  # fmt: skip


def mismatch(
    measured: pl.DataFrame, quantity: str, sessions: Sequence[Session] | None = None, as_printed: bool = True
) -> pl.DataFrame:
    """Table II for measurements: |model - measured| / measured, per rate.

    Cells without a value, or with 0, are left out, and of the RTT those below Ret_A: the "uncertainty area".
    What the paper divides by is not printed.

    Args:
        measured: rate (bit/s), bler, maxdat, value; RTTs in s or throughputs in bit/s.
        quantity: "rtt" or "throughput".
        sessions: of rates that differ from Table I.
        as_printed: see `rtt_rlc`.

    Returns:
        rate, cells, mean_percent, max_percent, and bler and maxdat of the cell with the largest, by rate; no row for
        a rate without a cell.

    Raises:
        ValueError: another quantity.

    Source: DeMey 2005 Table II
    """
    if quantity not in ("rtt", "throughput"):
        raise ValueError(f"quantity {quantity}: rtt or throughput")
    known = {float(of.rate_bps): of for of in sessions or ()}
    rows: list[tuple[float, int, float, float, float, int]] = []
    usable = measured.filter(pl.col("value").is_not_null() & pl.col("value").is_not_nan() & (pl.col("value") != 0))
    for rate in usable["rate"].unique().sort().to_list():
        of = known.get(float(rate)) or session(rate)
        cells = usable.filter(pl.col("rate") == rate)
        b, m, value = (cells[name].to_numpy() for name in ("bler", "maxdat", "value"))
        model = (rtt_tcp if quantity == "rtt" else throughput)(b, m, of, as_printed)
        percent = 100 * np.abs(model - value) / value
        if quantity == "rtt":
            counted = m >= limits(b, of, as_printed)[0]
            b, m, percent = b[counted], m[counted], percent[counted]
        if len(percent):
            worst = int(percent.argmax())
            most = float(percent[worst]), float(b[worst]), int(m[worst])
            rows.append((float(rate), len(percent), float(percent.mean()), *most))
    columns = {"rate": pl.Float64, "cells": pl.Int64, "mean_percent": pl.Float64, "max_percent": pl.Float64,
               "bler": pl.Float64, "maxdat": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=columns, orient="row")
