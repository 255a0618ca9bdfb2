# SPDX-License-Identifier: GPL-2.0-or-later
"""5G NR in a scenario: what it begins with, what the standard forbids, and what is of LTE only."""

import json

import pytest

from cellbed.error import ScenarioError
from cellbed.run.radio_config import cell
from cellbed.scenario import channel_trace, nr
from cellbed.scenario.description import expand
from cellbed_channel import trace

LAYERS = ("rlc", "rlc_um", "rlc_am", "pdcp")


@pytest.fixture
def settings(minimal, write):
    """The radio of a run's settings with these keys of `radio.nr`, and of the radio beside it."""
    def of(keys=None, **beside):
        minimal["nodes"] = {"server": {"kind": "server", "address": "10.1.0.1/24"}, "gnb": {"kind": "enb"},
                            "ue1": {"address": "10.45.0.1/24"}}
        minimal["links"] = [{"a": "server", "b": "gnb", "rate": "10Gbit"}]
        minimal["radio"] = {"system": "nr", "nr": keys or {}, "ues": {"ue1": {"peer": "gnb"}}, **beside}
        minimal["traffic"] = [{"id": "file", "from": "server", "to": "ue1", "duration_s": 1}]
        minimal.pop("sweep", None)
        return expand(write(minimal))[1][0].settings

    return of


def test_layers_are_those_of_5g_where_nothing_is_said(settings):
    radio = settings()["radio"]
    assert (radio["rlc"]["mode"], radio["rlc_am"]["sn_bits"], radio["rlc_um"]["sn_bits"]) == ("am", 18, 12)
    assert (radio["pdcp"]["sn_bits"], radio["pdcp"]["t_reordering_ms"]) == (18, 220)
    given = settings(rlc={"mode": "um"}, pdcp={"sn_bits": 12})["radio"]
    assert (given["rlc"]["mode"], given["pdcp"]["sn_bits"], given["pdcp"]["t_reordering_ms"]) == ("um", 12, 220)


def test_bearers_have_what_the_radio_has(settings):
    """Unless they say otherwise."""
    voice = {"filters": [{"protocol": "udp"}], "rlc": {"mode": "um"}, "rlc_um": {"sn_bits": 6}}
    described = cell(settings(ues={"ue1": {"peer": "gnb", "bearers": [voice]}}, pdcp={"t_reordering_ms": 30}))
    (bearer,) = described["ues"][0]["bearers"]
    assert (bearer["rlc"]["mode"], bearer["rlc_um"]["sn_bits"]) == ("um", 6)
    assert (bearer["pdcp"]["sn_bits"], bearer["pdcp"]["t_reordering_ms"]) == (18, 30)
    assert described["rlc"]["mode"] == "am" and described["system"] == "nr"


def test_a_second_cell_of_a_ue(settings):
    ues = {"ue1": {"peer": "gnb", "cqi_dl": 9, "second_cqi_dl": 5}}
    described = cell(settings(ues=ues, pdcp={"duplication": True}))
    assert described["pdcp"]["duplication"] is True
    assert {key: described["ues"][0].get(key) for key in ("cqi_dl", "second_cqi_dl", "second_cqi_ul")} == {
        "cqi_dl": 9, "second_cqi_dl": 5, "second_cqi_ul": None}


def test_duplication_counts_ues_twice(settings, minimal, write):
    settings(pdcp={"duplication": True})
    ues = [f"ue{i}" for i in range(1, 52)]
    minimal["nodes"] |= {ue: {"address": f"10.45.0.{i}/24"} for i, ue in enumerate(ues, 1)}
    minimal["radio"]["ues"] = {ue: {"peer": "gnb"} for ue in ues}
    with pytest.raises(ScenarioError, match="51 of 51 UEs have it, and count twice: allowed 100 UEs"):
        expand(write(minimal))


