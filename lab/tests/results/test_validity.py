# SPDX-License-Identifier: GPL-2.0-or-later
"""Every reason that makes a run invalid fires, and none does for a sound run."""

import copy

import pytest

from cellbed.results.validity import in_words, judge
from cellbed.scenario.description import expand

SOUND = {
    "radio": {
        "lateness": {"p99_us": 80.0, "missed_ttis": 0},
        "ports": {"ue1": {"tun_tx_dropped": 0, "write_errors": 0, "refused_pkts": {"oversize": 0, "not_ipv4": 3}}},
        "pkts_dropped": {"queue_full": 0, "radio_loss": 0},
    },
    "probe": {"lost": 0},
    "reread_mib": 0,
    "cpu_steal_percent": 0.1,
    "clock": {"start_ns": 5 * 10**8, "steps": [{"t_ns": 10**9, "step_ns": -10**6, "off_ns": -10**6}]},
    "capture_dropped": {"ue1": 0},
    "sysctls": {"ue1": {"ipv4/tcp_sack": ["0", "0"], "ipv4/not_in_this_kernel": ["1", None],
                        "ipv4/tcp_rmem": ["4096 131072 67108864", "4096\t131072\t67108864"]}},
    "offloads": {"ue1": {"tcp-segmentation-offload": "off"}},
    "congestion_control": {"file": "reno"},
    "workload_errors": {"file": None},
    "tracepoints": {"lost": 0},
    "links": [{"from": "server", "to": "enb", "sent_pkts": 100, "lost_pkts": 3, "overflow_pkts": 0}],
}


@pytest.fixture
def settings(minimal, write):
    return expand(write(minimal))[1][0].settings


def change(path, value):
    facts = copy.deepcopy(SOUND)
    *parents, last = path
    at = facts
    for key in parents:
        at = at[key]
    at[last] = value
    return facts


def test_a_sound_run_is_valid(settings):
    assert judge(SOUND, settings) == {"verdict": "valid", "reasons": []}


def test_offloads_that_a_scenario_asks_for_are_no_reason(settings):
    asked = {**settings, "tcp": {**settings["tcp"], "segmentation_offload": True}}
    facts = change(("offloads", "ue1", "tcp-segmentation-offload"), "on")
    assert judge(facts, asked)["verdict"] == "valid"


@pytest.mark.parametrize(("path", "value", "code"), [
    (("radio", "lateness", "p99_us"), 1000.1, "lateness_p99"),
    (("radio", "lateness", "missed_ttis"), 1, "missed_ttis"),
    (("cpu_steal_percent",), 5.1, "cpu_steal"),
    (("clock", "steps"), [{"t_ns": 10**9, "step_ns": 1_000_001, "off_ns": 1_000_001}], "clock_step"),
    (("radio", "ports", "ue1", "tun_tx_dropped"), 1, "tun_drops"),
    (("radio", "ports", "ue1", "tun_tx_dropped"), None, "tun_gone"),
    (("radio", "ports", "ue1", "write_errors"), 1, "tun_drops"),
    (("radio", "ports", "ue1", "refused_pkts", "oversize"), 1, "offload"),
    (("radio", "pkts_dropped", "queue_full"), 1, "queue_drops"),
    (("probe", "lost"), 1, "probe_lost"),
    (("reread_mib",), 700, "memory"),
    (("capture_dropped", "ue1"), 1, "capture_drops"),
    (("sysctls", "ue1", "ipv4/tcp_sack"), ["0", "1"], "sysctl"),
    (("offloads", "ue1", "tcp-segmentation-offload"), "on", "offload"),
    (("congestion_control", "file"), "cubic", "congestion_control"),
    (("tracepoints", "lost"), 1, "tracepoints_lost"),
    (("links", 0, "overflow_pkts"), 1, "wired_drops"),
    (("workload_errors", "file"), "unable to connect", "workload"),
])
def test_each_reason_fires(settings, path, value, code):
    verdict = judge(change(path, value), settings)
    assert verdict["verdict"] == "invalid"
    assert [reason["code"] for reason in verdict["reasons"]] == [code]
    assert set(verdict["reasons"][0]) == {"code", "text", "value", "bound"}


