# SPDX-License-Identifier: GPL-2.0-or-later
"""When the carriers of a UE beside its first one, its SCells, have blocks. Source: TS 38.321 5.9, 6.1.3.10"""

from coreffi import lib
from coreplan import PLAN_BYTES, Run
from draw import Choices
from draw import plans as plans_of
from examples import examples
from hypothesis import event, given
from nrplan import plan
from test_nr_core import blocks, slot_ns
from test_nr_mac_pdu import DL, subpdus

SCELLS = 58  # LCID of the control element
MS = 1_000_000


def with_carriers(choices: Choices):
    """They come and go; a narrow carrier, for which a burst is much."""
    return plan(choices, changes={
        "nr.phy.numerology": 1, "nr.phy.frequency_range": 0, "nr.phy.bandwidth_mhz": 10, "nr.phy.layers_dl": 1,
        "nr.phy.overhead_re": 0, "nr.phy.dl_carriers": choices.number(2, 4), "pdcp.duplication": 0,
        "nr.phy.pucch_rb": 0, "nr.mac.scell_deactivation_ms": choices.pick(20, 40),
        "nr.mac.scell_activation_ms": choices.pick(0, 3, 15)})


@examples(80)
@given(plans_of(with_carriers, PLAN_BYTES))
def test_scells_have_blocks_while_they_are_active(found):
    """From the ACK of a control element that names all of them on, until none had a new block for the timer."""
    run = Run(found)
    if run.rows(lib.CELL_EV_RADIO_LINK_FAILURE):
        return
    mac, all_of_them = run.cfg.nr.mac, (1 << run.cfg.nr.phy.dl_carriers) - 2
    heard = {row["block"]: row["t_ns"] for row in run.rows(lib.CELL_EV_MAC_RX)}
    last, told = {}, {}
    for row, info, data in blocks(run):
        ue, t_ns = info["ue"], row["t_ns"]
        if info["dir"] != lib.CELL_DIR_DL:
            continue
        elements = [octets for lcid, octets in subpdus(DL, data) if lcid == SCELLS]
        assert all(octets == bytes([all_of_them]) for octets in elements) and len(elements) <= 1
        if elements and info["attempt"] == 1:
            told.setdefault(ue, set()).add(row["block"])
        arrived = [heard[block] for block in told.get(ue, ()) if heard.get(block, t_ns + 1) <= t_ns]
        if info["carrier"] == 0:
            continue
        event("a block on an SCell")
        assert arrived, "before any control element"
        assert t_ns >= min(arrived) + mac.scell_activation_ms * MS
        if info["attempt"] == 1:
            since = last.get(ue, -1)
            lately = 0 <= t_ns - since <= (mac.scell_deactivation_ms + 1) * MS + 64 * slot_ns(run.cfg)
            assert lately or max(arrived) > since, "not activated again"
        last[ue] = t_ns


@examples(40)
@given(plans_of(with_carriers, PLAN_BYTES))
def test_all_arrives_as_on_one_carrier(found):
    """The same packets end, each once."""
    run = Run(found)
    ended = [o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)]
    assert sorted(ended) == sorted(run.pushed)
