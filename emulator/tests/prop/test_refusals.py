# SPDX-License-Identifier: GPL-2.0-or-later
"""Every refusal of a configuration: which field is named, in which words, and from which value on."""

import re

import pytest
from coreffi import ROOT, ffi, lib, put
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from refusal import IM, NETWORK, OF_CELLS, Network, Sweep
from refusals_en_dc import EN_DC, EN_DC_NETWORKS
from refusals_independent import CONSTANT, CONSTANT_NETWORKS, RECORDED, RECORDED_NETWORKS, UTRAN, UTRAN_NETWORKS
from refusals_lte import LTE, LTE_NETWORKS
from refusals_nr import NR, NR_BITS, NR_NETWORKS

from cellbed.scenario import nr
from cellbed.scenario.daemon_keys import sections

TABLES = {
    "lte": (LTE, LTE_NETWORKS), "nr": (NR, NR_NETWORKS), "utran": (UTRAN, UTRAN_NETWORKS),
    "constant": (CONSTANT, CONSTANT_NETWORKS), "recorded": (RECORDED, RECORDED_NETWORKS),
    "en_dc": (EN_DC, EN_DC_NETWORKS),
}
# A message in the core: what is allowed, by itself or in a list of what can be wrong with a pattern.
WORDS = re.compile(r'(?:ret_range|\[NR_TDD_\w+\]) = "([^"]*)"')


@pytest.mark.parametrize("system", TABLES)
def test_the_core_refuses_what_the_table_does(system):
    refusals, networks = TABLES[system]
    heard = set()
    for name, network in networks.items():
        for path, value, said, wrong in Sweep(refusals, network).results():
            assert said in wrong if wrong else said is None, (name, path, value, said, wrong)
            heard.add(said)
    assert {r.message for r in [*OF_CELLS, *refusals]} - heard == set(), "no configuration was refused like this"


def test_every_message_of_the_core_is_in_a_table():
    known = {refusal.words for refusals, _ in TABLES.values() for refusal in refusals}
    found = {words for path in (ROOT / "emulator/core").rglob("*.c") for words in WORDS.findall(path.read_text())}
    assert len(found) > 70
    assert found - known == set()


@st.composite
def frames(draw):
    """Keys of `radio.nr` that say what slots are for; the pattern has the letters in the right order, mostly."""
    slots = st.integers(0, 9)
    part = st.builds(lambda d, s, u: d * "D" + s * "S" + u * "U", slots, st.integers(0, 1), slots)
    numerology = draw(st.integers(0, 3))
    return {"numerology": numerology, "duplex": draw(st.sampled_from(["tdd", "tdd", "tdd", "fdd"])),
            "frequency_range": "fr2" if numerology > 2 else "fr1", "bandwidth_mhz": 50, "sr_period_slots": 8,
            "tdd_pattern": draw(part.filter(bool)) + draw(st.one_of(st.just(""), part)),
            "tdd_special_dl_symbols": draw(st.integers(0, 13)), "tdd_special_ul_symbols": draw(st.integers(0, 4)),
            "pdcch_symbols": draw(st.integers(1, 3)), "dmrs_symbols": draw(st.integers(1, 4)),
            "k1_min": draw(st.integers(0, 15))}


@examples(300)
@given(frames())
def test_the_core_takes_the_slots_that_a_scenario_may_have(keys):
    """And no others, so `cellbed check` says what a run would."""
    try:
        nr.Nr(**keys).check("radio.nr", 1000)
        taken = True
    except ValueError:
        taken = False
    c, _ = Network(lib.CELL_SYSTEM_NR, [{"peer": NETWORK, "mode": IM}], NR_BITS).build()
    c.nr.mac.sr_period_slots, c.nr.phy.tdd_pattern = 8, keys["tdd_pattern"].encode().ljust(81, b"\0")
    for value in sections()["nr"][0]:
        if value.name in keys and value.kind != "KIND_STRING":
            chosen = keys[value.name]
            put(c, value.field, value.choices.index(chosen) if value.kind == "KIND_ENUM" else chosen)
    refused = [r.message for r in [*OF_CELLS, *NR] if not r.passes(c)]
    assert taken == (refused == []), refused
    assert (lib.cell_cfg_check(c, ffi.new("const char **"), ffi.new("const char **")) == 0) == taken
