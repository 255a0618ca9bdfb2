# SPDX-License-Identifier: GPL-2.0-or-later
"""How long packets are on their way from a UE to its gateway by a satellite, over time.

The satellite sends on what it receives (bent pipe). Orbits are circular, the earth is a sphere that does not turn
while a satellite serves, and Doppler is left out: it is a matter of the waveform. Satellites of a constellation are
equally dense everywhere above the horizon and fly in any direction. The next one is any of those that stay high enough
for a whole slot, above the UE and above the gateway.

Source: TR 38.811 5.3.1.1; TR 38.821 6.1.1.1
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

EARTH_KM, GEO_KM = 6371.0, 35786.0
LIGHT_KM_S = 299792.458
GRAVITY_KM3_S2 = 398600.4418  # of the earth, times its mass
#: A trace begins again after so many slots.
SLOTS = 40
#: Steps of a trace, and those while the UE changes to another satellite.
STEP_MS, CHANGE_STEP_MS = 100, 10
#: So much of the angle in which a satellite serves the best pass may take, that others are found by drawing.
_BEST_SHARE = 0.9

Vector = tuple[float, float, float]


def delays(keys: dict[str, Any], seed: int) -> list[int]:
    """[time in ms, delay in us, ...] of either direction; the last time is where it begins again.

    Args:
        keys: `radio.constant_rate.satellite`.
        seed: of the run.

    Raises:
        ValueError: no satellite stands high enough above both ends for a slot.
    """
    if keys["orbit"] == "geo":
        radius_km = EARTH_KM + GEO_KM
        up_km = slant_km(radius_km, _angle(radius_km, keys["elevation_deg"]))
        return [0, round(2 * up_km / LIGHT_KM_S * 1e6), 1000, 0]
    check(keys)
    draw = random.Random(f"satellite {seed}")
    found, slot_ms = [], keys["slot_s"] * 1000
    for slot, pass_ in enumerate(_passes(keys, draw)):
        for t_ms in _steps(slot_ms, keys["detach_ms"]):
            held_ms = max(keys["detach_ms"] - t_ms, 0)
            found += [slot * slot_ms + t_ms, round(pass_.delay_us(t_ms / 1000) + held_ms * 1000)]
    return [*found, SLOTS * slot_ms, 0]


def check(keys: dict[str, Any]) -> None:
    """Raises ValueError: no satellite stands high enough above both ends for a slot, or hardly any.

    The best pass crosses the line between UE and gateway in its middle, at right angles, in the midst of the slot.
    """
    if keys["orbit"] == "geo":
        return
    radius_km = EARTH_KM + keys["altitude_km"]
    away, flown = keys["gateway_km"] / EARTH_KM / 2, turn_s(radius_km) * keys["slot_s"] / 2
    if math.acos(math.cos(away) * math.cos(flown)) > _BEST_SHARE * _angle(radius_km, keys["elevation_deg"]):
        raise ValueError(f"no satellite at {keys['altitude_km']} km stands {keys['elevation_deg']} degrees high "
                         f"above the UE and a gateway {keys['gateway_km']} km away for {keys['slot_s']} s; allowed "
                         "a lower elevation_deg, a nearer gateway_km, a shorter slot_s or a higher altitude_km")


def turn_s(radius_km: float) -> float:
    """By how much (rad) a satellite flies on in a second, seen from the earth's centre."""
    return math.sqrt(GRAVITY_KM3_S2 / radius_km**3)


def slant_km(radius_km: float, angle: float) -> float:
    """From a place on the ground to a satellite, which is @angle (rad) away as seen from the earth's centre."""
    return math.sqrt(EARTH_KM**2 + radius_km**2 - 2 * EARTH_KM * radius_km * math.cos(angle))


def _angle(radius_km: float, elevation_deg: float) -> float:
    """The largest angle (rad), seen from the earth's centre, at which a satellite stands so high."""
    elevation = math.radians(elevation_deg)
    return math.acos(EARTH_KM * math.cos(elevation) / radius_km) - elevation


def _steps(slot_ms: int, detach_ms: int) -> Iterator[int]:
    changed_ms = min(-(-detach_ms // CHANGE_STEP_MS) * CHANGE_STEP_MS, slot_ms)
    yield from range(0, changed_ms, CHANGE_STEP_MS)
    yield from range(changed_ms, slot_ms, STEP_MS)


class Pass:
    """A satellite on its way above the UE, which is at (0, 0, 1), and the gateway."""

    def __init__(self, radius_km: float, start: Vector, heading: Vector, gateway: Vector) -> None:
        """Args: start, heading: unit vectors, at right angles."""
        self._radius_km, self._start, self._heading, self._gateway = radius_km, start, heading, gateway
        self._turn_s = turn_s(radius_km)

    def angles(self, t_s: float) -> tuple[float, float]:
        """To the UE and to the gateway, seen from the earth's centre (rad)."""
        cos, sin = math.cos(self._turn_s * t_s), math.sin(self._turn_s * t_s)
        at = [cos * a + sin * b for a, b in zip(self._start, self._heading, strict=True)]
        to_gateway = sum(a * b for a, b in zip(at, self._gateway, strict=True))
        return math.acos(max(-1.0, min(1.0, at[2]))), math.acos(max(-1.0, min(1.0, to_gateway)))

    def delay_us(self, t_s: float) -> float:
        """One way, from the UE to the gateway."""
        return sum(slant_km(self._radius_km, angle) for angle in self.angles(t_s)) / LIGHT_KM_S * 1e6


def _passes(keys: dict[str, Any], draw: random.Random) -> Iterator[Pass]:
    """One of each slot."""
    radius_km = EARTH_KM + keys["altitude_km"]
    largest, away = _angle(radius_km, keys["elevation_deg"]), keys["gateway_km"] / EARTH_KM
    gateway = (math.sin(away), 0.0, math.cos(away))
    slots = 0
    while slots < SLOTS:
        start, heading = _drawn(largest, draw)
        found = Pass(radius_km, start, heading, gateway)
        # The angle to a place has no largest value in the midst of a pass.
        if all(max(found.angles(t_s)) <= largest for t_s in (0, keys["slot_s"])):
            slots += 1
            yield found


def _drawn(largest: float, draw: random.Random) -> tuple[Vector, Vector]:
    """A place within an angle (rad) of the UE, as likely as any other there, and a direction of flight."""
    cos = 1 - draw.random() * (1 - math.cos(largest))
    sin, around, turn = math.sqrt(1 - cos * cos), 2 * math.pi * draw.random(), 2 * math.pi * draw.random()
    start = (sin * math.cos(around), sin * math.sin(around), cos)
    outwards = (cos * math.cos(around), cos * math.sin(around), -sin)
    sideways = (-math.sin(around), math.cos(around), 0.0)
    heading = [math.cos(turn) * a + math.sin(turn) * b for a, b in zip(outwards, sideways, strict=True)]
    return start, (heading[0], heading[1], heading[2])
