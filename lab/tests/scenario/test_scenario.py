# SPDX-License-Identifier: GPL-2.0-or-later
"""Wrong scenarios: one line with file, key, value and what is allowed."""

import pytest
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.scenario.description import expand, identity, load_claims
from cellbed.scenario.dotted import set_key


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").rglob("*.yaml")), ids=lambda p: p.stem)
def test_every_scenario_of_the_project_is_valid(path):
    if path.stem.endswith("claims"):
        pytest.skip("claims are no scenario; the analysis tests read them")
    scenario, runs = expand(path)
    assert runs
    load_claims(scenario, path)


@pytest.mark.parametrize(("key", "value", "message"), [
    ("radio.ues.ue1.cqi_ul", 16, "key 'radio.ues.ue1.cqi_ul': value 16: allowed 1..15"),
    ("radio.ues.ue1.cqi_u", 3, "key 'radio.ues.ue1.cqi_u': unknown; did you mean 'cqi_ul'?"),
    ("evaluate", {"from_s": 3, "to_s": 2}, "key 'evaluate.to_s': value 2: allowed more than from_s, 3"),
    ("evaluate.from_s", 1e5, "key 'evaluate.from_s': value 100000: allowed less than "),
    ("evaluate.to_s", 0, "key 'evaluate.to_s': value 0: allowed more than 0, when traffic.0 starts"),
    ("evaluate.from_s", "start", "key 'evaluate.from_s': value start: allowed numbers"),
    ("radio.n_rb", 5, "key 'radio.n_rb': value 5: allowed 6..110"),
    ("radio.ues.ue1.mode", "relay", "key 'radio.ues.ue1.mode': value relay: allowed im, dm"),
    ("radio.ues.ue1.peer", "ue1", "key 'radio.ues.ue1.peer': value 'ue1': allowed ue2"),
    ("tcp.receive_window", "8 parsecs", "key 'tcp.receive_window': value 8 parsecs: allowed a number of bytes"),
    ("tcp.receive_window", 10, "key 'tcp.receive_window': value 10: allowed 1024..1073741824"),
    ("tcp.segmentation_offload", False, "key 'tcp.segmentation_offload': value false: allowed true"),
    ("tcp.segmentation_offload", True,
     "key 'tcp.segmentation_offload': value true: with tcp.profile: paper hosts send packet by packet"),
    ("tcp", {"segmentation_offload": True},
     "key 'tcp.segmentation_offload': value true: captures of interfaces would have what hosts hand over at once in "
     "place of packets; set capture.ip: false"),
    ("tcp.congestion_control", "bbr 3", "key 'tcp.congestion_control': value bbr 3: allowed text that matches"),
    ("traffic.0.to", "ue9", "key 'traffic.0.to': value 'ue9': allowed ue2"),
    ("traffic.0.duration_s", -1, "key 'traffic.0.duration_s': value -1: allowed more than 0, at most 86400"),
    ("nodes.ue1.address", "10.45.0.999/24", "key 'nodes.ue1.address': value 10.45.0.999/24: allowed"),
    ("nodes.ue3", {"address": "10.45.0.3/24"}, "key 'nodes.ue3': value 'ue3': allowed ue1, ue2"),
    ("traffic.0.duration_s", 2.5,
     "key 'traffic.0.duration_s': value 2.5: iperf3 cuts fractions off; allowed whole seconds, or"),
    ("traffic.0.bytes", "1MB",
     "key 'traffic.0': a transfer has one bound; give exactly one of 'duration_s' and 'bytes'"),
    ("traffic.0.duration_s", None,
     "key 'traffic.0': a transfer has one bound; give exactly one of 'duration_s' and 'bytes'"),
    ("nodes.ue1.address", None, "key 'nodes.ue1.address': missing"),
    ("nodes.ue1.address", "2001:db8::1/129", "value 2001:db8::1/129: allowed an address of IPv4 or IPv6"),
    ("nodes.ue1.address", "fe80::1/64", "value fe80::1/64: allowed addresses of one host that are routed"),
    ("nodes.ue1.address", ["10.45.0.1/24", "10.45.0.3/24"], "a list has one address of IPv4 and one of IPv6"),
    ("nodes.ue1.address", [], "a list has one address of IPv4 and one of IPv6"),
    ("nodes.ue1.address", "2001:db8::1/64",
     "key 'traffic.0.family': value null: ue1 has 2001:db8::1/64, ue2 has 10.45.0.2/24; allowed a family of which"),
    ("traffic.0.family", "ipv6", "and they have none of IPv6"),
    ("traffic.0.family", "ipv5", "key 'traffic.0.family': value ipv5: allowed ipv4, ipv6"),
    ("nodes.ue1.address", "10.45.0.2/24", "value 10.45.0.2/24: ue1 has this address; choose another one"),
    ("radio.rlc_um.queue_pkts", 9, "key 'radio.rlc_um.queue_pkts': unknown; allowed sn_bits"),
    ("radio.rlc.mode", "xm", "key 'radio.rlc.mode': value xm: allowed um, am, tm"),
    ("radio.rlc.delivery", "late", "value late: allowed in_sequence, out_of_sequence"),
    ("radio.rlc_am.poll_byte", "100MB", "value 100000000: allowed 1..10000000"),
    ("radio.rlc_am.on_max_retx", "cry", "value cry: allowed reestablish, stop"),
    ("radio.harq.max_attempts", 9, "key 'radio.harq.max_attempts': value 9: allowed 1..8"),
    ("radio.harq.dl_rtt_tti", 7, "key 'radio.harq.dl_rtt_tti': value 7: allowed 8..32"),
    ("radio.harq.bler", [0.1, 0.2],
     "key 'radio.harq.bler': value [0.1, 0.2]: an attempt makes the error rate worse; allowed"),
    ("radio.harq.bler", [], "key 'radio.harq.bler': value []: "),
    ("radio.harq.bler", [0.1, 2], "key 'radio.harq.bler.1': value 2: allowed at most 1"),
    ("radio.dl_carriers", 6, "key 'radio.dl_carriers': value 6: allowed 1..5"),
    ("radio", {"n_rb": 12, "control": {"cfi": 1}, "ues": {"ue1": {"peer": "ue2"}, "ue2": {"peer": "ue1"}}},
     "key 'radio.control.cfi': value 1: with 12 resource blocks its control region has one CCE"),
    ("radio.ul_carriers", 6, "key 'radio.ul_carriers': value 6: allowed 1..5"),
    ("radio.ul_carriers", 2, "key 'radio.ul_carriers': value 2: allowed 1..1, as many as radio.dl_carriers"),
    ("radio", {"ul_carriers": 2, "dl_carriers": 2, "mac": {"ul_always_scheduled": True},
               "ues": {"ue1": {"peer": "ue2"}, "ue2": {"peer": "ue1"}}},
     "key 'radio.ul_carriers': value 2: with radio.mac.ul_always_scheduled"),
    ("radio.dl_codewords", 0, "key 'radio.dl_codewords': value 0: allowed 1..2"),
    ("radio.pdcp.t_reordering_ms", 3001, "value 3001: allowed 0..3000"),
    ("radio.ues.ue1.bearers", [{"rlc": {"mode": "xm"}}], "bearers.0.rlc.mode': value xm: allowed um, am, tm"),
    ("radio.ues.ue1.bearers", [{"filters": [{}]}],
     "bearers.0.filters.0': the filter has no key; give it one, or remove the filter: a bearer"),
    ("radio.ues.ue1.bearers", [{"filters": [{"dscp": 64}]}], "value 64: allowed 0..63"),
    *(("radio.ues.ue1.bearers", [{"filters": [{"remote_address": wrong}]}],
       f"key 'radio.ues.ue1.bearers.0.filters.0.remote_address': value {wrong}: allowed an address or a prefix of IPv4 "
       "or IPv6, with zeros behind its length, such as 10.46.0.1 or 2001:db8:46::/64")
      for wrong in ("10.46.0.1/24", "2001:db8::/129", "server", "fe80::1%eth0", "")),
    ("radio.ues.ue1.bearers", [{"priority": 0}], "value 0: allowed 1..16"),
    ("radio.ues.ue1.bearers", [{}, {}],
     "key 'radio.ues.ue1.bearers.1.filters': missing; only the default bearer has no filters, and"),
    ("radio.ues.ue1.bearers", [{"filters": [{"protocol": "udp"}]}],
     "key 'radio.ues.ue1.bearers': 2 bearers with rlc.mode um with sn_bits 10: allowed 1 if the"),
    ("radio.ues.ue1.bearers", [{"rlc": {"mode": "am"}}],
     "key 'radio.ues.ue2.bearers': RLC modes um: ue1 has others, and an AM bearer joins two UEs"),
    ("format", 2, "key 'format': value 2: allowed 1"),
    ("tpc", {}, "key 'tpc': unknown; did you mean 'tcp'?"),
])
def test_wrong_values(minimal, write, key, value, message):
    set_key(minimal, key, value, "test")
    path = write(minimal)
    with pytest.raises(ScenarioError) as error:
        expand(path)
    assert str(error.value).startswith(f"{path}")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("key", "value", "message"), [
    ("links.0.rate", "1 gig", "key 'links.0.rate': value 1 gig: allowed a rate in kbit, Mbit or Gbit"),
    ("links.0.rate", "0kbit", "key 'links.0.rate': value 0: allowed 1000..100000000000"),
    ("links.0.rat", "1Mbit", "key 'links.0.rat': unknown; did you mean 'rate'?"),
    ("links.0.delay_ms", -1, "key 'links.0.delay_ms': value -1: allowed 0..10000"),
    ("links.0.loss", 2, "key 'links.0.loss': value 2: allowed 0..1"),
    ("links.0.a", "ue1", "key 'links.0.a': value 'ue1': allowed server, enb"),
    ("links.0.b", "server", "key 'links.0.b': value 'server': allowed enb"),
    ("links.0.a", "enb", "key 'links.0.b': value 'enb': allowed server"),
    ("links", [], "key 'links': missing; add a link of the eNB"),
    ("links", [{"a": "enb", "b": "server", "rate": "1Mbit"}] * 2, "key 'links.1': a second link of server"),
    ("nodes.s2", {"kind": "server", "address": "10.2.0.1/24"}, "key 'links': no link of s2; add one"),
    ("nodes.enb2", {"kind": "enb"},
     "key 'nodes.enb2.kind': value 'enb': a scenario without an sgw has one eNB; add an sgw and"),
    ("nodes.enb.address", "10.1.0.9/24",
     "key 'nodes.enb.address': value 10.1.0.9/24: the addresses of the eNB follow from its links;"),
    ("nodes.server.address", "10.1.0.254/24",
     "key 'nodes.server.address': value 10.1.0.254/24: the eNB's end has the last address of the"),
    ("nodes.server.address", "10.1.0.1/32",
     "key 'nodes.server.address': value 10.1.0.1/32: the subnet has no address for the eNB's end;"),
    ("nodes.server.address", "10.45.0.9/16",
     "key 'nodes.server.address': value 10.45.0.9/16: its subnet overlaps that of ue1; choose"),
    ("radio.ues.ue1.peer", "server", "key 'radio.ues.ue1.peer': value 'server': allowed enb"),
    ("radio.ues.ue1.mode", "dm", "key 'radio.ues.ue1.mode': value dm: the peer is the eNB; allowed im"),
    ("radio.ues.server", {"peer": "enb"}, "key 'radio.ues.server': value 'server': allowed ue1"),
    ("traffic.0.to", "enb", "key 'traffic.0.to': value 'enb': allowed ue1"),
    ("traffic.0.bytes", "12 parsecs", "key 'traffic.0.bytes': value 12 parsecs: allowed a number of bytes"),
    ("traffic.0.limit_s", 0, "key 'traffic.0.limit_s': value 0: allowed more than 0, at most 86400"),
])
def test_wrong_values_with_links(wired, write, key, value, message):
    set_key(wired, key, value, "test")
    path = write(wired)
    with pytest.raises(ScenarioError) as error:
        expand(path)
    assert str(error.value).startswith(f"{path}")
    assert message in str(error.value)


