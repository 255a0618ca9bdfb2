# SPDX-License-Identifier: GPL-2.0-or-later
"""How much room runs take on disk: an upper bound before they execute, then by what the first of them took.

What can be freed afterwards is in prune.py.
"""

from __future__ import annotations

import math
import os
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cellbed.run.workload import end_s
from cellbed.scenario.description import Run
from cellbed.scenario.transport_blocks import rate_bps

# Of what a bundle has for each byte and packet that crosses the radio, measured at 55 Mbit/s over RLC AM: the radio's
# capture has all of it, with headers; captures of hosts have the first bytes of packets; traces rows of each.
_RADIO_CAPTURE = 1.25
_TRACE_BYTES, _PROBE_BYTES, _RECORD_BYTES = 280, 280, 16
_PACKET_BYTES = 1400
_CQI_MAX = 15
# Bits that a resource element of a layer carries at most. Source: TS 38.214 Tables 5.1.3.1-1 to -3
_NR_BITS = {"qam256": 8 * 948 / 1024, "qam64": 6 * 948 / 1024, "qam64_low_se": 6 * 772 / 1024}
# No radio network here is faster; a window bounds what TCP sends in it.
_LEAST_RTT_S = 0.008
# Less is not worth a word.
_WORTH_BYTES = 200_000_000


def virtual_s(settings: dict[str, Any]) -> float:
    """How long the traffic of a run lasts, in s."""
    ends_s = [min(end_s(flow), flow["start_s"] + flow["limit_s"]) for flow in settings["traffic"]
              if flow["kind"] != "command"]
    return max(ends_s, default=0)


def expected_bytes(settings: dict[str, Any]) -> int:
    """At most so much a run leaves; of commands, which send what they like, and of recorded links nothing is known."""
    flows = [flow for flow in settings["traffic"] if flow["kind"] != "command"]
    offered = sum(_offered_bytes(flow, settings["tcp"]["receive_window"]) for flow in flows)
    networks = [settings["radio"], *(settings.get("radios") or {}).values()]
    carried = min(offered, sum(map(_capacity_bps, networks)) / 8 * virtual_s(settings))
    if math.isinf(carried):  # a recorded link has no rate of its own, and no window bounds what is sent over it
        return 0
    capture = settings["capture"]
    hosts = sum(node["kind"] in ("ue", "server") for node in settings["nodes"].values())
    of_packet = _TRACE_BYTES * (capture["radio_trace"] == "full") + _PROBE_BYTES * (capture["tcp_interval_ms"] == 0)
    of_packet += min(hosts, 2) * (min(capture["ip_snaplen"], _PACKET_BYTES) + _RECORD_BYTES) * capture["ip"]
    radio = _RADIO_CAPTURE * min(capture.get("radio_snaplen", _PACKET_BYTES), _PACKET_BYTES) / _PACKET_BYTES
    return round(carried * (radio * capture["radio"] + of_packet / _PACKET_BYTES))


def _offered_bytes(flow: dict[str, Any], window_bytes: int | None) -> float:
    if flow["bytes"] is not None:
        return float(flow["bytes"])
    if flow["rate"] is not None:
        return float(flow["rate"] / 8 * flow["duration_s"])
    return math.inf if window_bytes is None else float(window_bytes / _LEAST_RTT_S * flow["duration_s"])


def _capacity_bps(radio: dict[str, Any]) -> float:
    """Of the cell, both directions together, with the best channel that a UE has or may come to have."""
    if radio["system"] == "nr":
        return _nr_bps(radio["nr"])
    if radio["system"] == "en_dc":
        return _lte_bps(radio) + _nr_bps(radio["nr"])
    if radio["system"] != "lte":
        own = radio[radio["system"]]
        rates = [own.get(key, math.inf) for key in ("dl_rate", "ul_rate")]
        return float(sum(rates) * len(radio["ues"]))
    return _lte_bps(radio)


def _lte_bps(radio: dict[str, Any]) -> float:
    moving = radio["channel"] is not None
    keys = {"dl": ("cqi_dl",), "ul": ("cqi_ul", "cqi_sl")}
    best = {direction: max(_CQI_MAX if moving else ue.get(key) or 0 for ue in radio["ues"].values() for key in of)
            for direction, of in keys.items()}
    return float(sum(rate_bps(direction, radio["n_rb"], cqi) for direction, cqi in best.items() if cqi))


def _nr_bps(nr: dict[str, Any]) -> float:
    """Of a carrier without reference signals and control, both directions together. Source: TS 38.306 4.1.2"""
    symbols, pattern = 14, nr["tdd_pattern"]
    parts = {"dl": ("D", nr["tdd_special_dl_symbols"]), "ul": ("U", nr["tdd_special_ul_symbols"])}
    total = 0.0
    for direction, (slot, special) in parts.items():
        share = (pattern.count(slot) + pattern.count("S") * special / symbols) / len(pattern)
        share = 1 if nr["duplex"] == "fdd" else share
        total += share * nr[f"layers_{direction}"] * _NR_BITS[nr[f"mcs_table_{direction}"]]
    subcarrier_hz = 15_000 * 2 ** nr["numerology"]
    return total * nr["bandwidth_mhz"] * 1e6 / subcarrier_hz * symbols * subcarrier_hz / 15_000 * 1000


def warning(runs: Sequence[Run], results: Path, compress: bool) -> str | None:
    """What to tell of runs that may take much room; None of other runs. Args: compress: each one after it has ended."""
    total = sum(expected_bytes(run.settings) for run in runs)
    if total < _WORTH_BYTES:
        return None
    tenth = "Each is compressed after it has ended, to about a tenth" if compress else "--compress keeps about a tenth"
    return f"{_many(len(runs))} may write up to {text(total)} to {results}; {_free(total, results)}. {tenth}"


class Measured:
    """Room that runs will take, by the first finished run of each variant."""

    def __init__(self, runs: Sequence[Run], results: Path) -> None:
        self._runs = Counter(run.variant for run in runs)
        self._results = results
        self._bytes: dict[str, int] = {}
        self.told = len(self._runs) == len(runs)  # whether nothing is left to tell

    def finished(self, run: Run, bundle: Path) -> str | None:
        """What to tell once every variant has a run, and never again."""
        if self.told or run.variant not in self._runs:
            return None
        if run.variant not in self._bytes:
            with os.scandir(bundle) as files:
                self._bytes[run.variant] = sum(file.stat(follow_symlinks=False).st_size for file in files)
        if len(self._bytes) < len(self._runs):
            return None
        self.told = True
        total = sum(n * self._bytes[variant] for variant, n in self._runs.items())
        many = _many(self._runs.total())
        return (f"by the first run of each variant, {many} write {text(total)} to {self._results}; "
                f"{_free(total, self._results)}")


def _many(n: int) -> str:
    return f"the {n} runs" if n > 1 else "the run"


def _free(total: float, results: Path) -> str:
    free = shutil.disk_usage(next(path for path in (results, *results.absolute().parents) if path.exists())).free
    return f"more than the {text(free)} that are free" if total > free else f"{text(free)} are free"


def text(n_bytes: float) -> str:
    """Bytes for people, such as "1.2 GB"."""
    power = min(4, int(math.log(n_bytes, 1000))) if n_bytes >= 1 else 0
    return f"{n_bytes / 1000**power:.{1 if power else 0}f} {('B', 'kB', 'MB', 'GB', 'TB')[power]}"
