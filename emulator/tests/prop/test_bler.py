# SPDX-License-Identifier: GPL-2.0-or-later
"""The core's integers for block errors against the formulas that they were made from."""

import re

import cffi
import pytest
from coreffi import BUILD, ROOT
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from cellbed_channel import block_error

fast = examples(400)
ffi = cffi.FFI()
HEADER = "".join((ROOT / f"emulator/core/phy/{name}.h").read_text() for name in ("common/soft", "lte/bler"))
ffi.cdef(re.search(r"struct bler_soft \{.*?\};", HEADER, re.S).group(0) + "".join(
    re.findall(r"^uint32_t bler_\w+\(.*?\);|^void bler_\w+\(.*?\);", HEADER, re.S | re.M)))
lib = ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))
ONE = 2**32 - 1

attempts = st.lists(st.tuples(st.integers(300, 99000), st.integers(-1500, 2800)), min_size=1, max_size=8)


@fast
@given(st.sampled_from([2, 4, 6]), st.integers(-4000, 6000))
def test_information(bits, sinr_cdb):
    assert lib.bler_information(bits, sinr_cdb) / 2**20 == pytest.approx(
        float(block_error.information(bits, max(sinr_cdb, -2500) / 100)), abs=1e-3)


@fast
@given(st.sampled_from([2, 4, 6]), attempts, st.integers(2, 9422))
def test_rate(bits, sent, tb_bytes):
    soft = ffi.new("struct bler_soft *")
    for coded_bits, sinr_cdb in sent:
        lib.bler_add(soft, bits, coded_bits, sinr_cdb)
    expected = block_error.block_error_rate(bits, 8 * tb_bytes, [(n, cdb / 100) for n, cdb in sent])
    # 0.01 dB at the steepest is a few hundredths.
    assert lib.bler_rate(soft, bits, 8 * tb_bytes) / ONE == pytest.approx(expected, abs=0.05)


@fast
@given(st.sampled_from([2, 4, 6]), attempts, st.integers(2, 9422))
def test_conditional_chances_multiply_to_the_rate(bits, sent, tb_bytes):
    """The chance that all attempts fail never rises, and is what the curves say for all of them where that is less."""
    soft, all_failed = ffi.new("struct bler_soft *"), 1.0
    for coded_bits, sinr_cdb in sent:
        all_failed *= lib.bler_attempt(soft, bits, 8 * tb_bytes, coded_bits, sinr_cdb) / ONE
        assert all_failed <= soft.failed_q32 / ONE + 1e-6
    if len(sent) == 1:
        assert all_failed == pytest.approx(soft.failed_q32 / ONE, abs=1e-6)


@fast
@given(st.sampled_from([2, 4, 6]), st.integers(-2500, 2999), st.integers(2, 9422), st.integers(300, 99000))
def test_more_sinr_never_harms(bits, sinr_cdb, tb_bytes, coded_bits):
    def failed(cdb):
        soft = ffi.new("struct bler_soft *")
        lib.bler_add(soft, bits, coded_bits, cdb)
        return lib.bler_rate(soft, bits, 8 * tb_bytes)

    assert failed(sinr_cdb + 1) <= failed(sinr_cdb)


@fast
@given(st.integers(-3000, 3000))
def test_control(sinr_cdb):
    assert lib.bler_control(sinr_cdb) / ONE == pytest.approx(
        block_error.control_error_rate(sinr_cdb / 100), abs=1e-6)
