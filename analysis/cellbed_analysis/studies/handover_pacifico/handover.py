# SPDX-License-Identifier: GPL-2.0-or-later
"""What a handover takes from one TCP connection: the model of Pacifico et al., equations 1 to 5.

In the steady state cwnd climbs from SSthresh = cwnd_max / 2 to cwnd_max, a packet per RTT. A handover at
cwnd_ho does nothing (ideal), halves the window, or makes the timer expire. Each case delivers so many packets
until the steady state would have reached cwnd_max; the paper calls that amount throughput.

Where the text contradicts itself, and how it is read here:

- The amounts carry the probability of their case as a factor. (1) has f_DI in D_I; (2) and (3) then put D_I and
  D_WH into amounts with factors of their own, which would multiply probabilities of cases that exclude each other.
  Here amounts are without probability; `expected_pkts` weighs them.
- The last line of (2) has f_WH at the subtrahend only, unless a bracket was lost in the copy at hand. That is right
  if f_DI = f_WH, as Figure 4 assumes.
- A plus and a minus stand in front of the sums of (2) and (3), at the break of a line. It is the minus:
  "subtract the horizontal patterned area".
- (5) gives k = log2(ssthresh_ho) + 1, real-valued, as the upper end of the sum of (3). No rounding is stated.
- (3) has the connection k packets behind the halved one for every RTT until the end. Slow start that doubles from 1
  reaches ssthresh_ho in its round number k, (5), so it is k - 1 packets behind from there on: (3) takes
  n - k packets too many when n = cwnd_max - cwnd_ho + 1 RTTs are left. `cwnd_pkts` counts the windows instead.
- (3) sums k RTTs of slow start even if fewer are left, always at cwnd_ho = cwnd_max, where n = 1: the lower
  continuous line of Figure 4. It then counts what is lost after the end of the interval.
- The idle time until the timer expires is in none of the equations: slow start begins at the handover.
- The order of the probabilities has lost its signs; "the timeout case has the highest". Figure 4 sets all equal.
- Halving is "due to an out-of-order delivering" and "happens if the router buffer exceeds the maximum length":
  reordering is enabled in Table I, so it is the loss.
- Table II bounds cwnd at 44 packets, 64 KB. A connection that a receive window bounds has no sawtooth.

Source: Pacifico 2009 section IV, equations 1 to 5, Figures 3 and 4
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

Case = Literal["ideal", "halving", "timeout"]


def _windows(cwnd_max_pkts: Any, cwnd_ho_pkts: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays; cwnd_ho must lie in [SSthresh, cwnd_max]. Source: Pacifico 2009 equation 2"""
    top, at = np.asarray(cwnd_max_pkts, dtype=float), np.asarray(cwnd_ho_pkts, dtype=float)
    if np.any(at < top / 2) or np.any(at > top) or np.any(at < 2):
        raise ValueError(f"cwnd_ho {at} outside [cwnd_max / 2, cwnd_max] of {top}, or below 2")
    return top, at


def ideal_pkts(cwnd_max_pkts: Any) -> np.ndarray:
    """D_I: i summed from cwnd_max / 2 to cwnd_max = 3/2 * cwnd_max/2 * (cwnd_max/2 + 1), in packets.

    Source: Pacifico 2009 equation 1
    """
    half = np.asarray(cwnd_max_pkts, dtype=float) / 2
    return 1.5 * half * (half + 1)


def unsent_halving_pkts(cwnd_max_pkts: Any, cwnd_ho_pkts: Any) -> np.ndarray:
    """UnsentWH: cwnd_ho / 2 for each of cwnd_max - cwnd_ho + 1 RTTs, in packets.

    Args:
        cwnd_max_pkts, cwnd_ho_pkts: arrays that broadcast.

    Source: Pacifico 2009 equation 2
    """
    top, at = _windows(cwnd_max_pkts, cwnd_ho_pkts)
    return at / 2 * (top - at + 1)


def halving_pkts(cwnd_max_pkts: Any, cwnd_ho_pkts: Any) -> np.ndarray:
    """D_WH = D_I - UnsentWH, in packets. Source: Pacifico 2009 equation 2"""
    return ideal_pkts(cwnd_max_pkts) - unsent_halving_pkts(cwnd_max_pkts, cwnd_ho_pkts)


def unsent_slow_start_pkts(cwnd_max_pkts: Any, cwnd_ho_pkts: Any, rtts: Any = None) -> np.ndarray:
    """UnsentSS: k * (cwnd_max - cwnd_ho + 1), and cwnd_ho/2 - k + i - 2^i summed over i = 0 .. k - 1.

    The sum is k (cwnd_ho/2 - k) + k (k - 1)/2 - (2^k - 1), which holds for any k: this is how a
    real-valued k is read.

    Args:
        cwnd_max_pkts, cwnd_ho_pkts: arrays that broadcast.
        rtts: k; (5) unless given.

    Returns:
        Packets. At cwnd_ho = cwnd_max of 16 or less and a k rounded up it can be negative.

    Source: Pacifico 2009 equation 3
    """
    top, at = _windows(cwnd_max_pkts, cwnd_ho_pkts)
    k = slow_start_rtts(ssthresh_ho_pkts(at)) if rtts is None else np.asarray(rtts, dtype=float)
    return k * (top - at + 1) + k * (at / 2 - k) + k * (k - 1) / 2 - (2**k - 1)