def test_measured_sinrs_have_cqis_of_nr(settings, tmp_path):
    """Of 256QAM in the downlink and of 64QAM in the uplink: 21 dB are CQI 11 of Table 2 and 14 of Table 1."""
    (tmp_path / "drive.csv").write_text("t_ms,ue,direction,sinr_db\n0,ue1,dl,21\n0,ue1,ul,21\n100,ue1,dl,-20\n")
    run = settings(channel={"model": "trace", "trace": "drive.csv"})
    assert run["radio"]["channel"]["trace_sha256"]
    channel_trace.render(tmp_path, run, 1, tmp_path)
    found = trace.read(tmp_path / channel_trace.FILE)
    assert found.records_of(1, "dl")["cqi"].tolist() == [11, 0] and found.records_of(1, "ul")["cqi"].tolist() == [14]
    with pytest.raises(ScenarioError,
                       match="key 'radio.channel.cqi.table': value kawser: CQIs of NR follow from radio.nr.mcs"):
        settings(channel={"model": "trace", "trace": "drive.csv", "cqi": {"table": "kawser"}})


def test_an_lte_run_is_what_it_was(minimal, write):
    radio = expand(write(minimal))[1][0].settings["radio"]
    assert "nr" not in radio and "sn_bits" not in radio["rlc_am"] and "t_reassembly_ms" not in radio["rlc"]


# Source: TS 38.101-1 Table 5.3.2-1; TS 38.101-2 Table 5.3.2-1
@pytest.mark.parametrize(("keys", "n_rb", "rb_hz"), [
    ({}, 273, 360_000), ({"numerology": 0, "bandwidth_mhz": 20}, 106, 180_000),
    ({"frequency_range": "fr2", "numerology": 3, "bandwidth_mhz": 400}, 264, 1_440_000)])
def test_resource_blocks_of_a_carrier(settings, keys, n_rb, rb_hz):
    assert nr.carrier(settings(keys)["radio"]["nr"]) == (n_rb, rb_hz)


# Whole slots, those of all numerologies, and those from and up to a numerology. Source: TS 38.331
# SchedulingRequestResourceConfig (periodicityAndOffset), ConfiguredGrantConfig (periodicity)
SR_SLOTS = dict.fromkeys((1, 2, 4, 8, 16, 40, 80), (0, 3)) | {5: (0, 0), 10: (0, 1), 20: (0, 2), 160: (1, 3),
                                                             320: (2, 3), 640: (3, 3)}
CG_SLOTS = dict.fromkeys((1, 2, 4, 5, 8, 10, 16, 20, 32, 40, 64, 80, 128, 160, 320, 640), (0, 3)) | {256: (1, 3),
                                                                                                   512: (2, 3)}
CARRIERS = ({"numerology": 0, "bandwidth_mhz": 20}, {}, {"numerology": 2},
            {"numerology": 3, "frequency_range": "fr2"})


@pytest.mark.parametrize("numerology", range(4))
def test_periods_are_those_of_rrc(settings, numerology):
    def taken(key, slots, **beside):
        try:
            settings({key: slots, **CARRIERS[numerology], **beside})
        except ScenarioError as error:
            assert f"'radio.nr.{key}': value {slots}: " in str(error) and "allowed" in str(error)
            return False
        return True

    def allowed(table):
        return {slots for slots, (least, most) in table.items() if least <= numerology <= most}

    near = sorted({slots + by for slots in SR_SLOTS | CG_SLOTS for by in (-1, 0, 1)} - {0})
    assert {slots for slots in near if taken("sr_period_slots", slots)} == allowed(SR_SLOTS)
    assert {slots for slots in near if taken("cg_period_slots", slots, configured_grant="type1")} == allowed(CG_SLOTS)


@pytest.mark.parametrize(("numerology", "slots"), [(0, 10), (1, 10), (2, 8), (3, 8)])
def test_what_nobody_asked_for_is_a_period_of_rrc(settings, numerology, slots):
    assert settings(CARRIERS[numerology])["radio"]["nr"]["sr_period_slots"] == slots


