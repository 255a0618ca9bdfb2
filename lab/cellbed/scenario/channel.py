# SPDX-License-Identifier: GPL-2.0-or-later
"""The channel of a scenario: its keys. Physics is in the package `cellbed_channel`, which channel_trace.py calls."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from cellbed import paths
from cellbed.error import ScenarioError
from cellbed.run import radios
from cellbed.scenario.fields import FilePath, Key, Milliseconds, Model, known, unset
from cellbed.scenario.path_loss import OF_TR38901, PathLoss
from cellbed.scenario.route import Route

Decibels = Annotated[float, Field(ge=-100, le=100)]
FixedCqi = Annotated[int, Field(ge=1, le=15)] | None
CqiTable = Literal["kawser", "piro", "vienna", "mezzavilla"]


@contextlib.contextmanager
def with_key(key: str) -> Iterator[None]:
    """What is refused of a channel in this block is said with its own key, where that is not `radio.channel`."""
    try:
        yield
    except (ValueError, ScenarioError) as wrong:
        if key == radios.CHANNEL:
            raise
        raise type(wrong)(re.sub(rf"\b{re.escape(radios.CHANNEL)}\b", key, str(wrong))) from wrong


class Swing(Model):
    """Two UEs that swing on a line. Source: Nardini, section IV."""

    distance_m: list[float] = Key([30.0, 160.0], min_length=2, max_length=2,
        says="Least and greatest distance between the two UEs, up to 5000. Nardini, section IV")
    enb_distance_m: float = Key(300.0, None, 5000, gt=0,
        says="Distance of each UE from the eNB at the start. Nardini, section IV")
    speed_mps: float = Key(3.0, None, 100, gt=0,
        says="Speed of each UE; they move in opposite directions. Nardini, section IV, which does not say whether both "
             "of them move")
    start: Literal["near", "far"] = Key("near",
        says="Whether the UEs start at the least or at the greatest distance. Nardini does not say")


class LinkBudget(Model):
    """Source: Nardini, Table 1."""

    enb_tx_dbm: Decibels = Key(40.0, says="Transmit power of the eNB. Nardini, Table 1")
    ue_tx_dbm: Decibels = Key(20.0, says="Transmit power of a UE. Nardini, Table 1")
    enb_gain_dbi: Decibels = Key(18.0, says="Antenna gain of the eNB. Nardini, Table 1")
    ue_gain_dbi: Decibels = Key(0.0, says="Antenna gain of a UE. Nardini does not say")
    cable_loss_db: Decibels = Key(2.0,
        says="Cable loss of every link, the direct one included, as in the paper's simulator. Nardini, Table 1")
    enb_noise_figure_db: Decibels = Key(5.0, says="Noise figure of the eNB's receiver. Nardini, Table 1")
    ue_noise_figure_db: Decibels = Key(5.0,
        says="Noise figure of a UE's receiver. Nardini, Table 1, has one value for both")


class CqiMapping(Model):
    """Source: Kawser, Table III; Piro; Vienna."""

    table: CqiTable = Key("kawser",
        says="The least SINR of each CQI. `kawser`: measured at 10 % block errors over a Rayleigh channel (Kawser, "
             "Table III); `piro`: by LENA's formula (Piro); `vienna`: over Gaussian noise, for SINRs without fading "
             "(Vienna); `mezzavilla`: the same, by the curves of block errors")
    ul: FixedCqi = Key(None, says="The uplink CQI of every UE, whatever its SINR; null: the CQI follows from the SINR")
    dl: FixedCqi = Key(None, says="The same for the downlink")
    sl: FixedCqi = Key(None, says="The same for direct links")


class CellEdge(Model):
    """One UE for each run of the cell-edge experiment. Source: Li et al, section III, Table I."""

    distance_m: float = Key(40.0, 1, 5000,
        says="Distance from the site to the centre of the box that the UE walks in. Li et al, section III: 40 to 300 in"
             " steps of 20")
    azimuth_deg: float = Key(0.0, -360, 360,
        says="Direction of the box; 0 is the middle of the serving beam. Li et al do not say")
    box_m: float = Key(20.0, 0.1, 1000, says="Side of the box. Li et al, section III")
    speed_kmph: float = Key(3.0, 0.01, 500, says="Speed of the UE, for its fading too. Li et al, section III")
    leg_m: float = Key(1.0, 0.1, 1000,
        says="The UE takes a new direction after this distance, as in LENA, and is reflected at the edge of the box. "
             "Li et al do not say")
    dl_carrier_ghz: float = Key(2.1, 0.3, 6, says="Carrier frequency of the downlink. Li et al, Table I")
    ul_carrier_ghz: float = Key(1.9, 0.3, 6, says="Carrier frequency of the uplink. Li et al, Table I")
    enb_height_m: float = Key(30.0, 1, 150, says="Height of the eNB's antennas. Li et al, Table I")
    ue_height_m: float = Key(1.5, 0.5, 20, says="Height of the UE's antenna. Li et al, Table I")
    inter_site_m: float = Key(500.0, 10, 5000, says="Distance between sites. Li et al, Table I")
    tiers: int = Key(2, 0, 4, says="Rings of sites around the one in the middle. Li et al, section III")
    sector_offset_m: float = Key(0.5, 0, 10,
        says="Distance of a sector's antenna from the middle of its site. The first sector points along a row of sites,"
             " as in LENA. Li et al, Table I")
    beamwidth_deg: float = Key(70.0, 1, 360, says="Beamwidth of a sector's antenna at -3 dB. Li et al, Table I")
    front_to_back_db: float = Key(20.0, 0, 60,
        says="Greatest attenuation of a sector's antenna. TR 36.942, and the dual stripe example of LENA; Li et al do "
             "not say")
    antenna_gain_dbi: Decibels = Key(0.0,
        says="Antenna gain of a sector; where interference dominates, it changes nothing. LENA; Li et al do not say")
    enb_tx_dbm: Decibels = Key(46.0, says="Transmit power of each cell over the whole carrier. Li et al, Table I")
    ue_tx_dbm: Decibels = Key(10.0,
        says="Transmit power of the UE. LENA; Li et al do not say. The uplink has no interference, because the paper "
             "has one UE")
    enb_noise_figure_db: Decibels = Key(5.0, says="Noise figure of the eNB's receiver. LENA; Li et al do not say")
    ue_noise_figure_db: Decibels = Key(9.0, says="Noise figure of the UE's receiver. LENA; Li et al do not say")
    interference: bool = Key(True, says="Whether the other cells interfere. Li et al, section IV; one run is without")
    load: float = Key(1.0, 0, 1,
        says="Share of the time for which the other cells send; it scales their power. Li et al, section IV: full "
             "interference")
    fading: bool = Key(True,
        says="Fading by Extended Pedestrian A of TS 36.104, with draws of its own for each link. Li et al, section III")
    shadowing_sigma_db: float = Key(1.0, 0, 20, says="Standard deviation of the shadowing. Li et al, Table I")
    shadowing_decorrelation_m: float = Key(50.0, 0.1, 1000,
        says="Distance d over which the correlation of shadowing, exp(-x / d), falls to 1/e (Gudmundson). Li et al do "
             "not say; within the box shadowing is nearly constant")
    site_correlation: float = Key(0.5, 0, 1,
        says="Correlation of shadowing between sites; between the sectors of a site it is 1. TR 36.942; Li et al do not"
             " say")
    cqi_table: CqiTable = Key("vienna",
        says="The least effective SINR of each CQI at 10 % block errors. LENA's curves come from the Vienna simulator, "
             "too. `mezzavilla` fits `radio.harq.errors: sinr`, because it is computed from the same curves")
    cqi_period_ms: Milliseconds = Key(1, 1, 1000,
        says="Time between CQI reports, a multiple of `granularity_ms`. LENA reports in every TTI")
    cqi_delay_ms: Milliseconds = Key(4, 0, 1000,
        says="Time from the sub-frame that a report measures to the first one that uses it. TS 36.213 7.2.3: at least "
             "4 to the report")


class Blockage(Model):
    """People or vehicles that step into the way of every link with an eNB. Source: TR 38.901 7.6.4.2."""

    blocker: Literal["person", "vehicle"] = Key("person",
        says="What comes: `person`: 0.3 m wide and 1.7 m high; `vehicle`: 4.8 and 1.4 m. TR 38.901 Table 7.6.4.2-5")
    per_minute: float = Key(6.0, 0, 600, says="How many come on average, at random times. Our own")
    distance_m: float = Key(2.0, 0.1, 1000, says="From the UE to where they cross the link. Our own")
    speed_mps: float = Key(1.0, 0.1, 50, says="At which they cross it at right angles. Our own: somebody who walks")
    stay_s: float = Key(0.0, 0, 3600, says="How long each stays in the middle of it. Our own")


_IN_THE_WAY = ("static", "swing", "route")  # models of the channel that have blockers and walls


class Channel(Model):
    """What the links are like over time, instead of one CQI for each direction."""

    model: Literal["static", "swing", "trace", "cell_edge", "route"] = Key(...,
        says="`static`: the UEs stay at `positions`; `swing`: two UEs swing on a line; `trace`: a file says how good "
             "the links are; `cell_edge`: UEs walk in a box, with interference, shadowing and fading; `route`: UEs "
             "follow waypoints past several eNBs, with the same")
    granularity_ms: Milliseconds = Key(10, 1, 10000,
        says="Values change at multiples of this. 10 ms is one of the periods of CQI reports. TS 36.213 Table 7.2.2-1A")
    trace: FilePath | None = Key(None,
        says="A channel trace, or a CSV file of measurements, relative to the scenario; its content is part of a run's "
             "identity. Only with `model: trace`")
    positions: dict[str, tuple[float, float]] = Key({},
        says="Position [x, y] of each UE in metres from the eNB, which is at [0, 0]. Only with `model: static`; "
             "with `model: route` positions of UEs that do not move, in its plane")
    swing: Swing = Swing()
    path_loss: PathLoss = PathLoss()
    link: LinkBudget = LinkBudget()
    cqi: CqiMapping = CqiMapping()
    cell_edge: CellEdge = CellEdge()
    route: Route | None = Key(None, exclude_if=unset,
        says="Where the eNBs are and what way UEs take, with `model: route` only")
    blockage: Blockage | None = Key(None, exclude_if=unset,
        says="Who steps into the way of the links, with the models static, swing and route; null: nobody. Of direct "
             "links nobody does")
    penetration: dict[str, Literal["low_loss", "high_loss", "car", "car_metallised"]] = Key({},
        exclude_if=lambda inside: not inside,
        says="What each UE is inside of; others are outdoors. `low_loss`: a building with windows of plain glass, "
             "`high_loss`: with coated windows, not with `rma_38901`; the UE draws once how deep inside it is, up to "
             "25 m, in the country 10 m. `car`: 9 dB, `car_metallised`: 20 dB, with a deviation of 5 dB. All links of "
             "the UE with eNBs lose the same. With the models static, swing and route, and path loss `uma_38901`, "
             "`umi_38901` or `rma_38901`. TR 38.901 7.4.3")

    def check(self, ues: Mapping[str, Any], enbs: Sequence[str]) -> None:
        """Whether it fits the scenario's UEs and eNBs. Raises ValueError with key, value and what is allowed."""
        names = list(ues)
        near, far = self.swing.distance_m
        if not 0 < near < far <= 5000:
            raise ValueError(f"key 'radio.channel.swing.distance_m': value [{near:g}, {far:g}]: allowed [NEAR, FAR] "
                             "with 0 < NEAR < FAR <= 5000")
        if self.model == "swing" and len(names) != 2:
            raise ValueError(f"key 'radio.channel.model': value swing: the model needs two UEs, and radio.ues has "
                             f"{len(names)}; set another model")
        if self.model == "cell_edge":
            self._check_cell_edge(ues)
        if (self.model == "trace") != (self.trace is not None):
            raise ValueError("key 'radio.channel.trace': missing; name the file that model trace reads"
                             if self.trace is None else
                             f"key 'radio.channel.trace': value {self.trace}: model {self.model} reads no file; remove "
                             "the key, or set radio.channel.model: trace")
        if (self.model == "route") != (self.route is not None):
            raise ValueError("key 'radio.channel.route': missing; model route needs it" if self.route is None else
                             f"key 'radio.channel.route': model {self.model} does not use it; remove the key, or set "
                             "radio.channel.model: route")
        if self.path_loss.los == "by_place" and (self.model != "route" or self.path_loss.model == "uma"):
            raise ValueError("key 'radio.channel.path_loss.los': value by_place: it needs radio.channel.model: route "
                             f"and a path_loss.model of {OF_TR38901}; set these (TR 38.901 7.6.3.3)")
        if self.blockage is not None and self.model not in _IN_THE_WAY:
            raise ValueError(f"key 'radio.channel.blockage': model {self.model} has no blockers; remove the key, or "
                             "set radio.channel.model: static, swing or route")
        self._check_penetration(ues)
        if self.route is not None:
            self.route.check(self.path_loss.model, self.granularity_ms, self.positions, ues, enbs)
        elif len(enbs) > 1:
            raise ValueError(f"key 'radio.channel.model': value {self.model}: the model has one eNB, and the scenario "
                             "several; allowed route")
        if self.model not in ("static", "route") and self.positions:
            raise ValueError(f"key 'radio.channel.positions': model {self.model} does not use it; remove the key")
        for name in names if self.model == "static" else []:
            if name not in self.positions:
                raise ValueError(f"key 'radio.channel.positions.{name}': missing; give [x, y] in metres from the eNB")
        for name in self.positions:
            if name not in names:
                raise ValueError(f"key 'radio.channel.positions.{name}': no UE has this name; allowed "
                                 f"{', '.join(names)}")

    def _check_penetration(self, ues: Mapping[str, Any]) -> None:
        if self.penetration and self.model not in _IN_THE_WAY:
            raise ValueError(f"key 'radio.channel.penetration': model {self.model} has no walls; remove the key, or "
                             "set radio.channel.model: static, swing or route")
        if not self.penetration:
            return
        from cellbed_channel.penetration import allowed

        for name, around in self.penetration.items():
            known(f"radio.channel.penetration.{name}", name, dict.fromkeys(ues))
            if self.path_loss.model not in allowed(around):
                raise ValueError(f"key 'radio.channel.penetration.{name}': value {around}: it does not go with "
                                 f"radio.channel.path_loss.model {self.path_loss.model}; allowed "
                                 f"{', '.join(allowed(around))} (TR 38.901 7.4.3)")

    def _check_cell_edge(self, ues: Mapping[str, Any]) -> None:
        for name, ue in ues.items():
            if ue.peer in ues:
                raise ValueError(f"key 'radio.ues.{name}.peer': value {ue.peer}: radio.channel.model cell_edge has no "
                                 "direct links; name the eNB")
        if self.cell_edge.cqi_period_ms % self.granularity_ms:
            raise ValueError(f"key 'radio.channel.cell_edge.cqi_period_ms': value {self.cell_edge.cqi_period_ms}: "
                             f"allowed multiples of {self.granularity_ms} (radio.channel.granularity_ms)")


