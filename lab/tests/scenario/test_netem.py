# SPDX-License-Identifier: GPL-2.0-or-later
"""What links without a radio do to packets on their way: words, traces, and what the radio daemon gets of them."""

import copy
import json
import subprocess

import pytest
import yaml
from minimal import ROOT, WIRED

from cellbed.error import ScenarioError
from cellbed.run import netem, radio_config
from cellbed.scenario import packet_trace
from cellbed.scenario.description import expand, identity


@pytest.fixture
def scenario(write, tmp_path):
    """The file of a scenario with a link of constant rate, or with a recorded one."""
    def of(system="constant_rate", own=None, **keys):
        (tmp_path / "run").mkdir(exist_ok=True)
        (tmp_path / "trace").write_text("3\n10\n")
        data = copy.deepcopy(WIRED)
        recorded = {"uplink": "trace", "downlink": "trace"} if system == "packet_trace" else {}
        data["radio"] = {"system": system, system: {**recorded, **keys},
                         "ues": {"ue1": {"peer": "enb", **({"packet_trace": own} if own else {})}}}
        return write(data)

    return of


@pytest.mark.parametrize(("words", "parameters"), [
    ("loss 1%", {"loss": "random", "random": 0.01}),
    ("loss random 1.5", {"loss": "random", "random": 0.015}),
    ("loss state 5%", {"loss": "state", "p13": 0.05, "p31": 0.95, "p23": 1.0}),
    ("loss state 5% 20% 10% 60% 1%", {"loss": "state", "p13": 0.05, "p31": 0.2, "p32": 0.1, "p23": 0.6, "p14": 0.01}),
    ("loss gemodel 1%", {"loss": "gemodel", "p": 0.01, "r": 0.99, "bad": 1.0}),
    ("loss gemodel 1% 20% 50% 10%", {"loss": "gemodel", "p": 0.01, "r": 0.2, "bad": 0.5, "good": 0.1}),
    ("delay 10ms", {"delay_us": 10000}),
    ("delay 1.5s 2ms 25%", {"delay_us": 1500000, "jitter_us": 2000, "jitter_correlation": 0.25}),
    ("delay 10ms 200us distribution normal", {"delay_us": 10000, "jitter_us": 200, "distribution": "normal"}),
    ("reorder 25% 50% gap 5", {"reorder": 0.25, "reorder_correlation": 0.5, "reorder_gap": 5}),
    ("duplicate 1% delay 1ms", {"duplicate": 0.01, "delay_us": 1000}),
    ("corrupt 0.1% 25%", {"corrupt": 0.001, "corrupt_correlation": 0.25}),
    ("delay 10ms 1ms distribution paretonormal",
     {"delay_us": 10000, "jitter_us": 1000, "distribution": "paretonormal"}),
    ("slot 10ms 20ms packets 16 bytes 3000",
     {"slot_us": 10000, "slot_more_us": 10000, "slot_packets": 16, "slot_bytes": 3000}),
    ("slot 800us", {"slot_us": 800, "slot_more_us": 0}),
])
def test_words_are_those_of_netem(scenario, words, parameters):
    """And what they leave out is what tc takes then."""
    assert netem.parse(words) == pytest.approx(parameters)
    (run,) = expand(scenario(uplink_netem=words))[1]
    assert radio_config.cell(run.settings)["constant_rate"]["uplink_netem"] == pytest.approx(parameters)


@pytest.mark.parametrize(("words", "message"), [
    ("rate 1Mbit", "'rate': allowed loss, delay, reorder, duplicate, corrupt, slot"),
    ("loss", "random: allowed percents, such as 1.5%"),
    ("loss gemodel", "p: allowed percents, such as 1.5%"),
    ("loss gemodel 120%", "p: value 120%: allowed 0%..100%"),
    ("loss 1x%", "random: value '1x%': allowed percents, such as 1.5%"),
    ("loss state 60% 10% 10% 10% 50%", "p13 and p14: 1.1 together: allowed at most 1, or 100%"),
    ("loss state 1% 60% 50%", "p31 and p32: 1.1 together: allowed at most 1, or 100%"),
    ("loss 1% loss 2%", "loss is given twice; give it once"),
    ("delay", "delay_us: allowed a time in us, ms or s, such as 10ms"),
    ("delay 10", "delay_us: value '10': allowed a time in us, ms or s, such as 10ms"),
    ("delay 11s", "delay_us: value 11000000: allowed 0..10000000"),
    ("delay 10ms 1ms distribution gamma", "'gamma': allowed uniform, normal, pareto, paretonormal"),
    ("delay 10ms 1ms 10% distribution normal", "jitter_correlation: a normal distribution has none here; allowed "
                                               "distribution uniform"),
    ("reorder 1% gap 70000", "reorder_gap: value 70000: allowed 0..65535"),
    ("reorder 1% gap", "reorder_gap: allowed a whole number after this word"),
    ("slot 20ms 10ms", "slot: value 20000us 10000us: allowed MIN and MAX, not less than MIN and more than 0"),
    ("slot 0ms", "slot: value 0us 0us: allowed MIN and MAX, not less than MIN and more than 0"),
    ("delay 10ms 1ms 10% distribution pareto", "jitter_correlation: a pareto distribution has none here; allowed "
                                               "distribution uniform"),
    ("corrupt", "corrupt: allowed percents, such as 1.5%"),
])
def test_what_is_not_allowed_is_said_in_one_line(scenario, words, message):
    for system in ("constant_rate", "packet_trace"):
        with pytest.raises(ScenarioError) as error:
            expand(scenario(system, downlink_netem=words))
        assert f"key 'radio.{system}.downlink_netem': value {words}: {message}" in str(error.value)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(("text", "message"), [
    ("", "0 lines: allowed 1..10000000"), ("0 1\n", "1 lines: allowed 2 or more"),
    ("0 1\n0 2\n", "2 lines: allowed 2 or more, the last one with a time above 0"),
    ("5 1\n4 1\n", "line 2: value '4 1': allowed a time in whole milliseconds, 5..4294967295"),
    ("0 1\n9 10001\n", "line 2: value '9 10001'"), ("0 -1\n9 1\n", "line 1: value '0 -1'"),
    ("0\n", "line 1: value '0'"),
    ("0 1 2\n", "line 1: value '0 1 2'"), ("0 ١\n", "line 1: value '0 ١'")])
