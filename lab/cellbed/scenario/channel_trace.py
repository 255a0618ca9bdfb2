# SPDX-License-Identifier: GPL-2.0-or-later
"""A run's `channel.trace`, by the package `cellbed_channel`.

It is rendered before the lab starts, so that what executes the run needs neither the package nor numpy. Of a run in
real time of which nobody knows how long it takes, it grows meanwhile.
"""

from __future__ import annotations

import contextlib
import functools
import math
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from cellbed.error import LabError, ScenarioError, told
from cellbed.run import radios
from cellbed.run.core_network import of_kind
from cellbed.run.topology import behind_enb
from cellbed.run.workload import has_end, limit_s
from cellbed.scenario import nr, several

FILE = "channel.trace"
# Rendered beyond the last flow's limit: the time from sub-frame 0 to the start of the traffic, and the drain after it.
MARGIN_S = 10.0
# Base stations of EN-DC by their numbers.
_STATIONS = {0: "enb", 1: "gnb"}
# How far a growing trace is ahead of the run, and how often somebody looks whether it is.
_AHEAD_S = 60.0
_LOOK_S = 1.0


def render(directory: Path, settings: Mapping[str, Any], seed: int, folder: Path,
           each_block: Callable[[], object] = lambda: None) -> None:
    """Render the channels of a run's radio networks into its directory; nothing where the scenario has none.

    Args:
        folder: of the scenario, where a measured trace is.
        each_block: called from time to time; what it raises ends the rendering.

    Raises:
        ScenarioError: a parameter or file that is wrong, or nobody knows how long the run takes.
    """
    networks = list(_networks(directory, settings, seed, folder))
    if networks and not has_end(dict(settings)):
        i = next(i for i, flow in enumerate(settings["traffic"]) if math.isinf(limit_s(flow)))
        raise ScenarioError(f"key 'traffic.{i}.limit_s': value null: radio.channel is rendered before the run; give a "
                            "number of seconds, or use --lab native")
    for network in networks:
        duration_s = max(limit_s(flow) for flow in settings["traffic"]) + MARGIN_S
        with _messages(network):
            network.render(duration_s, folder, each_block)


class _Network(NamedTuple):
    """A radio network with a channel."""

    name: str | None
    path: Path  # of its trace
    settings: Mapping[str, Any]
    seed: int

    def render(self, duration_s: float, folder: Path, each_block: Callable[[], object]) -> None:
        """Into its trace. Raises cellbed_channel's ChannelError."""
        if self.settings["radio"]["system"] == "en_dc":
            from cellbed_channel import together

            together.render_file(self.path, self._stations(), _STATIONS, duration_s, folder, each_block)
        else:
            _renderer().render_file(self.path, *self._rendered(radios.CHANNEL), self.seed, duration_s, folder,
                                    each_block)

    def grow(self, folder: Path) -> Generator[float]:
        """Its trace, which has a window more with each step: how many seconds there are. Raises: as `render`."""
        grown: Generator[float]
        if self.settings["radio"]["system"] == "en_dc":
            from cellbed_channel import together

            grown = together.grow(self.path, self._stations(), _STATIONS, folder)
        else:
            grown = _renderer().grow(self.path, *self._rendered(radios.CHANNEL), self.seed, folder)
        return grown

    def _stations(self) -> dict[str, Any]:
        """Base stations of EN-DC that have a channel. That of the gNB has draws of its own."""
        from cellbed_channel.together import Station

        seeds = (self.seed, radios.seed(self.seed, radios.GNB_CHANNEL))
        return {_STATIONS[number]: Station(number, *self._rendered(key), seeds[number])
                for number, key in enumerate((radios.CHANNEL, radios.GNB_CHANNEL))
                if key in radios.channels(self.settings["radio"])}

    def _rendered(self, key: str) -> tuple[Any, Any]:
        """The parameters of a channel, and who is there."""
        from cellbed_channel.link import RB_HZ

        renderer, settings, radio = _renderer(), self.settings, self.settings["radio"]
        channel = radios.channels(radio)[key]
        parameters = {key: value for key, value in channel.items() if not key.endswith("_sha256")}
        enbs = of_kind(dict(settings), "enb") if channel["model"] == "route" else []
        peers = {name: None if behind_enb(settings, name) else ue["peer"] for name, ue in radio["ues"].items()}
        n_rb, rb_hz, tables = radio["n_rb"], RB_HZ, {}
        if radio["system"] == "nr" or key == radios.GNB_CHANNEL:
            n_rb, rb_hz = nr.carrier(radio["nr"])
            tables = {way: f"nr_{radio['nr'][f'mcs_table_{way}']}" for way in ("ul", "dl")}
        return renderer.Parameters.from_dict(parameters), renderer.Cell(peers, n_rb, enbs, rb_hz, tables)


def _networks(directory: Path, settings: Mapping[str, Any], seed: int, folder: Path) -> Iterator[_Network]:
    for name, alone in radios.each(dict(settings)):
        if radios.channels(alone["radio"]):
            yield _Network(name, directory / f"{radios.prefix(name)}{FILE}", alone, radios.seed(seed, name))


@contextlib.contextmanager
def _messages(network: _Network) -> Iterator[None]:
    """What is wrong with a channel is said with its keys."""
    from cellbed_channel import error

    with several.messages_of(network.name):
        try:
            yield
        except error.ChannelError as wrong:
            of_gnb = isinstance(wrong, error.StationError) and wrong.station == _STATIONS[1]
            raise ScenarioError(f"key '{radios.GNB_CHANNEL if of_gnb else radios.CHANNEL}': {wrong}") from wrong


def _renderer() -> Any:
    from cellbed_channel import render as renderer

    _multiply_in_one_thread()
    return renderer


@functools.cache
def _multiply_in_one_thread() -> None:
    """For good, in this process.

    Runs execute side by side, each in a thread. One that starts a guest forks, which stops the threads of OpenBLAS; one
    that is in the midst of a product would wait for them for ever.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, "blas")


class Growing:
    """The traces of a run in real time, which grow while it executes, within the block."""

    def __init__(self, directory: Path, settings: Mapping[str, Any], seed: int, folder: Path) -> None:
        """Render the first seconds.

        Args:
            folder: of the scenario, where a measured trace is.

        Raises:
            ScenarioError: a parameter or file that is wrong.
        """
        self._reached_s: dict[Generator[float], float] = {}
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._error: str | None = None
        for network in _networks(directory, settings, seed, folder):
            with _messages(network):
                trace = network.grow(folder)
                self._reached_s[trace] = next(trace)

    def __enter__(self) -> Self:
        if self._reached_s:
            self._thread = threading.Thread(target=self._run, name="channel", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Raises LabError: a trace could not be written to its end."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
        for trace in self._reached_s:
            trace.close()
        if self._error is not None:
            raise LabError(f"the channel could not be rendered to the end: {self._error}")

    def _run(self) -> None:
        started = time.monotonic()
        try:
            while not self._end.wait(_LOOK_S):
                for trace in self._reached_s:
                    while self._reached_s[trace] < time.monotonic() - started + _AHEAD_S and not self._end.is_set():
                        self._reached_s[trace] = next(trace)
        except OSError as error:
            self._error = told(error, FILE)
