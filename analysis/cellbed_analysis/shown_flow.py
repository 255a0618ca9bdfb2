# SPDX-License-Identifier: GPL-2.0-or-later
"""Which flow of a run is shown over time: of a command's run, whose connections nobody named, that with most."""

from __future__ import annotations

import ipaddress

import polars as pl

from .bundle import Bundle, Flow

#: Of a run without a TCP connection: only the radio is shown.
NO_TRANSPORT = "none"


def shown_flow(bundle: Bundle) -> Flow:
    """The run's first flow, else its largest connection, else the first UE's link with nothing sent over it."""
    if bundle.flows:
        return bundle.flows[0]
    clock = bundle.manifest["clock"]
    times = {"start_ns": bundle.start_ns, "end_ns": int(clock["end_ns"])}
    largest = _largest(bundle)
    if largest is None:
        ue = next(iter(bundle.ue_numbers), "")
        return Flow("link", "command", ue, "", 0, 0, 0, **times, transport=NO_TRANSPORT)
    names = {
        str(node.get("address") or "").split("/")[0]: name for name, node in bundle.settings.get("nodes", {}).items()
    }
    ends = [str(ipaddress.IPv4Address(largest[end])) for end in ("saddr", "daddr")]
    source, sink = (names.get(address, address) for address in ends)
    return Flow(
        f"{source} to {sink}:{largest['dport']}", "command", source, sink, largest["saddr"], largest["daddr"],
        largest["dport"], **times, sport=largest["sport"],
    )  # fmt: skip


def _largest(bundle: Bundle) -> dict[str, int] | None:
    """The sending end of the connection with most packets delivered; None without any."""
    if not (bundle.path / "tcp.trace").is_file():
        return None
    ends = ["saddr", "daddr", "sport", "dport"]
    found = bundle.tcp.group_by(ends).agg(pl.col("delivered").max()).sort("delivered", *ends)
    return found.row(-1, named=True) if len(found) and found["delivered"][-1] > 0 else None
