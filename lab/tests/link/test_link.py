# SPDX-License-Identifier: GPL-2.0-or-later
"""Links: what words of a command line make of a preset."""

import pytest
import yaml
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.link import links
from cellbed.link.radio import described
from cellbed.scenario import transport_blocks
from cellbed.scenario.description import expand
from cellbed_formats import bounded_yaml


def settings(tmp_path, *words, **options):
    data, _ = links.build(list(words), ["true"], **options)
    path = tmp_path / "link.yaml"
    path.write_text(links.to_yaml(data, "a link"))
    return expand(path)[1][0].settings


@pytest.mark.parametrize("name", links.presets())
def test_presets_take_a_command(tmp_path, name):
    made = settings(tmp_path, name, serve=["iperf3", "-s"])
    server, command = made["traffic"]
    assert command["node"] == "ue1" and command["argv"] == ["true"] and not command["background"]
    assert server["node"] != "ue1" and server["background"]
    assert made["validity"]["queue_drops_allowed"]


def test_words_of_the_utran(tmp_path):
    words = "umts-384 rate 128kbit up 32kbit bler 0.1 queue 30"
    utran = settings(tmp_path, *words.split())["radio"]["utran"]
    assert (utran["dl_rate"], utran["ul_rate"], utran["bler_dl"], utran["queue_pkts"]) == (134_400, 33_600, 0.1, 30)


def test_words_of_nr(tmp_path):
    words = "nr-midband cqi 7 bler 0.2 queue 50 mode um cc bbr delay 5ms"
    made = settings(tmp_path, *words.split())
    radio = made["radio"]
    assert radio["ues"]["ue1"]["cqi_dl"] == radio["ues"]["ue1"]["cqi_ul"] == 7
    assert radio["harq"]["bler"][:2] == [0.2, 0.04] and radio["harq"]["max_attempts"] == 5
    assert (radio["rlc"]["mode"], radio["rlc"]["queue_pkts"], radio["nr"]["tdd_pattern"]) == ("um", 50, "DDDSU")
    assert made["links"][0]["delay_ms"] == 5 and made["tcp"]["congestion_control"] == "bbr"


def test_without_a_preset_the_cell_is_good(tmp_path):
    assert settings(tmp_path) == settings(tmp_path, "good")


@pytest.mark.parametrize(("words", "key", "value"), [
    ("cqi 7", "cqi_dl", 7), ("cqi 7", "cqi_ul", 7), ("loss 1%", "bler_ul", 0.01), ("loss 0.02", "bler_dl", 0.02),
])
def test_words_of_the_ue(tmp_path, words, key, value):
    assert settings(tmp_path, *words.split())["radio"]["ues"]["ue1"][key] == value


def test_words_of_the_cell(tmp_path):
    words = "edge rtt 80ms bler 0.2 queue 50 mode um cc bbr rb 25"
    made = settings(tmp_path, *words.split())
    radio = made["radio"]
    assert radio["harq"]["bler"] == [0.2, 0.04, 0.008, 0.0016, 0.00032]
    assert radio["rlc"]["queue_pkts"] == 50 and radio["rlc"]["mode"] == "um" and radio["n_rb"] == 25
    assert made["links"][0]["delay_ms"] == 30  # the radio takes 20 ms
    assert made["tcp"]["congestion_control"] == "bbr"


@pytest.mark.parametrize(("words", "down_bps", "up_bps"), [
    ("rate 20mbit", 20e6, 20e6), ("rate 384kbit", 384e3, 384e3), ("rate 20mbit up 5mbit", 20e6, 5e6),
    ("edge rate 2Mbit up 500kbit", 2e6, 5e5),
])
def test_rate(tmp_path, words, down_bps, up_bps):
    radio = settings(tmp_path, *words.split())["radio"]
    ue = radio["ues"]["ue1"]
    assert transport_blocks.rate_bps("dl", radio["n_rb"], ue["cqi_dl"]) == pytest.approx(down_bps, rel=0.05)
    assert transport_blocks.rate_bps("ul", radio["n_rb"], ue["cqi_ul"]) == pytest.approx(up_bps, rel=0.05)
    assert radio["channel"] is None


