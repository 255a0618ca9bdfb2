# SPDX-License-Identifier: GPL-2.0-or-later
"""The life of packets where each UE has a link in place of a cell of LTE: recorded, or of constant rate.

There radio.trace has when a packet enters and when it leaves. How long it was on its way after it had waited for its
turn follows from the link's settings: the delay, and at a constant rate the time that its bits take.

Source: docs/scenario-format.md
"""

from __future__ import annotations

from typing import Any

import polars as pl

from cellbed_formats.bundle import Bundle

from .packet_path import ENB, packet_paths, radio_log

SYSTEMS = ("packet_trace", "constant_rate")
NS_PER_MS = 1_000_000
BITS_NS = 8_000_000_000  # of a byte, over bit/s


def over_links(bundle: Bundle) -> bool:
    """Whether the run's UEs have links in place of a radio network."""
    return bundle.settings.get("radio", {}).get("system") in SYSTEMS


def lives_of(bundle: Bundle) -> pl.DataFrame:
    """`packet_path.packet_paths` of a run; over links with `turn_ns` and `there_ns` of the packets that arrived."""
    log = radio_log(bundle)
    lives = packet_paths(log, len(bundle.ue_numbers))
    if not over_links(bundle):
        return lives
    radio = bundle.settings["radio"]
    entered = log.rows("pkt_in").select("pkt", ue=pl.max_horizontal("node", "peer"))
    ways = [_way_ns(radio, name, number, down) for name, number in bundle.ue_numbers.items() for down in (False, True)]
    columns = {"ue": pl.UInt8, "down": pl.Boolean, "delay_ns": pl.Int64, "byte_ns": pl.Float64}
    ways_ns = pl.DataFrame(ways, schema=columns, orient="row")
    took_ns = pl.col("delay_ns") + (pl.col("bytes") * pl.col("byte_ns")).ceil().cast(pl.Int64)
    return (
        lives.join(entered, on="pkt", how="left", maintain_order="left")
        .with_columns(down=pl.col("node") == ENB)
        .join(ways_ns, on=["ue", "down"], how="left", maintain_order="left")
        .with_columns(turn_ns=pl.col("out_ns") - took_ns, there_ns="out_ns")
        .select(lives.columns)
    )


def _way_ns(radio: dict[str, Any], name: str, number: int, down: bool) -> tuple[int, bool, int | None, float]:
    """(UE, downlink, delay and time of a byte in ns) of a link; without a delay where it is not the same for all."""
    way = "downlink" if down else "uplink"
    changes = any(event["ue"] == name and event.get(key) is not None for event in radio.get("events", ())
                  for key in ("dl_rate", "ul_rate", "delay_ms"))
    if radio["system"] == "constant_rate":
        keys = radio["constant_rate"]
        delay_ns = None if changes or _varies(keys, way) else keys["delay_ms"] * NS_PER_MS
        return number, down, delay_ns, BITS_NS / keys["dl_rate" if down else "ul_rate"]
    keys = radio.get("ues", {}).get(name, {}).get("packet_trace") or radio["packet_trace"]
    unknown = keys.get(f"{way}_trains") or changes or _varies(keys, way)
    return number, down, None if unknown else keys.get("delay_ms", 0) * NS_PER_MS, 0.0


def _varies(keys: dict[str, Any], way: str) -> bool:
    """Whether packets of a direction are delayed each by itself."""
    return bool(keys.get(f"{way}_netem") or keys.get(f"{way}_delays") or keys.get("satellite"))