def test_what_is_no_trace_of_delays(tmp_path, text, message):
    (tmp_path / "delays").write_text(text)
    with pytest.raises(ScenarioError) as error:
        netem.read_delays(tmp_path / "delays")
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["0\n2\n", "0 1\n", "yes\n", "\n"])
def test_what_is_no_trace_of_losses(tmp_path, text):
    (tmp_path / "losses").write_text(text)
    with pytest.raises(ScenarioError, match="allowed 0 and 1"):
        netem.read_losses(tmp_path / "losses")


@pytest.mark.parametrize("system", ["constant_rate", "packet_trace"])
def test_traces_come_to_the_daemon_and_count_for_the_identity(scenario, tmp_path, system):
    (tmp_path / "delays").write_text("0 30\n1500 42.5\n3000 0\n")
    (tmp_path / "losses").write_text("0\n0\n1\n")
    path = scenario(system, uplink_delays="delays", downlink_losses="losses", downlink_netem="loss 1%")
    (run,) = expand(path)[1]
    packet_trace.render(tmp_path / "run", run.settings, tmp_path)
    config = {"format": 1, "cell": radio_config.cell(run.settings, tmp_path / "run")}
    link = config["cell"][system]
    assert link["uplink_delays"] == [0, 30000, 1500, 42500, 3000, 0] and link["downlink_losses"] == [0, 0, 1]
    (tmp_path / "celld.json").write_text(json.dumps(config))
    done = subprocess.run([ROOT / "build/emulator/daemon/celld", "--check", tmp_path / "celld.json"],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "losses").write_text("0\n1\n1\n")
    assert identity(expand(path)[1][0].describe("virtual", {})) != identity(run.describe("virtual", {}))


def test_a_ue_may_have_losses_of_its_own(scenario):
    (run,) = expand(scenario("packet_trace", {"downlink_netem": "loss 2%"}, uplink_netem="delay 5ms"))[1]
    own = run.settings["radio"]["ues"]["ue1"]["packet_trace"]
    assert (own["downlink_netem"], own["uplink_netem"]) == ("loss 2%", "delay 5ms")


def test_the_keys_are_not_there_unless_they_are_given(scenario):
    """So runs are the same as before there were any."""
    for system in ("constant_rate", "packet_trace"):
        (run,) = expand(scenario(system))[1]
        assert not [key for key in run.settings["radio"][system] if key.endswith(("_netem", "_delays", "_losses"))]
    path = scenario(downlink_netem="loss 1%")
    path.write_text(path.read_text() + "\nsweep: {variants: {without: {radio.constant_rate.downlink_netem: ''}}}\n")
    (run,) = expand(path)[1]
    assert run.settings == expand(scenario())[1][0].settings


@pytest.mark.parametrize("change", [{"dl_rate": "5Mbit"}, {"ul_rate": "1kbit"}, {"loss_dl": 0.01}, {"loss_ul": 1},
                                    {"delay_ms": 50}, {"outage_ms": 500}, {"flush": True}])
def test_events_come_to_the_daemon(scenario, tmp_path, change):
    path = scenario()
    data = yaml.safe_load(path.read_text())
    data["radio"]["events"] = [{"at_s": 1.5, "ue": "ue1", **change}]
    path.write_text(yaml.safe_dump(data))
    (run,) = expand(path)[1]
    events = radio_config.events(run.settings["radio"])
    config = {"format": 1, "cell": radio_config.cell(run.settings), "events": events}
    ((key, value),) = change.items()
    assert config["events"][0]["t_ms"] == 1500 and key in config["events"][0]
    (tmp_path / "celld.json").write_text(json.dumps(config))
    done = subprocess.run([ROOT / "build/emulator/daemon/celld", "--check", tmp_path / "celld.json"],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), value


@pytest.mark.parametrize(("system", "change", "message"), [
    ("constant_rate", {"cqi_dl": 3}, "radio.system constant_rate does not have it; allowed dl_rate, ul_rate, loss_dl"),
    ("packet_trace", {"dl_rate": "1Mbit"}, "radio.system packet_trace does not have it; allowed loss_dl, loss_ul"),
    ("constant_rate", {"delay_ms": 10001}, "value 10001: allowed 0..10000"),
    ("constant_rate", {"outage_ms": -1}, "value -1: allowed 0..600000"),
    ("constant_rate", {"flush": False}, "flush"),
    ("constant_rate", {"loss_dl": 0.1, "delay_ms": 1}, "an event does one thing")])
def test_events_that_a_link_does_not_have(scenario, system, change, message):
    path = scenario(system)
    data = yaml.safe_load(path.read_text())
    data["radio"]["events"] = [{"at_s": 1, "ue": "ue1", **change}]
    path.write_text(yaml.safe_dump(data))
    with pytest.raises(ScenarioError) as error:
        expand(path)
    assert message in str(error.value) and "\n" not in str(error.value)
