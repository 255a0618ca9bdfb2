# SPDX-License-Identifier: GPL-2.0-or-later
"""Beams of a gNB and of a UE: which pair serves, when it is another one, and when the link has lost its beam.

The gNB has beams all around, and so has the UE, which turns as its way does. A pair receives each cluster as far as it
points there. Once a period the UE reports the gNB's beam of which it receives most, with the best beam of its own; the
gNB takes that one if it is better by a hysteresis. A UE whose serving beam is below the least SINR cannot report. After
so many periods in a row it looks for a beam that is not, and asks for it by random access.
Source: TS 38.214 5.2.1.4 (reports of L1-RSRP); TS 38.213 6 and TS 38.321 5.17 (detection of beam failures, recovery)
Everything that a UE's body is in the way of loses 30 dB. Source: TR 38.901 7.6.4.1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from . import blockage, clusters
from .blockage import BlockageParameters, Way
from .layout import Parabolic, bearing_deg
from .mobility import distance_m
from .tr38901 import Macroscopic
from .track import Track

#: Beams of a window follow from what came in so much time before it, and not from all that was before.
WINDOW_MS, BEFORE_MS = 10_000, 2_000
_SIDE_LOBES_DB = 20.0
# How wide the body is, seen from the UE. Source: TR 38.901 Table 7.6.4.1-1
BODY_DEG = {"none": 0.0, "portrait": 120.0, "landscape": 160.0}
_BODY_DB = 30.0
_TURN_S = 0.5  # over which the direction of a way is seen


@dataclass(frozen=True)
class BeamParameters:
    """docs/reference/keys.md explains each.

    Attributes:
        gnb_beams, ue_beams: so many all around; where two of them meet, each has 3 dB less.
        report_ms: period of measurements and of reports.
        hysteresis_db: by which a beam is better that replaces another one.
        switch_ms: from the measurement until the gNB sends on it.
        failure_sinr_db: least SINR of a beam on which a UE hears the gNB.
        failure_count: periods in a row below it, of a beam failure.
        recovery_ms: from the failure until the new beam serves.
        self_blocking: how a UE is held whose user has it before the body; the body is behind.
    """

    gnb_beams: int = 32
    ue_beams: int = 8
    report_ms: int = 20
    hysteresis_db: float = 3.0
    switch_ms: int = 10
    failure_sinr_db: float = -6.0
    failure_count: int = 4
    recovery_ms: int = 30
    self_blocking: Literal["none", "portrait", "landscape"] = "none"


@dataclass(frozen=True)
class Following:
    """What became of a link's beams: from when each of them serves, and when a beam failed. Milliseconds."""

    from_ms: list[int]
    beams: list[int]
    failures_ms: list[int]

    def serving(self, t_ms: np.ndarray) -> np.ndarray:
        """The beam at each time."""
        return np.array(self.beams)[np.searchsorted(self.from_ms, t_ms, side="right") - 1]


def follow(parameters: BeamParameters, sinr_db: np.ndarray, first_ms: int = 0) -> Following:
    """Report, switch, fail and recover.

    Args:
        sinr_db: (periods, beams of the gNB); in the first one the best beam serves.
    """
    best, highest = sinr_db.argmax(axis=1).tolist(), sinr_db.max(axis=1).tolist()
    found = Following([first_ms], [best[0]], [])
    below = 0
    for period in range(len(sinr_db)):
        now_ms = first_ms + period * parameters.report_ms
        if now_ms < found.from_ms[-1]:
            continue  # the beam that is to serve does not yet
        serving_db = float(sinr_db[period, found.beams[-1]])
        if serving_db >= parameters.failure_sinr_db:
            below, after_ms = 0, parameters.switch_ms
            change = highest[period] > serving_db + parameters.hysteresis_db
        else:
            below, after_ms = below + 1, parameters.recovery_ms
            change = below >= parameters.failure_count and highest[period] >= parameters.failure_sinr_db
        if change:
            if below:
                found.failures_ms.append(now_ms)
            found.from_ms.append(now_ms + after_ms)
            found.beams.append(best[period])
            below = 0
    return found


def pair_gain_db(parameters: BeamParameters, around: clusters.Clusters, to_ue_deg: np.ndarray, heading_deg: np.ndarray,
                 blocked_db: np.ndarray | float = 0.0) -> np.ndarray:
    """(places, beams of the gNB) what is received with the best beam of the UE, of both peaks and all the power.

    Args:
        to_ue_deg: direction of the UE as the gNB sees it.
        heading_deg: where the UE looks, away from the body.
        blocked_db: (places, clusters) loss by who stands in the way.
    """
    share = around.share * 10.0 ** (-blocked_db / 10.0)
    arrival = (to_ue_deg + 180.0 - heading_deg)[:, None] + around.arrival_deg
    behind = np.abs(np.mod(arrival, 360.0) - 180.0) < BODY_DEG[parameters.self_blocking] / 2.0
    share = np.where(behind, share * 10.0 ** (-_BODY_DB / 10.0), share)
    sent = _received(parameters.gnb_beams, to_ue_deg[:, None] + around.departure_deg)
    heard = _received(parameters.ue_beams, arrival) * share[:, None, :]
    pairs = sent @ heard.transpose(0, 2, 1)
    return np.asarray(10.0 * np.log10(np.maximum(pairs.max(axis=2), 1e-30)))


