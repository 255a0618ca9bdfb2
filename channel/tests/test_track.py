# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of waypoints: what they say is where a UE is, and what is wrong is one line."""

import math

import numpy as np
import pytest

from cellbed_channel import track
from cellbed_channel.error import FileError, ParameterError

ORIGIN = (52.0, 5.0)
GPX = '<?xml version="1.0"?>\n<gpx xmlns="http://www.topografix.com/GPX/1/1">\n{}\n</gpx>\n'


@pytest.fixture
def way(tmp_path):
    def read(name, text, origin=ORIGIN, speed_mps=10.0):
        (tmp_path / name).write_text(text)
        return track.read(tmp_path / name, origin, speed_mps)

    return read


def points(*rows, kind="trkpt"):
    """A GPX file of (latitude, longitude, time)."""
    return GPX.format("\n".join(f'<{kind} lat="{lat}" lon="{lon}">{f"<time>{t}</time>" if t else ""}</{kind}>'
                                for lat, lon, t in rows))


def test_one_speed_for_the_way(way):
    found = way("a.csv", "x_m,y_m\n0,0\n30,40\n30,100\n")
    assert list(found.t_s) == [0, 5, 11]
    assert found.positions(np.array([-1, 2.5, 5, 8, 99])).tolist() == [[0, 0], [15, 20], [30, 40], [30, 70], [30, 100]]
    assert found.travelled_m(np.array([2.5, 11])).tolist() == [25, 110]


def test_speeds_between_waypoints(way):
    assert list(way("a.csv", "y_m,speed_mps,x_m\n0,10,0\n0,20,100\n0,1,300\n").t_s) == [0, 10, 20]


def test_times_of_waypoints_count_from_the_first(way):
    found = way("a.csv", "t_s,x_m,y_m\n100,0,0\n100,5,0\n110,50,0\n")  # of one time the first
    assert found.t_s.tolist() == [0, 10]
    assert found.positions(np.array([5.0])).tolist() == [[25, 0]]


def test_degrees_around_an_origin(way):
    """A minute of latitude is 1853 m on a sphere of 6371 km, one of longitude as much times the cosine of 52."""
    minute_m = math.radians(1 / 60) * track.EARTH_M
    found = way("a.csv", f"lat,lon\n52,5\n{52 + 1 / 60},5\n52,{5 + 1 / 60}\n")
    assert found.places == pytest.approx(np.array([[0, 0], [0, minute_m], [minute_m * math.cos(math.radians(52)), 0]]))
    assert minute_m == pytest.approx(1853.2, abs=0.1)


@pytest.mark.parametrize("times", [("2026-05-01T12:00:00Z", "2026-05-01T12:01:00Z"),
                                   ("2026-05-01T14:00:00.5+02:00", "2026-05-01T12:01:00.500Z"),
                                   ("2026-05-01T12:00:00", "2026-05-01T12:01:00")])
def test_a_gpx_track_with_times(way, times):
    found = way("a.GPX", points((52, 5, times[0]), (52.001, 5, times[1])))
    assert found.t_s.tolist() == [0, 60]
    assert found.places[1].tolist() == pytest.approx([0, 111.195], abs=0.001)


@pytest.mark.parametrize("kind", ["trkpt", "rtept", "wpt"])
def test_points_of_gpx_without_times(way, kind):
    assert way("a.gpx", points((52, 5, ""), (52.001, 5, ""), kind=kind)).t_s.tolist() == pytest.approx([0, 11.12], 1e-3)


def test_a_track_counts_before_lone_points(way):
    mixed = points((52, 5, ""), (52.001, 5, "")).replace("</gpx>", '<wpt lat="10" lon="10"/></gpx>')
    assert len(way("a.gpx", mixed).t_s) == 2


def test_one_waypoint_is_a_place(way):
    assert way("a.csv", "x_m,y_m\n3,4\n").positions(np.array([0.0, 9.0])).tolist() == [[3, 4], [3, 4]]


@pytest.mark.parametrize(("text", "message"), [
    ("", ":1: column 'x_m': missing"), ("x_m,y_m\n", "no waypoints: allowed 1..100000"),
    ("x_m\n1\n", ":1: column 'y_m': missing"), ("lat\n1\n", ":1: column 'lon': missing"),
    ("x_m,y_m,z_m\n", ":1: column 'z_m': unknown: allowed x_m, y_m, lat, lon, t_s, speed_mps"),
    ("x_m,lon\n", ":1: places in metres and in degrees"),
    ("x_m,y_m,t_s,speed_mps\n", ":1: columns 't_s' and 'speed_mps': both there"),
    ("x_m,y_m\n1,\n", ":2: column 'y_m': value '': allowed -1e+06..1e+06"),
    ("lat,lon\n91,0\n", ":2: column 'lat': value '91': allowed -90..90"),
    ("x_m,y_m\n1,nan\n", ":2: column 'y_m': value 'nan'"), ("x_m,y_m\n1,2,3\n", ":2: 3 cells: allowed 2"),
    ("x_m,y_m,speed_mps\n1,2,0\n", ":2: column 'speed_mps': value '0': allowed 0.01..200"),
    ("x_m,y_m,t_s\n1,2,5\n1,2,4\n", ":3: time before that of the waypoint before"),
    ('x_m,y_m\n1,"2\n', "not CSV"),
])
def test_wrong_tables(way, text, message):
    with pytest.raises(FileError) as error:
        way("a.csv", text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("text", "message"), [
    ("<gpx><trkpt lat='52' lon='5'>", "not XML: no element found"), ("\0", "not XML"), ("", "not XML"),
    (points(), "no waypoints: allowed 1..100000"),
    (points((91, 5, "")), ":3: lat '91': allowed -90..90"), (points((52, "east", "")), ":3: lon 'east': allowed"),
    ("<gpx><trkpt lat='52'/></gpx>", ":1: lon '': allowed -180..180"),
    (points((52, 5, "noon")), ":3: time 'noon': allowed times such as"),
    (points((52, 5, "2026-05-01T12:00:00Z"), (52, 5, "")), ":4: waypoint without a time"),
    (points((52, 5, "2026-05-01T12:00:00Z"), (52, 5, "2026-05-01T11:00:00Z")), ":4: time before that of the waypoint"),
    ('<!DOCTYPE gpx [<!ENTITY a "b">]><gpx>&a;</gpx>', ":1: document type: allowed none in GPX"),
])
def test_wrong_gpx(way, text, message):
    with pytest.raises(FileError) as error:
        way("a.gpx", text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_no_file(tmp_path):
    for name in ("none.gpx", "none.csv"):
        with pytest.raises(FileError, match="No such file"):
            track.read(tmp_path / name, ORIGIN, 1)


def test_degrees_need_an_origin(way):
    with pytest.raises(ParameterError, match=r"route.origin: value null: allowed \[latitude, longitude\]"):
        way("a.csv", "lat,lon\n52,5\n", origin=None)
