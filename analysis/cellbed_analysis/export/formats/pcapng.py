# SPDX-License-Identifier: GPL-2.0-or-later
"""The IP capture of a node as pcapng, with a comment at the first packet after each event of the radio.

Wireshark lists them under Analyze, Expert Information, and finds them with the filter `frame.comment`.
"""

from __future__ import annotations

from pathlib import Path

from dpkt import pcapng as blocks

from cellbed_formats.bundle import Bundle
from cellbed_formats.capture import read_packets
from cellbed_formats.error import FileError
from cellbed_formats.inside import Inside

from ...tcp.connection import RadioEvent, radio_events
from ..format import Format

NANOSECONDS = 9  # if_tsresol: a negative power of ten
TEXT_MAX = 1000  # of a comment: drops may come in hundreds


def write(bundle: Bundle, node: str, stem: Inside) -> list[Path]:
    """`<stem>.pcapng`.

    Raises:
        FileError: the run has no capture there.
    """
    name = bundle.capture_name(node)
    source = bundle.find(name)
    if source is None:
        raise FileError(bundle.path / name, f"missing; {bundle.to_capture}")
    link, packets = read_packets(source)
    events = radio_events(bundle, node if node in bundle.ue_numbers else None)
    path = stem.with_name(f"{stem.name}.pcapng")
    resolution = blocks.PcapngOptionLE(code=blocks.PCAPNG_OPT_IF_TSRESOL, data=bytes([NANOSECONDS]))
    interface = blocks.InterfaceDescriptionBlockLE(linktype=link, opts=[resolution, blocks.PcapngOptionLE()])
    said = blocks.PcapngOptionLE(code=blocks.PCAPNG_OPT_COMMENT, data=_place(bundle, node).encode())
    section = blocks.SectionHeaderBlockLE(opts=[said, blocks.PcapngOptionLE()])
    with path.replaced() as file:
        writer = blocks.Writer(file, shb=section, idb=interface)
        at = 0
        for t_ns, original_bytes, data in packets:
            now = t_ns - bundle.realtime_offset_ns
            since = at
            while at < len(events) and events[at].t_ns <= now:
                at += 1
            writer.writepkt(_packet(t_ns, original_bytes, data, _comment(events[since:at], bundle.start_ns)))
    return [path.path]


def _place(bundle: Bundle, node: str) -> str:
    """What the times of packets mean where they were captured."""
    said = f"{bundle.path.name}: captured at {node}"
    wire = bundle.link_of(node)
    if wire is None:
        return said
    far = wire["b"] if wire["a"] == node else wire["a"]
    return (f"{said}; packets that it sends are stamped behind the queue and the delay of its wire to {far} "
            f"({wire.get('delay_ms', 0):g} ms), so RTTs read here miss both")


def _comment(events: list[RadioEvent], start_ns: int) -> str:
    """Events for people, equal ones that follow each other counted."""
    texts: list[tuple[str, int, int]] = []
    for event in events:
        text = f"{event.ue or 'cell'} {event}"
        if texts and texts[-1][0] == text:
            texts[-1] = (text, texts[-1][1], texts[-1][2] + 1)
        else:
            texts.append((text, event.t_ns, 1))
    said = "; ".join(f"t = {(t_ns - start_ns) / 1e9:.6f} s: {text}{f' (x{n})' if n > 1 else ''}"
                     for text, t_ns, n in texts)
    return said if len(said) <= TEXT_MAX else f"{said[:TEXT_MAX]}..."


def _packet(t_ns: int, original_bytes: int, data: bytes, comment: str) -> blocks.EnhancedPacketBlockLE:
    text = blocks.PcapngOptionLE(code=blocks.PCAPNG_OPT_COMMENT, data=comment.encode())
    options = [text, blocks.PcapngOptionLE()] if comment else []
    return blocks.EnhancedPacketBlockLE(
        ts_high=t_ns >> 32, ts_low=t_ns & 0xFFFFFFFF, caplen=len(data), pkt_len=original_bytes, pkt_data=data,
        opts=options,
    )  # fmt: skip


FORMAT = Format(write, of_any_node=True)