def test_direct_links_have_the_words_too(tmp_path):
    radio = settings(tmp_path, "d2d", "rate", "10mbit", "loss", "0.1")["radio"]
    assert {ue["bler_sl"] for ue in radio["ues"].values()} == {0.1}
    cqi = radio["ues"]["ue2"]["cqi_sl"]
    assert transport_blocks.rate_bps("ul", radio["n_rb"], cqi) == pytest.approx(10e6, rel=0.05)


@pytest.mark.parametrize("words, limit_s", [(["edge"], 600), (["edge", "cqi", "5"], None)])
def test_the_time_of_a_channel_ends_where_it_is_rendered_before(words, limit_s):
    data, _ = links.build(words, ["true"])
    assert data["traffic"][0]["limit_s"] is None
    links.put_limit(data)
    assert data["traffic"][0]["limit_s"] == limit_s


def test_set_comes_last(tmp_path):
    made = settings(tmp_path, "cqi", "7", overrides=["radio.ues.ue1.cqi_ul=3", "traffic.0.limit_s=5"])
    assert made["radio"]["ues"]["ue1"]["cqi_ul"] == 3 and made["traffic"][0]["limit_s"] == 5


def test_words_of_a_constant_rate(tmp_path):
    words = "leo rate 50mbit up 5mbit loss 0.02 queue 40 delay 7ms"
    made = settings(tmp_path, *words.split())
    own = made["radio"]["constant_rate"]
    assert (own["dl_rate"], own["ul_rate"], own["loss_dl"], own["loss_ul"], own["queue_pkts"]) == \
        (50_000_000, 5_000_000, 0.02, 0.02, 40)
    assert made["links"][0]["delay_ms"] == 7 and own["satellite"]["orbit"] == "leo"


def test_any_scenario_is_a_link(tmp_path):
    made = settings(tmp_path, str(ROOT / "scenarios/d2d-nardini/static.yaml"), "queue", "7")
    assert [flow["kind"] for flow in made["traffic"]] == ["command"]
    assert made["tcp"]["profile"] == "paper" and made["radio"]["rlc"]["queue_pkts"] == 7


def test_a_link_to_this_machine():
    data, _ = links.build(["good"], ["true"], machine=True)
    assert data["nodes"]["server"]["machine"] and links.has_machine(data)
    assert yaml.safe_load(links.to_yaml(data, "words")) == data


