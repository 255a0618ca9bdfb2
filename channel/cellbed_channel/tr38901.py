# SPDX-License-Identifier: GPL-2.0-or-later
"""Path loss of TR 38.901 from 0.5 GHz on: Urban Macro, Urban Micro (street canyon), Rural Macro, offices, factories.

Each has a loss with line of sight, outdoors up to a breakpoint, where the fourth power begins, and one without, which
is never less. Distances in the formulas are between the antennas; which branch holds, and the probability of line of
sight, follow from the distance along the ground. Nearer than 10 m, or 1 m indoors, the loss of that distance is used.
Source: TR 38.901 7.4.1 (Table 7.4.1-1), 7.4.2 (Table 7.4.2-1). The formulas were read where Sionna implements them, and
those of offices where ns-3 does, those of factories in published implementations, not in the report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from .error import ParameterError, check_range

# The reports' own value, not the exact one: it moves the breakpoint by 0.07 %. Source: TR 36.814 Table B.1.2.1-1;
# TR 38.901 Table 7.4.1-1
LIGHT_MPS = 3.0e8


class Surroundings(Protocol):
    """What the formulas of macro cells ask for; each in metres but the carrier."""

    @property
    def carrier_ghz(self) -> float: ...

    @property
    def enb_height_m(self) -> float: ...

    @property
    def ue_height_m(self) -> float: ...

    @property
    def street_width_m(self) -> float: ...

    @property
    def building_height_m(self) -> float: ...


def check_surroundings(given: Surroundings, carrier_ghz: tuple[float, float], enb_height_min_m: float,
                       note: str = "") -> None:
    """Refuse what no formula is valid for.

    Raises:
        ParameterError: a carrier, height or width out of its range.
    """
    for name, low, high in (("carrier_ghz", *carrier_ghz), ("enb_height_m", enb_height_min_m, 150),
                            ("ue_height_m", 1, 10), ("street_width_m", 5, 50), ("building_height_m", 5, 50)):
        check_range(f"path_loss.{name}", getattr(given, name), low, high, name == "ue_height_m", note)


def over_roofs_db(around: Surroundings, distance_m: np.ndarray) -> np.ndarray:
    """Loss without line of sight of an antenna above the roofs, at distances of 10 m or more.

    Source: TR 36.814 Table B.1.2.1-1 (Urban Macro); TR 38.901 Table 7.4.1-1 (Rural Macro)
    """
    log_bs, ratio = math.log10(around.enb_height_m), around.building_height_m / around.enb_height_m
    fixed = (161.04 - 7.1 * math.log10(around.street_width_m) + 7.5 * math.log10(around.building_height_m)
             - (24.37 - 3.7 * ratio * ratio) * log_bs + 20.0 * math.log10(around.carrier_ghz)
             - (3.2 * math.log10(11.75 * around.ue_height_m) ** 2 - 4.97))
    return np.asarray(fixed + (43.42 - 3.1 * log_bs) * (np.log10(distance_m) - 3.0))


@dataclass(frozen=True)
class Macroscopic:
    """What all have in common.

    Attributes:
        carrier_ghz: centre frequency.
        enb_height_m, ue_height_m: antennas above ground. Up to 10 m high a UE sees surroundings of 1 m.
        street_width_m, building_height_m: W and h, which Rural Macro has.
    """

    carrier_ghz: float
    enb_height_m: float
    ue_height_m: float = 1.5
    street_width_m: float = 20.0
    building_height_m: float = 5.0

    NAME: ClassVar[str]
    CARRIER_GHZ: ClassVar[tuple[float, float]] = (0.5, 100.0)
    ENB_LEAST_M: ClassVar[float] = 5.0
    NEAREST_M: ClassVar[float] = 10.0
    FARTHEST_M: ClassVar[float] = 5000.0
    #: Standard deviation of the shadowing in dB, with and without line of sight. Source: TR 38.901 Table 7.4.1-1
    SHADOWING_DB: ClassVar[tuple[float, float]]
    #: Distances over which its correlation falls to 1/e. Source: TR 38.901 Table 7.5-6
    SHADOWING_M: ClassVar[tuple[float, float]]
    #: The same of whether there is line of sight. Source: TR 38.901 Table 7.6.3.1-2
    SIGHT_M: ClassVar[float] = 50.0

    def __post_init__(self) -> None:
        check_surroundings(self, self.CARRIER_GHZ, self.ENB_LEAST_M, f" in the model {self.NAME}")

    def breakpoint_m(self) -> float:
        """4 h'BS h'UT fc / c, heights less 1 m of surroundings. Source: TR 38.901 Table 7.4.1-1, note 1."""
        return 4 * (self.enb_height_m - 1) * (self.ue_height_m - 1) * self.carrier_ghz * 1e9 / LIGHT_MPS

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        """Of distances along the ground. Source: TR 38.901 Table 7.4.2-1."""
        raise NotImplementedError

    def shadowing_db(self, distance_m: np.ndarray, los: np.ndarray) -> np.ndarray:
        """Its standard deviation at distances along the ground. Source: TR 38.901 Table 7.4.1-1"""
        return np.where(los, self.SHADOWING_DB[0], self.SHADOWING_DB[1])

    def _los_db(self, ground_m: np.ndarray, direct_m: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _nlos_db(self, direct_m: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def loss_db(self, distance_m: np.ndarray, los: np.ndarray) -> np.ndarray:
        """Loss in dB at distances along the ground, at each with or without line of sight.

        Raises:
            ParameterError: farther than the model is valid.
        """
        farthest = float(np.max(distance_m, initial=0.0))
        if farthest > self.FARTHEST_M:
            raise ParameterError("distance", f"{farthest:.0f} m",
                                 f"at most {self.FARTHEST_M:.0f} m in the model {self.NAME}")
        ground = np.maximum(distance_m, self.NEAREST_M)
        direct = np.sqrt(ground * ground + (self.enb_height_m - self.ue_height_m) ** 2)
        sight = self._los_db(ground, direct)
        return np.where(los, sight, np.maximum(sight, self._nlos_db(direct)))

    def _log_f(self) -> float:
        return math.log10(self.carrier_ghz)

    def _two_slopes(self, ground: np.ndarray, direct: np.ndarray, at_1_m: float, near: float,
                    bend: float) -> np.ndarray:
        """`near` dB a decade up to the breakpoint, then 40, so that both meet there for `bend`."""
        log_d, log_f = np.log10(direct), self._log_f()
        height = self.enb_height_m - self.ue_height_m
        far = 40.0 * log_d - bend * math.log10(self.breakpoint_m() ** 2 + height * height)
        return at_1_m + 20.0 * log_f + np.where(ground <= self.breakpoint_m(), near * log_d, far)


def _urban_los(distance_m: np.ndarray, decay_m: float) -> np.ndarray:
    near = 18.0 / np.maximum(distance_m, 18.0)
    return near + np.exp(-np.maximum(distance_m, 18.0) / decay_m) * (1.0 - near)


@dataclass(frozen=True)
class UrbanMacro(Macroscopic):
    """UMa: antennas above the roofs."""

    NAME = "uma_38901"
    SHADOWING_DB = (4.0, 6.0)
    SHADOWING_M = (37.0, 50.0)

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        return _urban_los(distance_m, 63.0)

    def _los_db(self, ground_m: np.ndarray, direct_m: np.ndarray) -> np.ndarray:
        return self._two_slopes(ground_m, direct_m, 28.0, 22.0, 9.0)

    def _nlos_db(self, direct_m: np.ndarray) -> np.ndarray:
        return 13.54 + 39.08 * np.log10(direct_m) + 20.0 * self._log_f() - 0.6 * (self.ue_height_m - 1.5)


@dataclass(frozen=True)
class UrbanMicro(Macroscopic):
    """UMi, street canyon: antennas below the roofs, 10 m high in the report."""

    NAME = "umi_38901"
    SHADOWING_DB = (4.0, 7.82)
    SHADOWING_M = (10.0, 13.0)

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        return _urban_los(distance_m, 36.0)

    def _los_db(self, ground_m: np.ndarray, direct_m: np.ndarray) -> np.ndarray:
        return self._two_slopes(ground_m, direct_m, 32.4, 21.0, 9.5)

    def _nlos_db(self, direct_m: np.ndarray) -> np.ndarray:
        return 22.4 + 35.3 * np.log10(direct_m) + 21.3 * self._log_f() - 0.3 * (self.ue_height_m - 1.5)


@dataclass(frozen=True)
class RuralMacro(Macroscopic):
    """RMa. Its breakpoint has no surroundings: 2 pi hBS hUT fc / c."""

    NAME = "rma_38901"
    CARRIER_GHZ = (0.5, 30.0)
    SHADOWING_DB = (4.0, 8.0)
    SHADOWING_M = (37.0, 120.0)
    SIGHT_M = 60.0
    #: With line of sight, behind the breakpoint.
    SHADOWING_FAR_DB: ClassVar[float] = 6.0

    def breakpoint_m(self) -> float:
        return 2 * math.pi * self.enb_height_m * self.ue_height_m * self.carrier_ghz * 1e9 / LIGHT_MPS

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        return np.exp(-np.maximum(distance_m - 10.0, 0.0) / 1000.0)

    def shadowing_db(self, distance_m: np.ndarray, los: np.ndarray) -> np.ndarray:
        """Two deviations with line of sight, before and behind the breakpoint."""
        far = los & (distance_m > self.breakpoint_m())
        return np.where(far, self.SHADOWING_FAR_DB, super().shadowing_db(distance_m, los))

    def _near_db(self, direct_m: np.ndarray) -> np.ndarray:
        roughness = self.building_height_m ** 1.72
        return (20.0 * np.log10(40.0 * math.pi * direct_m * self.carrier_ghz / 3.0)
                + min(0.03 * roughness, 10.0) * np.log10(direct_m) - min(0.044 * roughness, 14.77)
                + 0.002 * math.log10(self.building_height_m) * direct_m)

    def _los_db(self, ground_m: np.ndarray, direct_m: np.ndarray) -> np.ndarray:
        bend = np.full_like(direct_m, self.breakpoint_m())
        far = self._near_db(bend) + 40.0 * np.log10(direct_m / bend)
        return np.where(ground_m <= self.breakpoint_m(), self._near_db(direct_m), far)

    def _nlos_db(self, direct_m: np.ndarray) -> np.ndarray:
        return over_roofs_db(self, direct_m)


@dataclass(frozen=True)
class Office(Macroscopic):
    """Indoor hotspot: antennas below the ceiling of an office, 3 m high in the report, valid up to 150 m.

    Source: TR 38.901 Table 7.4.1-1 (Indoor - Office), Table 7.5-6 Part 2, Table 7.6.3.1-2
    """

    ENB_LEAST_M = 1.0
    NEAREST_M = 1.0
    FARTHEST_M = 150.0
    SHADOWING_DB = (3.0, 8.03)
    SHADOWING_M = (10.0, 6.0)
    SIGHT_M = 10.0

    def breakpoint_m(self) -> float:
        """There is none."""
        return math.inf

    def _los_db(self, ground_m: np.ndarray, direct_m: np.ndarray) -> np.ndarray:
        return 32.4 + 17.3 * np.log10(direct_m) + 20.0 * self._log_f()

    def _nlos_db(self, direct_m: np.ndarray) -> np.ndarray:
        return 17.3 + 38.3 * np.log10(direct_m) + 24.9 * self._log_f()


def _office_los(distance_m: np.ndarray, near_m: float, decay_m: float, far_m: float, far_decay_m: float,
                far: float) -> np.ndarray:
    """1 up to `near_m`, and two exponentials that meet at `far_m`, where the second one is `far`."""
    first = np.exp(-np.maximum(distance_m - near_m, 0.0) / decay_m)
    return np.where(distance_m < far_m, first, far * np.exp(-np.maximum(distance_m - far_m, 0.0) / far_decay_m))


@dataclass(frozen=True)
class MixedOffice(Office):
    """Open cubicles, and offices with walls."""

    NAME = "inh_mixed_38901"

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        return _office_los(distance_m, 1.2, 4.7, 6.5, 32.6, 0.32)


@dataclass(frozen=True)
class OpenOffice(Office):
    """Open cubicles only."""

    NAME = "inh_open_38901"

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        return _office_los(distance_m, 5.0, 70.8, 49.0, 211.7, 0.54)


@dataclass(frozen=True)
class Factory(Macroscopic):
    """Indoor factory: machines and shelves, the clutter, stand between the antennas; valid up to 600 m.

    The base station is as low as the clutter, or above it. The UE is within the clutter.
    Source: TR 38.901 Table 7.4.1-1 (InF), Table 7.4.2-1, Table 7.5-6 Part 3, Table 7.6.3.1-2; Table 7.8-7 (clutter)
    """

    ENB_LEAST_M = 1.0
    NEAREST_M = 1.0
    FARTHEST_M = 600.0
    SHADOWING_M = (10.0, 10.0)
    #: Size and height of what stands there, and the share of the floor that it takes.
    CLUTTER_M: ClassVar[float]
    CLUTTER_HEIGHT_M: ClassVar[float]
    CLUTTER_DENSITY: ClassVar[float]
    #: Loss without line of sight: at 1 m and 1 GHz, and for each decade of distance, in dB.
    CLUTTER_LOSS: ClassVar[tuple[float, float]]
    #: Whether the base station is above it.
    HIGH: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.HIGH:
            return
        note = f", the height of the clutter in the model {self.NAME}"
        if self.ue_height_m >= self.CLUTTER_HEIGHT_M:
            raise ParameterError("path_loss.ue_height_m", self.ue_height_m,
                                 f"less than {self.CLUTTER_HEIGHT_M:g}{note}")
        if self.enb_height_m < self.CLUTTER_HEIGHT_M:
            raise ParameterError("path_loss.enb_height_m", self.enb_height_m,
                                 f"at least {self.CLUTTER_HEIGHT_M:g}{note}")

    def breakpoint_m(self) -> float:
        """There is none."""
        return math.inf

    def los_probability(self, distance_m: np.ndarray) -> np.ndarray:
        """exp(-d / k): above the clutter, k is so much longer as the way through it is shorter."""
        decay_m = -self.CLUTTER_M / math.log(1.0 - self.CLUTTER_DENSITY)
        if self.HIGH:
            decay_m *= (self.enb_height_m - self.ue_height_m) / (self.CLUTTER_HEIGHT_M - self.ue_height_m)
        return np.exp(-distance_m / decay_m)

    def _los_db(self, ground_m: np.ndarray, direct_m: np.ndarray) -> np.ndarray:
        return 31.84 + 21.5 * np.log10(direct_m) + 19.0 * self._log_f()

    def _nlos_db(self, direct_m: np.ndarray) -> np.ndarray:
        return self._clutter_db(direct_m, *self.CLUTTER_LOSS)

    def _clutter_db(self, direct_m: np.ndarray, at_1_m: float, slope: float) -> np.ndarray:
        return at_1_m + slope * np.log10(direct_m) + 20.0 * self._log_f()


class Sparse(Factory):
    """Big machines, far apart."""

    CLUTTER_M, CLUTTER_HEIGHT_M, CLUTTER_DENSITY = 10.0, 2.0, 0.2
    SIGHT_M = CLUTTER_M / 2.0


class Dense(Factory):
    """Small machines, close together."""

    CLUTTER_M, CLUTTER_HEIGHT_M, CLUTTER_DENSITY = 2.0, 6.0, 0.6
    SIGHT_M = CLUTTER_M / 2.0


@dataclass(frozen=True)
class SparseFactory(Sparse):
    """InF-SL: a low base station."""

    NAME = "inf_sl_38901"
    SHADOWING_DB = (4.3, 5.7)
    CLUTTER_LOSS = (33.0, 25.5)


@dataclass(frozen=True)
class DenseFactory(Dense):
    """InF-DL: a low base station. The loss is never less than among sparse machines."""

    NAME = "inf_dl_38901"
    SHADOWING_DB = (4.3, 7.2)
    CLUTTER_LOSS = (18.6, 35.7)

    def _nlos_db(self, direct_m: np.ndarray) -> np.ndarray:
        return np.maximum(super()._nlos_db(direct_m), self._clutter_db(direct_m, *SparseFactory.CLUTTER_LOSS))


@dataclass(frozen=True)
class SparseFactoryHigh(Sparse):
    """InF-SH: a base station above the machines."""

    NAME = "inf_sh_38901"
    HIGH = True
    SHADOWING_DB = (4.3, 5.9)
    CLUTTER_LOSS = (32.4, 23.0)


@dataclass(frozen=True)
class DenseFactoryHigh(Dense):
    """InF-DH: a base station above the machines."""

    NAME = "inf_dh_38901"
    HIGH = True
    SHADOWING_DB = (4.3, 4.0)
    CLUTTER_LOSS = (33.63, 21.9)


MODELS = {model.NAME: model for model in (
    UrbanMacro, UrbanMicro, RuralMacro, MixedOffice, OpenOffice, SparseFactory, DenseFactory, SparseFactoryHigh,
    DenseFactoryHigh)}
