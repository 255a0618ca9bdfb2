# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways of UEs, from files of waypoints: GPX, or CSV with a line for each.

    t_s,lat,lon          x_m,y_m            x_m,y_m,speed_mps
    0,44.4939,11.3428    0,0                0,0,8.3
    60,44.4961,11.3501   1200,35            1200,35,13.9

Places are in metres, or in degrees around an origin. When each is reached is said by `t_s` (in GPX by `time`), by
`speed_mps`, the speed from a waypoint to the next, or by one speed for all of the way. Between waypoints a UE goes
straight on; before the first and after the last one it stays there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from cellbed_formats import named_file

from .error import FileError, ParameterError
from .table import Line, check_names, lines

EARTH_M = 6_371_008.8  # mean radius
FILE_MAX = 32 << 20  # bytes
POINTS_MAX = 100_000
_PLACES = {"x_m": (-1e6, 1e6), "y_m": (-1e6, 1e6), "lat": (-90.0, 90.0), "lon": (-180.0, 180.0)}
_TIMES = {"t_s": (0.0, 1e9), "speed_mps": (0.01, 200.0)}
# Kinds of points in GPX: a track's, a route's, and lone ones; the first kind that is there counts.
_KINDS = ("trkpt", "rtept", "wpt")


@dataclass(frozen=True)
class Waypoint:
    """As a file has it: x and y in metres or, with `degrees`, latitude and longitude; where it is in the file."""

    place: tuple[float, float]
    t_s: float | None
    speed_mps: float | None
    line: int


@dataclass(frozen=True)
class Track:
    """A way in the plane: times from 0 on, which increase, places, and how far each is along the way."""

    t_s: np.ndarray
    places: np.ndarray
    way_m: np.ndarray

    def positions(self, t_s: np.ndarray) -> np.ndarray:
        """(n, 2) metres."""
        return np.column_stack([np.interp(t_s, self.t_s, self.places[:, axis]) for axis in range(2)])

    def travelled_m(self, t_s: np.ndarray) -> np.ndarray:
        """How far along the way."""
        return np.interp(t_s, self.t_s, self.way_m)


def standing(place: tuple[float, float]) -> Track:
    """A way that leads nowhere."""
    return Track(np.zeros(1), np.array([place], dtype=float), np.zeros(1))


def read(path: Path, origin: Sequence[float] | None, speed_mps: float) -> Track:
    """A way from its file.

    Args:
        path: ends with .gpx, otherwise it is CSV.
        origin: latitude and longitude of (0, 0), for places in degrees.
        speed_mps: where the file says neither times nor speeds.

    Raises:
        FileError: with file, line and what is wrong.
        ParameterError: places in degrees, and no origin.
    """
    gpx = path.suffix.lower() == ".gpx"
    degrees, points = (True, _read_gpx(path)) if gpx else _read_csv(path)
    if not points:
        raise FileError(path, f"no waypoints: allowed 1..{POINTS_MAX}")
    if len(points) > POINTS_MAX:
        raise FileError(path, f"{len(points)} waypoints: allowed 1..{POINTS_MAX}")
    places = np.array([point.place for point in points])
    if degrees:
        if origin is None:
            raise ParameterError("route.origin", None, f"[latitude, longitude], as {path.name} has places in degrees")
        places = _plane(places, origin)
    step_m = np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1))
    t_s = _times(path, points, step_m, speed_mps)
    kept = np.concatenate([[True], np.diff(t_s) > 0])  # of one time the first
    return Track(t_s[kept] - t_s[0], places[kept], np.concatenate([[0.0], np.cumsum(step_m)])[kept])


def _plane(degrees: np.ndarray, origin: Sequence[float]) -> np.ndarray:
    """Metres east and north of the origin: equirectangular, within 0.1 % for some 20 km."""
    north = np.radians(degrees[:, 0] - origin[0]) * EARTH_M
    east = np.radians(degrees[:, 1] - origin[1]) * EARTH_M * math.cos(math.radians(origin[0]))
    return np.column_stack([east, north])


