# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of radio layers: MAC and RLC PDUs of LTE and NR, RLC PDUs of the UTRAN, as Wireshark frames them.

They come as exported PDUs, as link types of users (which srsRAN and others write), or in UDP packets. A context of
tags in front of each PDU says whose it is. What takes time in a layer shows where something is sent again: in MAC of
LTE a transport block by HARQ, in RLC AM a PDU with the same sequence number and, in NR, the same segment offset. MAC of
NR does not tell: its frames do not say which transmission they are of.

Source: Wireshark, epan/exported_pdu.h, epan/dissectors/packet-mac-lte.h, packet-rlc-lte.h, packet-mac-nr.h,
packet-rlc-nr.h, packet-umts_rlc.h; TS 36.321 6.1.2; TS 36.322 6.2.1; TS 38.322 6.2.2.4; TS 25.322 9.2.1
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cellbed_formats.pcap_file import Records

EXPORTED, USER_LINKS = 252, tuple(range(147, 163))
RADIO_LINKS = {EXPORTED, *USER_LINKS}
#: Tags of exported PDUs that name a dissector, and what it is called.
NAMES, END = (12, 13), 0
PAYLOAD = 1
MAC, RLC, UMTS, MAC_NR, RLC_NR = "mac-lte", "rlc-lte", "umts-rlc", "mac-nr", "rlc-nr"
#: Names of dissectors, the layers that they are of, and whether the context begins with the layer's name.
DISSECTORS = {b"mac-lte-framed": (MAC, False), b"mac-nr-framed": (MAC_NR, False), b"mac_nr_udp": (MAC_NR, True),
              b"rlc_nr_udp": (RLC_NR, True), b"rlc_udp": (UMTS, True)}
#: Bytes of each tag's value; None: a byte says how many follow. Others are not known, and end the context.
TAGS: dict[str, dict[int, int | None]] = {
    MAC: {0x02: 2, 0x03: 2, 0x04: 2, 0x05: 1, 0x06: 1, 0x07: 1, 0x08: 0, 0x09: 2, 0x0A: 1, 0x0B: None, 0x0C: 0, 0x0D: 0,
          0x0E: 1, 0x0F: 1, 0x10: 1},
    RLC: {0x02: 1, 0x03: 1, 0x04: 1, 0x05: 2, 0x06: 2, 0x07: 2, 0x08: 1, 0x09: 1},
    UMTS: {0x02: 1, 0x03: 1, 0x04: 1, 0x05: 4, 0x06: 1, 0x07: 1},
    MAC_NR: {0x02: 2, 0x03: 2, 0x04: 2, 0x05: 1, 0x06: 1, 0x07: 4},
    RLC_NR: {0x02: 1, 0x03: 2, 0x04: 1, 0x05: 1},
}  # fmt: skip
#: What comes in front of the tags.
FIXED = {MAC: 3, RLC: 1, UMTS: 0, MAC_NR: 3, RLC_NR: 2}
#: Tags of an RLC PDU's direction, UE and channel.
WHOSE = {RLC: (0x03, 0x05, 0x07), UMTS: (0x04, 0x05, 0x06), RLC_NR: (0x02, 0x03, 0x05)}
#: rlcMode of rlc-lte and rlc-nr, and mode of umts-rlc, that number PDUs and send them again.
RLC_AM, UMTS_AM = 4, 2
UP, DOWN = "uplink", "downlink"
SCHEMA = {"t_ns": pl.Int64, "row": pl.UInt32, "layer": pl.String, "direction": pl.String, "ue": pl.Int64,
          "bytes": pl.Int64, "retx": pl.Int64, "ok": pl.Boolean, "channel": pl.Int64, "sn": pl.Int64, "key": pl.Int64,
          "sn_bits": pl.Int64}
MS = 1e6
#: Of frames whose link type says nothing at least this share has to make sense.
PLAUSIBLE = 0.8
#: The highest radio type, direction and type of RNTI in front of a MAC context.
FIXED_MAX = {MAC: (2, 1, 10), MAC_NR: (2, 1, 8)}


