# SPDX-License-Identifier: GPL-2.0-or-later
"""UEs on their way past several eNBs, or gNBs, each with a channel of its own.

Downlink of an eNB:  SINR = B P / (sum of load x P of other eNBs + noise)   of each resource block
Uplink to an eNB:    B P / noise, without other UEs

P is the power over noise of a resource block: transmit power, antennas, path loss, shadowing, and fading of every link
its own. A receiver with several antennas adds up their SINRs (maximum ratio combining); each has fading of its own. B
is what a beam adds for the UE that it is for; others hear of it what an element sends, as it passes them by
most of the time. Fading and shadowing belong to places, so a UE that stands still has the same channel all the time.
RSRP is the mean power of a resource element of an eNB over a period of measurement, at the antenna that has the most of
it. Source: TS 36.214 5.1.1; TS 36.133 8.1.2.2
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from . import (
    beams,
    blockage,
    cell_load,
    cqi,
    fading,
    large_scale,
    path_loss,
    penetration,
    profiles,
    shadowing,
    tr38901,
    track,
)
from .beams import BeamParameters
from .blockage import BlockageParameters, Way
from .error import ParameterError
from .link import RB_HZ, Budget, centi_db, noise_dbm
from .mobility import distance_m
from .trace import Measurements, Series

# Of layer 1. Source: TS 36.133 8.1.2.2.1.1; TS 36.331 5.5.3.2, whose filter counts in it
MEASUREMENT_MS = 200
RSRP_CDBM = (-20_000, 5_000)  # what a trace may say
_SUBCARRIERS = 12  # of a resource block
_BLOCK = 2048  # times rendered at once


@dataclass(frozen=True)
class RouteParameters:
    """Where eNBs are and what way UEs take; docs/scenario-format.md explains each.

    Attributes:
        enbs: eNB -> (x, y) in metres.
        tracks: UE -> file of waypoints; track.read.
        origin: latitude and longitude of (0, 0).
        speed_mps: of UEs whose files say neither times nor speeds.
        start_s: where on its way each UE is in sub-frame 0: as far as it comes in that time.
        load: share of the time in which other eNBs send; it scales their power.
        load_users, load_busy_ms: cell_load.share of each other eNB, whose mean is `load`; None: it is constant.
        fading, fading_profile, delay_spread_ns: multipath, by profiles.profile.
        shadowing: given, by the next three, or tr38901, by path loss model and line of sight as large_scale has it.
        shadowing_sigma_db, shadowing_decorrelation_m, site_correlation: as in shadowing.loss_db.
            Source: TR 36.814 Tables B.1.2.1-1 (sigma without line of sight), A.2.1.1-2
        interferers: (x, y) of other eNBs, which serve nobody and only interfere.
        rx_antennas: of each receiver, UE and eNB. Source: TS 36.101 7.2 (two of a UE)
        beam_gain_db: B above; 10 log10 of the elements of an array that is steered. Source: TR 38.901 7.3
        beams: which beams there are, and when another one serves; B is then that of their peaks. None: one points at
            the UE all the time.
    """

    enbs: Mapping[str, Sequence[float]] = field(default_factory=dict)
    tracks: Mapping[str, str] = field(default_factory=dict)
    origin: Sequence[float] | None = None
    speed_mps: float = 10.0
    start_s: float = 0.0
    load: float = 0.5
    fading: bool = True
    fading_profile: str = "epa"
    delay_spread_ns: float = 100.0
    shadowing_sigma_db: float = 6.0
    shadowing_decorrelation_m: float = 50.0
    site_correlation: float = 0.5
    shadowing: Literal["given", "tr38901"] = "given"
    interferers: Sequence[Sequence[float]] = ()
    rx_antennas: int = 1
    beam_gain_db: float = 0.0
    beams: BeamParameters | None = None
    load_users: int | None = None
    load_busy_ms: int = 1000

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RouteParameters:
        """From nested mappings."""
        given = data.get("beams")
        return cls(**{**data, "beams": None if given is None else BeamParameters(**given)})

    def sites(self) -> dict[str, Sequence[float]]:
        """Where everybody is who sends: the eNBs, and behind them those that only interfere."""
        return dict(self.enbs) | {f"interferer{number}": place for number, place in enumerate(self.interferers, 1)}


@dataclass(frozen=True)
class Radio:
    """What of a channel's parameters holds for all links: path loss, whether there is line of sight, powers, CQIs, and
    what comes into their way or is around a UE."""

    loss: path_loss.PathLoss
    los: path_loss.Los
    carrier_ghz: float
    budget: Budget
    cqi_tables: Mapping[str, str]
    n_rb: int
    rb_hz: int = RB_HZ
    blockers: BlockageParameters | None = None
    way: Way | None = None
    inside: Mapping[str, str] = field(default_factory=dict)  # UE -> a name in penetration.KINDS

    def tables(self) -> tr38901.Macroscopic:
        """The model of path loss, where it says more than that.

        Raises:
            ParameterError: it does not.
        """
        if not isinstance(self.loss, tr38901.Macroscopic):
            raise ParameterError("path_loss.model", "uma", f"{', '.join(tr38901.MODELS)} with los by_place or "
                                 "shadowing tr38901, or with beams")
        return self.loss


def tracks_of(parameters: RouteParameters, positions: Mapping[str, Sequence[float]], ues: Sequence[str],
              folder: Path) -> dict[str, track.Track]:
    """The way of every UE: from its file, or none where it has a position.

    Raises:
        ChannelError: a file that is wrong, or a UE with neither.
    """
    found = {}
    for ue in ues:
        if ue in parameters.tracks:
            found[ue] = track.read(folder / parameters.tracks[ue], parameters.origin, parameters.speed_mps)
        elif ue in positions:
            found[ue] = track.standing((positions[ue][0], positions[ue][1]))
        else:
            raise ParameterError(f"route.tracks.{ue}", None, "a file of waypoints, or positions")
    return found


def _ratio(db: np.ndarray) -> np.ndarray:
    return np.asarray(10.0 ** (db / 10.0))


class Links:
    """Power over noise of a UE's links with all eNBs, in one direction; in the downlink with interferers, too."""

    def __init__(self, parameters: RouteParameters, radio: Radio, ue: str, direction: str, way: track.Track,
                 seed: int) -> None:
        self.parameters, self.radio, self.ue, self.direction = parameters, radio, ue, direction
        self.way, self.seed = way, seed
        self.sites = parameters.sites() if direction == "dl" else parameters.enbs
        self.inside = penetration.draw(radio.inside.get(ue), radio.loss, radio.carrier_ghz, seed, ue)
        per_m = fading.doppler_hz(1.0, radio.carrier_ghz)  # waves in a metre
        profile = profiles.profile(parameters.fading_profile, parameters.delay_spread_ns)
        self.taps = [[fading.Taps(seed, f"fading/{ue}/{direction}/{site}{antenna}", per_m, profile)
                      for site in self.sites] for antenna in self._antennas()] if parameters.fading else []
        self.response = fading.response(radio.n_rb, profile, radio.rb_hz)

    def _antennas(self) -> list[str]:
        """What names of streams end in: the first antenna's in nothing."""
        return ["", *(f"/{number}" for number in range(2, self.parameters.rx_antennas + 1))]

    def gain_db(self, t_s: np.ndarray) -> np.ndarray:
        """(times, sites) power over noise without fading; both of a resource block or of the carrier."""
        radio, parameters = self.radio, self.parameters
        places = self.way.positions(t_s + parameters.start_s)
        shadow = shadowing.loss_db(self.seed, self.ue, places, len(self.sites), parameters.shadowing_sigma_db,
                                   parameters.shadowing_decorrelation_m, parameters.site_correlation) \
            if parameters.shadowing == "given" else None
        columns = []
        for number, (site, place) in enumerate(self.sites.items()):
            distance = distance_m(places, np.array(place, dtype=float))
            sight = self.sight(site, places, distance)
            lost = shadow[:, number] if shadow is not None else large_scale.shadowing_db(
                radio.tables(), self.seed, site, places, distance, sight)
            gain = (radio.budget.gain_db(self.direction, radio.n_rb, radio.rb_hz) - radio.loss.loss_db(distance, sight)
                    - lost - self.inside.loss_db)
            if radio.blockers is not None and radio.way is not None and parameters.beams is None:
                gain = gain - blockage.loss_db(radio.blockers, radio.way, self.seed, (self.ue, site), t_s, distance)
            columns.append(gain)
        return np.column_stack(columns)

    def sight(self, site: str, places: np.ndarray, ground_m: np.ndarray) -> np.ndarray:
        """Whether there is line of sight to a site at (n, 2) places, which are so far from it."""
        radio, distance_m = self.radio, np.maximum(ground_m - self.inside.depth_m, 0.0)
        if radio.los == "by_place":
            return large_scale.sight(radio.tables(), self.seed, site, places, distance_m)
        return path_loss.sight(radio.loss, radio.los, (self.ue, site), distance_m, self.seed)

    def power(self, t_s: np.ndarray) -> np.ndarray:
        """(antennas, sites, times, resource blocks) as ratios; one block stands for all where there is no fading."""
        mean = _ratio(self.gain_db(t_s)).T[:, :, None]
        if not self.taps:
            return np.broadcast_to(mean, (self.parameters.rx_antennas, *mean.shape))
        way_m = self.way.travelled_m(t_s + self.parameters.start_s)
        amplitude = np.stack([[taps.along(way_m) @ self.response for taps in antenna] for antenna in self.taps])
        return np.asarray(mean * (amplitude.real ** 2 + amplitude.imag ** 2))


