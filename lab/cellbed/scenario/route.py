# SPDX-License-Identifier: GPL-2.0-or-later
"""UEs on their way past several eNBs: keys of the channel that they have."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from cellbed.scenario.beams import Beams
from cellbed.scenario.fields import FilePath, Key, Milliseconds, Model, Name, known, unset
from cellbed.scenario.path_loss import OF_TR38901

# Of a route's measurements.
_MEASUREMENT_MS = 200
_LOAD_BUSY_MS = 1000

Metres = Annotated[float, Field(ge=-1e6, le=1e6)]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]
# Keys of a route that mean nothing with `shadowing: tr38901`.
_GIVEN_SHADOWING = ("shadowing_sigma_db", "shadowing_decorrelation_m", "site_correlation")


class Route(Model):
    """UEs on their way past several eNBs. Source: TR 36.814 Tables A.2.1.1-2, B.1.2.1-1; TS 36.133 8.1.2.2."""

    enbs: dict[Name, tuple[Metres, Metres]] = Key(..., min_length=1, max_length=4,
        says="Position [x, y] of each eNB in metres, east and north")
    tracks: dict[Name, FilePath] = Key({}, max_length=100,
        says="File of waypoints of each UE that moves, GPX or CSV, relative to the scenario; its content is part of a "
             "run's identity. UEs without one stay at `positions`")
    origin: tuple[Latitude, Longitude] | None = Key(None,
        says="Latitude and longitude of [0, 0] in degrees, for waypoints in degrees")
    speed_mps: float = Key(10.0, 0.01, 200,
        says="Speed of UEs whose waypoints have neither times nor speeds. Our own: 36 km/h, a bus")
    start_s: float = Key(0.0, 0, 86400,
        says="How long UEs have been on their way in sub-frame 0, which is one second before the traffic")
    load: float = Key(0.5, 0, 1,
        says="Share of the time for which the other eNBs send; it scales their power, which is interference in the "
             "downlink. Our own. Crowds do not change it")
    fading: bool = Key(True,
        says="Multipath fading, with draws of its own for each link, by Extended Pedestrian A of TS 36.104 or by "
             "`fading_profile`. It belongs to places, so it changes as fast as the UE moves; with `granularity_ms: 1` "
             "it is followed up to some 30 m/s")
    fading_profile: Literal["epa", "tdl_a", "tdl_b", "tdl_c", "tdl_d", "tdl_e"] = Key("epa",
        exclude_if=lambda name: name == "epa",
        says="Which copies of the signal there are: `epa`: Extended Pedestrian A; the others are those of TR 38.901 "
             "Tables 7.7.2-1 to 7.7.2-5, of which `tdl_d` and `tdl_e` have line of sight")
    delay_spread_ns: float = Key(100.0, 1, 5000, exclude_if=lambda spread: spread == 100.0,
        says="RMS delay spread that `tdl_a` to `tdl_e` are scaled to. 100 ns is \"nominal\" in TR 38.901 Table 7.7.3-1")
    shadowing_sigma_db: float = Key(6.0, 0, 20,
        says="Standard deviation of the shadowing. TR 36.814 Table B.1.2.1-1, Urban Macro without line of sight")
    shadowing_decorrelation_m: float = Key(50.0, 0.1, 1000,
        says="Distance over which the correlation of shadowing falls to 1/e. TR 36.814 Table A.2.1.1-2")
    site_correlation: float = Key(0.5, 0, 1,
        says="Correlation of shadowing between eNBs. TR 36.814 Table A.2.1.1-2")
    shadowing: Literal["given", "tr38901"] = Key("given", exclude_if=lambda how: how == "given",
        says="`given`: shadowing has the deviation, distance and correlation beside this key, and a map for each UE; "
             "`tr38901`: those of the path loss model with and without line of sight (TR 38.901 Tables 7.4.1-1, "
             "7.5-6), 3 to 8 dB and 6 to 120 m, independent between eNBs and the same for all UEs")
    interferers: list[tuple[Metres, Metres]] = Key([], max_length=18, exclude_if=lambda places: not places,
        says="Positions of further eNBs, which serve nobody: they send with `load` as the others do")
    rx_antennas: int = Key(1, 1, 8, exclude_if=lambda antennas: antennas == 1,
        says="Receive antennas of a UE, and of an eNB, each with fading of its own; the receiver adds up their SINRs "
             "(maximum ratio combining). TS 36.101 7.2 and TS 38.101-1 7.2 require two of a UE, or four in the bands "
             "of 5G from 2.5 GHz on")
    beam_gain_db: float = Key(0.0, 0, 40, exclude_if=lambda gain: gain == 0.0,
        says="What the beam of an eNB's array adds for its own UE in both directions; what other UEs hear of it comes "
             "without. 10 log10 of the elements, 18 dB for 64, where `link.enb_gain_dbi` is the gain of one, 8 dBi in "
             "TR 38.901 Table 7.3-1")
    beams: Beams | None = Key(None, exclude_if=unset,
        says="Beams that point where they point, ways around corners by which a UE hears them, and what happens when "
             "another one is better or none is left. With `radio.system: nr` and path loss `uma_38901`, `umi_38901` or "
             "`rma_38901`; null: a beam points at each UE all the time")
    load_users: int | None = Key(None, 1, 100, exclude_if=unset,
        says="How many UEs each other eNB sends to: what they have to receive comes and goes, and with it the "
             "interference. Each is busy for some time, and idle for so long that `load` is the mean. All UEs hear the "
             "same. null: the load is constant. Our own")
    load_busy_ms: Milliseconds = Key(_LOAD_BUSY_MS, 10, 600000, exclude_if=lambda busy_ms: busy_ms == _LOAD_BUSY_MS,
        says="How long one of these UEs is busy, on average; the times are exponential. With `load_users` only. Our "
             "own")

    def check(self, loss: str, granularity_ms: int, standing: Collection[str], ues: Mapping[str, Any],
              enbs: Sequence[str]) -> None:
        """Whether it fits the rest of the channel, and the scenario's UEs and eNBs.

        Args:
            loss: model of the path loss.
            standing: UEs with a position.

        Raises:
            ValueError: with key, value and what is allowed.
        """
        self._check_shadowing(loss)
        self._check_beams(loss)
        if self.load_users is None and self.load_busy_ms != _LOAD_BUSY_MS:
            raise ValueError(f"key 'radio.channel.route.load_busy_ms': value {self.load_busy_ms}: it is of load_users; "
                             "set this, or remove the key")
        for name in enbs:
            if name not in self.enbs:
                raise ValueError(f"key 'radio.channel.route.enbs.{name}': missing; give [x, y] in metres")
        for name in self.enbs:
            known(f"radio.channel.route.enbs.{name}", name, dict.fromkeys(enbs))
        for name in self.tracks:
            known(f"radio.channel.route.tracks.{name}", name, dict.fromkeys(ues))
        for name, ue in ues.items():
            if ue.peer in ues:
                raise ValueError(f"key 'radio.ues.{name}.peer': value {ue.peer}: radio.channel.model route has no "
                                 "direct links; name an eNB")
            if (name in self.tracks) == (name in standing):
                state = "given twice" if name in standing else "missing"
                raise ValueError(f"key 'radio.channel.route.tracks.{name}': {state}; give either this or "
                                 f"radio.channel.positions.{name}")
        if _MEASUREMENT_MS % granularity_ms:
            raise ValueError(f"key 'radio.channel.granularity_ms': value {granularity_ms}: model route measures "
                             f"every {_MEASUREMENT_MS} ms; allowed divisors of {_MEASUREMENT_MS}")

    def _check_shadowing(self, loss: str) -> None:
        if self.shadowing != "tr38901":
            return
        if loss == "uma":
            raise ValueError("key 'radio.channel.route.shadowing': value tr38901: path_loss.model uma has no such "
                             f"table; allowed {OF_TR38901} (TR 38.901 Table 7.4.1-1)")
        for key in _GIVEN_SHADOWING:
            if key in self.model_fields_set:
                raise ValueError(f"key 'radio.channel.route.{key}': value {getattr(self, key):g}: shadowing tr38901 "
                                 "takes it from TR 38.901 Table 7.4.1-1; remove the key, or set shadowing: given")

    def _check_beams(self, loss: str) -> None:
        if self.beams is None:
            return
        from cellbed_channel.clusters import MODELS

        if loss not in MODELS:
            raise ValueError(f"key 'radio.channel.route.beams': path_loss.model {loss} has no angles; allowed "
                             f"{', '.join(MODELS)} (TR 38.901 Table 7.5-6)")
