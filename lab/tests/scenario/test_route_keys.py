# SPDX-License-Identifier: GPL-2.0-or-later
"""Routes and handovers by measurement in a scenario: what is refused, what a run and the daemon get of them."""

import copy
import shutil

import pytest
import yaml
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.link import links
from cellbed.results.bundle import Bundle
from cellbed.run.radio_config import cell
from cellbed.scenario import channel, channel_trace
from cellbed.scenario.description import expand, identity
from cellbed.scenario.dotted import set_key
from cellbed_channel import trace

QUICK = yaml.safe_load((ROOT / "scenarios/train-ride/quick.yaml").read_text())


@pytest.fixture
def ride(tmp_path, write):
    """The run of quick.yaml with other values."""
    shutil.copy(ROOT / "scenarios/train-ride/line.gpx", tmp_path)

    def of(**keys):
        data = copy.deepcopy(QUICK)
        for key, value in keys.items():
            set_key(data, key.replace("__", "."), value, "test")
        return expand(write(data))[1][0]

    return of


def test_a_run_is_made_of_its_waypoints(ride, tmp_path):
    one = ride()
    assert list(one.settings["radio"]["channel"]["tracks_sha256"]) == ["rider"]
    assert channel.reads_file(one.settings)
    line = tmp_path / "line.gpx"
    line.write_text(line.read_text().replace("12:00:55", "12:00:56"))
    assert identity(ride().describe("virtual", {})) != identity(one.describe("virtual", {}))


def test_each_enb_has_a_channel(ride, tmp_path):
    one = ride(traffic__0__duration_s=1, traffic__1__duration_s=1)
    folder = Bundle(tmp_path / "results", one, one.describe("virtual", {})).begin({})
    found = trace.read(folder / channel_trace.FILE)
    assert found.enbs == {0: "west", 1: "middle", 2: "east"}
    assert all(len(found.records_of(ue, "dl", enb)) for ue in found.ues for enb in found.enbs)


def test_the_daemon_is_told(ride):
    found = cell(ride().settings)
    assert found["a3"] == {"offset_db": 2, "hysteresis_db": 1, "time_to_trigger_ms": 160, "filter_coefficient": 4}
    assert "a3" not in found["handover"]


def test_links_name_waypoints_by_their_whole_path(tmp_path):
    radio = copy.deepcopy(QUICK["radio"])
    links.name_files(radio, tmp_path)
    assert radio["channel"]["route"]["tracks"] == {"rider": str(tmp_path / "line.gpx")}


@pytest.mark.parametrize(("keys", "message"), [
    ({"radio__channel__route": None}, "key 'radio.channel.route': missing; model route needs it"),
    ({"radio__channel__model": "static"},
     "key 'radio.channel.route': model static does not use it; remove the key, or set"),
    ({"radio__channel": {"model": "static", "positions": {"rider": [1, 1], "shop": [1, 1]}}},
     "key 'radio.channel.model': value static: the model has one eNB, and the scenario several;"),
    ({"radio__channel__route__enbs": {"west": [0, 0], "middle": [1, 1]}},
     "key 'radio.channel.route.enbs.east': missing; give [x, y] in metres"),
    ({"radio__channel__route__enbs__north": [0, 0]},
     "key 'radio.channel.route.enbs.north': value 'north': allowed west"),
    ({"radio__channel__route__tracks__west": "line.gpx"}, "key 'radio.channel.route.tracks.west': value 'west'"),
    ({"radio__channel__route__tracks": {}}, "key 'radio.channel.route.tracks.rider': missing; give either this or"),
    ({"radio__channel__positions__rider": [0, 0]},
     "key 'radio.channel.route.tracks.rider': given twice; give either this or"),
    ({"radio__channel__route__tracks__rider": "none.gpx"}, "key 'radio.channel.route.tracks.rider': "),
    ({"radio__channel__route__origin": None}, "route.origin: value null: allowed [latitude, longitude]"),
    ({"radio__channel__granularity_ms": 30},
     "key 'radio.channel.granularity_ms': value 30: model route measures every 200 ms; allowed"),
    ({"radio__channel": None, "radio__harq__errors": "ladder"},
     "key 'radio.handover.a3': UEs measure eNBs with radio.channel.model: route only; set it, or"),
    ({"radio__channel__path_loss__los": "by_place"},
     "key 'radio.channel.path_loss.los': value by_place: it needs radio.channel.model: route and"),
    ({"radio__channel__route__shadowing": "tr38901"},
     "key 'radio.channel.route.shadowing': value tr38901: path_loss.model uma has no such table;"),
    ({"radio__channel__path_loss__model": "umi_38901", "radio__channel__route__shadowing": "tr38901",
      "radio__channel__route__shadowing_sigma_db": 6},
     "key 'radio.channel.route.shadowing_sigma_db': value 6: shadowing tr38901 takes it from TR"),
    ({"radio__channel__route__interferers": [[0, 0]] * 19}, "key 'radio.channel.route.interferers'"),
    ({"radio__channel__route__rx_antennas": 0},
     "key 'radio.channel.route.rx_antennas': value 0: allowed 1..8"),
    ({"radio__channel__route__beam_gain_db": 41},
     "key 'radio.channel.route.beam_gain_db': value 41: allowed 0..40"),
    ({"radio__channel__route__load_busy_ms": 50},
     "key 'radio.channel.route.load_busy_ms': value 50: it is of load_users; set this, or remove the key"),
    ({"radio__channel__route__load_users": 0}, "key 'radio.channel.route.load_users': value 0: allowed 1..100"),
    ({"radio__channel__route__beams": {}},
     "key 'radio.channel.route.beams': radio.system lte does not have them; remove the key, or set radio.system: nr"),
    ({"radio__channel__route__beams": {"report_ms": 30}},
     "key 'radio.channel.route.beams.report_ms': value 30: allowed 5, 10, 20, 40, 80, 160"),
    ({"radio__handover__procedure": "prediction"},
     "value prediction: handovers by a3 cannot be predicted; allowed with a3: standard,"),
    ({"radio__handover__a3__offset_db": 0.3}, "key 'radio.handover.a3.offset_db': value 0.3"),
    ({"radio__handover__a3__time_to_trigger_ms": 50}, "key 'radio.handover.a3.time_to_trigger_ms': value 50"),
])
def test_wrong_routes(ride, keys, message):
    with pytest.raises(ScenarioError) as error:
        ride(**keys)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
