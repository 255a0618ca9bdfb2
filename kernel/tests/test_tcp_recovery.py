# SPDX-License-Identifier: GPL-2.0-or-later
"""The TCP variants that a paper compares: what the lab kernel's sender does on the wire when segments are lost.

Source: Nardini, section IV; RFC 2581 3.2 (Reno); RFC 6582 3.2 (NewReno); RFC 2018 (SACK)
"""

import pytest
from lab_kernel import KINDS
from tcp_events import PER_RTT, RTT_MS, execute

pytestmark = pytest.mark.lab

OPEN, RECOVERY, LOSS = 0, 3, 4
# net.ipv4.tcp_reno_recovery
LINUX, RENO, NEWRENO = 0, 1, 2
RTT_S = RTT_MS / 1000
# Segments that the path carries in an RTT, and the second window of a connection.
CWND = PER_RTT
FIRST = 10
HOLES = [FIRST, FIRST + 3]
BURST = list(range(FIRST, FIRST + 16))
# Westwood's filter has settled: 1.5 s are three time constants. Half as much again waits in front of the bottleneck,
# so that half of cwnd is not what the path carries.
SETTLED, WINDOW = 1000, 30


def case(congestion_control, lost, recovery=LINUX, *, sack=False, compressed=False, transfers=None, window=65):
    """@lost: each entry loses one transmission of that segment. @transfers: up to which segment, a pause after each."""
    return {"congestion_control": congestion_control, "lost": lost, "recovery": recovery, "sack": sack,
            "compressed": compressed, "transfers": transfers or [max(lost) + 100], "window": window}


def settled(congestion_control, lost=(SETTLED,), **more):
    return case(congestion_control, list(lost), window=WINDOW, **more)


CASES = {
    "reno-holes": case("reno", HOLES, RENO),
    "reno-burst": case("reno", BURST, RENO),
    "newreno-holes": case("reno", HOLES, NEWRENO),
    "newreno-burst": case("reno", BURST, NEWRENO),
    # The fast retransmission is lost too.
    "newreno-timeout": case("reno", [*BURST, FIRST], NEWRENO),
    "linux-holes": case("reno", HOLES),
    "linux-burst": case("reno", BURST),
    "sack-holes": case("reno", HOLES, RENO, sack=True),
    "sack-burst": case("reno", BURST, RENO, sack=True),
    "cubic-holes": case("cubic", HOLES, NEWRENO),
    "cubic-burst": case("cubic", BURST, RENO),
    "westwood+": settled("westwood"),
    "westwood+-compressed": settled("westwood", compressed=True),
    "westwood": settled("westwood_orig"),
    "westwood-compressed": settled("westwood_orig", compressed=True),
    "westwood-timeout": settled("westwood_orig", range(SETTLED, SETTLED + WINDOW)),
    "westwood-idle": settled("westwood_orig", transfers=[SETTLED, SETTLED + 100]),
}


@pytest.fixture(scope="module", params=KINDS)
def executed(request, tmp_path_factory):
    """The events of every case, from one boot."""
    return execute(request.param, tmp_path_factory.mktemp("guest"), CASES)


def sent(events, segment):
    return [event for event in events if event.what == "sent" and event.segment == segment]


def answered(events, ack):
    """What the sender transmitted between an ACK and the next event that is not a transmission."""
    answer = []
    for event in events[events.index(ack) + 1:]:
        if event.what == "ack":
            break
        answer.append(event)
    return answer


def partial_ack(events, segment):
    return next(event for event in events if event.what == "ack" and event.segment == segment)


def recoveries(events):
    """Entries into fast recovery."""
    return [after for before, after in zip(events, events[1:], strict=False)
            if after.state == RECOVERY != before.state]


def retransmitted(events):
    segments = [event.segment for event in events if event.what == "sent"]
    return sorted(n for n in set(segments) for _ in range(segments.count(n) - 1))


