# SPDX-License-Identifier: GPL-2.0-or-later
"""How much in-sequence delivery adds to the RTT: the model of Park, Lee and Kim, and a bounded one.

The paper's rows: a PDU that needs HARQ transmission i after ARQ retransmission j
holds back the N PDUs behind it, the first for d_max, each next one for a PDU less:

    RTT_inc = sum over rows of P * (d_max + (d_max - 1) + ...), N terms
    utilisation = RTT_e2e / (RTT_e2e + RTT_inc)

What the printed numbers say beyond the text, found by computing them:

- P is the residual BLER after i - 1 transmissions, times the loss after HARQ per
  earlier ARQ round. The text calls it "probability of successful transmission
  with i"; a PDU that fails twice is in fact counted in two rows.
- d_max = HARQ RTT * (i - 1 + 6 j): an ARQ round costs five HARQ transmissions and
  one HARQ RTT for the status report.
- N = d_max in ms, one PDU a sub-frame, but at most 1/P: Table 1 never meets that
  bound; Table 2 does at 12 and 16 ms in the row of two transmissions (10 PDUs
  instead of 12 and 16), or its columns would be 0.3 and 2.1 ms larger. The text
  does not mention it; that it comes from 1/P = 10 is our reading.
- The sum has N terms, not N + 1 as "k = 0 to N" says: visible only where the
  bound cuts it, since the last term is otherwise 0.
- Table 1 is one way. Table 2 adds the uplink, whose HARQ RTT stays at 8 ms, to
  the downlink of its column.
- The NACK-to-ACK rows of the second and third round print P = 1e-6 and 1e-8. One
  such error among rounds that each fail with 1e-3 is 1e-7 and 1e-10; printed is a
  factor of 1e-2 a round. `as_printed` keeps that; the total differs by 0.05 %.

Source: Park 2013 section 3, Tables 1 and 2
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

#: HARQ RTTs that the status report of an ARQ round takes in the printed rows.
STATUS_HARQ_RTTS = 1
#: Factor between the NACK-to-ACK rows of successive rounds as printed. Source: Park 2013 Table 1
PRINTED_NACK_TO_ACK_STEP = 1e-2
UPLINK_HARQ_RTT_MS = 8.0


@dataclass(frozen=True)
class Link:
    """One direction of a radio link; the values are those of the paper.

    Attributes:
        harq_rtt_ms: time from a HARQ transmission to the next one of the same block.
        residual_bler: BLER left after 1, 2, ... HARQ transmissions; the last one is the
            loss after HARQ, which ARQ repairs. (0.0,) is a link without HARQ errors.
        arq_retransmissions: largest number of ARQ rounds.
        nack_to_ack: probability that a HARQ NACK is read as an ACK.
        tti_ms: time between two PDUs of the direction.

    Source: Park 2013 section 3
    """

    harq_rtt_ms: float = 8.0
    residual_bler: tuple[float, ...] = (1e-1, 1e-2, 5e-3, 2e-3, 1e-3)
    arq_retransmissions: int = 3
    nack_to_ack: float = 1e-4
    tti_ms: float = 1.0

    @property
    def loss(self) -> float:
        """Share of PDUs that HARQ gives up."""
        return self.residual_bler[-1]

    @property
    def arq_rtt_ms(self) -> float:
        """Time an ARQ round adds: all HARQ transmissions and the status report."""
        return self.harq_rtt_ms * (len(self.residual_bler) + STATUS_HARQ_RTTS)


def held_back_ms(d_max_ms: Any, pdus: Any, tti_ms: float = 1.0) -> np.ndarray:
    """Delays of the PDUs behind a gap, summed: d_max, d_max - tti, ..., none below 0.

    Args:
        d_max_ms: (n,) delay of the first PDU held back, in ms.
        pdus: (n,) how many there are at most; fractions count as their part of a PDU.
        tti_ms: time between two of them.

    Returns:
        (n,) sums in ms.
    """
    d = np.asarray(d_max_ms, dtype=float)
    n = np.minimum(np.asarray(pdus, dtype=float), np.floor(d / tti_ms + 1e-9) + 1)
    return n * d - tti_ms * n * (n - 1) / 2


def rows(link: Link, as_printed: bool = False) -> pl.DataFrame:
    """The rows of Table 1 for a link.

    Args:
        link: the direction.
        as_printed: take the NACK-to-ACK rows as the paper prints them.

    Returns:
        nack_to_ack, arq (rounds), harq (transmission), p, d_max_ms, pdus (N) and
        rtt_inc_ms, in the paper's order, without the row of the undisturbed PDU.
    """
    bler = np.array(link.residual_bler)
    first = [(False, 0, i + 2, p) for i, p in enumerate(bler[:-1])]
    step = PRINTED_NACK_TO_ACK_STEP if as_printed else link.loss
    later = []
    for j in range(1, link.arq_retransmissions + 1):
        later.append((True, j, 1, link.nack_to_ack * step ** (j - 1)))
        later.append((False, j, 1, link.loss**j))
        later += [(False, j, i + 2, p * link.loss**j) for i, p in enumerate(bler[:-1])]
    table = pl.DataFrame(
        [*first, *later],
        schema={"nack_to_ack": pl.Boolean, "arq": pl.Int64, "harq": pl.Int64, "p": pl.Float64},
        orient="row",
    )
    p = table["p"].to_numpy()
    d_max = link.harq_rtt_ms * (table["harq"].to_numpy() - 1) + link.arq_rtt_ms * table["arq"].to_numpy()
    with np.errstate(divide="ignore"):
        pdus = np.minimum(d_max / link.tti_ms, 1 / p)
    return table.with_columns(
        d_max_ms=pl.Series(d_max),
        pdus=pl.Series(pdus),
        rtt_inc_ms=pl.Series(p * held_back_ms(d_max, pdus, link.tti_ms)),
    )


def rtt_increment_ms(link: Link, as_printed: bool = False) -> float:
    """One direction's RTT increment in ms: the total of Table 1."""
    return float(rows(link, as_printed)["rtt_inc_ms"].to_numpy().sum())


