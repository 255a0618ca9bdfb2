# SPDX-License-Identifier: GPL-2.0-or-later
"""Dual connectivity of LTE and NR in a scenario: what it has by default, and what is refused."""

import copy

import pytest
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.link import links
from cellbed.results.size import expected_bytes
from cellbed.results.validity import _tti_s
from cellbed.scenario import channel, channel_trace
from cellbed.scenario.description import expand, identity
from cellbed_channel import trace

STATIC = {"model": "static", "positions": {"ue1": [100, 0]}}
ROUTE = {"model": "route", "route": {"enbs": {"gnb": [0, 0]}}, "positions": {"ue1": [100, 0]}}


@pytest.fixture
def run(minimal, write):
    """A run with these keys of `radio.en_dc`, of `radio.nr`, of the UE, and of the radio beside them."""
    def of(en_dc=None, nr=None, ue=None, **beside):
        minimal["nodes"] = {"server": {"kind": "server", "address": "10.1.0.1/24"}, "gnb": {"kind": "enb"},
                            "ue1": {"address": "10.45.0.1/24"}}
        minimal["links"] = [{"a": "server", "b": "gnb", "rate": "10Gbit"}]
        minimal["radio"] = {"system": "en_dc", "nr": nr or {}, "en_dc": en_dc or {},
                            "ues": {"ue1": {"peer": "gnb", **(ue or {})}}, **beside}
        minimal["traffic"] = [{"id": "file", "from": "server", "to": "ue1", "duration_s": 1}]
        minimal.pop("sweep", None)
        return expand(write(minimal))[1][0]

    return of


def test_rlc_and_pdcp_are_those_of_5g_and_harq_is_that_of_lte(run):
    radio = run().settings["radio"]
    assert (radio["rlc"]["mode"], radio["rlc"]["queue_bytes"], radio["rlc_am"]["sn_bits"]) == ("am", 6_172_672, 18)
    assert (radio["rlc"]["t_reordering_ms"], radio["rlc"]["t_reassembly_ms"]) == (35, 20)
    assert (radio["pdcp"]["sn_bits"], radio["pdcp"]["t_reordering_ms"]) == (18, 220)
    assert radio["harq"]["max_attempts"] == 1 and radio["rlc_um"]["sn_bits"] == 10
    assert run(pdcp={"sn_bits": 12}).settings["radio"]["pdcp"]["t_reordering_ms"] == 220
    assert run(nr={"numerology": 2}).settings["radio"]["nr"]["sr_period_slots"] == 8


def test_it_has_what_lte_and_nr_have(run):
    radio = run({"scg": {}, "channel": ROUTE}, {"bandwidth_mhz": 40, "broadcast": {}}, {"weight": 3, "rnti": 70},
                n_rb=100, scheduler="wfq", sr={"period_ms": 10}, outer_loop={"target_bler": 0.1},
                timing={"preset": "fdd_36213"}, cqi_reports={"period_ms": 20}, dl_carriers=2, dl_codewords=2,
                harq={"max_attempts": 5}, control={"cfi": 2}, channel=STATIC, mtu=1400).settings["radio"]
    assert radio["en_dc"]["scg"]["b1_threshold"] == 46 and radio["timing"]["grant_to_tx_tti"] == 4


def test_runs_of_other_systems_are_what_they_were(minimal, write):
    assert "en_dc" not in expand(write(minimal))[1][0].settings["radio"]