@pytest.mark.parametrize("name, ssthresh", [("reno-holes", CWND // 2), ("newreno-holes", CWND // 2),
                                            ("linux-holes", CWND // 2), ("sack-holes", CWND // 2),
                                            ("cubic-holes", CWND * 717 // 1024)])
def test_the_third_duplicate_ack_retransmits_and_reduces(executed, name, ssthresh):
    events = executed[name]
    entry = recoveries(events)[0]
    asking = [event for event in events[:events.index(entry) + 1]
              if event.what == "ack" and event.segment == FIRST]
    assert len(asking) == 1 + 3
    assert asking[0].cwnd == CWND
    assert entry.ssthresh == ssthresh
    assert answered(events, entry)[0].segment == FIRST


@pytest.mark.parametrize("name", ["newreno-holes", "linux-holes", "cubic-holes"])
def test_newreno_retransmits_on_the_partial_ack_and_stays_in_recovery(executed, name):
    events = executed[name]
    partial = partial_ack(events, HOLES[1])
    assert partial.state == RECOVERY
    assert answered(events, partial)[0].segment == HOLES[1]
    assert len(recoveries(events)) == 1
    assert retransmitted(events) == HOLES


def test_newreno_repairs_one_segment_per_rtt(executed):
    events = executed["newreno-burst"]
    times = [sent(events, n)[1].us for n in BURST]
    assert all(RTT_S <= (b - a) / 1e6 < 1.1 * RTT_S for a, b in zip(times, times[1:], strict=False))
    assert LOSS not in {event.state for event in events}
    assert len(recoveries(events)) == 1


def test_linux_cannot_repair_a_burst_without_sack(executed):
    """Why there is a NewReno of our own: a partial ACK brings no retransmission, and the timeout has to."""
    events = executed["linux-burst"]
    timeout = next(i for i, event in enumerate(events) if event.state == LOSS)
    assert events[timeout - 1].state == RECOVERY
    assert FIRST < events[timeout - 1].segment == events[timeout].segment < BURST[-1]
    assert (events[timeout].us - events[timeout - 1].us) / 1e6 >= 0.2


def test_classic_reno_leaves_recovery_on_the_partial_ack(executed):
    events = executed["reno-holes"]
    partial = partial_ack(events, HOLES[1])
    assert (partial.state, partial.cwnd, partial.ssthresh) == (OPEN, CWND // 2, CWND // 2)
    assert answered(events, partial) == []


def test_classic_reno_halves_again_after_three_new_duplicate_acks(executed):
    events = executed["reno-holes"]
    _, second = recoveries(events)
    asking = [event for event in events[:events.index(second) + 1]
              if event.what == "ack" and event.segment == HOLES[1]]
    assert len(asking) == 1 + 3
    assert answered(events, second)[0].segment == HOLES[1]
    assert second.ssthresh == CWND // 4


@pytest.mark.parametrize("name, ssthresh", [("reno-burst", CWND // 4), ("cubic-burst", 9)])
def test_in_classic_reno_a_burst_stalls_until_the_timeout(executed, name, ssthresh):
    events = executed[name]
    partial = partial_ack(events, FIRST + 1)
    assert partial.state == OPEN
    rest = events[events.index(partial) + 1:]
    timeout = next(event for event in rest if event.what == "sent")
    assert timeout.segment == FIRST + 1
    assert (timeout.us - partial.us) / 1e6 >= 0.2
    assert (timeout.state, timeout.cwnd, timeout.ssthresh) == (LOSS, 1, ssthresh)


@pytest.mark.parametrize("name, events_after", [("newreno-timeout", 0), ("linux-burst", 0), ("reno-burst", 1),
                                                ("cubic-burst", 1)])
def test_only_classic_reno_takes_needless_retransmissions_for_another_loss(executed, name, events_after):
    """After the timeout also what had arrived is sent again; the duplicate ACKs for it are no sign of a loss."""
    events = executed[name]
    timeout = next(i for i, event in enumerate(events) if event.state == LOSS)
    assert set(retransmitted(events)) - set(BURST)
    again = recoveries(events[timeout:])
    assert len(again) == events_after
    assert all(event.segment > BURST[-1] for event in again)


def test_sack_repairs_both_holes_in_one_recovery(executed):
    events = executed["sack-holes"]
    first, second = (sent(events, n)[1] for n in HOLES)
    assert first.state == second.state == RECOVERY
    assert (second.us - first.us) / 1e6 < RTT_S
    assert retransmitted(events) == HOLES
    assert len(recoveries(events)) == 1


def test_sack_repairs_a_burst_without_timeout_or_needless_retransmission(executed):
    events = executed["sack-burst"]
    assert retransmitted(events) == BURST
    assert LOSS not in {event.state for event in events}
    assert len(recoveries(events)) == 1


def after_loss(events):
    """ssthresh once fast recovery is over: Westwood+ sets it at the end."""
    entry = events.index(recoveries(events)[0])
    return next(event.ssthresh for event in events[entry:] if event.state == OPEN)


@pytest.mark.parametrize("name", ["westwood+", "westwood"])
def test_westwood_keeps_the_window_that_the_path_carries(executed, name):
    assert after_loss(executed[name]) == pytest.approx(CWND, rel=0.2)


def test_compressed_acks_spoil_the_original_westwood_only(executed):
    assert after_loss(executed["westwood+-compressed"]) > CWND / 2
    assert after_loss(executed["westwood-compressed"]) < CWND / 4


class Westwood:
    """The papers' estimate, in floating point. Source: Casetti, section 2; Nardini, section IV (coinciding ACKs)."""

    TAU_S, SLOT_S = 0.5, 0.001

    def __init__(self, start_s):
        self.t, self.una, self.accounted, self.b, self.bwe = start_s, 0, 0, 0.0, 0.0

    def sample(self, b, delta):
        alpha = (2 * self.TAU_S - delta) / (2 * self.TAU_S + delta)
        self.bwe = alpha * self.bwe + (1 - alpha) * (b + self.b) / 2
        self.b = b

    def acked(self, segment):
        """Segments that an ACK stands for: AckedCount of the paper."""
        count, self.una = segment - self.una, segment
        if count == 0:
            self.accounted += 1
            count = 1
        if count > 1:
            if self.accounted >= count:
                self.accounted -= count
                count = 1
            else:
                count -= self.accounted
                self.accounted = 0
        return count

    def silence(self, now):
        while now - self.t >= self.TAU_S / 2:
            self.sample(0, self.TAU_S / 2)
            self.t += self.TAU_S / 2

    def ack(self, now, segment):
        count = self.acked(segment)
        self.silence(now)
        if now - self.t < self.SLOT_S:
            self.sample(0, 0)
        else:
            self.sample(count / (now - self.t), now - self.t)
            self.t = now


@pytest.mark.parametrize("name", ["westwood", "westwood-compressed", "westwood-timeout", "westwood-idle"])
def test_the_original_westwood_estimates_as_its_paper_says(executed, name):
    events = executed[name]
    loss = next(event for event in events if event.state in (RECOVERY, LOSS))
    assert loss.state == (LOSS if name == "westwood-timeout" else RECOVERY)
    model = Westwood(events[0].us / 1e6)
    for event in events[:events.index(loss) + 1]:
        if event.what == "ack":
            model.ack(event.us / 1e6, event.segment)
    model.silence(loss.us / 1e6)
    assert loss.ssthresh == pytest.approx(max(2, model.bwe * RTT_S), abs=1)
