# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP Prague of the lab kernel, on the wire: its marks, its answer to them, its growth, and what it does without them.

Source: draft-briscoe-iccrg-prague-congestion-control-04, 2.3 and 2.4; RFC 9331 4.1 to 4.3
"""

import pytest
from tcp_events import execute
from test_tcp_recovery import RECOVERY, recoveries, sent

pytestmark = pytest.mark.lab

CWR = 2
# The receiver's, in segments.
WINDOW = 65
NOT_ECT, ECT_1 = 0, 1
# The first mark ends slow start here.
FIRST = 60
LATER = range(FIRST, 6000, 40)
UNMARKED = 12_000


def case(marked=(), lost=(), *, accecn=True, segments=1000, **more):
    return {"congestion_control": "prague", "transfers": [segments], "lost": list(lost), "marked": list(marked),
            "accecn": accecn, "window": WINDOW, **more}


CASES = {
    "one-mark": case([FIRST]),
    "marks": case(LATER, segments=6000),
    "all-marked": case(range(FIRST, 1000)),
    "loss": case(lost=[FIRST]),
    "mark-and-loss": case([FIRST], lost=[FIRST + 3]),
    "timeout": case([FIRST], lost=range(590, 600), transfers=[600, 1000]),
    "no-accurate-ecn": case([FIRST], lost=[FIRST + 100], accecn=False),
    # Marks hold the window below what the path carries for 700 round trips, so that there is no queue.
    "short-rtt": case(range(FIRST, UNMARKED, 8), rtt_ms=5, segments=UNMARKED + 1500),
}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The events of every case, from one boot."""
    return execute("7.3", tmp_path_factory.mktemp("guest"), CASES)


def cuts(events):
    """Pairs of events, before and after the window was reduced because of a mark."""
    return [(before, after) for before, after in zip(events, events[1:], strict=False)
            if after.state == CWR != before.state]


@pytest.mark.parametrize("name", [name for name in CASES if name != "no-accurate-ecn"])
def test_every_packet_is_ect_1(executed, name):
    assert {event.ecn for event in executed[name] if event.what == "sent"} == {ECT_1}


def test_slow_start_ends_with_the_first_mark_and_half_of_the_window(executed):
    ((before, after),) = cuts(executed["one-mark"])
    assert after.segment == FIRST + 1
    assert after.cwnd == after.ssthresh == before.cwnd // 2
    assert before.ssthresh > 1_000_000


def test_the_window_grows_by_a_segment_in_a_round_trip_also_after_a_mark(executed):
    events = executed["one-mark"]
    ((_, after),) = cuts(events)
    cwnd, segment, grown = after.cwnd, after.segment, []
    for event in events[events.index(after):]:
        if event.what == "ack" and cwnd < event.cwnd < WINDOW:
            grown.append((event.cwnd, event.segment - segment))
            cwnd, segment = event.cwnd, event.segment
    assert [cwnd for cwnd, _ in grown] == list(range(after.cwnd + 1, after.cwnd + 1 + len(grown)))
    # The first is still in that round trip. Then the window is not full until what was too much has left.
    assert grown[0][1] <= after.cwnd + 1
    assert all(acked == pytest.approx(cwnd, abs=2) for cwnd, acked in grown[2:]) and len(grown) > 10


class Prague:
    """The draft's alpha, in floating point: a round begins with what is sent, and ends when that is acknowledged."""

    def __init__(self):
        self.alpha, self.marked, self.round_end = 1.0, False, 0
        self.acked = self.ce = 0

    def ack(self, event, newest, n_ce):
        self.acked += 1
        self.ce += n_ce
        first, self.marked = not self.marked and self.ce > 0, self.marked or self.ce > 0
        if first or event.segment < self.round_end:
            return
        if self.marked:
            self.alpha += (self.ce / self.acked - self.alpha) / 16
        self.acked, self.ce, self.round_end = 0, 0, newest + 1


def test_marks_reduce_the_window_by_half_of_their_smoothed_share(executed):
    events = executed["marks"]
    reduced = {events.index(after): (before, after) for before, after in cuts(events)}
    assert len(reduced) > 50
    model, newest, ratios = Prague(), 0, []
    for i, event in enumerate(events):
        if event.what == "sent":
            newest = max(newest, event.segment)
            continue
        model.ack(event, newest, event.segment - 1 in LATER)
        if i in reduced:
            before, after = reduced[i]
            assert after.cwnd == pytest.approx(before.cwnd * (1 - model.alpha / 2), abs=1.5)
            ratios.append(after.cwnd / before.cwnd)
    assert ratios[0] == pytest.approx(0.5, abs=0.02) and min(ratios[-20:]) > 0.8


def test_marks_of_one_round_trip_are_one_reduction(executed):
    events = executed["marks"]
    for (_, first), (_, second) in zip(cuts(events), cuts(events)[1:], strict=False):
        assert second.us - first.us >= 30_000


def test_where_every_packet_is_marked_the_window_is_two_segments(executed):
    events = executed["all-marked"]
    assert events[-1].cwnd == 2
    assert min(event.cwnd for event in events) == 2


def test_a_loss_halves_the_window(executed):
    events = executed["loss"]
    entry = recoveries(events)[0]
    before = events[events.index(entry) - 1]
    assert entry.ssthresh == before.cwnd // 2
    after = next(event for event in events[events.index(entry):] if event.state < CWR)
    assert after.cwnd == pytest.approx(entry.ssthresh, abs=1)
    assert len(sent(events, FIRST)) == 2


def test_a_loss_adds_nothing_to_a_mark_of_its_round_trip(executed):
    events = executed["mark-and-loss"]
    ((before, marked),) = cuts(events)
    entry = recoveries(events)[0]
    assert marked.us <= entry.us < marked.us + 30_000 * before.cwnd / 20
    assert entry.ssthresh == before.cwnd // 2
    assert len(sent(events, FIRST + 3)) == 2 and events[-1].segment == 1000


def test_a_timeout_starts_again_with_slow_start_to_half(executed):
    events = executed["timeout"]
    lost = next(i for i, event in enumerate(events) if event.state == 4)
    assert events[lost].ssthresh == pytest.approx(max(event.cwnd for event in events[lost - 400:lost]) // 2, abs=2)
    assert events[-1].segment == 1000 and events[-1].cwnd > events[lost].ssthresh


def test_without_accurate_ecn_it_is_reno(executed):
    events = executed["no-accurate-ecn"]
    assert {event.ecn for event in events if event.what == "sent"} == {NOT_ECT}
    assert not cuts(events)
    entry = next(event for event in events if event.state == RECOVERY)
    assert entry.ssthresh == events[events.index(entry) - 1].cwnd // 2


def test_a_short_rtt_grows_as_one_of_25_ms_after_500_round_trips(executed):
    acks = [event for event in executed["short-rtt"] if event.what == "ack" and event.segment > UNMARKED + 40]
    assert max(event.cwnd for event in acks) < 20
    grown = [after for before, after in zip(acks, acks[1:], strict=False) if after.cwnd == before.cwnd + 1]
    rounds = [(after.segment - before.segment) / before.cwnd for before, after in zip(grown, grown[1:], strict=False)]
    assert rounds == pytest.approx([(25 / 5) ** 2] * len(rounds), rel=0.1) and len(rounds) >= 2