@pytest.mark.parametrize(("beside", "message"), [
    ({"crowd": {"count": 3}}, "key 'radio.crowd': radio.system en_dc does not have it"),
    ({"handover": {}}, "key 'radio.handover': radio.system en_dc does not have it"),
    ({"gtpu": {}}, "key 'radio.gtpu': radio.system en_dc does not have it"),
    ({"mode_switch": {}}, "key 'radio.mode_switch': radio.system en_dc does not have it"),
    ({"rlc_um": {"sn_bits": 5}}, "key 'radio.rlc_um': radio.system en_dc does not have it"),
    ({"utran": {}}, "key 'radio.utran': radio.system is en_dc; remove the key, or set radio.system: utran"),
    ({"constant_rate": {"dl_rate": "1Mbit", "ul_rate": "1Mbit"}}, "key 'radio.constant_rate': radio.system is en_dc"),
    ({"rlc": {"mode": "um"}}, "key 'radio.rlc.mode': value um: .*allowed am"),
    ({"rlc": {"downlink_qdisc": "fq_codel"}}, "key 'radio.rlc.downlink_qdisc': value fq_codel: .*allowed pfifo"),
    ({"rlc": {"queue_ms": 30}}, "key 'radio.rlc.queue_ms': value 30: .*use queue_pkts or queue_bytes"),
    ({"pdcp": {"sn_bits": 7}}, r"key 'radio.pdcp.sn_bits': value 7: .*allowed 12, 18 \(TS 38.323"),
    ({"pdcp": {"reordering": True}}, "key 'radio.pdcp.reordering': value true: .*unless out_of_order_delivery"),
    ({"pdcp": {"duplication": True}}, "key 'radio.pdcp.duplication': value true: .*allowed false"),
    ({"nr": {"aqm": "mark"}}, "key 'radio.nr.aqm': value mark: .*allowed none"),
    ({"nr": {"sdap_header": True}}, "key 'radio.nr.sdap_header': value true: .*allowed false"),
    ({"nr": {"numerology": 3}}, "key 'radio.nr.numerology': value 3: frequency_range fr1 does not have it"),
    ({"en_dc": {"x2_us": 100_001}}, "'radio.en_dc.x2_us': .*100000"),
    ({"en_dc": {"scg": {"b1_threshold": 128}}, }, "'radio.en_dc.scg.b1_threshold': .*127"),
    ({"scheduler": "rr", "ue": {"weight": 2}}, "key 'radio.ues.ue1.weight': value 2: .*allowed 1"),
    ({"ue": {"cqi_sl": 3}}, "key 'radio.ues.ue1.cqi_sl': radio.system en_dc does not have it"),
    ({"ue": {"bearers": [{}]}}, "key 'radio.ues.ue1.bearers': radio.system en_dc does not have it"),
    ({"events": [{"at_s": 1, "ue": "ue1", "handover": "gnb"}]},
     "key 'radio.events.0.handover': value gnb: .*allowed cqi_ul, cqi_dl, flush"),
    ({"harq": {"errors": "sinr"}, "channel": STATIC}, "key 'radio.harq.errors': value sinr: without radio.en_dc.ch"),
    ({"en_dc": {"scg": {}}}, "key 'radio.en_dc.scg': UEs measure a gNB with radio.en_dc.channel.model: route only"),
    ({"en_dc": {"scg": {}, "channel": STATIC}}, "key 'radio.en_dc.channel.model': value static: .*set route, or remo"),
    ({"en_dc": {"channel": {**STATIC, "cqi": {"table": "piro"}}}}, "key 'radio.en_dc.channel.cqi.table': value piro"),
    ({"en_dc": {"channel": {"model": "cell_edge"}}}, "key 'radio.en_dc.channel.model': value cell_edge: .*allowed st"),
    ({"en_dc": {"channel": {"model": "static"}}}, "key 'radio.en_dc.channel.positions.ue1': missing; give"),
    ({"en_dc": {"channel": STATIC}, "ue": {"second_cqi_dl": 3}}, "key 'radio.ues.ue1.second_cqi_dl': value 3: radio."),
    ({"channel": {**ROUTE, "route": {**ROUTE["route"], "beams": {}}, "path_loss": {"model": "umi_38901"}}},
     "key 'radio.channel.route.beams': LTE does not have them")])
def test_what_it_does_not_have(run, beside, message):
    with pytest.raises(ScenarioError, match=message):
        run(**beside)


def test_both_sections_are_needed(run, minimal, write):
    run()
    for section in ("nr", "en_dc"):
        kept = minimal["radio"].pop(section)
        with pytest.raises(ScenarioError, match=f"'radio.{section}': missing; radio.system en_dc needs it"):
            expand(write(minimal))
        minimal["radio"][section] = kept
    minimal["radio"]["system"] = "nr"
    with pytest.raises(ScenarioError, match="'radio.en_dc': radio.system is nr; remove the key, or set radio.system"):
        expand(write(minimal))


def test_a_ue_talks_to_the_network_and_there_is_no_core(run, minimal, write):
    run()
    minimal["nodes"]["ue2"] = {"address": "10.45.0.2/24"}
    minimal["radio"]["ues"] = {"ue1": {"peer": "ue2"}, "ue2": {"peer": "gnb"}}
    with pytest.raises(ScenarioError, match="'radio.ues.ue1.peer': value ue2: UEs of radio.system en_dc have no dir"):
        expand(write(minimal))


