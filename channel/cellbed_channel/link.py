# SPDX-License-Identifier: GPL-2.0-or-later
"""Link budget: from powers, gains, losses and noise to the SINR of each direction.

    SINR = transmit power + antenna gains - cable loss - path loss - terms - thermal noise - noise figure   [dB]

Powers are those of a transmission over the whole carrier, and noise is that of the whole carrier: a UE that puts its
power into fewer resource blocks is not better off, as in the paper's simulator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .error import ParameterError

DIRECTIONS = ("ul", "dl", "sl")

# Bandwidth of a resource block of LTE; NR's is that times 1, 2, 4 or 8. Source: TS 36.211 6.2.3; TS 38.211 4.2, 4.4.4
RB_HZ = 180_000
# Boltzmann's constant (exact in the SI) times the reference temperature of 290 K: -173.98 dBm/Hz.
THERMAL_W_PER_HZ = 1.380649e-23 * 290.0

# What else makes a link worse: (direction, t_s, distance_m) -> dB at each time. Shadowing and fading are losses,
# interference is a rise of the noise; all of them are subtracted.
Term = Callable[[str, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Budget:
    """Powers, gains and losses. Source: Nardini, Table 1, where nothing else is said.

    Attributes:
        enb_tx_dbm, ue_tx_dbm: transmit powers.
        enb_gain_dbi: of the eNB's antenna, sending and receiving.
        ue_gain_dbi: the paper has none: an isotropic antenna, the default of its simulator.
        cable_loss_db: of every direction. The paper has one value and does not say where; its simulator, SimuLTE,
            subtracts it once from every direction, the direct one too.
        enb_noise_figure_db, ue_noise_figure_db: of the receivers. The paper has one value, which is taken for both
            (its simulator's defaults are 5 and 7 dB).
    """

    enb_tx_dbm: float = 40.0
    ue_tx_dbm: float = 20.0
    enb_gain_dbi: float = 18.0
    ue_gain_dbi: float = 0.0
    cable_loss_db: float = 2.0
    enb_noise_figure_db: float = 5.0
    ue_noise_figure_db: float = 5.0

    def gain_db(self, direction: str, n_rb: int, rb_hz: int = RB_HZ) -> float:
        """SINR of a direction without any path loss.

        Args:
            direction: ul, dl or sl.
            n_rb, rb_hz: resource blocks of the carrier, and the bandwidth of each.

        Raises:
            ParameterError: another direction.
        """
        if direction not in DIRECTIONS:
            raise ParameterError("direction", direction, ", ".join(DIRECTIONS))
        tx_dbm = self.enb_tx_dbm if direction == "dl" else self.ue_tx_dbm
        other_gain_dbi = self.ue_gain_dbi if direction == "sl" else self.enb_gain_dbi
        figure_db = self.enb_noise_figure_db if direction == "ul" else self.ue_noise_figure_db
        return tx_dbm + self.ue_gain_dbi + other_gain_dbi - self.cable_loss_db - noise_dbm(n_rb, rb_hz) - figure_db


def noise_dbm(n_rb: int, rb_hz: int = RB_HZ) -> float:
    """Thermal noise over a carrier: -104.43 dBm for 50 resource blocks."""
    return 10.0 * math.log10(THERMAL_W_PER_HZ * 1000.0 * rb_hz * n_rb)


def sinr_db(budget: Budget, direction: str, n_rb: int, loss_db: np.ndarray, t_s: np.ndarray, distance_m: np.ndarray,
            terms: Sequence[Term] = (), rb_hz: int = RB_HZ) -> np.ndarray:
    """SINR of a direction at each time.

    Args:
        loss_db: path loss.
        n_rb, rb_hz: resource blocks of the carrier, and the bandwidth of each.
        terms: whatever else makes the link worse; none in Nardini, section IV, where "fading and inter-cell
            interference are disabled".
    """
    sinr = budget.gain_db(direction, n_rb, rb_hz) - loss_db
    for term in terms:
        sinr = sinr - term(direction, t_s, distance_m)
    return sinr


def centi_db(value_db: np.ndarray) -> np.ndarray:
    """Rounded to hundredths of a dB: what differs between math libraries, some 1e-15, is gone."""
    return np.rint(np.asarray(value_db) * 100.0).astype(np.int32)
