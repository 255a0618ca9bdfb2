# SPDX-License-Identifier: GPL-2.0-or-later
"""Renders the channel of a run: from parameters, UEs and seed to the records of a channel trace."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from . import blockage, cell_edge, cqi, measured, path_loss, penetration, route, trace
from .blockage import BlockageParameters
from .cell_edge import CellEdgeParameters
from .error import ParameterError
from .link import DIRECTIONS, RB_HZ, Budget, Term, centi_db, sinr_db
from .mobility import ENB, Mobility, Positions, Static, Swing, SwingParameters, distance_m
from .route import RouteParameters

# Times rendered at once: bounds the memory of a day in milliseconds.
BLOCK = 1 << 17
# Of a channel that is rendered while it is used: whole periods of measurements, and of positions at the cell edge.
WINDOW_MS = 10_000


@dataclass(frozen=True)
class PathLossParameters:
    """Which model, and whether there is line of sight.

    Attributes:
        model: a name in path_loss.MODELS. Source: Nardini, Table 1 (Urban Macro); TR 38.901.
        los: never, always, or drawn: each link draws one number u, and has line of sight wherever u is below the
            probability at that distance. The paper leaves it open; with line of sight every CQI of its section IV
            would be 15, so `never`, which its simulator's defaults are too.
        The others: as in path_loss.UrbanMacro.
    """

    model: str = "uma"
    los: path_loss.Los = "never"
    carrier_ghz: float = 2.0
    enb_height_m: float = 25.0
    ue_height_m: float = 1.5
    street_width_m: float = 20.0
    building_height_m: float = 20.0


@dataclass(frozen=True)
class CqiParameters:
    """From SINR to CQI.

    Attributes:
        table: a name in cqi.TABLES.
        ul, dl, sl: a CQI that this direction of every UE has whatever its SINR, None to follow the SINR.
    """

    table: str = "kawser"
    ul: int | None = None
    dl: int | None = None
    sl: int | None = None


@dataclass(frozen=True)
class Parameters:
    """Everything that shapes a channel but the UEs and the seed; docs/scenario-format.md explains each.

    Attributes:
        model: static (positions), swing, trace (a file), route (past several eNBs), or cell_edge, which takes nothing
            from positions, path_loss and link, and of cqi the constants only.
        granularity_ms: values change at multiples of this only. Default: one of the periods at which UEs report CQI.
            Source: TS 36.213 Table 7.2.2-1A
        trace: a channel trace or CSV file.
        positions: UE -> (x, y) in metres from the eNB.
        blockage: people or vehicles in the way of links with an eNB, in the models static, swing and route.
        penetration: UE -> what it is inside of, a name in penetration.KINDS, for the same links.
    """

    model: Literal["static", "swing", "trace", "cell_edge", "route"]
    granularity_ms: int = 10
    trace: str | None = None
    positions: Mapping[str, Sequence[float]] = field(default_factory=dict)
    swing: SwingParameters = SwingParameters()
    path_loss: PathLossParameters = PathLossParameters()
    link: Budget = Budget()
    cqi: CqiParameters = CqiParameters()
    cell_edge: CellEdgeParameters = CellEdgeParameters()
    route: RouteParameters | None = None
    blockage: BlockageParameters | None = None
    penetration: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Parameters:
        """From nested mappings, such as the `radio.channel` of a scenario's settings."""
        inner = {"swing": SwingParameters, "path_loss": PathLossParameters, "link": Budget, "cqi": CqiParameters,
                 "cell_edge": CellEdgeParameters, "blockage": BlockageParameters}
        values = {key: inner[key](**value) if key in inner and value is not None else value
                  for key, value in data.items()}
        if values.get("route") is not None:
            values["route"] = RouteParameters.from_dict(values["route"])
        if "swing" in values:
            swing = asdict(values["swing"])
            values["swing"] = SwingParameters(**{**swing, "distance_m": tuple(swing["distance_m"])})
        return cls(**values)


