# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims about a quotient of two arms, and the causes of those of the delivery paper."""

from __future__ import annotations

from typing import Any

import pytest
from synthetic_claim import claim, row

from cellbed_analysis.claims.claim import check
from cellbed_analysis.claims.judge import evaluate_one
from cellbed_analysis.stats.interval import Estimate
from cellbed_formats.error import DataError


def run(order: str, seed: int, value: float, **change: Any) -> dict[str, Any]:
    """A run of the delivery paper with what its causes are made of."""
    return row(value) | {
        "variant": f"cubic-{order}", "seed": seed, "congestion_control": "cubic", "param.rate": 0.01,
        "goodput_mbps": value, "file_goodput_mbps": value, "rlc_retransmissions_dl": 60, "flight_mean_bytes": 5e5,
    } | change  # fmt: skip


IN_FACTS = {"retransmissions": 0, "spurious_retransmits": 0, "cwnd_reductions": 0, "cwnd_undos": 0}
OUT_FACTS = {"retransmissions": 50, "spurious_retransmits": 49, "cwnd_reductions": 9, "cwnd_undos": 7}


def gain(**change: Any) -> dict[str, Any]:
    metric = "file_goodput_mbps"
    return claim(
        unit="1", explain="delivery", expect={"value": 1.25, "tolerance": 0.01},
        measure={"metric": metric, "where": {"variant": ["cubic-out", "yeah-out"]}},
        ratio={"metric": metric, "where": {"variant": ["cubic-in", "yeah-in"]}, "by": ["congestion_control"]},
    ) | change  # fmt: skip


def test_a_ratio_is_paired_by_seed_and_columns() -> None:
    """Seeds and controls of very different rates: each pair has a ratio, each seed the mean of its pairs."""
    rows = [
        run(order, seed, rate * seed, congestion_control=cc, variant=f"{cc}-{order}")
        for cc, order, rate in (("cubic", "in", 10), ("cubic", "out", 12), ("yeah", "in", 1000), ("yeah", "out", 1300))
        for seed in (1, 2)
    ]
    found = evaluate_one(gain(), rows)
    assert found.verdict == "reproduced"
    assert found.measured is not None and found.measured.value == pytest.approx(1.25)
    assert found.measured.half_width == pytest.approx(0, abs=1e-9)
    lonely = [r for r in rows if r["seed"] == 1 or r["variant"] == "cubic-in"]
    assert evaluate_one(gain(), lonely).measured == Estimate(pytest.approx(1.25))
    assert evaluate_one(gain(), [r for r in rows if r["variant"].endswith("out")]).verdict == "not-run"
    unpaired = [run("in", 1, 10.0), run("out", 2, 10.0)]
    assert evaluate_one(gain(), unpaired).cause == "The runs have no file_goodput_mbps."


def test_ratio_and_minus_exclude_each_other() -> None:
    with pytest.raises(DataError, match="key ratio: a claim has either minus or ratio"):
        check(gain(minus={"metric": "rtt_mean_ms"}))


def test_a_difference_of_delivery_says_what_governed_the_window() -> None:
    rows = [run("in", 1, 200.0, **IN_FACTS), run("out", 1, 100.0, **OUT_FACTS)]
    cause = evaluate_one(gain(), rows).cause
    assert "cubic-out, mean of 1 runs: 60 RLC retransmissions, 49 retransmits spurious, 9.0 reductions of cwnd" in cause
    assert "look like losses to TCP" in cause
    assert "cubic-in, mean of 1 runs: 60 RLC retransmissions, 0 retransmits spurious" in cause
    assert cause.endswith("500 kB in flight at an RTT of 200 ms make 200 Mbit/s.")
    slow = [run("in", 1, 200.0, **IN_FACTS, congestion_control="yeah"), run("out", 1, 9.0, congestion_control="yeah")]
    assert evaluate_one(gain(), slow).cause.endswith("It takes delay for a queue and holds its window down.")
    lossy = run("in", 1, 200.0, **IN_FACTS | {"retransmissions": 9, "cwnd_reductions": 2})
    assert evaluate_one(gain(), [lossy, rows[1]]).cause.endswith("Retransmissions of lost packets governed the window.")


def test_a_ratio_is_varied_over_windows_in_their_order() -> None:
    vary = {"scenario": "windows", "by": ["tcp.receive_window"]}
    rows = [run("in", 1, 200.0, **IN_FACTS), run("out", 1, 100.0, **OUT_FACTS)]
    for window, value in ((None, 5.0), (1048576, 20.0), (65536, 11.0)):
        more = {"scenario": "windows", "param.tcp.receive_window": window}
        rows += [run("in", 1, 10.0, **more), run("out", 1, value, **more)]
    cause = evaluate_one(gain(vary=vary), rows).cause
    assert "1.10 (window 64 KiB); 2.00 (window 1024 KiB); 0.50 (window autotuned)." in cause
    other = gain(vary=vary | {"scenario": "windows"}, measure={"metric": "rtt_mean_ms", "where": {"seed": 1}})
    assert (
        "has no run of this kind"
        in evaluate_one(
            other | {"ratio": {"metric": "rtt_p50_ms", "where": {}}, "measure": other["measure"]},
            [row(1.0, rtt_p50_ms=1.0), row(2.0, scenario="windows")],
        ).cause
    )
