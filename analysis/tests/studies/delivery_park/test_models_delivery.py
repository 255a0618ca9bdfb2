# SPDX-License-Identifier: GPL-2.0-or-later
"""The delivery model against every printed cell of Park's Tables 1 and 2, and against simulation."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from cellbed_analysis.claims.judge import Outcome
from cellbed_analysis.stats.interval import Estimate
from cellbed_analysis.studies.delivery_park import park
from cellbed_analysis.studies.delivery_park.delivery import (
    Link,
    both_ways_ms,
    exact_both_ways_ms,
    held_back_ms,
    in_sequence_wait_ms,
    ladder_delays,
    ladder_wait_ms,
    rows,
    rtt_increment_ms,
    utilisation,
)
from cellbed_analysis.studies.delivery_park.page import section

PRINTED = list(rows(Link(), as_printed=True).iter_rows(named=True))


def to_digits(value: float, printed: str) -> Decimal:
    """`value` rounded to the last printed digit; the float's own error (1e-12) is taken off first."""
    return Decimal(f"{value:.12g}").quantize(Decimal((0, (1,), Decimal(printed).as_tuple().exponent)), ROUND_HALF_UP)


@pytest.mark.parametrize(("printed", "row"), list(zip(park.TABLE1, PRINTED, strict=True)))
def test_table_1_row(printed: tuple, row: dict) -> None:
    nack_to_ack, arq, harq, percent, n, d_max, increment = printed
    assert (row["nack_to_ack"], row["arq"], row["harq"]) == (nack_to_ack, arq, harq)
    assert 100 * row["p"] == pytest.approx(float(percent), rel=1e-12)
    assert (row["pdus"], row["d_max_ms"]) == (n, d_max)
    assert to_digits(row["rtt_inc_ms"], increment) == Decimal(increment)


def test_table_1_total() -> None:
    assert to_digits(rtt_increment_ms(Link(), as_printed=True), park.TABLE1_TOTAL) == Decimal(park.TABLE1_TOTAL)


@pytest.mark.parametrize("column", range(3))
@pytest.mark.parametrize("e2e_ms", park.TABLE2)
def test_table_2_cell(e2e_ms: int, column: int) -> None:
    printed = park.TABLE2[e2e_ms][column]
    computed = utilisation(e2e_ms, both_ways_ms(park.TABLE2_HARQ_RTT_MS[column], as_printed=True))
    # Seven digits; the paper drops zeros at the end.
    assert to_digits(float(computed), "0.0000000") == Decimal(printed)


@pytest.mark.parametrize(("harq_rtt_ms", "excess_ms"), [(8, 0), (12, 0.3), (16, 2.1)])
def test_without_the_bound_of_10_pdus_table_2_would_not_come_out(harq_rtt_ms: float, excess_ms: float) -> None:
    table = rows(Link(harq_rtt_ms), as_printed=True)
    free = table["p"].to_numpy() * held_back_ms(table["d_max_ms"].to_numpy(), table["d_max_ms"].to_numpy())
    assert free.sum() - table["rtt_inc_ms"].sum() == pytest.approx(excess_ms, abs=1e-9)
    assert table["pdus"][0] == min(harq_rtt_ms, 10)


def test_nack_to_ack_rows_follow_the_loss_unless_as_printed() -> None:
    general, printed = rows(Link()), rows(Link(), as_printed=True)
    errors = general.filter("nack_to_ack")["p"].to_list()
    assert errors == pytest.approx([1e-4, 1e-7, 1e-10])
    assert printed.filter("nack_to_ack")["p"].to_list() == pytest.approx([1e-4, 1e-6, 1e-8])
    assert general.filter(~general["nack_to_ack"]).equals(printed.filter(~printed["nack_to_ack"]))