COMMAND = {"id": "fetch", "kind": "command", "node": "ue1", "argv": ["true"]}


@pytest.mark.parametrize(("change", "message"), [
    ({"kind": "iperf"}, "key 'traffic.0': unknown kind; allowed iperf3, stream, command"),
    ({"node": "ue9"}, "key 'traffic.0.node': value 'ue9': allowed server, enb, ue1"),
    ({"argv": []}, "key 'traffic.0.argv': value []: allowed"),
    ({"argv": "true"}, "key 'traffic.0.argv': value true: allowed"),
    ({"to": "ue1"}, "key 'traffic.0.to': unknown"),
    ({"environmnt": {}}, "key 'traffic.0.environmnt': unknown; did you mean 'environment'?"),
    ({"environment": {"A-B": "c"}}, "key 'traffic.0.environment.A-B.[key]': value A-B: allowed"),
    ({"limit_s": 0}, "key 'traffic.0.limit_s': value 0: allowed more than 0, at most 86400"),
    ({"background": True}, "key 'traffic': everything is in the background, and nothing would end the run; add a"),
    ({"background": True, "start_s": 1},
     "key 'traffic.0.start_s': value 1: a command in the background starts before all others;"),
])
def test_wrong_commands(wired, write, change, message):
    wired["traffic"] = [{**COMMAND, **change}]
    with pytest.raises(ScenarioError) as error:
        expand(write(wired))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("key", "value", "message"), [
    ("radio.utran.dl_rate", "33kbit",
     "key 'radio.utran.dl_rate': value 33000: a TTI of 10 ms does not carry 1 to 64 whole PDUs of"),
    ("radio.utran.ul_rate", "2.08Mbit",
     "key 'radio.utran.ul_rate': value 2080000: a TTI of 10 ms does not carry 1 to 64 whole PDUs"),
    ("radio.utran.pdu_bytes", 42,
     "value 384000: a TTI of 10 ms does not carry 1 to 64 whole PDUs of 42 bytes; allowed"),
    ("radio.utran.max_dat", 41, "key 'radio.utran.max_dat': value 41: allowed 1..40"),
    ("radio.utran.tti_ms", 2, "key 'radio.utran.tti_ms': value 2: allowed 10, 20, 40, 80"),
    ("radio.utran.maxdat", 4, "key 'radio.utran.maxdat': unknown; did you mean 'max_dat'?"),
    ("radio.utran", None, "key 'radio.utran': missing; radio.system utran needs it"),
    ("radio.system", "lte", "key 'radio.utran': radio.system is lte; remove the key, or set radio.system: utran"),
    ("radio.system", "gsm", "key 'radio.system': value gsm: allowed lte, utran, packet_trace, constant_rate, nr"),
    ("radio.n_rb", 50, "key 'radio.n_rb': radio.system utran does not have it; remove it, or set radio.system: lte"),
    ("radio.rlc.mode", "am",
     "key 'radio.rlc': radio.system utran does not have it; remove it, or set radio.system: lte"),
    ("radio.ues.ue1.bler_dl", 0.1,
     "key 'radio.ues.ue1.bler_dl': radio.system utran does not have it; remove it, or set"),
    ("radio.ues.ue2", {"peer": "ue1"},
     "key 'radio.ues.ue2.peer': value ue1: UEs of radio.system utran have no direct links"),
])
def test_wrong_values_of_a_dedicated_channel(wired, write, key, value, message):
    wired["radio"] |= {"system": "utran", "utran": {}}
    if key == "radio.ues.ue2":
        wired["nodes"]["ue2"] = {"address": "10.45.0.2/24"}
    set_key(wired, key, value, "test")
    with pytest.raises(ScenarioError) as error:
        expand(write(wired))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_command_may_have_no_limit(wired, write):
    wired["traffic"] = [{**COMMAND, "limit_s": None}]
    assert expand(write(wired))[1][0].settings["traffic"][0]["limit_s"] is None