def _values(table: str, sinr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """SINR in hundredths of a dB and CQI, of (times, resource blocks) ratios."""
    if sinr.shape[1] == 1:
        db = centi_db(10.0 * np.log10(sinr[:, 0]))
        return db, cqi.cqi_of(db, table)
    return cqi.over_blocks(sinr, table)


def _loads(parameters: RouteParameters, seed: int, t_s: np.ndarray) -> float | np.ndarray:
    """Of each site: the same all the time, or (sites, times)."""
    if parameters.load_users is None:
        return float(parameters.load)
    return np.stack([cell_load.share(seed, site, t_s, parameters.load, parameters.load_users,
                                     parameters.load_busy_ms / 1000.0) for site in parameters.sites()])


def _sinr(parameters: RouteParameters, direction: str, power: np.ndarray, enb: int, load: float | np.ndarray,
          pair: np.ndarray | None = None) -> np.ndarray:
    """(times, resource blocks) of the direction in the cell of an eNB, by the (times, sites) ratio of beams."""
    own = power[:, enb] * _ratio(np.array(parameters.beam_gain_db)) if parameters.beam_gain_db else power[:, enb]
    if pair is not None:
        own = own * pair[:, enb, None]
    if direction == "ul":
        return np.asarray(own.sum(axis=0))
    if isinstance(load, float):
        heard = load * (power.sum(axis=1) - power[:, enb])
    else:
        sent = load[:, :, None] * power
        heard = sent.sum(axis=1) - sent[:, enb]
    return np.asarray((own / (1.0 + heard)).sum(axis=0))


def beams_of(links: Links) -> beams.Beams | None:
    """The beams of a UE and all eNBs, from its downlink; None where one points at it all the time."""
    parameters, radio = links.parameters, links.radio
    if parameters.beams is None:
        return None

    def sinr_db(t_s: np.ndarray) -> np.ndarray:
        power, load = _ratio(links.gain_db(t_s)).T[None, :, :, None], _loads(parameters, links.seed, t_s)
        sinr = [_sinr(parameters, "dl", power, enb, load) for enb in range(len(parameters.enbs))]
        return np.asarray(10.0 * np.log10(np.concatenate(sinr, axis=1)))

    return beams.Beams(parameters.beams, beams.Surroundings(
        radio.tables(), links.seed, links.ue, links.way, parameters.start_s, dict(parameters.enbs), links.sight,
        sinr_db, radio.blockers, radio.way))


def _rsrp_cdbm(radio: Radio, mean_power: np.ndarray, beam_gain_db: float) -> np.ndarray:
    """Of the best beam, from mean ratios of power over noise: as the UE receives them, without the noise figure that
    is in them."""
    noise = noise_dbm(radio.n_rb, radio.rb_hz) + radio.budget.ue_noise_figure_db
    element_dbm = 10.0 * np.log10(mean_power) + noise - 10.0 * math.log10(_SUBCARRIERS * radio.n_rb) + beam_gain_db
    return np.clip(centi_db(element_dbm), *RSRP_CDBM)


def render(parameters: RouteParameters, radio: Radio, tracks: Mapping[str, track.Track], seed: int, step_ms: int,
           times: range, each_block: Callable[[], object] = lambda: None) -> tuple[list[Series], list[Measurements]]:
    """Both directions of every UE in every cell, and what it measures of each eNB.

    Args:
        times: steps in a row, from the start of a period of measurements on.
        each_block: called from time to time; what it raises ends the rendering.

    Raises:
        ParameterError: a value out of range.
    """
    if MEASUREMENT_MS % step_ms:
        raise ParameterError("granularity_ms", step_ms, f"whole parts of {MEASUREMENT_MS}, the period of measurements")
    block = max(1, _BLOCK * step_ms // MEASUREMENT_MS) * (MEASUREMENT_MS // step_ms)  # whole periods
    load = _loads(parameters, seed, np.arange(times.start, times.stop) * (step_ms / 1000.0))
    series, measured = [], []
    for number, (ue, way) in enumerate(tracks.items(), 1):
        both = {direction: Links(parameters, radio, ue, direction, way, seed) for direction in ("ul", "dl")}
        pairs = beams_of(both["dl"])
        parts: dict[tuple[str, int], list[tuple[np.ndarray, np.ndarray]]] = {
            (direction, enb): [] for direction in both for enb in range(len(parameters.enbs))}
        means: list[list[np.ndarray]] = [[] for _ in parameters.enbs]
        for first in range(times.start, times.stop, block):
            each_block()
            steps = np.arange(first, min(first + block, times.stop))
            pair = None if pairs is None else _ratio(pairs.gain_db(steps * step_ms))
            t_s = steps * (step_ms / 1000.0)
            now = load if isinstance(load, float) else load[:, steps - times.start]
            power = {direction: links.power(t_s) for direction, links in both.items()}
            for (direction, enb), of in parts.items():
                sinr = _sinr(parameters, direction, power[direction], enb, now, pair)
                of.append(_values(radio.cqi_tables[direction], sinr))
            for enb, of_enb in enumerate(means):
                mean = power["dl"][:, enb].mean(axis=2)
                of_enb.append(mean if pair is None else mean * pair[:, enb])
        for (direction, enb), of in parts.items():
            values, best = (np.concatenate(columns) for columns in zip(*of, strict=True))
            series.append(Series(number, direction, values, best, enb))
        measured += [_measured(parameters, radio, number, enb, np.concatenate(of_enb, axis=1), step_ms, times.start)
                     for enb, of_enb in enumerate(means)]
    return series, measured


def _measured(parameters: RouteParameters, radio: Radio, ue: int, enb: int, power: np.ndarray, step_ms: int,
              first: int) -> Measurements:
    """One at the end of each whole period, from the (antennas, times) power of a site from a step on."""
    each = MEASUREMENT_MS // step_ms
    periods = power.shape[1] // each
    mean = power[:, : periods * each].reshape(-1, periods, each).mean(axis=2).max(axis=0)
    t_ns = (first * step_ms + (np.arange(periods, dtype=np.int64) + 1) * MEASUREMENT_MS) * 1_000_000
    return Measurements(ue, enb, t_ns, _rsrp_cdbm(radio, mean, parameters.beam_gain_db))