def identify(radio: Mapping[str, Any], folder: Path) -> None:
    """Note the content of the trace among the settings of a run, as its name says nothing.

    Args:
        radio: of the settings; each of its channels gets `trace_sha256` when it has a trace.
        folder: of the scenario.

    Raises:
        ScenarioError: the file is missing or wrong.
    """
    for key, channel in radios.channels(radio).items():
        with with_key(key):
            _identify(channel, list(radio["ues"]), folder)


def _identify(channel: dict[str, Any], ues: list[str], folder: Path) -> None:
    _identify_tracks(channel, folder)
    if channel["trace"] is None:
        return
    from cellbed_channel import error, measured, trace

    path = folder / channel["trace"]
    try:
        if path.suffix == ".csv":
            measured.read_csv(path, ues)
        else:
            trace.read(path)
    except error.ChannelError as wrong:
        raise ScenarioError(f"key 'radio.channel.trace': {wrong}") from wrong
    channel["trace_sha256"] = paths.sha256(path)


def _identify_tracks(channel: dict[str, Any], folder: Path) -> None:
    """Note the content of the waypoints, too, as `tracks_sha256`."""
    route = channel.get("route")
    if route is None or not route["tracks"]:
        return
    from cellbed_channel import error, track

    digests = {}
    for ue, name in route["tracks"].items():
        try:
            track.read(folder / name, route["origin"], route["speed_mps"])
        except error.ChannelError as wrong:
            raise ScenarioError(f"key 'radio.channel.route.tracks.{ue}': {wrong}") from wrong
        digests[ue] = paths.sha256(folder / name)
    channel["tracks_sha256"] = digests


def reads_file(settings: Mapping[str, Any]) -> bool:
    """Whether a run's channel comes from a file beside the scenario."""
    channels = [channel for _, alone in radios.each(dict(settings))
                for channel in radios.channels(alone["radio"]).values()]
    return any(channel["trace"] is not None or "tracks_sha256" in channel for channel in channels)
