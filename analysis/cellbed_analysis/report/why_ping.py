# SPDX-License-Identifier: GPL-2.0-or-later
"""One ping: where its time went, or where it or its reply was lost."""

from __future__ import annotations

from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle

from ..metrics.asked import Asked
from ..tcp.echo import BEYOND_PARTS
from ..tcp.segment import RTT_PARTS
from .answer import Answer, answer_of

#: A packet that reached the radio did so within this time after it was sent, but for what its wire delays it.
REACHED_NS = 100_000_000


def ping_answer(asked: Asked, echo: dict[str, Any]) -> Answer:
    """Args: echo: a row of `asked.sent`."""
    bundle = asked.bundle
    packet = f"ping icmp_seq={echo['seq']}, {echo['ip_bytes']} bytes"
    beyond = all(echo[part] is not None for part in BEYOND_PARTS)
    parts = [own for part in RTT_PARTS for own in (BEYOND_PARTS if beyond and part == "receiver" else [part])]
    if echo["rtt_ns"] is not None and all(echo[part] is not None for part in parts):
        return answer_of(asked, echo, packet, parts)
    lost = _fate(bundle, asked, echo, _radio_bytes(asked, echo)) if echo["rtt_ns"] is None else None
    unknown = None if lost else "radio.trace cannot tell this ping from other packets"
    rtt_ms = None if echo["rtt_ns"] is None else echo["rtt_ns"] / 1e6
    return Answer((echo["out_ns"] - bundle.start_ns) / 1e9, echo["seq"], rtt_ms, {}, pl.DataFrame(), {}, packet,
                  note=asked.note, defect=unknown, lost=lost)


def _radio_bytes(asked: Asked, echo: dict[str, Any]) -> int:
    """What the request or its reply has on the radio, which behind translators is longer than at a server."""
    flow, translation = asked.flow, asked.bundle.translation
    if translation is None or flow.source in asked.bundle.ue_numbers:
        return int(echo["ip_bytes"])
    return int(echo["ip_bytes"]) + translation.grows_bytes(flow.saddr, flow.daddr)


def _fate(bundle: Bundle, asked: Asked, echo: dict[str, Any], n_bytes: int) -> str:
    """What became of a ping without a reply. Args: n_bytes: of the request or the reply on the radio."""
    source, sink = asked.flow.source, asked.flow.sink
    if sink not in bundle.captured_nodes:
        return f"no reply came; whether the request did is not known, as there is no capture at {sink}"
    if echo["there_ns"] is None:
        return f"the request never came to {sink}{_dropped(bundle, source, sink, echo['out_ns'], n_bytes)}"
    if echo["reply_ns"] is None:
        after_ms = (echo["there_ns"] - echo["out_ns"]) / 1e6
        return f"the request came to {sink} {after_ms:.3f} ms later, which did not reply"
    return f"{sink}'s reply never came{_dropped(bundle, sink, source, echo['reply_ns'], n_bytes)}"


def _dropped(bundle: Bundle, sender: str, receiver: str, sent_ns: int, n_bytes: int) -> str:
    """Why the radio dropped a packet without a tag, the first of its length that entered after it was sent."""
    node, peer = bundle.radio_node(sender), bundle.radio_node(receiver)
    link = bundle.link_of(sender)
    latest_ns = sent_ns + REACHED_NS + (0 if link is None else round(link["delay_ms"] * 1e6))
    radio = bundle.radio.filter((pl.col("tag") == 0) & (pl.col("t_ns") >= sent_ns))
    entered = radio.filter((pl.col("event") == "pkt_in") & (pl.col("node") == node) & (pl.col("bytes") == n_bytes)
                           & (pl.col("t_ns") < latest_ns))
    if node == 0:
        entered = entered.filter(pl.col("peer") == peer)
    if entered.is_empty():
        return ": it did not reach the radio"
    dropped = radio.filter((pl.col("event") == "pkt_drop") & (pl.col("pkt") == entered["pkt"][0]))
    if dropped.is_empty():
        return ": after the radio, or in it when the run ended"
    reason = bundle.drop_reasons.get(dropped["value"][-1], str(dropped["value"][-1])).replace("_", " ")
    after_ms = (dropped["t_ns"][-1] - entered["t_ns"][0]) / 1e6
    return f": the radio dropped it {after_ms:.3f} ms after it entered, {reason}"