def exact_both_ways_ms(harq_rtt_ms: float) -> float:
    """RTT increment of downlink and uplink in ms, by the paper's own assumptions and without its approximation.

    PDUs come one a TTI, each is late independently by what HARQ and ARQ take, and each waits for the slowest before it:
    the mean of a maximum, which an order statistic gives. The printed formula adds up gaps that overlap as if each held
    back PDUs of its own, and counts a PDU that fails twice in two rows.

    Args:
        harq_rtt_ms: of the downlink; the uplink's is 8 ms.
    """
    links = [Link(harq_rtt_ms=value) for value in (harq_rtt_ms, UPLINK_HARQ_RTT_MS)]
    return sum(ladder_wait_ms(link, math.ceil(ladder_delays(link)[0][-1] / link.tti_ms) + 1) for link in links)


def both_ways_ms(harq_rtt_ms: float, as_printed: bool = False, link: Link | None = None) -> float:
    """RTT increment of downlink and uplink in ms, as Table 2 uses it.

    Args:
        harq_rtt_ms: of the downlink; the uplink's is 8 ms.
        as_printed: see `rows`.
        link: everything else about both directions.
    """
    link = link or Link()
    return sum(
        rtt_increment_ms(replace(link, harq_rtt_ms=value), as_printed) for value in (harq_rtt_ms, UPLINK_HARQ_RTT_MS)
    )


def utilisation(rtt_e2e_ms: Any, rtt_inc_ms: Any) -> np.ndarray:
    """Share of the throughput that is left: RTT_e2e / (RTT_e2e + RTT_inc).

    Args:
        rtt_e2e_ms, rtt_inc_ms: arrays that broadcast, in ms.
    """
    e2e = np.asarray(rtt_e2e_ms, dtype=float)
    return e2e / (e2e + np.asarray(rtt_inc_ms, dtype=float))


def in_sequence_wait_ms(delays_ms: Sequence[float], p: Sequence[float], tti_ms: float, in_flight: int) -> float:
    """Mean wait of a PDU that is delivered after all PDUs before it.

    The paper adds up gaps as if they never met. Here a PDU waits for the slowest
    of itself and the `in_flight` - 1 PDUs before it, each late independently:
    P(wait <= w) is the product over m of P(delay <= w + m * tti).

    Args:
        delays_ms: (k,) rising, the first one 0.
        p: (k,) their probabilities, adding up to 1.
        tti_ms: time between two PDUs.
        in_flight: PDUs that may wait together: a window, not the air, may end the sum.

    Returns:
        Mean wait in ms: the integral of 1 - P(wait <= w), exact, since the product is
        a step function.
    """
    d, cumulative = np.asarray(delays_ms, dtype=float), np.cumsum(p)
    m = np.arange(min(in_flight, int(d[-1] / tti_ms) + 1)) if d[-1] > 0 else np.arange(1)
    steps = d[None, :] - m[:, None] * tti_ms
    edges = np.unique(np.concatenate([[0.0], steps[steps > 0]]))
    if len(edges) < 2:
        return 0.0
    middle = (edges[:-1] + edges[1:]) / 2
    at = np.searchsorted(d, middle[:, None] + m[None, :] * tti_ms, "right") - 1
    below = np.minimum(cumulative, 1.0)[at].prod(axis=1)
    return float(((1 - below) * np.diff(edges)).sum())


def ladder_delays(link: Link) -> tuple[np.ndarray, np.ndarray]:
    """Delay of a PDU that HARQ and then ARQ repair.

    Returns:
        delays in ms, rising and from 0, and their probabilities, which add up to 1: a PDU
        counts once, with its last transmission. A NACK read as an ACK ends HARQ early.
    """
    bler = np.array(link.residual_bler)
    # With attempt 1, 2, ..., where no NACK before it was read as an ACK.
    decoded = (np.concatenate([[1.0], bler[:-1]]) - bler) * (1 - link.nack_to_ack) ** np.arange(len(bler))
    rounds = (1 - decoded.sum()) ** np.arange(link.arq_retransmissions + 1)
    p = np.outer(rounds, decoded).ravel()
    delays = np.add.outer(link.arq_rtt_ms * np.arange(len(rounds)), link.harq_rtt_ms * np.arange(len(bler))).ravel()
    order = np.argsort(delays, kind="stable")
    p[order[-1]] += 1 - p.sum()
    return delays[order], p[order]


def ladder_wait_ms(link: Link, in_flight: int) -> float:
    """Mean wait of a PDU behind gaps of the whole ladder, of `in_flight` PDUs at most; see `in_sequence_wait_ms`."""
    delays, p = ladder_delays(link)
    return in_sequence_wait_ms(list(delays), list(p), link.tti_ms, in_flight)
