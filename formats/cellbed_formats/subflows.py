# SPDX-License-Identifier: GPL-2.0-or-later
"""Subflows of a connection of Multipath TCP: TCP connections of their own, called by the radio networks they go over.

The server's address and port are those of the connection; the UE has an address on each network, and of ports only the
first subflow's is known in advance. A subflow has the time of its connection, so that rates add up.

Source: RFC 8684 section 1.3
"""

from __future__ import annotations

from collections.abc import Iterator

from .flow import SUBFLOW, TCP, Ends, Flow, Seen, Sightings, reverse

#: What the first radio network of a scenario is called.
FIRST = "radio"


def subflows(flow: Flow, seen: Sightings) -> list[Flow]:
    """Those of a connection, in the order in which they began: `f/radio`, `f/wifi`, a second one there `f/wifi-2`."""
    found, taken = [], dict.fromkeys(flow.paths.values(), 0)
    for ends, way, back in sorted(_ways(flow, seen), key=lambda one: (min(one[1].first_ns, one[2].first_ns), one[0])):
        _, src, sport, dst, dport = ends
        network = flow.paths[src] if src in flow.paths else flow.paths[dst]
        taken[network] += 1
        number = f"-{taken[network]}" if taken[network] > 1 else ""
        found.append(Flow(
            f"{flow.id}/{network}{number}", SUBFLOW, flow.source, flow.sink, src, dst, dport,
            flow.start_ns, flow.end_ns, sport=sport, transport=TCP, program=flow.program, sent_bytes=way.bytes,
            back_bytes=back.bytes, congestion_control=flow.congestion_control))  # fmt: skip
    return found


def _ways(flow: Flow, seen: Sightings) -> Iterator[tuple[Ends, Seen, Seen]]:
    """Each subflow in the direction of the data, with what was seen of both directions."""
    for ends, way in seen.ways.items():
        if flow.has_subflow(ends):
            yield ends, way, seen.ways.get(reverse(ends), Seen(way.first_ns, way.last_ns, 0, 0, 0))
