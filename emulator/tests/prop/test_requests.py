# SPDX-License-Identifier: GPL-2.0-or-later
"""Scheduling Requests of LTE, whatever happens in a cell: their occasions, sr-ProhibitTimer and dsr-TransMax.

Source: TS 36.321 5.4.4; TS 36.213 Table 10.1.5-1
"""

from coreffi import lib
from coreplan import MS, PLAN_BYTES, Run, plan
from draw import plans
from examples import examples
from hypothesis import given

fast = examples(100)
# Of what a UE asks for. RLC AM gives up what is confirmed meanwhile, and when it starts again, what it wanted to say.
ENDS = (lib.CELL_EV_BSR_TX, lib.CELL_EV_GRANT, lib.CELL_EV_PKT_DROP, lib.CELL_EV_RLC_STATUS_RX,
        lib.CELL_EV_RADIO_LINK_FAILURE, lib.CELL_EV_REESTABLISHED)
PERIODS_MS, TRANS_MAX, BSR_RETX_MS = (1, 2, 5, 10, 20, 40, 80), (4, 8, 16), (320, 640)


def asking(choices, **kinds):
    """A plan of a cell whose UEs have occasions for requests."""
    found = plan(choices, changes={"lte.mac.ul_always_scheduled": 0}, **kinds)
    found.cfg.update({"lte.sr.period_ms": choices.pick(*PERIODS_MS), "lte.sr.prohibit_periods": choices.number(0, 7),
                      "lte.sr.trans_max": choices.pick(*TRANS_MAX), "lte.sr.bsr_retx_ms": choices.pick(*BSR_RETX_MS),
                      "lte.sr.missed_q32": choices.pick(0, 2**30, 2**31, 2**32 - 1) if kinds.get("lossy", True) else 0})
    return found


def networks(**kinds):
    return plans(lambda choices: asking(choices, **kinds), PLAN_BYTES)


def requests(run, ue):
    """Rows of a UE's requests, preambles and BSRs, of its uplink grants and of what it drops, in order."""
    events = lib.CELL_EV_SR, lib.CELL_EV_RA_PREAMBLE, *ENDS
    return [row for row in run.rows(*events)
            if row["node"] == ue or (row["peer"] == ue and row["dir"] != lib.CELL_DIR_DL)]


@fast
@given(networks())
def test_timers_and_counter(found):
    run, sr = Run(found), {key: found.cfg[f"lte.sr.{key}"] for key in ("period_ms", "prohibit_periods", "trans_max")}
    period_ns = sr["period_ms"] * MS
    for ue in range(1, found.cfg["n_ue"] + 1):
        count, answered, last_ns = 0, True, None
        for row in requests(run, ue):
            if row["event"] in ENDS:
                answered = True
            elif row["event"] == lib.CELL_EV_RA_PREAMBLE:
                assert count == sr["trans_max"]
            else:
                count = 1 if answered and row["value"] == 1 else count + 1
                answered = False
                assert row["value"] == count <= sr["trans_max"]
                assert row["t_ns"] // MS % sr["period_ms"] == (ue - 1) % sr["period_ms"]
                assert last_ns is None or row["t_ns"] - last_ns >= max(1, sr["prohibit_periods"]) * period_ns
                last_ns = row["t_ns"]


@fast
@given(networks())
def test_every_request_is_answered_or_repeated(found):
    """The eNB has it after its decoding, and from then on the UE has a grant, or asks again."""
    run = Run(found)
    assert run.cell.stats().pkts_held == 0
    assert sorted(o.tag for o in run.of(lib.CELL_OUT_DELIVER, lib.CELL_OUT_DROP)) == sorted(run.pushed)


@fast
@given(networks(lossy=False, rlc_modes=(lib.CELL_RLC_UM,)))
def test_nobody_needs_random_access_where_nothing_is_lost(found):
    run = Run(found)
    sr, timing = run.cfg.lte.sr, run.cfg.lte.timing
    asks_for_tti = (sr.trans_max - 1) * max(1, sr.prohibit_periods) * sr.period_ms
    answered = asks_for_tti >= timing.decode_tti + timing.grant_to_tx_tti + 2
    if answered and not run.cfg.n_ue * 2 > run.cfg.lte.n_rb:
        assert not run.rows(lib.CELL_EV_RA_PREAMBLE)
