# SPDX-License-Identifier: GPL-2.0-or-later
"""QoS of bearers: characteristics of 5QIs and QCIs, what the radio daemon is told of them, and what is refused."""

import typing

import pytest
import yaml
from minimal import ROOT

from cellbed.error import ScenarioError
from cellbed.run import qos, radio_config
from cellbed.scenario import bearer
from cellbed.scenario.description import expand, identity

LTE, NR = ROOT / "scenarios/links/good.yaml", ROOT / "scenarios/links/nr-l4s.yaml"


@pytest.fixture
def settings(tmp_path):
    """A run's settings of a link in LTE or NR whose UE has one bearer with these keys."""
    def of(system, **keys):
        data = yaml.safe_load((LTE if system == "lte" else NR).read_text())
        data["radio"].get("nr", {}).pop("aqm", None)
        next(iter(data["radio"]["ues"].values()))["bearers"] = [keys]
        path = tmp_path / "s.yaml"
        path.write_text(yaml.safe_dump(data))
        return expand(path)[1][0]

    return of


def told(found) -> dict:
    """What the daemon's configuration has of it."""
    (own,) = radio_config.cell(found.settings)["ues"][0]["bearers"]
    return {key: own[key] for key in (*qos.KEYS, "five_qi", "qci") if key in own}


@pytest.mark.parametrize(("system", "keys", "expected"), [
    ("nr", {"five_qi": 1, "gbr_dl": "64kbit"}, {"priority_level": 20, "pdb_ms": 100, "gbr_dl": 64_000}),
    ("nr", {"five_qi": 7}, {"priority_level": 70, "pdb_ms": 100}),
    ("nr", {"five_qi": 85, "gbr_ul": "1Mbit", "pdb_ms": 7}, {"priority_level": 21, "pdb_ms": 7, "gbr_ul": 1_000_000}),
    ("nr", {"priority_level": 3, "mbr_ul": "2.5Mbit", "averaging_window_ms": 50},
     {"priority_level": 3, "mbr_ul": 2_500_000, "averaging_window_ms": 50}),
    ("lte", {"qci": 3, "gbr_dl": "1Mbit", "mbr_dl": "1Mbit"},
     {"priority_level": 30, "pdb_ms": 50, "gbr_dl": 1_000_000, "mbr_dl": 1_000_000}),
    ("lte", {"qci": 9}, {"priority_level": 90, "pdb_ms": 300}),
    ("lte", {}, {}),
])
def test_the_daemon_is_told(settings, system, keys, expected):
    assert told(settings(system, **keys)) == expected


@pytest.mark.parametrize(("system", "keys", "message"), [
    ("lte", {"five_qi": 7}, "bearers.0.five_qi': value 7: radio.system lte has none; use qci"),
    ("nr", {"qci": 7}, "bearers.0.qci': value 7: radio.system nr has none; use five_qi"),
    ("nr", {"five_qi": 11}, "five_qi"),
    ("nr", {"five_qi": 75, "gbr_dl": "1Mbit"}, "five_qi"),
    ("nr", {"five_qi": 1}, "bearers.0.five_qi': value 1: its bearers have a guaranteed bit rate"),
    ("nr", {"five_qi": 9, "gbr_ul": "1Mbit"}, "bearers.0.gbr_ul': value 1000000: five_qi 9 has no guaranteed bit rate"),
    ("nr", {"gbr_dl": "2Mbit", "mbr_dl": "1Mbit"}, "bearers.0.mbr_dl': value 1000000: less than gbr_dl"),
    ("nr", {"averaging_window_ms": 100}, "bearers.0.averaging_window_ms': value 100: it is of rates"),
    ("nr", {"priority_level": 0}, "priority_level"),
    ("nr", {"priority_level": 128}, "priority_level"),
    ("nr", {"pdb_ms": 0}, "pdb_ms"),
    ("nr", {"mbr_dl": 1000}, "mbr_dl"),
    ("nr", {"mbr_dl": "0.5kbit"}, "mbr_dl"),
    ("nr", {"priority_level": 10, "pdcp": {"duplication": True}}, "bearers.0.priority_level': value 10: cellbed"),
    ("lte", {"gbr_ul": "1Mbit"}, "bearers.0.gbr_ul': value 1000000: a UE reports its bearers as one group"),
])
def test_what_is_refused(settings, system, keys, message):
    with pytest.raises(ScenarioError) as refused:
        settings(system, **keys)
    assert message in str(refused.value)


def test_every_number_has_characteristics():
    """Those of 5G and LTE together; both have the same ones of a number."""
    numbers = {*typing.get_args(bearer.FiveQi), *typing.get_args(bearer.Qci)}
    assert numbers == set(qos.CHARACTERISTICS)
    assert all(1 <= of.priority_level <= 127 and 1 <= of.pdb_ms <= 1100 for of in qos.CHARACTERISTICS.values())


def test_runs_without_qos_keep_their_identity(settings):
    plain, other = settings("nr"), settings("nr", priority_level=90)
    assert not any(key in str(plain.settings) for key in qos.KEYS)
    assert identity(plain.describe("virtual", {})) != identity(other.describe("virtual", {}))
