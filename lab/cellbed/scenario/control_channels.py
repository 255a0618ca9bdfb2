# SPDX-License-Identifier: GPL-2.0-or-later
"""Control channels of a scenario's radio: their keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from typing import Literal

from cellbed.scenario.fields import Decibel, ErrorRate, Key, Milliseconds, Model, Probability, unset


class SchedulingRequests(Model):
    """How UEs ask for grants on PUCCH. Source: TS 36.321 5.4.4, 5.4.5; TS 36.331 SchedulingRequestConfig."""

    period_ms: Literal[1, 2, 5, 10, 20, 40, 80] = Key(...,
        says="Period of a UE's occasions; the first UE has the first sub-frame of each, the second UE the next one, "
             "and so on. TS 36.213 Table 10.1.5-1")
    prohibit_periods: int = Key(0, 0, 7,
        says="`sr-ProhibitTimer`: least time between two requests, in periods; 0 = in each occasion")
    trans_max: Literal[4, 8, 16, 32, 64] = Key(64,
        says="`dsr-TransMax`: requests without success before the UE turns to random access")
    missed: Probability | None = Key(None, exclude_if=unset,
        says="Probability that the eNB does not detect a request; null: 0")
    bsr_retx_ms: Literal[320, 640, 1280, 2560, 5120, 10240] = Key(320,
        says="`retxBSR-Timer`: so long a UE that sent a BSR waits for grants before it asks again, in place of "
             "`radio.ra.rac_timeout_ms`")


class OuterLoop(Model):
    """What an eNB learns from ACKs and NACKs. Source: Sampath."""

    target_bler: ErrorRate = Key(..., 0.001, 0.5,
        says="Failures of first transmissions that it aims at: for each UE and direction an offset of the CQI's SINR, "
             "which ACKs raise and NACKs lower, up to 20 dB")
    step_db: Decibel = Key(0.5, 0.01, 5,
        says="What a NACK takes from the offset; an ACK adds this times target_bler / (1 - target_bler)")


class CqiReports(Model):
    """When a base station knows of a channel. Source: TS 36.213 7.2.2, 7.2.3; TS 38.214 5.2.1.4, 5.2.2.5."""

    period_ms: Literal[2, 5, 10, 20, 32, 40, 64, 80, 128, 160] = Key(...,
        says="So often a UE reports the CQI of its downlink, and the base station measures its uplink; UEs take the "
             "milliseconds of a period in turn. TS 36.213 Table 7.2.2-1A; TS 38.331 CSI-ReportPeriodicityAndOffset")
    delay_ms: Milliseconds = Key(8, 0, 32,
        says="From the moment that a report is about until the scheduler uses it: 4 ms to the report (TS 36.213 "
             "7.2.3), and 4 ms to decode it")


class Broadcast(Model):
    """What a gNB says to everybody takes blocks of the downlink. Source: TS 38.213 4.1, 10.4; TS 38.331 5.2.1."""

    ssb_period_ms: Literal[5, 10, 20, 40, 80, 160] = Key(20,
        says="Period of bursts of SSBs, two in a slot, 20 resource blocks each. TS 38.213 4.1")
    ssbs: int = Key(1, 1, 64,
        says="SSBs of a burst, each on a beam; SIBs and paging are repeated for each beam, one in a slot. At most 8 in "
             "FR1, 64 in FR2. TS 38.213 4.1")
    sib_period_ms: Literal[20, 40, 80, 160] = Key(20,
        says="SIB1, 5 ms after the start of a period. TS 38.331 5.2.1 has it every 160 ms, repeated by default "
             "every 20 ms")
    sib_rb: int = Key(8, 0, 48, says="Resource blocks of it. Our own: some 100 octets at MCS 4")
    paging_period_ms: Literal[10, 20, 40, 80, 160, 320, 640, 1280, 2560] = Key(160,
        says="Paging that finds somebody, 10 ms after the start of a period. Our own")
    paging_rb: int = Key(4, 0, 48, says="Resource blocks of it. Our own")
