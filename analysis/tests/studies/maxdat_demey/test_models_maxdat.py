# SPDX-License-Identifier: GPL-2.0-or-later
"""De Mey's closed form: each equation by values worked by hand, then the numbers that the paper reads off it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cellbed_analysis.__main__ import main
from cellbed_analysis.figures import style
from cellbed_analysis.studies.maxdat_demey import demey, maxdat, model_chart
from cellbed_analysis.studies.maxdat_demey.maxdat import Session, session

#: One PDU a TTI; round numbers for everything that is not printed.
BY_HAND = Session(32_000, 1.0, segment_bytes=80, w_max=4, rtt_rlc_s=0.1, t_polling_s=0.2)
AT_128 = session(128_000)
BLERS = np.arange(0, 0.41, float(demey.BLER_STEP))


def test_equation_1_rounds_up() -> None:
    assert [maxdat.pdus(size, 40) for size in (1, 40, 41, 1040)] == [1, 1, 2, 26]
    assert (AT_128.pdus, AT_128.pdus_per_tti, BY_HAND.pdus, BY_HAND.pdus_per_tti) == (26, 4, 2, 1)


def test_equations_2_and_3() -> None:
    assert maxdat.pdu_success([0, 0.5, 0.5], [1, 1, 3]).tolist() == [1, 0.5, 0.875]
    assert maxdat.segment_success(0.5, [1, 3], 2).tolist() == [0.25, 0.765625]
    assert maxdat.segment_loss(0.5, [1, 3], 2) == pytest.approx([0.75, 0.234375])
    assert maxdat.segment_loss(0.1, 20, 26) == pytest.approx(26e-20), "1 - p would be 0"
    assert maxdat.segment_loss([0, 1], 3, 26).tolist() == [0, 1]


def test_equation_4_adds_the_wired_rtt() -> None:
    assert maxdat.rtt_tcp(0, maxdat.maxdats(), AT_128).tolist() == [1.283] * 12
    added = maxdat.rtt_tcp(0.3, 4, AT_128) - maxdat.rtt_rlc(0.3, 4, AT_128)
    assert added == pytest.approx(1.283)


def test_equation_6() -> None:
    assert maxdat.status_loss([0, 0.5, 1]).tolist() == [0, 0.75, 1]
    assert maxdat.status_loss(0.15) == pytest.approx(0.2775)


def test_equation_7() -> None:
    # (1 - 1/2)^2, (3/4)^2 - (1/2)^2, (7/8)^2 - (3/4)^2
    assert maxdat.retransmissions(0.5, [0, 1, 2], 2).tolist() == [0.25, 0.3125, 0.203125]
    assert maxdat.retransmissions(0.3, np.arange(60), 26).sum() == pytest.approx(1)


def test_equation_8_as_printed() -> None:
    # i = 1 and 2: sum i P_i = 0.71875, sum P_i = 0.515625; e = 3/4; 2 + 1 TTIs and no more.
    trips, some = 0.3125 + 2 * 0.203125, 0.3125 + 0.203125
    polls = 0.75 * (1 - 0.75) / 0.25 - 1 * 0.75**2
    expected = 0.05 * (2 - 0.75**2) * trips + 0.05 * some + 0.2 * polls * trips + 0.01 * 3 * some
    assert polls == 0.1875
    assert maxdat.rtt_rlc(0.5, 2, BY_HAND) == pytest.approx(expected)


def test_equation_8_mended() -> None:
    # One retransmission at most, of segments that arrive (9/16): a TTI for it, none for the first transmission.
    expected = 0.3125 * (0.05 * (2 - 0.75**2) + 0.05 + 0.2 * 0.1875 + 0.01 * 1) / 0.5625
    assert maxdat.rtt_rlc(0.5, 2, BY_HAND, as_printed=False) == pytest.approx(expected)
    # Once sent, nothing is sent again.
    assert maxdat.rtt_rlc([0.1, 0.4], 1, AT_128, as_printed=False).tolist() == [0, 0]
    # A retransmission takes a TTI, although fewer PDUs than fill one are lost.
    only_ttis = replace(AT_128, rtt_rlc_s=0, t_polling_s=0)
    assert maxdat.rtt_rlc(0.01, 12, only_ttis, as_printed=False) == pytest.approx(
        0.01 * sum(i * maxdat.retransmissions(0.01, i, 26) for i in range(1, 12))
    )


def test_one_pair_of_open_values_has_all_four_numbers_of_section_5() -> None:
    """1.4 s, 115 kbit/s, a factor of 8, less than one eighth: 20 ms for RTT_RLC and T_Polling, as claims.yaml says."""
    of = maxdat.session(128_000, rtt_rlc_s=0.02, t_polling_s=0.02)
    kbps = {(b, m): float(maxdat.throughput(b, m, of)) / 1e3 for b in (0.15, 0.4) for m in maxdat.maxdats()}
    assert float(maxdat.rtt_tcp(0.15, 6, of)) == pytest.approx(1.394, abs=5e-4)
    assert kbps[0.15, 6] == pytest.approx(114.6, abs=0.05)
    assert kbps[0.15, 6] / kbps[0.15, 3] == pytest.approx(8.22, abs=5e-3)
    assert kbps[0.4, 6] / max(kbps[0.4, m] for m in maxdat.maxdats()) == pytest.approx(0.114, abs=5e-4)


def test_equation_9() -> None:
    # p = 1/2, W = 4, RTT 1 s, T0 2 s: Q = 0.99166..., G = 4.
    q = 0.875 * 1.0625 / 0.9375
    expected = (1 + 2 + q) / (1 * (1 + 1 / 4 + 2) + q * 4 * 2 / 0.5)
    assert maxdat.segments_per_s(0.5, 1, 2, 4) == pytest.approx(expected)
    # Without losses a window per RTT; if all are lost nothing.
    assert maxdat.segments_per_s([0, 1], 2, 2, 4).tolist() == [2, 0]
    assert maxdat.throughput(0, 3, AT_128) == pytest.approx(8 * 1040 * 20 / 1.283)


def test_padhye_s_other_branch() -> None:
    # p = 1/2: W = 2/3 + sqrt(4/3 + 4/9) = 2, Q = 1, G = 4.
    assert maxdat.mean_window(0.5) == pytest.approx(2)
    assert maxdat.segments_per_s(0.5, 1, 2, 4, own_window=True) == pytest.approx((1 + 1 + 1) / (3 + 4 * 2 / 0.5))
    few = [0, 1e-4, 3e-3]
    assert (maxdat.segments_per_s(few, 1, 2, 20, own_window=True) == maxdat.segments_per_s(few, 1, 2, 20)).all()
    assert maxdat.mean_window(0.0036) < demey.W_MAX < maxdat.mean_window(0.0035)


def test_equation_10() -> None:
    assert maxdat.timeout_share(0.5, 4) == pytest.approx(0.875 * 1.0625 / 0.9375)
    assert maxdat.timeout_share([0, 1e-12], 20) == pytest.approx([0.15, 0.15])
    assert maxdat.timeout_share([0.2, 1], [3, 20]).tolist() == [1, 1]


def test_equation_11() -> None:
    # At 1/2 each of the six terms is 1/2.
    assert maxdat.backoff([0, 0.5, 1]).tolist() == [1, 4, 64]


def test_arrays_broadcast() -> None:
    rates = maxdat.throughput(BLERS[:, None], maxdat.maxdats(), AT_128)
    assert rates.shape == (9, 12) and np.isfinite(rates).all()
    assert rates[3, 5] == pytest.approx(float(maxdat.throughput(BLERS[3], 6, AT_128)), rel=1e-12)
    assert (np.diff(rates, axis=1) >= -1e-6).all(), "more transmissions, more throughput"
    assert (np.diff(rates, axis=0) <= 1e-6).all()


def test_the_wired_rtt_is_a_window_at_the_downlink_rate() -> None:
    for rate, printed in demey.RTT_WIRED_S.items():
        assert session(rate * 1000).rtt_wired_s == float(printed)
        assert 8 * demey.W_MAX * 1040 / (1000 * rate) == pytest.approx(float(printed), rel=0.014)
    assert session(64_000).rtt_wired_s == pytest.approx(2.6)
    assert session(64_000, rtt_wired_s=3.0, w_max=10) == replace(session(64_000), rtt_wired_s=3.0, w_max=10)


def test_figure_6_by_the_text() -> None:
    bler = float(demey.FIGURE6_BLER)
    rtt_s = maxdat.rtt_tcp(bler, demey.FIGURE6_MAXDAT, AT_128)
    assert f"{rtt_s:.1f}" == demey.FIGURE6_RTT_S
    mended = maxdat.rtt_tcp(bler, demey.FIGURE6_MAXDAT, AT_128, as_printed=False)
    assert f"{mended:.1f}" == demey.FIGURE6_RTT_S
    # Whatever the RTT: a throughput that rounds to 115 has one that rounds to 1.4, with headers only.
    kbit = maxdat.throughput(bler, demey.FIGURE6_MAXDAT, AT_128) * rtt_s / 1000
    kbps = float(demey.FIGURE6_KBPS)
    assert kbit == pytest.approx(159.8, abs=0.05)
    assert (kbit / (kbps + 0.5), kbit / (kbps - 0.5)) == pytest.approx((1.384, 1.396), abs=5e-4)
    assert kbit / 1.04 / (kbps - 0.5) < 1.35
    # What they would need of the two times that are not printed.
    rest_s = np.array([1.384, 1.396]) - 1.283 - maxdat.rtt_rlc(bler, 6, replace(AT_128, rtt_rlc_s=0, t_polling_s=0))
    assert rest_s == pytest.approx([0.042, 0.054], abs=5e-4)


def test_half_the_transmissions_an_eighth_of_the_throughput() -> None:
    half = demey.FIGURE6_MAXDAT // 2
    ratios = [
        maxdat.throughput(0.15, demey.FIGURE6_MAXDAT, of) / maxdat.throughput(0.15, half, of)
        for of in (replace(AT_128, t0_rtts=t0) for t0 in (1, 2, 3, 4))
    ]
    assert ratios == pytest.approx([7.2, 7.7, 8.2, 8.6], abs=0.05)
    assert round(float(ratios[2])) == demey.FIGURE6_HALF
    # "Without a similar reduction of the RTT".
    assert maxdat.rtt_tcp(0.15, half, AT_128) > 0.98 * maxdat.rtt_tcp(0.15, 6, AT_128)


def test_figure_7_by_the_text() -> None:
    rates = maxdat.throughput(float(demey.FIGURE7_BLER), maxdat.maxdats(), AT_128)
    assert rates[demey.FIGURE6_MAXDAT - 1] * demey.FIGURE7_DIVISOR < rates.max()


def test_with_the_success_as_p_nothing_would_get_through() -> None:
    taken_literally = maxdat.segments_per_s(maxdat.segment_success(0.15, 6, 26), 1.4, 4.2, demey.W_MAX)
    assert 8 * 1040 * taken_literally < 1


def test_ret_a_and_ret_b() -> None:
    low, high = maxdat.limits(BLERS, AT_128)
    assert (low[0], high[0]) == (1, 1)
    assert high[3] == demey.FIGURE6_MAXDAT
    assert (low <= high).all() and (np.diff(low) >= 0).all() and (np.diff(high) >= 0).all()
    share = maxdat.throughput(0.15, maxdat.maxdats(), AT_128) / maxdat.throughput(0.15, 12, AT_128)
    assert share[4] < 0.8 < 0.95 < share[5], "any share between gives the paper's 6"
    assert [int(value) for value in maxdat.limits(0.15, AT_128)] == [low[3], high[3]]


def test_table_has_the_surfaces() -> None:
    rows = maxdat.table(BLERS, AT_128)
    assert rows.columns == ["rate", "bler", "maxdat", "rtt", "throughput"] and len(rows) == 9 * 12
    cell = rows.filter((pl.col("maxdat") == 6) & ((pl.col("bler") - 0.15).abs() < 1e-9)).row(0, named=True)
    assert cell["rtt"] == pytest.approx(float(maxdat.rtt_tcp(0.15, 6, AT_128)))
    assert cell["throughput"] == pytest.approx(float(maxdat.throughput(0.15, 6, AT_128)))


def measured(rates: list[int], quantity: str, factor: float = 1.0) -> pl.DataFrame:
    tables = [maxdat.table(BLERS, session(rate)) for rate in rates]
    return pl.concat(tables).select("rate", "bler", "maxdat", value=pl.col(quantity) * factor)


def test_mismatch_of_made_up_measurements() -> None:
    # The model is 25 % above what is measured everywhere, and twice as much in one cell of the second rate.
    frame = measured([32_000, 128_000], "throughput", 0.8)
    one = (pl.col("rate") == 128_000) & (pl.col("maxdat") == 12) & (pl.col("bler") == 0)
    frame = frame.with_columns(value=pl.when(one).then(pl.col("value") / 1.6).otherwise(pl.col("value")))
    rows = maxdat.mismatch(frame, "throughput")
    assert rows["rate"].to_list() == [32_000, 128_000] and rows["cells"].to_list() == [108, 108]
    assert rows["mean_percent"].to_list() == pytest.approx([25, (107 * 25 + 100) / 108])
    assert rows["max_percent"].to_list() == pytest.approx([25, 100])


def test_mismatch_leaves_out_what_has_no_estimate() -> None:
    frame = measured([128_000], "rtt")
    spoilt = pl.col("maxdat") < 2
    # Below Ret_A anything may stand: with errors that is maxDAT 1.
    frame = frame.with_columns(value=pl.when(spoilt & (pl.col("bler") > 0)).then(0.01).otherwise(pl.col("value")))
    assert maxdat.mismatch(frame, "rtt")["max_percent"].to_list() == pytest.approx([0], abs=1e-9)
    low, _ = maxdat.limits(BLERS, AT_128)
    assert maxdat.mismatch(frame, "rtt")["cells"].to_list() == [int((13 - low).sum())]
    gaps = pl.DataFrame({"rate": [128e3] * 3, "bler": [0.1] * 3, "maxdat": [5] * 3, "value": [0.0, None, float("nan")]})
    assert len(maxdat.mismatch(gaps, "throughput")) == 0
    assert maxdat.mismatch(frame, "rtt", [replace(AT_128, rtt_wired_s=2.566)])["mean_percent"][0] > 50
    with pytest.raises(ValueError, match="quantity goodput"):
        maxdat.mismatch(frame, "goodput")


def test_surfaces_draw_the_model() -> None:
    for quantity, scale, value in (("rtt", 1, maxdat.rtt_tcp), ("throughput", 1e-3, maxdat.throughput)):
        with style.theme():
            figure = model_chart.draw(quantity)
            maps = [axes for axes in figure.axes if axes.get_xlabel() == "BLER"]
            assert [axes.get_title() for axes in maps] == ["32 kbit/s", "128 kbit/s", "384 kbit/s"]
            drawn = np.asarray(maps[1].collections[0].get_array())
            assert drawn.shape == (12, 81)
            assert drawn[5, 30] == pytest.approx(scale * float(value(0.15, 6, AT_128)))
            # Ret_A and Ret_B, each with its white lining.
            assert len(maps[1].lines) == (4 if quantity == "throughput" else 0)


def test_a_cut_draws_one_bler() -> None:
    with style.theme():
        figure = model_chart.draw_cut(0.15, AT_128, 6)
        rtt, rates = figure.axes
        assert rtt.lines[0].get_ydata() == pytest.approx(maxdat.rtt_tcp(0.15, maxdat.maxdats(), AT_128))
        assert rates.lines[0].get_ydata()[5] == pytest.approx(111.6, abs=0.05)
        assert [line.get_xdata()[0] for line in rates.lines[1:3]] == [2, 6]


@pytest.mark.parametrize("as_printed", [True, False])
def test_rtt_grows_with_maxdat(as_printed: bool) -> None:
    for rate in demey.RATES_KBPS:
        rtt_s = maxdat.rtt_tcp(BLERS[:, None], maxdat.maxdats(), session(1000 * rate), as_printed)
        assert (np.diff(rtt_s, axis=1) >= -1e-9).all()


def test_propose() -> None:
    rtt_s = maxdat.rtt_tcp(0.15, maxdat.maxdats(), AT_128)
    rates = maxdat.throughput(0.15, maxdat.maxdats(), AT_128)
    assert maxdat.propose(0.15, AT_128) == maxdat.limits(0.15, AT_128)[1] == 6
    assert maxdat.propose(0, AT_128) == 1
    # The smallest that reaches a throughput, to the bit.
    assert maxdat.propose(0.15, AT_128, min_throughput_bps=rates[4]) == 5
    assert maxdat.propose(0.15, AT_128, min_throughput_bps=rates[4] + 1) == 6
    # The best within an RTT; beyond Ret_B nothing is won.
    assert maxdat.propose(0.15, AT_128, max_rtt_s=rtt_s[3]) == 4
    assert maxdat.propose(0.15, AT_128, max_rtt_s=9) == 6
    assert maxdat.propose(0.15, AT_128, max_rtt_s=rtt_s[3], min_throughput_bps=10_000) == 3
    with pytest.raises(ValueError, match=r"within 1 s: the shortest is 1\.330 s"):
        maxdat.propose(0.15, AT_128, max_rtt_s=1)
    with pytest.raises(ValueError, match=r"gives 120 kbit/s: the most is 116\.\d kbit/s"):
        maxdat.propose(0.15, AT_128, min_throughput_bps=120_000)
    with pytest.raises(ValueError, match=r"100 kbit/s within 1\.43 s: the most is 43\.8"):
        maxdat.propose(0.15, AT_128, max_rtt_s=1.43, min_throughput_bps=100_000)


def told(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["maxdat", *options]) == 0
    return capsys.readouterr().out


def test_command_proposes_with_neighbours(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "--bler", "0.15", "--rate", "128kbit", "--min-throughput", "60kbit")
    assert text.startswith("maxDAT 5 for a throughput of 60 kbit/s at least, at 128 kbit/s and BLER 0.15\n")
    rows = [line.split() for line in text.splitlines()[3:8]]
    assert [row[:2] for row in rows] == [["3", "1.419"], ["4", "1.428"], [">", "5"], ["6", "1.432"], ["7", "1.432"]]
    assert rows[2][2:] == ["1.431", "91.5", "0.197"]
    assert "This is the model" in text and "no measurement" in text
    assert "78.8 % of the highest throughput, 116.2 kbit/s" in text and "no capacity" not in text


def test_command_says_what_the_model_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "--bler", "0.15", "--rate", "128kbit")
    assert text.startswith("maxDAT 6 for the highest throughput")
    assert "errors leave the link 108.8 kbit/s" in text and "equation 8 as printed" in text
    mended = told(capsys, "--bler", "0.15", "--rate", "128kbit", "--mended")
    assert "equation 8 mended" in mended and "115.1" in mended
    other = told(capsys, "--bler", "0.1", "--rate", "0.2Mbit", "--rtt-wired", "0.9", "--max-rtt", "1.5")
    assert "at 200 kbit/s" in other and "without errors of 0.9 s" in other and "RTT of 1.5 s at most" in other


def test_command_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["maxdat", "--bler", "0.15", "--rate", "128kbit", "--max-rtt", "1.0"]) == 1
    assert "by the model, no maxDAT keeps the RTT within 1 s" in capsys.readouterr().err
    good = {"--bler": "0.15", "--rate": "128kbit"}
    for wrong in ({"--bler": "1"}, {"--bler": "-0.1"}, {"--rate": "128"}, {"--rate": "0kbit"}, {"--max-rtt": "0"}):
        with pytest.raises(SystemExit):
            main(["maxdat", *[f"{name}={value}" for name, value in (good | wrong).items()]])
        assert "expected" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        told(capsys, "--bler", "0.1", "--rate", "1Mbit", "--max-rtt", "1", "--min-throughput", "1kbit")


def test_command_draws_beside_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.png").write_bytes(b"mine")
    text = told(capsys, "--bler", "0.15", "--rate", "128kbit", "--figures", str(tmp_path))
    drawn = {f"maxdat-{name}.{kind}" for name in ("rtt", "throughput", "cut") for kind in ("png", "pdf")}
    assert {path.name for path in tmp_path.iterdir()} == drawn | {"mine.png"}
    assert all(str(tmp_path / name) in text for name in drawn)


def test_other_commands_load_no_numpy() -> None:
    code = "import sys, cellbed_analysis.__main__; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
