# SPDX-License-Identifier: GPL-2.0-or-later
"""The channel of a scenario: its keys, and its rendering into a run's `channel.trace`.

Physics is in the package `cellbed_channel`; this module is where the lab meets it. The trace is rendered before the lab
starts, so that what plays the run needs neither the package nor numpy.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from cellbed.error import ScenarioError
from cellbed.run.topology import behind_enb
from cellbed.run.workload import limit_s
from cellbed.scenario.fields import FilePath, Model

FILE = "channel.trace"
# Rendered beyond the last flow's limit: the time from sub-frame 0 to the start of the traffic, and the drain after it.
MARGIN_S = 10.0

Decibels = Annotated[float, Field(ge=-100, le=100)]
FixedCqi = Annotated[int, Field(ge=1, le=15)] | None


class Swing(Model):
    """Two UEs that swing on a line. Source: Nardini, section IV."""

    distance_m: list[float] = Field([30.0, 160.0], min_length=2, max_length=2)
    enb_distance_m: float = Field(300.0, gt=0, le=5000)
    speed_mps: float = Field(3.0, gt=0, le=100)
    start: Literal["near", "far"] = "near"


class PathLoss(Model):
    """Source: Nardini, Table 1; TR 36.814 Table B.1.2.1-1 (heights, street, buildings)."""

    model: Literal["uma"] = "uma"
    los: Literal["never", "always", "drawn"] = "never"
    carrier_ghz: float = Field(2.0, ge=2, le=6)
    enb_height_m: float = Field(25.0, ge=10, le=150)
    ue_height_m: float = Field(1.5, gt=1, le=10)
    street_width_m: float = Field(20.0, ge=5, le=50)
    building_height_m: float = Field(20.0, ge=5, le=50)


class LinkBudget(Model):
    """Source: Nardini, Table 1."""

    enb_tx_dbm: Decibels = 40.0
    ue_tx_dbm: Decibels = 20.0
    enb_gain_dbi: Decibels = 18.0
    ue_gain_dbi: Decibels = 0.0
    cable_loss_db: Decibels = 2.0
    enb_noise_figure_db: Decibels = 5.0
    ue_noise_figure_db: Decibels = 5.0


class CqiMapping(Model):
    """Source: Kawser, Table III; Piro; Vienna."""

    table: Literal["kawser", "piro", "vienna", "mezzavilla"] = "kawser"
    ul: FixedCqi = None
    dl: FixedCqi = None
    sl: FixedCqi = None


class CellEdge(Model):
    """One UE for each run of the cell-edge experiment. Source: Li et al, section III, Table I."""

    distance_m: float = Field(40.0, ge=1, le=5000)
    azimuth_deg: float = Field(0.0, ge=-360, le=360)
    box_m: float = Field(20.0, ge=0.1, le=1000)
    speed_kmph: float = Field(3.0, ge=0.01, le=500)
    leg_m: float = Field(1.0, ge=0.1, le=1000)
    dl_carrier_ghz: float = Field(2.1, ge=0.3, le=6)
    ul_carrier_ghz: float = Field(1.9, ge=0.3, le=6)
    enb_height_m: float = Field(30.0, ge=1, le=150)
    ue_height_m: float = Field(1.5, ge=0.5, le=20)
    inter_site_m: float = Field(500.0, ge=10, le=5000)
    tiers: int = Field(2, ge=0, le=4)
    sector_offset_m: float = Field(0.5, ge=0, le=10)
    beamwidth_deg: float = Field(70.0, ge=1, le=360)
    front_to_back_db: float = Field(20.0, ge=0, le=60)
    antenna_gain_dbi: Decibels = 0.0
    enb_tx_dbm: Decibels = 46.0
    ue_tx_dbm: Decibels = 10.0
    enb_noise_figure_db: Decibels = 5.0
    ue_noise_figure_db: Decibels = 9.0
    interference: bool = True
    load: float = Field(1.0, ge=0, le=1)
    fading: bool = True
    shadowing_sigma_db: float = Field(1.0, ge=0, le=20)
    shadowing_decorrelation_m: float = Field(50.0, ge=0.1, le=1000)
    site_correlation: float = Field(0.5, ge=0, le=1)
    cqi_table: Literal["kawser", "piro", "vienna", "mezzavilla"] = "vienna"
    cqi_period_ms: int = Field(1, ge=1, le=1000)
    cqi_delay_ms: int = Field(4, ge=0, le=1000)


class Channel(Model):
    """What the links are like over time, instead of one CQI for each leg."""

    model: Literal["static", "swing", "trace", "cell_edge"]
    granularity_ms: int = Field(10, ge=1, le=10000)
    trace: FilePath | None = None
    positions: dict[str, tuple[float, float]] = {}
    swing: Swing = Swing()
    path_loss: PathLoss = PathLoss()
    link: LinkBudget = LinkBudget()
    cqi: CqiMapping = CqiMapping()
    cell_edge: CellEdge = CellEdge()

    def check(self, ues: Mapping[str, Any]) -> None:
        """Whether it fits the scenario's UEs. Raises ValueError with key, value and what is allowed."""
        names = list(ues)
        near, far = self.swing.distance_m
        if not 0 < near < far <= 5000:
            raise ValueError(f"key 'radio.channel.swing.distance_m': value [{near:g}, {far:g}]: allowed two distances "
                             "up to 5000, the first one less")
        if self.model == "swing" and len(names) != 2:
            raise ValueError(f"key 'radio.channel.model': value swing: allowed with two UEs, and there are "
                             f"{len(names)}")
        if self.model == "cell_edge":
            self._check_cell_edge(ues)
        if (self.model == "trace") != (self.trace is not None):
            raise ValueError(f"key 'radio.channel.trace': value {self.trace}: allowed a file when model is trace, none "
                             "otherwise")
        if self.model != "static" and self.positions:
            raise ValueError(f"key 'radio.channel.positions': allowed none, as model is {self.model}")
        for name in names if self.model == "static" else []:
            if name not in self.positions:
                raise ValueError(f"key 'radio.channel.positions.{name}': missing: [x, y] in metres from the eNB")
        for name in self.positions:
            if name not in names:
                raise ValueError(f"key 'radio.channel.positions.{name}': value '{name}': allowed {', '.join(names)}")

    def _check_cell_edge(self, ues: Mapping[str, Any]) -> None:
        for name, ue in ues.items():
            if ue.peer in ues:
                raise ValueError(f"key 'radio.ues.{name}.peer': value {ue.peer}: allowed the eNB, as "
                                 "radio.channel.model is cell_edge, which has no direct links")
        if self.cell_edge.cqi_period_ms % self.granularity_ms:
            raise ValueError(f"key 'radio.channel.cell_edge.cqi_period_ms': value {self.cell_edge.cqi_period_ms}: "
                             f"allowed multiples of radio.channel.granularity_ms, {self.granularity_ms}")


