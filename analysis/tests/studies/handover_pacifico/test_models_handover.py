# SPDX-License-Identifier: GPL-2.0-or-later
"""The handover model against sums worked by hand from the paper's parameters, and against counted windows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cellbed_analysis.figures import style
from cellbed_analysis.studies.handover_pacifico import model_chart, pacifico
from cellbed_analysis.studies.handover_pacifico.handover import (
    counted_share,
    cwnd_pkts,
    expected_pkts,
    halving_pkts,
    ideal_pkts,
    middle_pkts,
    normalised,
    slow_start_rtts,
    timeout_pkts,
    unsent_halving_pkts,
    unsent_slow_start_pkts,
)

TOP = pacifico.CWND_MAX_PKTS  # 44


def test_equation_1() -> None:
    # 22 + 23 + ... + 44: 23 terms of 33 on average.
    assert ideal_pkts(TOP) == 23 * 33 == 759
    assert ideal_pkts([40, 120]).tolist() == [21 * 30, 61 * 90]


def test_equation_2() -> None:
    # At 44 one RTT with 22 less; at 33 twelve RTTs with 16.5 less; at 22 twenty-three with 11 less.
    assert unsent_halving_pkts(TOP, [44, 33, 22]).tolist() == [22, 198, 253]
    assert halving_pkts(TOP, [44, 33, 22]).tolist() == [737, 561, 506]


def test_equation_3() -> None:
    # At 32 the threshold is 16, k = 5 and 13 RTTs are left: 5 * 13 and (11 - 1) + (12 - 2) + (13 - 4) + (14 - 8)
    # + (15 - 16) = 34.
    assert unsent_slow_start_pkts(TOP, 32) == pytest.approx(65 + 34)
    assert timeout_pkts(TOP, 32) == pytest.approx(759 - 16 * 13 - 99) == pytest.approx(452)
    # A k that is given: at 44, k = 5 leaves 5 * 1 and (17 - 1) + (18 - 2) + (19 - 4) + (20 - 8) + (21 - 16).
    assert unsent_slow_start_pkts(TOP, 44, rtts=5) == pytest.approx(5 + 64)


def test_equation_5() -> None:
    # 1, 2, 4, 8, 16 are five windows; 11 = 2^3.4594.
    assert slow_start_rtts([1, 16, 32]).tolist() == [1, 5, 6]
    assert slow_start_rtts([11, 22]) == pytest.approx([4.4594, 5.4594], abs=1e-4)


def test_the_cases_weighed() -> None:
    assert expected_pkts(TOP, 32, 0.1, 0.3, 0.6) == pytest.approx(0.1 * 759 + 0.3 * 551 + 0.6 * 452)
    with pytest.raises(ValueError, match="do not add up to 1"):
        expected_pkts(TOP, 32, 0.3, 0.3, 0.3)


@pytest.mark.parametrize("at", [21.9, 44.1])
def test_a_handover_happens_within_the_sawtooth(at: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        halving_pkts(TOP, at)


@given(st.floats(4, 2000), st.floats(0, 1))
def test_a_timeout_costs_most_and_nothing_least(top: float, where: float) -> None:
    at = top / 2 * (1 + where)
    ideal, halving, timeout = (normalised(case, top, at) for case in pacifico.ORDER)
    assert ideal == 1
    assert 1 > halving >= timeout - 1e-9
    assert timeout > 0


@given(st.integers(2, 500).map(lambda half: 2 * half))
def test_the_later_in_the_sawtooth_the_less_a_handover_costs(top: int) -> None:
    at = np.arange(top // 2, top + 1)
    assert np.all(np.diff(unsent_halving_pkts(top, at)) <= 1e-9)


def test_both_cases_cost_the_same_share_of_large_windows() -> None:
    # UnsentWH / D_I tends to (3/8 * 1/4) / (3/8) = 1/4 in the middle, to 1/3 at the start and to 0 at the end.
    top = 1e7
    for case in ("halving", "timeout"):
        shares = [float(normalised(case, top, at)) for at in (top / 2, middle_pkts(top), top)]
        assert shares == pytest.approx([2 / 3, 3 / 4, 1], abs=2e-5)
    timeouts = normalised("timeout", np.arange(40, 121), middle_pkts(np.arange(40, 121)))
    assert np.all(np.diff(timeouts) > 0), "slow start takes a smaller share of a larger window"


@pytest.mark.parametrize("at", range(22, 45))
def test_windows_counted_agree_with_equation_2(at: int) -> None:
    assert counted_share("ideal", TOP, at) == 1
    assert counted_share("halving", TOP, at) == pytest.approx(float(normalised("halving", TOP, at)))


@pytest.mark.parametrize(("top", "at", "k"), [(24, 16, 4), (44, 32, 5), (120, 64, 6), (120, 90, None)])
def test_equation_3_takes_a_packet_per_rtt_too_many_after_slow_start(top: int, at: int, k: int | None) -> None:
    assert cwnd_pkts("timeout", 24, 16).tolist() == [1, 2, 4, 8, 9, 10, 11, 12, 13]
    counted = (cwnd_pkts("halving", top, at) - cwnd_pkts("timeout", top, at)).sum()
    if k is None:  # a threshold of 45 is no power of 2: 6.49 rounds by (5), 7 counted with the last one clipped
        assert cwnd_pkts("timeout", top, at)[:9].tolist() == [1, 2, 4, 8, 16, 32, 45, 46, 47]
        assert 0 < unsent_slow_start_pkts(top, at) - counted < top - at + 1
    else:
        assert unsent_slow_start_pkts(top, at) - counted == pytest.approx(top - at + 1 - k)


def test_at_the_end_of_the_sawtooth_equation_3_counts_beyond_it() -> None:
    # One RTT is left, with 1 instead of 44 packets; (3) has k = 5.46 RTTs of slow start.
    assert counted_share("timeout", TOP, TOP) == pytest.approx(1 - 43 / 759)
    assert normalised("timeout", TOP, TOP) == pytest.approx(1 - (22 + 64.91) / 759, abs=1e-4)


def test_figure_4_lies_within_the_papers_axes_timeouts_below_halvings() -> None:
    with style.theme():
        (axes,) = model_chart.draw().axes
        lines = {line.get_label(): line for line in axes.lines}
    assert axes.get_xlim() == pacifico.FIGURE4_CWND_MAX_PKTS and axes.get_ylim() == pacifico.FIGURE4_SHARE_PERCENT
    for line in lines.values():
        assert line.get_xdata()[[0, -1]].tolist() == list(pacifico.FIGURE4_CWND_MAX_PKTS)
        assert np.all((np.asarray(line.get_ydata()) > 50) & (np.asarray(line.get_ydata()) < 100))
    for place in ("at cwnd_max", "in the middle"):
        halving, timeout = (np.asarray(lines[f"{case}, {place}"].get_ydata()) for case in ("window halving", "timeout"))
        assert np.all(halving > timeout)
    # At 44: 737 and 672.1 of 759 packets at the top, 561 and 464.5 in the middle.
    at_44 = [float(line.get_ydata()[1]) for name, line in lines.items() if not name.startswith("counted")]
    assert at_44 == pytest.approx([97.10, 73.91, 88.55, 61.20], abs=0.01)
    assert [line.get_marker() for line in lines.values()] == ["", "x", "", "None", "o", "None"]
