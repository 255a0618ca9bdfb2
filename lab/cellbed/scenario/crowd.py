# SPDX-License-Identifier: GPL-2.0-or-later
"""Modelled UEs that only load the schedulers: their keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from cellbed.scenario.fields import Key, Milliseconds, Model, Rate, Size

# Bursts of a whole crowd in a second: one in a microsecond.
_BURSTS_MAX_PER_S = 1_000_000


class Crowd(Model):
    """UEs without packets beside those of `radio.ues`: bytes that wait, and a CQI."""

    count: int = Key(..., 0, 1000,
        says="Modelled UEs in the cell of each eNB. 0 = none, as without `radio.crowd`")
    direction: Literal["dl", "ul", "both"] = Key("dl",
        says="Where they have something to send. In `both` each has traffic of its own in either direction")
    arrival: Literal["poisson", "full_buffer", "reading"] = Key("poisson",
        says="`poisson`: bursts, each UE's a Poisson process (TR 36.814 A.2.1.3.1, with as many files for each UE as "
             "it likes); `full_buffer`: there is always something to send; `reading`: a UE asks for its next burst "
             "some time after it got the last one, so that in a full cell all ask for less (TR 36.814 A.2.1.3.1, FTP "
             "model 2)")
    offered_rate: Rate = Key(100_000, 1000, 10**9,
        says="What one UE has to send in a direction, on average, whether it is served or not. Only with `poisson`. "
             "Our own: some 36 MB an hour")
    burst_bytes: Size = Key(50_000, 40, 100_000_000,
        says="Mean size of a burst. Not with `full_buffer`. Our own; files of TR 36.814 A.2.1.3.1 have 0.5 and 2 MB")
    burst_size: Literal["constant", "exponential"] = Key("exponential",
        says="Distribution of the sizes of bursts. Not with `full_buffer`. TR 36.814 A.2.1.3.1 has constant ones")
    reading_ms: Milliseconds = Key(5000, 1, 3_600_000,
        says="Mean of the time between the end of a burst and the next one, which is exponential. Only with "
             "`reading`. TR 36.814 Table A.2.1.3.1-2")
    weight: int = Key(1, 1, 255, says="As `radio.ues.<name>.weight`, of each")
    cqi: list[Annotated[int, Field(ge=1, le=15)]] = Key([7, 9, 11], min_length=1, max_length=64,
        says="Each UE has one of these CQIs in each direction, with the same chance for each of them; a CQI that is "
             "named twice is twice as likely. Our own")
    cqi_period_ms: Milliseconds = Key(0, 0, 3_600_000,
        says="So often each UE draws another of them. 0 = never. It is what makes the scheduler `pf` serve each UE "
             "when its channel is good")

    @model_validator(mode="after")
    def bursts_take_time(self) -> Crowd:
        if self.arrival != "reading" and self.offered_rate * self.count > 8 * self.burst_bytes * _BURSTS_MAX_PER_S:
            raise ValueError(f"key 'burst_bytes': value {self.burst_bytes}: the crowd would send more than one burst "
                             "in a microsecond; allowed with this count and offered_rate "
                             f"{-(-self.offered_rate * self.count // (8 * _BURSTS_MAX_PER_S))} or more")
        return self
