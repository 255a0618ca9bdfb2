# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for packets on their way over a link: losses, delays, order, copies and slots, by the formulae of the
models and, where nothing is drawn, worked out beside the core."""

import itertools
from collections import Counter
from statistics import NormalDist

import numpy as np
import pytest
from coreffi import NEVER, Cell, ffi, lib
from draw import Choices, plans
from hypothesis import given
from hypothesis import strategies as st

MS, US = 1_000_000, 1000
NETWORK_SIDE, DOWN = 0x80, 0x81
Q32 = 2**32 - 1
BURST = 50  # packets that are pushed at a time
SLACK_US = 30  # more than they take to be sent
SIGMAS = 5


def netem(delays=(), losses=(), **parameters):
    """struct cell_netem as cffi takes it, and what it points to; probabilities as numbers up to 1."""
    kept = [ffi.new("struct cell_delay[]", [{"at_ms": t, "delay_us": us} for t, us in delays]),
            ffi.new("uint8_t[]", list(losses))]
    fields = {f"{name}_q32" if isinstance(value, float) else name: int(value * Q32) if isinstance(value, float) else
              value for name, value in parameters.items()}
    if delays:
        fields |= {"delay": kept[0], "n_delays": len(delays)}
    if losses:
        fields |= {"lost": kept[1], "n_lost": len(losses)}
    return fields, kept


def cell_of(fields, seed=1, max_pkts=1024, **keys):
    return Cell({"system": lib.CELL_SYSTEM_CONSTANT_RATE, "n_ue": 1, "ue": [{"peer": 0, "mode": 0}], "seed": seed,
                 "max_pkts": max_pkts, "constant.dl_rate_bps": 10**9, "constant.delay_ms": 0, **keys,
                 "constant.netem": [{}, fields]})


def sent(wanted, packets=20_000, gap_ns=MS, seed=1, length=40, **keys):
    """A cell after so many packets, in bursts."""
    fields, kept = wanted
    cell = cell_of(fields, seed, **keys)
    for first in range(0, packets, BURST):
        t_ns = first // BURST * gap_ns
        cell.advance(t_ns)
        for tag in range(first, first + BURST):
            assert cell.push(DOWN, bytes(length), tag, t_ns) == 0
    while (due_ns := cell.next()) != NEVER:
        cell.advance(due_ns)
    assert kept
    return cell


def lost(cell, packets=20_000):
    """Of each packet, whether it was lost."""
    gone = {o.tag for o in cell.of(lib.CELL_OUT_DROP) if o.reason == lib.CELL_DROP_RADIO_LOSS}
    return np.array([tag in gone for tag in range(packets)])


def bursts(losses):
    return [len(list(group)) for value, group in itertools.groupby(losses) if value]


def within(found, expected, deviation, n):
    assert abs(found - expected) <= SIGMAS * deviation / n**0.5, (found, expected)


# --- losses ---


@pytest.mark.parametrize(("p", "r", "bad", "good"), [
    (0.01, 0.2, 1.0, 0.0), (0.05, 0.5, 1.0, 0.0), (0.02, 0.1, 0.5, 0.001), (0.3, 0.3, 0.2, 0.9), (0.1, 1.0, 1.0, 0.0)])
def test_gilbert_elliott_loses_what_its_formula_says(p, r, bad, good):
    """Mean loss of both states by how long the chain is in them; losses of a chain are correlated by 1 - p - r."""
    losses = lost(sent(netem(loss=lib.CELL_NETEM_LOSS_GEMODEL, p=p, r=r, bad=bad, good=good)))
    share = p / (p + r)
    mean = share * bad + (1 - share) * good
    memory = 1 - p - r
    spread = mean * (1 - mean) + 2 * max(memory, 0) / (1 - memory) * share * (1 - share) * (bad - good) ** 2
    within(losses.mean(), mean, spread**0.5, len(losses))
    if (bad, good) == (1.0, 0.0):
        lengths = bursts(losses)
        within(np.mean(lengths), 1 / r, (1 - r) ** 0.5 / r, len(lengths))
        within(len(lengths) / (len(losses) - losses.sum()), p, (p * (1 - p)) ** 0.5, len(losses) - losses.sum())


@pytest.mark.parametrize(("p13", "p31", "p32", "p23", "p14"), [
    (0.02, 0.3, 0.0, 1.0, 0.0), (0.05, 0.2, 0.3, 0.6, 0.01), (0.01, 0.1, 0.2, 0.5, 0.1)])
def test_the_chain_of_four_states_is_in_them_as_long_as_it_should(p13, p31, p32, p23, p14):
    model = netem(loss=lib.CELL_NETEM_LOSS_STATE, p13=p13, p31=p31, p32=p32, p23=p23, p14=p14)
    chain = np.array([[1 - p13 - p14, 0, p13, p14], [0, 1 - p23, p23, 0], [p31, p32, 1 - p31 - p32, 0], [1, 0, 0, 0]])
    stationary = np.linalg.matrix_power(chain, 4096)[0]
    assert stationary == pytest.approx(stationary @ chain)
    # Batches of a chain that forgets within a batch are independent.
    batches = np.concatenate([lost(sent(model, seed=seed)) for seed in (1, 2)]).reshape(-1, 400).mean(axis=1)
    within(batches.mean(), stationary[2] + stationary[3], batches.std(), len(batches))


def test_one_probability_of_the_states_is_bernoulli():
    losses = lost(sent(netem(loss=lib.CELL_NETEM_LOSS_STATE, p13=0.1, p31=0.9, p23=1.0)))
    within(losses.mean(), 0.1, 0.3, len(losses))
    within(np.corrcoef(losses[1:], losses[:-1])[0, 1], 0, 1, len(losses))


def test_random_losses_are_independent():
    losses = lost(sent(netem(loss=lib.CELL_NETEM_LOSS_RANDOM, random=0.05)))
    within(losses.mean(), 0.05, (0.05 * 0.95) ** 0.5, len(losses))
    within(np.corrcoef(losses[1:], losses[:-1])[0, 1], 0, 1, len(losses))


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30))
def test_a_trace_of_losses_is_used_line_by_line_and_again(trace):
    losses = lost(sent(netem(losses=trace), packets=100), packets=100)
    assert losses.tolist() == [bool(trace[i % len(trace)]) for i in range(100)]


def test_what_is_drawn_elsewhere_loses_no_other_packets():
    model = {"loss": lib.CELL_NETEM_LOSS_GEMODEL, "p": 0.05, "r": 0.3, "bad": 0.8, "good": 0.01}
    alone = sent(netem(**model), packets=2000)
    more = sent(netem(**model, jitter_us=4000, reorder=0.2, duplicate=0.3, slot_us=10, slot_more_us=500), packets=2000)
    other = sent(netem(**model), packets=2000, seed=2)
    assert lost(alone, 2000).tolist() == lost(more, 2000).tolist() != lost(other, 2000).tolist()


# --- delays and order ---


def arrivals(cell):
    """{tag: time} of the packets that are no copies."""
    copies = {row["pkt"] for row in cell.rows(lib.CELL_EV_PKT_IN) if row["aux"]}
    return {o.tag: o.t_ns for o in cell.of(lib.CELL_OUT_DELIVER) if o.pkt not in copies}


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 30_000)), min_size=1, max_size=8), st.integers(1, 50),
       st.integers(0, 5000))
def test_a_trace_of_delays_holds_until_the_next_line_and_keeps_the_order(lines, period_ms, more_us):
    trace = sorted(lines, key=lambda line: line[0])
    trace = [*trace, (max(trace[-1][0], period_ms), 0)]
    cell = sent(netem(delays=trace, delay_us=more_us), packets=1000, gap_ns=3 * MS)
    there, last_ns = arrivals(cell), 0
    for tag in range(1000):
        sent_ns = tag // BURST * 3 * MS + (tag % BURST + 1) * 320  # 40 bytes at 1 Gbit/s
        at_ms = sent_ns // MS % trace[-1][0]
        earlier = [us for t, us in trace if t <= at_ms]
        last_ns = max(last_ns, sent_ns + (earlier[-1] if earlier else trace[0][1]) * US + more_us * US)
        assert there[tag] == last_ns


@pytest.mark.parametrize(("distribution", "deviation"), [(lib.CELL_NETEM_UNIFORM, 3**-0.5), (lib.CELL_NETEM_NORMAL, 1)])
def test_jitter_has_its_distribution(distribution, deviation):
    cell = sent(netem(delay_us=100_000, jitter_us=10_000, distribution=distribution), gap_ns=500 * MS)
    there = arrivals(cell)
    us = np.array([there[tag] - tag // BURST * 500 * MS for tag in sorted(there)]) / US
    within(us.mean(), 100_000 + 0.32 * (BURST + 1) / 2, 10_000 * deviation, len(us))
    assert us.std() == pytest.approx(10_000 * deviation, rel=0.03)
    if distribution == lib.CELL_NETEM_UNIFORM:
        assert 90_000 <= us.min() < 90_100 and 109_900 < us.max() <= 110_000 + SLACK_US
    within(np.corrcoef(us[1:], us[:-1])[0, 1], 0, 1, len(us))


@pytest.mark.parametrize(("distribution", "normal"), [(lib.CELL_NETEM_PARETO, 0), (lib.CELL_NETEM_PARETO_NORMAL, 1)])
def test_jitter_has_the_quantiles_of_iproute2(distribution, normal):
    """Pareto with exponent 3, less its mean, times 4/3; or three parts of that and one of a normal distribution."""
    there = arrivals(sent(netem(delay_us=100_000, jitter_us=10_000, distribution=distribution), gap_ns=900 * MS))
    jitters = np.array([there[tag] - tag // BURST * 900 * MS - 100 * MS for tag in there]) / (10 * MS)
    for share in (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98):
        wanted = min(4, ((1 - share) ** (-1 / 3) - 1.5) * 4 / 3)
        if normal:
            wanted = (NormalDist().inv_cdf(share) + 3 * wanted) / 4
        assert np.quantile(jitters, share) == pytest.approx(wanted, abs=0.06 if share < 0.95 else 0.2), share
    assert jitters.max() < 4.01


def test_correlated_jitter_is_like_the_last():
    cell = sent(netem(delay_us=100_000, jitter_us=10_000, jitter_correlation=0.5), gap_ns=500 * MS)
    there = arrivals(cell)
    us = np.array([there[tag] - tag // BURST * 500 * MS for tag in sorted(there)]) / US
    assert np.corrcoef(us[1:], us[:-1])[0, 1] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("gap", [0, 1, 5])
def test_reordered_packets_are_not_delayed(gap):
    cell = sent(netem(delay_us=20_000, reorder=0.25, reorder_gap=gap), gap_ns=100 * MS)
    there = arrivals(cell)
    early = [tag for tag, t_ns in there.items() if t_ns - tag // BURST * 100 * MS < 20 * MS]
    overtaking = set(early)
    most = 1 / (1 / 0.25 + max(gap, 1) - 1)  # one in four candidates, and then a pause
    within(len(early) / len(there), most, 0.5, len(there))
    if gap > 1:
        assert min(np.diff(sorted(early))) >= gap
    rest = [t_ns for tag, t_ns in there.items() if tag not in overtaking]
    assert rest == sorted(rest)


# --- copies, changed bits and slots ---


def test_any_one_bit_is_changed():
    """Of the packets and of the copies that the probability says, and of no others."""
    cell = sent(netem(corrupt=0.1, duplicate=0.1))
    arrived = [o.data for o in cell.of(lib.CELL_OUT_DELIVER)]
    bits = [int.from_bytes(data).bit_count() for data in arrived]
    assert set(bits) == {0, 1}
    within(sum(bits) / len(bits), 0.1, 0.3, len(bits))
    assert len({data for data in arrived if any(data)}) > 300  # of 320 bits of 40 bytes


def test_copies_are_counted_and_arrive():
    cell = sent(netem(duplicate=0.1, loss=lib.CELL_NETEM_LOSS_RANDOM, random=0.2))
    rows = [row for row in cell.rows(lib.CELL_EV_PKT_IN) if row["aux"]]
    stats, n_lost = cell.stats(), int(lost(cell).sum())
    assert stats.pkts_originated == len(rows) and stats.pkts_delivered == 20_000 - n_lost + len(rows)
    within(len(rows) / (20_000 - n_lost), 0.1, 0.3, 20_000 - n_lost)
    twice = Counter(o.tag for o in cell.of(lib.CELL_OUT_DELIVER))
    assert {row["tag"] for row in rows} == {tag for tag, times in twice.items() if times == 2}


@given(st.integers(0, 3000), st.integers(1, 3000), st.integers(0, 12), st.integers(0, 400))
def test_a_slot_has_its_packets_and_bytes_and_comes_in_time(low_us, more_us, packets, size):
    cell = sent(netem(slot_us=low_us, slot_more_us=more_us, slot_packets=packets, slot_bytes=size),
                packets=500, gap_ns=100 * US)
    slots = Counter(o.t_ns for o in cell.of(lib.CELL_OUT_DELIVER))
    assert sum(slots.values()) == 500
    if packets:
        assert max(slots.values()) <= packets or low_us == 0  # two slots may open at one time
    if size:
        assert (max(slots.values()) - 1) * 40 < size or low_us == 0
    there = arrivals(cell)
    for tag, t_ns in there.items():
        sent_ns = tag // BURST * 100 * US + (tag % BURST + 1) * 320
        assert t_ns >= sent_ns
        if not packets and not size:
            assert t_ns - sent_ns <= (low_us + more_us) * US
    # Of a busy link, slots follow each other in the drawn times.
    times = sorted(slots)
    assert all(b - a >= low_us * US for a, b in itertools.pairwise(times))


# --- all together ---


def any_plan(choices: Choices):
    """(configuration, what it needs to stay, arrivals)"""
    fields = choices.keys("CFG_NETEM")
    t_ns, pushed = 0, []
    for _ in range(choices.number(1, 40)):
        t_ns += choices.pick(0, 0, 1, MS, 20 * MS)
        pushed.append((t_ns, choices.pick(1, DOWN, DOWN), choices.number(1, 1500)))
    return fields, choices.keys(only="constant."), choices.number(0, 999), pushed


def carried_out(plan, step_ns=None):
    fields, keys, seed, pushed = plan
    cell = cell_of(fields, seed, max_pkts=32, **keys)
    for tag, (t_ns, port, length) in enumerate(pushed):
        while (due_ns := cell.next()) < t_ns:
            bound_ns, n = cell.next_output(), len(cell.outputs)
            assert bound_ns >= due_ns
            cell.advance(min(t_ns - 1, due_ns if step_ns is None else due_ns + step_ns))
            assert all(o.t_ns >= bound_ns for o in cell.outputs[n:] if o.type == lib.CELL_OUT_DELIVER)
        cell.push(port, bytes([tag]) * length, tag, t_ns)
    while (due_ns := cell.next()) != NEVER:
        cell.advance(due_ns if step_ns is None else due_ns + step_ns)
    return cell


@given(plans(any_plan, 200))
def test_no_packet_is_lost_without_a_word(plan):
    cell = carried_out(plan)
    stats = cell.stats()
    assert stats.pkts_held == 0
    assert stats.pkts_in + stats.pkts_originated == stats.pkts_delivered + sum(stats.pkts_dropped)
    for o in cell.of(lib.CELL_OUT_DELIVER):
        t_ns, port, length = plan[3][o.tag]
        changed = int.from_bytes(o.data) ^ int.from_bytes(bytes([o.tag]) * length)
        assert o.port == port ^ NETWORK_SIDE and len(o.data) == length and o.t_ns > t_ns
        assert changed.bit_count() <= int(any(way.get("corrupt_q32") for way in plan[:2]))


@given(plans(any_plan, 200), st.sampled_from([1, MS, 100 * MS]))
def test_larger_steps_change_nothing(plan, step_ns):
    one, two = carried_out(plan), carried_out(plan, step_ns)
    assert one.outputs == two.outputs
    assert one.digest() == two.digest()
