# SPDX-License-Identifier: GPL-2.0-or-later
"""Points of observation: a capture without copies, as each place of the network saw it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from cellbed_formats.packet import PROTOCOL_TCP
from cellbed_formats.pcap_file import Records

from . import copies
from .captured import Capture
from .columns import Columns, of_frame


def points(whole: Capture, records: Records) -> list[Capture]:
    """Copies left out, and the capture seen from each point that saw the same as others."""
    packets = whole.packets
    if not len(packets):
        return [whole]
    key = packets.select(place=pl.struct("interface", "wire", "tunnel").rank("dense").cast(pl.Int64) - 1)["place"]
    every = of_frame(packets.with_columns(
        place=key, way=2 * pl.col("flow").cast(pl.Int64) + pl.col("forth"), tcp=pl.col("protocol") == PROTOCOL_TCP))
    first, copy = copies.same_packets(every)
    if not len(copy):
        return [whole]
    if len(records.interfaces) > 1 and (groups := _interfaces(every, first, copy)):
        return [_at_point(whole, every, first, copy, np.isin(every["interface"], group),
                          " and ".join(records.interfaces[one] for one in group)) for group in groups]
    return [_at_point(whole, every, first, copy, np.ones(len(packets), dtype=bool), None)]


def _interfaces(every: Columns, first: np.ndarray, copy: np.ndarray) -> list[list[int]]:
    """Interfaces by point of observation; none if all are one."""
    interface = every["interface"]
    moved = interface[first] != interface[copy]
    if not moved.any():
        return []
    # Flows that were seen once say nothing of points.
    twice = np.isin(every["flow"], np.unique(every["flow"][copy[moved]]))
    rows = np.flatnonzero(twice)
    again = np.zeros(len(interface), dtype=np.int64)
    again[rows] = np.arange(len(rows))
    group = copies.places_of(interface[rows], again[first[moved]], again[copy[moved]])
    if len(set(group.values())) < 2:
        return []
    for other in np.unique(interface).tolist():
        group.setdefault(int(other), len(group))
    return [sorted(one for one in group if group[one] == number) for number in sorted(set(group.values()))]


def _at_point(whole: Capture, every: Columns, first: np.ndarray, copy: np.ndarray, seen: np.ndarray,
              name: str | None) -> Capture:
    """What one point of observation has of the capture, without copies. Args: seen: which packets that point saw."""
    keep, left = seen.copy(), {}
    own = seen[first] & seen[copy]
    first, copy = first[own], copy[own]
    flow = every["flow"]
    order = np.argsort(flow, kind="stable")
    bounds = np.searchsorted(flow[order], np.arange(int(flow.max()) + 2))
    of_copy = flow[copy]
    by_flow = np.argsort(of_copy, kind="stable")
    for number in np.unique(of_copy).tolist():
        rows = order[bounds[number] : bounds[number + 1]]
        rows = rows[seen[rows]]
        begin, end = np.searchsorted(of_copy[by_flow], (number, number + 1))
        mine = by_flow[begin:end]
        left[number] = _flow_without_copies(every, rows, first[mine], copy[mine], keep)
    if keep.all():
        return replace(whole, point=name, copies=left)
    packets = whole.packets.filter(pl.Series(keep))
    old = packets["flow"].unique(maintain_order=True)
    numbers = pl.DataFrame({"flow": old, "new": pl.int_range(len(old), eager=True).cast(old.dtype)})
    packets = packets.join(numbers, on="flow", how="left", maintain_order="left").with_columns(flow="new").drop("new")
    again = dict(zip(old.to_list(), range(len(old)), strict=True))
    return replace(whole, packets=packets, point=name,
                   copies={again[number]: one for number, one in left.items() if number in again})


def _flow_without_copies(every: Columns, rows: np.ndarray, first: np.ndarray, copy: np.ndarray,
                         keep: np.ndarray) -> copies.Copies:
    """Take the copies of a flow out of @keep."""
    places = every["place"][rows]
    place, hop, t_ns, interface = (every[name] for name in ("place", "hop_limit", "t_ns", "interface"))
    at = np.searchsorted(rows, np.stack([first, copy]))
    group_of = copies.places_of(places, at[0], at[1])
    group = np.array([group_of[one] for one in places.tolist()])
    n_points = len(set(group_of.values()))
    if n_points > 1:
        forth = every["forth"][rows].astype(bool)
        payload = every["payload_bytes"][rows].astype(np.int64)
        data = forth if payload[forth].sum() >= payload[~forth].sum() else ~forth
        best = copies.best_point(group, data, t_ns[rows])
        keep[rows[group != best]] = False
        # Of a packet with copies at the point that is kept, the first of these is it.
        inside = group[at[1]] == best
        ahead = group[at[0]] == best
        chained, seen_first = copy[inside], np.where(ahead, first, -1)[inside]
        _, once = np.unique(first[inside], return_index=True)
        spare = np.ones(len(chained), dtype=bool)
        spare[once[seen_first[once] < 0]] = False
        keep[chained[spare]] = False
    else:
        keep[copy] = False
    differs = [words for words, differ in (
        ("on another interface", interface[first] != interface[copy]),
        ("on another link, VLAN or tunnel", (place[first] != place[copy]) & (interface[first] == interface[copy])),
        ("with another hop limit", hop[first] != hop[copy])) if 2 * differ.sum() > len(copy)]
    return copies.Copies(len(copy), len(np.unique(first)), int(np.median(t_ns[copy] - t_ns[first])), n_points,
                         ", ".join(differs))


