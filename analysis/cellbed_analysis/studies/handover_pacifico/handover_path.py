# SPDX-License-Identifier: GPL-2.0-or-later
"""Delay, queue and timer around a handover, as the parameters of Pacifico et al. imply them.

No equation of the paper: "the theoretical evaluation of the probabilities ... is difficult", it simulates, and
the bars of Figure 8 are lost. These are bounds to put beside runs. They assume that the router's links are the
bottleneck, one drop-tail queue in front of each, that every flow has as many packets under way as its window,
and that handovers fall anywhere in the sawtooth with the same probability per RTT. ACKs never queue.

What follows from Tables I and II:

- A packet takes 1 ms on a router link. The reference ME alone in the source cell holds 44 packets: 35 queue, its
  RTT is 44 ms. The "typical RTT (around 100 ms)" is that of a full queue of 90, which one window never fills.
- Two MEs in the target cell are bounded by their windows (79 packets queue, nothing is lost); three fill the queue.
  For 3, 4 and 5 MEs these bounds are the same, so what Figure 8 shows to differ between them is beyond them.
- A forwarded packet adds at most 96 ms to the RTT; with two full queues it is 195 ms: Figure 10 ends at 200 ms.
- The timer starts again at every ACK of new data (RFC 2988 5.3). It expires if the gap between two such ACKs, up to
  97 ms, exceeds the RTO. With the 1 s of RFC 2988 it never does, nor with the 200 ms of Linux; for 3 to 5 MEs it does
  sometimes, not always, only for RTOs of 47 to 97 ms. The paper's "very frequent" timeouts need a least RTO that it
  does not state, or losses.
- A prediction 130 ms ahead leaves the source cell's queue empty long before the handover if it holds 35
  packets: the gap is then 122 ms, more than forwarding causes. The step fits a full queue (67 ms).
- Figure 12 has an axis up to 700 KB for data delivered from the handover to one RTT after it. The target cell's link
  carries 345 KB in that time even if the RTT is 200 ms.

Not specified by the paper: rate and delay of the radio, links between router and servers (Figure 1 names a gateway,
Table I one latency), the least RTO and its clock, how far sawtooths are synchronised, whether losses in the target's
queue hit the reference ME. A lost packet lengthens the gap: probabilities of timeouts here are lower bounds.

Source: Pacifico 2009 sections III-B, IV and VI, Tables I and II
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import pacifico

#: Least RTO. Source: RFC 2988 2.4
MIN_RTO_MS = 1000.0


@dataclass(frozen=True)
class Network:
    """The wired network of Figure 1; the values are those of Tables I and II.

    Attributes:
        router_bps, server_bps: rates of the router's links to the cells and of the servers' links.
        link_ms: latency of a wired link.
        links: wired links from a server to an eNodeB; open, at least 2.
        radio_rtt_ms: what the radio adds to the RTT; open.
        packet_bytes: size of an IP packet.
        queue_pkts: room in front of each of the router's links.
        window_pkts: largest congestion window.
        detach_ms: time without a cell.

    Source: Pacifico 2009 Tables I and II, Figure 1
    """

    router_bps: float = pacifico.ROUTER_LINK_BPS
    server_bps: float = pacifico.SERVER_LINK_BPS
    link_ms: float = pacifico.WIRED_LINK_MS
    links: int = 2
    radio_rtt_ms: float = 0.0
    packet_bytes: int = pacifico.PACKET_BYTES
    queue_pkts: float = pacifico.ROUTER_QUEUE_PKTS
    window_pkts: float = pacifico.CWND_MAX_PKTS
    detach_ms: float = pacifico.DETACH_MS

    @property
    def packet_ms(self) -> float:
        """Time of a packet on a link of the router."""
        return 8000 * self.packet_bytes / self.router_bps

    @property
    def base_rtt_ms(self) -> float:
        """RTT with empty queues; the time of an ACK on a link is left out."""
        server_ms = 8000 * self.packet_bytes / self.server_bps
        return 2 * self.links * self.link_ms + server_ms + self.packet_ms + self.radio_rtt_ms

    @property
    def pipe_pkts(self) -> float:
        """Packets under way that keep the link busy without a queue."""
        return self.base_rtt_ms / self.packet_ms

    @property
    def forwarding_ms(self) -> float:
        """From the source eNodeB by the router to the target one, queues empty."""
        return 2 * (self.link_ms + self.packet_ms)


def queue_range_pkts(network: Network, flows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest queue of a link that `flows` connections share in the steady state.

    What the windows hold beyond the pipe queues. If that fits, the queue stands still. If not, it fills up, and is
    lowest where all windows halve together: otherwise the least queue is longer.

    Args:
        network: its parameters.
        flows: array of numbers of connections.

    Source: Pacifico 2009 section VI, Tables I and II
    """
    beyond = np.asarray(flows, dtype=float) * network.window_pkts - network.pipe_pkts
    highest = np.clip(beyond, 0, network.queue_pkts)
    halved = max(0.0, (network.queue_pkts + network.pipe_pkts) / 2 - network.pipe_pkts)
    return np.where(beyond > network.queue_pkts, halved, highest), highest


def rtt_ms(network: Network, queue_pkts: Any) -> np.ndarray:
    """RTT of a packet that finds a queue. Source: Pacifico 2009 Table I"""
    return network.base_rtt_ms + np.asarray(queue_pkts, dtype=float) * network.packet_ms


