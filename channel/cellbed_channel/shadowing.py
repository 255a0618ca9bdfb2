# SPDX-License-Identifier: GPL-2.0-or-later
"""Log-normal shadowing as a map: the same place has the same loss whenever a UE comes by.

The loss of each site is a Gaussian field over the plane, a sum of plane waves from a named stream, with

    correlation over a distance d: exp(-d / decorrelation). Source: Gudmundson
    between sites: `site_correlation`; between sectors of a site: 1. Source: TR 36.942
"""

from __future__ import annotations

import math

import numpy as np

from .stream import stream

WAVES = 128


def field(seed: int, name: str, places: np.ndarray, decorrelation_m: float) -> np.ndarray:
    """A field of mean 0 and variance 1 at (n, 2) places.

    exp(-d / D) in a plane has the spectrum (1 + k^2 D^2)^(-3/2); its distribution over the wave number k inverts to
    k D = sqrt(1 / (1 - u)^2 - 1). A sum of waves is Gaussian as far as there are many.
    """
    source = stream(seed, name)
    draws = source.random((3, WAVES))
    number = np.sqrt(1.0 / (1.0 - draws[0]) ** 2 - 1.0) / decorrelation_m
    angle = 2.0 * math.pi * draws[1]
    phase = places[:, :1] * (number * np.cos(angle)) + places[:, 1:] * (number * np.sin(angle))
    return math.sqrt(2.0 / WAVES) * np.cos(phase + 2.0 * math.pi * draws[2]).sum(axis=1)


def loss_db(seed: int, ue: str, places: np.ndarray, sites: int, sigma_db: float, decorrelation_m: float,
            site_correlation: float) -> np.ndarray:
    """(places, sites) losses, positive or negative."""
    if sigma_db == 0:
        return np.zeros((len(places), sites))
    common = field(seed, f"shadowing/{ue}", places, decorrelation_m)
    own = np.column_stack([field(seed, f"shadowing/{ue}/{site}", places, decorrelation_m) for site in range(sites)])
    return sigma_db * (math.sqrt(site_correlation) * common[:, None] + math.sqrt(1.0 - site_correlation) * own)
