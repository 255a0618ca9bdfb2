# SPDX-License-Identifier: GPL-2.0-or-later
"""The radio network of a scenario: its keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from cellbed.run.radio_config import WEIGHTED
from cellbed.scenario.bearer import (
    WHOLE,
    WHOLE_MIN_RB,
    Bearer,
    Pdcp,
    Rlc,
    RlcAm,
    RlcUm,
    check_list,
    check_qdiscs,
    check_qos,
    inherited,
)
from cellbed.scenario.channel import Channel
from cellbed.scenario.constant_rate import ConstantRate
from cellbed.scenario.control_channels import CqiReports, OuterLoop, SchedulingRequests
from cellbed.scenario.crowd import Crowd
from cellbed.scenario.en_dc import EnDc
from cellbed.scenario.fields import Key, Microseconds, Milliseconds, Model, Name, Probability, Rate, Ttis, known, unset
from cellbed.scenario.handover import Handover
from cellbed.scenario.nr import Nr
from cellbed.scenario.nr import with_defaults as nr_defaults
from cellbed.scenario.packet_trace import OwnPacketTrace, PacketTrace, with_own_links
from cellbed.scenario.utran import Utran

Cqi = Annotated[int, Field(ge=1, le=15)]


# Of FDD: message 3 at the earliest in the sixth sub-frame after its answer, data in the fourth after their grant.
_FDD_36213 = {"rar_to_msg3_tti": 6, "grant_to_tx_tti": 4}


class Timing(Model):
    """The timeline of one transmission, in sub-frames of 1 ms. Source: Nardini, Figure 4; TS 36.213 6.1.1, 8.0."""

    preset: Literal["nardini", "fdd_36213"] = Key("nardini",
        says="What the keys beside it are when they are not given. `nardini`: their defaults, the times of Nardini, "
             "Figure 4; `fdd_36213`: those of FDD, `rar_to_msg3_tti: 6` and `grant_to_tx_tti: 4` (TS 36.213 6.1.1, "
             "8.0). A BSR is decoded 13 sub-frames after the request then: with `radio.ra.rac_timeout_ms: 10` a UE "
             "asks again before that, with 20 it does not")
    rar_delay_tti: Ttis = Key(3, 1, 12,
        says="From a random access preamble to the eNB's answer. 3 is the first sub-frame in which a UE listens for it "
             "(TS 36.321 5.1.4)")
    rar_to_msg3_tti: Ttis = Key(2, 1, 8,
        says="From this answer to message 3, the transmission that it grants: not less than `grant_to_tx_tti`. Nardini,"
             " Figure 4, has the BSR sent 5 sub-frames after the request; FDD takes 6 from the answer (TS 36.213"
             " 6.1.1). Not given, it is `grant_to_tx_tti` where that is longer")
    grant_to_tx_tti: Ttis = Key(2, 1, 8,
        says="From an uplink or direct grant to the transmission that it is for. Nardini, Figure 4, grants at 9 what is"
             " sent at 11; FDD has 4 (TS 36.213 8.0)")
    decode_tti: Ttis = Key(4, 1, 8, says="From a transmission to the end of its decoding")
    dl_sched_to_tx_tti: Ttis = Key(1, 1, 8, says="From the decision of the downlink's scheduler to the transmission")
    processing_lead_us: Microseconds = Key(250, 0, 999,
        says="A PDU is decoded this long before the boundary of the sub-frame, so that the host's answer still counts "
             "in that sub-frame (ADR 4)")

    @model_validator(mode="before")
    @classmethod
    def what_the_preset_says(cls, data: Any) -> Any:
        """Keys that are given win over the preset, and message 3 never leaves before data could."""
        if not isinstance(data, dict):
            return data
        given = (_FDD_36213 if data.get("preset") == "fdd_36213" else {}) | data
        grant = given.get("grant_to_tx_tti")
        if isinstance(grant, int) and 2 <= grant <= 8:
            given.setdefault("rar_to_msg3_tti", grant)
        return given

    @model_validator(mode="after")
    def answers_come_first(self) -> Timing:
        if self.rar_to_msg3_tti < self.grant_to_tx_tti:
            raise ValueError(f"key 'rar_to_msg3_tti': value {self.rar_to_msg3_tti}: message 3 cannot leave before data "
                             f"could; allowed {self.grant_to_tx_tti} (grant_to_tx_tti) or more")
        return self


class RandomAccess(Model):
    """Source: TS 36.321 5.1; Nardini, Table 1 (RAC timeout)."""

    rac_timeout_ms: Milliseconds = Key(10, 2, 1000,
        says="Least time between two requests for random access. Nardini, Table 1")
    backoff_max_ms: Milliseconds = Key(20, 0, 960,
        says="Greatest wait after an unanswered request, drawn uniformly from 0. TS 36.321 Table 7.2-1, index 2")
    n_preambles: int = Key(52, 1, 64,
        says="Preambles for contention; two UEs with the same one in the same sub-frame collide. TS 36.331")
    prach_period_tti: Ttis = Key(1, 1, 20,
        says="Period of the occasions for random access. 1 = in every sub-frame (PRACH configuration index 14)")


class Mac(Model):
    """Source: TS 36.321 5.4; Nardini, section II."""

    bsr_grant_rb: int = Key(1, 1, 6,
        says="Resource blocks of the grant in the answer to a preamble. Nardini, section III")
    bandwidth_stealing: bool = Key(True,
        says="Data share a grant with the BSR, which is only possible when both go to the eNB. Nardini, section II")
    trailing_bsr: bool = Key(True,
        says="A data PDU carries a BSR as long as data remain. Nardini, section III")
    enb_overhears_dm: bool = Key(False,
        says="The eNB decodes the BSRs in direct transmissions. Nardini, section III")
    grants_ignore_headers: bool = Key(False,
        says="true: grants of the eNB count SDUs without the headers of RLC and MAC, so that the end of an SDU needs "
             "another block, as in the simulator of Li et al, section IV")
    ul_always_scheduled: bool = Key(False,
        says="true: in every sub-frame the eNB grants every UE what it has to send, so that no ACK waits for random "
             "access. For experiments about the downlink")


class Harq(Model):
    """Source: TS 36.321 5.3.2, 5.4.2; Park, section 3 (the ladder of error rates)."""

    max_attempts: int = Key(1, 1, 8,
        says="Transmissions of a block at most (`maxHARQ-Tx`). 1 = no HARQ, as in Nardini; Park, Table 3, has 5")
    errors: Literal["ladder", "sinr"] = Key("ladder",
        says="Where block errors come from. `ladder`: from `bler`; `sinr`: from the SINR of the channel, see block "
             "errors")
    dl_rtt_tti: Ttis = Key(8, 8, 32,
        says="Least time from a downlink transmission to its retransmission. TS 36.321 has at least 8; Park, section 3,"
             " has 8, 12 and 16")
    bler: list[Probability] = Key([0.1, 0.01, 0.005, 0.002, 0.001],
        says="Probability that a block is still not decoded after 1, 2, … attempts, which must not increase; the last "
             "one holds for further attempts. Only with HARQ and `errors: ladder`; what HARQ does not correct is "
             "`bler_*` of `radio.ues`. Park, section 3",
        min_length=1, max_length=8)
    nack_to_ack: Probability = Key(0.0,
        says="Probability that the sender takes a NACK for an ACK, so that HARQ loses the block. Park, section 3, has "
             "0.0001")
    ack_to_nack: Probability | None = Key(None, exclude_if=unset,
        says="Probability that the base station takes an ACK for a NACK, and sends a block again that the UE has; "
             "null: 0. TS 36.104 8.3.2 and TS 38.104 8.3 ask for 0.01 at most")

    @field_validator("bler")
    @classmethod
    def decoding_never_gets_worse(cls, bler: list[float]) -> list[float]:
        if any(later > earlier for earlier, later in itertools.pairwise(bler)):
            raise ValueError("an attempt makes the error rate worse; allowed probabilities that do not increase")
        return bler


class Control(Model):
    """PCFICH and PDCCH of the downlink, PUCCH of the uplink. Source: R4-081920; Li et al, section I."""

    errors: bool = Key(False,
        says="true: a UE misses PCFICH or PDCCH of a sub-frame, and with them all DCIs for it, with the chance that "
             "R4-081920 gives for its downlink's SINR: 92 % at -10 dB and below, 11 % at -5 dB, none above -1 dB. One "
             "draw for each UE and sub-frame with a DCI for it")
    dtx: Literal["retry", "lose"] = Key("retry",
        says="What becomes of a downlink block whose assignment was missed: `retry`: the eNB hears neither ACK nor NACK"
             " and sends it again, an attempt that adds nothing to the receiver's soft bits; `lose`: HARQ gives it up, "
             "\"the loss of corresponding TBs\" of Li et al, section III. A missed uplink grant goes unused, which the "
             "eNB sees when it would have decoded; a missed RAR is no answer")
    cfi: Literal[1, 2, 3] | None = Key(None, exclude_if=unset,
        says="Symbols of the control region, one more with up to ten resource blocks. Its elements (CCEs) limit how "
             "many DCIs a sub-frame has: 8, 25 and 41 CCEs with 50 resource blocks. A DCI takes 1, 2, 4 or 8 of "
             "them by the CQI of the UE's downlink, at its C-RNTI's places. null: one symbol, without a limit. "
             "TS 36.211 6.7, 6.8; TS 36.213 9.1.1")
    pucch_rb: int | None = Key(None, 0, 104, exclude_if=unset,
        says="Resource blocks of the uplink that PUCCH has, half of them at either edge of the carrier; at least six "
             "are left. null: 0. TS 36.211 5.4.3")


class ModeSwitch(Model):
    """When UEs change between direct and infrastructure mode. Source: Nardini, section IV."""

    select_ms: Milliseconds = Key(0, 0, 60000,
        says="Period with which the eNB gives each pair of UEs the mode with the higher CQI, that of the uplink or "
             "that of the direct link; direct mode when they are equal. 0 = modes change by events only. Nardini, "
             "section IV: 1000")
    flush: Literal["discard", "keep", "retransmit"] = Key("discard",
        says="What happens to packets below PDCP at a switch. `discard`: they are lost, because each hop has a PDCP of "
             "its own (Nardini, section IV); `keep`: they go the old way, which is an ideal; `retransmit`: PDCP sends "
             "them again the new way")
    flush_air: bool = Key(False,
        says="true: UM blocks that are on the air at the switch are lost with the rest; false: they are received, and "
             "SDUs that are whole in them are delivered, because what is on the air is no longer buffered below PDCP")


class Gtpu(Model):
    """Source: RFC 6040; Pacifico, section V.B, Figure 7."""

    ecn: Literal["none", "copy"] = Key("none",
        says="`none`: outer headers are Not-ECT, as those of today's tunnels (Pacifico, section V.B); `copy`: outer "
             "headers allow marks, and a mark is copied to the user's packet, which is dropped (`ecn`) if its header "
             "does not allow ECN. RFC 6040; Pacifico, Figure 7")
    outer: Literal["ipv4", "ipv6"] | None = Key(None, exclude_if=unset,
        says="Version of IP of outer headers and of the wires between nodes of the core network; null: `ipv4`. Headers "
             "of IPv6 are 20 bytes longer, and have the checksum of UDP. TS 29.281 4.4.2")


#: What an event may change, and in which systems.
CHANGES: dict[str, tuple[str, ...]] = {
    "mode": ("lte",), "handover": ("lte", "nr"), "predict": ("lte", "nr"), "cqi_ul": ("lte", "nr", "en_dc"),
    "cqi_dl": ("lte", "nr", "en_dc"), "cqi_sl": ("lte",), "dl_rate": ("constant_rate",), "ul_rate": ("constant_rate",),
    **dict.fromkeys(("loss_dl", "loss_ul", "delay_ms", "outage_ms"), ("constant_rate", "packet_trace")),
    "flush": ("lte", "nr", "en_dc", "constant_rate", "packet_trace")}


class Event(Model):
    """What happens to a UE at a given time: one change."""

    at_s: float = Key(..., 0, 86400,
        says="When it happens, counted from sub-frame 0. In the virtual lab the traffic starts one second after that")
    ue: Name = Key(..., says="The UE that it happens to")
    mode: Literal["im", "dm"] | None = Key(None,
        says="The UE changes to this mode of D2D: `{at_s: 2.5, ue: ue1, mode: im}`")
    handover: Name | None = Key(None,
        says="The UE is handed over to this eNB: `{at_s: 3.3, ue: me, handover: tenb}`. The time is that of the "
             "source's decision")
    predict: Name | None = Key(None,
        says="The path is switched to this eNB as if a handover were about to come. If none follows, the prediction "
             "was wrong")
    cqi_ul: int | None = Key(None, 0, 15, exclude_if=unset,
        says="The UE's uplink has this CQI from now on, 0 = out of range; in LTE and NR without `radio.channel`, with "
             "one base station. With `system: en_dc` it is that of LTE")
    cqi_dl: int | None = Key(None, 0, 15, exclude_if=unset, says="The same of the downlink")
    cqi_sl: int | None = Key(None, 0, 15, exclude_if=unset, says="The same of the direct link, in LTE")
    dl_rate: Rate | None = Key(None, 1000, 1_000_000_000, exclude_if=unset,
        says="The UE's link has this rate from now on; with `system: constant_rate`")
    ul_rate: Rate | None = Key(None, 1000, 1_000_000_000, exclude_if=unset, says="The same of the uplink")
    loss_dl: Probability | None = Key(None, exclude_if=unset,
        says="Probability of the link from now on that a packet is lost, on top of `downlink_netem`; with `system: "
             "constant_rate` and `packet_trace`")
    loss_ul: Probability | None = Key(None, exclude_if=unset, says="The same of the uplink")
    delay_ms: Milliseconds | None = Key(None, 0, 10000, exclude_if=unset,
        says="The link has this delay in both directions from now on, likewise; packets stay in order")
    outage_ms: Milliseconds | None = Key(None, 0, 600_000, exclude_if=unset,
        says="For so long the link sends nothing in either direction, likewise; queues keep what waits")
    flush: Literal[True] | None = Key(None, exclude_if=unset,
        says="What waits in the queues of the UE's link is dropped, in both directions; a packet that was sent in part "
             "is sent whole")

    @property
    def change(self) -> str:
        """The key of what changes."""
        return next(key for key in CHANGES if getattr(self, key) is not None)

    @model_validator(mode="after")
    def one_thing(self) -> Event:
        if sum(getattr(self, key) is not None for key in CHANGES) != 1:
            raise ValueError(f"an event does one thing; give exactly one of {', '.join(CHANGES)}")
        return self


class UeRadio(Model):
    """One UE's radio: where its packets go, how, and how good its links are."""

    peer: Name = Key(...,
        says="Where the UE's packets go: to another UE, or to an eNB node, which stands for the network behind it")
    mode: Literal["im", "dm"] = Key("dm",
        says="Mode of D2D. `dm`: direct, on grants of the eNB; `im`: over the infrastructure, that is uplink, eNB and "
             "downlink. A UE's mode is that of what it sends: data of one UE and ACKs of the other are routed "
             "independently. With the eNB as its peer a UE is always in `im`")
    weight: int = Key(1, 1, 255, says="Share of the radio with the scheduler `wfq`, urgency with `mlwdf`")
    rnti: int | None = Key(None, 1, 65523, says="C-RNTI of the UE; null: 61, 62, … in the order of the UEs")
    cqi_ul: Cqi = Key(15, says="CQI of the uplink, which fixes the transport format. TS 36.213 7.2.3")
    cqi_dl: Cqi = Key(15, says="CQI of the downlink")
    cqi_sl: Cqi = Key(15, says="CQI of the direct link to the peer")
    second_cqi_ul: Cqi | None = Key(None, exclude_if=unset,
        says="CQI of the uplink in the second cell, which UEs with `pdcp.duplication` have, and with `system: en_dc` in"
             " that of the gNB; null: as in the first")
    second_cqi_dl: Cqi | None = Key(None, exclude_if=unset, says="The same of the downlink")
    bler_ul: Probability = Key(0.0,
        says="Probability that a PDU of the uplink is lost for good: the residual block error rate, whatever HARQ does")
    bler_dl: Probability = Key(0.0, says="The same for the downlink")
    bler_sl: Probability = Key(0.0, says="The same for the direct link")
    bearers: list[Bearer] = Key([], max_length=8,
        says="Bearers beside or in place of the default one, which is as `radio.rlc` and `radio.pdcp` say")
    packet_trace: OwnPacketTrace | None = Key(None, exclude_if=unset,
        says="A recorded link of its own, with `system: packet_trace` only: keys that are not here are those of "
             "`radio.packet_trace`, which is the UE's link when it has none of its own")


