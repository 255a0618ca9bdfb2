# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of metrics of a sweep over maxDAT and BLER, made up so that every number can be worked out."""

from __future__ import annotations

from typing import Any

from cellbed_analysis.studies.maxdat_demey import maxdat

BLERS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
SCENARIO = "maxdat-demey/sweep-128k"
#: As the closed form has it for 128 kbit/s and Table I.
SESSION = maxdat.session(128_000)


def row(bler: float, m: int, seed: int = 1, rate_kbps: int = 128, variant: str = "bler", **more: Any) -> dict[str, Any]:
    """A run whose RTT is 1 % and whose throughput is 10 % above the closed form; seeds differ by 1 % each."""
    factor = 1 + 0.01 * (seed - 2)
    of = maxdat.session(1000 * rate_kbps)
    return {
        "scenario": SCENARIO.replace("128k", f"{rate_kbps}k"), "variant": f"{variant}-{bler:g}", "seed": seed,
        "lab": "virtual", "usable": True, "point": f"bler_dl={bler}, bler_ul={bler}, max_dat={m}",
        "bundle": f"{variant}-{bler}-{m}-{seed}", "utran_rate_kbps": float(rate_kbps), "utran_bler": bler,
        "utran_max_dat": m, "karn_rtt_mean_s": 1.01 * factor * float(maxdat.rtt_tcp(bler, m, of)),
        "transfer_kbps": 1.1 * factor * float(maxdat.throughput(bler, m, of)) / 1e3, "karn_rtt_samples": 400 + seed,
        "rto_count": 10 * m, "window_s": 600.0, "wall_s": 5.0, "bundle_bytes": 100_000,
        "param.radio.utran.dl_rate": rate_kbps * 1050, "param.radio.utran.pdu_bytes": 42,
        "param.radio.utran.tti_ms": 10, "param.radio.utran.timer_poll_ms": 85, "param.tcp.mss": 1000,
        "param.tcp.receive_window": 20_000,
    } | more  # fmt: skip


def rows(blers: tuple[float, ...] = BLERS, rate_kbps: int = 128, **more: Any) -> list[dict[str, Any]]:
    """Three seeds of every BLER and maxDAT."""
    return [row(b, int(m), seed, rate_kbps, **more) for b in blers for m in maxdat.maxdats() for seed in (1, 2, 3)]
