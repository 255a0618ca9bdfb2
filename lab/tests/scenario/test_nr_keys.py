# SPDX-License-Identifier: GPL-2.0-or-later
"""5G NR in a scenario: what it begins with, what the standard forbids, and what is of LTE only."""

import pytest

from cellbed.error import ScenarioError
from cellbed.run.radio_config import cell
from cellbed.scenario import channel, nr
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
    with pytest.raises(ScenarioError, match="51 of 51 UEs have it: allowed 100 UEs, those with it counted twice"):
        expand(write(minimal))


def test_measured_sinrs_have_cqis_of_nr(settings, tmp_path):
    """Of 256QAM in the downlink and of 64QAM in the uplink: 21 dB are CQI 11 of Table 2 and 14 of Table 1."""
    (tmp_path / "drive.csv").write_text("t_ms,ue,direction,sinr_db\n0,ue1,dl,21\n0,ue1,ul,21\n100,ue1,dl,-20\n")
    run = settings(channel={"model": "trace", "trace": "drive.csv"})
    assert run["radio"]["channel"]["trace_sha256"]
    channel.render(tmp_path, run, 1, tmp_path)
    found = trace.read(tmp_path / channel.FILE)
    assert found.records_of(1, "dl")["cqi"].tolist() == [11, 0] and found.records_of(1, "ul")["cqi"].tolist() == [14]
    with pytest.raises(ScenarioError, match="key 'radio.channel.cqi.table': value kawser: allowed with radio.system: "
                                            "lte only"):
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
            assert f"'radio.nr.{key}': value {slots}: allowed" in str(error)
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
    ({"numerology": 3}, "'radio.nr.numerology': value 3: allowed 0..2 with frequency_range fr1 (TS 38.101-1"),
    ({"numerology": 1, "frequency_range": "fr2"}, "'radio.nr.numerology': value 1: allowed 2..3 with frequency_range"),
    ({"numerology": 0}, "'radio.nr.bandwidth_mhz': value 100: allowed 5, 10, 15, 20, 25, 30, 35, 40, 45, 50 with"),
    ({"tdd_pattern": "DDDX"}, "'radio.nr.tdd_pattern': value DDDX"),
    ({"tdd_pattern": "DDDSUUU"}, "'radio.nr.tdd_pattern': value DDDSUUU: allowed periods of 0.5, 0.625, 1, 1.25"),
    ({"tdd_pattern": "DDDDD"}, "'radio.nr.tdd_pattern': value DDDDD: allowed a pattern with downlink and uplink"),
    ({"tdd_pattern": "UUUUU"}, "'radio.nr.tdd_pattern': value UUUUU: allowed a pattern with downlink and uplink"),
    ({"tdd_special_dl_symbols": 12}, "'radio.nr.tdd_special_ul_symbols': value 2: allowed 0..1, as a symbol of guard"),
    *(({"k1_min": k1, **keys}, f"'radio.nr.k1_min': value {k1}: allowed {least} or more, as a UE takes {symbols} ")
      for keys, least, symbols in (({"duplex": "fdd"}, 2, 10), ({}, 2, 10), ({"numerology": 2}, 3, 17),
                                   ({"numerology": 2, "processing_capability": 2}, 3, 17))
      for k1 in range(least)),
    ({"tdd_pattern": "UUDD"}, "'radio.nr.tdd_pattern': value UUDD: allowed a special slot between downlink and"),
    ({"processing_capability": 2, "frequency_range": "fr2", "numerology": 3},
     "'radio.nr.processing_capability': value 2: allowed 1 with numerology 3 (TS 38.214"),
    ({"sr_period_slots": 5}, "'radio.nr.sr_period_slots': value 5: allowed 0, 1, 2, 4, 8, 10, 16, 20, 40, 80, 160 with "
                             "numerology 1 (TS 38.331 SchedulingRequestResourceConfig)"),
    ({"configured_grant": "type2", "cg_period_slots": 512}, "'radio.nr.cg_period_slots': value 512: allowed 1, 2, 4"),
    ({"configured_grant": "type1", "cg_rb": 275}, "'radio.nr.cg_rb': value 275: allowed 1..273"),
    ({"configured_grant": "type1", "cg_processes": 9, "harq_processes": 8}, "'radio.nr.cg_processes': value 9"),
    ({"drx_cycle_ms": 10, "drx_on_duration_ms": 10}, "'radio.nr.drx_on_duration_ms': value 10: allowed less than drx"),
    ({"drx_cycle_ms": 40, "drx_short_cycle_ms": 16}, "'radio.nr.drx_short_cycle_ms': value 16: allowed what drx_cycle"),
    ({"layers_dl": 5}, "'radio.nr.layers_dl': value 5"),
    ({"aqm": "codel"}, "'radio.nr.aqm': value codel: allowed 'none', 'mark' or 'dualpi2'"),
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
    ({"n_rb": 50}, "key 'radio.n_rb': allowed with radio.system: lte only, which is nr"),
    ({"rlc": {"delivery": "out_of_sequence"}}, "'radio.rlc.delivery': allowed with radio.system: lte only, as RLC"),
    ({"rlc": {"t_reordering_ms": 35}}, "'radio.rlc.t_reordering_ms': allowed with radio.system: lte only, as it is t_"),
    ({"harq": {"dl_rtt_tti": 8}}, "'radio.harq.dl_rtt_tti': allowed with radio.system: lte only"),
    ({"pdcp": {"sn_bits": 7}}, "'radio.pdcp.sn_bits': value 7: allowed 12 or 18 with radio.system: nr"),
    ({"rlc_um": {"sn_bits": 10}}, "'radio.rlc_um.sn_bits': value 10: allowed 6 or 12 with radio.system: nr"),
    ({"channel": {"model": "cell_edge"}}, "'radio.channel.model': value cell_edge: allowed static, swing, trace or"),
    ({"pdcp": {"duplication": True}, "rlc": {"mode": "tm"}}, "'radio.pdcp.duplication': value True: allowed with rlc"),
    ({"ues": {"ue1": {"peer": "gnb", "second_cqi_dl": 5}}}, "'radio.ues.ue1.second_cqi_dl': allowed with pdcp.dup"),
    ({"pdcp": {"duplication": True}, "channel": {"model": "static"},
      "ues": {"ue1": {"peer": "gnb", "second_cqi_dl": 5}}},
     "'radio.ues.ue1.second_cqi_dl': allowed without radio.channel only"),
    ({"pdcp": {"duplication": True}, "ues": {"ue1": {"peer": "gnb", "bearers": [
        {"filters": [{"remote_port": n}]} for n in range(1, 5)]}}},
     "'radio.ues.ue1.bearers': 5 bearers, 5 of them with pdcp.duplication: allowed 8 logical channels"),
    ({"ues": {"ue1": {"peer": "gnb", "cqi_sl": 5}}}, "key 'radio.ues.ue1.cqi_sl': allowed with radio.system: lte only"),
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
    message = f"key 'radio.{section}.{key}': value {value}: allowed with radio.system: nr"
    with pytest.raises(ScenarioError, match=message):
        expand(write(minimal))


def test_queue_management_wants_packets_that_can_be_dropped(settings):
    """Also where only one bearer is in transparent mode."""
    with pytest.raises(ScenarioError) as error:
        settings({"aqm": "dualpi2"}, rlc={"mode": "tm"})
    assert "key 'radio.nr.aqm': value dualpi2: allowed none with radio.rlc.mode tm" in str(error.value)
    bearer = {"filters": [{"protocol": "udp"}], "rlc": {"mode": "tm"}}
    with pytest.raises(ScenarioError, match=r"radio.ues.ue1.bearers.0.rlc.mode tm.*TS 38.322 5.2.1.1"):
        settings({"aqm": "mark"}, ues={"ue1": {"peer": "gnb", "bearers": [bearer]}})
    with pytest.raises(ScenarioError, match=r"'radio.pdcp.duplication': value True: allowed with radio.nr.aqm none"):
        settings({"aqm": "mark"}, pdcp={"duplication": True})
