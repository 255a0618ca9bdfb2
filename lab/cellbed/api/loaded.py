# SPDX-License-Identifier: GPL-2.0-or-later
"""RTTs under load: a download by real congestion controls over recordings of rates, of real links or of a modelled one.

All are recorded links with one mean rate, delay and queue, so that nothing but the times of deliveries differs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellbed.api.run import Listener, run_scenario
from cellbed.api.scenario import Scenario

if TYPE_CHECKING:
    import numpy as np

    from cellbed_analysis.realism.recording import Recording

#: Coarser recordings do not say when a packet could leave.
STEP_MAX_S = 0.01
#: Of each link: full packets, 12 Mbit/s; half a second of them may wait.
_RATE_PPS, _QUEUE_PKTS, _DELAY_MS = 1000, 500, 30
_SAMPLE_S = 0.1
#: Shorter ones say too little of a download.
LEAST_S = 10


def fits(one: Recording) -> bool:
    """Whether a recording has a rate that a download can be made over."""
    return one.step_s <= STEP_MAX_S and len(one.rate) * one.step_s >= LEAST_S and bool(one.rate.any())


def with_load(recordings: Sequence[Recording], seconds: int, progress: Listener | None = None) -> list[Recording]:
    """The recordings, with RTTs under load of those that can have some.

    Args:
        seconds: of each download, or as long as the recording is.

    Raises:
        CellbedError: a run failed, or the virtual lab cannot run here.
    """
    from dataclasses import replace

    fitting = {number: one for number, one in enumerate(recordings) if fits(one)}
    if not fitting:
        return list(recordings)
    with tempfile.TemporaryDirectory() as made:
        scenario = _scenario(Path(made), fitting, seconds)
        found: dict[int, dict[str, np.ndarray]] = {number: {} for number in fitting}
        for bundle in run_scenario(scenario, Path(made) / "results", progress=progress):
            congestion_control, _, number = bundle.variant.partition("-")
            found[int(number)][congestion_control] = _sampled(bundle.tcp)
    return [replace(one, loaded_ms=found.get(number, {})) for number, one in enumerate(recordings)]


def _scenario(folder: Path, recordings: dict[int, Recording], seconds: int) -> Scenario:
    from cellbed_analysis.realism.recording import opportunities_ms
    from cellbed_analysis.realism.statistic import CONGESTION_CONTROLS

    variants: dict[str, Any] = {}
    for number, one in recordings.items():
        length_s = min(seconds, int(len(one.rate) * one.step_s))
        trace = folder / f"{number}.down"
        trace.write_text("".join(f"{t}\n" for t in opportunities_ms(one, _RATE_PPS, length_s).tolist()))
        for congestion_control in CONGESTION_CONTROLS:
            variants[f"{congestion_control}-{number}"] = {
                "tcp.congestion_control": congestion_control, "radio.packet_trace.downlink": trace.name,
                "traffic.0.duration_s": length_s}
    (folder / "up").write_text("1\n")  # 12 Mbit/s of ACKs
    return Scenario.of({
        "format": 1, "id": "links/loaded", "seeds": [1],
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
                  "ue1": {"address": "10.45.0.1/24"}},
        "links": [{"a": "server", "b": "enb", "rate": "1Gbit", "queue_pkts": 10000}],
        "radio": {"system": "packet_trace", "ues": {"ue1": {"peer": "enb"}}, "packet_trace": {
            "uplink": "up", "downlink": "up", "delay_ms": _DELAY_MS, "queue_pkts": _QUEUE_PKTS}},
        "traffic": [{"id": "load", "kind": "stream", "from": "server", "to": "ue1", "duration_s": seconds}],
        "capture": {"radio": False, "ip": False, "tcp_interval_ms": round(1000 * _SAMPLE_S / 2)},
        "validity": {"queue_drops_allowed": True},
        "sweep": {"variants": variants},
    }, folder)


def _sampled(tcp: Any) -> np.ndarray:
    """The RTT at equal steps of time, (n,) in ms, so that slow times count as much as fast ones."""
    import numpy as np

    samples = tcp.filter(tcp["kind"] == "rtt").sort("t_s")
    t_s, rtt_ms = samples["t_s"].to_numpy(), samples["rtt_ms"].to_numpy()
    if not len(t_s):
        return np.zeros(0)
    at = np.searchsorted(t_s, np.arange(t_s[0], t_s[-1], _SAMPLE_S), "right") - 1
    return np.asarray(rtt_ms[at], dtype=float)
