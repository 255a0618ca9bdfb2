# SPDX-License-Identifier: GPL-2.0-or-later
"""5G NR in place of LTE: the keys of its physical layer and MAC, with limits and defaults.

What both have is in the sections of LTE: RLC, PDCP, HARQ, schedulers, bearers, the channel. docs/reference/keys.md
lists them all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from cellbed.scenario import bearer as bearer_keys
from cellbed.scenario import handover
from cellbed.scenario.control_channels import Broadcast
from cellbed.scenario.fields import Decibel, ErrorRate, Key, Microseconds, Milliseconds, Probability, Slots, unset
from cellbed.scenario.system import System

# Defaults of NR in the sections of LTE. Source: 5QI 9 of srsRAN Project,
# configs/qos.yml; TS 38.331
DEFAULTS: dict[str, dict[str, Any]] = {
    "rlc": {"mode": "am", "queue_pkts": 16384, "queue_bytes": 6_172_672, "t_reassembly_ms": 20},
    "rlc_um": {"sn_bits": 12},
    "rlc_am": {"sn_bits": 18, "poll_pdu": 16, "poll_byte": 10_000_000, "t_poll_retransmit_ms": 100,
               "t_status_prohibit_ms": 10, "max_retx_threshold": 32},
    "pdcp": {"sn_bits": 18, "t_reordering_ms": 220, "out_of_order_delivery": False, "t_reordering_infinite": False},
    "harq": {"max_attempts": 5},
}
# Of the same sections, what NR does not have, and why.
_NOT_IN_NR: dict[str, dict[str, str]] = {
    "rlc": {"delivery": "PDCP puts packets in order, and RLC never does", "t_reordering_ms": "RLC has t_reassembly_ms"},
    "pdcp": {"reordering": "PDCP puts packets in order unless out_of_order_delivery is true"},
    "harq": {"dl_rtt_tti": "the round trip follows from radio.nr.k1_min and gnb_processing_us"},
    "handover": handover.NOT_IN_NR,
}
# What these sections have for NR only.
ONLY_IN_NR: dict[str, tuple[str, ...]] = {"rlc": ("t_reassembly_ms", "queue_ms"), "rlc_am": ("sn_bits",),
                                          "pdcp": ("out_of_order_delivery", "t_reordering_infinite", "duplication"),
                                          "handover": tuple(handover.ONLY_IN_NR)}
# Sections of LTE that have them with EN-DC, too, whose PDCP and RLC AM are those of NR.
_DEFAULTS_OF = {"nr": tuple(DEFAULTS), "en_dc": ("rlc", "rlc_am", "pdcp")}
_SN_BITS = {"rlc_um": {"nr": (6, 12), "lte": (5, 10)}, "pdcp": {"nr": (12, 18), "lte": (7, 12)}}

# Of a UE, what it has in the second cell.
SECOND_CELL = ("second_cqi_ul", "second_cqi_dl")

# Resource blocks by sub-carrier spacing and MHz. Source: TS 38.101-1 Table 5.3.2-1; TS 38.101-2 Table 5.3.2-1
N_RB = {
    ("fr1", 0): {5: 25, 10: 52, 15: 79, 20: 106, 25: 133, 30: 160, 35: 188, 40: 216, 45: 242, 50: 270},
    ("fr1", 1): {5: 11, 10: 24, 15: 38, 20: 51, 25: 65, 30: 78, 35: 92, 40: 106, 45: 119, 50: 133, 60: 162, 70: 189,
                 80: 217, 90: 245, 100: 273},
    ("fr1", 2): {10: 11, 15: 18, 20: 24, 25: 31, 30: 38, 35: 44, 40: 51, 45: 58, 50: 65, 60: 79, 70: 93, 80: 107,
                 90: 121, 100: 135},
    ("fr2", 2): {50: 66, 100: 132, 200: 264},
    ("fr2", 3): {50: 32, 100: 66, 200: 132, 400: 264},
}
# Symbols of a special slot with which it carries downlink data. Source: TS 38.214 Table 5.1.2.1-1, mapping type A
_DL_SYMBOLS_MIN = 3
_SYMBOLS = 14
# Periods of whole slots by numerology, up to 640 slots, with the normal cyclic prefix. Source: TS 38.331
# SchedulingRequestResourceConfig, periodicityAndOffset
SR_PERIODS = (
    (1, 2, 4, 5, 8, 10, 16, 20, 40, 80),
    (1, 2, 4, 8, 10, 16, 20, 40, 80, 160),
    (1, 2, 4, 8, 16, 20, 40, 80, 160, 320),
    (1, 2, 4, 8, 16, 40, 80, 160, 320, 640),
)
# Source: TS 38.331 ConfiguredGrantConfig, periodicity
_CG_ALWAYS = (1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 64, 80, 128, 160, 320, 640)
CG_PERIODS = tuple(tuple(sorted((*_CG_ALWAYS, *more))) for more in ((), (256,), (256, 512), (256, 512)))
# Of requests, where a scenario does not say: RRC has no 10 slots at 60 and 120 kHz.
_SR_PERIOD_HIGH = 8
_LOGICAL_CHANNELS = 8  # of a UE
_UES = 100
_K1_MAX = 15
# Symbols that a UE takes to decode, by numerology, and to prepare, by capability and numerology. Source: TS 38.214
# Tables 5.3-1, 6.4-1, 6.4-2
N1_SYMBOLS = (8, 10, 17, 20)
N2_SYMBOLS = {1: (10, 12, 23, 36), 2: (5, 5.5, 11)}
# Periods of a pattern. Source: TS 38.213 11.1; TS 38.331 TDD-UL-DL-ConfigCommon
_PERIODS_MS = (0.5, 0.625, 1, 1.25, 2, 2.5, 3, 4, 5, 10)


def _with_default(radio: Any, ue: Any) -> list[Any]:
    """A UE's bearers, and the default one of all UEs where none of its own is that."""
    return [*ue.bearers, *([] if any(not bearer.filters for bearer in ue.bearers) else [radio])]