def test_a_machine_that_is_too_slow_is_told_with_what_it_cost(settings):
    """No wake-up needs to be late: the sender has too little CPU."""
    late = change(("cpu_wait_percent",), 25.06)
    late["radio"] |= {"start_ns": 0, "end_ns": 10**10, "ttis_active": 4000, "bytes_delivered": 5 * 10**6}
    (reason,) = judge(late, settings)["reasons"]
    assert (reason["code"], reason["value"], reason["bound"]) == ("cpu_wait", 25.1, 10)
    assert in_words([reason]) == (
        "the radio delivered 4 Mbit/s, and 10 in the 40 % of the time in which it had something to send; processes of "
        "the run waited for a CPU, percent of the time (25.1, allowed 10)")
    nr = {**settings, "radio": {**settings["radio"], "system": "nr", "nr": {"numerology": 1}}}
    assert "and 20 in the 20 % of the time" in judge(late, nr)["reasons"][0]["text"]
    allowed = {**settings, "validity": {**settings["validity"], "cpu_steal_percent": 100}}
    for facts, of in ((late, allowed), (change(("cpu_wait_percent",), 10), settings)):
        assert judge(facts, of)["verdict"] == "valid"


def test_missed_sub_frames_are_told_as_a_share(settings):
    late = change(("radio", "lateness", "missed_ttis"), 50)
    late["radio"] |= {"start_ns": 0, "end_ns": 10**10}
    assert in_words(judge(late, settings)["reasons"]) == \
        "wake-ups later than a sub-frame, 0.5 % of the radio's time (50, allowed 0)"


def test_queue_drops_are_valid_where_the_scenario_allows_them(settings):
    allowed = {**settings, "validity": {**settings["validity"], "queue_drops_allowed": True}}
    for path in (("radio", "pkts_dropped", "queue_full"), ("links", 0, "overflow_pkts")):
        assert judge(change(path, 9), allowed)["verdict"] == "valid"


def test_drops_of_a_routers_queue_are_what_a_core_network_is_for(handover, write):
    settings = expand(write(handover))[1][0].settings
    link = {"to": "tenb", "sent_pkts": 100, "lost_pkts": 0, "overflow_pkts": 9, "early_drop_pkts": 9, "marked_pkts": 9}

    def codes(source):
        return [reason["code"] for reason in judge(change(("links", 0), {**link, "from": source}), settings)["reasons"]]

    assert codes("router") == []
    assert codes("sgw") == codes("server") == ["wired_drops"]
    tun_drops = change(("radio", "ports", "ue1", "tun_tx_dropped"), 1)
    assert [reason["code"] for reason in judge(tun_drops, settings)["reasons"]] == ["tun_drops"]


def steps(*ms):
    """Steps of the clock, one each second."""
    total, found = 0, []
    for n, step in enumerate(ms):
        total += step
        found.append({"t_ns": 10**9 * (n + 1), "step_ns": round(step * 1e6), "off_ns": round(total * 1e6)})
    return found


def test_a_step_of_the_clock_is_told_with_its_time_and_size(settings):
    (reason,) = judge(change(("clock", "steps"), steps(-100)), settings)["reasons"]
    assert reason["text"].startswith("the machine's clock was set by -100.0 ms, seen at 0.5 s")
    assert (reason["value"], reason["bound"]) == (100, 1)


def test_small_steps_add_up_and_some_cancel(settings):
    (reason,) = judge(change(("clock", "steps"), steps(0.6, 0.3, 0.6)), settings)["reasons"]
    assert "by +0.6 ms, seen at 2.5 s, and 2 more times" in reason["text"] and reason["value"] == 1.5
    assert judge(change(("clock", "steps"), steps(0.9, -0.9, 0.9)), settings)["verdict"] == "valid"


def test_the_bound_of_a_step_is_the_scenarios(minimal, write):
    minimal["validity"] = {"clock_step_ms": 200}
    settings = expand(write(minimal))[1][0].settings
    assert judge(change(("clock", "steps"), steps(-100)), settings)["verdict"] == "valid"
    assert judge(change(("clock", "steps"), steps(-201)), settings)["verdict"] == "invalid"
