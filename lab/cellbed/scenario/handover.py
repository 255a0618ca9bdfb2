# SPDX-License-Identifier: GPL-2.0-or-later
"""Handover between the base stations of a core network: its keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from cellbed.scenario.fields import Decibel, Key, Microseconds, Milliseconds, Model, unset

# Source: TS 36.331 6.3.5, TimeToTrigger
TimeToTrigger = Literal[0, 40, 64, 80, 100, 128, 160, 256, 320, 480, 512, 640, 1024, 1280, 2560, 5120]
# Source: TS 36.331 6.3.5, FilterCoefficient
FilterCoefficient = Literal[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17, 19]


class A3(Model):
    """Handover to a neighbour that is better. Source: TS 36.331 5.5.4.4, 6.3.5."""

    offset_db: Decibel = Key(3.0, 0, 15, multiple_of=0.5,
        says="How much better than the serving cell a neighbour has to be, `a3-Offset`. 3 dB is what studies of "
             "handover have; TS 36.331 has no default")
    hysteresis_db: Decibel = Key(1.0, 0, 15, multiple_of=0.5,
        says="So much more for the event to be entered, and so much less for it to be left, `hysteresis`. TS 36.331 "
             "5.5.4.4")
    time_to_trigger_ms: TimeToTrigger = Key(256,
        says="How long it has to last before the UE reports it, `timeToTrigger`. TS 36.331 6.3.5")
    filter_coefficient: FilterCoefficient = Key(4,
        says="Weight of a new measurement in the average of layer 3, 1 / 2^(k / 4); there is one each 200 ms. TS "
             "36.331 5.5.3.2; 4 is the default of 6.3.5")


class Condition(Model):
    """What a UE waits for before it leaves for a candidate. Source: TS 38.331 5.3.5.13.4, CondTriggerConfig."""

    event: Literal["a3", "a5"] = Key("a3",
        says="`a3`: the candidate is `offset_db` better than the serving cell (CondEvent A3); `a5`: the serving cell is"
             " worse than `threshold1` and the candidate better than `threshold2` (CondEvent A5). TS 38.331 5.5.4.4, "
             "5.5.4.6")
    offset_db: Decibel = Key(3.0, 0, 15, multiple_of=0.5, says="`a3-Offset`, with `event: a3`")
    threshold1: int = Key(46, 0, 127,
        says="`a5-Threshold1`, with `event: a5`: a value of RSRP-Range, which is dBm + 156; 46 = -110 dBm")
    threshold2: int = Key(50, 0, 127, says="`a5-Threshold2`, likewise; 50 = -106 dBm")
    hysteresis_db: Decibel = Key(0.0, 0, 15, multiple_of=0.5,
        says="So much more for the event to be entered, and so much less for it to be left. TS 38.331 5.5.4.4")
    time_to_trigger_ms: TimeToTrigger = Key(0, says="How long it has to last before the UE leaves. TS 38.331")


class Times(Model):
    """A time that differs from handover to handover, by its quantiles. Each handover draws one."""

    p5_ms: Milliseconds = Key(..., 0, 10000, says="The 5th percentile; no time is shorter")
    p25_ms: Milliseconds | None = Key(None, 0, 10000, exclude_if=unset,
        says="The 25th percentile; null: on the line between its neighbours")
    p50_ms: Milliseconds = Key(..., 0, 10000, says="The median")
    p75_ms: Milliseconds | None = Key(None, 0, 10000, exclude_if=unset,
        says="The 75th percentile; null: on the line between its neighbours")
    p95_ms: Milliseconds = Key(..., 0, 10000, says="The 95th percentile")
    p99_ms: Milliseconds | None = Key(None, 0, 10000, exclude_if=unset,
        says="The 99th percentile; no time is longer. null: the 95th")

    @model_validator(mode="after")
    def none_is_below_the_one_before(self) -> Times:
        before = ("", 0)
        for key, value in self.model_dump().items():
            if value < before[1]:
                raise ValueError(f"key '{key}': value {value}: less than {before[0]}; allowed {before[1]} or more")
            before = (key, value)
        return self


class LinkFailure(Model):
    """Radio links that fail. Source: TS 36.331 5.3.7, 5.3.11, 7.3; TS 38.331 5.3.7, 5.3.10, 7.1."""

    qout: int = Key(30, 0, 127,
        says="Out of sync: the SINR of the downlink, averaged over 200 ms, is below it. A value of SINR-Range of TS "
             "38.331, which is 2 dB + 46; 30 = -8 dB, as TR 36.839 5.2.1.3 has it. Below it no message of RRC is heard "
             "either. TS 36.133 7.6, `Qout`")
    qin: int = Key(34, 0, 127,
        says="In sync: over 100 ms it is above this; 34 = -6 dB, TR 36.839 5.2.1.3. Also what a cell needs to be "
             "selected. TS 36.133 7.6, `Qin`")
    n310: Literal[1, 2, 3, 4, 6, 8, 10, 20] = Key(1,
        says="Out of sync so many times in a row, once in 10 ms, starts T310. TS 36.331 7.3; 1 is the default of 9.2.5")
    n311: Literal[1, 2, 3, 4, 5, 6, 8, 10] = Key(1,
        says="In sync so many times in a row stops it. TS 36.331 7.3; 1 is the default of 9.2.5")
    t310_ms: Literal[0, 50, 100, 200, 500, 1000, 2000] = Key(1000,
        says="T310: so long out of sync the link has failed. TS 36.331 7.3; 1000 is the default of 9.2.5")
    t311_ms: Literal[1000, 3000, 5000, 10000, 15000, 20000, 30000] = Key(1000,
        says="T311: so long the UE looks for a cell before it is idle. TS 36.331 7.3; 1000 is the default of 9.2.5")
    t301_ms: Literal[100, 200, 300, 400, 600, 1000, 1500, 2000] = Key(400,
        says="T301: so long it asks that cell for re-establishment, or for a connection, before it is idle. TS 36.331 "
             "7.3, which has no default; 400 is our own choice")
    t304_ms: Literal[50, 100, 150, 200, 500, 1000, 2000, 10000] = Key(1000,
        says="T304: so long after a command the UE has to reach the target; otherwise the handover has failed. TS "
             "38.331 7.1, which has no default; 1000 is our own choice")
    preamble_trans_max: Literal[3, 4, 5, 6, 7, 8, 10, 20, 50, 100, 200] = Key(10,
        says="With `system: lte`: so many preambles without an answer are a radio link failure; `system: nr` has "
             "`nr.preamble_trans_max`. TS 36.331 6.3.2, `preambleTransMax`; 10 as NR's")
    context: Literal["prepared", "fetch", "none"] = Key("prepared",
        says="Who has the UE's context when it asks for re-establishment. `prepared`: the cell where it was, and those "
             "that were asked to take it over (TS 36.300 10.1.6); `fetch`: all, as others ask the cell where it was (TS"
             " 38.300 9.2.3.3); `none`: nobody. Without it the UE sets up a new connection, and what waited is lost")
    selection_ms: Milliseconds = Key(150, 0, 10000,
        says="From the failure until a cell is selected: 50 ms and 100 ms of search. TS 36.133 6.1.2.1")
    reestablish_ms: Milliseconds = Key(15, 0, 10000,
        says="From the request until bearers go on. TS 36.331 11.2; messages to fetch a context are added")
    setup_ms: Milliseconds = Key(50, 0, 10000,
        says="The same for a new connection, with its bearers: 50 ms from idle to connected. TR 36.912 16.2.1")
    rrc_retx: int = Key(4, 0, 32,
        says="How often a report or a command that was not heard is sent again before RLC gives up: a report's loss is "
             "then a radio link failure. TS 36.331 9.2.1.1, `maxRetxThreshold`")
    rrc_retx_ms: Milliseconds = Key(45, 5, 500,
        says="And after how long. TS 36.331 9.2.1.1, `t-PollRetransmit`")


class Handover(Model):
    """Between the eNBs of a core network. Source: TS 36.300 10.1.2; Pacifico, Tables I and II, section V.A."""

    procedure: Literal["standard", "fast_path_switch", "prediction", "conditional", "daps"] = Key("standard",
        says="Procedure of every handover. `standard`: the path is switched when the UE has confirmed (TS 36.300 "
             "10.1.2; TS 38.300 9.2.3.2); `conditional`, with `system: nr` only: the UE knows its target long before, "
             "and leaves when a condition holds (TS 38.300 9.2.3.4); `daps`, likewise: the source serves the UE until "
             "the target does (TS 38.300 9.2.3.2); `fast_path_switch`: as soon as the UE has its command; "
             "`prediction`: `prediction_ms` before, and each handover event is a prediction and a handover. Pacifico, "
             "section V.A, Figures 2, 5, 6. With several eNBs no `pdcp.reordering`, and with `rlc.mode: am` "
             "12-bit PDCP SNs and delivery in sequence")
    prediction_ms: Milliseconds = Key(130, 1, 10000,
        says="How long before a handover of `radio.events` it is predicted, or with `conditional` prepared. Pacifico, "
             "Table II")
    prediction_timeout_ms: Milliseconds = Key(1000, 1, 60000,
        says="How long after a prediction the path is switched back when no handover follows. The paper leaves it open")
    detach_ms: Milliseconds = Key(30, 0, 10000,
        says="Time from leaving one cell to reaching the other, with `system: lte`. Pacifico, Table I")
    detach_times: Times | None = Key(None, exclude_if=unset,
        says="Time from leaving one cell to reaching the other, drawn for each handover; in place of `detach_ms`. With "
             "`system: nr` until random access begins, in place of `rrc_processing_ms`, `search_ms`, `processing_ms`, "
             "`ssb_period_ms` and `margin_ms`. null: not drawn")
    preparation_times: Times | None = Key(None, exclude_if=unset,
        says="Time from a report to the handover command, or until a candidate is prepared, drawn for each handover: "
             "the target answers so late, but not before two messages of `signalling_us`. Not with `prediction`. "
             "null: two messages")
    signalling_us: Microseconds = Key(4000, 0, 1_000_000,
        says="One-way delay of each message between eNBs, MME and S-GW: two links of 2 ms. These messages are not "
             "packets on the wires")
    end_marker_ms: Milliseconds = Key(200, 1, 60000,
        says="How long after the last forwarded packet the target waits for an End Marker that does not come: longer "
             "than two full queues take with the parameters of Pacifico, Table II")
    end_markers: int = Key(1, 1, 16,
        says="End Markers for each path that ends: \"one or more\" in TS 36.300 10.1.2.2. Each can be lost in a full "
             "queue. With more than one the next handover waits until `end_marker_ms` after the last of them")
    end_marker_gap_ms: Milliseconds = Key(20, 1, 1000,
        says="Time between them. In a row they meet the same full queue; from a drop-tail queue of 12 Mbit/s 20 "
             "packets leave in 20 ms. What a lost one costs is then this and not `end_marker_ms`")
    forwarding: bool = Key(True,
        says="true: the source forwards what it holds, without loss (TS 36.300 10.1.2.3); false: it drops that "
             "(`handover`)")
    reordering: bool = Key(True,
        says="true: until the End Marker the target sends forwarded packets before those of the new path. Pacifico, "
             "Table I")
    rrc_processing_ms: Milliseconds | None = Key(None, 0, 100, exclude_if=unset,
        says="With `system: nr`: time in which a UE processes a handover command, and cannot be reached. TS 38.331 12")
    execution_ms: Milliseconds | None = Key(None, 0, 100, exclude_if=unset,
        says="With `conditional`: time from when the condition holds until the UE leaves. TS 38.133 6.1.4.2")
    search_ms: Milliseconds | None = Key(None, 0, 1000, exclude_if=unset,
        says="With `system: nr`: time to find a target that the UE has not measured. TS 38.133 6.1.1.2.2, `Tsearch`")
    processing_ms: Milliseconds | None = Key(None, 0, 100, exclude_if=unset,
        says="With `system: nr`: time that the UE's software takes. TS 38.133 6.1.1.2.2, `Tprocessing`, at most 20")
    ssb_period_ms: Literal[0, 5, 10, 20, 40, 80, 160] | None = Key(None, exclude_if=unset,
        says="With `system: nr`: the UE waits for the next SSB of the target, which has this period; 0 = it need not. "
             "TS 38.133 6.1.1.2.2, fine time tracking")
    margin_ms: Milliseconds | None = Key(None, 0, 100, exclude_if=unset,
        says="With `system: nr`: time after that SSB until random access can begin. TS 38.133 6.1.1.2.2, `Tmargin`")
    condition: Condition | None = Key(None, exclude_if=unset,
        says="With `conditional` and `radio.channel.model: route`: when a UE leaves for a candidate, which `a3` has it "
             "prepared for. null: handovers are those of `radio.events` only")
    link_failure: LinkFailure | None = Key(None, exclude_if=unset,
        says="Radio links fail, reports and commands can be lost, and UEs look for another cell; with several base "
             "stations, not with `daps`. null: links do not fail, and every message arrives")
    a3: A3 | None = Key(None, exclude_if=unset,
        says="Handovers that UEs ask for: to an eNB that they measure to be better, event A3. Only with "
             "`radio.channel.model: route`. null: handovers are those of `radio.events` only")

    @model_validator(mode="after")
    def reports_are_no_predictions(self) -> Handover:
        if (self.condition is not None) != (self.procedure == "conditional" and self.a3 is not None):
            raise ValueError("key 'condition': missing; procedure conditional with a3 needs it"
                             if self.condition is None else
                             f"key 'condition': procedure {self.procedure}{' without' if self.a3 is None else ' with'} "
                             "a3 does not use it; remove the key, or set procedure: conditional and a3")
        if self.a3 is not None and self.procedure == "prediction":
            raise ValueError("key 'procedure': value prediction: handovers by a3 cannot be predicted; allowed with a3: "
                             "standard, fast_path_switch, conditional, daps")
        if self.link_failure is not None and self.procedure not in ("standard", "conditional"):
            raise ValueError(f"key 'link_failure': cellbed does not model failures with procedure {self.procedure}; "
                             "remove the key, or set procedure standard or conditional")
        if self.preparation_times is not None and self.procedure == "prediction":
            raise ValueError("key 'preparation_times': procedure prediction prepares before a handover; remove the "
                             "key, or set another procedure")
        return self

    @model_validator(mode="after")
    def time_for_messages(self) -> Handover:
        if self.prediction_timeout_ms * 1000 <= 2 * self.signalling_us:
            raise ValueError(f"key 'prediction_timeout_ms': value {self.prediction_timeout_ms}: two messages of "
                             f"signalling_us take longer; allowed more than {2 * self.signalling_us / 1000:g}")
        return self


#: Keys of `radio.handover` that are sections of the daemon's configuration.
SECTIONS = ("a3", "condition", "link_failure", "detach_times", "preparation_times")
#: Keys of `radio.handover` that NR has, and LTE has not, and what they are there.
ONLY_IN_NR: dict[str, Any] = {"rrc_processing_ms": 10, "execution_ms": 10, "search_ms": 0, "processing_ms": 20,
                              "ssb_period_ms": 20, "margin_ms": 2}
#: Those that NR has not, and why.
NOT_IN_NR: dict[str, str] = {
    "detach_ms": "the time follows from rrc_processing_ms, search_ms, processing_ms, ssb_period_ms, margin_ms and from "
                 "random access in the target",
    "prediction_timeout_ms": "candidates of a conditional handover stay prepared until the UE leaves"}


def of_nr(handover: Handover) -> Handover:
    """With the defaults of NR where a scenario does not say."""
    missing = {key: value for key, value in ONLY_IN_NR.items() if getattr(handover, key) is None}
    return handover.model_copy(update=missing)