@pytest.mark.parametrize(("keys", "message"), [
    ({"numerology": 3}, "'radio.nr.numerology': value 3: frequency_range fr1 does not have it; allowed 0..2 (TS"),
    ({"numerology": 1, "frequency_range": "fr2"},
     "'radio.nr.numerology': value 1: frequency_range fr2 does not have it; allowed 2..3 (TS"),
    ({"numerology": 0}, "'radio.nr.bandwidth_mhz': value 100: numerology 0 in fr1 does not have it; allowed 5, 10,"),
    ({"tdd_pattern": "DDDX"}, "'radio.nr.tdd_pattern': value DDDX"),
    ({"tdd_pattern": "DDDSUUU"},
     "'radio.nr.tdd_pattern': value DDDSUUU: DDDSUUU takes 3.5 ms; allowed periods of 0.5, 0.625,"),
    ({"tdd_pattern": "DDDDD"},
     "'radio.nr.tdd_pattern': value DDDDD: downlink or uplink has no slot; allowed patterns with"),
    ({"tdd_pattern": "UUUUU"},
     "'radio.nr.tdd_pattern': value UUUUU: downlink or uplink has no slot; allowed patterns with"),
    ({"tdd_special_dl_symbols": 12},
     "'radio.nr.tdd_special_ul_symbols': value 2: no guard symbol is left between downlink and"),
    *(({"k1_min": k1, **keys},
       f"'radio.nr.k1_min': value {k1}: a UE takes {symbols} symbols to decode; allowed {least} or more ")
      for keys, least, symbols in (({"duplex": "fdd"}, 2, 10), ({}, 2, 10), ({"numerology": 2}, 3, 17),
                                   ({"numerology": 2, "processing_capability": 2}, 3, 17))
      for k1 in range(least)),
    ({"tdd_pattern": "UUDD"}, "'radio.nr.tdd_pattern': value UUDD: UEs need a special slot to change from downlink to"),
    ({"processing_capability": 2, "frequency_range": "fr2", "numerology": 3},
     "'radio.nr.processing_capability': value 2: numerology 3 does not have it; allowed 1 (TS"),
    ({"sr_period_slots": 5},
     "'radio.nr.sr_period_slots': value 5: numerology 1 does not have it; allowed 0, 1, 2, 4, 8,"),
    ({"configured_grant": "type2", "cg_period_slots": 512},
     "'radio.nr.cg_period_slots': value 512: numerology 1 does not have it; allowed 1, 2, 4, 5,"),
    ({"configured_grant": "type1", "cg_rb": 275}, "'radio.nr.cg_rb': value 275: the uplink has fewer; allowed 1..273"),
    ({"configured_grant": "type1", "cg_processes": 9, "harq_processes": 8}, "'radio.nr.cg_processes': value 9"),
    ({"drx_cycle_ms": 10, "drx_on_duration_ms": 10}, "'radio.nr.drx_on_duration_ms': value 10: allowed less than drx"),
    ({"drx_cycle_ms": 40, "drx_short_cycle_ms": 16},
     "'radio.nr.drx_short_cycle_ms': value 16: allowed divisors of drx_cycle_ms, 40 (TS 38.331"),
    ({"layers_dl": 5}, "'radio.nr.layers_dl': value 5"),
    ({"aqm": "codel"}, "'radio.nr.aqm': value codel: allowed none, mark, dualpi2"),
    ({"aqm_mark_from_us": -1}, "'radio.nr.aqm_mark_from_us': value -1"),
    ({"aqm_tupdate_ms": 0}, "'radio.nr.aqm_tupdate_ms': value 0"),
    ({"aqm_coupling": 11}, "'radio.nr.aqm_coupling': value 11"),
    ({"ndi": 1}, "'radio.nr.ndi': unknown"),
])
def test_what_the_standard_forbids(settings, keys, message):
    with pytest.raises(ScenarioError) as error:
        settings(keys)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_value_of_no_key_gets_one_line_that_names_it(settings):
    refused = 0
    for key in nr.Nr.model_fields:
        for value in ("x", []):
            try:
                settings({key: value})
            except ScenarioError as error:
                assert f"'radio.nr.{key}': value" in str(error) and "\n" not in str(error)
                refused += 1
    assert refused >= 2 * len(nr.Nr.model_fields)