@dataclass(frozen=True)
class Cell:
    """Who is there.

    Attributes:
        peers: UE -> the UE it has a direct link to, None when it has none; in order of the UEs' numbers from 1.
        n_rb, rb_hz: resource blocks of the carrier, and the bandwidth of each.
        enbs: names of the eNBs in order of their numbers from 0, for the model route.
        cqi_tables: those of directions that do not have that of the parameters, as in NR.
    """

    peers: Mapping[str, str | None]
    n_rb: int = 50
    enbs: Sequence[str] = ()
    rb_hz: int = RB_HZ
    cqi_tables: Mapping[str, str] = field(default_factory=dict)

    @property
    def numbers(self) -> dict[int, str]:
        return {number: name for number, name in enumerate(self.peers, 1)}

    def links(self) -> list[tuple[int, str, str, str]]:
        """(UE number, direction, UE, other end) of every direction of every UE."""
        ends = [(number, direction, name, ENB if direction != "sl" else peer)
                for number, (name, peer) in enumerate(self.peers.items(), 1) for direction in DIRECTIONS]
        return [(number, direction, name, end) for number, direction, name, end in ends if end is not None]


@dataclass(frozen=True)
class _Walks:
    """UEs of the model cell_edge."""

    parameters: CellEdgeParameters
    ues: Sequence[str]
    seed: int

    def positions(self, t_s: np.ndarray) -> Positions:
        return {ue: self.parameters.walk(self.seed, ue).positions(t_s)[ue] for ue in self.ues}


def mobility_of(parameters: Parameters, peers: Mapping[str, str | None], seed: int = 0) -> Mobility:
    """Mobility of the UEs.

    Args:
        seed: of the run; only what is drawn follows from it.

    Raises:
        ParameterError: positions are missing, or not two UEs are there to swing.
    """
    if parameters.model == "cell_edge":
        return _Walks(parameters.cell_edge, list(peers), seed)
    if parameters.model == "swing":
        names = list(peers)
        if len(names) != 2:
            raise ParameterError("model", "swing", f"two UEs only, here are {len(names)}")
        return Swing((names[0], names[1]), parameters.swing)
    for name in peers:
        if name not in parameters.positions:
            raise ParameterError(f"positions.{name}", None, "[x, y] in metres from the eNB")
    return Static({name: (place[0], place[1]) for name, place in parameters.positions.items()})


def _loss_model(parameters: PathLossParameters) -> path_loss.PathLoss:
    options = asdict(parameters)
    del options["los"]
    return path_loss.make(**options)


def _way(parameters: PathLossParameters) -> blockage.Way:
    return blockage.Way(parameters.carrier_ghz, parameters.enb_height_m, parameters.ue_height_m)


def _physics(parameters: Parameters, cell: Cell, seed: int, t_s: np.ndarray, terms: Sequence[Term]) \
        -> list[trace.Series]:
    """Each direction from positions, path loss and link budget."""
    los = parameters.path_loss.los
    model = _loss_model(parameters.path_loss)
    tables = cqi.by_direction(parameters.cqi.table, cell.cqi_tables)
    places: Positions = mobility_of(parameters, cell.peers).positions(t_s)
    places[ENB] = np.zeros((len(t_s), 2))
    series = []
    for number, direction, ue, other in cell.links():
        distance = distance_m(places[ue], places[other])
        inside = penetration.draw(parameters.penetration.get(ue) if direction != "sl" else None, model,
                                  parameters.path_loss.carrier_ghz, seed, ue)
        sight = path_loss.sight(model, los, (ue, other), np.maximum(distance - inside.depth_m, 0.0), seed)
        loss = model.loss_db(distance, sight) + inside.loss_db
        if parameters.blockage is not None and direction != "sl":
            loss = loss + blockage.loss_db(parameters.blockage, _way(parameters.path_loss), seed, (ue, other), t_s,
                                           distance)
        sinr = centi_db(sinr_db(parameters.link, direction, cell.n_rb, loss, t_s, distance, terms, cell.rb_hz))
        series.append(trace.Series(number, direction, sinr, cqi.cqi_of(sinr, tables[direction])))
    return series


