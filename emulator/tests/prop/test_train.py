# SPDX-License-Identifier: GPL-2.0-or-later
"""Recorded links with trains (CellReplay) beside a model of them that is written down anew, and some by hand."""

import bisect
import itertools
import math

import pytest
from coreffi import Cell, constant, ffi, lib
from hypothesis import given, settings
from hypothesis import strategies as st
from test_opportunity import MS, NETWORK_SIDE, UE, at_once, carry, every_event, every_output, traces

US = 1000
MTU = constant("CELL_UE_MTU_MAX")
BUSY = [10, 10, 20]

many = settings(max_examples=150)
offsets = st.lists(st.integers(0, 25), min_size=1, max_size=4).map(sorted)


@st.composite
def recordings(draw):
    """[(at_ms, delay_ms, [offset_ms])] of one way, two or more."""
    times = sorted(draw(st.lists(st.integers(0, 120), min_size=2, max_size=6)))
    times[-1] = max(times[-1], 1)
    return [(t, draw(st.integers(0, 30)), draw(offsets)) for t in times]


@st.composite
def plans(draw):
    """(configuration, opportunities, trains, sizes, arrivals); of both ways, arrivals are (t_ns, port, length)"""
    cfg = {"opportunity_bytes": draw(st.sampled_from([500, 1400, 1500])), "max_pkts": 64,
           "opportunity_queue_pkts": draw(st.sampled_from([1, 3, 1000])),
           "train_gap_ul_ms": draw(st.sampled_from([0, 5, 50])), "train_gap_dl_ms": draw(st.sampled_from([0, 5, 50]))}
    sizes = st.lists(st.integers(-3000, 3000), max_size=4)
    t_ns, arrivals = 0, []
    for _ in range(draw(st.integers(1, 25))):
        t_ns += draw(st.sampled_from([0, 0, 1, MS - 1, MS, 3 * MS, 10 * MS, 47 * MS, 777 * MS]))
        length = draw(st.sampled_from([1, 99, 100, 500, 700, 1400, MTU]) | st.integers(1, MTU))
        arrivals.append((t_ns, draw(st.sampled_from([UE, NETWORK_SIDE, NETWORK_SIDE])), length))
    return (cfg, (draw(traces), draw(traces)), (draw(recordings()), draw(recordings())), (draw(sizes), draw(sizes)),
            arrivals)


def toward_zero(a, b):
    return math.trunc(a / b) if abs(a) < 2**52 else abs(a) // b * (1 if a > 0 else -1)


def base_delay_ns(recording, t_ns):
    """Between two trains in proportion."""
    at_ns = t_ns % (recording[-1][0] * MS)
    k = min(max(bisect.bisect_right([r[0] * MS for r in recording], at_ns) - 1, 0), len(recording) - 2)
    (begin, delay, _), (end, after, _) = recording[k], recording[k + 1]
    since_us = (at_ns - begin * MS) // US
    if since_us <= 0:
        return k, delay * MS
    return k, delay * MS + toward_zero((after - delay) * since_us, end - begin) * US


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
            at, train["room"] = at + 1, cfg["opportunity_bytes"]
        room = train.get("room", cfg["opportunity_bytes"])
        if length <= cfg["opportunity_bytes"] and room < length:
            at, room = at + 1, cfg["opportunity_bytes"]
        need = length
        while need > room:
            need, at, room = need - room, at + 1, cfg["opportunity_bytes"]
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
            elif len(waiting) < cfg["opportunity_queue_pkts"]:
                waiting.append([tag, at, length])
        room = cfg["opportunity_bytes"]
        while room and waiting and waiting[0][1] < t_ns:
            taken = min(room, waiting[0][2])
            waiting[0][2] -= taken
            room -= taken
            if waiting[0][2] == 0:
                there[waiting.pop(0)[0]] = t_ns
        if not todo and not waiting:
            return there
    raise AssertionError


def configuration(cfg, ms, recorded, sizes):
    """As cell_cfg wants it, with the arrays that it points to."""
    keep = {"opportunity_ms": [ffi.new("uint32_t[]", way) for way in ms]}
    trains, all_offsets = [], []
    for way in recorded:
        flat, records = [], []
        for at, delay, own in way:
            records.append({"at_ms": at, "delay_ms": delay, "first": len(flat), "n": len(own)})
            flat += own
        trains.append(records)
        all_offsets.append(flat)
    keep["train"] = [ffi.new("struct cell_train[]", way) if way else ffi.NULL for way in trains]
    keep["train_offset_ms"] = [ffi.new("uint32_t[]", way) for way in all_offsets]
    keep["train_size_us"] = [ffi.new("int32_t[]", way) for way in sizes]
    return {**cfg, **keep, "system": lib.CELL_SYSTEM_PACKET_TRACE, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}],
            "n_opportunities": [len(way) for way in ms], "n_trains": [len(way) for way in trains],
            "n_train_offsets": [len(way) for way in all_offsets], "n_train_sizes": [len(way) for way in sizes]}, keep


