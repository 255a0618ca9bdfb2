# SPDX-License-Identifier: GPL-2.0-or-later
"""celld.json of dual connectivity: keys of LTE and NR, and of what joins them, all of which the daemon knows."""

import copy
from pathlib import Path

import pytest
from minimal import WIRED

from cellbed.run.radio_config import cell, daemon
from cellbed.scenario import daemon_keys
from cellbed.scenario.description import expand

ROUTE = {"model": "route", "route": {"enbs": {"enb": [0, 0]}}, "positions": {"ue1": [100, 0]}}


@pytest.fixture
def settings(write):
    """Of a run with these keys of `radio.en_dc`, and of the radio beside them."""
    def of(en_dc=None, **beside):
        data = copy.deepcopy(WIRED)
        data["radio"] = {"system": "en_dc", "nr": {}, "en_dc": en_dc or {}, "ues": {"ue1": {"peer": "enb"}}, **beside}
        return expand(write(data))[1][0].settings

    return of


def assert_known(described):
    """The daemon has each section and key."""
    sections = {name: {*(value.name for value in found), *others}
                for name, (found, others) in daemon_keys.sections().items()}
    assert described.keys() <= sections["cell"] | {"system"}
    for name, section in described.items():
        if isinstance(section, dict):
            assert section.keys() <= sections[name], name
    assert all(ue.keys() <= sections["ues"] for ue in described["ues"])


def test_the_least(settings):
    described = cell(settings())
    assert described["system"] == "en_dc" and described["n_rb"] == 50
    assert described["en_dc"] == {"x2_us": 1000, "report_ms": 5, "queue_ms": 20, "ul_primary_path": "scg"}
    assert not described.keys() & {"scg", "broadcast", "sr", "outer_loop", "handover", "gtpu", "rlc_um", "mode_switch"}
    assert (described["rlc"]["t_reordering_ms"], described["rlc"]["t_reassembly_ms"]) == (35, 20)
    assert described["rlc_am"]["sn_bits"] == described["pdcp"]["sn_bits"] == 18
    assert "reordering" not in described["pdcp"] and "preset" not in described["timing"]
    assert described["ues"] == [{"name": "ue1", "peer": "network", "mode": "im", "cqi_ul": 15, "cqi_dl": 15,
                                 "bler_ul": 0.0, "bler_dl": 0.0, "bearers": []}]
    assert_known(described)


def test_all(settings):
    described = cell(settings(
        {"scg": {"b1_threshold": 50}, "channel": ROUTE, "ul_primary_path": "mcg"}, nr={"broadcast": {"ssbs": 2}},
        sr={"period_ms": 10}, outer_loop={"target_bler": 0.1}, cqi_reports={"period_ms": 20}, scheduler="wfq",
        harq={"max_attempts": 5, "ack_to_nack": 0.01}, control={"cfi": 3}, rlc={"downlink_qdisc": "pfifo"},
        ues={"ue1": {"peer": "enb", "weight": 2, "rnti": 70}}))
    assert described["scg"]["b1_threshold"] == 50 and described["broadcast"]["ssbs"] == 2
    assert not described["en_dc"].keys() & {"scg", "channel"} and "broadcast" not in described["nr"]
    assert described["sr"]["period_ms"] == 10 and described["outer_loop"]["target_bler"] == 0.1
    assert described["cqi_reports"]["period_ms"] == 20 and described["control"]["cfi"] == 3
    assert (described["ues"][0]["weight"], described["ues"][0]["rnti"]) == (2, 70)
    assert_known(described)


def test_cqis_of_both_carriers(settings):
    (ue,) = cell(settings(ues={"ue1": {"peer": "enb", "cqi_dl": 9, "second_cqi_dl": 5}}))["ues"]
    assert (ue["cqi_dl"], ue["second_cqi_dl"]) == (9, 5) and "second_cqi_ul" not in ue


@pytest.mark.parametrize(("en_dc", "beside", "has"), [
    ({}, {}, False), ({"channel": ROUTE}, {}, True), ({}, {"channel": ROUTE}, True)])
def test_the_daemon_reads_a_channel_where_either_has_one(settings, en_dc, beside, has):
    described = daemon(settings(en_dc, **beside), Path("run"), 1, [], False, 0, {})
    assert described.get("channel") == ("run/channel.trace" if has else None)
