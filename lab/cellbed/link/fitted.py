# SPDX-License-Identifier: GPL-2.0-or-later
"""A link that was made of a capture: as a scenario with its traces, and run in the virtual lab."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cellbed.error import CellbedError
from cellbed.scenario.description import expand
from cellbed.sweep.execute import Observer, Sweep
from cellbed_formats import bounded_yaml
from cellbed_formats.inside import Inside

SCENARIO, DOWN, UP = "scenario.yaml", "down.mahimahi", "up.mahimahi"
#: From the start of a trace to the start of the traffic.
LEAD_MS = 1000
#: An opportunity in each millisecond: ACKs find the way back open.
_WAY_BACK = "1\n"
_HEADER = """\
# A link that `cellbed fit` made of a capture, and a transfer over it. The server stands for the sender of the data,
# whichever end of the link it was; the way back is open, as a capture of data says nothing of it.

"""


def write(folder: Path, name: str, times_ms: Iterable[int], delay_ms: int, queue_pkts: int, duration_s: float,
          tcp: dict[str, Any]) -> Path:
    """Write the traces and a scenario that runs them into a folder.

    Args:
        name: of what the link was made of, for people.
        times_ms: delivery opportunities of 1500 bytes.
        tcp: keys of `tcp` of the scenario.
    """
    scenario = {
        "format": 1, "id": "fitted-link", "title": f"The link of {name}", "source": "none", "seeds": [1],
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
                  "ue1": {"address": "10.45.0.1/24"}},
        "links": [{"a": "server", "b": "enb", "rate": "10Gbit", "queue_pkts": 10000}],
        "radio": {"system": "packet_trace", "ues": {"ue1": {"peer": "enb"}},
                  "packet_trace": {"uplink": UP, "downlink": DOWN, "delay_ms": delay_ms, "queue_pkts": queue_pkts}},
        "tcp": tcp,
        "traffic": [{"id": "flow", "kind": "stream", "from": "server", "to": "ue1", "duration_s": duration_s}],
        "capture": {"radio": False}, "validity": {"queue_drops_allowed": True},
    }  # fmt: skip
    made = Inside.named(folder)
    (made / DOWN).write("".join(f"{t}\n" for t in times_ms))
    (made / UP).write(_WAY_BACK)
    (made / SCENARIO).write(_HEADER + bounded_yaml.dump(scenario, sort_keys=False))
    return folder / SCENARIO


def execute(scenario: Path, results: Path, kernel: str | None, observer: Observer) -> Path:
    """Run it in the virtual lab.

    Returns:
        The bundle.

    Raises:
        CellbedError: the run failed.
    """
    model, runs = expand(scenario)
    (outcome,) = Sweep(model, [], results.resolve(), "virtual", kernel, observer).execute(runs, 1)
    if outcome.path is None:
        raise CellbedError(f"{scenario}: {outcome.error}")
    return outcome.path
