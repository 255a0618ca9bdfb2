# SPDX-License-Identifier: GPL-2.0-or-later
"""Path loss in dB over distance in metres.

A model says the loss with and without line of sight and how probable line of sight is; `MODELS` names those there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from . import tr38901
from .error import ParameterError
from .stream import stream
from .tr38901 import LIGHT_MPS


class PathLoss(Protocol):
    """What the link budget asks of a model."""

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray: ...

    def loss_db(self, distance_m: np.ndarray, los: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class UrbanMacro:
    """Urban Macro (UMa). Source: TR 36.814 Table B.1.2.1-1.

    Valid from 10 m to 5000 m, for carriers of 2 to 6 GHz. Nearer than 10 m the loss of 10 m is used, as the paper's
    simulator does; farther than 5000 m is an error.

    The formulas could not be read in TR 36.814 itself, only where others give them: Report ITU-R M.2135-1, whose UMa
    model TR 36.814 took over, as the SEAMCAT manual (A.17.20) and a published M.2135-1 implementation quote it, and
    the paper's simulator, SimuLTE. All three agree. Not verified: the validity range of the carrier.

    The model is one of base station and mobile. Between two UEs its formulas are no physics, as one of them would be
    at the eNB's height; Nardini, Table 1 names it for every link, and SimuLTE uses it so.

    Attributes:
        carrier_ghz: centre frequency. Source: Nardini, Table 1.
        enb_height_m, ue_height_m: antennas above ground. The paper has none: the table's defaults.
        street_width_m, building_height_m: W and h of the table, its defaults.
    """

    carrier_ghz: float = 2.0
    enb_height_m: float = 25.0
    ue_height_m: float = 1.5
    street_width_m: float = 20.0
    building_height_m: float = 20.0

    NEAREST_M = 10.0
    FARTHEST_M = 5000.0

    def __post_init__(self) -> None:
        tr38901.check_surroundings(self, (2, 6), 10)

    def breakpoint_m(self) -> float:
        """Where LOS loss starts to fall with the fourth power: 4 h'BS h'UT fc / c, heights less 1 m of surroundings."""
        return 4 * (self.enb_height_m - 1) * (self.ue_height_m - 1) * self.carrier_ghz * 1e9 / LIGHT_MPS

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        """min(18/d, 1) (1 - exp(-d/63)) + exp(-d/63). Source: TR 36.814 Table B.1.2.1-2."""
        far = np.exp(-distance_m / 63.0)
        return np.minimum(18.0 / np.maximum(distance_m, 1e-9), 1.0) * (1.0 - far) + far

    def los_loss_db(self, distance_m: np.ndarray) -> np.ndarray:
        """Loss with line of sight; at the breakpoint the two branches differ by less than 0.1 dB."""
        log_d = np.log10(self._usable(distance_m))
        log_f = math.log10(self.carrier_ghz)
        near = 22.0 * log_d + 28.0 + 20.0 * log_f
        far = (40.0 * log_d + 7.8 - 18.0 * math.log10(self.enb_height_m - 1)
               - 18.0 * math.log10(self.ue_height_m - 1) + 2.0 * log_f)
        return np.where(distance_m < self.breakpoint_m(), near, far)

    def nlos_loss_db(self, distance_m: np.ndarray) -> np.ndarray:
        """Loss without line of sight."""
        return tr38901.over_roofs_db(self, self._usable(distance_m))

    def loss_db(self, distance_m: np.ndarray, los: np.ndarray) -> np.ndarray:
        """Loss, at each distance with or without line of sight.

        Raises:
            ParameterError: farther than 5000 m.
        """
        return np.where(los, self.los_loss_db(distance_m), self.nlos_loss_db(distance_m))

    def _usable(self, distance_m: np.ndarray) -> np.ndarray:
        farthest = float(np.max(distance_m, initial=0.0))
        if farthest > self.FARTHEST_M:
            raise ParameterError("distance", f"{farthest:.0f} m", f"at most {self.FARTHEST_M:.0f} m in the model uma")
        return np.maximum(distance_m, self.NEAREST_M)


@dataclass(frozen=True)
class StreetCanyon:
    """Line of sight within street canyons. Source: P.1411 4.1.1 (UHF), the mean of its lower and upper bound.

    Li et al name the recommendation and no formula. Their Table I has the values of the dual stripe example of their
    simulator, LENA (site height 30 m, sector offset 0.5 m, 70 degrees, sigma 1 dB), and that example takes this
    formula at every distance up to 1000 m ("always LOS"). Beyond 1000 m LENA changes to Okumura-Hata, some 35 dB more;
    the paper does not name that, so here P.1411 holds everywhere.

    The formula was read where LENA implements it, not in the recommendation. The mean of the bounds is LENA's; as far
    as known (not verified) the recommendation's own median is the lower bound plus 6 dB, up to 4 dB less.

    Attributes:
        carrier_ghz: centre frequency.
        enb_height_m, ue_height_m: antennas above ground.
    """

    carrier_ghz: float = 2.1
    enb_height_m: float = 30.0
    ue_height_m: float = 1.5

    LIGHT_MPS = 299_792_458.0

    def breakpoint_m(self) -> float:
        """Where loss starts to fall with the fourth power: 4 h1 h2 / wavelength."""
        return 4.0 * self.enb_height_m * self.ue_height_m * self.carrier_ghz * 1e9 / self.LIGHT_MPS

    def breakpoint_loss_db(self) -> float:
        """|20 log (wavelength^2 / (8 pi h1 h2))|, the lower bound at the breakpoint."""
        wave_m = self.LIGHT_MPS / (self.carrier_ghz * 1e9)
        return abs(20.0 * math.log10(wave_m * wave_m / (8.0 * math.pi * self.enb_height_m * self.ue_height_m)))

    def bounds_db(self, distance_m: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bound at distances between the antennas, not along the ground."""
        decades = np.log10(np.maximum(distance_m, 1.0) / self.breakpoint_m())
        near = decades <= 0
        lower = self.breakpoint_loss_db() + np.where(near, 20.0, 40.0) * decades
        upper = self.breakpoint_loss_db() + 20.0 + np.where(near, 25.0, 40.0) * decades
        return lower, upper

    def loss_db(self, ground_m: np.ndarray) -> np.ndarray:
        """Loss at distances along the ground: the mean of the bounds."""
        lower, upper = self.bounds_db(np.sqrt(ground_m * ground_m + (self.enb_height_m - self.ue_height_m) ** 2))
        return (lower + upper) / 2.0


Los = Literal["never", "always", "drawn", "by_place"]


def sight(model: PathLoss, los: Los, link: tuple[str, str], distance_m: np.ndarray, seed: int) -> np.ndarray:
    """Whether the two ends of a link see each other at each distance; `drawn` by one draw for the whole link.

    Raises:
        ParameterError: by_place, which is `large_scale.sight` and takes places.
    """
    if los == "by_place":
        raise ParameterError("path_loss.los", los, "never, always, drawn but with the model route")
    if los == "drawn":
        first, second = sorted(link)
        return stream(seed, f"los/{first}/{second}").random() < model.los_probability(distance_m)
    return np.full(len(distance_m), los == "always")


MODELS: dict[str, Callable[..., PathLoss]] = {"uma": UrbanMacro, **tr38901.MODELS}


def make(model: str, **parameters: float) -> PathLoss:
    """A path loss model by its name.

    Raises:
        ParameterError: no such model, or a parameter out of its range.
    """
    if model not in MODELS:
        raise ParameterError("path_loss.model", model, ", ".join(MODELS))
    return MODELS[model](**parameters)
