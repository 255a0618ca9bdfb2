# SPDX-License-Identifier: GPL-2.0-or-later
"""Traces that the emulator itself wrote: cellsim, fed with arrivals. For tests only."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cellbed_analysis.radio.packet_path import RadioLog
from cellbed_formats.trace import read_trace

CELLSIM = Path(__file__).parents[2] / "build" / "emulator" / "sim" / "cellsim"
MS = 1_000_000
NETWORK_PORT = 128  # added to a UE's number: its port behind the eNB

needs_cellsim = pytest.mark.skipif(not CELLSIM.exists(), reason=f"{CELLSIM} is not built")


def two_ues(modes: str) -> list[dict[str, Any]]:
    """UE 1 and 2, each other's peers, in modes such as "dm im"; "net" has the network as its peer."""
    return [
        {"name": f"ue{i + 1}", "rnti": 61 + i}
        | ({"peer": "network", "mode": "im"} if mode == "net" else {"peer": f"ue{2 - i}", "mode": mode})
        for i, mode in enumerate(modes.split())
    ]


def simulate(
    folder: Path, modes: str, arrivals: list[tuple[float, int, int]], events: list[dict[str, Any]] | None = None,
    **cell: Any,
) -> RadioLog:  # fmt: skip
    """radio.trace of packets (ms, port, bytes) in a cell of `two_ues`, or of `ues`; other keys as celld has them."""
    config = {
        "format": 1,
        "seed": 1,
        "cell": {"ues": two_ues(modes), **cell},
        "output": {"trace": "radio.trace", "pcap": None, "stats": "radio.json"},
        "events": events or [],
    }
    lines = [f"{round(ms * MS)} {port} {size} {i + 1:x}\n" for i, (ms, port, size) in enumerate(sorted(arrivals))]
    return execute(folder, config, "".join(lines))


def execute(folder: Path, config: dict[str, Any], arrivals: str) -> RadioLog:
    """radio.trace of a whole configuration and arrivals as cellsim reads them."""
    (folder / "celld.json").write_text(json.dumps(config))
    (folder / "arrivals.txt").write_text(arrivals)
    done = subprocess.run(
        [CELLSIM, "--config", folder / "celld.json", "--arrivals", folder / "arrivals.txt", "--out", folder],
        capture_output=True, text=True, check=False, timeout=100,  # a cell that never rests fills the disk
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return RadioLog(read_trace(folder / "radio.trace", "radio"))
