# SPDX-License-Identifier: GPL-2.0-or-later
"""Multipath fading: a tapped delay line whose taps are Rayleigh with the classical Doppler spectrum.

A tap is a sum of plane waves that arrive from all around, by a method of its own after this model. Source: Jakes
Each wave has an angle, drawn within its share of the circle, and a phase, so the autocorrelation over all draws is
J0(2 pi f_d t) exactly. Angles and phases come from a named stream.
"""

from __future__ import annotations

import math

import numpy as np

from .link import RB_HZ
from .profiles import EPA, Profile
from .stream import stream

WAVES = 24  # of a tap
_CHUNK = 256
_SAME_M = 1e-11  # less does not show in a hundredth of a dB
# Of the wave that comes straight, less than that of the way. Source: TR 38.901 7.7.2
_STRAIGHT_DOPPLER = 0.7


def doppler_hz(speed_mps: float, carrier_ghz: float) -> float:
    return speed_mps * carrier_ghz * 1e9 / 299_792_458.0


def tap_powers(profile: Profile = EPA) -> np.ndarray:
    """Mean power of each tap; 1 in all."""
    powers = 10.0 ** (np.array(profile.powers_db) / 10.0)
    return powers / powers.sum()


def response(n_rb: int, profile: Profile = EPA, rb_hz: int = RB_HZ) -> np.ndarray:
    """(taps, resource blocks) what each tap does to the middle of each resource block, mean power included."""
    frequency_hz = (np.arange(n_rb) - (n_rb - 1) / 2) * rb_hz
    delay_s = np.array(profile.delays_ns) * 1e-9
    return np.sqrt(tap_powers(profile))[:, None] * np.exp(-2j * math.pi * delay_s[:, None] * frequency_hz[None, :])


class Taps:
    """The taps of one link, each with mean power 1. In a profile with line of sight the first one is a single wave."""

    def __init__(self, seed: int, name: str, doppler_hz: float, profile: Profile = EPA) -> None:
        """Draw angles and phases.

        Args:
            name: of the stream's purpose, such as "fading/ue1/dl/4".
        """
        source = stream(seed, name)
        self.taps = len(profile.delays_ns)
        draws = source.random((2, self.taps, WAVES))
        angle = 2.0 * math.pi * (np.arange(WAVES) + draws[0]) / WAVES
        self.pulsation = 2.0 * math.pi * doppler_hz * np.cos(angle)
        self.phase = 2.0 * math.pi * draws[1]
        if profile.line_of_sight:  # all its waves are one
            self.pulsation[0] = 2.0 * math.pi * doppler_hz * _STRAIGHT_DOPPLER
            self.phase[0] = self.phase[0, 0]
        self.divisor = np.full(self.taps, math.sqrt(WAVES))
        if profile.line_of_sight:
            self.divisor[0] = WAVES
        self._turned: tuple[float, np.ndarray] | None = None

    def at(self, first: int, count: int, step_s: float) -> np.ndarray:
        """(count, taps) complex amplitudes at times first, first + 1, … steps.

        The phase of a wave is split into that at the start of a chunk and that within it: a product of matrices
        instead of a sine for every wave and time. Chunks are counted from time 0, so that any cut gives the same values
        but for rounding.
        """
        low = first // _CHUNK
        chunks = (first + count - 1) // _CHUNK - low + 1
        amplitudes = self._chunks((low + np.arange(chunks)) * _CHUNK * step_s, step_s)
        return amplitudes[:, first - low * _CHUNK:][:, :count].T

    def _chunks(self, starts: np.ndarray, step: float) -> np.ndarray:
        """(taps, values) complex amplitudes at equal steps from each start of a chunk on."""
        turned = np.exp(1j * (self.pulsation[:, None, :] * starts[None, :, None] + self.phase[:, None, :]))
        return (turned @ self._within(step)).reshape(self.taps, -1) / self.divisor[:, None]

    def _within(self, step: float) -> np.ndarray:
        """(taps, waves, steps) how far each wave has turned within a chunk: the same for all, so computed once."""
        if self._turned is None or self._turned[0] != step:
            self._turned = step, np.exp(1j * self.pulsation[:, :, None] * (np.arange(_CHUNK) * step))
        return self._turned[1]

    def along(self, way_m: np.ndarray) -> np.ndarray:
        """(times, taps) complex amplitudes of taps whose Doppler shift is in waves per metre, at lengths of the way."""
        if (step_m := self._step_m(way_m)) is not None:
            return self._chunks(way_m[::_CHUNK], step_m)[:, :len(way_m)].T
        phase = self.pulsation[:, None, :] * way_m[None, :, None] + self.phase[:, None, :]
        return np.asarray(np.exp(1j * phase).sum(axis=2).T / self.divisor)

    def _step_m(self, way_m: np.ndarray) -> float | None:
        """Of a way at constant speed, as far as numbers can tell; None of another one."""
        if len(way_m) < _CHUNK:
            return None
        step_m = float(way_m[-1] - way_m[0]) / (len(way_m) - 1)
        if self._turned is not None and abs(self._turned[0] - step_m) * _CHUNK < _SAME_M:
            step_m = self._turned[0]  # but for rounding that of the times before
        number = np.arange(len(way_m))
        off_m = way_m - way_m[::_CHUNK][number // _CHUNK] - number % _CHUNK * step_m
        return step_m if np.abs(off_m).max() < _SAME_M else None
