# SPDX-License-Identifier: GPL-2.0-or-later
"""Recorded links with trains (CellReplay) beside a model of them that was written separately, and some by hand."""

import bisect
import itertools
import math

import pytest
from draw import plans
from examples import examples
from hypothesis import given
from recording import DOWN, MS, NETWORK_SIDE, STEPS, UE, UP, Link, Plan, new_cell, plan, run

US = 1000
BUSY = [10, 10, 20]

many = examples(150)
links = plans(lambda choices: plan(choices, with_trains=True), 320)


def toward_zero(a, b):
    return math.trunc(a / b) if abs(a) < 2**52 else abs(a) // b * (1 if a > 0 else -1)


def base_delay_ns(recording, t_ns):
    """Between two trains in proportion."""
    at_ns = t_ns % (recording[-1][0] * MS)
    k = min(max(bisect.bisect_right([r[0] * MS for r in recording], at_ns) - 1, 0), len(recording) - 2)
    (from_ms, delay, _), (end, after, _) = recording[k], recording[k + 1]
    since_us = (at_ns - from_ms * MS) // US
    if since_us <= 0:
        return k, delay * MS
    return k, delay * MS + toward_zero((after - delay) * since_us, end - from_ms) * US


def size_ns(sizes, length):
    if not sizes:
        return 0
    if length < 100:
        return sizes[0] * US
    low = length // 100 - 1
    if low >= len(sizes) - 1:
        return sizes[-1] * US
    return (sizes[low] + toward_zero((sizes[low + 1] - sizes[low]) * (length % 100), 100)) * US


def leaving(cfg, recording, sizes, gap_ms, arrivals):
    """[(tag, length, t_ns, meets the busy link)] in the order of arrivals."""
    found, train, leaves, last = [], None, 0, 0
    for tag, now, length in arrivals:
        if train is None or now + train["delay"] > leaves + gap_ms * MS:
            k, delay = base_delay_ns(recording, now)
            train = {"start": now, "delay": delay, "offsets": recording[k][2]}
        # Opportunities that are over are used up; a packet that fits one is never split.
        start, n = train["start"], len(train["offsets"])
        at = train.get("at", 0)
        while at < n and now - start > train["offsets"][at] * MS:
            at, train["room"] = at + 1, cfg.bytes
        room = train.get("room", cfg.bytes)
        if length <= cfg.bytes and room < length:
            at, room = at + 1, cfg.bytes
        need = length
        while need > room:
            need, at, room = need - room, at + 1, cfg.bytes
        train["at"], train["room"] = at, room - need
        past = at >= n
        leaves = now + max(train["delay"], train["offsets"][-1] * MS) if past else \
            start + train["delay"] + train["offsets"][at] * MS
        t = leaves
        if (sized := leaves + size_ns(sizes, length)) >= max(now, last):
            t = sized
        if t < last:
            t, past = last, True
        last = t
        found.append((tag, length, t, past))
    return found


def model(cfg, trace, recording, sizes, gap_ms, arrivals):
    """{tag: time there} of one way."""
    todo, waiting, there = leaving(cfg, recording, sizes, gap_ms, arrivals), [], {}
    for t_ns in (turn * trace[-1] * MS + ms * MS for turn in itertools.count() for ms in trace):
        while todo and todo[0][2] <= t_ns:
            tag, length, at, past = todo.pop(0)
            if not past and not waiting:
                there[tag] = at
            elif len(waiting) < cfg.queue_pkts and not (
                    cfg.queue_bytes and sum(left for _, _, left in waiting) + length > cfg.queue_bytes):
                waiting.append([tag, at, length])
        room = cfg.bytes
        while room and waiting and waiting[0][1] < t_ns:
            taken = min(room, waiting[0][2])
            waiting[0][2] -= taken
            room -= taken
            if waiting[0][2] == 0:
                there[waiting.pop(0)[0]] = t_ns
        if not todo and not waiting:
            return there
    raise AssertionError


def down(recorded, arrivals, keys=None, sizes=()):
    """{tag: ms} of packets to the UE, (ms, length) each, over a busy link of BUSY."""
    link = Link((BUSY, BUSY), ([], recorded), ([], list(sizes)), {"bytes": 1400, **(keys or {})})
    there = run(Plan([link], [(round(t * MS), UE | NETWORK_SIDE, n) for t, n in arrivals]))[1]
    return [t / MS for _, t in sorted(there.items())]


