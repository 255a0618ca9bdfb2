# SPDX-License-Identifier: GPL-2.0-or-later
"""The core's integers for block errors of NR against the formulas that they were made from."""

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrphyffi import TABLES, ffi, lib

from cellbed_channel import nr_block_error

fast = examples(250)
ONE = 2**32 - 1
FORMATS = [(table, index) for table in range(len(TABLES)) for index in range(lib.nr_mcs_count(table))]

formats = st.sampled_from(FORMATS).map(lambda chosen: lib.nr_mcs(*chosen))
# Share of the block's bits at its code rate that a transmission has, and how far it is from the threshold.
attempts = st.lists(st.tuples(st.integers(60, 150), st.integers(-1500, 1000)), min_size=1, max_size=6)
sizes = st.integers(3, 150000)


def transmissions(f, tbs_bytes, sent):
    """Coded bits and SINR of each: near the least SINR for the format, as elsewhere all is certain."""
    at_cdb = max((cdb for cdb in range(-900, 3000, 50)
                  if nr_block_error.information(f.bits, cdb / 100) <= f.rate_x2048 / 2048 + 0.1), default=-900)
    return [(max(8, round(8 * tbs_bytes * 2048 / f.rate_x2048 * share / 100)), at_cdb + cdb) for share, cdb in sent]


@fast
@given(st.sampled_from([2, 4, 6, 8]), st.integers(-4000, 6000))
def test_information(bits, sinr_cdb):
    assert lib.nr_information(bits, sinr_cdb) / 2**20 == pytest.approx(
        float(nr_block_error.information(bits, sinr_cdb / 100)), abs=1e-3)


@fast
@given(formats, attempts, sizes)
def test_rate(f, sent, tbs_bytes):
    soft, all_sent = ffi.new("struct bler_soft *"), transmissions(f, tbs_bytes, sent)
    for coded, cdb in all_sent:
        lib.nr_bler_add(soft, f.bits, coded, cdb)
    expected = nr_block_error.block_error_rate(f.bits, f.rate_x2048 / 2048, 8 * tbs_bytes,
                                               [(coded, cdb / 100) for coded, cdb in all_sent])
    # 0.01 dB at the steepest is a few hundredths, and a block of 1.2 Mbit has 152 chances to fail.
    assert lib.nr_bler(soft, f, 8 * tbs_bytes) / ONE == pytest.approx(expected, abs=0.1)


@fast
@given(formats, attempts, sizes)
def test_conditional_chances_multiply_to_the_rate(f, sent, tbs_bytes):
    """The chance that all attempts fail never rises, and is what the curves say for all of them where that is less."""
    soft, all_failed = ffi.new("struct bler_soft *"), 1.0
    for coded, cdb in transmissions(f, tbs_bytes, sent):
        all_failed *= lib.nr_bler_attempt(soft, f, 8 * tbs_bytes, coded, cdb) / ONE
        assert all_failed <= soft.failed_q32 / ONE + 1e-6
    if len(sent) == 1:
        assert all_failed == pytest.approx(soft.failed_q32 / ONE, abs=1e-6)


@fast
@given(formats, attempts, sizes, st.integers(1, 300))
def test_more_sinr_never_harms(f, sent, tbs_bytes, more_cdb):
    def failed(extra):
        soft = ffi.new("struct bler_soft *")
        for coded, cdb in transmissions(f, tbs_bytes, sent):
            lib.nr_bler_add(soft, f.bits, coded, cdb + extra)
        return lib.nr_bler(soft, f, 8 * tbs_bytes)

    assert failed(more_cdb) <= failed(0)


@fast
@given(st.sampled_from(range(len(TABLES))), st.integers(1, 27), st.integers(10, 273), st.integers(-1000, 3500))
def test_a_greater_mcs_never_fails_less(table, index, n_prb, sinr_cdb):
    """On the same resource elements, but for what rounding the size of a block and cutting it can do."""
    def failed(i, cdb):
        f, soft = lib.nr_mcs(table, i), ffi.new("struct bler_soft *")
        tbs_bits = lib.nr_tbs_bits(132 * n_prb, f, 1)
        return lib.nr_bler_attempt(soft, f, tbs_bits, 132 * n_prb * f.bits, cdb)

    assert failed(index - 1, sinr_cdb + 35) <= failed(index, sinr_cdb) + ONE // 1000
