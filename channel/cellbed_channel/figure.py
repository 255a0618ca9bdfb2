# SPDX-License-Identifier: GPL-2.0-or-later
"""Distances, SINR and CQI over time, from a channel trace alone; the radio environment of the cell edge as a map."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cellbed_formats.inside import Inside

from .cell_edge import CellEdgeParameters, strongest_db
from .error import ParameterError
from .link import DIRECTIONS
from .mobility import ENB, distance_m
from .render import Cell, Parameters, mobility_of
from .trace import UNKNOWN_SINR, ChannelTrace, read

# Colours of Okabe and Ito, and a line style each.
_STYLE = {"ul": ("#0072B2", "-"), "dl": ("#E69F00", "--"), "sl": ("#009E73", "-.")}
_POINTS = 2000
_MAP_DB = (-5.0, 20.0)
# Distances of the boxes. Source: Li et al, section III
_BOXES_M = range(40, 301, 20)


def draw(trace: ChannelTrace | Path | Inside, ue: str | None = None, offset_s: float = 0.0) -> Figure:
    """Draw one UE's directions: distances where they are known (not for measured channels), SINR, CQI.

    Args:
        trace: a channel trace, or its file.
        ue: name; None for the first UE of the trace.
        offset_s: time of the trace that counts as 0, such as the start of the traffic.

    Raises:
        ChannelError: the file is no channel trace, or has no such UE.
    """
    found = read(trace) if isinstance(trace, Path | Inside) else trace
    numbers = {name: number for number, name in found.ues.items()}
    name = ue if ue is not None else found.ues[min(found.ues)]
    if name not in numbers:
        raise ParameterError("ue", name, ", ".join(numbers))
    distances = _distances(found, name)
    figure = Figure(figsize=(7.2, 5.4 if distances else 3.8), layout="constrained")
    panels = figure.subplots(3 if distances else 2, 1, sharex=True)
    if distances:
        _draw_distances(panels[0], distances, offset_s)
    _draw_values(panels[-2], panels[-1], found, numbers[name], offset_s)
    for panel in panels:
        panel.grid(alpha=0.25, linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_title(f"Links of {name}", loc="left")
    panels[-1].set_xlabel("time (s)")
    return figure


def draw_map(parameters: CellEdgeParameters | None = None, n_rb: int = 50, spacing_m: float = 10.0) -> Figure:
    """Draw where the strongest cell has what SINR, like Figure 2 of Li et al, and the boxes of its UEs.

    Args:
        parameters: None for the defaults.
        spacing_m: of the points.
    """
    edge = parameters if parameters is not None else CellEdgeParameters()
    reach = edge.inter_site_m * (edge.tiers + 0.6)
    line = np.arange(-reach, reach + spacing_m / 2, spacing_m)
    x, y = np.meshgrid(line, line)
    places = np.column_stack([x.ravel(), y.ravel()])
    db = np.concatenate([strongest_db(edge, part, n_rb) for part in np.array_split(places, len(line))])
    figure = Figure(figsize=(6.6, 5.6), layout="constrained")
    axes = figure.subplots()
    shown = axes.pcolormesh(line, line, db.reshape(x.shape), vmin=_MAP_DB[0], vmax=_MAP_DB[1], cmap="viridis",
                            shading="nearest", rasterized=True)
    figure.colorbar(shown, label="SINR of the strongest cell (dB)", extend="both")
    sites = edge.layout().sites()
    axes.plot(sites[:, 0], sites[:, 1], "^", color="white", markeredgecolor="black", markersize=6, label="site")
    angle = np.radians(edge.azimuth_deg)
    centres = np.outer(_BOXES_M, [np.cos(angle), np.sin(angle)])
    axes.plot(centres[:, 0], centres[:, 1], "s", color="#D55E00", markersize=3, label="boxes of the UE")
    axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    axes.set_title(f"Downlink, {edge.inter_site_m:g} m between sites, {edge.dl_carrier_ghz:g} GHz", loc="left")
    axes.legend(loc="upper right", fontsize="small")
    return figure


def _end_s(trace: ChannelTrace) -> float:
    last = int(trace.records["t_ns"].max(initial=0)) / 1e9
    return float(trace.model.get("duration_s", last)) or 1.0


def _distances(trace: ChannelTrace, ue: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Times and distances from a UE to the eNB and to its peer, {} when the trace has no positions."""
    model = trace.model
    if not model or model["parameters"]["model"] in ("trace", "route"):
        return {}
    parameters = Parameters.from_dict(model["parameters"])
    cell = Cell(model["peers"], model["n_rb"])
    t_s = np.linspace(0.0, _end_s(trace), _POINTS)
    places = mobility_of(parameters, cell.peers, model["seed"]).positions(t_s)
    places[ENB] = np.zeros((len(t_s), 2))
    others = [other for other in (ENB, cell.peers[ue]) if other is not None]
    return {other: (t_s, distance_m(places[ue], places[other])) for other in others}


def _draw_distances(axes: Axes, distances: dict[str, tuple[np.ndarray, np.ndarray]], offset_s: float) -> None:
    for other, (t_s, metres) in distances.items():
        color, line = _STYLE["ul" if other == ENB else "sl"]
        axes.plot(t_s - offset_s, metres, color=color, linestyle=line, label=f"to {'eNB' if other == ENB else other}")
    axes.set_ylabel("distance (m)")
    axes.set_ylim(bottom=0)
    axes.legend(loc="upper right", fontsize="small")


def _draw_values(sinr: Axes, cqi: Axes, trace: ChannelTrace, number: int, offset_s: float) -> None:
    for direction in DIRECTIONS:
        records = trace.records_of(number, direction)
        if not len(records):
            continue
        color, line = _STYLE[direction]
        t_s = np.append(records["t_ns"] / 1e9, _end_s(trace)) - offset_s
        db = np.where(records["sinr_cdb"] == UNKNOWN_SINR, np.nan, records["sinr_cdb"] / 100.0)
        sinr.step(t_s, np.append(db, db[-1]), where="post", color=color, linestyle=line, label=direction.upper())
        cqi.step(t_s, np.append(records["cqi"], records["cqi"][-1]), where="post", color=color, linestyle=line)
    sinr.set_ylabel("SINR (dB)")
    sinr.legend(loc="upper right", fontsize="small", ncols=3)
    cqi.set_ylabel("CQI")
    cqi.set_ylim(-0.5, 15.5)
    cqi.set_yticks([0, 3, 6, 9, 12, 15])