def _received(beams: int, angle_deg: np.ndarray) -> np.ndarray:
    """(places, beams, clusters) ratio of each beam to its peak."""
    if beams == 1:
        return np.ones((len(angle_deg), 1, angle_deg.shape[1]))
    width_deg = 360.0 / beams
    off = angle_deg[:, None, :] - (np.arange(beams) * width_deg)[None, :, None]
    return np.asarray(10.0 ** (Parabolic(width_deg, _SIDE_LOBES_DB).gain_db(off) / 10.0))


def heading_deg(way: Track, t_s: np.ndarray) -> np.ndarray:
    """Where a UE goes; to the east where it stands."""
    return bearing_deg(way.positions(t_s + _TURN_S) - way.positions(np.maximum(t_s - _TURN_S, 0.0)))


@dataclass(frozen=True)
class Surroundings:
    """What of a channel the beams of one UE need.

    Attributes:
        sites: where the gNBs are, by name.
        start_s: where on its way the UE is at time 0.
        sight: (site, places, their distances from it) -> whether there is line of sight.
        sinr_db: times -> (times, sites) without beams' patterns and without blockers.
    """

    model: Macroscopic
    seed: int
    ue: str
    way: Track
    start_s: float
    sites: dict[str, Sequence[float]]
    sight: Callable[[str, np.ndarray, np.ndarray], np.ndarray]
    sinr_db: Callable[[np.ndarray], np.ndarray]
    blockers: BlockageParameters | None = None
    height: Way | None = None


class Beams:
    """The serving pairs of a UE with each site over time. A window at a time is kept."""

    def __init__(self, parameters: BeamParameters, around: Surroundings) -> None:
        self.parameters, self.around = parameters, around
        self._window: tuple[int, list[tuple[np.ndarray, Following]]] | None = None

    def gain_db(self, t_ms: np.ndarray) -> np.ndarray:
        """(times, sites) of the pair that serves, of both peaks and all the power; times in order."""
        found = np.empty((len(t_ms), len(self.around.sites)))
        for number in np.unique(t_ms // WINDOW_MS).tolist():
            within = np.flatnonzero(t_ms // WINDOW_MS == number)
            period = (t_ms[within] - _first_ms(number)) // self.parameters.report_ms
            for site, (gain, following) in enumerate(self.window(number)):
                found[within, site] = gain[period, following.serving(t_ms[within])]
        return found

    def window(self, number: int) -> list[tuple[np.ndarray, Following]]:
        """Gains of all beams and what became of them, of each site, from BEFORE_MS before a window on."""
        if self._window is None or self._window[0] != number:
            self._window = number, self._followed(number)
        return self._window[1]

    def _followed(self, number: int) -> list[tuple[np.ndarray, Following]]:
        first_ms = _first_ms(number)
        t_ms = np.arange(first_ms, (number + 1) * WINDOW_MS, self.parameters.report_ms)
        t_s = t_ms / 1000.0
        on_way_s = t_s + self.around.start_s
        places, heading = self.around.way.positions(on_way_s), heading_deg(self.around.way, on_way_s)
        sinr_db = self.around.sinr_db(t_s)
        found = []
        for site, name in enumerate(self.around.sites):
            gain = self._gain_db(name, t_s, places, heading)
            found.append((gain, follow(self.parameters, gain + sinr_db[:, site : site + 1], first_ms)))
        return found

    def _gain_db(self, site: str, t_s: np.ndarray, places: np.ndarray, heading: np.ndarray) -> np.ndarray:
        around = self.around
        place = np.array(around.sites[site], dtype=float)
        ground_m = distance_m(places, place)
        found = clusters.at(around.model, around.seed, site, places, around.sight(site, places, ground_m))
        blocked: np.ndarray | float = 0.0
        if around.blockers is not None and around.height is not None:
            blocked = np.column_stack([
                blockage.loss_db(around.blockers, around.height, around.seed, (around.ue, _path(site, number)), t_s,
                                 ground_m) for number in range(found.share.shape[1])])
        return pair_gain_db(self.parameters, found, bearing_deg(places - place), heading, blocked)


def _path(site: str, number: int) -> str:
    """Of a stream: the first cluster has the blockers that a link without beams has."""
    return f"{site}/{number}" if number else site


def _first_ms(number: int) -> int:
    return max(0, number * WINDOW_MS - BEFORE_MS)
