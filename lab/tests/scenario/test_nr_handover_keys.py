# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys of handovers between gNBs: what NR begins with, and what it refuses, with its clause."""

import json
from pathlib import Path

import pytest
import yaml

from cellbed.error import ScenarioError
from cellbed.run import radio_config
from cellbed.scenario.description import expand
from cellbed.scenario.dotted import set_key

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"
QUICK = SCENARIOS / "nr-handover/quick.yaml"
ROUTE = {"model": "route", "route": {"enbs": {"west": [-200, 0], "east": [200, 0]}, "tracks": {"phone": "way.csv"}}}


def settings(**changes):
    """Of the first run of the scenario."""
    scenario = yaml.safe_load(QUICK.read_text())
    scenario["sweep"] = {}
    for key, value in changes.items():
        set_key(scenario, key.replace("__", "."), value, "test")
    return scenario


def refusal(tmp_path, scenario):
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(scenario, sort_keys=False))
    (tmp_path / "way.csv").write_text("t_s,x_m,y_m\n0,-200,20\n20,200,20\n")
    with pytest.raises(ScenarioError) as error:
        expand(path)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(("changes", "message"), [
    ({"radio__handover__procedure": "prediction"},
     "key 'radio.handover.procedure': value prediction: NR does not have it; allowed standard,"),
    ({"radio__handover__procedure": "fast_path_switch"},
     "key 'radio.handover.procedure': value fast_path_switch: NR does not have it; allowed"),
    ({"radio__handover__detach_ms": 30},
     "'radio.handover.detach_ms': NR does not have it: the time follows from rrc_processing_ms,"),
    ({"radio__handover__prediction_timeout_ms": 30},
     "'radio.handover.prediction_timeout_ms': NR does not have it: candidates of a conditional"),
    ({"radio__handover__processing_ms": 101}, "processing_ms': value 101: allowed 0..100"),
    ({"radio__handover__ssb_period_ms": 30}, "ssb_period_ms': value 30: allowed"),
    ({"radio__handover__margin_ms": -1}, "margin_ms': value -1: allowed 0..100"),
    ({"radio__rlc": {"mode": "tm"}},
     "value tm: a handover re-establishes RLC, which TM does not have; with several gNBs allowed"),
    ({"radio__nr__configured_grant": "type1"},
     "value type1: cellbed does not hand configured grants over; with several gNBs allowed none"),
    ({"radio__events": [{"at_s": 2, "ue": "phone", "predict": "east"}]},
     "key 'radio.events.0.predict': value east: procedure standard prepares no candidates; set"),
    ({"radio__events": [{"at_s": 2, "ue": "phone", "mode": "im"}]},
     "key 'radio.events.0.mode': value im: NR has no direct mode in cellbed; remove the event, or"),
    ({"radio__events": [{"at_s": 2, "ue": "phone", "handover": "west"}]},
     "key 'radio.events.0.handover': value west: this eNB serves phone already at 2 s; name"),
    ({"radio__handover": {"procedure": "standard", "condition": {}}},
     "key 'radio.handover.condition': procedure standard without a3 does not use it; remove the"),
    ({"radio__handover": {"procedure": "daps", "a3": {}, "condition": {}}, "radio__channel": ROUTE},
     "key 'radio.handover.condition': procedure daps with a3 does not use it; remove the key, or"),
    ({"radio__handover": {"procedure": "daps", "forwarding": False}},
     "key 'radio.handover.forwarding': value false: with radio.handover.procedure daps the target"),
    ({"radio__handover__procedure": "daps", "radio__nr": {"frequency_range": "fr2", "numerology": 3}},
     "value fr2: radio.handover.procedure daps is not defined there; allowed fr1 (TS 38.300"),
    ({"radio__handover__procedure": "daps", "radio__pdcp__duplication": True},
     "key 'radio.pdcp.duplication': value true: cellbed does not hand a second cell over; with"),
    ({"radio__handover__procedure": "daps", "radio__ues__phone__bearers":
      [{"filters": [{"dscp": i}]} for i in range(4)]},
          "5 bearers: with radio.handover.procedure daps each takes two logical channels; allowed 4"),
    ({"radio__handover__procedure": "daps", "radio__events": [{"at_s": 2, "ue": "phone", "predict": "east"}]},
     "key 'radio.events.0.predict': value east: procedure daps prepares no candidates; set"),
    ({"radio__handover": {"procedure": "conditional", "a3": {}}, "radio__channel": ROUTE},
     "key 'radio.handover.condition': missing; procedure conditional with a3 needs it"),
    ({"radio__handover": {"procedure": "conditional", "a3": {}, "condition": {"event": "a4"}}}, "value a4: allowed"),
    ({"radio__handover": {"procedure": "conditional", "a3": {}, "condition": {"event": "a5", "threshold1": 128}}},
     "threshold1': value 128: allowed 0..127"),
    ({"radio__handover": {"procedure": "conditional"}, "radio__events":
      [{"at_s": 0.1, "ue": "phone", "handover": "east"}]},
          "value 0.1: the prediction, radio.handover.prediction_ms before, would be before the start;"),
])  # fmt: skip
def test_refused(tmp_path, changes, message):
    assert message in refusal(tmp_path, settings(**changes))


def cell(tmp_path, scenario):
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(scenario, sort_keys=False))
    (tmp_path / "way.csv").write_text("t_s,x_m,y_m\n0,-200,20\n20,200,20\n")
    (description,) = expand(path)[1]
    return radio_config.cell(json.loads(json.dumps(description.settings)))


def test_what_the_daemon_is_told(tmp_path):
    found = cell(tmp_path, settings())
    assert found["handover"] == {
        "procedure": "standard", "prediction_ms": 130, "signalling_us": 4000, "end_marker_ms": 200, "end_markers": 1,
        "end_marker_gap_ms": 20, "forwarding": True, "reordering": True, "rrc_processing_ms": 10, "execution_ms": 10,
        "search_ms": 0, "processing_ms": 20, "ssb_period_ms": 20, "margin_ms": 2}  # fmt: skip
    assert [enb["name"] for enb in found["enbs"]] == ["west", "east"]
    assert found["ues"][0]["enb"] == "west" and found["ues"][0]["address"] == "10.45.0.1"
    assert "a3" not in found and "condition" not in found


def test_a_condition_is_a_section_of_its_own(tmp_path):
    handover = {"procedure": "conditional", "a3": {"offset_db": 0}, "condition": {"event": "a5"}, "ssb_period_ms": 5}
    found = cell(tmp_path, settings(radio__handover=handover, radio__channel=ROUTE, radio__events=[]))
    assert found["condition"] == {"event": "a5", "offset_db": 3.0, "threshold1": 46, "threshold2": 50,
                                  "hysteresis_db": 0.0, "time_to_trigger_ms": 0}  # fmt: skip
    assert found["a3"]["offset_db"] == 0 and found["handover"]["ssb_period_ms"] == 5


def test_without_a_core_network_nothing_of_handovers_is_said():
    description, *_ = expand(SCENARIOS / "reference-nr.yaml")[1]
    assert not {"handover", "sgw", "enbs", "gtpu"} & radio_config.cell(description.settings).keys()
    assert "processing_ms" not in description.settings["radio"]["handover"]
