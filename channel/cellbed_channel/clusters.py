# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways by which a wave comes from a base station to a UE: the direct one and those by what reflects it, the clusters.

Each has a share of the power, an angle at which it leaves and one at which it arrives, in the plane. All of them belong
to places: who comes by again finds the same ones, and they change over the distance that the report gives. They are
drawn for the corners of squares of 1 m; within a square they change evenly, so that no step of centimetres is a jump.

    share:   u^(r - 1) 10^(-z / 10),  u uniform in 0..1, z Gaussian; with line of sight the first one has K / (K + 1)
    angle:   +-(2 spread / 1.4) sqrt(-ln(share / greatest share)) / C + Gaussian of spread / 7,  off the direct way

Source: TR 38.901 7.5 steps 4 to 7 (7.5-5 with a delay of -r DS ln u, 7.5-8, 7.5-9, 7.5-11, 7.5-12), 7.6.3.1
Elevations, rays within a cluster, and correlations between spreads, K and shadowing are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import large_scale, shadowing
from .error import ParameterError
from .stream import stream
from .tr38901 import Macroscopic

_SPREAD_MAX_DEG = 104.0  # Source: TR 38.901 7.5 step 4
_SQUARE_M = 1.0
_OPPOSITE_DEG = 180.0
_WIDER = 2.0 / 1.4  # of the angles than their spread. Source: TR 38.901 7.5-9