class Nr(System):
    """Source: TS 38.211 to 38.214, 38.321, 38.331."""

    PREFIX = "nr."
    PARTS: ClassVar[Mapping[str, str]] = {
        "numerology": "phy", "k0": "mac", "drx_cycle_ms": "drx", "random_access": "ra", "outer_loop": "link_adaptation",
        "sdap_header": "", "aqm": "aqm"}
    ENB = "the gNB"
    HAS_CORE = True
    RADIO_KEYS: ClassVar[frozenset[str]] = System.RADIO_KEYS | {
        "scheduler", "pf_average_tti", "harq", "rlc", "rlc_um", "rlc_am", "pdcp", "channel", "crowd", "cqi_reports",
        "handover", "gtpu", "events"}
    UE_KEYS: ClassVar[frozenset[str]] = System.UE_KEYS | {
        "weight", "cqi_ul", "cqi_dl", "bler_ul", "bler_dl", "bearers", *SECOND_CELL}

    numerology: int = Key(1, 0, 3,
        says="Sub-carrier spacing 15 kHz times 2^numerology, and slots of 1 ms / 2^numerology. TS 38.211 4.2, 4.3.2")
    duplex: Literal["fdd", "tdd"] = Key("tdd", says="`fdd`: a carrier for each direction; `tdd`: one for both in turn")
    frequency_range: Literal["fr1", "fr2"] = Key("fr1",
        says="`fr1`: below 7.125 GHz, numerology 0 to 2; `fr2`: millimetre waves, numerology 2 and 3. TS 38.104 5.1")
    bandwidth_mhz: Literal[5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 90, 100, 200, 400] = Key(100,
        says="Width of each carrier, which fixes its resource blocks with the numerology: 273 of 30 kHz in 100 MHz. "
             "TS 38.101-1 Table 5.3.2-1; TS 38.101-2 Table 5.3.2-1")
    tdd_pattern: str = Key("DDDSU", pattern=r"^[DSU]{1,80}$", max_length=80,
        says="Slots of a period with `duplex: tdd`: D downlink, S special, U uplink. At 30 kHz DDDSU takes 2.5 ms, and "
             "DDDDDDDSUU is the one of bands shared with LTE. TS 38.213 11.1")
    tdd_special_dl_symbols: int = Key(10, 0, 13,
        says="Symbols at the start of a special slot that are downlink: data from 3 beyond those of PDCCH on (TS "
             "38.214 Table 5.1.2.1-1)")
    tdd_special_ul_symbols: int = Key(2, 0, 13,
        says="Symbols at its end that are uplink: data from 4 on (TS 38.214 Table 6.1.2.1-1); those between"
             " are the guard")
    mcs_table_dl: Literal["qam64", "qam256", "qam64_low_se"] = Key("qam256",
        says="Table of MCS and CQI of the downlink: `qam64`: Table 1; `qam256`: Table 2; `qam64_low_se`: Table 3, for "
             "few errors. TS 38.214 5.1.3.1, 5.2.2.1")
    mcs_table_ul: Literal["qam64", "qam256", "qam64_low_se"] = Key("qam64",
        says="The same for the uplink, without transform precoding. TS 38.214 6.1.4.1")
    layers_dl: int = Key(4, 1, 4, 
        says="Spatial layers of a downlink block, all as good as the CQI says. TS 38.211 7.3.1.3")
    layers_ul: int = Key(1, 1, 4, says="The same for the uplink. TS 38.211 6.3.1.3")
    dl_carriers: int = Key(1, 1, 4, exclude_if=lambda carriers: carriers == 1,
        says="Component carriers of the downlink, all of that numerology, width and pattern; each UE uses all of them, "
             "with HARQ processes of their own. 1 = no carrier aggregation. TS 38.300 5.4.1, 6.7")
    pdcch_symbols: int = Key(2, 1, 3, says="Symbols at the start of each downlink slot for control. TS 38.211 7.3.2.2")
    coreset_rb: int | None = Key(None, 6, 275, exclude_if=unset,
        says="Resource blocks of these symbols that carry PDCCH, of which there are CCEs by sixes: 48 of two symbols "
             "have 16. They limit how many DCIs a slot has. A DCI takes 1, 2, 4, 8 or 16 CCEs by the CQI of the UE's "
             "downlink, at its C-RNTI's places; null: no limit. TS 38.211 7.3.2.2; TS 38.213 10.1")
    pucch_rb: int | None = Key(None, 0, 274, exclude_if=unset,
        says="Resource blocks of uplink slots that PUCCH has, half of them at either edge of the carrier; null: 0. "
             "TS 38.213 9.2.1")
    dmrs_symbols: int = Key(1, 1, 4,
        says="Symbols of a block that have reference signals and no data. TS 38.211 7.4.1.1, 6.4.1.1")
    overhead_re: Literal[0, 6, 12, 18] = Key(0,
        says="Resource elements of a block and resource block for CSI-RS and the like, `xOverhead`. TS 38.214 5.1.3.2")
    k0: int = Key(0, 0, 32, says="Slots from a downlink assignment to its block. TS 38.214 5.1.2.1")
    gnb_ahead_slots: Slots = Key(0, 0, 16, exclude_if=lambda slots: slots == 0,
        says="Slots from the gNB's decision on a downlink block to its assignment, in which its software gets the "
             "block ready: what comes later waits for another one. 0: in the same slot. OpenAirInterface has 6 "
             "(`sl_ahead`)")
    k1_min: int = Key(4, 0, _K1_MAX,
        says="Least slots from a downlink block to its ACK or NACK, which is in the first uplink slot from there on. "
             "srsRAN Project, `min_k1`; TS 38.213 9.2.3")
    k2_min: int = Key(4, 1, 32,
        says="Least slots from an uplink grant to its block, likewise. srsRAN Project, `min_k2`; TS 38.214 6.1.2.1")
    processing_capability: Literal[1, 2] = Key(1,
        says="How fast a UE is: k2_min has to leave it N2 symbols to prepare a block. k1_min leaves it N1 symbols of "
             "capability 1 to decode one. TS 38.214 5.3, 6.4")
    gnb_processing_us: Microseconds = Key(250, 0, 5000,
        says="Time from the end of an uplink slot until the gNB has what was in it: data, and feedback for what it "
             "schedules next")
    harq_processes: int = Key(16, 1, 16, says="HARQ processes of a UE in each direction. TS 38.214 5.1, 6.1")
    scell_deactivation_ms: Literal[0, 20, 40, 80, 160, 200, 240, 320, 400, 480, 520, 640, 720, 840, 1280] = Key(0,
        exclude_if=lambda ms: ms == 0,
        says="`sCellDeactivationTimer`: carriers beside the first one are switched off after so long without a block, "
             "and on again by a MAC control element when more waits than the first one takes. 0 = they are always on. "
             "TS 38.321 5.9")
    scell_activation_ms: Milliseconds = Key(15, 0, 1000, exclude_if=lambda ms: ms == 15,
        says="Time from the ACK of that control element to the first block on them: 5 ms, and until the next SSB, up "
             "to 20 ms. TS 38.133 8.3.2")
    sr_period_slots: Literal[0, 1, 2, 4, 5, 8, 10, 16, 20, 40, 80, 160, 320, 640] = Key(10,
        says="Period of a UE's occasions for scheduling requests; 0 = it has none and asks by random access. Which "
             "there are depends on the numerology; with 2 and 3 the default is 8. TS 38.331 "
             "SchedulingRequestResourceConfig")
    sr_prohibit_timer_ms: Literal[0, 1, 2, 4, 8, 16, 32, 64, 128] = Key(0,
        says="Least time between two of them. TS 38.321 5.4.4")
    sr_trans_max: Literal[4, 8, 16, 32, 64] = Key(64,
        says="Scheduling requests without success before the UE turns to random access. TS 38.321 5.4.4")
    sr_missed: Probability | None = Key(None, exclude_if=unset,
        says="Probability that the gNB does not detect a scheduling request; null: 0")
    bsr_periodic_ms: Literal[0, 1, 5, 10, 16, 20, 32, 40, 64, 80, 128, 160, 320, 640, 1280, 2560] = Key(1,
        says="`periodicBSR-Timer`; 0 = infinity. What came since the last BSR waits for the next one, and without one "
             "for `bsr_retx_ms`. srsRAN Project, low latency; TS 38.321 5.4.5")
    bsr_retx_ms: Literal[10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240] = Key(80,
        says="`retxBSR-Timer`: a UE asks again when it got no grant for so long. TS 38.321 5.4.5")
    configured_grant: Literal["none", "type1", "type2"] = Key("none",
        says="Uplink blocks that a UE has without asking. `type1`: from the start; `type2`: from its first BSR on, "
             "which it confirms. TS 38.321 5.8.2")
    cg_period_slots: Slots = Key(10, 1, 640,
        says="Period of these. Each is in the first uplink slot of a period from a UE's own offset on. TS 38.331 "
             "ConfiguredGrantConfig has which ones there are")
    cg_rb: int = Key(4, 1, 275, says="Resource blocks of each")
    cg_mcs: int = Key(10, 0, 28, says="MCS of each")
    cg_processes: int = Key(4, 1, 16, says="HARQ processes that they take in turn. TS 38.321 5.4.1")
    drx_cycle_ms: Literal[0, 10, 20, 32, 40, 60, 64, 70, 80, 128, 160, 256, 320, 512, 640, 1024, 1280, 2048, 2560, 5120,
                          10240] = Key(0, says="Long DRX cycle; 0 = a UE always listens. TS 38.321 5.7")
    drx_short_cycle_ms: Literal[0, 2, 3, 4, 5, 6, 7, 8, 10, 14, 16, 20, 30, 32, 35, 40, 64, 80, 128, 160, 256, 320, 512,
                                640] = Key(0, says="Short cycle, of which the long one is a multiple; 0 = none")
    drx_short_cycle_timer: int = Key(4, 1, 16, says="Short cycles before the long one comes back")
    drx_on_duration_ms: Milliseconds = Key(10, 1, 1600, says="`drx-onDurationTimer`, less than the cycle")
    drx_inactivity_ms: Milliseconds = Key(10, 0, 2560, says="`drx-InactivityTimer`, from each new block on")
    drx_start_offset_ms: Milliseconds = Key(0, 0, 10239, says="`drx-StartOffset`, less than the cycle")
    drx_harq_rtt_slots: Slots = Key(4, 0, 4,
        says="`drx-HARQ-RTT-Timer` in both directions, of 14 symbols each: so long a UE does not listen for a "
             "retransmission")
    drx_retx_slots: Slots = Key(16, 0, 320,
        says="`drx-RetransmissionTimer` in both directions: so long it listens after that")
    random_access: Literal["four_step", "two_step"] = Key("four_step",
        says="`four_step`: preamble, response, message 3, contention resolution; `two_step`: MsgA, which has data, and "
             "MsgB. TS 38.321 5.1")
    prach_period_slots: Slots = Key(20, 1, 1280,
        says="Period of the occasions for random access; each is in the first uplink slot from the period's start on")
    n_preambles: int = Key(54, 1, 64,
        says="Preambles for contention; two UEs with the same one in the same occasion collide. TS 38.331")
    preamble_trans_max: Literal[3, 4, 5, 6, 7, 8, 10, 20, 50, 100, 200] = Key(10,
        says="Preambles without success before random access has failed, and starts again after the longest backoff. "
             "TS 38.321 5.1.4")
    rar_delay_slots: Slots = Key(4, 1, 40, says="Least slots from a preamble to its answer")
    response_window_slots: Literal[4, 8, 10, 20, 40, 80] = Key(20,
        says="`ra-ResponseWindow`, and MsgB's window: so long a UE waits for the answer. TS 38.321 5.1.4, 5.1.4a")
    backoff_max_ms: Milliseconds = Key(20, 0, 1920,
        says="Greatest wait after an unanswered preamble, drawn uniformly from 0. TS 38.321 Table 7.2-1")
    contention_resolution_ms: Literal[8, 16, 24, 32, 40, 48, 56, 64] = Key(64,
        says="`ra-ContentionResolutionTimer`, from message 3 on. TS 38.321 5.1.5")
    ra_rb: int = Key(4, 1, 32, says="Resource blocks of message 3 and of MsgA's data, at MCS 0")
    outer_loop: bool = Key(False,
        says="true: the gNB adds to the CQI's SINR an offset for each UE and direction, which ACKs raise and NACKs "
             "lower until first transmissions fail as often as `target_bler`; false: the MCS is the CQI's")
    target_bler: ErrorRate = Key(0.1, 0, 0.5,
        says="Failures of first transmissions that the outer loop aims at")
    outer_loop_step_db: Decibel = Key(0.5, 0.01, 5,
        says="What a NACK takes from the offset; an ACK adds this times target_bler / (1 - target_bler)")
    broadcast: Broadcast | None = Key(None, exclude_if=unset,
        says="What the gNB says to everybody takes resource blocks; null: nothing")
    sdap_header: bool = Key(False,
        says="true: packets have an SDAP header of one octet with their QoS flow, the number of their bearer. Wireshark"
             " cannot know of it without RRC. TS 37.324 6.2.2")

    aqm: Literal["none", "mark", "dualpi2"] = Key("none",
        says="Queue management of each downlink bearer. `none`: a FIFO; `mark`: one queue, whose packets of L4S that "
             "waited long are marked CE when they are sent; `dualpi2`: L4S has a queue of its own with such marks, "
             "coupled with that of all others, which a PI controller marks or drops. TS 23.501 5.37.3 does not specify "
             "how the gNB decides; RFC 9332 A.1")
    aqm_uplink: bool = Key(False, says="true: each uplink bearer has it, too, at the UE")
    aqm_l4s_id: Literal["ect_1", "any_ect"] = Key("ect_1",
        says="Which packets are of L4S. `ect_1`: ECT(1) and CE (RFC 9331 2); `any_ect`: ECT(0), too, for DCTCP, whose "
             "packets are ECT(0); Linux, sch_dualpi2, `any_ect`")
    aqm_mark_from_us: Microseconds = Key(1000, 0, 1_000_000,
        says="A packet of L4S that waited so long is marked, unless fewer than two others are behind it. Linux, "
             "sch_dualpi2, `step_thresh`; RFC 9332 Figures 2 and 4, minTh and Th_len")
    aqm_mark_range_us: Microseconds = Key(0, 0, 1_000_000,
        says="0: a step, all are marked from there on; above: marks become more frequent, until all are marked after "
             "so much more. RFC 9332 Figure 2, range")
    aqm_target_ms: Milliseconds = Key(15, 1, 500,
        says="Delay of the queue at which the controller aims, with `dualpi2`. RFC 9332 Figure 2, target")
    aqm_tupdate_ms: Milliseconds = Key(16, 1, 100, says="Period of the controller. Linux, sch_dualpi2, `tupdate`")
    aqm_rtt_max_ms: Milliseconds = Key(100, 10, 1000,
        says="Greatest RTT of flows for which the controller is to be stable: its gains follow from it. RFC 9332 "
             "Figure 2, RTT_max")
    aqm_coupling: int = Key(2, 1, 10,
        says="Marks of L4S for the root of the other queue's drops: k of RFC 9332 2.1")
    aqm_shift_ms: Milliseconds = Key(30, 0, 1000,
        says="A packet of L4S goes before others that came up to so much earlier: the time shift of the scheduler "
             "TS-FIFO. RFC 9332 4.1.1 and A.1 leave its value open; this is twice the target")

    def check(self, where: str, max_pkts: int) -> None:
        """Raises ValueError for what the standard forbids."""
        rbs = N_RB.get((self.frequency_range, self.numerology))
        if rbs is None:
            raise ValueError(f"key '{where}.numerology': value {self.numerology}: frequency_range "
                             f"{self.frequency_range} does not have it; allowed "
                             f"{'0..2' if self.frequency_range == 'fr1' else '2..3'} (TS 38.101-1, -2 Table 5.3.2-1)")
        if self.bandwidth_mhz not in rbs:
            raise ValueError(f"key '{where}.bandwidth_mhz': value {self.bandwidth_mhz}: numerology {self.numerology} "
                             f"in {self.frequency_range} does not have it; allowed {', '.join(map(str, rbs))} "
                             "(TS 38.101-1, -2 Table 5.3.2-1)")
        if self.duplex == "tdd":
            self._check_pattern(where)
        self._check_processing(where)
        self._check_periods(where)
        self._check_grants(where, rbs[self.bandwidth_mhz])
        self._check_drx(where)
        if self.dl_carriers == 1:
            for key in ("scell_deactivation_ms", "scell_activation_ms"):
                if getattr(self, key) != type(self).model_fields[key].default:
                    raise ValueError(f"key '{where}.{key}': value {getattr(self, key)}: it is for carriers beside the "
                                     f"first one; remove the key, or set {where}.dl_carriers: 2..4")

    def check_radio(self, radio: Any) -> None:
        """Raises ValueError for keys of the sections that LTE has, too, and values that only LTE has."""
        layers = [("radio", radio), *((f"radio.ues.{name}.bearers.{i}", bearer) for name, ue in radio.ues.items()
                                      for i, bearer in enumerate(ue.bearers))]
        for where, of in layers:
            for section, keys in _NOT_IN_NR.items():
                found: Any = getattr(of, section, None)
                if found is None:
                    continue
                for key in keys:
                    if key in found.model_fields_set:
                        raise ValueError(f"key '{where}.{section}.{key}': NR does not have it: {keys[key]}; remove the "
                                         "key")
            check_sn_bits(where, of, "nr")
            if of.pdcp.duplication and of.rlc.mode == "tm":
                raise ValueError(f"key '{where}.pdcp.duplication': value true: PDCP does not duplicate over rlc.mode "
                                 "tm; set rlc.mode: um or am, or false (TS 38.323 5.11.1)")
            if of.pdcp.duplication and self.dl_carriers > 1:
                raise ValueError(f"key '{where}.pdcp.duplication': value true: the second cell has one carrier; set "
                                 "radio.nr.dl_carriers: 1, or false")
            if self.aqm != "none" and of.rlc.mode == "tm":
                raise ValueError(f"key 'radio.nr.aqm': value {self.aqm}: {where}.rlc.mode is tm, and a drop there "
                                 "would leave a gap in PDCP's numbers; set rlc.mode: um or am, or aqm: none (TS 38.322 "
                                 "5.2.1.1)")
            if self.aqm != "none" and (managed := bearer_keys.managed(of.rlc)):
                raise ValueError(f"key '{where}.rlc.{managed}': value {getattr(of.rlc, managed)}: radio.nr.aqm: "
                                 f"{self.aqm} is a queue discipline, too; remove one of the two keys")
            if self.aqm != "none" and of.pdcp.duplication:
                raise ValueError(f"key '{where}.pdcp.duplication': value true: cellbed does not model marks of "
                                 "radio.nr.aqm on two copies; set radio.nr.aqm: none, or false (TS 38.323 5.11.1)")
        self._check_second_cell(radio)
        if radio.channel is not None and "table" in radio.channel.cqi.model_fields_set:
            raise ValueError(f"key 'radio.channel.cqi.table': value {radio.channel.cqi.table}: CQIs of NR follow from "
                             "radio.nr.mcs_table_dl and mcs_table_ul; remove the key (TS 38.214 5.2.2.1)")
        self._check_procedure(radio)
        if radio.channel is not None and radio.channel.model == "cell_edge":
            raise ValueError("key 'radio.channel.model': value cell_edge: the model is of a paper about LTE; allowed "
                             "with radio.system: nr static, swing, trace, route")

    def _check_second_cell(self, radio: Any) -> None:
        """What UEs with PDCP duplication need: a second logical channel of each such bearer, and a second cell."""
        seconds = 0
        for name, ue in radio.ues.items():
            bearers = _with_default(radio, ue)
            twice = sum(bool(bearer.pdcp.duplication) for bearer in bearers)
            if len(bearers) + twice > _LOGICAL_CHANNELS:
                raise ValueError(f"key 'radio.ues.{name}.bearers': {len(bearers)} bearers, {twice} of them with "
                                 f"pdcp.duplication: allowed {_LOGICAL_CHANNELS} logical channels, and a bearer with "
                                 "duplication takes two")
            seconds += twice > 0
            for key in SECOND_CELL:
                if getattr(ue, key) is not None and not twice:
                    raise ValueError(f"key 'radio.ues.{name}.{key}': the UE has no second cell; set pdcp.duplication: "
                                     "true, or remove the key")
                if getattr(ue, key) is not None and radio.channel is not None:
                    raise ValueError(f"key 'radio.ues.{name}.{key}': radio.channel gives the CQIs of both cells; "
                                     "remove one of the two keys")
        if len(radio.ues) + seconds > _UES:
            raise ValueError(f"key 'radio.pdcp.duplication': {seconds} of {len(radio.ues)} UEs have it, and count "
                             f"twice: allowed {_UES} UEs")

    def _check_procedure(self, radio: Any) -> None:
        procedure = radio.handover.procedure
        if procedure not in ("standard", "conditional", "daps"):
            raise ValueError(f"key 'radio.handover.procedure': value {procedure}: NR does not have it; allowed "
                             "standard, conditional, daps (TS 38.300 9.2.3.2, 9.2.3.4)")
        if procedure == "daps":
            self._check_daps(radio)
        for i, event in enumerate(radio.events):
            if event.mode is not None:
                raise ValueError(f"key 'radio.events.{i}.mode': value {event.mode}: NR has no direct mode in cellbed; "
                                 "remove the event, or use handover or predict")
            if event.predict is not None and procedure != "conditional":
                raise ValueError(f"key 'radio.events.{i}.predict': value {event.predict}: procedure {procedure} "
                                 "prepares no candidates; set radio.handover.procedure: conditional, or remove the "
                                 "event (TS 38.300 9.2.3.4)")

    def _check_daps(self, radio: Any) -> None:
        """With dual active protocol stack a UE is in two cells for a while, with a copy of each packet in both."""
        if not radio.handover.forwarding:
            raise ValueError("key 'radio.handover.forwarding': value false: with radio.handover.procedure daps the "
                             "target gets its packets from the source; allowed true (TS 38.300 9.2.3.2.2)")
        if self.frequency_range == "fr2":
            raise ValueError("key 'radio.nr.frequency_range': value fr2: radio.handover.procedure daps is not defined "
                             "there; allowed fr1 (TS 38.300 9.2.3.1)")
        if 2 * len(radio.ues) > _UES:
            raise ValueError(f"key 'radio.handover.procedure': value daps: {len(radio.ues)} UEs: allowed {_UES // 2}, "
                             "as each is in two cells")
        for name, ue in radio.ues.items():
            n = len(_with_default(radio, ue))
            if 2 * n > _LOGICAL_CHANNELS:
                raise ValueError(f"key 'radio.ues.{name}.bearers': {n} bearers: with radio.handover.procedure daps "
                                 f"each takes two logical channels; allowed {_LOGICAL_CHANNELS // 2}")

    def check_cells(self, radio: Any, gnbs: list[str]) -> None:
        """Raises ValueError for what several gNBs do not go with."""
        if len(gnbs) < 2:
            return
        if self.configured_grant != "none":
            raise ValueError(f"key 'radio.nr.configured_grant': value {self.configured_grant}: cellbed does not hand "
                             "configured grants over; with several gNBs allowed none")
        for name, ue in radio.ues.items():
            if radio.pdcp.duplication or any(bearer.pdcp.duplication for bearer in ue.bearers):
                raise ValueError("key 'radio.pdcp.duplication': value true: cellbed does not hand a second cell over; "
                                 "with several gNBs allowed false")
            if "tm" in radio.rlc_modes(name):
                raise ValueError("key 'radio.rlc.mode': value tm: a handover re-establishes RLC, which TM does not "
                                 "have; with several gNBs allowed um, am (TS 38.322 5.1.2)")

    def uplink(self) -> list[bool]:
        """Of each slot of the pattern, whether it carries feedback and requests: those that are uplink as a whole."""
        if self.duplex == "fdd":
            return [True]
        return [slot == "U" for slot in self.tdd_pattern]

    def downlink(self) -> list[bool]:
        """Of each slot, whether it carries downlink data."""
        if self.duplex == "fdd":
            return [True]
        least = self.pdcch_symbols + max(_DL_SYMBOLS_MIN, self.dmrs_symbols + 1)
        return [slot == "D" or (slot == "S" and self.tdd_special_dl_symbols >= least) for slot in self.tdd_pattern]

    def _feedback_after(self) -> list[int]:
        """Of each slot with downlink data: slots until its feedback. The pattern has a whole uplink slot."""
        uplink, downlink = self.uplink(), self.downlink()
        n = len(uplink)
        return [next(k for k in range(self.k1_min, self.k1_min + n) if uplink[(slot + k) % n])
                for slot in range(n) if downlink[slot]]

    def _check_pattern(self, where: str) -> None:
        key = f"key '{where}.tdd_pattern': value {self.tdd_pattern}"
        parts = re.fullmatch("(D*S?U*)(D+S?U*)?", self.tdd_pattern)
        if parts is None:
            raise ValueError(f"{key}: no TDD pattern; allowed D, then at most one S, then U, and the same once more "
                             "(TS 38.213 11.1)")
        for part in (part for part in parts.groups() if part):
            period_ms = len(part) / 2**self.numerology
            if period_ms not in _PERIODS_MS:
                raise ValueError(f"{key}: {part} takes {period_ms:g} ms; allowed periods of "
                                 f"{', '.join(f'{ms:g}' for ms in _PERIODS_MS)} ms (TS 38.213 11.1)")
        if 20 * 2**self.numerology % len(self.tdd_pattern):
            raise ValueError(f"{key}: it takes {len(self.tdd_pattern) / 2**self.numerology:g} ms; allowed divisors of "
                             "20 ms (TS 38.213 11.1)")
        if "DU" in self.tdd_pattern + self.tdd_pattern[0]:
            raise ValueError(f"{key}: UEs need a special slot to change from downlink to uplink; write DSU in place of "
                             "DU (TS 38.213 11.1)")
        if self.tdd_special_dl_symbols + self.tdd_special_ul_symbols >= _SYMBOLS:
            raise ValueError(f"key '{where}.tdd_special_ul_symbols': value {self.tdd_special_ul_symbols}: no guard "
                             "symbol is left between downlink and uplink; allowed "
                             f"0..{_SYMBOLS - 1 - self.tdd_special_dl_symbols} (TS 38.213 11.1)")
        if not any(self.uplink()) or not any(self.downlink()):
            raise ValueError(f"{key}: downlink or uplink has no slot; allowed patterns with both (TS 38.213 11.1)")
        if any(slots > _K1_MAX for slots in self._feedback_after()):
            raise ValueError(f"{key}: the ACKs of a downlink slot would come too late; allowed patterns with an uplink "
                             f"slot {self.k1_min} to {_K1_MAX} slots after each downlink slot (TS 38.213 9.2.3, "
                             "dl-DataToUL-ACK)")

    def _check_processing(self, where: str) -> None:
        capability, mu = self.processing_capability, self.numerology
        if capability == 2 and mu > 2:
            raise ValueError(f"key '{where}.processing_capability': value 2: numerology {mu} does not have it; allowed "
                             "1 (TS 38.214 5.3)")
        # Feedback begins with its slot, and decoding takes as long with either capability.
        symbols = N1_SYMBOLS[mu]
        if any((slots - 1) * _SYMBOLS < symbols for slots in self._feedback_after()):
            raise ValueError(f"key '{where}.k1_min': value {self.k1_min}: a UE takes {symbols} symbols to decode; "
                             f"allowed {1 - -symbols // _SYMBOLS} or more (TS 38.214 5.3)")
        if (self.k2_min - 1) * _SYMBOLS + _SYMBOLS - self.pdcch_symbols < N2_SYMBOLS[capability][mu]:
            raise ValueError(f"key '{where}.k2_min': value {self.k2_min}: a UE takes {N2_SYMBOLS[capability][mu]:g} "
                             "symbols to prepare a block; set a greater value (TS 38.214 6.4)")

    def _check_periods(self, where: str) -> None:
        """Of requests, and of configured grants where there are any."""
        sr, cg = (0, *SR_PERIODS[self.numerology]), CG_PERIODS[self.numerology]
        for key, periods, ie in (("sr_period_slots", sr, "SchedulingRequestResourceConfig"),
                                 ("cg_period_slots", cg, "ConfiguredGrantConfig")):
            if key == "cg_period_slots" and self.configured_grant == "none":
                continue
            if getattr(self, key) not in periods:
                raise ValueError(f"key '{where}.{key}': value {getattr(self, key)}: numerology {self.numerology} does "
                                 f"not have it; allowed {', '.join(map(str, periods))} (TS 38.331 {ie})")

    def _check_grants(self, where: str, n_rb: int) -> None:
        if (self.pucch_rb or 0) >= n_rb:
            raise ValueError(f"key '{where}.pucch_rb': value {self.pucch_rb}: the carrier has {n_rb}; allowed "
                             f"0..{n_rb - 1}")
        ul_rb = n_rb - (self.pucch_rb or 0)
        if self.configured_grant != "none":
            if self.cg_rb > ul_rb:
                raise ValueError(f"key '{where}.cg_rb': value {self.cg_rb}: the uplink has fewer; allowed 1..{ul_rb}")
            if self.cg_mcs > 27 and self.mcs_table_ul == "qam256":
                raise ValueError(f"key '{where}.cg_mcs': value {self.cg_mcs}: mcs_table_ul qam256 does not have it; "
                                 "allowed 0..27 (TS 38.214 Table 5.1.3.1-2)")
            if self.cg_processes >= self.harq_processes:
                raise ValueError(f"key '{where}.cg_processes': value {self.cg_processes}: the gNB needs one of the "
                                 "harq_processes for its other grants; allowed less than "
                                 f"{self.harq_processes}")
        if self.ra_rb > ul_rb:
            raise ValueError(f"key '{where}.ra_rb': value {self.ra_rb}: the uplink has fewer; allowed 1..{ul_rb}")
        if self.coreset_rb is not None and self.coreset_rb > n_rb:
            raise ValueError(f"key '{where}.coreset_rb': value {self.coreset_rb}: the carrier has fewer; allowed "
                             f"6..{n_rb}")
        most = 8 if self.frequency_range == "fr1" else 64
        if self.broadcast is not None and self.broadcast.ssbs > most:
            raise ValueError(f"key '{where}.broadcast.ssbs': value {self.broadcast.ssbs}: {self.frequency_range} has "
                             f"fewer; allowed 1..{most} (TS 38.213 4.1)")

    def _check_drx(self, where: str) -> None:
        if not self.drx_cycle_ms:
            return
        for key in ("drx_on_duration_ms", "drx_start_offset_ms"):
            if getattr(self, key) >= self.drx_cycle_ms:
                raise ValueError(f"key '{where}.{key}': value {getattr(self, key)}: allowed less than drx_cycle_ms, "
                                 f"{self.drx_cycle_ms} (TS 38.321 5.7)")
        if self.drx_short_cycle_ms and self.drx_cycle_ms % self.drx_short_cycle_ms:
            raise ValueError(f"key '{where}.drx_short_cycle_ms': value {self.drx_short_cycle_ms}: allowed divisors of "
                             f"drx_cycle_ms, {self.drx_cycle_ms} (TS 38.331 DRX-Config)")


