# SPDX-License-Identifier: GPL-2.0-or-later
"""A satellite between a UE and its gateway, on links of constant rate: its keys.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from cellbed.scenario.fields import Key, Milliseconds, Model

_OF_LEO = ("altitude_km", "slot_s", "detach_ms")


class Satellite(Model):
    """Source: TR 38.811 4.4 (bent pipe), 5.3.1.1 (delay)"""

    orbit: Literal["leo", "geo"] = Key("leo",
        says="`leo`: satellites pass, and the UE takes another one at each slot; `geo`: one that stays where it is")
    altitude_km: int = Key(550, 160, 2000, says="Of a `leo` orbit, which is circular; that of `geo` is 35786 km")
    elevation_deg: int = Key(25, 5, 85,
        says="`leo`: how high above the horizon of the UE and of the gateway a satellite stands at least; `geo`: how "
             "high it stands")
    gateway_km: int = Key(300, 0, 1500, says="From the UE to the gateway, over the ground")
    slot_s: int = Key(15, 1, 600,
        says="How long a `leo` satellite serves before another one does. Starlink: 15 s")
    detach_ms: Milliseconds = Key(0, 0, 900,
        says="How long nothing gets through when a slot begins: packets on their way wait for it, and stay in order")

    @model_validator(mode="after")
    def of_orbit(self) -> Satellite:
        given = [key for key in _OF_LEO if key in self.model_fields_set]
        if self.orbit == "geo" and given:
            raise ValueError(f"key '{given[0]}': orbit geo has none; remove it, or choose orbit leo")
        return self
