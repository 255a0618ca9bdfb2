# SPDX-License-Identifier: GPL-2.0-or-later
"""Times of handovers that are drawn for each, by their quantiles: what is refused, and what the daemon is told."""

from pathlib import Path

import pytest
import yaml

from cellbed.error import ScenarioError
from cellbed.run import radio_config
from cellbed.scenario.description import expand
from cellbed.scenario.dotted import set_key

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"
LTE, NR = SCENARIOS / "handover-pacifico/quick.yaml", SCENARIOS / "nr-handover/quick.yaml"
FIELD = {"p5_ms": 26, "p50_ms": 34, "p95_ms": 62}


def settings(tmp_path, base, **changes):
    scenario = yaml.safe_load(base.read_text())
    scenario["sweep"] = {}
    for key, value in changes.items():
        set_key(scenario, key.replace("__", "."), value, "test")
    path = tmp_path / "scenario.yaml"
    path.write_text(yaml.safe_dump(scenario, sort_keys=False))
    return expand(path)[1][0].settings


@pytest.mark.parametrize("base", [LTE, NR], ids=["lte", "nr"])
def test_the_daemon_has_all_quantiles(tmp_path, base):
    cell = radio_config.cell(settings(tmp_path, base, radio__handover__detach_times=FIELD,
                                      radio__handover__preparation_times=FIELD | {"p99_ms": 356}))
    assert cell["detach_times"] == FIELD | {"p25_ms": 30, "p75_ms": 50, "p99_ms": 62}
    assert cell["preparation_times"] == FIELD | {"p25_ms": 30, "p75_ms": 50, "p99_ms": 356}
    assert not {"detach_times", "preparation_times"} & set(cell["handover"])


def test_without_them_nothing_is_said(tmp_path):
    found = settings(tmp_path, LTE)
    assert "detach_times" not in found["radio"]["handover"]
    assert "detach_times" not in radio_config.cell(found)


@pytest.mark.parametrize(("changes", "message"), [
    ({"detach_times": {"p5_ms": 26, "p50_ms": 25, "p95_ms": 62}},
     "key 'radio.handover.detach_times.p50_ms': value 25: less than p5_ms; allowed 26 or more"),
    ({"detach_times": FIELD | {"p75_ms": 63}},
     "key 'radio.handover.detach_times.p95_ms': value 62: less than p75_ms; allowed 63 or more"),
    ({"detach_times": FIELD | {"p99_ms": 10001}}, "detach_times.p99_ms': value 10001: allowed 0..10000"),
    ({"detach_times": {"p5_ms": 26}}, "detach_times.p50_ms': missing"),
    ({"detach_times": 30}, "key 'radio.handover.detach_times': value 30: "),
    ({"procedure": "prediction", "preparation_times": FIELD},
     "key 'radio.handover.preparation_times': procedure prediction prepares before a handover; remove the key,"),
])
def test_what_is_refused(tmp_path, changes, message):
    with pytest.raises(ScenarioError) as error:
        settings(tmp_path, LTE, **{f"radio__handover__{key}": value for key, value in changes.items()})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_queue_in_time_is_of_nr_only(tmp_path):
    assert radio_config.cell(settings(tmp_path, NR, radio__rlc__queue_ms=30))["rlc"]["queue_ms"] == 30
    with pytest.raises(ScenarioError, match=r"key 'radio\.rlc\.queue_ms'"):
        settings(tmp_path, LTE, radio__rlc__queue_ms=30)