def carrier(keys: Mapping[str, Any]) -> tuple[int, int]:
    """Resource blocks of a carrier, and the bandwidth of each in Hz.

    Args:
        keys: `radio.nr` of a run's settings.
    """
    numerology = keys["numerology"]
    return N_RB[keys["frequency_range"], numerology][keys["bandwidth_mhz"]], 180_000 * 2**numerology


def with_defaults(radio: Any) -> Any:
    """The radio as a file has it; with NR each section has the defaults of NR where the file does not say."""
    if not isinstance(radio, Mapping) or radio.get("system") not in ("nr", "en_dc"):
        return radio
    merged = dict(radio)
    for section in _DEFAULTS_OF[radio["system"]]:
        given = radio.get(section, {})
        if isinstance(given, Mapping):
            merged[section] = {**DEFAULTS[section], **given}
    keys = radio.get("nr", {})
    if isinstance(keys, Mapping) and keys.get("numerology") in (2, 3):
        merged["nr"] = {"sr_period_slots": _SR_PERIOD_HIGH, **keys}
    return merged


def check_sn_bits(where: str, of: Any, system: str) -> None:
    """Refuse lengths of sequence numbers that only the other system has.

    Args:
        of: a radio, or a bearer.
        system: lte or nr.
    """
    for section, allowed in _SN_BITS.items():
        bits = getattr(of, section).sn_bits
        if bits not in allowed[system]:
            raise ValueError(f"key '{where}.{section}.sn_bits': value {bits}: radio.system {system} does not have it; "
                             f"allowed {', '.join(map(str, allowed[system]))}")


