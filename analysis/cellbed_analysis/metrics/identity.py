# SPDX-License-Identifier: GPL-2.0-or-later
"""Columns that say which run a row is of: its scenario, variant, modes, seed, lab and every parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow
from cellbed_formats.size import parse_size

from .metric import Metric
from .names import short_names

#: What the name of a variant stands for where modes change, and no combination of modes names it.
BY_VARIANT = "tcp.congestion_control", "tcp.sysctls", "radio.mode_switch.flush"


IDENTITY = (
    Metric("bundle", "", "directory name of the run's bundle"),
    Metric("run_id", "", "identity hash of the run"),
    Metric("scenario", "", "scenario id"),
    Metric("variant", "", "variant name given by the scenario's sweep"),
    Metric("combination", "", "modes of the data and the ACK flow, e.g. DM-IM"),
    Metric("point", "", "swept parameters besides the modes and the window, e.g. mss=536"),
    Metric("shown_point", "", "those of them that the variant's name does not stand for, as tables show them"),
    Metric("data_mode", "", "mode of the sending UE: DM or IM"),
    Metric("ack_mode", "", "mode of the receiving UE: DM or IM"),
    Metric("receive_window_bytes", "bytes", "configured TCP receive window"),
    Metric("congestion_control", "", "congestion control in use by the flow"),
    Metric("seed", "1", "seed"),
    Metric("lab", "", "virtual, native or vm"),
    Metric("validity", "", "the lab's verdict: valid or invalid"),
    Metric("outcome", "", "complete or failed"),
    Metric("status", "", "usable, invalid, failed, unreadable, or superseded by a newer run of that name"),
    Metric("usable", "", "may enter averages"),
    Metric("created", "", "when the run began"),
    Metric("kernel", "", "kernel release that ran the TCP"),
    Metric("window_start_s", "s", "start of the window that the metrics look at, after t = 0"),
    Metric("window_s", "s", "length of that window"),
    Metric("wall_s", "s", "wall time of the run"),
)


def identity(bundle: Bundle, flow: Flow | None = None) -> dict[str, Any]:
    """Columns that say which run this is, and every parameter.

    Args:
        flow: whose row it is; None: that of the first flow that the scenario names.
    """
    manifest, settings = bundle.manifest, bundle.settings
    if flow is None and bundle.flows:
        flow = bundle.flows[0]
    modes = flow_modes(bundle)
    window = settings.get("tcp", {}).get("receive_window")
    params, besides = manifest.get("params", {}), BY_VARIANT if modes_change(bundle) else ()
    return {
        "bundle": bundle.path.name,
        "run_id": manifest["id"],
        "scenario": bundle.scenario_id,
        "variant": manifest["variant"],
        "combination": "-".join(modes) if modes else None,
        "point": swept_point(params, besides),
        "shown_point": swept_point(params, (*besides, *manifest.get("variant_keys", ()))),
        "data_mode": modes[0] if modes else None,
        "ack_mode": modes[1] if modes else None,
        "receive_window_bytes": None if window is None else parse_size(window),
        "congestion_control": flow.congestion_control if flow is not None else None,
        "seed": manifest["seed"],
        "lab": manifest["lab"],
        "validity": bundle.validity_verdict,
        "outcome": manifest["outcome"],
        "status": "usable" if bundle.valid else bundle.validity_verdict if bundle.complete else "failed",
        "usable": bundle.valid,
        "created": manifest.get("created"),
        "kernel": manifest.get("kernel", {}).get("release"),
        "wall_s": manifest.get("wall_s"),
        **{f"param.{key}": value for key, value in scalars(settings)},
    }


def swept_point(params: dict[str, Any], besides: Sequence[str] = ()) -> str:
    """Swept parameters that have no column of their own, e.g. "mss=536, trailing_bsr=False".

    Args:
        params: swept keys and values.
        besides: keys that the variant's name stands for.
    """
    columns = ("mode", "receive_window")
    rest = [key for key in params if key not in besides and key.rpartition(".")[2] not in columns]
    return ", ".join(f"{name}={params[key]}" for name, key in sorted((n, k) for k, n in short_names(rest).items()))


def modes_change(bundle: Bundle) -> bool:
    """Whether modes may change during the run: the eNB selects them, or events do."""
    settings = bundle.settings.get("radio", {})
    return bool(settings.get("mode_switch", {}).get("select_ms") or settings.get("events"))


def flow_modes(bundle: Bundle) -> tuple[str, str] | None:
    """Modes of the first flow's sender and receiver: ("DM", "IM") for data DM, ACKs IM; None when they may change."""
    ues = bundle.settings.get("radio", {}).get("ues", {})
    if not bundle.flows or not ues or modes_change(bundle):
        return None
    flow = bundle.flows[0]
    if flow.source not in ues or flow.sink not in ues:
        return None
    return ues[flow.source]["mode"].upper(), ues[flow.sink]["mode"].upper()


def scalars(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values of all scalars in nested mappings and lists."""
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(str(i), v) for i, v in enumerate(value)]
    else:
        yield prefix, value
        return
    for key, inner in items:
        yield from scalars(inner, f"{prefix}.{key}" if prefix else str(key))