def _second_way_ms(network: Network, second_queue_pkts: Any) -> np.ndarray:
    """Forwarding and the second queue, or the time without a cell if that is longer."""
    queued_ms = np.asarray(second_queue_pkts, dtype=float) * network.packet_ms
    return np.maximum(network.detach_ms, network.forwarding_ms + queued_ms)


def forwarded_rtt_ms(network: Network, first_queue_pkts: Any, second_queue_pkts: Any) -> np.ndarray:
    """RTT of a packet that reaches the source eNodeB as the ME leaves: two queues, or one and the time without a cell.

    Args:
        network: its parameters.
        first_queue_pkts, second_queue_pkts: before the link to the source and to the target eNodeB.

    Source: Pacifico 2009 section IV
    """
    return rtt_ms(network, first_queue_pkts) + _second_way_ms(network, second_queue_pkts)


def ack_gap_ms(network: Network, second_queue_pkts: Any) -> np.ndarray:
    """Longest time between two ACKs of new data, if nothing is lost: last packet before the handover, first after it.

    Source: Pacifico 2009 section IV
    """
    return network.packet_ms + _second_way_ms(network, second_queue_pkts)


def predicted_ack_gap_ms(
    network: Network, first_queue_pkts: Any, second_queue_pkts: Any, step_ms: float = pacifico.PREDICTION_STEP_MS
) -> np.ndarray:
    """The same where the path switches `step_ms` before the handover, and nothing is forwarded.

    The old path's last packet arrives when its queue is served. The first one on the new path waits for its queue
    and for the ME, which comes `step_ms` + `detach_ms` after the switch.

    Raises:
        ValueError: the old path is not empty at the handover: packets would be forwarded.

    Source: Pacifico 2009 sections V-A and VI-B, Table II
    """
    way_ms = network.packet_ms + network.link_ms
    last_ms = np.asarray(first_queue_pkts, dtype=float) * network.packet_ms + way_ms
    if np.any(last_ms > step_ms):
        raise ValueError(f"step of {step_ms} ms: the old path is not empty before {last_ms} ms")
    first_ms = np.asarray(second_queue_pkts, dtype=float) * network.packet_ms + way_ms
    return np.maximum(network.packet_ms, np.maximum(step_ms + network.detach_ms, first_ms) - last_ms)


def rto_ms(srtt_ms: Any, rttvar_ms: Any, min_rto_ms: float = MIN_RTO_MS, granularity_ms: float = 0.0) -> np.ndarray:
    """SRTT + max(G, 4 RTTVAR), at least `min_rto_ms`. A constant RTT has RTTVAR 0.

    Linux has no such bound, but its least value (200 ms, `rto_min` of the route) in the place of G.

    Source: RFC 2988 2.3 and 2.4
    """
    spread_ms = np.maximum(granularity_ms, 4 * np.asarray(rttvar_ms, dtype=float))
    return np.maximum(min_rto_ms, np.asarray(srtt_ms, dtype=float) + spread_ms)


def overflow_pkts(network: Network, second_queue_pkts: Any, cwnd_ho_pkts: Any) -> np.ndarray:
    """Packets that find no room in the target's queue: the window comes on top of what stands there.

    Other flows send a packet for each one that leaves. Which flow's packets are dropped is not told.

    Source: Pacifico 2009 section IV: "if the router buffer exceeds the maximum length"
    """
    on_top = np.asarray(second_queue_pkts, dtype=float) + np.asarray(cwnd_ho_pkts, dtype=float)
    return np.maximum(0, on_top - network.queue_pkts)


def _share_above(bound: Any, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Share of the range above a bound; 0 or 1 where the range is a point."""
    width = high - low
    return np.where(width > 0, np.clip((high - bound) / np.where(width > 0, width, 1), 0, 1), high > bound)


def case_probabilities(
    network: Network, target_mes: Any, timer_ms: Any, cwnd_ho_pkts: Any = pacifico.CWND_MAX_PKTS
) -> dict[str, np.ndarray]:
    """Probability of each case over the moments a handover may come at.

    A timeout: the gap of `ack_gap_ms` exceeds the RTO. Otherwise halving: the target's queue overflows. Both
    happen above some queue, which is uniform in its range. Halving is an upper bound: others may lose instead.

    Args:
        network: its parameters.
        target_mes: MEs in the target cell before the handover.
        timer_ms: the RTO at the handover.
        cwnd_ho_pkts: window of the reference ME; arrays broadcast.

    Source: Pacifico 2009 section VI-B, Figure 8
    """
    low, high = queue_range_pkts(network, target_mes)
    timer = np.asarray(timer_ms, dtype=float)
    queued_ms = timer - network.packet_ms - network.forwarding_ms
    long_ago = timer < network.packet_ms + network.detach_ms
    timeout = np.where(long_ago, 1.0, _share_above(queued_ms / network.packet_ms, low, high))
    overflow = _share_above(network.queue_pkts - np.asarray(cwnd_ho_pkts, dtype=float), low, high)
    halving = np.maximum(0, overflow - timeout)
    return {"ideal": 1 - timeout - halving, "halving": halving, "timeout": timeout}


def delivered_bound_kb(network: Network, rtt_after_ms: Any) -> np.ndarray:
    """What the target's link can carry from the handover until one RTT after its end, in KB of 1000 bytes.

    Source: Pacifico 2009 Figure 12
    """
    return network.router_bps / 8e6 * (network.detach_ms + np.asarray(rtt_after_ms, dtype=float))
