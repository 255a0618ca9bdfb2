# SPDX-License-Identifier: GPL-2.0-or-later
"""Link traces for the TheaterQ queueing discipline: KEEP us, LATENCY ns, RATE bit/s, LOSS of 2^32 - 1, LIMIT packets.

Source: TheaterQ
"""

from __future__ import annotations

from pathlib import Path

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from ..delivery import Way, ways
from ..format import Format

STEP_NS = 100_000_000
LOSS_MAX = 2**32 - 1
HEADER = "# KEEP,LATENCY,RATE,LOSS,LIMIT"
#: Drops that the discipline makes by itself, from its LIMIT.
BY_QUEUE = "queue_full"


def write(bundle: Bundle, node: str, stem: Inside) -> list[Path]:
    """`<stem>.up.csv` and `.down.csv`; a way without a delivered packet has no file.

    Raises:
        DataError: neither has one.
    """
    radio = bundle.settings["radio"]
    limit = (radio.get("utran") or radio.get("rlc") or {}).get("queue_pkts", 1000)
    written = []
    for way in ways(bundle, node):
        lines = entries(way, limit)
        if lines:
            path = stem.with_name(f"{stem.name}.{way.name}.csv")
            path.write("\n".join([HEADER, *(",".join(map(str, line)) for line in lines), ""]))
            written.append(path.path)
    if not written:
        raise DataError(f"{bundle.path}: no packet was delivered for {node}; choose a node with traffic")
    return written


def entries(way: Way, limit: int) -> list[tuple[int, int, int, int, int]]:
    """One entry for each 100 ms with a delivery; a stretch without one belongs to the next entry, whose rate it lowers.

    Latency is the least delay in the entry: what is above it was waiting, which the discipline makes by itself.
    """
    delivered = way.delivered
    if delivered.is_empty():
        return []
    out = delivered["out_ns"].to_numpy()
    delay = (delivered["out_ns"] - delivered["in_ns"]).to_numpy()
    size = delivered["bytes"].to_numpy()
    lost = [t for t, why in way.packets.select("in_ns", "drop").iter_rows() if why not in (None, BY_QUEUE)]
    found, start_ns, first = [], 0, 0
    while first < len(out):
        end_ns = (int(out[first]) // STEP_NS + 1) * STEP_NS
        last = int(out.searchsorted(end_ns))
        n_lost = sum(start_ns <= t < end_ns for t in lost)
        span_ns = end_ns - start_ns
        found.append((span_ns // 1000, int(delay[first:last].min()),
                      int(size[first:last].sum()) * 8_000_000_000 // span_ns,
                      round(LOSS_MAX * n_lost / (n_lost + last - first)), limit))
        start_ns, first = end_ns, last
    return found


FORMAT = Format(write)