def identify(channel: dict[str, Any], ues: Iterable[str], folder: Path) -> None:
    """Note the content of the trace among the settings of a run, as its name says nothing.

    Args:
        channel: `radio.channel` of the settings; gets `trace_sha256` when it has a trace.
        folder: of the scenario.

    Raises:
        ScenarioError: the file is missing or wrong.
    """
    if channel["trace"] is None:
        return
    from cellbed_channel import error, measured, trace

    path = folder / channel["trace"]
    try:
        if path.suffix == ".csv":
            measured.read_csv(path, list(ues), channel["cqi"]["table"])
        else:
            trace.read(path)
    except error.ChannelError as wrong:
        raise ScenarioError(f"key 'radio.channel.trace': {wrong}") from wrong
    channel["trace_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()


def reads_file(settings: Mapping[str, Any]) -> bool:
    """Whether a run's channel comes from a file beside the scenario."""
    channel = settings["radio"]["channel"]
    return channel is not None and channel["trace"] is not None


@functools.cache
def _multiply_in_one_thread() -> None:
    """For good, in this process.

    Runs play side by side, each in a thread. One that starts a guest forks, which stops the threads of OpenBLAS; one
    that is in the midst of a product would wait for them for ever.
    """
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, "blas")


def render(directory: Path, settings: Mapping[str, Any], seed: int, folder: Path) -> None:
    """Render the channel of a run into its directory; nothing when the scenario has none.

    Args:
        folder: of the scenario, where a measured trace is.

    Raises:
        ScenarioError: a parameter or file that is wrong.
    """
    channel = settings["radio"]["channel"]
    if channel is None:
        return
    from cellbed_channel import error
    from cellbed_channel import render as renderer

    _multiply_in_one_thread()
    parameters = {key: value for key, value in channel.items() if key != "trace_sha256"}
    peers = {name: None if behind_enb(settings, name) else ue["peer"]
             for name, ue in settings["radio"]["ues"].items()}
    duration_s = max(limit_s(flow) for flow in settings["traffic"]) + MARGIN_S
    try:
        renderer.render_file(directory / FILE, renderer.Parameters.from_dict(parameters),
                             renderer.Cell(peers, settings["radio"]["n_rb"]), seed, duration_s, folder)
    except error.ChannelError as wrong:
        raise ScenarioError(f"key 'radio.channel': {wrong}") from wrong