def _joined(blocks: Sequence[Sequence[trace.Series]]) -> list[trace.Series]:
    """The directions of consecutive blocks of time, end to end."""
    return [trace.Series(parts[0].ue, parts[0].direction, np.concatenate([part.sinr_cdb for part in parts]),
                         np.concatenate([part.cqi for part in parts])) for parts in zip(*blocks, strict=True)]


def _route(parameters: Parameters, cell: Cell, seed: int, times: range, folder: Path,
           each_block: Callable[[], object]) -> tuple[list[trace.Series], list[trace.Measurements]]:
    """Each direction in each cell; eNBs in the order of their numbers."""
    if parameters.route is None:
        raise ParameterError("route", None, "where the eNBs are and what way UEs take, as the model is 'route'")
    missing = [enb for enb in cell.enbs if enb not in parameters.route.enbs]
    if missing:
        raise ParameterError(f"route.enbs.{missing[0]}", None, "[x, y] in metres")
    way = replace(parameters.route, enbs={enb: parameters.route.enbs[enb] for enb in cell.enbs})
    loss, tables = parameters.path_loss, cqi.by_direction(parameters.cqi.table, cell.cqi_tables)
    radio = route.Radio(_loss_model(loss), loss.los, loss.carrier_ghz, parameters.link, tables, cell.n_rb, cell.rb_hz,
                        parameters.blockage, _way(loss), parameters.penetration)
    tracks = route.tracks_of(way, parameters.positions, list(cell.peers), folder)
    return route.render(way, radio, tracks, seed, parameters.granularity_ms, times, each_block)


def _from_file(parameters: Parameters, cell: Cell, t_ms: np.ndarray, folder: Path) -> list[trace.Series]:
    """Each direction of a file: a CSV, or a channel trace whose UEs have the same names."""
    if parameters.trace is None:
        raise ParameterError("trace", None, "a file, as the model is 'trace'")
    path = folder / parameters.trace
    if path.suffix == ".csv":
        tables = cqi.by_direction(parameters.cqi.table, cell.cqi_tables)
        return measured.sampled(measured.read_csv(path, list(cell.peers), tables), t_ms)
    found = trace.read(path)
    numbers = {name: number for number, name in cell.numbers.items()}
    directions: dict[tuple[int, str], list[tuple[float, int, int]]] = {}
    for record in found.records:
        name = found.ues.get(int(record["ue"]), "")
        if name not in numbers:
            raise ParameterError("trace", path.name, f"UEs {', '.join(numbers)}; UE {record['ue']} there is '{name}'")
        key = (numbers[name], DIRECTIONS[record["dir"]])
        directions.setdefault(key, []).append((int(record["t_ns"]) / 1e6, int(record["sinr_cdb"]), int(record["cqi"])))
    return measured.sampled(directions, t_ms)


def render(parameters: Parameters, cell: Cell, seed: int, duration_s: float, folder: Path = Path(),
           terms: Sequence[Term] = (), each_block: Callable[[], object] = lambda: None) -> np.ndarray:
    """Records of a run's channel, from sub-frame 0 for a time; the last values hold after it.

    Args:
        folder: that `parameters.trace` is relative to.
        terms: shadowing, fading, interference, as link.Term.
        each_block: called from time to time; what it raises ends the rendering.

    Raises:
        ChannelError: a parameter or a file that is wrong.
    """
    times = range(int(np.ceil(duration_s * 1000 / parameters.granularity_ms)) + 1)
    return render_times(parameters, cell, seed, times, folder, terms, each_block)


