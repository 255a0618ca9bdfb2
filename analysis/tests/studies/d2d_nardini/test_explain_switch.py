# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims about mode switches: their file, and causes made of counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from cellbed_analysis.claims.claim import check
from cellbed_analysis.claims.explain import explanations
from cellbed_analysis.claims.judge import evaluate_one

CLAIMS = Path(__file__).parents[4] / "scenarios" / "d2d-nardini" / "dynamic-claims.yaml"
VARIANTS = ("reno", "newreno", "westwood", "westwoodplus", "sack", "cubic")


def row(variant: str, seed: int = 1, **change: Any) -> dict[str, Any]:
    return {
        "scenario": "d2d-nardini/dynamic", "variant": variant, "seed": seed, "lab": "virtual", "usable": True,
        "bundle": f"{variant}-{seed}", "mode_switches": 20, "switch_flushed_data_mean_pkts": 75.0,
        "switch_flushed_ack_mean_pkts": 15.0, "switch_outstanding_mean_pkts": 90.0, "switch_flushed_share": 1.0,
        "switch_rto_first_share": 1.0, "switch_rto_share": 1.0, "switch_rto_p50_ms": 288.0, "recoveries": 0,
        "rto_count": 20, "goodput_iperf3_mbps": 20.0,
    } | change  # fmt: skip


def test_the_claims_are_well_formed_and_each_tolerance_has_a_reason() -> None:
    claims = yaml.safe_load(CLAIMS.read_text())
    ids = [check(entry)["id"] for entry in claims]
    assert len(ids) == len(set(ids)) > 40
    for entry in claims:
        assert "not_testable" in entry or entry["why"], entry["id"]
        assert entry["source"].startswith("section IV"), entry["id"]


def test_every_testable_claim_names_a_variant_that_the_scenario_has() -> None:
    executed = set(VARIANTS) | {"cubic-keep"}
    for entry in yaml.safe_load(CLAIMS.read_text()):
        for key in ("measure", "minus", "ratio"):
            chosen = entry.get(key, {}).get("where", {}).get("variant", [])
            assert set([chosen] if isinstance(chosen, str) else chosen) <= executed, entry["id"]


def test_a_switch_that_leaves_nothing_is_said_to() -> None:
    text = explanations()["switch"]({}, [row("reno"), row("reno", 2)], [row("sack")])
    assert text.startswith(
        "reno, mean of 2 runs: 20 switches, each flushed 75.0 data packets and 15.0 ACKs of 90.0 packets in flight, "
        "as a timeout after 100% of them, the timer expired before the repair after 100%, in the whole run 0.0 fast "
        "recoveries and 20.0 timeouts, 20.00 Mbit/s. sack, 1 run: 20 switches"
    )
    assert "A switch flushes 100% of what is in flight" in text and "The timer took 288 ms" in text


def test_no_reason_is_given_that_the_counts_do_not_show() -> None:
    change = {"switch_flushed_share": 0.6, "switch_rto_first_share": 0.0, "switch_rto_p50_ms": 1100.0}
    text = explanations()["switch"]({}, [row("reno", **change)], [])
    assert "A switch flushes" not in text and "The timer took" not in text


def test_ranges_of_cqis_are_a_cause() -> None:
    cqis = {"cqi_ul_min": 9, "cqi_ul_max": 9, "cqi_sl_min": 5, "cqi_sl_max": 15}
    assert explanations()["cqi"]({}, [row("reno", **cqis)], []) == "CQIs in channel.trace: UL 9 to 9, SL 5 to 15."
    assert explanations()["cqi"]({}, [row("reno")], []) == "The runs have no channel."


def test_the_order_of_figure_7() -> None:
    claims = {entry["id"]: entry for entry in yaml.safe_load(CLAIMS.read_text())}
    mbps = {"sack": 22.0, "cubic": 23.0, "reno": 20.0, "westwood": 19.5, "westwoodplus": 20.2, "newreno": 17.0}
    rows = [
        row(variant, seed, goodput_iperf3_mbps=value + 0.01 * seed)
        for variant, value in mbps.items()
        for seed in (1, 2, 3)
    ]
    figure7 = [name for name in claims if "outperforms" in name or "-as-reno" in name or "newreno-below" in name]
    assert len(figure7) == 2 * 4 + 2 + 3
    assert {evaluate_one(claims[name], rows).verdict for name in figure7} == {"reproduced"}
    alike = [r | {"goodput_iperf3_mbps": 20.0 + 0.01 * r["seed"]} for r in rows]
    differs = evaluate_one(claims["newreno-below-westwood"], alike)
    assert differs.verdict == "differs" and differs.cause.startswith("newreno, mean of 3 runs")
