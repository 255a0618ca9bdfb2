# SPDX-License-Identifier: GPL-2.0-or-later
"""Dual connectivity of LTE and NR: its keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from cellbed.run.radios import GNB_CHANNEL
from cellbed.scenario import nr
from cellbed.scenario.bearer import managed
from cellbed.scenario.channel import Channel, with_key
from cellbed.scenario.fields import Decibel, Key, Microseconds, Milliseconds, Model, unset
from cellbed.scenario.handover import FilterCoefficient, TimeToTrigger
from cellbed.scenario.system import System

# Of sections that LTE has, what EN-DC has not, and why.
_NOT_IN_EN_DC: dict[str, dict[str, str]] = {
    "rlc": {"queue_ms": "packets of the downlink wait in PDCP; use queue_pkts or queue_bytes"},
    "pdcp": {"reordering": "PDCP puts packets in order unless out_of_order_delivery is true"},
}
_SN_BITS = (12, 18)


class Scg(Model):
    """When the gNB serves a UE. Source: TS 36.331 5.5.4.7a, 6.3.5; TS 38.331 5.5.4.3, 7.1."""

    b1_threshold: int = Key(46, 0, 127,
        says="`b1-ThresholdNR`: the gNB is added when its RSRP is above it. A value of RSRP-Range, which is dBm + 156; "
             "46 = -110 dBm. TS 36.331 5.5.4.7a")
    a2_threshold: int = Key(42, 0, 127,
        says="`a2-Threshold`: it is released when its RSRP is below it; 42 = -114 dBm. TS 38.331 5.5.4.3")
    hysteresis_db: Decibel = Key(1.0, 0, 15, multiple_of=0.5,
        says="So much more for an event to be entered, and so much less for it to be left, `hysteresis`")
    time_to_trigger_ms: TimeToTrigger = Key(256,
        says="How long it has to last before the UE reports it, `timeToTrigger`")
    filter_coefficient: FilterCoefficient = Key(4,
        says="Weight of a new measurement in the average of layer 3, 1 / 2^(k / 4). TS 36.331 5.5.3.2")
    link_failure: bool = Key(True,
        says="The link to the gNB fails by T310, too, as with the defaults of `radio.handover.link_failure`; otherwise "
             "only by RLC and at T307. TS 38.331 5.3.10.3")
    access_ms: Milliseconds = Key(62, 1, 10000,
        says="From the command until the UE can send its preamble: 20 for RRC, 20 to get ready, 22 to find an SSB and "
             "to use it, of a gNB in FR1 that it knows. TS 38.133 8.9.2")
    t307_ms: Literal[50, 100, 150, 200, 500, 1000, 2000] = Key(1000,
        says="T307: so long after the command the UE gives up. TS 36.331 7.3, 6.3.5")


class EnDc(System):
    """Source: TS 37.340; TS 38.425; TR 36.842."""

    PREFIX = "en_dc."
    ENB = "the gNB, where PDCP is"
    PARTS_OF = ("nr",)
    RADIO_KEYS: ClassVar[frozenset[str]] = System.RADIO_KEYS | {
        "n_rb", "dl_carriers", "dl_codewords", "ul_carriers", "scheduler", "pf_average_tti", "timing", "ra", "mac",
        "sr", "outer_loop", "harq", "control", "rlc", "rlc_am", "pdcp", "cqi_reports", "channel", "events"}
    UE_KEYS: ClassVar[frozenset[str]] = System.UE_KEYS | {
        "weight", "cqi_ul", "cqi_dl", "bler_ul", "bler_dl", *nr.SECOND_CELL}

    x2_us: Microseconds = Key(1000, 0, 100_000,
        says="One-way delay between the eNB and the gNB, for packets and messages. TR 36.842 6.1.1 counts 2 to 60 ms "
             "as backhaul that is not ideal")
    report_ms: Milliseconds = Key(5, 1, 1000,
        says="Period at which a cell group that has something tells PDCP what it has sent and how much it wants: DL "
             "DATA DELIVERY STATUS. TS 38.425 5.4.2")
    queue_ms: Milliseconds = Key(20, 1, 1000,
        says="What a cell group wants to have: as many bytes as it sends in so long, and at least 15 kB. Our own")
    ul_primary_path: Literal["mcg", "scg"] = Key("scg",
        says="Which cell group the uplink takes while there is an SCG: `mcg`: LTE; `scg`: NR. The uplink is not split, "
             "as with `ul-DataSplitThreshold: infinity`. TS 38.331 PDCP-Config")
    scg: Scg | None = Key(None, exclude_if=unset,
        says="The gNB is added and released by what UEs measure of it; null: each UE has it from the start on. What is "
             "absent has its default")
    channel: Channel | None = Key(None, exclude_if=unset, keys_of="radio.channel",
        says="How good the links with the gNB are over time, as `radio.channel` says it of those with the eNB, with "
             "NR's resource blocks and tables of CQI; null: `second_cqi_ul` and `second_cqi_dl` of `radio.ues`")

    def check_radio(self, radio: Any) -> None:
        """Raises ValueError for keys and values that LTE or NR have, and both together have not."""
        radio.nr.check("radio.nr", radio.max_pkts)
        for section, keys in _NOT_IN_EN_DC.items():
            of = getattr(radio, section)
            for key in keys:
                if key in of.model_fields_set and getattr(of, key) != type(of).model_fields[key].default:
                    raise ValueError(f"key 'radio.{section}.{key}': value {getattr(of, key)}: radio.system en_dc does "
                                     f"not have it: {keys[key]}; remove the key")
        if radio.channel is not None and radio.channel.route is not None and radio.channel.route.beams is not None:
            raise ValueError("key 'radio.channel.route.beams': LTE does not have them; remove the key, or set "
                             f"{GNB_CHANNEL}.route.beams")
        if radio.rlc.mode != "am":
            raise ValueError(f"key 'radio.rlc.mode': value {radio.rlc.mode}: what one cell group did not deliver goes "
                             "by the other one; with radio.system: en_dc allowed am")
        if (qdisc := managed(radio.rlc)) is not None:
            raise ValueError(f"key 'radio.rlc.{qdisc}': value {getattr(radio.rlc, qdisc)}: PDCP of radio.system en_dc "
                             "has one queue in front of both cell groups; allowed pfifo")
        if radio.pdcp.sn_bits not in _SN_BITS:
            raise ValueError(f"key 'radio.pdcp.sn_bits': value {radio.pdcp.sn_bits}: PDCP of radio.system en_dc is "
                             f"NR's; allowed {', '.join(map(str, _SN_BITS))} (TS 38.323 6.3.2)")
        if radio.pdcp.duplication:
            raise ValueError("key 'radio.pdcp.duplication': value true: cellbed has split bearers of radio.system en_dc"
                             " without copies; allowed false (TS 38.323 5.11.1)")
        if radio.nr.aqm != "none":
            raise ValueError(f"key 'radio.nr.aqm': value {radio.nr.aqm}: PDCP of radio.system en_dc has one queue in "
                             "front of both cell groups; allowed none")
        if radio.nr.sdap_header:
            raise ValueError("key 'radio.nr.sdap_header': value true: the core network of radio.system en_dc is an EPC,"
                             " which has no QoS flows; allowed false (TS 37.340 4.1.2)")

    def check_channel(self, radio: Any, enbs: Sequence[str]) -> None:
        """Raises ValueError for a channel of the gNB that does not fit, or for what needs one."""
        if self.channel is None:
            self._check_without_channel(radio)
            return
        where = f"key '{GNB_CHANNEL}"
        if self.scg is not None and self.channel.model != "route":
            raise ValueError(f"{where}.model': value {self.channel.model}: UEs measure a gNB with model route only, "
                             "and radio.en_dc.scg needs it; set route, or remove scg")
        if "table" in self.channel.cqi.model_fields_set:
            raise ValueError(f"{where}.cqi.table': value {self.channel.cqi.table}: CQIs of NR follow from "
                             "radio.nr.mcs_table_dl and mcs_table_ul; remove the key (TS 38.214 5.2.2.1)")
        if self.channel.model == "cell_edge":
            raise ValueError(f"{where}.model': value cell_edge: the model is of a paper about LTE; allowed static, "
                             "swing, trace, route")
        with with_key(GNB_CHANNEL):
            self.channel.check(radio.ues, enbs)
        for name, ue in radio.ues.items():
            for key in nr.SECOND_CELL:
                if getattr(ue, key) is not None:
                    raise ValueError(f"key 'radio.ues.{name}.{key}': value {getattr(ue, key)}: {GNB_CHANNEL} says what "
                                     "CQI a UE has there; remove one of the two keys")

    def _check_without_channel(self, radio: Any) -> None:
        if self.scg is not None:
            raise ValueError("key 'radio.en_dc.scg': UEs measure a gNB with radio.en_dc.channel.model: route only; add "
                             "it, or remove scg")
        if radio.harq.errors == "sinr":
            raise ValueError("key 'radio.harq.errors': value sinr: without radio.en_dc.channel there is no SINR of the "
                             "gNB; add it, or set ladder")
