# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for a network of NR with a crowd of modelled UEs, whatever happens in it."""

from coreffi import lib
from coreplan import PLAN_BYTES, Run, announced, destination, in_pieces
from draw import Choices, plans
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrplan import plan

MEMBERS_MAX = 70  # more than a word of bits
UL, DL = lib.CELL_DIR_UL, lib.CELL_DIR_DL


def crowded(choices: Choices):
    """A plan of a network and what happens to it, with a crowd."""
    drawn = choices.keys(only="crowd.") | {
        "crowd.count": choices.number(1, MEMBERS_MAX),
        "crowd.direction": choices.pick(lib.CELL_CROWD_DL, lib.CELL_CROWD_UL, lib.CELL_CROWD_BOTH)}
    least = -(-drawn.get("crowd.offered_rate_bps", 100_000) * drawn["crowd.count"] // 8_000_000)
    drawn["crowd.burst_bytes"] = max(drawn.get("crowd.burst_bytes", 50_000), least)
    found = plan(choices)
    found.cfg.update(drawn | {"crowd.n_cqi": 2, "crowd.cqi": [choices.number(1, 15), choices.number(1, 15)]})
    return found


crowds = plans(crowded, PLAN_BYTES)
some = examples(60)


@some
@given(crowds, st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(found, cuts):
    once, other = Run(found), Run(found, in_pieces(cuts))
    assert other.cell.outputs == once.cell.outputs
    assert other.digest == once.digest


@some
@given(crowds)
def test_nothing_leaves_before_it_was_announced(found):
    Run(found, announced)


@some
@given(crowds)
def test_packets_of_ues_end_as_without_a_crowd(found):
    """Each once and intact; a crowd has none."""
    run = Run(found)
    ended = [o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)]
    assert sorted(ended) == sorted(run.pushed)
    for o in run.of(lib.CELL_OUT_DELIVER):
        _, sender, data = run.pushed[o.tag]
        assert (o.data, o.port) == (data, destination(run.cfg, sender))


@some
@given(crowds)
def test_no_resource_block_is_given_twice(found):
    """What the crowd has and what UEs were granted fits the slots."""
    run = Run(found)
    stats, cfg = run.cell.stats(), run.cfg
    slots = (found.end_ns * (1 << cfg.nr.phy.numerology)) // 1_000_000 + 2
    widest = max(row["rb"] for row in [{"rb": 1}, *run.cell.rows(lib.CELL_EV_GRANT)])
    assert widest <= 273
    goes = {lib.CELL_CROWD_DL: {DL}, lib.CELL_CROWD_UL: {UL}, lib.CELL_CROWD_BOTH: {UL, DL}}[cfg.crowd.direction]
    for way in (UL, DL):
        rb = 273 * (cfg.nr.phy.dl_carriers if way == DL else 1)
        assert stats.crowd_rb_retx[way] <= stats.crowd_rb[way] <= rb * slots * (way in goes)
        assert stats.crowd_bytes_refused[way] <= stats.crowd_bytes_in[way]
        if cfg.crowd.arrival != lib.CELL_CROWD_FULL_BUFFER:
            assert stats.crowd_bytes_out[way] + stats.crowd_bytes_refused[way] <= stats.crowd_bytes_in[way]
