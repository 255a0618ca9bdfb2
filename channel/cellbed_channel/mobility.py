# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the UEs are over time. Metres and seconds in a plane; the eNB is at (0, 0).

Square roots are correctly rounded everywhere, so positions and distances are the same bits on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from .error import ParameterError
from .stream import stream

ENB = "enb"
Positions = dict[str, np.ndarray]  # node name -> (n, 2) metres


class Mobility(Protocol):
    """Positions of every UE at given times."""

    def positions(self, t_s: np.ndarray) -> Positions: ...


def distance_m(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distance of two nodes at each time."""
    offset = a - b
    return np.sqrt(offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1])


@dataclass(frozen=True)
class Static:
    """UEs that stay where they are.

    Attributes:
        places: UE name -> (x, y) in metres.
    """

    places: Mapping[str, tuple[float, float]]

    def positions(self, t_s: np.ndarray) -> Positions:
        return {name: np.tile(np.array(place, dtype=float), (len(t_s), 1)) for name, place in self.places.items()}


@dataclass(frozen=True)
class SwingParameters:
    """Two UEs that swing back and forth on a line.

    Source: Nardini, section IV: start 300 m from the eNB, 3 m/s, a distance between the UEs within 30 m and 160 m.

    The paper does not specify, and here is chosen:
        Which line: square to the way to the eNB, the UEs on both sides of its nearest point. Each UE then stays
            between 300.0 m and 310.1 m from the eNB, which is what a constant uplink CQI asks for; on a line through
            the eNB the uplink would vary by as much as the direct link.
        Who moves: both, in opposite directions, each at `speed_mps`; their distance changes twice as fast.
        Where they start: near each other, as in the mode switching example that comes with the paper's simulator.

    Attributes:
        distance_m: least and greatest distance of the UEs.
        enb_distance_m: of each UE from the eNB at the start.
        speed_mps: of each UE.
        start: at the least (near) or the greatest (far) distance.
    """

    distance_m: tuple[float, float] = (30.0, 160.0)
    enb_distance_m: float = 300.0
    speed_mps: float = 3.0
    start: Literal["near", "far"] = "near"


class Swing:
    """Positions of two UEs that swing; see SwingParameters."""

    def __init__(self, pair: tuple[str, str], parameters: SwingParameters) -> None:
        """Check the parameters.

        Raises:
            ParameterError: a distance or speed that is impossible.
        """
        near, far = parameters.distance_m
        if not 0 < near < far:
            raise ParameterError("swing.distance_m", [near, far], "two distances above 0, the first one less")
        if parameters.speed_mps <= 0:
            raise ParameterError("swing.speed_mps", parameters.speed_mps, "more than 0")
        start = near if parameters.start == "near" else far
        if parameters.enb_distance_m <= start / 2:
            raise ParameterError("swing.enb_distance_m", parameters.enb_distance_m, f"more than {start / 2:g}, half "
                                 "the distance of the UEs at the start")
        self.pair, self.parameters = pair, parameters
        self.line_m = math.sqrt(parameters.enb_distance_m * parameters.enb_distance_m - start * start / 4)

    def ue_distance_m(self, t_s: np.ndarray) -> np.ndarray:
        """Distance of the two UEs: a triangle wave."""
        near, far = self.parameters.distance_m
        span = far - near
        phase = 2 * self.parameters.speed_mps * t_s + (0.0 if self.parameters.start == "near" else span)
        folded = np.mod(phase, 2 * span)
        return near + np.minimum(folded, 2 * span - folded)

    def positions(self, t_s: np.ndarray) -> Positions:
        half = self.ue_distance_m(t_s) / 2
        line = np.full(len(t_s), self.line_m)
        return {self.pair[0]: np.column_stack([-half, line]), self.pair[1]: np.column_stack([half, line])}


class BoxWalk:
    """A UE that walks at random in a square box. Source: Li et al, section III (20 m, 3 km/h, random directions).

    A leg in a new direction begins every `leg_m`; at the box's edge the UE is reflected. The paper leaves both open,
    and where the UE starts: here in the centre. Legs of 1 m are the default of its simulator's random walk.

    Directions are drawn as points of a disc, so that no sine moves a position.
    """

    def __init__(self, seed: int, ue: str, centre: tuple[float, float], box_m: float, speed_mps: float,
                 leg_m: float = 1.0) -> None:
        for name, value in (("box_m", box_m), ("speed_mps", speed_mps), ("leg_m", leg_m)):
            if value <= 0:
                raise ParameterError(f"cell_edge.{name}", value, "more than 0")
        self.seed, self.ue, self.centre, self.box_m = seed, ue, centre, box_m
        self.speed_mps, self.leg_m = speed_mps, leg_m

    def _corners(self, legs: int) -> np.ndarray:
        """Where each leg begins, as if there were no edges."""
        source = stream(self.seed, f"walk/{self.ue}")
        corners, directions = np.zeros((legs + 1, 2)), np.zeros((legs, 2))
        for i in range(legs):
            square = 2.0
            while not 0.01 < square <= 1.0:
                x, y = 2.0 * source.random() - 1.0, 2.0 * source.random() - 1.0
                square = x * x + y * y
            directions[i] = np.array([x, y]) / math.sqrt(square)
        corners[1:] = np.cumsum(directions * self.leg_m, axis=0)
        return corners

    def positions(self, t_s: np.ndarray) -> Positions:
        way = t_s * (self.speed_mps / self.leg_m)
        leg = np.floor(way).astype(np.int64)
        corners = self._corners(int(leg.max(initial=0)) + 1)
        along = (way - leg)[:, None]
        free = corners[leg] + along * (corners[leg + 1] - corners[leg])
        phase = np.mod(free + self.box_m / 2, 2 * self.box_m)
        folded = np.minimum(phase, 2 * self.box_m - phase) - self.box_m / 2
        return {self.ue: folded + np.array(self.centre)}