# Trains at 0 and 100 ms, whose first packets took 20 and 40 ms; a turn of 200 ms.
RECORDED = [(0, 20, [0, 0, 5, 9]), (100, 40, [0, 1]), (200, 40, [0])]


def test_a_packet_after_a_pause_takes_the_base_delay():
    assert down(RECORDED, [(1000, 1400)]) == [1020]
    assert down(RECORDED, [(1050, 1400)]) == [1080]  # half way from 20 to 40
    assert down(RECORDED, [(1150, 1400)]) == [1190]  # from 40 to 40


def test_a_train_has_its_opportunities():
    assert down(RECORDED, [(1000, 1400)] * 4) == [1020, 1020, 1025, 1029]


def test_small_packets_share_an_opportunity_and_none_is_split():
    assert down(RECORDED, [(1000, 700), (1000, 700), (1000, 900), (1000, 900)]) == [1020, 1020, 1020, 1025]


def test_an_opportunity_that_is_over_is_no_more():
    assert down(RECORDED, [(1000, 1400), (1001, 1400)], {"downlink_gap_ms": 5}) == [1020, 1025]


def test_what_is_too_much_for_the_train_meets_the_busy_link():
    """The fifth comes there at 1020, but leaves no sooner than the fourth; opportunities are at 1030, 1030, 1040."""
    assert down(RECORDED, [(1000, 1400)] * 7) == [1020, 1020, 1025, 1029, 1030, 1030, 1040]


def test_a_gap_starts_another_train():
    arrivals = [(1000, 1400)] * 2 + [(1010, 1400)]
    assert down(RECORDED, arrivals)[-1] == 1032  # 22 after it came: nothing would leave for 12 ms
    assert down(RECORDED, arrivals, {"downlink_gap_ms": 50})[-1] == 1040  # past its train, at a busy link's 1040


def test_a_size_has_a_delay_of_its_own():
    sizes = [-2000, -1000, 0]
    assert down(RECORDED, [(1000, 60)], sizes=sizes) == [1018]
    assert down(RECORDED, [(1000, 250)], sizes=sizes) == [1019.5]
    assert down(RECORDED, [(1000, 1400)], sizes=sizes) == [1020]
    assert down(RECORDED, [(1000, 1400), (1000, 60)], sizes=sizes) == [1020, 1020]  # it would overtake


def test_the_busy_link_alone_is_as_before():
    assert down([], [(1000, 1400)] * 3) == [1010, 1010, 1020]


@many
@given(links)
def test_each_packet_is_there_when_the_model_says(plan):
    expected = {}
    for link, way, arrivals in plan.flows():
        gap_ms = {UP: link.cfg.uplink_gap_ms, DOWN: link.cfg.downlink_gap_ms}[way]
        expected |= model(link.cfg, link.ms[way], link.trains[way], link.sizes[way], gap_ms, arrivals)
    assert run(plan)[1] == expected


@many
@given(links)
def test_any_steps_give_the_same_and_nothing_is_lost_from_sight(plan):
    cells = [run(plan, step)[0] for step in STEPS]
    assert len({cell.digest() for cell in cells}) == 1
    for cell in cells[1:]:
        assert cell.outputs == cells[0].outputs
    cells[0].done()
    stats = cells[0].stats()
    assert stats.pkts_held == 0
    assert stats.pkts_in == stats.pkts_delivered + sum(stats.pkts_dropped)


@many
@given(links)
def test_packets_keep_their_order(plan):
    there = run(plan)[1]
    for _, _, arrivals in plan.flows():
        times = [there[tag] for tag, _, _ in arrivals if tag in there]
        assert times == sorted(times)


RECORDING = [(0, 1, [0, 1]), (9, 1, [0])]


@pytest.mark.parametrize(("trains", "keys", "count", "field"), [
    (RECORDING, {}, "n_trains", "n_trains"), (RECORDING, {"delay_ms": 1}, None, "delay_ms"),
    (RECORDING, {}, "n_train_offsets", "train_offset_ms"), ([(5, 1, [0]), (4, 1, [0])], {}, None, "train")])
@pytest.mark.parametrize("own", [False, True])
def test_wrong_recordings(trains, keys, count, field, own):
    """In the link of all UEs, and in that of one; @count: of entries, one where there are more."""
    right = Link((BUSY, BUSY))
    wrong = Link((BUSY, BUSY), (trains, []), keys=keys)
    if count:
        setattr(wrong.cfg.way[UP], count, 1)
    with pytest.raises(ValueError, match=field):
        new_cell([right, wrong] if own else [wrong])
    assert new_cell([right, right])
