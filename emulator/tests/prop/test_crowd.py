# SPDX-License-Identifier: GPL-2.0-or-later
"""What holds for a cell with a crowd of modelled UEs, whatever happens in it."""

from coreffi import lib
from coreplan import PLAN_BYTES, Run, announced, in_pieces, plan
from draw import Choices, plans
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

MEMBERS_MAX = 70  # more than a word of bits


def crowded(choices: Choices):
    """A plan of a cell and what happens to it, with a crowd."""
    drawn = {name: value for name, value in choices.keys(only="crowd.").items() if name != "crowd.count"}
    found = plan(choices)
    drawn["crowd.count"] = choices.number(1, MEMBERS_MAX)
    least = -(-drawn.get("crowd.offered_rate_bps", 100_000) * drawn["crowd.count"] // 8_000_000)
    drawn["crowd.burst_bytes"] = max(drawn.get("crowd.burst_bytes", 50_000), least)
    if found.cfg.get("lte.mac.ul_always_scheduled"):
        drawn["crowd.direction"] = lib.CELL_CROWD_DL
    found.cfg.update(drawn | {"crowd.n_cqi": 2, "crowd.cqi": [choices.number(1, 15), choices.number(1, 15)]})
    return found


crowds = plans(crowded, PLAN_BYTES)


@examples(60)
@given(crowds, st.lists(st.floats(0, 1, exclude_max=True), max_size=6))
def test_splitting_time_changes_nothing(found, cuts):
    once, other = Run(found), Run(found, in_pieces(cuts))
    assert other.cell.outputs == once.cell.outputs
    assert other.digest == once.digest


@examples(60)
@given(crowds)
def test_nothing_leaves_before_it_was_announced(found):
    Run(found, announced)


@examples(60)
@given(crowds)
def test_no_block_is_given_twice(found):
    """What the crowd has and what UEs were granted fits the carriers."""
    run = Run(found)
    stats, cfg = run.cell.stats(), run.cfg
    ms = found.end_ns // 1_000_000 + 1
    blocks = {lib.CELL_DIR_UL: cfg.lte.ul_carriers, lib.CELL_DIR_DL: cfg.lte.dl_carriers * cfg.lte.dl_codewords}
    for direction, n in blocks.items():
        assert stats.crowd_rb_retx[direction] <= stats.crowd_rb[direction] <= n * cfg.lte.n_rb * ms
        assert stats.crowd_bytes_refused[direction] <= stats.crowd_bytes_in[direction]
        if cfg.crowd.arrival != lib.CELL_CROWD_FULL_BUFFER:
            assert stats.crowd_bytes_out[direction] + stats.crowd_bytes_refused[direction] <= \
                stats.crowd_bytes_in[direction]
    rows = [row for row in run.cell.rows(lib.CELL_EV_GRANT) if row["dir"] == lib.CELL_DIR_DL]
    used = stats.crowd_rb[lib.CELL_DIR_DL] + sum(row["rb"] for row in rows)
    assert used <= blocks[lib.CELL_DIR_DL] * cfg.lte.n_rb * ms
