# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio network of a scenario: its keys, with limits and defaults.

docs/scenario-format.md explains them.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from cellbed.channel import Channel
from cellbed.model import Model, Name, Probability, Size, known
from cellbed.packet_trace import PacketTrace
from cellbed.utran import Utran

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
    grants_ignore_headers: bool = False
    ul_always_scheduled: bool = False


class Harq(Model):
    """Source: TS 36.321 5.3.2, 5.4.2; Park, section 3 (the ladder of error rates)."""

    max_attempts: int = Field(1, ge=1, le=8)
    errors: Literal["ladder", "sinr"] = "ladder"
    dl_rtt_tti: int = Field(8, ge=8, le=32)
    bler: list[Probability] = Field([0.1, 0.01, 0.005, 0.002, 0.001], min_length=1, max_length=8)
    nack_to_ack: Probability = 0.0

    @field_validator("bler")
    @classmethod
    def decoding_never_gets_worse(cls, bler: list[float]) -> list[float]:
        if any(later > earlier for earlier, later in itertools.pairwise(bler)):
            raise ValueError("allowed probabilities that do not increase: each is what further attempts left")
        return bler


class Control(Model):
    """Control channels of the downlink, PCFICH and PDCCH. Source: R4-081920; Li et al, section I."""

    errors: bool = False
    dtx: Literal["retry", "lose"] = "retry"


class Rlc(Model):
    """What both modes have. Source: TS 36.322; TS 36.331 RLC-Config; Park, section 4 (delivery)."""

    mode: Literal["um", "am"] = "um"
    delivery: Literal["in_sequence", "out_of_sequence"] = "in_sequence"
    queue_pkts: int = Field(4096, ge=1, le=65536)
    queue_bytes: Size = Field(0, ge=0, le=100_000_000)
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


class Handover(Model):
    """Between the eNBs of a core network. Source: TS 36.300 10.1.2; Pacifico, Tables I and II, section V.A."""

    procedure: Literal["standard", "fast_path_switch", "prediction"] = "standard"
    prediction_ms: int = Field(130, ge=1, le=10000)
    prediction_timeout_ms: int = Field(1000, ge=1, le=60000)
    detach_ms: int = Field(30, ge=0, le=10000)
    signalling_us: int = Field(4000, ge=0, le=1_000_000)
    end_marker_ms: int = Field(200, ge=1, le=60000)
    forwarding: bool = True
    reordering: bool = True

    @model_validator(mode="after")
    def time_for_messages(self) -> Handover:
        if self.prediction_timeout_ms * 1000 <= 2 * self.signalling_us:
            raise ValueError(f"allowed a prediction_timeout_ms above {2 * self.signalling_us / 1000:g}, which two "
                             "messages of signalling_us take")
        return self


class Gtpu(Model):
    """Source: RFC 6040; Pacifico, section V.B, Figure 7."""

    ecn: Literal["none", "copy"] = "none"


class Event(Model):
    """What happens to a UE at a given time: another mode, a handover, or only the prediction of one."""

    at_s: float = Field(ge=0, le=86400)
    ue: Name
    mode: Literal["im", "dm"] | None = None
    handover: Name | None = None
    predict: Name | None = None

    @model_validator(mode="after")
    def one_thing(self) -> Event:
        if sum(what is not None for what in (self.mode, self.handover, self.predict)) != 1:
            raise ValueError("allowed exactly one of 'mode', 'handover' and 'predict'")
        return self


class UeRadio(Model):
    """One UE's radio: where its packets go, how, and how good its links are."""

    peer: Name
    mode: Literal["im", "dm"] = "dm"
    weight: int = Field(1, ge=1, le=255)
    rnti: int | None = Field(None, ge=1, le=65523)
    cqi_ul: Cqi = 15
    cqi_dl: Cqi = 15
    cqi_sl: Cqi = 15
    bler_ul: Probability = 0.0
    bler_dl: Probability = 0.0
    bler_sl: Probability = 0.0


