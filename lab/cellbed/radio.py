# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio network of a scenario: its keys, with limits and defaults.

docs/scenario-format.md explains them.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

from pydantic import Field, field_validator

from cellbed.channel import Channel
from cellbed.model import Model, Name, Probability, Size

Cqi = Annotated[int, Field(ge=1, le=15)]


class Timing(Model):
    """The timeline of one transmission, in sub-frames of 1 ms. Source: Nardini, Figure 4."""

    rar_delay_tti: int = Field(3, ge=1, le=12)
    grant_to_tx_tti: int = Field(2, ge=1, le=8)
    decode_tti: int = Field(4, ge=1, le=8)
    dl_sched_to_tx_tti: int = Field(1, ge=1, le=8)
    processing_lead_us: int = Field(250, ge=0, le=999)


class RandomAccess(Model):
    """Source: TS 36.321 5.1; Nardini, Table 1 (RAC timeout)."""

    rac_timeout_ms: int = Field(10, ge=2, le=1000)
    backoff_max_ms: int = Field(20, ge=0, le=960)
    n_preambles: int = Field(52, ge=1, le=64)
    prach_period_tti: int = Field(1, ge=1, le=20)


class Mac(Model):
    """Source: TS 36.321 5.4; Nardini, section II."""

    bsr_grant_rb: int = Field(1, ge=1, le=6)
    bandwidth_stealing: bool = True
    trailing_bsr: bool = True
    enb_overhears_dm: bool = False
    ul_always_scheduled: bool = False


class Harq(Model):
    """Source: TS 36.321 5.3.2, 5.4.2; Park, section 3 (the ladder of error rates)."""

    max_attempts: int = Field(1, ge=1, le=8)
    dl_rtt_tti: int = Field(8, ge=8, le=32)
    bler: list[Probability] = Field([0.1, 0.01, 0.005, 0.002, 0.001], min_length=1, max_length=8)
    nack_to_ack: Probability = 0.0

    @field_validator("bler")
    @classmethod
    def decoding_never_gets_worse(cls, bler: list[float]) -> list[float]:
        if any(later > earlier for earlier, later in itertools.pairwise(bler)):
            raise ValueError("allowed probabilities that do not increase: each is what further attempts left")
        return bler


class Rlc(Model):
    """What both modes have. Source: TS 36.322; TS 36.331 RLC-Config; Park, section 4 (delivery)."""

    mode: Literal["um", "am"] = "um"
    delivery: Literal["in_sequence", "out_of_sequence"] = "in_sequence"
    queue_pkts: int = Field(4096, ge=1, le=65536)
    t_reordering_ms: int = Field(35, ge=0, le=200)


class RlcUm(Model):
    """Source: TS 36.322 6.2.1.3."""

    sn_bits: Literal[5, 10] = 10


class RlcAm(Model):
    """Source: TS 36.322 5.2; TS 36.331 RLC-Config."""

    poll_pdu: int = Field(16, ge=1, le=1024)
    poll_byte: Size = Field(25000, ge=1, le=10_000_000)
    t_poll_retransmit_ms: int = Field(45, ge=5, le=500)
    t_status_prohibit_ms: int = Field(10, ge=0, le=500)
    max_retx_threshold: int = Field(8, ge=1, le=32)
    on_max_retx: Literal["reestablish", "stop"] = "reestablish"
    reestablish_ms: int = Field(100, ge=0, le=10000)


class Pdcp(Model):
    """Source: TS 36.323; TS 38.323 5.2.2 (reordering)."""

    sn_bits: Literal[7, 12] = 12
    discard_timer_ms: int = Field(0, ge=0, le=1500)
    reordering: bool = False
    t_reordering_ms: int = Field(50, ge=0, le=3000)


class ModeSwitch(Model):
    """When UEs change between direct and infrastructure mode. Source: Nardini, section IV."""

    select_ms: int = Field(0, ge=0, le=60000)
    flush: Literal["discard", "keep", "retransmit"] = "discard"
    flush_air: bool = False


class Event(Model):
    """A change of a UE's mode at a given time."""

    at_s: float = Field(ge=0, le=86400)
    ue: Name
    mode: Literal["im", "dm"]


class UeRadio(Model):
    """One UE's radio: where its packets go, how, and how good its links are."""

    peer: Name
    mode: Literal["im", "dm"] = "dm"
    rnti: int | None = Field(None, ge=1, le=65523)
    cqi_ul: Cqi = 15
    cqi_dl: Cqi = 15
    cqi_sl: Cqi = 15
    bler_ul: Probability = 0.0
    bler_dl: Probability = 0.0
    bler_sl: Probability = 0.0


class Radio(Model):
    n_rb: int = Field(50, ge=6, le=110)
    dl_carriers: int = Field(1, ge=1, le=5)
    dl_codewords: int = Field(1, ge=1, le=2)
    scheduler: Literal["rr"] = "rr"
    max_pkts: int = Field(8192, ge=16, le=65536)
    timing: Timing = Timing()
    ra: RandomAccess = RandomAccess()
    mac: Mac = Mac()
    harq: Harq = Harq()
    rlc: Rlc = Rlc()
    rlc_um: RlcUm = RlcUm()
    rlc_am: RlcAm = RlcAm()
    pdcp: Pdcp = Pdcp()
    mode_switch: ModeSwitch = ModeSwitch()
    events: list[Event] = Field([], max_length=1024)
    channel: Channel | None = None
    ues: dict[Name, UeRadio] = Field(min_length=1, max_length=16)
