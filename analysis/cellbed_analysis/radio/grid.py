# SPDX-License-Identifier: GPL-2.0-or-later
"""How a radio network divides time: sub-frames of LTE, slots of NR, and with TDD whose turn each slot is.

Source: TS 36.211 4; TS 38.211 4.3.2; TS 38.213 11.1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellbed_formats.bundle import Bundle

SUBFRAME_NS = 1_000_000
#: Symbols of a special slot with which it carries data. Source: TS 38.214 Tables 5.1.2.1-1, 6.1.2.1-1
PDSCH_SYMBOLS_MIN, PUSCH_SYMBOLS_MIN = 3, 4


@dataclass(frozen=True)
class Grid:
    """The transmission time intervals of a network.

    Attributes:
        tti_ns: their length.
        nr: they are slots of NR.
        uplink, downlink: of each slot of the pattern of TDD whether it carries data that way; empty without TDD.
        k2_min: slots from an uplink grant to its transmission, at least.
        stations: of each base station where these are not alike, as with EN-DC: LTE's, then NR's. What is of both
            counts in sub-frames, and does not ask whose turn a slot is.
    """

    tti_ns: int = SUBFRAME_NS
    nr: bool = False
    uplink: tuple[bool, ...] = ()
    downlink: tuple[bool, ...] = ()
    k2_min: int = 0
    stations: tuple[Grid, ...] = ()

    @property
    def station(self) -> str:
        """What its base stations are called."""
        return "gNB" if self.nr else "eNB"

    @property
    def system(self) -> str:
        return "NR" if self.nr else "LTE"

    @property
    def tdd(self) -> bool:
        return bool(self.downlink)

    def next_downlink_ns(self, t_ns: np.ndarray, zero_ns: int) -> np.ndarray:
        """Begin of the first downlink slot at or after each time; slot 0 begins at @zero_ns."""
        slot = -(-(t_ns - zero_ns) // self.tti_ns)
        return zero_ns + (slot + _wait(self.downlink)[slot % len(self.downlink)]) * self.tti_ns

    def uplink_wait_ns(self, t_ns: np.ndarray, zero_ns: int) -> np.ndarray:
        """How much later than with FDD a block can be sent that a gNB knows of at each time."""
        slot = -(-(t_ns - zero_ns) // self.tti_ns) + self.k2_min
        return _wait(self.uplink)[slot % len(self.uplink)] * self.tti_ns


def _wait(open_slots: Sequence[bool]) -> np.ndarray:
    """Of each slot of a pattern, slots until the first open one, itself included."""
    n = len(open_slots)
    return np.array([next(k for k in range(n) if open_slots[(slot + k) % n]) for slot in range(n)])


def grid_of(bundle: Bundle) -> Grid:
    """The grid of a run's radio network; others than NR count in ms."""
    radio = bundle.settings.get("radio", {})
    keys = radio.get("nr")
    if radio.get("system") not in ("nr", "en_dc") or not keys:
        return Grid()
    if radio["system"] == "en_dc":
        return Grid(nr=True, stations=(Grid(), _of_nr(keys)))
    return _of_nr(keys)


def _of_nr(keys: dict[str, Any]) -> Grid:
    """Args: keys: `radio.nr`."""
    tti_ns = SUBFRAME_NS >> keys["numerology"]
    if keys["duplex"] == "fdd":
        return Grid(tti_ns, True, k2_min=keys["k2_min"])
    down = keys["tdd_special_dl_symbols"] >= keys["pdcch_symbols"] + PDSCH_SYMBOLS_MIN
    up = keys["tdd_special_ul_symbols"] >= PUSCH_SYMBOLS_MIN
    pattern = keys["tdd_pattern"]
    return Grid(tti_ns, True, tuple(slot == "U" or (slot == "S" and up) for slot in pattern),
                tuple(slot == "D" or (slot == "S" and down) for slot in pattern), keys["k2_min"])
