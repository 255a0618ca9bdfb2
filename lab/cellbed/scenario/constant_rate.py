# SPDX-License-Identifier: GPL-2.0-or-later
"""Links of constant rate in place of LTE: their keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from cellbed.run import satellite
from cellbed.scenario.fields import Key, Milliseconds, Probability, Rate, unset
from cellbed.scenario.netem import Impaired
from cellbed.scenario.satellite import Satellite


class ConstantRate(Impaired):
    """A link of each UE, with nothing of a radio: to compare with."""

    PREFIX = "constant."
    ENB = "the other end of each link"

    dl_rate: Rate = Key(20_000_000, 1000, 1_000_000_000, says="Rate of IP packets in the downlink of each UE")
    ul_rate: Rate = Key(10_000_000, 1000, 1_000_000_000, says="The same for the uplink")
    delay_ms: Milliseconds = Key(10, 0, 10000, says="One-way delay after a packet has been sent")
    loss_dl: Probability = Key(0.0, says="Probability that a downlink packet is lost, each independently of the others")
    loss_ul: Probability = Key(0.0, says="The same for the uplink")
    queue_pkts: int = Key(1000, 1, 65536,
        says="Packets that wait or are being sent in each direction of a UE; more are dropped (`queue_full`)")
    satellite: Satellite | None = Key(None, exclude_if=unset,
        says="A satellite between the UEs and the other end, which adds its delay to `delay_ms`")

    def check(self, where: str, max_pkts: int) -> None:
        """Raises ValueError for a satellite that nobody sees, or beside which there are delays."""
        super().check(where, max_pkts)
        if self.satellite is None:
            return
        for key in ("uplink_delays", "downlink_delays"):
            if getattr(self, key) is not None:
                raise ValueError(f"key '{where}.{key}': the satellite has the delays; remove one of both")
        try:
            satellite.check(self.satellite.model_dump())
        except ValueError as wrong:
            raise ValueError(f"key '{where}.satellite': {wrong}") from wrong
