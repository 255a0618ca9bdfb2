# SPDX-License-Identifier: GPL-2.0-or-later
"""One channel trace of base stations whose carriers are not alike, as the eNB and the gNB of EN-DC have them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import render, trace
from .error import ChannelError, StationError


@dataclass(frozen=True)
class Station:
    """A base station, and the channel of its own that it has.

    Attributes:
        number: of it in records, from 0.
        cell: with the same UEs as that of the others; of the model route with one eNB.
        seed: another one than others have, or the draws of both would be the same.
    """

    number: int
    parameters: render.Parameters
    cell: render.Cell
    seed: int

    def numbered(self, records: np.ndarray) -> np.ndarray:
        """Its records with its number."""
        found = records.copy()
        found["enb"] = self.number
        return found


def render_file(path: Path, stations: Mapping[str, Station], names: Mapping[int, str], duration_s: float,
                folder: Path = Path(), each_block: Callable[[], object] = lambda: None) -> None:
    """Render into a channel trace, whose header keeps what it was made from.

    Args:
        stations: those that have a channel, by their names.
        names: of all base stations, by their numbers.

    Raises:
        StationError: as render.render.
    """
    parts = []
    for name, one in stations.items():
        with _messages(name):
            records = render.render(one.parameters, one.cell, one.seed, duration_s, folder, each_block=each_block)
        parts.append(one.numbered(records))
    trace.write(path, trace.in_order(np.concatenate(parts)), _ues(stations), _made_from(stations, duration_s),
                _in_order(names))


def grow(path: Path, stations: Mapping[str, Station], names: Mapping[int, str], folder: Path = Path()) \
        -> Generator[float]:
    """Write a channel trace that has no end, while it is read: with each step a window more. Args: as `render_file`.

    Yields: how many seconds of it are there.

    Raises:
        StationError: as render.render.
    """
    windows = [_windows(name, one, folder) for name, one in stations.items()]
    ends_ms = [0] * len(windows)
    rest = np.zeros(0, dtype=trace.RECORD)
    with trace.begin(path, _ues(stations), _made_from(stations, None), _in_order(names)) as file:
        while True:
            reached_ms = min(ends_ms)
            while min(ends_ms) == reached_ms:
                behind = ends_ms.index(reached_ms)
                ends_ms[behind], records = next(windows[behind])
                rest = np.concatenate([rest, records])
            rest = trace.in_order(rest)
            late = rest["t_ns"] >= min(ends_ms) * 1_000_000
            file.write(rest[~late].tobytes())
            file.flush()
            rest = rest[late]
            yield min(ends_ms) / 1000.0


@contextlib.contextmanager
def _messages(name: str) -> Iterator[None]:
    """What is wrong with a channel says of which base station it is."""
    try:
        yield
    except ChannelError as wrong:
        raise StationError(name, wrong) from wrong


def _windows(name: str, station: Station, folder: Path) -> Iterator[tuple[int, np.ndarray]]:
    """Windows in a row: where each ends, in ms, and its records."""
    step_ms = station.parameters.granularity_ms
    steps = max(1, render.WINDOW_MS // step_ms)
    for first in itertools.count(0, steps):
        with _messages(name):
            records = render.render_times(station.parameters, station.cell, station.seed, range(first, first + steps),
                                          folder)
        yield (first + steps) * step_ms, station.numbered(records)


def _ues(stations: Mapping[str, Station]) -> dict[int, str]:
    return next(iter(stations.values())).cell.numbers


def _in_order(names: Mapping[int, str]) -> list[str]:
    return [names[number] for number in sorted(names)]


def _made_from(stations: Mapping[str, Station], duration_s: float | None) -> dict[str, Any]:
    return {"stations": {name: render.made_from(one.parameters, one.cell, one.seed, duration_s)
                         for name, one in stations.items()}}