def test_events_change_the_channel_of_lte(run):
    event = {"at_s": 1, "ue": "ue1", "cqi_dl": 3}
    run({"channel": STATIC}, events=[event])
    with pytest.raises(ScenarioError, match="'radio.events.0.cqi_dl': value 3: radio.channel says"):
        run(events=[event], channel=STATIC)


def test_a_file_of_the_gnbs_channel_is_a_part_of_the_runs_identity(run, tmp_path):
    drive = tmp_path / "drive.csv"
    drive.write_text("t_ms,ue,direction,sinr_db\n0,ue1,dl,21\n")
    measured = {"channel": {"model": "trace", "trace": "drive.csv"}}
    one = run(measured)
    assert one.settings["radio"]["en_dc"]["channel"]["trace_sha256"] and channel.reads_file(one.settings)
    drive.write_text("t_ms,ue,direction,sinr_db\n0,ue1,dl,20\n")
    assert identity(run(measured).describe("virtual", {})) != identity(one.describe("virtual", {}))
    drive.write_text("t_ms,ue\n")
    with pytest.raises(ScenarioError, match="key 'radio.en_dc.channel.trace': "):
        run(measured)


@pytest.mark.parametrize("of", [("lte", "nr"), ("lte",), ("nr",)])
def test_both_channels_are_in_one_trace(run, tmp_path, of):
    """With LTE's resource blocks and table, and with those of NR."""
    beside = {"channel": STATIC} if "lte" in of else {}
    one = run({"channel": ROUTE} if "nr" in of else {}, **beside)
    channel_trace.render(tmp_path, one.settings, 1, tmp_path)
    found = trace.read(tmp_path / channel_trace.FILE)
    assert found.enbs == {0: "enb", 1: "gnb"} and found.ues == {1: "ue1"}
    assert {("lte", "nr")[enb] for enb in set(found.records["enb"].tolist())} == set(of)
    assert ("nr" in of) == bool(len(found.records_of(1, trace.RSRP, 1)))
    assert {name: of["n_rb"] for name, of in found.model["stations"].items()} == {
        name: n_rb for system, name, n_rb in (("lte", "enb", 50), ("nr", "gnb", 273)) if system in of}


def test_a_channel_that_is_not_there_says_whose_it_is(run, tmp_path):
    far = {**ROUTE, "positions": {"ue1": [100, 0]}, "path_loss": {"model": "umi_38901", "carrier_ghz": 3.5}}
    one = run({"channel": {**far, "route": {**far["route"], "tracks": {}}}}, channel=STATIC)
    one.settings["radio"]["en_dc"]["channel"]["positions"] = {}
    with pytest.raises(ScenarioError, match="key 'radio.en_dc.channel': route.tracks.ue1"):
        channel_trace.render(tmp_path, one.settings, 1, tmp_path)


def test_sizes_and_times_are_those_of_both(run):
    settings = run().settings
    settings["tcp"]["receive_window"] = None
    alone = {**settings, "radio": {**settings["radio"], "system": "nr"}}
    assert expected_bytes(settings) > expected_bytes(alone)
    assert _tti_s(settings["radio"]) == 0.0005


def test_links_name_waypoints_of_both_channels_by_their_whole_path(tmp_path):
    route = {"model": "route", "route": {"enbs": {"gnb": [0, 0]}, "tracks": {"ue1": "road.csv"}}}
    radio = {"ues": {}, "channel": copy.deepcopy(route), "en_dc": {"channel": copy.deepcopy(route)}}
    links.name_files(radio, tmp_path)
    assert [channel["route"]["tracks"]["ue1"] for channel in links.channels_of(radio)] == [f"{tmp_path}/road.csv"] * 2


def test_a_link_has_one_cqi_for_both():
    data, _ = links.build(["en-dc", "cqi", "7"], ["true"])
    assert {data["radio"]["ues"]["ue1"][key] for key in ("cqi_dl", "cqi_ul", "second_cqi_dl", "second_cqi_ul")} == {7}


def test_the_example_is_valid():
    assert len(expand(ROOT / "scenarios/en-dc/road.yaml")[1]) == 6