def timeout_pkts(cwnd_max_pkts: Any, cwnd_ho_pkts: Any, rtts: Any = None) -> np.ndarray:
    """D_SS = D_I - UnsentWH - UnsentSS, in packets. Source: Pacifico 2009 equation 3"""
    slow_start = unsent_slow_start_pkts(cwnd_max_pkts, cwnd_ho_pkts, rtts)
    return halving_pkts(cwnd_max_pkts, cwnd_ho_pkts) - slow_start


def ssthresh_ho_pkts(cwnd_ho_pkts: Any) -> np.ndarray:
    """The threshold that a loss at the handover sets: half the window. Source: Pacifico 2009 equation 2"""
    return np.asarray(cwnd_ho_pkts, dtype=float) / 2


def slow_start_rtts(ssthresh_pkts: Any) -> np.ndarray:
    """k = log2(ssthresh_ho) + 1, not rounded: RTTs of slow start from 1 packet to the threshold, both counted.

    Source: Pacifico 2009 equation 5
    """
    return np.log2(np.asarray(ssthresh_pkts, dtype=float)) + 1


def expected_pkts(
    cwnd_max_pkts: Any, cwnd_ho_pkts: Any, p_ideal: Any, p_halving: Any, p_timeout: Any
) -> np.ndarray:
    """The amounts of (1) to (3), each by the probability of its case, added, in packets.

    Raises:
        ValueError: the probabilities are negative or do not add up to 1.

    Source: Pacifico 2009 equations 1, 2, 3
    """
    p = np.stack(np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in (p_ideal, p_halving, p_timeout))))
    if np.any(p < 0) or not np.allclose(p.sum(axis=0), 1):
        raise ValueError(f"probabilities {p.tolist()} do not add up to 1")
    top, at = cwnd_max_pkts, cwnd_ho_pkts
    return p[0] * ideal_pkts(top) + p[1] * halving_pkts(top, at) + p[2] * timeout_pkts(top, at)


def normalised(case: Case, cwnd_max_pkts: Any, cwnd_ho_pkts: Any) -> np.ndarray:
    """Amount of a case over the ideal one, equal probabilities: the ordinate of Figure 4, as a share.

    Source: Pacifico 2009 Figure 4
    """
    top, at = _windows(cwnd_max_pkts, cwnd_ho_pkts)
    amounts: dict[Case, Callable[[], Any]] = {
        "ideal": lambda: ideal_pkts(top) + 0 * at,
        "halving": lambda: halving_pkts(top, at),
        "timeout": lambda: timeout_pkts(top, at),
    }
    return amounts[case]() / ideal_pkts(top)


def middle_pkts(cwnd_max_pkts: Any) -> np.ndarray:
    """cwnd_ho in the middle of (SSthresh, cwnd_max). Source: Pacifico 2009 Figure 4"""
    return 0.75 * np.asarray(cwnd_max_pkts, dtype=float)


def cwnd_pkts(case: Case, cwnd_max_pkts: float, cwnd_ho_pkts: float) -> np.ndarray:
    """Windows from the handover until the steady state reaches cwnd_max, one for each RTT: the lines of Figure 3.

    After a timeout: 1, 2, 4, ... up to ssthresh_ho, from there a packet more per RTT.

    Args:
        case: what the handover does.
        cwnd_max_pkts, cwnd_ho_pkts: a whole number of packets apart.

    Returns:
        (cwnd_max - cwnd_ho + 1,) packets.

    Source: Pacifico 2009 Figure 3
    """
    top, at = _windows(cwnd_max_pkts, cwnd_ho_pkts)
    rtt = np.arange(int(top - at) + 1)
    ssthresh = float(ssthresh_ho_pkts(at))
    if case == "ideal":
        return at + rtt
    if case == "halving":
        return ssthresh + rtt
    rounds = int(np.ceil(np.log2(ssthresh)))
    # Clipped where the doubling is over, so that the other branch cannot overflow.
    return np.where(rtt < rounds, 2.0 ** np.minimum(rtt, rounds), ssthresh + rtt - rounds)


def counted_share(case: Case, cwnd_max_pkts: float, cwnd_ho_pkts: float) -> float:
    """As `normalised`, counted from the windows of `cwnd_pkts` up to the end of the interval and no further."""
    lost = cwnd_pkts("ideal", cwnd_max_pkts, cwnd_ho_pkts) - cwnd_pkts(case, cwnd_max_pkts, cwnd_ho_pkts)
    return float(1 - lost.sum() / ideal_pkts(cwnd_max_pkts))