def test_a_dedicated_channel_needs_the_network(minimal, write):
    minimal["radio"] = {"system": "utran", "utran": {}, "ues": {"ue1": {"peer": "ue2"}, "ue2": {"peer": "ue1"}}}
    with pytest.raises(ScenarioError,
                       match="key 'radio.ues.ue1.peer': value ue2: UEs of radio.system utran have no direct links"):
        expand(write(minimal))


def test_a_server_and_a_ue_without_enb(wired, write):
    del wired["nodes"]["enb"]
    with pytest.raises(ScenarioError,
                       match="key 'links.0.b': value 'enb': the scenario has no node that fits; add one to nodes"):
        expand(write(wired))


def test_a_ue_of_the_network_uses_mode_im(wired, write):
    settings = expand(write(wired))[1][0].settings
    assert settings["radio"]["ues"]["ue1"]["mode"] == "im"
    assert settings["links"] == [{"a": "server", "b": "enb", "rate": 10**9, "delay_ms": 1.5, "queue_pkts": 1000,
                                  "loss": 0.0, "aqm": "none", "red_min_pkts": 20, "red_max_pkts": 65,
                                  "red_probability": 0.1, "qdisc": "pfifo", "netem": ""}]
    assert settings["traffic"][0]["bytes"] == 122_240_000
    assert settings["traffic"][0]["duration_s"] is None


