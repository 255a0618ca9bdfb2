# SPDX-License-Identifier: GPL-2.0-or-later
"""BBR version 3 of the lab kernel, on the wire, by the test cases of its draft that a peer alone can make.

Source: draft-ietf-ccwg-bbr, "BBR Example Test Cases"
"""

import itertools

import pytest
from tcp_events import PER_RTT, RTT_MS, execute
from test_tcp_recovery import RECOVERY

pytestmark = pytest.mark.lab

MSS = 1000
RATE_BYTES_PER_S = PER_RTT * MSS * 1000 / RTT_MS
# Pacing and cwnd gain of each state, of 256. Source: draft-ietf-ccwg-bbr, Summary of Control Behavior
STARTUP, DRAIN, DOWN, CRUISE, UP, PROBE_RTT = (709, 512), (128, 512), (230, 512), (256, 512), (320, 576), (256, 128)
#: CRUISE has the gains of REFILL.
NAMES = {STARTUP: "startup", DRAIN: "drain", DOWN: "down", CRUISE: "cruise", UP: "up", PROBE_RTT: "probe_rtt"}


def case(segments, losing=None, **more):
    return {"congestion_control": "bbr3", "transfers": [segments], "window": 500,
            "losing": losing and {"info": list(losing[0]), "every": losing[1]}, **more}


CASES = {
    "steady": case(8000),
    "loss-in-startup": case(3000, (STARTUP, 12), per_rtt=400),
    "few-losses-in-startup": case(3000, (STARTUP, 200), per_rtt=400),
    "loss-in-up": case(4000, (UP, 8)),
    "loss-in-cruise": case(4000, (CRUISE, 10)),
    "late": case(2000, late=[600]),
    "idle": case(0, transfers=[2000, 2400]),
    "below-a-packet": case(400, per_rtt=0.5),
}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The events of every case, from one boot."""
    return execute("7.3", tmp_path_factory.mktemp("guest"), CASES)


def state(event):
    return NAMES[tuple(event.info[3:5])]


def phases(events):
    """(state, its events), one after the other."""
    return [(name, list(own)) for name, own in itertools.groupby(events, state)]


def bw(event):
    """BBR.bw in bytes per second."""
    return event.info[0] + (event.info[1] << 32)


def rounds(events):
    return (events[-1].us - events[0].us) / 1000 / RTT_MS


def test_startup_ends_where_the_delivery_rate_stays(executed):
    (first, startup), (second, drain), (third, _) = phases(executed["steady"])[:3]
    assert (first, second, third) == ("startup", "drain", "cruise")  # in_flight is down at once
    assert bw(drain[0]) == pytest.approx(RATE_BYTES_PER_S, rel=0.02)
    full = next(event for event in startup if bw(event) > 0.8 * RATE_BYTES_PER_S)
    assert 3 <= (drain[0].us - full.us) / 1000 / RTT_MS <= 8


def test_drain_leaves_about_what_the_path_carries(executed):
    _, (_, drain), *_ = phases(executed["steady"])
    assert rounds(drain) < 4
    in_flight = max(event.segment for event in drain if event.what == "sent") - max(
        event.segment for event in drain if event.what == "ack")
    assert in_flight == pytest.approx(PER_RTT, abs=4)


def test_probing_goes_round(executed):
    names = [name for name, _ in phases(executed["steady"])]
    cycle = ["cruise", "up", "down"]
    between = names[2:names.index("probe_rtt")]
    assert between == [cycle[i % 3] for i in range(len(between))] and len(between) >= 3


def test_bandwidth_is_probed_as_often_as_reno_would_lose(executed):
    """Once in as many round trips as the path carries packets, or in 2 to 3 seconds."""
    ups = [own[0].us for name, own in phases(executed["steady"]) if name == "up"]
    apart = [(after - before) / 1000 / RTT_MS for before, after in itertools.pairwise(ups)]
    assert min(apart) > PER_RTT and len(apart) >= 3


def test_the_window_is_twice_what_the_path_carries(executed):
    for name, own in phases(executed["steady"])[3:]:
        if name == "cruise":
            assert own[-1].cwnd == pytest.approx(2 * PER_RTT, abs=4)


def test_the_shortest_rtt_is_looked_for_after_five_seconds(executed):
    found = phases(executed["steady"])
    index = next(i for i, (name, _) in enumerate(found) if name == "probe_rtt")
    own = found[index][1]
    assert 5e6 <= own[0].us - executed["steady"][0].us < 6.5e6
    assert 200 <= (own[-1].us - own[0].us) / 1000 < 400
    assert min(event.cwnd for event in own) == pytest.approx(PER_RTT / 2, abs=1)
    assert found[index + 1][0] == "cruise"
    assert max(event.cwnd for event in found[index + 1][1]) >= 2 * PER_RTT - 4


def test_many_losses_end_startup_before_the_path_is_full(executed):
    events = executed["loss-in-startup"]
    _, (second, drain), *_ = phases(events)
    assert second == "drain" and bw(drain[0]) < 0.5 * 20 * RATE_BYTES_PER_S


def test_few_losses_do_not(executed):
    _, (_, drain), *_ = phases(executed["few-losses-in-startup"])
    assert bw(drain[0]) > 0.85 * 20 * RATE_BYTES_PER_S


def test_losses_end_a_probe_and_bound_the_window(executed):
    found = phases(executed["loss-in-up"])
    up = next(i for i, (name, _) in enumerate(found) if name == "up")
    assert found[up + 1][0] == "down" and rounds(found[up][1]) < 3
    later = [event for name, own in found[up + 2:] if name == "cruise" for event in own[-5:]]
    assert later and max(event.cwnd for event in later) < 1.6 * PER_RTT


def test_losses_between_probes_lower_the_bandwidth_until_the_next(executed):
    found = phases(executed["loss-in-cruise"])
    cruise = next(own for name, own in found if name == "cruise")
    lowest = min(cruise, key=bw)
    assert bw(lowest) < 0.96 * bw(cruise[0])
    up = next(own for name, own in found if name == "up")
    assert bw(up[0]) == pytest.approx(bw(cruise[0]), rel=0.05)


def test_a_loss_that_was_none_changes_nothing(executed):
    """A packet that comes half a round trip late is sent again, and a duplicate SACK tells."""
    events = executed["late"]
    assert len([event for event in events if event.what == "sent" and event.segment == 600]) == 2
    entry = next(i for i, event in enumerate(events) if event.state == RECOVERY)
    after = next(event for event in events[entry:] if event.state < RECOVERY)
    before = events[entry - 1]
    assert after.cwnd >= before.cwnd and bw(after) >= bw(before)
    assert state(after) == state(before) == "cruise"


def test_after_a_pause_the_rate_is_that_of_before(executed):
    events = executed["idle"]
    start = next(i for i, event in enumerate(events) if event.segment == 2000 and event.what == "sent")
    assert state(events[start]) in ("cruise", "down")
    assert bw(events[start]) == pytest.approx(RATE_BYTES_PER_S, rel=0.05)


def test_a_path_that_carries_less_than_a_packet_has_a_window_of_four(executed):
    """At least, so that it is never idle. The draft probes such a path in every round trip: max_bw does not age."""
    events = executed["below-a-packet"]
    assert min(event.cwnd for event in events) == 4
    acks = [event.us for event in events if event.what == "ack"]
    assert acks[-1] - acks[0] == pytest.approx(2 * RTT_MS * 1000 * (len(acks) - 1), rel=0.02)
