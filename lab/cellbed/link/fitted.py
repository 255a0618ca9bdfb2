# SPDX-License-Identifier: GPL-2.0-or-later
"""A link that was made of a capture, or of a trace: as a scenario with its traces, and run in the virtual lab."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellbed.error import CellbedError
from cellbed.run import cellreplay, mahimahi
from cellbed.scenario.description import expand
from cellbed.sweep.execute import Observer, Sweep
from cellbed_formats import bounded_yaml, named_file
from cellbed_formats.inside import Inside

SCENARIO, DOWN, UP = "scenario.yaml", "down.mahimahi", "up.mahimahi"
#: From the start of a trace to the start of the traffic.
LEAD_MS = 1000
_BEGIN_BYTES = 4096
#: An opportunity in each millisecond: ACKs find the way back open.
_WAY_BACK = "1\n"
_HEADER = """\
# A link that `cellbed fit` made of a capture, and a transfer over it. The server stands for the sender of the data,
# whichever end of the link it was; the way back is open, as a capture of data says nothing of it.

"""
_HEADER_OF_TRACE = """\
# A link that `cellbed fit` made of a packet-delivery trace, and a transfer that fills it. The trace says when packets
# could leave, and of CellReplay's trains how long they were on their way; what else is known is the caller's.

"""
#: A trace is replayed for so long at most, and no shorter than a transfer needs to fill a link.
TRACE_MAX_S, TRACE_MIN_S = 60, 5
#: Bytes of CellReplay's packets, and of IP and TCP headers.
_TRAIN_BYTES, _HEADER_BYTES = 1400, 40


@dataclass(frozen=True)
class Recording:
    """Files of a recorded link. Without `up` the way back is open; trains, of CellReplay, have the delay."""

    down: Path
    up: Path | None = None
    down_trains: Path | None = None
    up_trains: Path | None = None

    @property
    def trains(self) -> dict[str, Path]:
        """By key of the link."""
        given = {"downlink_trains": self.down_trains, "uplink_trains": self.up_trains}
        return {key: path for key, path in given.items() if path is not None}

    @property
    def packet_bytes(self) -> int:
        """What an opportunity holds."""
        return _TRAIN_BYTES if self.trains else mahimahi.BYTES


@dataclass(frozen=True)
class Replay:
    """A scenario that replays a recording."""

    scenario: Path
    times_ms: list[int]  # opportunities of the downlink
    duration_s: float  # of the transfer


def write(folder: Path, name: str, times_ms: Iterable[int], delay_ms: int, queue_pkts: int, duration_s: float,
          tcp: dict[str, Any], loss_share: float = 0) -> Path:
    """Write the traces and a scenario that runs them into a folder.

    Args:
        name: of what the link was made of, for people.
        times_ms: delivery opportunities of 1500 bytes.
        tcp: keys of `tcp` of the scenario.
        loss_share: of packets that the link loses at random.
    """
    radio = {"uplink": UP, "downlink": DOWN, "delay_ms": delay_ms, "queue_pkts": queue_pkts}
    if loss_share:
        radio["downlink_netem"] = f"loss {100 * loss_share:.3g}%"
    return _write(folder, _HEADER, name, {DOWN: _lines(times_ms), UP: _WAY_BACK}, radio, duration_s, tcp)


def is_trace(path: Path) -> bool:
    """Whether a file is a packet-delivery trace: whole numbers in lines, of which no capture consists."""
    with contextlib.suppress(OSError), named_file.open_named(path) as file:
        begin = file.read(_BEGIN_BYTES)
        return bool(begin) and not begin.strip(b"0123456789\r\n")
    return False


def write_trace(folder: Path, name: str, recording: Recording, delay_ms: int, queue_pkts: int,
                tcp: dict[str, Any]) -> Replay:
    """The same of packet-delivery traces.

    Args:
        delay_ms: each way; 0 with trains.

    Raises:
        ScenarioError: a trace is wrong.
    """
    times_ms = mahimahi.read(recording.down)
    duration_s = min(max(times_ms[-1] / 1000, TRACE_MIN_S), TRACE_MAX_S)
    files = {DOWN: _lines(times_ms), UP: _WAY_BACK if recording.up is None else _lines(mahimahi.read(recording.up))}
    radio: dict[str, Any] = {"uplink": UP, "downlink": DOWN, "delay_ms": delay_ms, "queue_pkts": queue_pkts}
    for key, path in recording.trains.items():
        radio[key] = f"{key.partition('_')[0]}.trains"
        files[radio[key]] = "".join(f"{' '.join(map(str, train))}\n" for train in cellreplay.read_trains(path))
    if recording.trains:
        radio["bytes"] = recording.packet_bytes
        tcp = {**tcp, "mss": recording.packet_bytes - _HEADER_BYTES}
    made = _write(folder, _HEADER_OF_TRACE, name, files, radio, duration_s, tcp)
    return Replay(made, times_ms, duration_s)


def _lines(times_ms: Iterable[int]) -> str:
    return "".join(f"{t}\n" for t in times_ms)


def _write(folder: Path, header: str, name: str, files: dict[str, str], radio: dict[str, Any], duration_s: float,
           tcp: dict[str, Any]) -> Path:
    scenario = {
        "format": 1, "id": "fitted-link", "title": f"The link of {name}", "source": "none", "seeds": [1],
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
                  "ue1": {"address": "10.45.0.1/24"}},
        "links": [{"a": "server", "b": "enb", "rate": "10Gbit", "queue_pkts": 10000}],
        "radio": {"system": "packet_trace", "ues": {"ue1": {"peer": "enb"}}, "packet_trace": radio},
        "tcp": tcp,
        "traffic": [{"id": "flow", "kind": "stream", "from": "server", "to": "ue1", "duration_s": duration_s}],
        "capture": {"radio": False}, "validity": {"queue_drops_allowed": True},
    }  # fmt: skip
    made = Inside.named(folder)
    for file, text in files.items():
        (made / file).write(text)
    (made / SCENARIO).write(header + bounded_yaml.dump(scenario, sort_keys=False))
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