def test_direct_ues_and_the_network_have_no_way_to_each_other(wired, write):
    wired["nodes"] |= {"ue2": {"address": "10.45.0.2/24"}, "ue3": {"address": "10.45.0.3/24"}}
    wired["radio"]["ues"] |= {"ue2": {"peer": "ue3"}, "ue3": {"peer": "ue2"}}
    assert expand(write(wired))
    wired["traffic"][0]["to"] = "ue2"
    with pytest.raises(ScenarioError, match=r"key 'traffic.0.to': value 'ue2': allowed ue1"):
        expand(write(wired))


def test_harq_leaves_time_for_a_synchronous_retransmission(minimal, write):
    minimal["radio"] |= {"harq": {"max_attempts": 5}, "timing": {"decode_tti": 6, "grant_to_tx_tti": 3}}
    with pytest.raises(ScenarioError,
                       match="key 'radio.timing.decode_tti': value 6: with grant_to_tx_tti, 3, it takes longer than a"):
        expand(write(minimal))


def test_keys_win_over_a_preset_of_times(minimal, write):
    def times(**timing):
        minimal["radio"]["timing"] = timing
        radio = expand(write(minimal))[1][0].settings["radio"]["timing"]
        return radio["rar_to_msg3_tti"], radio["grant_to_tx_tti"]

    assert times() == times(preset="nardini") == (2, 2)
    assert times(preset="fdd_36213") == (6, 4)
    assert times(preset="fdd_36213", grant_to_tx_tti=3) == (6, 3)
    assert times(rar_to_msg3_tti=8, preset="fdd_36213") == (8, 4)
    assert times(grant_to_tx_tti=4) == (4, 4)  # message 3 not before data
    with pytest.raises(ScenarioError,
                       match="radio.timing.rar_to_msg3_tti': value 3: message 3 cannot leave before data could"):
        times(preset="fdd_36213", rar_to_msg3_tti=3)


