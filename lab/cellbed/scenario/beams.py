# SPDX-License-Identifier: GPL-2.0-or-later
"""Beams of a gNB and of its UEs on a route: their keys. The package `cellbed_channel` has what they do."""

from __future__ import annotations

from typing import Literal

from cellbed.scenario.fields import Key, Milliseconds, Model


class Beams(Model):
    """Source: TS 38.214 5.2.1.4 (reports); TS 38.321 5.17 (beam failures); TR 38.901 7.5 (angles), 7.6.4.1 (body)"""

    gnb_beams: int = Key(32, 1, 64,
        says="Beams of the gNB, all around it. Half-way between two of them each has 3 dB less than `beam_gain_db`. "
             "TS 38.213 4.1 has up to 64 in FR2")
    ue_beams: int = Key(8, 1, 16,
        says="Beams of a UE, all around it, which turn as its way does. The UE receives each beam of the gNB with the "
             "best of its own; `link.ue_gain_dbi` is the peak of one. Our own")
    report_ms: Literal[5, 10, 20, 40, 80, 160] = Key(20,
        says="Period at which a UE measures all beams and reports the one that it receives best (L1-RSRP). TS 38.213 "
             "4.1: 20 ms between two SSBs of a beam")
    hysteresis_db: float = Key(3.0, 0, 20,
        says="The gNB changes to a beam that is better than the one that serves by more than this. Our own")
    switch_ms: Milliseconds = Key(10, 0, 1000,
        says="From a measurement until the gNB sends on the new beam: report, MAC control element and 3 ms "
             "(TS 38.214 5.1.5)")
    failure_sinr_db: float = Key(-6.0, -20, 10,
        says="Least SINR at which a UE hears the gNB on a beam. Below it the UE can neither report nor be told of "
             "another beam. Stands for 10 % errors of a PDCCH, TS 38.133 8.5")
    failure_count: Literal[1, 2, 3, 4, 5, 6, 8, 10] = Key(4,
        says="Periods in a row below it that are a beam failure. TS 38.331, `beamFailureInstanceMaxCount`")
    recovery_ms: Milliseconds = Key(30, 0, 2000,
        says="From a beam failure until the beam serves that the UE asks for by random access. If no beam has the "
             "least SINR, the UE waits for one. Our own")
    self_blocking: Literal["none", "portrait", "landscape"] = Key("none",
        says="Whether what comes from behind loses 30 dB by the user's body: over 120 degrees with `portrait`, 160 "
             "with `landscape`. The user looks along the way. TR 38.901 Table 7.6.4.1-1")
