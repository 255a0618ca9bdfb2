# SPDX-License-Identifier: GPL-2.0-or-later
"""Line of sight and shadowing as maps of each base station, as TR 38.901 has them.

Who stands at a place has line of sight to a base station or not, whenever and however often: a Gaussian field of
places, turned into a uniform one, is compared with the probability of line of sight at that distance. Shadowing has a
map with and one without it. Maps of different base stations are independent.
Source: TR 38.901 7.6.3.1, 7.6.3.3 (line of sight), 7.4.4, 7.5 step 4 (shadowing)
"""

from __future__ import annotations

import math

import numpy as np

from . import shadowing
from .tr38901 import Macroscopic


def share_below(deviations: np.ndarray) -> np.ndarray:
    """Share of a Gaussian distribution that lies below."""
    below = [0.5 * math.erfc(-value / math.sqrt(2.0)) for value in deviations.ravel().tolist()]
    return np.array(below).reshape(deviations.shape)


def sight(model: Macroscopic, seed: int, site: str, places: np.ndarray, distance_m: np.ndarray) -> np.ndarray:
    """Whether there is line of sight to a base station at (n, 2) places.

    Args:
        site: name of the base station.
        distance_m: of the places from it, along the ground.
    """
    field = shadowing.field(seed, f"sight/{site}", places, model.SIGHT_M)
    return share_below(field) < model.los_probability(distance_m)


def shadowing_db(model: Macroscopic, seed: int, site: str, places: np.ndarray, distance_m: np.ndarray,
                 los: np.ndarray) -> np.ndarray:
    """Shadowing towards a base station at (n, 2) places, positive or negative; arguments as above."""
    with_sight, without = (shadowing.field(seed, f"shadowing/{site}/{state}", places, decorrelation_m)
                           for state, decorrelation_m in zip(("los", "nlos"), model.SHADOWING_M, strict=True))
    return model.shadowing_db(distance_m, los) * np.where(los, with_sight, without)