def test_an_am_bearer_joins_two_ues(minimal, write):
    minimal["nodes"]["ue3"] = {"address": "10.45.0.3/24"}
    minimal["radio"] |= {"rlc": {"mode": "am"}, "ues": {"ue1": {"peer": "ue2"}, "ue2": {"peer": "ue3"},
                                                        "ue3": {"peer": "ue2"}}}
    with pytest.raises(ScenarioError,
                       match="key 'radio.ues.ue2.peer': value ue3: an AM bearer joins two UEs in both directions"):
        expand(write(minimal))


@pytest.mark.parametrize(("change", "message"), [
    ({"port": 5202}, "key 'traffic.1.id': value 'file': another flow has this id; choose another one"),
    ({"id": "b"}, "key 'traffic.1.port': value 5201: flow file, also from ue1, has it; choose another port"),
])
def test_flows_of_a_node_have_ports_of_their_own(minimal, write, change, message):
    minimal["traffic"].append({**minimal["traffic"][0], **change})
    with pytest.raises(ScenarioError) as error:
        expand(write(minimal))
    assert message in str(error.value)


def test_prague_of_a_flow_needs_accurate_ecn_at_the_other_end(minimal, write):
    minimal["traffic"][0]["congestion_control"] = "prague"
    with pytest.raises(ScenarioError, match="key 'traffic.0.congestion_control': value prague: the other end has no "
                                            "Accurate ECN, without which it is Reno; add tcp.sysctls: "):
        expand(write(minimal))
    for tcp in ({"sysctls": {"net.ipv4.tcp_ecn": 3}}, {"sysctls": {"net.ipv4.tcp_ecn": "5"}},
                {"congestion_control": "prague"}):
        minimal["tcp"] = tcp
        expand(write(minimal))
    minimal["tcp"] = {"sysctls": {"net.ipv4.tcp_ecn": 1}}
    with pytest.raises(ScenarioError, match="value prague"):
        expand(write(minimal))


def test_flows_in_both_directions_may_have_one_port(minimal, write):
    minimal["traffic"].append({**minimal["traffic"][0], "id": "back", "from": "ue2", "to": "ue1"})
    assert expand(write(minimal))


