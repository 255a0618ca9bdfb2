# SPDX-License-Identifier: GPL-2.0-or-later
"""Echo requests and replies of ICMP, which `ping` sends: those of a capture, and the pings of a run.

A ping is what one program sends to one address: all echo requests with one identifier, and their replies.

Source: RFC 792 (Echo or Echo Reply Message); RFC 4443 sections 4.1, 4.2
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

import polars as pl

from .address import text_of
from .capture import PROTOCOL_ICMP, PROTOCOL_ICMPV6, PROTOCOLS_ICMP
from .flow import FOUND, ICMP, Flow

#: Types of the messages: request, reply.
TYPES = {PROTOCOL_ICMP: (8, 0), PROTOCOL_ICMPV6: (128, 129)}
#: What tells a ping from others, in the direction of its requests.
ENDS = ("requester", "replier", "id")


def echoes(capture: pl.DataFrame) -> pl.DataFrame:
    """Echo requests and replies of a capture, in its order.

    Args:
        capture: as `capture.read_capture` gives it.

    Returns:
        row (of the packet in @capture; of one in fragments its last), t_ns (its first fragment), last_ns (its last),
        ip_bytes (of all fragments), reply, requester and replier (addresses), id, seq.
    """
    rows = capture.with_row_index("row").filter(pl.col("protocol").is_in(PROTOCOLS_ICMP))
    of = ["protocol", "src", "dst", "ip_id"]
    rest = rows.filter("fragment").group_by(of).agg(
        last_row=pl.col("row").max(), last_ns=pl.col("t_ns").max(), more=pl.col("ip_bytes").cast(pl.Int64).sum())
    request, reply = (pl.any_horizontal((pl.col("protocol") == protocol) & (pl.col("first_byte") == types[i])
                                        for protocol, types in TYPES.items()) for i in range(2))
    whole = rows.filter(~pl.col("fragment") & (request | reply)).join(rest, on=of, how="left", maintain_order="left")
    return whole.select(
        row=pl.coalesce("last_row", "row"), t_ns="t_ns", last_ns=pl.coalesce("last_ns", "t_ns"),
        ip_bytes=pl.col("ip_bytes").cast(pl.Int64) + pl.col("more").fill_null(0), reply=reply,
        requester=pl.when(reply).then("dst").otherwise("src"), replier=pl.when(reply).then("src").otherwise("dst"),
        id=pl.col("next_word") // 2**16, seq=pl.col("next_word") % 2**16,
    )  # fmt: skip


def pings(captures: Mapping[str, pl.DataFrame], nodes: Mapping[int, str], commands: Sequence[Mapping[str, Any]],
          addresses: Mapping[int, str]) -> list[Flow]:
    """The pings of a run in order of time, as the captures of those that sent them show them.

    Args:
        captures: by node.
        nodes: names of nodes by address.
        commands: of the manifest.
        addresses: those of IPv6 in words, by their numbers.
    """
    found = []
    for node, capture in captures.items():
        requests = echoes(capture).filter(~pl.col("reply") & pl.col("requester").is_in(
            [address for address, name in nodes.items() if name == node]))
        grouped = requests.group_by(ENDS, maintain_order=True).agg(
            first=pl.col("t_ns").min(), last=pl.col("t_ns").max(), bytes=pl.col("ip_bytes").sum())
        for requester, replier, number, first_ns, last_ns, size in grouped.iter_rows():
            sink = nodes.get(replier) or text_of(replier, addresses)
            found.append(Flow(f"{node}:ping-{sink}", FOUND, node, sink, requester, replier, 0, first_ns, last_ns + 1,
                              sport=number, transport=ICMP, program="ping", sent_bytes=size,
                              command=_command(node, first_ns, commands)))
    found.sort(key=lambda flow: (flow.start_ns, flow.id))
    alike = {flow.id: [other for other in found if other.id == flow.id] for flow in found}
    return [replace(flow, id=f"{flow.id}/{alike[flow.id].index(flow) + 1}") if len(alike[flow.id]) > 1 else flow
            for flow in found]


def _command(node: str, first_ns: int, commands: Sequence[Mapping[str, Any]]) -> str | None:
    """Id of the command that sent the requests: the only `ping` that ran there then, else the only command."""
    there = [entry for entry in commands if entry.get("node") == node
             and (entry.get("start_ns") or 0) <= first_ns <= (entry.get("end_ns") or first_ns)]
    named = [entry for entry in there if PurePath(entry["argv"][0]).name == "ping"]
    for some in (named, there):
        if len(some) == 1:
            return str(some[0]["id"])
    return None
