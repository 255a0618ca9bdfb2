# SPDX-License-Identifier: GPL-2.0-or-later
"""A satellite's delay: distances of the standard, and what holds of any pass."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cellbed.error import ScenarioError
from cellbed.run import radio_config, satellite
from cellbed.scenario.description import expand

ROOT = Path(__file__).parents[3]

LEO = {"orbit": "leo", "altitude_km": 550, "elevation_deg": 25, "gateway_km": 300, "slot_s": 15, "detach_ms": 0}
PAIRS = 2


def read(trace):
    return trace[::PAIRS], trace[1::PAIRS]


@pytest.mark.parametrize(("altitude_km", "slant_km"), [(600, 1932), (1200, 3131), (35786, 40581)])
def test_a_satellite_ten_degrees_above_the_horizon_is_as_far_as_the_standard_says(altitude_km, slant_km):
    """Source: TR 38.821 Table 4.2-2"""
    radius_km = satellite.EARTH_KM + altitude_km
    assert satellite.slant_km(radius_km, satellite._angle(radius_km, 10)) == pytest.approx(slant_km, rel=0.001)


def test_geostationary_delay_is_that_of_the_standard():
    """541.46 ms there and back. Source: TR 38.821 Table 4.2-2"""
    times, delays_us = read(satellite.delays({"orbit": "geo", "elevation_deg": 10}, 1))
    assert times == [0, 1000] and 2 * delays_us[0] == pytest.approx(541_460, rel=0.001)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), altitude_km=st.integers(400, 1500), elevation_deg=st.integers(10, 35),
       gateway_km=st.integers(0, 400), slot_s=st.integers(1, 30), detach_ms=st.integers(0, 900))
def test_any_pass_stays_within_what_its_elevation_allows(seed, **drawn):
    keys = {"orbit": "leo", **drawn}
    altitude_km, elevation_deg, slot_s, detach_ms = (
        drawn[key] for key in ("altitude_km", "elevation_deg", "slot_s", "detach_ms"))
    trace = satellite.delays(keys, seed)
    assert trace == satellite.delays(keys, seed)
    times, delays_us = read(trace)
    assert times == sorted(set(times)) and times[-1] == satellite.SLOTS * slot_s * 1000
    radius_km = satellite.EARTH_KM + altitude_km
    low_us = 2 * altitude_km / satellite.LIGHT_KM_S * 1e6
    high_us = 2 * satellite.slant_km(radius_km, satellite._angle(radius_km, elevation_deg)) / satellite.LIGHT_KM_S * 1e6
    for t_ms, delay_us in zip(times[:-1], delays_us[:-1], strict=True):
        held_us = max(detach_ms - t_ms % (slot_s * 1000), 0) * 1000
        assert low_us - 1 <= delay_us - held_us <= high_us + 1
    # Between two changes it drifts; nothing that leaves later is there before by more than what a step takes.
    slots = [t // (slot_s * 1000) for t in times]
    drift_us = [delays_us[n + 1] - delays_us[n] for n, t in enumerate(times[:-2])
                if slots[n] == slots[n + 1] and t % (slot_s * 1000) >= detach_ms]
    assert all(abs(step) < 8 * satellite.STEP_MS for step in drift_us)  # 8 km/s, both legs


def test_another_seed_has_other_satellites():
    assert satellite.delays(LEO, 1) != satellite.delays(LEO, 2)


@pytest.mark.parametrize(("keys", "message"), [
    ("{orbit: geo, slot_s: 15}", "satellite.slot_s': orbit geo has none; remove it, or choose orbit leo"),
    ("{orbit: leo, altitude_km: 50}", "value 50: allowed 160..2000"),
    ("{orbit: leo, elevation_deg: 80, altitude_km: 160}", "'radio.constant_rate.satellite': no satellite at 160 km"),
    ("{orbit: meo}", "satellite.orbit': value meo: allowed leo, geo")])
def test_bad_keys_are_one_line(tmp_path, keys, message):
    text = (ROOT / "scenarios/links/leo.yaml").read_text()
    begin, _, rest = text.partition("    satellite:\n")
    (tmp_path / "s.yaml").write_text(f"{begin}    satellite: {keys}\n  ues:{rest.partition('  ues:')[2]}")
    with pytest.raises(ScenarioError) as refused:
        expand(tmp_path / "s.yaml")
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_the_daemon_gets_the_delays_of_the_runs_seed(tmp_path):
    _, (run,) = expand(ROOT / "scenarios/links/leo.yaml")
    for seed in (1, 2):
        cell = radio_config.daemon(run.settings, tmp_path, seed, [], False, 0, {})["cell"]["constant_rate"]
        wanted = satellite.delays(run.settings["radio"]["constant_rate"]["satellite"], seed)
        assert cell["uplink_delays"] == cell["downlink_delays"] == wanted and "satellite" not in cell


def test_where_nobody_sees_one_it_is_said():
    with pytest.raises(ValueError, match=r"no satellite at 160 km stands 80 degrees high .* for 15 s; allowed a lower"):
        satellite.delays({**LEO, "altitude_km": 160, "elevation_deg": 80}, 1)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), altitude_km=st.integers(160, 2000), elevation_deg=st.integers(5, 85),
       gateway_km=st.integers(0, 1500), slot_s=st.integers(1, 600))
def test_whether_there_are_satellites_does_not_hang_on_the_seed(seed, **drawn):
    keys = {"orbit": "leo", **drawn, "detach_ms": 0}
    try:
        satellite.check(keys)
    except ValueError as refused:
        assert "no satellite at" in str(refused)
    else:
        assert len(satellite.delays(keys, seed)) > 2 * satellite.SLOTS
