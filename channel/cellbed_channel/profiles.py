# SPDX-License-Identifier: GPL-2.0-or-later
"""Power delay profiles of multipath fading: when the copies of a signal arrive, and how strong."""

from __future__ import annotations

from dataclasses import dataclass

from .error import ParameterError


@dataclass(frozen=True)
class Profile:
    """A tapped delay line.

    Attributes:
        delays_ns, powers_db: of each tap.
        line_of_sight: the first tap is one wave that comes straight; the others, and without line of sight all, are
            Rayleigh.
    """

    delays_ns: tuple[float, ...]
    powers_db: tuple[float, ...]
    line_of_sight: bool = False


# Extended Pedestrian A. Source: TS 36.104 Table B.2-2
EPA = Profile((0, 30, 70, 90, 110, 190, 410), (0.0, -1.0, -2.0, -3.0, -8.0, -17.2, -20.8))

# Delays over the delay spread, and powers in dB. Those of TDL-D and TDL-E begin with the wave that comes straight.
# Source: TR 38.901 Tables 7.7.2-1 to 7.7.2-5, as Sionna's files have them
_NORMALISED = {
    "tdl_a": (
        (0.0, 0.3819, 0.4025, 0.5868, 0.4610, 0.5375, 0.6708, 0.5750, 0.7618, 1.5375, 1.8978, 2.2242, 2.1718, 2.4942,
         2.5119, 3.0582, 4.0810, 4.4579, 4.5695, 4.7966, 5.0066, 5.3043, 9.6586),
        (-13.4, 0.0, -2.2, -4.0, -6.0, -8.2, -9.9, -10.5, -7.5, -15.9, -6.6, -16.7, -12.4, -15.2, -10.8, -11.3, -12.7,
         -16.2, -18.3, -18.9, -16.6, -19.9, -29.7)),
    "tdl_b": (
        (0.0, 0.1072, 0.2155, 0.2095, 0.2870, 0.2986, 0.3752, 0.5055, 0.3681, 0.3697, 0.5700, 0.5283, 1.1021, 1.2756,
         1.5474, 1.7842, 2.0169, 2.8294, 3.0219, 3.6187, 4.1067, 4.2790, 4.7834),
        (0.0, -2.2, -4.0, -3.2, -9.8, -1.2, -3.4, -5.2, -7.6, -3.0, -8.9, -9.0, -4.8, -5.7, -7.5, -1.9, -7.6, -12.2,
         -9.8, -11.4, -14.9, -9.2, -11.3)),
    "tdl_c": (
        (0.0, 0.2099, 0.2219, 0.2329, 0.2176, 0.6366, 0.6448, 0.6560, 0.6584, 0.7935, 0.8213, 0.9336, 1.2285, 1.3083,
         2.1704, 2.7105, 4.2589, 4.6003, 5.4902, 5.6077, 6.3065, 6.6374, 7.0427, 8.6523),
        (-4.4, -1.2, -3.5, -5.2, -2.5, 0.0, -2.2, -3.9, -7.4, -7.1, -10.7, -11.1, -5.1, -6.8, -8.7, -13.2, -13.9,
         -13.9, -15.8, -17.1, -16.0, -15.7, -21.6, -22.8)),
    "tdl_d": (
        (0.0, 0.0, 0.035, 0.612, 1.363, 1.405, 1.804, 2.596, 1.775, 4.042, 7.937, 9.424, 9.708, 12.525),
        (-0.2, -13.5, -18.8, -21.0, -22.8, -17.9, -20.1, -21.9, -22.9, -27.8, -23.6, -24.8, -30.0, -27.7)),
    "tdl_e": (
        (0.0, 0.0, 0.5133, 0.5440, 0.5630, 0.5440, 0.7112, 1.9092, 1.9293, 1.9589, 2.6426, 3.7136, 5.4524, 12.0034,
         20.6519),
        (-0.03, -22.03, -15.8, -18.1, -19.8, -22.9, -22.4, -18.6, -20.8, -22.6, -22.3, -25.6, -20.2, -29.8, -29.2)),
}
_LINE_OF_SIGHT = ("tdl_d", "tdl_e")


def profile(name: str, delay_spread_ns: float) -> Profile:
    """A profile by its name.

    Args:
        delay_spread_ns: RMS delay spread that the profiles of TR 38.901 are scaled to; `epa` has its own.
            Source: TR 38.901 7.7.3

    Raises:
        ParameterError: no such profile.
    """
    if name == "epa":
        return EPA
    if name not in _NORMALISED:
        raise ParameterError("route.fading_profile", name, ", ".join(["epa", *_NORMALISED]))
    delays, powers = _NORMALISED[name]
    return Profile(tuple(delay * delay_spread_ns for delay in delays), powers, name in _LINE_OF_SIGHT)
