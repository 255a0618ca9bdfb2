# SPDX-License-Identifier: GPL-2.0-or-later
"""Sizes of NR's transport blocks against a reading of the clause in fractions, and what holds for all of them."""

import math
from fractions import Fraction

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from nrphyffi import TABLES, ffi, lib

from cellbed.scenario import nr
from cellbed_channel import nr_block_error

fast = examples(250)
FORMATS = [(table, index) for table in range(len(TABLES)) for index in range(lib.nr_mcs_count(table))]
# Source: TS 38.214 Table 5.1.3.2-1: steps between sizes, and up to which size
STEPS = [(192, 8), (384, 16), (576, 24), (768, 32), (928, 40), (984, 56), (1032, 48), (1064, 32), (1128, 64),
         (1352, 32), (1928, 64), (2024, 96), (2280, 64), (2408, 128), (2856, 64), (2976, 120), (3104, 128), (3240, 136),
         (3752, 128), (3824, 72)]  # fmt: skip


def small_sizes() -> list[int]:
    sizes = [24]
    for last, step in STEPS:
        sizes += range(sizes[-1] + step, last + 1, step)
    return sizes


def floor_log2(x: Fraction) -> int:
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if Fraction(2) ** n <= x else n - 1


def tbs(n_re: int, rate: Fraction, bits: int, layers: int) -> int:
    """Steps 2 to 4. Source: TS 38.214 5.1.3.2"""
    info = n_re * rate * bits * layers
    if info <= 3824:
        n = max(3, floor_log2(info) - 6)
        quantised = max(24, 2**n * math.floor(info / 2**n))
        return min(size for size in small_sizes() if size >= quantised)
    n = floor_log2(info - 24) - 5
    quantised = max(3840, 2**n * math.floor((info - 24) / 2**n + Fraction(1, 2)))
    blocks = 1
    if rate <= Fraction(1, 4):
        blocks = math.ceil(Fraction(quantised + 24, 3816))
    elif quantised > 8424:
        blocks = math.ceil(Fraction(quantised + 24, 8424))
    return 8 * blocks * math.ceil(Fraction(quantised + 24, 8 * blocks)) - 24


allocations = st.tuples(st.integers(1, 14), st.sampled_from([0, 6, 12, 18, 24, 36]), st.sampled_from([0, 6, 12, 18]),
                        st.integers(1, 273), st.integers(1, 4))


def test_the_table_of_small_sizes():
    assert len(small_sizes()) == 93


def test_formats_are_those_of_the_channel_package():
    """Two readings of the same tables."""
    for table, name in enumerate(TABLES):
        mcs = [(lib.nr_mcs(table, i).bits, lib.nr_mcs(table, i).rate_x2048 / 2) for i in range(lib.nr_mcs_count(table))]
        cqi = [(lib.nr_cqi(table, i).bits, lib.nr_cqi(table, i).rate_x2048 / 2) for i in range(1, 16)]
        assert mcs == list(nr_block_error.MCS[name])
        assert cqi == list(nr_block_error.CQI[name])


@fast
@given(allocations, st.sampled_from(FORMATS))
def test_size(allocation, chosen):
    symbols, dmrs, overhead, n_prb, layers = allocation
    n_re = lib.nr_n_re(symbols, dmrs, overhead, n_prb)
    assert n_re == min(156, max(0, 12 * symbols - dmrs - overhead)) * n_prb
    f = lib.nr_mcs(*chosen)
    expected = tbs(n_re, Fraction(f.rate_x2048, 2048), f.bits, layers) if n_re else 0
    assert lib.nr_tbs_bits(n_re, f, layers) == expected
    assert expected % 8 == 0


@fast
@given(allocations, st.sampled_from(FORMATS))
def test_code_blocks_are_of_one_length(allocation, chosen):
    """Sizes are made so that code blocks, with their check bits, are equal, and none is too long."""
    n_re = lib.nr_n_re(*allocation[:4])
    f = lib.nr_mcs(*chosen)
    bits = lib.nr_tbs_bits(n_re, f, allocation[4])
    if not bits:
        return
    s = lib.nr_segment(bits, f.rate_x2048)
    assert s.n * s.bits == bits + s.tb_crc_bits + s.n * s.block_crc_bits
    assert s.bits <= (22 if s.base_graph == 1 else 10) * s.lifting <= (8448 if s.base_graph == 1 else 3840)
    assert (s.n, s.bits) == nr_block_error.code_blocks(bits, f.rate_x2048 / 2048)


@fast
@given(allocations, st.sampled_from(FORMATS), st.integers(1, 200000))
def test_fewest_blocks(allocation, chosen, wanted):
    symbols, dmrs, overhead, n_prb, layers = allocation
    per_prb, f = lib.nr_n_re(symbols, dmrs, overhead, 1), lib.nr_mcs(*chosen)
    fewest = lib.nr_prb_needed(wanted, per_prb, f, layers, n_prb)
    sizes = [lib.nr_tbs_bits(per_prb * n, f, layers) // 8 for n in range(1, n_prb + 1)]
    assert fewest == next((n for n, size in enumerate(sizes, 1) if size >= wanted), n_prb)


def test_rounding_is_up_at_ties():
    """46.5 times 2048 bits: py3gpp rounds to even there, and the clause says up."""
    f = ffi.new("struct nr_format *", {"bits": 4, "rate_x2048": 756})
    assert lib.nr_tbs_bits(16128, f, 4) == 96264 == tbs(16128, Fraction(756, 2048), 4, 4)


def test_scenarios_have_the_carriers_and_times_of_the_core():
    ranges = {"fr1": lib.NR_FR1, "fr2": lib.NR_FR2}
    for name, number in ranges.items():
        for mu in range(4):
            found = {mhz: lib.nr_n_rb(number, mu, mhz) for mhz in range(1, 500) if lib.nr_n_rb(number, mu, mhz)}
            assert found == nr.N_RB.get((name, mu), {})
    assert [lib.nr_n1_symbols(mu) for mu in range(4)] == list(nr.N1_SYMBOLS)
    assert [lib.nr_n2_symbols(mu) for mu in range(4)] == list(nr.N2_SYMBOLS[1])