def test_missing_key(minimal, write):
    del minimal["radio"]
    with pytest.raises(ScenarioError, match="key 'radio': missing"):
        expand(write(minimal))


@pytest.mark.parametrize(("text", "message"), [
    ("format: 1\nformat: 1\n", "key 'format': given twice"),
    ("format: [", "not YAML"),
    ("- a\n", "expected a mapping"),
    ("", "expected a mapping"),
])
def test_wrong_files(write, text, message):
    with pytest.raises(ScenarioError, match=message):
        expand(write(text))


def test_missing_file(tmp_path):
    with pytest.raises(ScenarioError, match="No such file"):
        expand(tmp_path / "none.yaml")


def test_sweep_is_variants_times_grid_times_seeds(minimal, write):
    minimal["seeds"] = [1, 2]
    minimal["sweep"] = {"variants": {"A": {"radio.ues.ue1.mode": "im"}, "B": {"radio.ues.ue1.mode": "dm"}},
                        "grid": {"tcp.receive_window": ["8KiB", "16KiB", "32KiB"]}}
    _, runs = expand(write(minimal))
    assert len(runs) == 2 * 3 * 2
    assert {run.params["tcp.receive_window"] for run in runs} == {8192, 16384, 32768}
    assert {run.params["radio.ues.ue1.mode"] for run in runs if run.variant.startswith("A")} == {"im"}


def test_wrong_value_in_a_sweep_names_the_variant(minimal, write):
    minimal["sweep"] = {"variants": {"bad": {"radio.n_rb": 500}}}
    with pytest.raises(ScenarioError, match=r"\(variant bad\): key 'radio.n_rb': value 500"):
        expand(write(minimal))


def test_override_wins_over_file_and_sweep(minimal, write):
    minimal["sweep"] = {"variants": {"A": {"radio.n_rb": 25}}}
    _, runs = expand(write(minimal), ["radio.n_rb=100"])
    assert runs[0].settings["radio"]["n_rb"] == 100


@pytest.mark.parametrize(("text", "message"), [
    ("radio.n_rb", "expected key=value"), ("radio.n_rb=[", "not YAML"), ("traffic.7.duration_s=1", "allowed 0..0"),
    ("id.x=1", "no keys below it"), ("radio.nrb=1", "unknown"),
])
def test_wrong_overrides(minimal, write, text, message):
    with pytest.raises(ScenarioError, match=message):
        expand(write(minimal), [text])


def test_unknown_variant_names_the_known_ones(minimal, write):
    minimal["sweep"] = {"variants": {"A": {}, "B": {}}}
    with pytest.raises(ScenarioError, match="no variant is called C; allowed A, B"):
        expand(write(minimal), variants=["C"])
    with pytest.raises(ScenarioError, match="no variant is called C, D; allowed A, B"):
        expand(write(minimal), variants=["C", "A", "D"])


def test_identity_follows_what_decides_the_result(minimal, write):
    def of(data, lab="virtual", seeds=None):
        _, runs = expand(write(data), seeds=seeds)
        return identity(runs[0].describe(lab, {"celld": "x"}))

    base = of(minimal)
    assert of({**minimal, "title": "another title"}) == base
    assert of(minimal, lab="native") != base
    assert of(minimal, seeds=[2]) != base
    assert of({**minimal, "tcp": {**minimal["tcp"], "receive_window": 8192}}) == base  # the same size in other words
    assert of({**minimal, "tcp": {**minimal["tcp"], "receive_window": "9KiB"}}) != base


def test_the_seed_draws_the_starts_of_transfers(minimal, write):
    minimal["traffic"] = [{**minimal["traffic"][0], "start_s": 1},
                          {**minimal["traffic"][0], "id": "back", "from": "ue2", "to": "ue1", "start_jitter_s": 2}]

    def starts(data):
        return [[flow["start_s"] for flow in run.settings["traffic"]] for run in expand(write(data), seeds=[1, 2])[1]]

    one, two = starts(minimal)
    assert one[0] == two[0] == 1  # no jitter, no draw
    assert one[1] != two[1]
    assert all(0 <= start <= 2 and start == round(start, 3) for start in (one[1], two[1]))
    del minimal["traffic"][0]
    assert starts(minimal) == [one[1:], two[1:]]  # each transfer has draws of its own
