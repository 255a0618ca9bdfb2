# SPDX-License-Identifier: GPL-2.0-or-later
"""People and vehicles that step into a link's way, each a screen with four edges at which the wave is diffracted.

    loss = -20 log10(1 - (F_h1 + F_h2)(F_w1 + F_w2)),   F = atan(+-pi/2 sqrt(pi / wavelength (D1 + D2 - r))) / pi

where D1 + D2 is the way by an edge and r the straight one, for the heights seen from the side and for the widths seen
from above. F is positive behind the screen, and negative at the nearer edge where the screen is beside the way. So a
blocker takes effect before it is in the way, and its loss grows with the frequency. Blockers come at random times
(Poisson), cross the way at right angles, and may stay in it.
Source: TR 38.901 7.6.4.2 (blockage model B), known from its published descriptions and not read in the report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .error import ParameterError
from .stream import stream

LIGHT_MPS = 299_792_458.0

#: Width and height in metres. Source: TR 38.901 Table 7.6.4.2-5
SCREENS = {"person": (0.3, 1.7), "vehicle": (4.8, 1.4)}


@dataclass(frozen=True)
class BlockageParameters:
    """What comes into the way of every link.

    Attributes:
        blocker: a name in SCREENS.
        per_minute: how many on average.
        distance_m: from the UE to where they cross.
        speed_mps: at which they do.
        stay_s: how long each stands in the middle of the way.
    """

    blocker: str = "person"
    per_minute: float = 6.0
    distance_m: float = 2.0
    speed_mps: float = 1.0
    stay_s: float = 0.0


@dataclass(frozen=True)
class Way:
    """Between the antennas: wavelength, and heights above ground in metres."""

    carrier_ghz: float
    enb_height_m: float
    ue_height_m: float

    @property
    def wave_m(self) -> float:
        return LIGHT_MPS / (self.carrier_ghz * 1e9)


def crossings_s(seed: int, name: str, per_minute: float, until_s: float) -> list[float]:
    """When blockers are in the middle of the way, or come to it, in order."""
    source, found = stream(seed, name), []
    at_s = 0.0
    while per_minute > 0:
        at_s -= math.log(1.0 - source.random()) * 60.0 / per_minute
        if at_s > until_s:
            break
        found.append(at_s)
    return found


def offset_m(t_s: np.ndarray, at_s: float, speed_mps: float, stay_s: float) -> np.ndarray:
    """How far from the middle of the way a blocker is that comes to it at a time: less than 0 before it."""
    since = t_s - at_s
    return speed_mps * np.where(since < 0, since, np.maximum(since - stay_s, 0.0))


def _edge(way: Way, edge_m: np.ndarray, from_ue_m: float, length_m: np.ndarray) -> np.ndarray:
    """|F| of an edge that is so far from the straight way."""
    rest = np.maximum(length_m - from_ue_m, 0.1)
    detour = (np.sqrt(from_ue_m * from_ue_m + edge_m * edge_m) + np.sqrt(rest * rest + edge_m * edge_m)
              - from_ue_m - rest)
    return np.arctan(math.pi / 2.0 * np.sqrt(math.pi / way.wave_m * np.maximum(detour, 0.0))) / math.pi


def _pair(way: Way, first_m: np.ndarray, second_m: np.ndarray, from_ue_m: float, length_m: np.ndarray) -> np.ndarray:
    """Both edges of a screen, on the two sides of the way where both are above 0."""
    first, second = (_edge(way, np.abs(edge), from_ue_m, length_m) for edge in (first_m, second_m))
    return np.where(first_m < 0, second - first, np.where(second_m < 0, first - second, first + second))


def screen_db(parameters: BlockageParameters, way: Way, ground_m: np.ndarray, aside_m: np.ndarray) -> np.ndarray:
    """Loss by one screen whose middle is so far from the way, of links of that length along the ground.

    Raises:
        ParameterError: no such blocker.
    """
    if parameters.blocker not in SCREENS:
        raise ParameterError("blockage.blocker", parameters.blocker, ", ".join(SCREENS))
    width, height = SCREENS[parameters.blocker]
    length = np.maximum(ground_m, parameters.distance_m + 0.1)
    way_height = way.ue_height_m + (way.enb_height_m - way.ue_height_m) * parameters.distance_m / length
    upright = _pair(way, height - way_height, way_height, parameters.distance_m, length)
    across = _pair(way, width / 2.0 - aside_m, width / 2.0 + aside_m, parameters.distance_m, length)
    return np.maximum(-20.0 * np.log10(np.maximum(1.0 - upright * across, 1e-9)), 0.0)


def loss_db(parameters: BlockageParameters, way: Way, seed: int, link: tuple[str, str], t_s: np.ndarray,
            ground_m: np.ndarray) -> np.ndarray:
    """Loss of a link by all blockers at each time; both directions of it have the same.

    Args:
        link: UE and the other end.
        ground_m: length of the link along the ground at each time.
    """
    loss = np.zeros(len(t_s))
    near_s = 20.0 / parameters.speed_mps  # no blocker takes effect that is 20 m away
    end_s = float(t_s[-1]) + near_s if len(t_s) else 0.0
    for at_s in crossings_s(seed, f"blockage/{link[0]}/{link[1]}", parameters.per_minute, end_s):
        first, last = np.searchsorted(t_s, (at_s - near_s, at_s + parameters.stay_s + near_s))
        aside = offset_m(t_s[first:last], at_s, parameters.speed_mps, parameters.stay_s)
        loss[first:last] += screen_db(parameters, way, ground_m[first:last], aside)
    return loss