class Radio(Model):
    system: Literal["lte", "utran", "packet_trace"] = "lte"
    n_rb: int = Field(50, ge=6, le=110)
    dl_carriers: int = Field(1, ge=1, le=5)
    dl_codewords: int = Field(1, ge=1, le=2)
    scheduler: Literal["rr", "wfq"] = "rr"
    max_pkts: int = Field(8192, ge=16, le=65536)
    timing: Timing = Timing()
    ra: RandomAccess = RandomAccess()
    mac: Mac = Mac()
    harq: Harq = Harq()
    control: Control = Control()
    rlc: Rlc = Rlc()
    rlc_um: RlcUm = RlcUm()
    rlc_am: RlcAm = RlcAm()
    pdcp: Pdcp = Pdcp()
    mode_switch: ModeSwitch = ModeSwitch()
    handover: Handover = Handover()
    gtpu: Gtpu = Gtpu()
    events: list[Event] = Field([], max_length=1024)
    channel: Channel | None = None
    utran: Utran | None = None
    packet_trace: PacketTrace | None = None
    ues: dict[Name, UeRadio] = Field(min_length=1, max_length=100)

    def check_handovers(self, enbs: list[str], ues: list[str]) -> None:
        """Raises ValueError for handovers that cannot be, and for keys that would do nothing.

        Args:
            enbs: those of the core network; none without one.
            ues: those whose peer is an eNB.
        """
        for name, ue in self.ues.items():
            if ue.weight != 1 and self.scheduler != "wfq":
                raise ValueError(f"key 'radio.ues.{name}.weight': value {ue.weight}: allowed 1, as the scheduler "
                                 f"{self.scheduler} knows no weights")
        for key in ("handover", "gtpu"):
            if not enbs and getattr(self, key) != type(self).model_fields[key].default:
                raise ValueError(f"key 'radio.{key}': allowed in scenarios with an sgw, whose tunnels it is about")
        if len(enbs) > 1:
            self._check_layers()
        for i, event in enumerate(self.events):
            for key in ("handover", "predict"):
                if getattr(event, key) is not None:
                    self._check_target(f"radio.events.{i}", event, key, enbs, ues)
        for name in ues if enbs else []:
            self._check_path(name)

    def _check_layers(self) -> None:
        """What a handover needs of the layers below."""
        if self.pdcp.reordering:
            raise ValueError("key 'radio.pdcp.reordering': value True: allowed false with several eNBs")
        if self.rlc.mode == "am" and self.pdcp.sn_bits != 12:
            raise ValueError(f"key 'radio.pdcp.sn_bits': value {self.pdcp.sn_bits}: allowed 12 with several eNBs and "
                             "rlc.mode am")
        if self.rlc.mode == "am" and self.rlc.delivery != "in_sequence":
            raise ValueError(f"key 'radio.rlc.delivery': value {self.rlc.delivery}: allowed in_sequence with several "
                             "eNBs and rlc.mode am")

    def _check_target(self, where: str, event: Event, key: str, enbs: list[str], ues: list[str]) -> None:
        if not enbs:
            raise ValueError(f"key '{where}.{key}': value {getattr(event, key)}: allowed in scenarios with an sgw")
        if event.ue not in ues:
            raise ValueError(f"key '{where}.ue': value {event.ue}: allowed {', '.join(ues)}, as it has no tunnels: its "
                             f"peer is {self.ues[event.ue].peer}")
        known(f"{where}.{key}", getattr(event, key), dict.fromkeys(enbs))
        lead_s = self.handover.prediction_ms / 1000 if self._is_predicted(event) else 0
        if event.at_s < lead_s:
            raise ValueError(f"key '{where}.at_s': value {event.at_s:g}: allowed {lead_s:g} or later, as the handover "
                             "is predicted radio.handover.prediction_ms before")

    def _is_predicted(self, event: Event) -> bool:
        return event.handover is not None and self.handover.procedure == "prediction"

    def _check_path(self, ue: str) -> None:
        """Follow a UE from eNB to eNB."""
        serving = self.ues[ue].peer
        for event in sorted((e for e in self.events if e.ue == ue), key=lambda e: e.at_s):
            i = self.events.index(event)
            target, key = (event.handover, "handover") if event.handover else (event.predict, "predict")
            if target == serving:
                raise ValueError(f"key 'radio.events.{i}.{key}': value {target}: allowed another eNB, as this one "
                                 f"serves {ue} at {event.at_s:g} s")
            serving = event.handover or serving