@dataclass(frozen=True)
class RadioCapture:
    """PDUs of a capture: SCHEMA; times in ns since 1970."""

    path: Path
    pdus: pl.DataFrame
    cut: str | None

    def rows(self) -> list[dict[str, Any]]:
        """A row for each layer, UE and direction: counts, and what was sent again and for how long."""
        found = []
        groups = self.pdus.group_by("layer", "ue", "direction", maintain_order=True)
        for (layer, ue, direction), pdus in groups:
            blocks = _blocks(pdus)
            again_ns = (blocks["last_ns"] - blocks["first_ns"]).filter(blocks["times"] > 1).to_numpy()
            told = layer != MAC_NR
            row = {
                "capture": str(self.path), "layer": layer, "ue": ue, "direction": direction, "pdus": len(pdus),
                "bytes": int(pdus["bytes"].sum()),
                "sent_again": int((blocks["times"] - 1).sum()) if told else None,
                "sent_again_share": float((blocks["times"] - 1).sum() / len(pdus)) if told else None,
                "failed": int((~pdus["ok"]).sum()) if pdus["ok"].null_count() < len(pdus) else None,
            }  # fmt: skip
            if len(again_ns):
                row |= {"repair_p50_ms": float(np.median(again_ns)) / MS,
                        "repair_p99_ms": float(np.percentile(again_ns, 99)) / MS,
                        "repair_max_ms": float(again_ns.max()) / MS}
            found.append(row)
        return found