@pytest.mark.parametrize(("beside", "message"), [
    ({"n_rb": 50}, "key 'radio.n_rb': radio.system nr does not have it; remove it, or set radio.system: lte"),
    ({"rlc": {"delivery": "out_of_sequence"}},
     "'radio.rlc.delivery': NR does not have it: PDCP puts packets in order, and RLC never does;"),
    ({"rlc": {"t_reordering_ms": 35}},
     "'radio.rlc.t_reordering_ms': NR does not have it: RLC has t_reassembly_ms; remove the key"),
    ({"harq": {"dl_rtt_tti": 8}},
     "'radio.harq.dl_rtt_tti': NR does not have it: the round trip follows from radio.nr.k1_min"),
    ({"pdcp": {"sn_bits": 7}}, "'radio.pdcp.sn_bits': value 7: radio.system nr does not have it; allowed 12, 18"),
    ({"rlc_um": {"sn_bits": 10}}, "'radio.rlc_um.sn_bits': value 10: radio.system nr does not have it; allowed 6, 12"),
    ({"channel": {"model": "cell_edge"}},
     "'radio.channel.model': value cell_edge: the model is of a paper about LTE; allowed with"),
    ({"pdcp": {"duplication": True}, "rlc": {"mode": "tm"}},
     "'radio.pdcp.duplication': value true: PDCP does not duplicate over rlc.mode tm; set"),
    ({"pdcp": {"duplication": True}, "nr": {"dl_carriers": 2}},
     "'radio.pdcp.duplication': value true: the second cell has one carrier; set radio.nr.dl_carriers: 1, or false"),
    ({"nr": {"dl_carriers": 5}}, "'radio.nr.dl_carriers': value 5: allowed 1..4"),
    ({"nr": {"scell_deactivation_ms": 20}},
     "'radio.nr.scell_deactivation_ms': value 20: it is for carriers beside the first one; remove the key, or set"),
    ({"nr": {"dl_carriers": 2, "scell_deactivation_ms": 30}}, "'radio.nr.scell_deactivation_ms': value 30: allowed 0"),
    ({"ues": {"ue1": {"peer": "gnb", "second_cqi_dl": 5}}},
     "'radio.ues.ue1.second_cqi_dl': the UE has no second cell; set pdcp.duplication: true, or"),
    ({"pdcp": {"duplication": True}, "channel": {"model": "static"},
      "ues": {"ue1": {"peer": "gnb", "second_cqi_dl": 5}}},
     "'radio.ues.ue1.second_cqi_dl': radio.channel gives the CQIs of both cells; remove one of"),
    ({"pdcp": {"duplication": True}, "ues": {"ue1": {"peer": "gnb", "bearers": [
        {"filters": [{"remote_port": n}]} for n in range(1, 5)]}}},
     "'radio.ues.ue1.bearers': 5 bearers, 5 of them with pdcp.duplication: allowed 8 logical channels"),
    ({"ues": {"ue1": {"peer": "gnb", "cqi_sl": 5}}},
     "key 'radio.ues.ue1.cqi_sl': radio.system nr does not have it; remove it, or set"),
])
def test_what_is_of_lte_only(settings, beside, message):
    with pytest.raises(ScenarioError) as error:
        settings(**beside)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("section", "key", "value"), [
    ("rlc", "t_reassembly_ms", 20), ("rlc_am", "sn_bits", 18), ("pdcp", "out_of_order_delivery", True),
    ("pdcp", "duplication", True)])
def test_what_is_of_5g_only(minimal, write, section, key, value):
    minimal["radio"][section] = {key: value}
    message = f"key 'radio.{section}.{key}': value {json.dumps(value)}: radio.system lte does not have the key; remove"
    with pytest.raises(ScenarioError, match=message):
        expand(write(minimal))


def test_queue_management_wants_packets_that_can_be_dropped(settings):
    """Also where only one bearer is in transparent mode."""
    with pytest.raises(ScenarioError) as error:
        settings({"aqm": "dualpi2"}, rlc={"mode": "tm"})
    assert "key 'radio.nr.aqm': value dualpi2: radio.rlc.mode is tm, and a drop there would" in str(error.value)
    bearer = {"filters": [{"protocol": "udp"}], "rlc": {"mode": "tm"}}
    with pytest.raises(ScenarioError, match=r"radio.ues.ue1.bearers.0.rlc.mode is tm.*TS 38.322 5.2.1.1"):
        settings({"aqm": "mark"}, ues={"ue1": {"peer": "gnb", "bearers": [bearer]}})
    with pytest.raises(ScenarioError, match=r"'radio.pdcp.duplication': value true: cellbed does not model marks of"):
        settings({"aqm": "mark"}, pdcp={"duplication": True})