@pytest.mark.parametrize(("words", "message"), [
    ("curl http://x",
     "link: 'curl': allowed first one of d2d, edge, en-dc, fr2-drive, fr2-walk, good, indoor, leo, lte-drive, "
     "lte-static, lte-train, lte-walk, nr-l4s, nr-midband, nr-mmwave, nr-nsa-drive, nr-sa-drive, nr-static, nr-walk, "
     "train, umts-384 or a scenario file"),
    ("goood", "link: 'goood': did you mean 'good'?"),
    ("good rat 3mbit", "link: 'rat': did you mean 'rate'?; a command comes after --"),
    ("umts-384 rate 10kbit", "link: rate 10kbit: a TTI carries whole PDUs; allowed multiples of 32kbit"),
    ("umts-384 cqi 7", "link: cqi: allowed only in links over LTE, NR and EN-DC, not over the UTRAN"),
    ("en-dc rate 20mbit", "link: rate: allowed only in links over LTE, the UTRAN and constant rates, not over EN-DC"),
    ("nr-midband rate 20mbit", "link: rate: allowed only in links over LTE, the UTRAN and constant rates, not over NR"),
    ("leo cqi 7", "link: cqi: allowed only in links over LTE, NR and EN-DC, not over constant rates"),
    ("leo rate 20mbit rtt 80ms", "link: rtt: allowed only in links over LTE, not over constant rates"),
    ("nr-mmwave rb 100", "link: rb: allowed only in links over LTE and EN-DC, not over NR"),
    ("rate", "link: rate: expected a value, such as `rate 20mbit`"),
    ("rate 20", "link: rate 20: allowed a rate in kbit, mbit or gbit"),
    ("rate 0mbit", "link: rate 0mbit: allowed 1kbit..100000mbit"),
    ("good rate 0.0kbit", "link: rate 0.0kbit: allowed 1kbit.."),
    ("rate 20mbit up 0mbit", "link: up 0mbit: allowed 1kbit.."),
    ("edge rate 999999gbit", "link: rate 999999gbit: allowed 1kbit..100000mbit"),
    ("umts-384 rate 0mbit", "link: rate 0mbit: allowed 1kbit..10mbit"),
    ("umts-384 rate 1gbit", "allowed 1kbit..10mbit"),
    (f"rate {'9' * 5000}mbit", "allowed a rate in kbit"), ("rate -1mbit", "allowed a rate in kbit"),
    ("rate infmbit", "allowed a rate in kbit"), ("rate nanmbit", "allowed a rate in kbit"),
    (f"rtt {'9' * 400}s", "allowed 0..10000ms"), ("delay 11s", "link: delay 11s: allowed 0..10000ms"),
    ("bler nan", "link: bler nan: allowed 0..1"), ("cqi inf", "link: cqi inf: allowed whole"),
    ("queue 1e400", "link: queue 1e400: allowed whole"),
    ("rate 2gbit", "the nearest that one carrier has is rate 75.376mbit"),
    ("rate 1mbit rate 2mbit", "link: rate is given twice; give it once"),
    ("up 1mbit", "link: up without rate; give both"),
    ("rate 1mbit rb 6", "link: rb: rate already chooses"),
    ("rtt 5ms", "link: rtt 5ms: allowed 20ms or more, which the radio takes by itself"),
    ("rtt 50", "link: rtt 50: allowed a time in us, ms or s"),
    ("rtt 50ms delay 3ms", "link: rtt and delay exclude each other"),
    ("d2d delay 3ms", "link: delay: allowed in links with a server"),
    ("bler 2", "link: bler 2: allowed 0..1"),
    ("cqi 7.5", "link: cqi 7.5: allowed whole numbers 1..15"),
    ("mode tm", "link: mode tm: allowed um, am"),
    ("none.yaml", "none.yaml: No such file or directory"),
])
def test_wrong_words(words, message):
    with pytest.raises(ScenarioError) as error:
        links.build(words.split(), ["true"])
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", links.presets())
@pytest.mark.parametrize("words", ["rate 0mbit", "rate 0.0kbit", "rate 1mbit up 0mbit", "rate 1e999mbit"])
def test_no_preset_divides_by_a_rate_of_zero(name, words):
    with pytest.raises(ScenarioError, match="^link: (rate|up)"):
        links.build([name, *words.split()], ["true"])
    with pytest.raises(ScenarioError, match="^link: (rate|up)"):  # of Mininet's radio=
        described(f"{name} {words}")


def test_a_word_of_a_command_stays_one():
    argv = ["echo", "1e3", "0o17", "1:30", "yes"]
    data, _ = links.build(["good"], argv)
    assert bounded_yaml.parse(links.to_yaml(data, "words"), "link")["traffic"][0]["argv"] == argv


def test_a_recorded_link_has_its_files_wherever_it_is_run():
    data, _ = links.build([str(ROOT / "scenarios/packet-trace/cellreplay.yaml")], ["true"])
    trace = data["radio"]["packet_trace"]
    assert {trace[key] for key in ("uplink", "downlink_trains", "uplink_sizes")} == {
        str(ROOT / "scenarios/packet-trace" / name) for name in ("up.mahimahi", "down.trains", "up.sizes")}