def test_other_ladders_and_rounds() -> None:
    # Two transmissions: BLER 0.2, loss 0.02; an ARQ round is (2 + 1) * 10 ms. 1/P = 5 bounds N in the first row.
    link = Link(harq_rtt_ms=10, residual_bler=(0.2, 0.02), arq_retransmissions=1, nack_to_ack=0.0)
    assert rows(link)["d_max_ms"].to_list() == [10, 30, 30, 40]
    assert rows(link)["pdus"].to_list() == [5, 30, 30, 40]
    increments = [0.2 * (10 + 9 + 8 + 7 + 6), 0, 0.02 * 30 * 31 / 2, 0.004 * 40 * 41 / 2]
    assert rows(link)["rtt_inc_ms"].to_list() == pytest.approx(increments)
    assert rtt_increment_ms(Link(residual_bler=(0.0,), nack_to_ack=0.0)) == 0
    # Half the time between PDUs: twice as many of them wait.
    assert held_back_ms([4], [100], 0.5).tolist() == [sum(np.arange(0, 4.5, 0.5))]


def simulated_wait_ms(link: Link, pdus: int, seed: int) -> float:
    """Mean wait of PDUs that come one a TTI and are delivered in sequence, PDU by PDU."""
    delays, p = ladder_delays(link)
    arrived = np.arange(pdus) * link.tti_ms + np.random.default_rng(seed).choice(delays, pdus, p=p)
    return float((np.maximum.accumulate(arrived) - np.arange(pdus) * link.tti_ms).mean())


@pytest.mark.parametrize(("harq_rtt_ms", "printed"), [(8.0, 18.04), (12.0, 28.56), (16.0, 41.79)])
def test_the_exact_increment_is_what_a_simulation_of_the_papers_assumptions_gives(
    harq_rtt_ms: float, printed: float
) -> None:
    ways = [simulated_wait_ms(Link(harq_rtt_ms=value), 2_000_000, seed)
            for seed, value in enumerate((harq_rtt_ms, 8.0))]  # fmt: skip
    exact = exact_both_ways_ms(harq_rtt_ms)
    assert exact == pytest.approx(sum(ways), rel=0.01)
    assert both_ways_ms(harq_rtt_ms, as_printed=True) == pytest.approx(printed, abs=0.005)
    assert exact < 0.6 * printed  # the formula adds overlapping gaps twice


def test_gaps_that_hardly_ever_overlap_are_what_the_formula_adds_up() -> None:
    """Where errors are rare and a PDU is in one row only, the approximation is none."""
    rare = Link(residual_bler=(1e-5, 0.0), nack_to_ack=0.0)
    assert ladder_wait_ms(rare, 10_000) == pytest.approx(rtt_increment_ms(rare), rel=0.001)
    assert ladder_wait_ms(Link(), 10_000) < 0.6 * rtt_increment_ms(Link())


def test_the_page_has_the_exact_column_beside_the_printed_one() -> None:
    text = section({"park-u-increment": Outcome({}, "differs", Estimate(12.0, 11.0, 13.0))})
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
    assert lines[2] == ["8", "18.0", "10.6", "12.0 ± 1.0", "+1.4"]
    assert [line[1:] for line in lines[3:]] == [["28.6", "15.9", "", ""], ["41.8", "22.3", "", ""]]


@pytest.mark.parametrize(("loss", "in_flight"), [(0.01, 1000), (0.05, 1000), (0.2, 1000), (0.05, 6)])
def test_in_sequence_wait_against_simulation(loss: float, in_flight: int) -> None:
    rounds = np.arange(4)
    delays, p = rounds * 15.0, loss**rounds * np.where(rounds < 3, 1 - loss, 1)
    n = 2_000_000
    late = np.random.default_rng(7).choice(delays, size=n, p=p)
    reach = min(in_flight, int(delays[-1]) + 1)
    ready = late + np.arange(n)
    windows = np.lib.stride_tricks.sliding_window_view(ready, reach)
    wait = windows.max(axis=1) - np.arange(reach - 1, n)
    assert in_sequence_wait_ms(list(delays), list(p), 1, in_flight) == pytest.approx(wait.mean(), rel=0.02)
