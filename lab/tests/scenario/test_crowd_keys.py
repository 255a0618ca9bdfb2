# SPDX-License-Identifier: GPL-2.0-or-later
"""Crowds in a scenario: what is refused, and what the radio daemon is told."""

import pytest

from cellbed.error import ScenarioError
from cellbed.run.radio_config import cell
from cellbed.scenario.description import expand


@pytest.fixture
def radio(minimal, write):
    """The radio of celld.json for these keys of the scenario's radio."""
    def of(**keys):
        minimal["radio"] |= keys
        return cell(expand(write(minimal))[1][0].settings)

    return of


def test_the_daemon_is_told(radio):
    crowd = radio(crowd={"count": 200, "offered_rate": "60kbit", "burst_bytes": "30kB", "cqi": [3, 9]})["crowd"]
    assert crowd == {"count": 200, "direction": "dl", "arrival": "poisson", "offered_rate": 60_000,
                     "burst_bytes": 30_000, "burst_size": "exponential", "reading_ms": 5000, "weight": 1, "cqi": [3, 9],
                     "cqi_period_ms": 0}


def test_without_a_crowd_a_run_is_what_it_was(minimal, write, radio):
    assert "crowd" not in radio()
    assert "crowd" not in expand(write(minimal))[1][0].settings["radio"]


@pytest.mark.parametrize(("keys", "message"), [
    ({"crowd": {}}, "key 'radio.crowd.count': missing"),
    ({"crowd": {"count": 1001}}, "key 'radio.crowd.count': value 1001"),
    ({"crowd": {"count": 1, "cqi": []}}, "key 'radio.crowd.cqi'"),
    ({"crowd": {"count": 1, "cqi": [0]}}, "key 'radio.crowd.cqi.0': value 0"),
    ({"crowd": {"count": 1, "weight": 2}},
     "key 'radio.crowd.weight': value 2: the scheduler rr has no weights; allowed 1"),
    ({"crowd": {"count": 1000, "offered_rate": "1Gbit"}},
     "value 50000: the crowd would send more than one burst in a microsecond; allowed with this"),
    ({"crowd": {"count": 1, "direction": "both"}, "mac": {"ul_always_scheduled": True}},
     "key 'radio.crowd.direction': value both: with radio.mac.ul_always_scheduled the uplink has"),
])
def test_wrong_crowds(radio, keys, message):
    with pytest.raises(ScenarioError) as error:
        radio(**keys)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_crowds_of_nr_load_both_directions(minimal, radio):
    minimal["radio"] = {"system": "nr", "nr": {}, "ues": {"ue1": {"peer": "enb"}}}
    minimal["nodes"] = {"enb": {"kind": "enb"}, "server": {"kind": "server", "address": "10.46.0.1/24"},
                        "ue1": {"address": "10.45.0.1/24"}}
    minimal["links"] = [{"a": "server", "b": "enb", "rate": "1Gbit"}]
    minimal["traffic"] = [{"id": "x", "from": "server", "to": "ue1", "duration_s": 1}]
    assert radio(crowd={"count": 3, "direction": "both"})["crowd"]["direction"] == "both"
