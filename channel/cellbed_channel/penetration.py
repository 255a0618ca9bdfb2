# SPDX-License-Identifier: GPL-2.0-or-later
"""What a UE's signal loses on its way into a building or a car.

    building:  5 dB - 10 log10(sum of share x 10^(-loss / 10) over what its outer wall is of) + 0.5 dB/m x depth + N
    car:       9 dB, or 20 dB with metallised windows, + N

The depth is the lesser of two uniform draws, up to 25 m, or 10 m in the country, and N is Gaussian. A UE draws both
once: all its links lose the same. Whether there is line of sight is asked where the signal enters the building.
Source: TR 38.901 7.4.3.1 (Tables 7.4.3-1, 7.4.3-2), 7.4.3.2. The losses of materials were read in published
implementations, not in the report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from . import path_loss, tr38901
from .error import ParameterError
from .stream import stream

_DB_PER_M = 0.5  # inside a building
_OBLIQUE_DB = 5.0  # as waves come from all sides
# Loss of a material: dB, and dB for each GHz. Source: TR 38.901 Table 7.4.3-1
_GLASS, _COATED_GLASS, _CONCRETE = (2.0, 0.2), (23.0, 0.3), (5.0, 4.0)


@dataclass(frozen=True)
class _Building:
    """An outer wall of windows and concrete. Source: TR 38.901 Table 7.4.3-2"""

    windows: tuple[float, float]
    share: float  # of windows
    sigma_db: float

    def loss_db(self, carrier_ghz: float) -> float:
        parts = ((self.share, self.windows), (1.0 - self.share, _CONCRETE))
        through = sum(share * 10.0 ** (-(fixed + slope * carrier_ghz) / 10.0) for share, (fixed, slope) in parts)
        return _OBLIQUE_DB - 10.0 * math.log10(through)


@dataclass(frozen=True)
class _Car:
    """Source: TR 38.901 7.4.3.2"""

    mean_db: float
    sigma_db: float = 5.0

    def loss_db(self, carrier_ghz: float) -> float:
        return self.mean_db


KINDS: dict[str, _Building | _Car] = {
    "low_loss": _Building(_GLASS, 0.3, 4.4), "high_loss": _Building(_COATED_GLASS, 0.7, 6.5),
    "car": _Car(9.0), "car_metallised": _Car(20.0)}
# Up to where a UE is in a building, for each model of path loss. Source: TR 38.901 7.4.3.1
_DEPTH_M = {"uma_38901": 25.0, "umi_38901": 25.0, "rma_38901": 10.0}


@dataclass(frozen=True)
class Inside:
    """What a UE has drawn: the loss of all its links, and how far it is behind the outer wall."""

    loss_db: float = 0.0
    depth_m: float = 0.0


def draw(kind: str | None, model: path_loss.PathLoss, carrier_ghz: float, seed: int, ue: str) -> Inside:
    """What a UE that is inside of something has; nothing outdoors, where `kind` is None.

    Raises:
        ParameterError: no such kind, or a model of path loss that is not of the outdoors of TR 38.901.
    """
    if kind is None:
        return Inside()
    if kind not in KINDS:
        raise ParameterError(f"penetration.{ue}", kind, ", ".join(KINDS))
    if not isinstance(model, tr38901.Macroscopic) or model.NAME not in allowed(kind):
        raise ParameterError(f"penetration.{ue}", kind, f"with a path_loss.model of {', '.join(allowed(kind))}")
    source = stream(seed, f"penetration/{ue}")
    share = min(source.random(), source.random())
    spread = math.sqrt(-2.0 * math.log(1.0 - source.random())) * math.cos(2.0 * math.pi * source.random())
    what = KINDS[kind]
    depth_m = share * _DEPTH_M[model.NAME] if isinstance(what, _Building) else 0.0
    return Inside(what.loss_db(carrier_ghz) + _DB_PER_M * depth_m + what.sigma_db * spread, depth_m)


def allowed(kind: str) -> list[str]:
    """Names of the models of path loss that it goes with: in the country no walls with coated glass."""
    return [name for name in _DEPTH_M if kind != "high_loss" or name != tr38901.RuralMacro.NAME]
