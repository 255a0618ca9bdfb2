# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue disciplines of bearers: words, what the radio daemon gets of them, and what is refused."""

import json
import subprocess

import pytest
import yaml
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.run import qdisc, radio_config
from cellbed.scenario.description import expand, identity

LTE, NR = ROOT / "scenarios/links/good.yaml", ROOT / "scenarios/links/nr-l4s.yaml"


@pytest.fixture
def settings(tmp_path):
    """A run's settings of a link in LTE or NR with other keys of its radio."""
    def of(system="lte", rlc=None, bearers=(), **radio):
        data = yaml.safe_load((LTE if system == "lte" else NR).read_text())
        data["radio"].setdefault("rlc", {}).update(rlc or {})
        data["radio"].get("nr", {}).pop("aqm", None)
        for key, value in radio.items():
            data["radio"].setdefault(key, {}).update(value)
        if bearers:
            next(iter(data["radio"]["ues"].values()))["bearers"] = list(bearers)
        path = tmp_path / "s.yaml"
        path.write_text(yaml.safe_dump(data))
        return expand(path)[1][0]

    return of


@pytest.mark.parametrize(("words", "parameters"), [
    ("pfifo", {"kind": "pfifo"}),
    ("pfifo limit 50", {"kind": "pfifo", "limit": 50}),
    ("codel", {"kind": "codel"}),
    ("codel limit 900 target 4ms interval 30ms ecn",
     {"kind": "codel", "limit": 900, "target_us": 4000, "interval_us": 30000, "ecn": True}),
    ("fq_codel", {"kind": "fq_codel", "ecn": True}),
    ("fq_codel flows 64 quantum 300 noecn", {"kind": "fq_codel", "flows": 64, "quantum": 300, "ecn": False}),
    ("pie", {"kind": "pie", "target_us": 15000, "tupdate_us": 15000}),
    ("pie target 20ms tupdate 30ms alpha 4 beta 32",
     {"kind": "pie", "target_us": 20000, "tupdate_us": 30000, "alpha": 4, "beta": 32}),
    ("dualpi2", {"kind": "dualpi2", "target_us": 15000, "tupdate_us": 16000}),
    ("dualpi2 max_rtt 50ms step_thresh 800us coupling_factor 3 any_ect",
     {"kind": "dualpi2", "target_us": 15000, "tupdate_us": 16000, "max_rtt_us": 50000, "step_thresh_us": 800,
      "coupling_factor": 3, "l4s_id": "any_ect"}),
])
@pytest.mark.parametrize("system", ["lte", "nr"])
def test_words_are_those_of_tc(settings, system, words, parameters):
    """And what they leave out is what Linux takes then."""
    assert qdisc.parse(words) == parameters
    cell = radio_config.cell(settings(system, {"uplink_qdisc": words}).settings)
    assert cell["rlc"]["uplink_qdisc"] == parameters
    assert "downlink_qdisc" not in cell["rlc"]


@pytest.mark.parametrize(("words", "message"), [
    ("cake", "cake: a bearer does not have it: cake shapes to a rate of its own"),
    ("fq_pie", "fq_pie: a bearer does not have it: no RFC says what it is; use fq_codel"),
    ("red", "red: a bearer does not have it: RED is on wired links, links.aqm"),
    ("fq", "fq: a bearer does not have it: "),
    ("htb", "'htb': allowed pfifo, codel, fq_codel, pie, dualpi2"),
    ("", "nothing: allowed a value"),
    ("codel ce_threshold 1ms", "'ce_threshold': allowed limit, target, interval, ecn, noecn"),
    ("codel flows 3", "'flows': allowed limit, target, interval, ecn, noecn"),
    ("codel target", "target: allowed a time in us, ms or s"),
    ("codel target 5", "target: value '5': allowed a time"),
    ("codel target 0ms", "target_us: value 0: allowed 1..500000"),
    ("codel ecn noecn", "noecn is given twice"),
    ("fq_codel flows 0", "flows: value 0: allowed 1..4096"),
    ("fq_codel flows", "flows: allowed a whole number after this word"),
    ("pie tupdate 10us", "tupdate_us: value 10: allowed 1000..100000"),
    ("pie alpha 33", "alpha: value 33: allowed 0..32"),
    ("dualpi2 target 1500us", "target_us: value 1500: allowed whole milliseconds with dualpi2"),
    ("dualpi2 step_packets", "'step_packets': allowed limit, target, tupdate, max_rtt, step_thresh, coupling_factor"),
])
def test_what_is_refused(settings, words, message):
    with pytest.raises(ScenarioError) as error:
        settings(rlc={"downlink_qdisc": words})
    assert f"key 'radio.rlc.downlink_qdisc': value {words}: {message}" in str(error.value)
    assert "\n" not in str(error.value)


def test_what_does_not_go_together(settings):
    with pytest.raises(ScenarioError, match=r"key 'radio\.rlc\.uplink_qdisc': value codel: radio\.rlc\.mode is tm"):
        settings(rlc={"mode": "tm", "uplink_qdisc": "codel"})
    with pytest.raises(ScenarioError, match=r"value pie: radio\.nr\.aqm: mark is a queue discipline, too"):
        settings("nr", {"downlink_qdisc": "pie"}, nr={"aqm": "mark"})
    with pytest.raises(ScenarioError, match=r"value codel: cellbed does not model drops of one of two copies"):
        settings("nr", {"downlink_qdisc": "codel"}, pdcp={"duplication": True})
    settings("nr", {"mode": "tm", "downlink_qdisc": "pfifo limit 5"}, nr={"aqm": "none"})


def test_a_bearer_has_the_radios_unless_it_says_otherwise(settings):
    """Of two bearers one is a plain FIFO again."""
    run = settings(rlc={"downlink_qdisc": "codel"}, bearers=[
        {"filters": [{"protocol": "udp"}], "rlc": {"downlink_qdisc": "pfifo"}}, {"rlc": {"queue_pkts": 7}}])
    udp, rest = radio_config.cell(run.settings)["ues"][0]["bearers"]
    assert udp["rlc"]["downlink_qdisc"] == {"kind": "pfifo"}
    assert rest["rlc"]["downlink_qdisc"] == {"kind": "codel"}


def test_without_the_keys_a_run_is_what_it_was(settings):
    run = settings()
    assert "qdisc" not in json.dumps(run.settings["radio"])
    other = settings(rlc={"uplink_qdisc": "codel"})
    assert identity(run.describe("virtual", {})) != identity(other.describe("virtual", {}))


def test_the_daemon_takes_them(settings, tmp_path):
    """Written by the lab, read by celld, which refuses what is out of range itself."""
    celld = ROOT / "build/emulator/daemon/celld"
    run = settings(rlc={"uplink_qdisc": "fq_codel", "downlink_qdisc": "dualpi2"},
                   bearers=[{"filters": [{"protocol": "udp"}], "rlc": {"downlink_qdisc": "pie alpha 3"}}])
    config = {"format": 1, "cell": radio_config.cell(run.settings)}
    path = tmp_path / "celld.json"

    def check():
        path.write_text(json.dumps(config))
        return subprocess.run([celld, "--check", path], capture_output=True, text=True, check=False)

    assert (check().returncode, check().stderr) == (0, "")
    config["cell"]["rlc"]["uplink_qdisc"]["flows"] = 5000
    assert "key 'cell.rlc.uplink_qdisc.flows': value 5000: allowed 1..4096" in check().stderr
