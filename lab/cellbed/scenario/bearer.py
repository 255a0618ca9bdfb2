# SPDX-License-Identifier: GPL-2.0-or-later
"""Radio bearers of a scenario: what RLC and PDCP are, and which packets a bearer takes.

docs/scenario-format.md explains them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, model_validator

from cellbed.run import qos
from cellbed.scenario.fields import BitsPerSecond, Key, Milliseconds, Model, Rate, Size, unset
from cellbed.scenario.qdisc import Words

# What a bearer has of the radio's where it does not say otherwise.
_SECTIONS = ("rlc", "rlc_um", "rlc_am", "pdcp")
# Of each kind of RLC, as LCIDs say it.
_AT_MOST = {"rlc.mode am": 3, "rlc.mode um with sn_bits 10": 3, "rlc.mode um with sn_bits 5": 2, "rlc.mode tm": 3}
# Modes of RLC that do not segment, and the smallest carrier with blocks for a packet of 1500 bytes.
WHOLE = ("tm",)
WHOLE_MIN_RB = 18


class Rlc(Model):
    """What all modes have. Source: TS 36.322; TS 36.331 RLC-Config; Park, section 4 (delivery)."""

    mode: Literal["um", "am", "tm"] = Key("um",
        says="Mode of RLC for every bearer. `um`: unacknowledged, as in Nardini; `am`: acknowledged; `tm`: "
             "transparent, which neither segments nor orders: a packet waits for a block that holds it whole. "
             "TS 36.322 4.2.1")
    delivery: Literal["in_sequence", "out_of_sequence"] = Key("in_sequence",
        says="`in_sequence`: RLC delivers an SDU after all those before it, as TS 36.322 asks for; `out_of_sequence`: "
             "as soon as it is complete. Park, section 4")
    queue_pkts: int = Key(4096, 1, 65536,
        says="Packets in the transmission buffer of a bearer; a full one drops what comes (`queue_full`)")
    queue_bytes: Size = Key(0, 0, 100_000_000,
        says="Bytes in the same buffer; 0 = any number. What AM keeps for retransmission does not count. Li et al, "
             "Table I: 1024 KB")
    queue_ms: Milliseconds | None = Key(None, 0, 10000, exclude_if=unset,
        says="With `system: nr`: at most so much waits as the whole carrier transmits in this time at the rate of the "
             "UE's channel, so the buffer is shorter on a worse channel; beside `queue_bytes`; null, 0: no such limit")
    uplink_qdisc: Words | None = Key(None, exclude_if=unset,
        says="Queue discipline of that buffer at the UE, for the uplink and the sidelink, in the words of tc(8): "
             "`pfifo`, `codel`, `fq_codel`, `pie`, `dualpi2`, with parameters, such as `fq_codel target 5ms noecn`; "
             "null: pfifo. RLC asks it when it begins a packet. RFC 8033, 8289, 8290, 9332")
    downlink_qdisc: Words | None = Key(None, exclude_if=unset,
        says="The same at the base station, for the downlink")
    t_reordering_ms: Milliseconds = Key(35, 0, 200,
        says="How long a receiver waits for HARQ to close a gap before it takes the PDUs for lost. TS 36.322 5.1.2.2, "
             "5.1.3.2; TS 36.331 9.2.1.1")
    t_reassembly_ms: Milliseconds | None = Key(None, 0, 200, exclude_if=unset,
        says="With `system: nr` in place of the key before, with `en_dc` beside it: how long a receiver of NR waits "
             "for the rest of a packet. TS 38.322 7.3; TS 38.331 `t-Reassembly`")


class RlcUm(Model):
    """Source: TS 36.322 6.2.1.3."""

    sn_bits: Literal[5, 6, 10, 12] = Key(10,
        says="Bits of a sequence number: 5 or 10, with `system: nr` 6 or 12. 5 are for few packets: when more than 16 "
             "PDUs pass while HARQ repeats one, RLC joins parts of two packets. TS 36.322 6.2.1.3; TS 38.322 6.2.3.3")


class RlcAm(Model):
    """Source: TS 36.322 5.2; TS 36.331 RLC-Config; TS 38.322 5.3."""

    sn_bits: Literal[12, 18] | None = Key(None, exclude_if=unset,
        says="Bits of a sequence number, with `system: nr` and `en_dc` only; 18 there. TS 38.322 6.2.3.3")
    poll_pdu: int = Key(16, 1, 1024,
        says="AM asks for a status report (polls) after so many PDUs. TS 36.322 5.2.2.1; `p16` of TS 36.331, with "
             "which the window never waits for a poll")
    poll_byte: Size = Key(25000, 1, 10_000_000,
        says="AM also polls after so many bytes. TS 36.322 5.2.2.1; `kB25` of TS 36.331")
    t_poll_retransmit_ms: Milliseconds = Key(45, 5, 500,
        says="AM polls again when no status report has come for so long. TS 36.322 5.2.2.3; TS 36.331 9.2.1.1")
    t_status_prohibit_ms: Milliseconds = Key(10, 0, 500,
        says="Least time between two status reports. TS 36.322 5.2.3. It is longer than a round trip of HARQ, so that "
             "a report does not ask for what is on its way")
    max_retx_threshold: int = Key(8, 1, 32,
        says="Retransmissions of a PDU before the bearer fails. TS 36.322 5.2.1; `t8` of TS 36.331")
    on_max_retx: Literal["reestablish", "stop"] = Key("reestablish",
        says="What happens when a bearer has failed. `reestablish`: both ends start again after an outage, and what "
             "did not arrive is sent again, as RRC does it (TS 36.331 5.3.7); `stop`: the bearer carries nothing any "
             "more")
    reestablish_ms: Milliseconds = Key(100, 0, 10000,
        says="Length of that outage. The default is of the order of an RRC re-establishment; no standard fixes it")


class Pdcp(Model):
    """Source: TS 36.323; TS 36.331 PDCP-Config; TS 38.323 5.2.2 (reordering)."""

    sn_bits: Literal[7, 12, 18] = Key(12,
        says="Bits of a sequence number: 7 or 12, with `system: nr` and `en_dc` 12 or 18. TS 36.323 6.2; TS 38.323 "
             "6.3.2")
    discard_timer_ms: Milliseconds = Key(0, 0, 1500, says="PDCP drops a packet after so long; 0 = never. TS 36.323 5.4")
    reordering: bool = Key(False,
        says="true: PDCP puts in order what RLC delivers, as in 5G. TS 38.323 5.2.2")
    t_reordering_ms: Milliseconds = Key(50, 0, 3000,
        says="How long PDCP waits for a gap to close. TS 38.323 5.2.2.3. It is longer than RLC's, so that RLC gives up "
             "first")
    t_reordering_infinite: bool | None = Key(None, exclude_if=unset,
        says="true: it waits for ever, with `system: nr` and `en_dc` only. TS 38.331 PDCP-Config")
    out_of_order_delivery: bool | None = Key(None, exclude_if=unset,
        says="true: PDCP delivers at once what comes, and drops only what came before; with `system: nr` and "
             "`en_dc` only. TS 38.323 5.2.2.1, `outOfOrderDelivery`")
    duplication: bool | None = Key(None, exclude_if=unset,
        says="true: each packet is sent twice, by two RLC entities on two cells with HARQ of their own, and the copy "
             "that comes first is delivered; with `system: nr` only. TS 38.323 5.11, `pdcp-Duplication`")
    status_report: bool = Key(True,
        says="true: after a handover a UE with `rlc.mode: am` first tells the target which packets of the downlink it "
             "has, and the target does not send these again; `statusReportRequired` of TS 36.331. TS 36.323 5.3")


def parse_prefix(text: str) -> str:
    """An address or a prefix, with its length. Raises ValueError with what is allowed."""
    with contextlib.suppress(ValueError):
        if "%" not in text:  # as the zone of an address of a link
            return str(ip_network(text))
    raise ValueError("allowed an address or a prefix of IPv4 or IPv6, with zeros behind its length, such as 10.46.0.1 "
                     "or 2001:db8:46::/64")


Prefix = Annotated[str, AfterValidator(parse_prefix)]


class Filter(Model):
    """Packets that a bearer takes: those with all of this. Source: TS 24.008 10.5.6.12."""

    protocol: Literal["any", "tcp", "udp", "icmp"] = Key("any", says="Above IP; `icmp` is ICMPv6, too")
    local_port: int = Key(0, 0, 65535, says="Port at the UE, 0 = any. Of a datagram in fragments the first has ports")
    remote_port: int = Key(0, 0, 65535, says="Port at the other end, 0 = any")
    local_address: Prefix | None = Key(None, exclude_if=unset,
        says="Addresses of the UE: one, or a prefix, of IPv4 or of IPv6, such as `2001:db8:45::/64`; null: any")
    remote_address: Prefix | None = Key(None, exclude_if=unset,
        says="Addresses at the other end, likewise; `::/0` is all of IPv6")
    dscp: int | None = Key(None, 0, 63, says="Differentiated services code point; null: any")

    @model_validator(mode="after")
    def takes_something(self) -> Filter:
        if all(value == Filter.model_fields[key].default for key, value in self):
            raise ValueError("the filter has no key; give it one, or remove the filter: a bearer without filters takes "
                             "all packets that no other bearer takes")
        return self


# Source: TS 23.501 Table 5.7.4-1; TS 23.203 Tables 6.1.7-A, 6.1.7-B
FiveQi = Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 65, 66, 67, 69, 70, 71, 72, 73, 74, 76, 79, 80, 82, 83, 84, 85, 86,
                 87, 88, 89, 90]
Qci = Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 65, 66, 67, 69, 70, 71, 72, 73, 74, 75, 76, 79, 80, 82, 83, 84, 85]


class Bearer(Model):
    """A radio bearer of a UE, in both directions. Source: TS 36.321 5.4.3.1; TS 36.331 LogicalChannelConfig."""

    filters: list[Filter] = Key([], max_length=4,
        says="It takes the packets that one of them takes, unless an earlier bearer does. None: it is the default "
             "bearer, which takes the rest, and which a UE has even when it is not in the list")
    priority: int = Key(8, 1, 16,
        says="Who has first of a transport block, 1 before 2. Of one priority in the order of the list, the default "
             "bearer last; one that is not in the list has 16")
    prioritised_rate_bps: BitsPerSecond = Key(0, 0, 100_000_000,
        says="What it gets before lower priorities get more than theirs. TS 36.331 `prioritisedBitRate`")
    bucket_ms: Milliseconds = Key(100, 50, 1000,
        says="So long what it did not use of that adds up. TS 36.331 `bucketSizeDuration`")
    five_qi: FiveQi | None = Key(None, exclude_if=unset,
        says="With `system: nr`: its QoS flow has the characteristics that TS 23.501 Table 5.7.4-1 gives this 5QI: "
             "priority level and packet delay budget, and whether it has a guaranteed bit rate; null: 9, which leaves "
             "all to `radio.scheduler`")
    qci: Qci | None = Key(None, exclude_if=unset,
        says="With `system: lte` in place of the key before: a QCI of TS 23.203 Table 6.1.7. Priority levels are ten "
             "times those of that table, as 5QIs have them")
    priority_level: int | None = Key(None, 1, 127, exclude_if=unset,
        says="In place of the level of its 5QI or QCI: 1 goes before 2. What is below 90 goes ahead of the scheduler's "
             "order, with a guaranteed rate up to that. TS 23.501 5.7.3.3")
    pdb_ms: Milliseconds | None = Key(None, 1, 1100, exclude_if=unset,
        says="In place of its packet delay budget: of one priority level the packet goes first whose budget ends "
             "first. TS 23.501 5.7.3.4")
    gbr_dl: Rate | None = Key(None, 1000, 4_000_000_000, exclude_if=unset,
        says="Guaranteed bit rate in the downlink, GFBR of NR: as long as it gets less, it goes ahead of the "
             "scheduler's order; a bearer with this key or the next is a GBR bearer. TS 23.501 5.7.2.5")
    gbr_ul: Rate | None = Key(None, 1000, 4_000_000_000, exclude_if=unset,
        says="The same in the uplink, with `system: nr` only")
    mbr_dl: Rate | None = Key(None, 1000, 4_000_000_000, exclude_if=unset,
        says="Maximum bit rate in the downlink, MFBR of NR: what exceeds it waits; null: any. TS 23.501 5.7.2.5")
    mbr_ul: Rate | None = Key(None, 1000, 4_000_000_000, exclude_if=unset, says="The same in the uplink, by the UE")
    averaging_window_ms: Milliseconds | None = Key(None, 1, 4095, exclude_if=unset,
        says="So long these rates are averaged: what they give in this time may leave at once after a pause; null: "
             "2000, as all 5QIs have it. TS 23.501 5.7.3.6; TS 38.413 9.3.1.82")
    rlc: Rlc = Key(Rlc(), says="Keys that are not here are those of `radio.rlc`; the next three likewise")
    rlc_um: RlcUm = RlcUm()
    rlc_am: RlcAm = RlcAm()
    pdcp: Pdcp = Pdcp()


def managed(rlc: Rlc) -> str | None:
    """The key of a queue discipline other than pfifo, or None."""
    return next((key for key in ("uplink_qdisc", "downlink_qdisc")
                 if (getattr(rlc, key) or "pfifo").split()[0] != "pfifo"), None)


def check_qdiscs(where: str, of: Any) -> None:
    """Raises ValueError for a radio or bearer whose queue disciplines its RLC or PDCP does not have."""
    key = managed(of.rlc)
    if key is None:
        return
    value = f"key '{where}.rlc.{key}': value {getattr(of.rlc, key)}"
    if of.rlc.mode == "tm":
        raise ValueError(f"{value}: {where}.rlc.mode is tm, for which PDCP numbers what comes; allowed pfifo, or "
                         "rlc.mode um, am")
    if of.pdcp.duplication:
        raise ValueError(f"{value}: cellbed does not model drops of one of two copies; allowed pfifo, or "
                         "pdcp.duplication: false")


def check_qos(where: str, bearer: Bearer, system: str) -> None:
    """Refuse keys of a bearer's QoS that contradict each other.

    Args:
        where: key of the bearer.
        system: lte or nr.

    Raises:
        ValueError: with key, value and what is allowed.
    """
    def refuse(key: str, why: str) -> None:
        raise ValueError(f"key '{where}.{key}': value {getattr(bearer, key)}: {why}")

    given = [key for key in qos.KEYS if getattr(bearer, key) is not None]
    other = "qci" if system == "nr" else "five_qi"
    if other in given:
        refuse(other, f"radio.system {system} has none; use {'five_qi' if system == 'nr' else 'qci'}")
    rates = [key for key in given if key in qos.RATES]
    if given and bearer.pdcp.duplication:
        refuse(given[0], "cellbed does not model the QoS of two copies; remove the key, or pdcp.duplication")
    if "averaging_window_ms" in given and not rates:
        refuse("averaging_window_ms", "it is of rates; give gbr_dl, gbr_ul, mbr_dl or mbr_ul, or remove the key")
    for direction in ("dl", "ul"):
        gbr, mbr = getattr(bearer, f"gbr_{direction}"), getattr(bearer, f"mbr_{direction}")
        if gbr is not None and mbr is not None and mbr < gbr:
            refuse(f"mbr_{direction}", f"less than gbr_{direction}; allowed {gbr} bit/s or more")
    key = "five_qi" if bearer.five_qi is not None else "qci"
    if system == "lte" and bearer.gbr_ul is not None:
        refuse("gbr_ul", "a UE reports its bearers as one group of logical channels, so the eNB does not know which "
                         "has something to send; remove the key, or use radio.system nr")
    standard = qos.CHARACTERISTICS.get(getattr(bearer, key) or 0)
    if standard is None:
        return
    guaranteed = [rate for rate in rates if rate.startswith("gbr")]
    if standard.gbr and not guaranteed:
        refuse(key, "its bearers have a guaranteed bit rate (TS 23.501 5.7.2.5); add gbr_dl, gbr_ul or both")
    if not standard.gbr and guaranteed:
        refuse(guaranteed[0], f"{key} {getattr(bearer, key)} has no guaranteed bit rate; remove one of the two keys")


def inherited(radio: Any) -> Any:
    """The radio as a file has it, each bearer with what the radio says of RLC and PDCP and it does not."""
    if not isinstance(radio, Mapping) or not isinstance(radio.get("ues"), Mapping):
        return radio
    ues = {name: _inherited(ue, radio) for name, ue in radio["ues"].items()}
    return {**radio, "ues": ues}


def _inherited(ue: Any, radio: Mapping[str, Any]) -> Any:
    if not isinstance(ue, Mapping) or not isinstance(ue.get("bearers"), list):
        return ue
    return {**ue, "bearers": [_with_sections(bearer, radio) for bearer in ue["bearers"]]}


def _with_sections(bearer: Any, radio: Mapping[str, Any]) -> Any:
    if not isinstance(bearer, Mapping):
        return bearer
    merged = dict(bearer)
    for name in _SECTIONS:
        of_radio, own = radio.get(name, {}), bearer.get(name, {})
        if isinstance(of_radio, Mapping) and isinstance(own, Mapping) and (of_radio or own):
            merged[name] = {**of_radio, **own}
    return merged


def _kind(bearer: Bearer) -> str:
    return f"rlc.mode {bearer.rlc.mode}" + (f" with sn_bits {bearer.rlc_um.sn_bits}" if bearer.rlc.mode == "um" else "")


def check_list(where: str, bearers: list[Bearer], default: Bearer, *, direct: bool, by_lcid: bool) -> None:
    """Refuse bearers that a UE cannot have together.

    Args:
        where: key of the list.
        default: the default bearer where the list has none.
        direct: the UE's peer is a UE, so that each bearer takes two LCIDs.
        by_lcid: LCIDs say what RLC is, so that there are few of each kind.

    Raises:
        ValueError: with key, value and what is allowed.
    """
    without = [i for i, bearer in enumerate(bearers) if not bearer.filters]
    if len(without) > 1:
        raise ValueError(f"key '{where}.{without[1]}.filters': missing; only the default bearer has no filters, and "
                         f"that is bearer {without[0]}")
    all_of_them = bearers if without else [*bearers, default]
    for kind, most in _AT_MOST.items() if by_lcid else ():
        n = sum(_kind(bearer) == kind for bearer in all_of_them)
        if bearers and n > (1 if direct else most):
            raise ValueError(f"key '{where}': {n} bearers with {kind}: "
                             + ("allowed 1 if the peer is a UE" if direct else
                                f"allowed {most}; the default bearer counts"))
