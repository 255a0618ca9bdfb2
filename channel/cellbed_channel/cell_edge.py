# SPDX-License-Identifier: GPL-2.0-or-later
"""A UE at the edge of a cell that 56 others disturb: SINR of every resource block and step, effective SINR, CQI.

Downlink:  SINR = P g |H|^2 / (sum over the other cells of P g |H|^2 + noise)   of each resource block
Uplink:    the same without other UEs, as the paper has one only

P is the power of a resource block (the carrier's over its blocks), g antenna gain, path loss and shadowing, H the
fading, of every link its own. Positions move by millimetres in a step, so g is that of every tenth millisecond.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from . import cqi, effective, fading, shadowing
from .error import ParameterError
from .layout import Layout, Parabolic, bearing_deg
from .link import centi_db, noise_dbm
from .mobility import BoxWalk
from .path_loss import StreetCanyon
from .trace import Series

_LARGE_SCALE_MS = 10
_BLOCK = 2048  # times rendered at once: what fits a cache
_ROWS = 128  # times in one product: BLAS starts threads for more, which take twenty times as long on a busy machine


@dataclass(frozen=True)
class CellEdgeParameters:
    """The cell-edge experiment. Source: Li et al, section III and Table I, where nothing else is said.

    Attributes:
        distance_m: of the box's centre from the site; a number for all UEs.
        azimuth_deg: direction of the box from the site; 0 is the middle of the serving sector's beam. Not specified.
        box_m, speed_kmph, leg_m: mobility.BoxWalk.
        dl_carrier_ghz, ul_carrier_ghz, enb_height_m, ue_height_m: path loss; path_loss.StreetCanyon.
        inter_site_m, tiers, sector_offset_m: layout.Layout.
        beamwidth_deg, front_to_back_db, antenna_gain_dbi: layout.Parabolic.
        enb_tx_dbm: of each cell.
        ue_tx_dbm: the paper has none; the default of LENA.
        enb_noise_figure_db, ue_noise_figure_db: the paper has none; the defaults of LENA.
        interference: whether the other cells send. The paper has one run without.
        load: share of the time that the others send, which scales their mean power. The paper: full interference.
        fading: Extended Pedestrian A, at speed_kmph.
        shadowing_sigma_db: Table I. The paper has no correlation.
        shadowing_decorrelation_m, site_correlation: shadowing.
        cqi_table: a name in cqi.TABLES.
        cqi_period_ms: from one report to the next; the paper's simulator reports every TTI.
        cqi_delay_ms: from the sub-frame that is measured to the first one whose format the report decides; at least 4
            to the report itself. Source: TS 36.213 7.2.3
    """

    distance_m: float = 40.0
    azimuth_deg: float = 0.0
    box_m: float = 20.0
    speed_kmph: float = 3.0
    leg_m: float = 1.0
    dl_carrier_ghz: float = 2.1
    ul_carrier_ghz: float = 1.9
    enb_height_m: float = 30.0
    ue_height_m: float = 1.5
    inter_site_m: float = 500.0
    tiers: int = 2
    sector_offset_m: float = 0.5
    beamwidth_deg: float = 70.0
    front_to_back_db: float = 20.0
    antenna_gain_dbi: float = 0.0
    enb_tx_dbm: float = 46.0
    ue_tx_dbm: float = 10.0
    enb_noise_figure_db: float = 5.0
    ue_noise_figure_db: float = 9.0
    interference: bool = True
    load: float = 1.0
    fading: bool = True
    shadowing_sigma_db: float = 1.0
    shadowing_decorrelation_m: float = 50.0
    site_correlation: float = 0.5
    cqi_table: str = "vienna"
    cqi_period_ms: int = 1
    cqi_delay_ms: int = 4

    def check(self, granularity_ms: int) -> None:
        """Raises ParameterError where a value is out of its range, or does not fit another."""
        for name, low, high in (("distance_m", 1, 5000), ("box_m", 0.1, 1000), ("speed_kmph", 0.01, 500),
                                ("leg_m", 0.1, 1000), ("dl_carrier_ghz", 0.3, 6), ("ul_carrier_ghz", 0.3, 6),
                                ("enb_height_m", 1, 150), ("ue_height_m", 0.5, 20), ("inter_site_m", 10, 5000),
                                ("tiers", 0, 4), ("beamwidth_deg", 1, 360), ("front_to_back_db", 0, 60),
                                ("load", 0, 1), ("shadowing_sigma_db", 0, 20), ("shadowing_decorrelation_m", 0.1, 1000),
                                ("site_correlation", 0, 1), ("cqi_delay_ms", 0, 1000)):
            if not low <= getattr(self, name) <= high:
                raise ParameterError(f"cell_edge.{name}", getattr(self, name), f"{low}..{high}")
        if self.cqi_period_ms < 1 or self.cqi_period_ms % granularity_ms:
            raise ParameterError("cell_edge.cqi_period_ms", self.cqi_period_ms,
                                 f"multiples of granularity_ms, {granularity_ms}")
        cqi.thresholds_cdb(self.cqi_table)

    def centre(self) -> tuple[float, float]:
        angle = math.radians(self.azimuth_deg)
        return self.distance_m * math.cos(angle), self.distance_m * math.sin(angle)

    def layout(self) -> Layout:
        return Layout(self.inter_site_m, self.tiers, self.sector_offset_m)

    def antenna(self) -> Parabolic:
        return Parabolic(self.beamwidth_deg, self.front_to_back_db, self.antenna_gain_dbi)

    def walk(self, seed: int, ue: str) -> BoxWalk:
        return BoxWalk(seed, ue, self.centre(), self.box_m, self.speed_kmph / 3.6, self.leg_m)


def gain_db(parameters: CellEdgeParameters, places: np.ndarray, carrier_ghz: float) -> np.ndarray:
    """(places, cells) antenna gain less path loss; neither shadowing nor fading."""
    positions, azimuth_deg, _ = parameters.layout().cells()
    offset = places[:, None, :] - positions[None, :, :]
    loss = StreetCanyon(carrier_ghz, parameters.enb_height_m, parameters.ue_height_m)
    ground = np.sqrt(offset[..., 0] ** 2 + offset[..., 1] ** 2)
    return parameters.antenna().gain_db(bearing_deg(offset) - azimuth_deg) - loss.loss_db(ground)


def strongest_db(parameters: CellEdgeParameters, places: np.ndarray, n_rb: int) -> np.ndarray:
    """SINR of the strongest cell at (n, 2) places, all cells at full power; neither shadowing nor fading.

    Control channels take the whole carrier as data do, so it is theirs too.
    """
    received = _ratio(gain_db(parameters, places, parameters.dl_carrier_ghz) + parameters.enb_tx_dbm)
    best = received.max(axis=1)
    noise = _ratio(noise_dbm(n_rb) + parameters.ue_noise_figure_db)
    return 10.0 * np.log10(best / (received.sum(axis=1) - best + noise))


def _ratio(db: np.ndarray | float) -> np.ndarray:
    return 10.0 ** (np.asarray(db) / 10.0)


class Link:
    """SINR of one UE's downlink or uplink."""

    def __init__(self, parameters: CellEdgeParameters, ue: str, direction: str, n_rb: int, seed: int, step_ms: int,
                 times: range) -> None:
        """Everything but the fading of single steps: positions, gains, draws.

        Args: times: steps in a row, the first a multiple of `stride_of`.
        """
        self.parameters, self.n_rb, self.step_ms, self.times = parameters, n_rb, step_ms, times
        downlink = direction == "dl"
        carrier_ghz = parameters.dl_carrier_ghz if downlink else parameters.ul_carrier_ghz
        cells = len(parameters.layout().cells()[0]) if downlink and parameters.interference else 1
        self.stride = stride_of(step_ms)
        t_s = np.arange(times.start, times.stop, self.stride) * (step_ms / 1000.0)
        places = parameters.walk(seed, ue).positions(t_s)[ue]
        sites = parameters.layout().sites()
        shadow = shadowing.loss_db(seed, ue, places, len(sites) if cells > 1 else 1, parameters.shadowing_sigma_db,
                                   parameters.shadowing_decorrelation_m, parameters.site_correlation)
        gain = gain_db(parameters, places, carrier_ghz)[:, :cells] - np.repeat(shadow, 3, axis=1)[:, :cells]
        tx_dbm = parameters.enb_tx_dbm if downlink else parameters.ue_tx_dbm
        figure_db = parameters.ue_noise_figure_db if downlink else parameters.enb_noise_figure_db
        # Received power over noise, both of one resource block.
        self.received = _ratio(gain + tx_dbm - noise_dbm(n_rb) - figure_db)
        self.received[:, 1:] *= parameters.load
        doppler = fading.doppler_hz(parameters.speed_kmph / 3.6, carrier_ghz)
        self.taps = [fading.Taps(seed, f"fading/{ue}/{direction}/{cell}", doppler) for cell in range(cells)] \
            if parameters.fading else []
        self.response = fading.response(n_rb)

    def _power(self, cell: int, first: int, count: int) -> np.ndarray:
        """(count, blocks) received over noise power of a cell, with fading."""
        row = (first - self.times.start) // self.stride
        mean = np.repeat(self.received[row:, cell][: count // self.stride + 2], self.stride)
        mean = mean[first % self.stride :][:count, None]
        if not self.taps:
            return np.broadcast_to(mean, (count, self.n_rb))
        rows = math.ceil(count / _ROWS) * _ROWS
        taps = self.taps[cell].at(first, rows, self.step_ms / 1000.0)
        amplitude = (taps.reshape(-1, _ROWS, taps.shape[1]) @ self.response).reshape(rows, -1)[:count]
        return (amplitude.real ** 2 + amplitude.imag ** 2) * mean

    def sinr(self, first: int, count: int) -> np.ndarray:
        """(count, blocks) ratios at steps from `first`."""
        rise = np.ones((count, self.n_rb))
        for cell in range(1, self.received.shape[1]):
            rise += self._power(cell, first, count)
        return self._power(0, first, count) / rise

    def values(self, each_block: Callable[[], object]) -> tuple[np.ndarray, np.ndarray]:
        """SINR in hundredths of a dB and CQI measured at each step: of the best format, the least one when none does.

        The SINR is the effective one of the transport format of that CQI.
        """
        sinr, measured = np.empty(len(self.times), dtype=np.int32), np.empty(len(self.times), dtype=np.uint8)
        for first in range(0, len(self.times), _BLOCK):
            each_block()
            count = min(_BLOCK, len(self.times) - first)
            found = centi_db(effective.effective_db(self.sinr(self.times.start + first, count)))
            sinr[first : first + count], measured[first : first + count] = \
                cqi.best_of(found, self.parameters.cqi_table)
        return sinr, measured


def reported(measured: np.ndarray, step_ms: int, period_ms: int, delay_ms: int, times: range,
             first: int = 0) -> np.ndarray:
    """CQI that the eNB knows at some steps: the latest report that is `delay_ms` old; the first one until then.

    Args:
        first: the step that is measured first, by `before` earlier than those.
    """
    t_ms = np.arange(times.start, times.stop) * step_ms
    return measured[np.maximum((t_ms - delay_ms) // period_ms, 0) * (period_ms // step_ms) - first]


def stride_of(step_ms: int) -> int:
    """Steps for which positions and shadowing are the same."""
    return max(1, _LARGE_SCALE_MS // step_ms)


def before(parameters: CellEdgeParameters, step_ms: int, first: int) -> int:
    """The step from which on reports tell what the eNB knows at step `first`."""
    oldest = first - math.ceil((parameters.cqi_delay_ms + parameters.cqi_period_ms) / step_ms)
    return max(0, oldest // stride_of(step_ms) * stride_of(step_ms))


def render(parameters: CellEdgeParameters, peers: Mapping[str, str | None], n_rb: int, seed: int, step_ms: int,
           times: range, each_block: Callable[[], object] = lambda: None) -> list[Series]:
    """Both directions of every UE.

    Args:
        times: steps in a row, the first a multiple of `stride_of`.
        each_block: called from time to time; what it raises ends the rendering.

    Raises:
        ParameterError: a value out of range, or a UE with a direct link.
    """
    parameters.check(step_ms)
    first = before(parameters, step_ms, times.start)
    series = []
    for number, (ue, peer) in enumerate(peers.items(), 1):
        if peer is not None:
            raise ParameterError(f"peers.{ue}", peer, "none: the model cell_edge has no direct links")
        for direction in ("ul", "dl"):
            link = Link(parameters, ue, direction, n_rb, seed, step_ms, range(first, times.stop))
            sinr, measured = link.values(each_block)
            series.append(Series(number, direction, sinr[times.start - first:], reported(
                measured, step_ms, parameters.cqi_period_ms, parameters.cqi_delay_ms, times, first)))
    return series