# Resource blocks of carriers whose first symbol has one CCE. Source: TS 36.211 6.8.1
_WITHOUT_ANSWERS = range(11, 14)


class Radio(Model):
    system: Literal["lte", "utran", "packet_trace", "constant_rate", "nr", "en_dc"] = Key("lte",
        says="The radio network. `lte`: LTE; `utran`: a dedicated channel of the UTRAN for each UE; `packet_trace`: a "
             "recorded link for each UE; `constant_rate`: no radio, a link of constant rate for each UE, to compare "
             "with; `nr`: 5G NR; `en_dc`: dual connectivity of LTE and NR, with the keys of both")
    n_rb: int = Key(50, 6, 110, says="Resource blocks of the carrier; 50 = 10 MHz. Nardini, Table 1")
    dl_carriers: int = Key(1, 1, 5,
        says="Component carriers in the downlink, each of `n_rb`. 1 = no carrier aggregation; Park, section 4, has 2")
    ul_carriers: int = Key(1, 1, 5, exclude_if=lambda carriers: carriers == 1,
        says="Component carriers in the uplink, each of `n_rb`, at most as many as in the downlink. The first one has "
             "PUCCH, random access and the sidelink. TS 36.321 5.4.3, 5.4.5")
    dl_codewords: int = Key(1, 1, 2,
        says="Transport blocks in each carrier and sub-frame. 2 = spatial multiplexing of two codewords. TS 36.211")
    scheduler: Literal["rr", "wfq", "max_ci", "pf", "mlwdf"] = Key("rr",
        says="`rr`: round robin over UEs, uplink and direct flows together, downlink by itself; `wfq`: shares by "
             "`radio.ues.<name>.weight`; `max_ci`: the UE with the best channel; `pf`: the UE with the best "
             "channel compared with what it got on average; `mlwdf`: the same times the weight and how long the first "
             "packet has waited, modified largest weighted delay first. Pacifico, Table I, has WFQ")
    pf_average_tti: Ttis = Key(1000, 1, 100_000,
        says="Time constant of the average rate in the schedulers `pf` and `mlwdf`. Jalali, section III")
    max_pkts: int = Key(8192, 16, 65536, says="Packets inside the cell at the same time; more are dropped and counted")
    mtu: int | None = Key(None, 1280, 1500, exclude_if=unset,
        says="MTU of the UEs' interfaces and of what leads to them; null: 1500. The node before the radio answers a "
             "larger packet with ICMP. 1358 is what networks give UEs if their own wires have 1500. TS 23.501 "
             "5.6.10.4; RFC 1191; RFC 8201")
    timing: Timing = Timing()
    ra: RandomAccess = RandomAccess()
    mac: Mac = Mac()
    sr: SchedulingRequests | None = Key(None, exclude_if=unset,
        says="Scheduling Requests: UEs ask for grants on PUCCH; null: by random access, as in Nardini")
    outer_loop: OuterLoop | None = Key(None, exclude_if=unset,
        says="Link adaptation that learns from ACKs and NACKs, in LTE; null: the transport format is the CQI's")
    harq: Harq = Harq()
    control: Control = Control()
    rlc: Rlc = Rlc()
    rlc_um: RlcUm = RlcUm()
    rlc_am: RlcAm = RlcAm()
    pdcp: Pdcp = Pdcp()
    mode_switch: ModeSwitch = ModeSwitch()
    handover: Handover = Handover()
    gtpu: Gtpu = Gtpu()
    events: list[Event] = Key([],
        max_length=1024, says="What happens at given times")
    crowd: Crowd | None = Key(None, exclude_if=unset,
        says="Modelled UEs that only load the schedulers, beside those of `ues`; null: none")
    cqi_reports: CqiReports | None = Key(None, exclude_if=unset,
        says="The base station knows of a channel by reports, in LTE and NR; null: it knows at once")
    channel: Channel | None = Key(None,
        says="How good the links are over time; null: the CQIs of `radio.ues` for the whole run. With `system: en_dc` "
             "those of LTE")
    utran: Utran | None = Key(None, says="A dedicated channel of the UTRAN, with `system: utran` only")
    packet_trace: PacketTrace | None = Key(None, says="The recorded link of each UE, with `system: packet_trace` only")
    constant_rate: ConstantRate | None = Key(None, exclude_if=unset,
        says="Links of constant rate, with `system: constant_rate` only")
    nr: Nr | None = Key(None, exclude_if=unset, says="5G NR, with `system: nr` and `en_dc` only")
    en_dc: EnDc | None = Key(None, exclude_if=unset,
        says="LTE and 5G NR together, with `system: en_dc` only, whose LTE and NR are those of the other keys")
    ues: dict[Name, UeRadio] = Field(min_length=1, max_length=100)

    @model_validator(mode="before")
    @classmethod
    def ues_are_as_the_radio(cls, data: Any) -> Any:
        """What a bearer does not say of RLC and PDCP, and a UE of its recorded link, the radio says."""
        return with_own_links(inherited(nr_defaults(data)))

    def check_pucch(self) -> None:
        """Raises ValueError where PUCCH leaves the uplink less than random access needs."""
        pucch_rb, most = self.control.pucch_rb or 0, self.n_rb - 6
        if pucch_rb > most:
            raise ValueError(f"key 'radio.control.pucch_rb': value {pucch_rb}: the carrier has {self.n_rb} resource "
                             f"blocks, of which random access needs 6; allowed 0..{most}")

    def check_carriers(self) -> None:
        """Raises ValueError for more carriers in the uplink than a UE can have."""
        if self.mac.ul_always_scheduled and self.ul_carriers > 1:
            raise ValueError(f"key 'radio.ul_carriers': value {self.ul_carriers}: with radio.mac.ul_always_scheduled "
                             "UEs have resource blocks of the first one; allowed 1")
        if self.ul_carriers > self.dl_carriers:
            raise ValueError(f"key 'radio.ul_carriers': value {self.ul_carriers}: allowed 1..{self.dl_carriers}, as "
                             "many as radio.dl_carriers")

    def check_control(self) -> None:
        """Raises ValueError for a control region without room for an answer to a preamble."""
        if self.control.cfi == 1 and self.n_rb in _WITHOUT_ANSWERS:
            raise ValueError(f"key 'radio.control.cfi': value 1: with {self.n_rb} resource blocks its control region "
                             "has one CCE, and an answer to a preamble takes two; allowed 2, 3, or another radio.n_rb")

    def check_requests(self) -> None:
        """Raises ValueError for requests that no UE would send."""
        if self.sr is not None and self.mac.ul_always_scheduled:
            raise ValueError("key 'radio.sr': with radio.mac.ul_always_scheduled no UE has to ask; remove one of the "
                             "two")

    def check_crowd(self) -> None:
        """Raises ValueError for modelled UEs that the rest of the radio cannot have."""
        if self.crowd is None or not self.crowd.count:
            return
        if self.crowd.direction != "dl" and self.mac.ul_always_scheduled:
            raise ValueError(f"key 'radio.crowd.direction': value {self.crowd.direction}: with "
                             "radio.mac.ul_always_scheduled the uplink has no scheduler to load; allowed dl")
        if self.crowd.weight != 1 and self.scheduler not in WEIGHTED:
            raise ValueError(f"key 'radio.crowd.weight': value {self.crowd.weight}: the scheduler {self.scheduler} has "
                             "no weights; allowed 1")

    def check_bearers(self) -> None:
        """Raises ValueError for bearers that a UE cannot have together."""
        check_qdiscs("radio", self)
        for name, ue in self.ues.items():
            check_list(f"radio.ues.{name}.bearers", ue.bearers, Bearer(rlc=self.rlc, rlc_um=self.rlc_um),
                       direct=ue.peer in self.ues, by_lcid=self.system != "nr")
            for i, bearer in enumerate(ue.bearers):
                check_qdiscs(f"radio.ues.{name}.bearers.{i}", bearer)
                check_qos(f"radio.ues.{name}.bearers.{i}", bearer, self.system)
            for mode in self.rlc_modes(name):
                if self.system != "nr" and mode in WHOLE and self.n_rb < WHOLE_MIN_RB:
                    raise ValueError(f"key 'radio.n_rb': value {self.n_rb}: rlc.mode {mode} does not segment, and a "
                                     f"block is too small for a packet; allowed {WHOLE_MIN_RB} or more")

    def rlc_modes(self, ue: str) -> list[str]:
        """Of a UE's bearers, the default bearer first."""
        bearers = self.ues[ue].bearers
        default = next((bearer.rlc.mode for bearer in bearers if not bearer.filters), self.rlc.mode)
        return [default, *(bearer.rlc.mode for bearer in bearers if bearer.filters)]

    def check_events(self, enbs: int) -> None:
        """Raises ValueError for changes that the radio's system does not have."""
        for i, event in enumerate(self.events):
            key, value = event.change, getattr(event, event.change)
            where = f"key 'radio.events.{i}.{key}': value {value}: "
            if self.system not in CHANGES[key]:
                allowed = [one for one, systems in CHANGES.items() if self.system in systems]
                raise ValueError(f"{where}radio.system {self.system} does not have it; allowed "
                                 f"{', '.join(allowed) or 'no events'}")
            if key.startswith("cqi_") and (self.channel is not None or enbs > 1):
                raise ValueError(f"{where}" + ("radio.channel says what CQI a UE has; remove one of the two"
                                               if self.channel is not None else
                                               "each eNB has a channel of its own; allowed with one eNB"))
            trains = self.packet_trace is not None and (self.packet_trace.uplink_trains or
                                                        self.packet_trace.downlink_trains)
            if key in ("delay_ms", "flush") and trains:
                raise ValueError(f"{where}the trains of radio.packet_trace have the delays, and no queue; remove the "
                                 "event")

    def check_handovers(self, enbs: list[str], ues: list[str]) -> None:
        """Raises ValueError for handovers that cannot be, and for keys that would do nothing.

        Args:
            enbs: those of the core network; none without one.
            ues: those whose peer is an eNB.
        """
        for name, ue in self.ues.items():
            if ue.weight != 1 and self.scheduler not in WEIGHTED:
                raise ValueError(f"key 'radio.ues.{name}.weight': value {ue.weight}: the scheduler {self.scheduler} "
                                 "has no weights; allowed 1")
        for key in ("handover", "gtpu"):
            if not enbs and getattr(self, key) != type(self).model_fields[key].default:
                raise ValueError(f"key 'radio.{key}': the scenario has no core network; add an sgw, or remove the key")
        if len(enbs) > 1 and self.system == "lte":
            self._check_layers()
        for i, event in enumerate(self.events):
            for key in ("handover", "predict"):
                if getattr(event, key) is not None:
                    self._check_target(f"radio.events.{i}", event, key, enbs, ues)
        for name in ues if enbs else []:
            self._check_path(name)

    def _check_layers(self) -> None:
        """What a handover needs of the layers below."""
        layers: list[tuple[str, Radio | Bearer]] = [("radio", self)]
        layers += [(f"radio.ues.{name}.bearers.{i}", bearer) for name, ue in self.ues.items()
                   for i, bearer in enumerate(ue.bearers)]
        for where, of in layers:
            if of.pdcp.reordering:
                raise ValueError(f"key '{where}.pdcp.reordering': value true: PDCP of LTE does not reorder across "
                                 "handovers; with several eNBs allowed false")
            if of.rlc.mode == "am" and of.pdcp.sn_bits != 12:
                raise ValueError(f"key '{where}.pdcp.sn_bits': value {of.pdcp.sn_bits}: too few for forwarding with "
                                 "rlc.mode am; with several eNBs allowed 12")
            if of.rlc.mode == "am" and of.rlc.delivery != "in_sequence":
                raise ValueError(f"key '{where}.rlc.delivery': value {of.rlc.delivery}: a handover with rlc.mode am "
                                 "needs packets in sequence; with several eNBs allowed in_sequence")

    def _check_target(self, where: str, event: Event, key: str, enbs: list[str], ues: list[str]) -> None:
        if not enbs:
            raise ValueError(f"key '{where}.{key}': value {getattr(event, key)}: the scenario has no core network; add "
                             "an sgw, or remove the event")
        if event.ue not in ues:
            raise ValueError(f"key '{where}.ue': value {event.ue}: its peer is a UE, {self.ues[event.ue].peer}, and it "
                             f"cannot be handed over; allowed {', '.join(ues)}")
        known(f"{where}.{key}", getattr(event, key), dict.fromkeys(enbs))
        if key == "predict" and self.handover.link_failure is not None and self.handover.procedure == "standard":
            raise ValueError(f"key '{where}.predict': value {event.predict}: radio.handover.link_failure is not "
                             "modelled with predictions; remove one of the two")
        lead_s = self.handover.prediction_ms / 1000 if self._is_predicted(event) else 0
        if event.at_s < lead_s:
            raise ValueError(f"key '{where}.at_s': value {event.at_s:g}: the prediction, radio.handover.prediction_ms "
                             f"before, would be before the start; allowed {lead_s:g} or more")

    def _is_predicted(self, event: Event) -> bool:
        return event.handover is not None and self.handover.procedure in ("prediction", "conditional")

    def _check_path(self, ue: str) -> None:
        """Follow a UE from eNB to eNB."""
        serving = self.ues[ue].peer
        moves = [e for e in self.events if e.ue == ue and e.change in ("handover", "predict")]
        for event in sorted(moves, key=lambda e: e.at_s):
            i = self.events.index(event)
            target, key = (event.handover, "handover") if event.handover else (event.predict, "predict")
            if target == serving and self.handover.a3 is None:
                raise ValueError(f"key 'radio.events.{i}.{key}': value {target}: this eNB serves {ue} already at "
                                 f"{event.at_s:g} s; name another eNB")
            serving = event.handover or serving
