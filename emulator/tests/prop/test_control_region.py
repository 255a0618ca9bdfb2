# SPDX-License-Identifier: GPL-2.0-or-later
"""Control regions of LTE and NR, whatever happens in a cell: DCIs fit them, and nobody waits for ever.

Source: TS 36.211 6.2.4, 6.7, 6.9; TS 38.211 7.3.2.2
"""

from collections import Counter

from coreffi import lib
from coreplan import PLAN_BYTES, Run, plan
from draw import plans
from examples import examples
from hypothesis import given
from nrplan import AM, UM
from nrplan import plan as nr_plan

from cellbed.scenario import nr

fast = examples(100)


def elements(n_rb: int, cfi: int) -> int:
    """CCEs of a sub-frame with Ng = 1: 2, 3, 3 and 2 groups of each resource block, by symbol."""
    symbols = cfi + (n_rb <= 10)
    groups = n_rb * (2, 5, 8, 10)[symbols - 1] - 4 - 3 * -(-n_rb // 8)
    return groups // 9


def narrow(choices, **kinds):
    found = plan(choices, **kinds)
    n_rb = choices.pick(6, 15, 25, 50, 100)
    found.cfg.update({"lte.control.cfi": choices.number(1, 3), "lte.n_rb": n_rb,
                      "lte.control.pucch_rb": choices.pick(0, min(4, n_rb - 6))})
    return found


def cells(**kinds):
    return plans(lambda choices: narrow(choices, **kinds), PLAN_BYTES)


SEGMENTS = (UM, AM)  # TM takes the whole carrier


@fast
@given(cells(rlc_modes=SEGMENTS))
def test_no_subframe_has_more_dcis_than_elements(found):
    run = Run(found)
    most = elements(found.cfg["lte.n_rb"], found.cfg["lte.control.cfi"])
    uplink, downlink = Counter(), Counter()
    for row in run.rows(lib.CELL_EV_GRANT):
        (downlink if row["dir"] == lib.CELL_DIR_DL else uplink)[row["t_ns"]] += 1
    codewords = run.cfg.lte.dl_codewords
    for t_ns in {*uplink, *downlink}:
        assert uplink[t_ns] <= most
        assert downlink[t_ns] <= most * run.cfg.lte.dl_carriers * codewords
        if run.cfg.lte.dl_carriers == codewords == 1:
            assert uplink[t_ns] + downlink[t_ns] <= most


@fast
@given(cells(rlc_modes=SEGMENTS))
def test_every_packet_ends_once(found):
    run = Run(found)
    assert sorted(o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)) == sorted(run.pushed)


def check_pucch(run, n_rb, pucch_rb):
    """Data of the uplink leave both edges of the carrier to PUCCH."""
    for o in run.of(lib.CELL_OUT_PDU):
        if o.info["dir"] != lib.CELL_DIR_DL and not o.info["preamble"]:
            assert o.info["rb_start"] >= pucch_rb / 2
            assert o.info["rb_start"] + o.info["n_rb"] <= n_rb - pucch_rb // 2


@fast
@given(cells(rlc_modes=SEGMENTS))
def test_data_leave_pucch_its_blocks(found):
    run = Run(found)
    check_pucch(run, run.cfg.lte.n_rb, run.cfg.lte.control.pucch_rb)


def narrow_nr(choices, **kinds):
    found = nr_plan(choices, **kinds)
    found.cfg.update({"nr.phy.coreset_rb": choices.pick(6, 7, 12, 24, 270),
                      "nr.phy.pdcch_symbols": choices.number(1, 2)})
    return found


@fast
@given(plans(narrow_nr, PLAN_BYTES))
def test_no_slot_has_more_dcis_than_elements(found):
    run = Run(found)
    phy = run.cfg.nr.phy
    carrier = nr.N_RB[("fr1", "fr2")[phy.frequency_range], phy.numerology][phy.bandwidth_mhz]
    cells = phy.dl_carriers + run.cfg.pdcp.duplication  # each with a CORESET of its own
    most = min(phy.coreset_rb, carrier) // 6 * phy.pdcch_symbols * cells
    for n in Counter(row["t_ns"] for row in run.rows(lib.CELL_EV_GRANT)).values():
        assert n <= most
    assert sorted(o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)) == sorted(run.pushed)


@fast
@given(plans(nr_plan, PLAN_BYTES))
def test_data_leave_pucch_its_blocks_in_nr(found):
    run = Run(found)
    phy = run.cfg.nr.phy
    check_pucch(run, nr.N_RB[("fr1", "fr2")[phy.frequency_range], phy.numerology][phy.bandwidth_mhz], phy.pucch_rb)