class _Squares:
    """Places within squares."""

    def __init__(self, places: np.ndarray) -> None:
        low = np.floor(places / _SQUARE_M)
        beyond = places / _SQUARE_M - low
        x, y = beyond[:, 0], beyond[:, 1]
        corners = np.concatenate([low + corner for corner in ((0, 0), (1, 0), (0, 1), (1, 1))])
        self.corners_m, which = np.unique(corners, axis=0, return_inverse=True)
        self.corners_m *= _SQUARE_M
        self.which = which.reshape(4, -1)
        self.weights = np.stack([(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y])

    def field(self, seed: int, name: str, decorrelation_m: float) -> np.ndarray:
        """As shadowing.field, at the places."""
        found = shadowing.field(seed, name, self.corners_m, decorrelation_m)
        return np.asarray((found[self.which] * self.weights).sum(axis=0))


class _Log(NamedTuple):
    """Mean or deviation of a base-10 logarithm: slope log10(above + f) + at, f in GHz."""

    at: float
    slope: float = 0.0
    above: float = 0.0

    def of(self, carrier_ghz: float) -> float:
        return self.slope * math.log10(self.above + carrier_ghz) + self.at


@dataclass(frozen=True)
class _Table:
    """One state of a model.

    Attributes:
        count: of clusters.
        delay_ratio: r above.
        angle_scale: C above; that of `count`. Source: TR 38.901 Table 7.5-2
        departure, arrival: spreads in degrees, mean and deviation of their logarithms.
        k_db: mean and deviation of K, with line of sight.
        correlation_m: over which everything changes. Source: TR 38.901 Table 7.6.3.1-2 (cluster and ray specific)
    """

    count: int
    delay_ratio: float
    angle_scale: float
    departure: tuple[_Log, _Log]
    arrival: tuple[_Log, _Log]
    correlation_m: float
    k_db: tuple[float, float] | None = None


_SHADOWING_DB = 3.0  # deviation of z above
# With and without line of sight, and the least carrier of which the spreads are known. Source: TR 38.901 Table 7.5-6
_TABLES: dict[str, tuple[float, _Table, _Table]] = {
    "umi_38901": (
        2.0,
        _Table(12, 3.0, 1.146, (_Log(1.21, -0.05, 1.0), _Log(0.41)), (_Log(1.73, -0.08, 1.0), _Log(0.28, 0.014, 1.0)),
               12.0, (9.0, 5.0)),
        _Table(19, 2.1, 1.273, (_Log(1.53, -0.23, 1.0), _Log(0.33, 0.11, 1.0)),
               (_Log(1.81, -0.08, 1.0), _Log(0.3, 0.05, 1.0)), 15.0)),
    "uma_38901": (
        6.0,
        _Table(12, 2.5, 1.146, (_Log(1.06, 0.1114), _Log(0.28)), (_Log(1.81), _Log(0.20)), 40.0, (9.0, 3.5)),
        _Table(20, 2.3, 1.289, (_Log(1.5, -0.1144), _Log(0.28)), (_Log(2.08, -0.27), _Log(0.11)), 50.0)),
    "rma_38901": (
        0.5,
        _Table(11, 3.8, 1.123, (_Log(0.90), _Log(0.38)), (_Log(1.52), _Log(0.24)), 50.0, (7.0, 4.0)),
        _Table(10, 1.7, 1.090, (_Log(0.95), _Log(0.45)), (_Log(1.52), _Log(0.13)), 60.0)),
}
MODELS = tuple(_TABLES)
_MOST = max(table.count for _, *states in _TABLES.values() for table in states)


@dataclass(frozen=True)
class Clusters:
    """(places, clusters): shares, 1 in all at each place, and angles off the direct way in degrees. The first cluster
    has the direct way, where there is line of sight."""

    share: np.ndarray
    departure_deg: np.ndarray
    arrival_deg: np.ndarray


def at(model: Macroscopic, seed: int, site: str, places: np.ndarray, sight: np.ndarray) -> Clusters:
    """Clusters between a site and (n, 2) places, each with or without line of sight.

    Raises:
        ParameterError: the report's angles are not known here for this model.
    """
    if model.NAME not in _TABLES:
        raise ParameterError("path_loss.model", model.NAME, f"{', '.join(MODELS)} with route.beams")
    least_ghz, *tables = _TABLES[model.NAME]
    found = Clusters(*(np.zeros((len(places), _MOST)) for _ in range(3)))
    for table, name, there in zip(tables, ("los", "nlos"), (sight, ~sight), strict=True):
        if there.any():
            state = _state(table, max(model.carrier_ghz, least_ghz), seed, f"clusters/{site}/{name}", places[there])
            for column, values in zip((found.share, found.departure_deg, found.arrival_deg), state, strict=True):
                column[there, :table.count] = values
    return found


def _state(table: _Table, carrier_ghz: float, seed: int, name: str, places: np.ndarray) \
        -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As in Clusters."""
    squares = _Squares(places)

    def field(what: str) -> np.ndarray:
        return squares.field(seed, f"{name}/{what}", table.correlation_m)

    def each(what: str) -> np.ndarray:
        return np.column_stack([field(f"{number}/{what}") for number in range(table.count)])

    early = np.maximum(large_scale.share_below(each("delay")), 1e-12)
    power = early ** (table.delay_ratio - 1.0) * 10.0 ** (-_SHADOWING_DB / 10.0 * each("shadowing"))
    share = power / power.sum(axis=1, keepdims=True)
    scale = np.full(len(places), table.angle_scale)
    if table.k_db is not None:
        k_db = table.k_db[0] + table.k_db[1] * field("k")
        direct = 1.0 / (1.0 + 10.0 ** (-k_db / 10.0))
        share = share * (1.0 - direct)[:, None]
        share[:, 0] += direct
        scale = scale * (1.1035 - 0.028 * k_db - 0.002 * k_db ** 2 + 0.0001 * k_db ** 3)  # Source: TR 38.901 7.5-10
    off = np.sqrt(-np.log(share / share.max(axis=1, keepdims=True))) / scale[:, None]
    departure, arrival = (
        _angles(table, spread, carrier_ghz, off, field(kind), each(kind), stream(seed, f"{name}/{kind}/side"))
        for kind, spread in (("departure", table.departure), ("arrival", table.arrival)))
    return share, departure, arrival


def _angles(table: _Table, spread: tuple[_Log, _Log], carrier_ghz: float, off: np.ndarray, wide: np.ndarray,
            more: np.ndarray, sides: np.random.Generator) -> np.ndarray:
    """Degrees off the direct way. Each cluster is on one side of it everywhere. The weakest are opposite: with a high K
    the formula has them turn round and round."""
    mean, deviation = (value.of(carrier_ghz) for value in spread)
    spread_deg = np.minimum(10.0 ** (mean + deviation * wide), _SPREAD_MAX_DEG)[:, None]
    side = np.where(np.array([sides.random() for _ in range(table.count)]) < 0.5, -1.0, 1.0)
    angle = side * np.minimum(_WIDER * spread_deg * off, _OPPOSITE_DEG) + spread_deg * more / 7.0
    return angle - angle[:, :1] if table.k_db is not None else angle
