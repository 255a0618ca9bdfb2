# SPDX-License-Identifier: GPL-2.0-or-later
"""Bearers of UEs: what they have of the radio's, how many there can be, and what the daemon is told."""

import pytest
from minimal import HANDOVER, WIRED

from cellbed.error import ScenarioError
from cellbed.run import radio_config
from cellbed.scenario.description import expand

CALL = {"filters": [{"protocol": "udp", "remote_port": 5060}]}


def with_bearers(scenario, bearers, ue="ue1", **radio):
    """The scenario with bearers of a UE, and other keys of the radio."""
    ues = scenario["radio"]["ues"]
    return {**scenario, "radio": {**scenario["radio"], **radio, "ues": {**ues, ue: {**ues[ue], "bearers": bearers}}}}


def settings(write, scenario):
    (run,) = expand(write(scenario))[1]
    return run.settings


def test_a_bearer_is_as_the_radio_where_it_says_nothing(write):
    scenario = with_bearers(WIRED, [{**CALL, "rlc": {"mode": "um"}, "rlc_um": {"sn_bits": 5}}],
                            rlc={"mode": "am", "t_reordering_ms": 60}, pdcp={"discard_timer_ms": 300})
    (bearer,) = settings(write, scenario)["radio"]["ues"]["ue1"]["bearers"]
    assert bearer["rlc"]["mode"] == "um"
    assert bearer["rlc"]["t_reordering_ms"] == 60
    assert bearer["rlc_um"]["sn_bits"] == 5
    assert bearer["pdcp"]["discard_timer_ms"] == 300


def test_the_daemon_gets_bearers_without_keys_that_are_not_set(write):
    cell = radio_config.cell(settings(write, with_bearers(WIRED, [{**CALL, "priority": 3}])))
    (bearer,) = cell["ues"][0]["bearers"]
    assert bearer["filters"] == [{"protocol": "udp", "local_port": 0, "remote_port": 5060}]
    assert bearer["priority"] == 3


@pytest.mark.parametrize(("said", "meant"), [
    ("10.46.0.1", "10.46.0.1/32"), ("10.46.0.0/255.255.0.0", "10.46.0.0/16"), ("::/0", "::/0"),
    ("2001:DB8:46:0::1", "2001:db8:46::1/128"), ("2001:db8:46::/64", "2001:db8:46::/64")])
def test_addresses_are_prefixes(write, said, meant):
    cell = radio_config.cell(settings(write, with_bearers(WIRED, [{"filters": [{"remote_address": said}]}])))
    assert cell["ues"][0]["bearers"][0]["filters"] == [
        {"protocol": "any", "local_port": 0, "remote_port": 0, "remote_address": meant}]


@pytest.mark.parametrize(("bearers", "message"), [
    ([CALL] * 3, "key 'radio.ues.ue1.bearers': 4 bearers with rlc.mode um with sn_bits 10: allowed 3; the"),
    ([{**CALL, "rlc_um": {"sn_bits": 5}}] * 3, "3 bearers with rlc.mode um with sn_bits 5: allowed 2"),
    ([{**CALL, "rlc": {"mode": "am"}}] * 4, "4 bearers with rlc.mode am: allowed 3"),
    ([{**CALL, "rlc": {"mode": "tm"}}] * 4, "4 bearers with rlc.mode tm: allowed 3"),
    ([CALL] * 9, "key 'radio.ues.ue1.bearers': "),
])  # fmt: skip
def test_too_many_bearers(write, bearers, message):
    with pytest.raises(ScenarioError) as error:
        expand(write(with_bearers(WIRED, bearers)))
    assert message in str(error.value)


@pytest.mark.parametrize("bearers", [{"rlc": {"mode": "tm"}}, {**CALL, "rlc": {"mode": "tm"}}])
def test_a_packet_has_to_fit_where_rlc_does_not_segment(write, bearers):
    assert settings(write, with_bearers(WIRED, [bearers], n_rb=18))
    with pytest.raises(ScenarioError,
                       match="key 'radio.n_rb': value 17: rlc.mode tm does not segment, and a block is too small"):
        expand(write(with_bearers(WIRED, [bearers], n_rb=17)))


def test_a_handover_asks_the_same_of_every_bearer(write):
    bearers = [{**CALL, "rlc": {"mode": "am"}, "pdcp": {"sn_bits": 7}}]
    with pytest.raises(ScenarioError,
                       match="key 'radio.ues.me.bearers.0.pdcp.sn_bits': value 7: too few for forwarding with"):
        expand(write(with_bearers(HANDOVER, bearers, ue="me")))


def test_as_many_as_there_are_logical_channels(write):
    bearers = [{**CALL, "rlc": {"mode": mode}, "rlc_um": {"sn_bits": bits}}
               for mode, bits in [("um", 10)] * 2 + [("um", 5)] * 2 + [("am", 10)] * 3]
    assert len(settings(write, with_bearers(WIRED, bearers))["radio"]["ues"]["ue1"]["bearers"]) == 7