def play(plan, step=every_event):
    """(cell, {tag: time there}) of a plan played to its end."""
    cfg, ms, recorded, sizes, arrivals = plan
    whole, keep = configuration(cfg, ms, recorded, sizes)
    cell = Cell(whole)
    cell.arrays = keep  # the core does not copy them
    return cell, carry(cell, arrivals, step)


def down(recorded, arrivals, cfg=None, sizes=()):
    """{tag: ms} of packets to the UE, (ms, length) each, over a busy link of BUSY."""
    plan = ({"opportunity_bytes": 1400, "max_pkts": 64, **(cfg or {})}, (BUSY, BUSY), ([], recorded),
            ([], list(sizes)), [(round(t * MS), NETWORK_SIDE, n) for t, n in arrivals])
    return [t / MS for _, t in sorted(play(plan)[1].items())]


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
    assert down(RECORDED, [(1000, 1400), (1001, 1400)], {"train_gap_dl_ms": 5}) == [1020, 1025]


def test_what_is_too_much_for_the_train_meets_the_busy_link():
    """The fifth comes there at 1020, but leaves no sooner than the fourth; opportunities are at 1030, 1030, 1040."""
    assert down(RECORDED, [(1000, 1400)] * 7) == [1020, 1020, 1025, 1029, 1030, 1030, 1040]


def test_a_gap_begins_another_train():
    arrivals = [(1000, 1400)] * 2 + [(1010, 1400)]
    assert down(RECORDED, arrivals)[-1] == 1032  # 22 after it came: nothing would leave for 12 ms
    assert down(RECORDED, arrivals, {"train_gap_dl_ms": 50})[-1] == 1040  # past its train, at a busy link's 1040


def test_a_size_has_a_delay_of_its_own():
    sizes = [-2000, -1000, 0]
    assert down(RECORDED, [(1000, 60)], sizes=sizes) == [1018]
    assert down(RECORDED, [(1000, 250)], sizes=sizes) == [1019.5]
    assert down(RECORDED, [(1000, 1400)], sizes=sizes) == [1020]
    assert down(RECORDED, [(1000, 1400), (1000, 60)], sizes=sizes) == [1020, 1020]  # it would overtake


def test_the_busy_link_alone_is_as_before():
    assert down([], [(1000, 1400)] * 3) == [1010, 1010, 1020]


@many
@given(plans())
def test_each_packet_is_there_when_the_model_says(plan):
    cfg, ms, recorded, sizes, arrivals = plan
    expected = {}
    for way, port, gap in ((0, UE, "train_gap_ul_ms"), (1, NETWORK_SIDE, "train_gap_dl_ms")):
        own = [(tag, t, n) for tag, (t, p, n) in enumerate(arrivals) if p == port]
        expected |= model(cfg, ms[way], recorded[way], sizes[way], cfg[gap], own)
    assert play(plan)[1] == expected


@many
@given(plans())
def test_any_steps_give_the_same_and_nothing_is_lost_from_sight(plan):
    cells = [play(plan, step)[0] for step in (every_event, at_once, every_output)]
    assert len({cell.digest() for cell in cells}) == 1
    for cell in cells[1:]:
        assert cell.outputs == cells[0].outputs
    cells[0].done()
    stats = cells[0].stats()
    assert stats.pkts_held == 0
    assert stats.pkts_in == stats.pkts_delivered + sum(stats.pkts_dropped)


@many
@given(plans())
def test_packets_keep_their_order(plan):
    there = play(plan)[1]
    for port in (UE, NETWORK_SIDE):
        times = [there[tag] for tag, (_, p, _) in enumerate(plan[4]) if p == port and tag in there]
        assert times == sorted(times)


@pytest.mark.parametrize(("change", "field"), [
    ({"n_trains": [1, 0]}, "n_trains"), ({"opportunity_delay_ms": 1}, "opportunity_delay_ms"),
    ({"n_train_offsets": [1, 0]}, "train_offset_ms"), ({"train": [[(5, 1, [0]), (4, 1, [0])], []]}, "train")])
def test_wrong_recordings(change, field):
    recorded = change.pop("train", ([(0, 1, [0, 1]), (9, 1, [0])], []))
    whole, keep = configuration({"max_pkts": 64}, (BUSY, BUSY), recorded, ([], []))
    with pytest.raises(ValueError, match=field):
        Cell({**whole, **change})
    assert keep
