# SPDX-License-Identifier: GPL-2.0-or-later
"""Sites on a hexagonal grid, three sectors each, and how strong each sector is anywhere. No wrap-around.

Metres in a plane, the middle site at (0, 0). Source: Li et al, section III, Figure 2 and Table I
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

SECTORS_DEG = (0.0, 120.0, -120.0)


@dataclass(frozen=True)
class Layout:
    """Where the cells are and where they point.

    The paper does not specify how sectors lie to the grid; as in LENA's hexagonal grid the first one points along a row
    of sites.

    Attributes:
        inter_site_m: distance of neighbouring sites.
        tiers: rings of sites around the middle one.
        sector_offset_m: of a sector's antenna from its site, the way it points.
    """

    inter_site_m: float = 500.0
    tiers: int = 2
    sector_offset_m: float = 0.5

    def sites(self) -> np.ndarray:
        """(n, 2) positions, the middle one first, then ring by ring: 19 for two tiers."""
        reach = range(-self.tiers, self.tiers + 1)
        cells = [(max(abs(a), abs(b), abs(a + b)), a, b) for a in reach for b in reach if abs(a + b) <= self.tiers]
        return np.array([(self.inter_site_m * (a + b / 2), self.inter_site_m * b * math.sqrt(0.75))
                         for _, a, b in sorted(cells)])

    def cells(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions, azimuths in degrees and site numbers of all cells; three follow each other for each site."""
        sites = self.sites()
        azimuth_deg = np.tile(SECTORS_DEG, len(sites))
        offset = self.sector_offset_m * np.column_stack([np.cos(np.radians(azimuth_deg)),
                                                         np.sin(np.radians(azimuth_deg))])
        return np.repeat(sites, 3, axis=0) + offset, azimuth_deg, np.repeat(np.arange(len(sites)), 3)


@dataclass(frozen=True)
class Parabolic:
    """Horizontal pattern -min(12 (angle / beamwidth)^2, front-to-back). Source: TR 36.942 4.2.1

    Attributes:
        beamwidth_deg: between the points of -3 dB. Source: Li et al, Table I
        front_to_back_db: the paper has none; the dual stripe example of LENA has 20 dB with 70 degrees. TR 36.814 has
            25 dB, from memory (not verified). Source: TR 36.942 4.2.1
        gain_dbi: in the middle of the beam. LENA's antenna has none; the paper does not name one.
    """

    beamwidth_deg: float = 70.0
    front_to_back_db: float = 20.0
    gain_dbi: float = 0.0

    def gain_db(self, angle_deg: np.ndarray) -> np.ndarray:
        """Gain at angles off the middle of the beam."""
        folded = np.mod(angle_deg + 180.0, 360.0) - 180.0
        return self.gain_dbi - np.minimum(12.0 * (folded / self.beamwidth_deg) ** 2, self.front_to_back_db)


def bearing_deg(offset: np.ndarray) -> np.ndarray:
    """Direction of (…, 2) offsets, counted from the x axis."""
    return np.degrees(np.arctan2(offset[..., 1], offset[..., 0]))