def _blocks(pdus: pl.DataFrame) -> pl.DataFrame:
    """Each block or PDU once: when it was sent first and last, and how often.

    MAC says which transmissions are repetitions; a repetition belongs to the last first transmission of the same
    content. In RLC AM a PDU has its sequence number, of which neighbours are less than half of all apart.
    Segments of NR have that of their SDU, and an offset as their key.
    """
    if pdus["layer"][0] == MAC:
        named = pdus.filter(pl.col("retx").is_not_null())
        turn = (pl.col("retx") == 0).cast(pl.Int64).cum_sum().over("key")
        return named.with_columns(turn=turn).group_by("key", "turn", maintain_order=True).agg(
            first_ns=pl.col("t_ns").min(), last_ns=pl.col("t_ns").max(), times=pl.len().cast(pl.Int64))
    named = pdus.filter(pl.col("sn").is_not_null())
    numbers = pl.lit(2, pl.Int64) ** pl.col("sn_bits")
    step = ((pl.col("sn").diff() + numbers // 2) % numbers - numbers // 2).fill_null(pl.col("sn"))
    return named.with_columns(position=step.cum_sum().over("channel")).group_by(
        "channel", "position", "key", maintain_order=True).agg(
        first_ns=pl.col("t_ns").min(), last_ns=pl.col("t_ns").max(), times=pl.len().cast(pl.Int64))


def read_radio(path: Path, records: Records, datagrams: np.ndarray | None = None) -> RadioCapture:
    """PDUs of a capture; a capture of IP may have them in UDP packets.

    Args:
        datagrams: places of packets with UDP, where they are known.
    """
    if datagrams is not None and not set(records.links) & RADIO_LINKS:
        records = records.at(datagrams)
    rows = list(_pdus(records))
    if set(records.links) & set(USER_LINKS) and len(rows) < PLAUSIBLE * len(records):
        rows = []  # something else, of which some frames look like contexts
    return RadioCapture(path, pl.DataFrame(rows, schema=SCHEMA, orient="row"), records.cut)


def _pdus(records: Records) -> Iterator[tuple[Any, ...]]:
    content = records.content.data
    radio = set(records.links) & RADIO_LINKS
    rows = np.arange(len(records)) if radio else _framed_in_udp(records)
    table = (records.t_ns, records.start, records.captured, records.link)
    for row, t_ns, begin, captured, link in zip(rows.tolist(), *(column[rows].tolist() for column in table),
                                                strict=True):
        frame = bytes(content[begin : begin + captured])
        found = _start(frame, link)
        if found is not None and (pdu := _context(frame, *found)) is not None:
            yield (t_ns, row, *pdu)


def _framed_in_udp(records: Records) -> np.ndarray:
    """Records whose bytes behind a UDP header begin as a framed PDU; looked for where its payload usually begins."""
    starts = [np.frombuffer(name.encode()[:7], dtype=np.uint8) for name in TAGS]
    hit = np.zeros(len(records), dtype=bool)
    end = records.start + records.captured
    for offset in (28, 42, 44, 48, 62):
        at = np.flatnonzero((end - records.start) > offset + 12)
        have = np.stack([records.content[records.start[at] + offset + i] for i in range(7)], axis=1)
        for start in starts:
            hit[at] |= (have[:, : len(start)] == start).all(axis=1)
    return np.flatnonzero(hit)


def _start(frame: bytes, link: int) -> tuple[str, int] | None:
    """Which layer a frame is of, and where its context begins."""
    if link == EXPORTED:
        at, name = 0, b""
        while at + 4 <= len(frame):
            tag, length = int.from_bytes(frame[at : at + 2]), int.from_bytes(frame[at + 2 : at + 4])
            at += 4
            if tag == END:
                break
            if tag in NAMES:
                name = frame[at : at + length].rstrip(b"\0")
            at += length
        if name not in DISSECTORS:
            return None
        layer, named = DISSECTORS[name]
        start = layer.encode() if named else b""
        return (layer, at + len(start)) if frame.startswith(start, at) else None
    for layer in TAGS:
        at = frame.find(layer.encode(), 0, 80)
        if at >= 0:
            return layer, at + len(layer)
    return (MAC, 0) if link in USER_LINKS else None


def _context(frame: bytes, layer: str, at: int) -> tuple[Any, ...] | None:
    """Layer, direction, UE, bytes, attempt, whether it was decoded, channel, sequence number, key, bits of the number.

    None: no PDU.
    """
    fixed, at = frame[at : at + FIXED[layer]], at + FIXED[layer]
    values: dict[int, int] = {}
    while at < len(frame) and frame[at] != PAYLOAD:
        tag = frame[at]
        if tag not in TAGS[layer]:
            return None
        length, at = TAGS[layer][tag], at + 1
        if length is None:
            length, at = (frame[at] if at < len(frame) else 0), at + 1
        values[tag] = int.from_bytes(frame[at : at + length])
        at += length
    if at >= len(frame) or len(fixed) < FIXED[layer]:
        return None
    if layer in FIXED_MAX and (not fixed[0] or any(value > most for value, most in zip(fixed, FIXED_MAX[layer],
                                                                                       strict=True))):
        return None
    pdu = frame[at + 1 :]
    if layer in (MAC, MAC_NR):
        if not pdu:
            return None  # a preamble
        ok = None if layer == MAC_NR or 0x07 not in values else values[0x07] == 1
        ue = values.get(0x03, values.get(0x02))
        attempt = values.get(0x06) if layer == MAC else None
        return layer, DOWN if fixed[1] else UP, ue, len(pdu), attempt, ok, None, None, zlib.crc32(pdu), None
    direction, ue, channel = (values.get(tag) for tag in WHOSE[layer])
    number = _number(layer, fixed, values, pdu) if len(pdu) > 2 and pdu[0] & 0x80 else (None, None, None)
    return layer, DOWN if direction else UP, ue, len(pdu), None, None, channel or 0, *number


def _number(layer: str, fixed: bytes, values: dict[int, int], pdu: bytes) -> tuple[int | None, int | None, int | None]:
    """Sequence number of a data PDU of RLC AM, key of those that share it, and bits of the number; None of other PDUs.

    Source: TS 36.322 6.2.1.4; TS 38.322 6.2.2.4; TS 25.322 9.2.1.4
    """
    if layer == RLC and fixed[0] == RLC_AM:
        return (pdu[0] & 3) << 8 | pdu[1], None, 10
    if layer == UMTS and values.get(0x03) == UMTS_AM:
        return (pdu[0] & 0x7F) << 5 | pdu[1] >> 3, None, 12
    if layer == RLC_NR and fixed[0] == RLC_AM:
        bits, segment = fixed[1], pdu[0] >> 4 & 3
        header = 3 if bits == 18 else 2
        sn = int.from_bytes(pdu[:header]) & (1 << bits) - 1
        return sn, int.from_bytes(pdu[header : header + 2]) if segment > 1 else 0, bits
    return None, None, None