def _times(path: Path, points: Sequence[Waypoint], step_m: np.ndarray, speed_mps: float) -> np.ndarray:
    """When each waypoint is reached."""
    timed = [point for point in points if point.t_s is not None]
    if timed and len(timed) < len(points):
        other = next(point for point in points if point.t_s is None)
        raise FileError(path, "waypoint without a time: allowed times of all waypoints or of none", other.line)
    if not timed:
        speeds = [point.speed_mps or speed_mps for point in points[:-1]]
        return np.concatenate([[0.0], np.cumsum(step_m / np.array(speeds))]) if speeds else np.zeros(1)
    t_s = np.array([point.t_s for point in points])
    late = np.flatnonzero(np.diff(t_s) < 0)
    if len(late):
        raise FileError(path, "time before that of the waypoint before: allowed times that do not go back",
                        points[late[0] + 1].line)
    return t_s


def _read_csv(path: Path) -> tuple[bool, list[Waypoint]]:
    columns: list[str] = []

    def check(found: Sequence[str]) -> None:
        check_names(path, found, [*_PLACES, *_TIMES])
        if {"x_m", "y_m"} & set(found) and {"lat", "lon"} & set(found):
            raise FileError(path, "places in metres and in degrees: allowed one of them", 1)
        if {"t_s", "speed_mps"} <= set(found):
            raise FileError(path, "columns 't_s' and 'speed_mps': both there: allowed one of them", 1)
        degrees = bool({"lat", "lon"} & set(found))
        check_names(path, found, [*_PLACES, *_TIMES], ("lat", "lon") if degrees else ("x_m", "y_m"))
        columns.extend(found)

    rows = lines(path, check)
    place = ("lat", "lon") if "lat" in columns else ("x_m", "y_m")
    return place[0] == "lat", [_waypoint(row, place, columns) for row in rows]


def _waypoint(row: Line, place: tuple[str, str], columns: Sequence[str]) -> Waypoint:
    time = {name: row.needed(name, *limits) for name, limits in _TIMES.items() if name in columns}
    return Waypoint((row.needed(place[0], *_PLACES[place[0]]), row.needed(place[1], *_PLACES[place[1]])),
                    time.get("t_s"), time.get("speed_mps"), row.number)


class _Gpx:
    """Waypoints of a GPX file, by kind. A document type is refused, and with it entities that grow."""

    def __init__(self, path: Path) -> None:
        self.path, self.points = path, {kind: list[Waypoint]() for kind in _KINDS}
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.open: tuple[str, tuple[float, float], int] | None = None  # kind, place and line of the point
        self.time: str | None = None  # its text, once it has begun
        self.within_time = False

    def wrong(self, problem: str) -> FileError:
        return FileError(self.path, problem, self.parser.CurrentLineNumber)

    def _refuse(self, *_: Any) -> None:
        raise self.wrong("document type: allowed none in GPX")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition(" ")[2]
        if tag in _KINDS:
            self.open = tag, (self._degrees(attributes, "lat"), self._degrees(attributes, "lon")), \
                self.parser.CurrentLineNumber
            self.time = None
        self.within_time = tag == "time" and self.open is not None
        if self.within_time:
            self.time = ""

    def _degrees(self, attributes: dict[str, str], name: str) -> float:
        low, high = _PLACES[name]
        text = attributes.get(name, "")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise self.wrong(f"{name} '{text[:40]}': allowed {low:g}..{high:g}")
        return value

    def _text(self, text: str) -> None:
        if self.within_time and self.time is not None:
            self.time += text

    def _end(self, name: str) -> None:
        tag = name.rpartition(" ")[2]
        self.within_time = False
        if tag in _KINDS and self.open is not None:
            kind, place, line = self.open
            self.points[kind].append(Waypoint(place, self._seconds(), None, line))
            self.open = None

    def _seconds(self) -> float | None:
        if self.time is None:
            return None
        try:
            when = datetime.fromisoformat(self.time.strip())
            return when.timestamp() if when.tzinfo else datetime.fromisoformat(f"{self.time.strip()}+00:00").timestamp()
        except (ValueError, OverflowError):
            raise self.wrong(f"time '{self.time.strip()[:40]}': allowed times such as 2026-05-01T12:00:00Z") from None


def _read_gpx(path: Path) -> list[Waypoint]:
    reader = _Gpx(path)
    try:
        data = named_file.content(path, FILE_MAX)
    except OSError as error:
        raise FileError(path, error.strerror or "unreadable") from error
    try:
        reader.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FileError(path, f"not XML: {expat.ErrorString(error.code)}", error.lineno) from error
    return next((points for points in reader.points.values() if points), [])