def render_times(parameters: Parameters, cell: Cell, seed: int, times: range, folder: Path = Path(),
                 terms: Sequence[Term] = (), each_block: Callable[[], object] = lambda: None) -> np.ndarray:
    """Records of some steps in a row, the first a multiple of WINDOW_MS; each direction has one at the first of them.

    Args, raises: as `render`.
    """
    t_ms = np.arange(times.start, times.stop, dtype=np.int64) * parameters.granularity_ms
    reports: list[trace.Measurements] = []
    if parameters.model == "trace":
        series = _from_file(parameters, cell, t_ms, folder)
    elif parameters.model == "cell_edge":
        series = cell_edge.render(parameters.cell_edge, cell.peers, cell.n_rb, seed, parameters.granularity_ms, times,
                                  each_block)
    elif parameters.model == "route":
        series, reports = _route(parameters, cell, seed, times, folder, each_block)
    else:
        blocks = []
        for at in range(0, len(times), BLOCK):
            each_block()
            blocks.append(_physics(parameters, cell, seed, t_ms[at : at + BLOCK] / 1000.0, terms))
        series = _joined(blocks)
    fixed = {direction: getattr(parameters.cqi, direction) for direction in DIRECTIONS}
    series = [one if fixed[one.direction] is None
              else replace(one, cqi=np.full_like(one.cqi, fixed[one.direction]))
              for one in series]
    return trace.changes(t_ms * 1_000_000, series, reports)


def _kept(parameters: Parameters) -> dict[str, Any]:
    """What the header says of them: nothing of what a channel does not have, as its bytes are older than that."""
    kept = asdict(parameters)
    if parameters.model != "cell_edge":
        del kept["cell_edge"]
    if parameters.blockage is None:
        del kept["blockage"]
    if not parameters.penetration:
        del kept["penetration"]
    if parameters.model != "route":
        del kept["route"]
    elif parameters.route is not None:
        if parameters.route.fading_profile == RouteParameters.fading_profile:
            del kept["route"]["fading_profile"], kept["route"]["delay_spread_ns"]
        for name in ("shadowing", "interferers", "rx_antennas", "beam_gain_db", "beams", "load_users"):
            if kept["route"][name] == getattr(RouteParameters, name):
                del kept["route"][name]
        if parameters.route.load_users is None:
            del kept["route"]["load_busy_ms"]
    return kept


def made_from(parameters: Parameters, cell: Cell, seed: int, duration_s: float | None) -> dict[str, Any]:
    """What the header of a trace says that it was made from; duration_s: None where it has no end."""
    tables = {"cqi_tables": dict(cell.cqi_tables)} if cell.cqi_tables else {}
    return {"parameters": _kept(parameters), "peers": dict(cell.peers), "n_rb": cell.n_rb, "seed": seed,
            "duration_s": duration_s, **tables}


def render_file(path: Path, parameters: Parameters, cell: Cell, seed: int, duration_s: float,
                folder: Path = Path(), each_block: Callable[[], object] = lambda: None) -> None:
    """Render into a channel trace, whose header keeps what it was made from.

    Raises:
        ChannelError: as `render`.
    """
    records = render(parameters, cell, seed, duration_s, folder, each_block=each_block)
    trace.write(path, records, cell.numbers, made_from(parameters, cell, seed, duration_s), _enbs(parameters, cell))


def _enbs(parameters: Parameters, cell: Cell) -> Sequence[str]:
    return cell.enbs if parameters.model == "route" else ()


def grow(path: Path, parameters: Parameters, cell: Cell, seed: int, folder: Path = Path()) -> Iterator[float]:
    """Write a channel trace that has no end, while it is read: with each step a window more.

    Values are those of `render_file` but for rounding, and some are said twice.

    Yields: how many seconds of it are there.

    Raises:
        ChannelError: as `render`.
    """
    steps = max(1, WINDOW_MS // parameters.granularity_ms)
    rest = np.zeros(0, dtype=trace.RECORD)
    head = made_from(parameters, cell, seed, None)
    with trace.begin(path, cell.numbers, head, _enbs(parameters, cell)) as file:
        for first in itertools.count(0, steps):
            end_ms = (first + steps) * parameters.granularity_ms
            records = render_times(parameters, cell, seed, range(first, first + steps), folder)
            records = trace.in_order(np.concatenate([rest, records]))
            late = records["t_ns"] >= end_ms * 1_000_000  # measured when the next window begins
            rest = records[late]
            file.write(records[~late].tobytes())
            file.flush()
            yield end_ms / 1000.0
