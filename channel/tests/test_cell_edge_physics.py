# SPDX-License-Identifier: GPL-2.0-or-later
"""The parts of the cell-edge channel against points computed by hand and against theory; every seed is fixed."""

import math

import numpy as np
import pytest

from cellbed_channel import cqi, effective, fading, layout, link, mobility, path_loss, shadowing
from cellbed_channel.error import ParameterError

CANYON = path_loss.StreetCanyon()


def at(*values):
    return np.array(values, dtype=float)


# By hand, 2.1 GHz, 30 m and 1.5 m: wavelength 0.142758 m, 4 * 45 / 0.142758 = 1260.87 m,
#   20 log(8 pi 45 / 0.142758^2) = 20 log 55495 = 94.885 dB
def test_breakpoint_of_p1411():
    assert CANYON.breakpoint_m() == pytest.approx(1260.87, abs=0.01)
    assert CANYON.breakpoint_loss_db() == pytest.approx(94.885, abs=0.001)


# 20 and 25 dB a decade before the breakpoint: log(100 / 1260.87) = -1.10067; 40 dB after it: log(2521.74 / ...) = log 2
@pytest.mark.parametrize(("metres", "lower", "upper"), [
    (100, 72.871, 87.368), (1260.87, 94.885, 114.885), (2521.74, 106.926, 126.926)])
def test_bounds_of_p1411(metres, lower, upper):
    found = CANYON.bounds_db(at(metres))
    assert (found[0][0], found[1][0]) == pytest.approx((lower, upper), abs=0.002)


def test_the_lower_bound_is_6_db_below_free_space():
    """Up to the breakpoint it is 20 log(2 pi d / wavelength), free space has 4 pi."""
    free = 20 * math.log10(4 * math.pi * 300 / 0.142758)
    assert CANYON.bounds_db(at(300))[0][0] == pytest.approx(free - 20 * math.log10(2), abs=0.001)


def test_loss_of_p1411_is_the_mean_over_the_slant():
    """98.0 m along the ground and 28.5 m up: 102.06 m; (73.048 + 87.590) / 2."""
    assert CANYON.loss_db(at(98.0))[0] == pytest.approx(80.319, abs=0.002)
    assert np.isfinite(CANYON.loss_db(at(0.0))[0])


def test_two_rings_of_sites():
    sites = layout.Layout().sites()
    distances = np.sort(np.hypot(*sites.T))
    assert distances == pytest.approx([0] + [500] * 6 + [866.025] * 6 + [1000] * 6, abs=0.001)
    assert tuple(sites[0]) == (0, 0)
    assert len(layout.Layout(tiers=0).sites()) == 1


def test_three_sectors_half_a_metre_from_their_site():
    positions, azimuth_deg, site = layout.Layout().cells()
    assert len(positions) == 57
    assert positions[:3] == pytest.approx(np.array([(0.5, 0), (-0.25, 0.4330), (-0.25, -0.4330)]), abs=1e-4)
    assert list(azimuth_deg[:4]) == [0, 120, -120, 0]
    assert list(site[:4]) == [0, 0, 0, 1]


# 12 (angle / 70)^2, at most 20
@pytest.mark.parametrize(("angle", "gain"), [(0, 0), (35, -3), (-35, -3), (70, -12), (90.37, -20), (180, -20),
                                             (325, -3), (-395, -3)])
def test_parabolic_pattern(angle, gain):
    assert layout.Parabolic().gain_db(at(angle))[0] == pytest.approx(gain, abs=0.001)


LINKS = [fading.Taps(7, f"test/{number}", fading.doppler_hz(3 / 3.6, 2.1)) for number in range(120)]
DOPPLER = 5.8373  # 0.83333 m/s * 2.1 GHz / c


def test_doppler():
    assert fading.doppler_hz(3 / 3.6, 2.1) == pytest.approx(DOPPLER, abs=1e-4)


def test_the_profile_of_epa():
    """By hand: 1, 0.7943, 0.6310, 0.5012, 0.1585, 0.0191, 0.0083 of 3.1123; rms delay spread about 43 ns."""
    powers = fading.tap_powers()
    assert powers.sum() == pytest.approx(1)
    assert powers[0] == pytest.approx(1 / 3.1123, abs=1e-5)
    assert powers[6] == pytest.approx(0.0083 / 3.1123, abs=1e-5)
    delays = at(*(ns for ns in fading.EPA.delays_ns))
    assert math.sqrt(powers @ delays**2 - (powers @ delays) ** 2) == pytest.approx(43, abs=1)


def test_taps_have_mean_power_1_and_no_mean():
    taps = np.stack([one.at(0, 60_000, 0.001) for one in LINKS[:20]])
    assert (np.abs(taps) ** 2).mean() == pytest.approx(1, abs=0.02)
    assert abs(taps.mean()) < 0.02


@pytest.fixture(scope="module")
def waves():
    """Of each link, at times that are 0.2 apart when 2 pi fd is the unit."""
    return np.stack([one.at(0, 1200, 0.2 / (2 * math.pi * DOPPLER)) for one in LINKS])


# J0 as tables of Bessel functions have it, near its first zero, its least and its next maximum
@pytest.mark.parametrize(("argument", "bessel"), [(0.0, 1.0), (1.0, 0.7652), (2.4, 0.0025), (3.8, -0.4026),
                                                  (7.0, 0.3001)])
def test_autocorrelation_is_j0(waves, argument, bessel):
    """Over draws: exact but for the number of draws, 840 taps at four times, which are far from each other."""
    first = np.array([0, 250, 585, 1150])
    found = waves[:, first + round(argument / 0.2)] * waves[:, first].conj()
    assert found.mean().real == pytest.approx(bessel, abs=0.04)
    assert abs(found.mean().imag) < 0.04


def test_doppler_spectrum():
    """|f| of fd cos(angle): below x fd with probability 2/pi asin x, nothing beyond fd."""
    taps = np.stack([one.at(0, 1 << 16, 0.001) for one in LINKS[:30]])
    power = (np.abs(np.fft.fft(taps, axis=1)) ** 2).mean(axis=(0, 2))
    frequency = np.abs(np.fft.fftfreq(1 << 16, 0.001))
    power /= power.sum()
    assert power[frequency > DOPPLER * 1.02].sum() < 0.01
    for x in (0.25, 0.5, 0.75, 0.9):
        assert power[frequency < x * DOPPLER].sum() == pytest.approx(2 / math.pi * math.asin(x), abs=0.02)


@pytest.fixture(scope="module")
def taps():
    """Of each link at 80 times half a second apart, which is several coherence times."""
    return np.stack([one.at(0, 80, 0.5) for one in LINKS])


def test_a_tap_is_rayleigh(taps):
    """P(|h|^2 < x) = 1 - exp(-x), within what 24 waves leave."""
    power = np.abs(taps) ** 2
    for x in (0.05, 0.1, 0.5, 1.0, 2.0, 3.0):
        assert (power < x).mean() == pytest.approx(1 - math.exp(-x), abs=0.012)
    phase = np.angle(taps)
    assert np.histogram(phase, 8, (-math.pi, math.pi))[0] / phase.size == pytest.approx(np.full(8, 1 / 8), abs=0.01)


def test_taps_are_independent(taps):
    several = np.concatenate(taps)
    correlation = np.abs(several.conj().T @ several) / len(several)
    assert np.max(correlation - np.diag(np.diag(correlation))) < 0.05


def test_frequency_selectivity(taps):
    """Correlation over blocks is the transform of the power delay profile: sum of p exp(-j 2 pi f tau)."""
    blocks = np.concatenate(taps) @ fading.response(50)
    assert (np.abs(blocks) ** 2).mean() == pytest.approx(1, abs=0.02)
    delay_s = at(*(ns for ns in fading.EPA.delays_ns)) * 1e-9
    for apart in (1, 10, 25, 49):
        found = (blocks[:, apart] * blocks[:, 0].conj()).mean()
        wanted = fading.tap_powers() @ np.exp(-2j * math.pi * delay_s * apart * link.RB_HZ)
        assert abs(found - wanted) < 0.04


def test_fading_has_no_seams():
    whole = LINKS[0].at(0, 1000, 0.001)
    cut = np.concatenate([LINKS[0].at(0, 300, 0.001), LINKS[0].at(300, 700, 0.001)])
    assert np.abs(cut - whole).max() < 1e-12
    assert np.array_equal(fading.Taps(7, "test/0", DOPPLER).phase, LINKS[0].phase)
    assert not np.array_equal(LINKS[1].phase, LINKS[0].phase)


def test_shadowing_is_normal_and_correlated():
    places = np.column_stack([np.tile(np.linspace(0, 950, 20), 2), np.repeat([0.0, 50.0], 20)])
    fields = np.stack([shadowing.field(seed, "x", places, 50.0) for seed in range(400)])
    assert fields.mean() == pytest.approx(0, abs=0.05)
    assert fields.var() == pytest.approx(1, abs=0.05)
    assert (np.abs(fields) < 1).mean() == pytest.approx(0.6827, abs=0.02)
    for steps in (1, 2):  # 50 m each
        along = (fields[:, :20][:, steps:] * fields[:, :20][:, :-steps]).mean()
        assert along == pytest.approx(math.exp(-steps), abs=0.05)
    assert (fields[:, :20] * fields[:, 20:]).mean() == pytest.approx(math.exp(-1), abs=0.05)


def test_shadowing_of_sites():
    loss = np.stack([shadowing.loss_db(seed, "ue1", at((0, 0)).reshape(1, 2), 3, 2.0, 50.0, 0.5)[0]
                     for seed in range(600)])
    assert loss.std() == pytest.approx(2.0, abs=0.1)
    assert np.corrcoef(loss[:, 0], loss[:, 1])[0, 1] == pytest.approx(0.5, abs=0.08)
    assert not shadowing.loss_db(1, "ue1", np.zeros((4, 2)), 3, 0.0, 50.0, 0.5).any()


def test_a_walk_stays_in_its_box_and_at_its_speed():
    t_s = np.arange(0, 120, 0.01)
    places = mobility.BoxWalk(3, "ue1", (160.0, 0.0), 20.0, 3 / 3.6).positions(t_s)["ue1"]
    assert tuple(places[0]) == (160, 0)
    assert np.abs(places - at(160, 0)).max() <= 10
    step = np.hypot(*np.diff(places, axis=0).T)
    assert step.max() <= 3 / 3.6 * 0.01 + 1e-9
    assert np.median(step) == pytest.approx(3 / 3.6 * 0.01)
    again = mobility.BoxWalk(3, "ue1", (160.0, 0.0), 20.0, 3 / 3.6).positions(t_s[:500])["ue1"]
    assert np.array_equal(again, places[:500])
    with pytest.raises(ParameterError, match="cell_edge.box_m: value 0: allowed more than 0"):
        mobility.BoxWalk(3, "ue1", (0.0, 0.0), 0, 1)


def test_a_walk_visits_all_of_its_box():
    places = mobility.BoxWalk(3, "ue1", (0.0, 0.0), 20.0, 1.0, 5.0).positions(
        np.arange(0, 40_000, 0.5))["ue1"]
    share = np.histogram2d(*places.T, bins=4, range=[(-10, 10)] * 2)[0] / len(places)
    assert share == pytest.approx(np.full((4, 4), 1 / 16), abs=0.02)


# Capacity of binary input over Gaussian noise of variance 1, bits: 0.4859 at 0 dB; QPSK has one in each dimension.
def test_information_of_qpsk():
    assert effective.information(2, at(0, -100, 40)) == pytest.approx([0.4859, 0, 1], abs=1e-4)


@pytest.mark.parametrize("bits", [2, 4, 6])
def test_information_rises_to_1_below_the_capacity(bits):
    db = np.arange(-20, 40, 1.0)
    found = effective.information(bits, db)
    assert np.all(np.diff(found) >= -1e-12)
    assert found[-1] == pytest.approx(1)
    assert np.all(found * bits <= np.log2(1 + 10 ** (db / 10)) + 1e-9)


def test_alike_blocks_have_their_own_sinr():
    for sinr_db in (-10.0, -3.37, 0.0, 8.21):
        found = effective.effective_db(np.full((1, 50), 10 ** (sinr_db / 10)), (1, 4, 7, 15))
        assert found == pytest.approx(np.full((1, 4), sinr_db), abs=0.011)


def test_two_blocks_by_hand():
    """CQI 14, beta 1, 64QAM: the information at the effective SINR is the mean of 0.52809 and 0.96691."""
    low, high = effective.information(6, at(10, 20))
    assert (low, high) == pytest.approx((0.52809, 0.96691), abs=1e-5)
    found = effective.effective_db(at(10, 100)[None, :], (14,))[0, 0]
    assert effective.information(6, at(found))[0] == pytest.approx((low + high) / 2, abs=2e-4)
    assert 10 < found < 20


def test_the_effective_sinr_lies_between_and_is_never_above_the_mean():
    sinr = 10 ** (np.linspace(-5, 15, 50) / 10)[None, :]
    found = effective.effective_db(sinr)[0]
    assert np.all(found > -5)
    assert np.all(found <= 10 * math.log10(sinr.mean()) + 0.02)


def test_sinr_beyond_64qam_is_capped():
    found = effective.effective_db(np.full((1, 50), 1e9), (15,))[0, 0]
    assert 30 < found <= effective.CAP_DB


def test_thresholds_of_vienna():
    assert list(cqi.cqi_of(link.centi_db(at(-5.61, -5.6, 8.5, 21.99, 22)), "vienna")) == [0, 1, 8, 14, 15]


def test_256qam_over_blocks_of_one_sinr():
    """NR: equal blocks give their own SINR, up to where 256QAM's information is 1."""
    for sinr_db in (-5.0, 10.0, 25.0, 33.0):
        sinr_cdb, found = cqi.over_blocks(np.full((1, 66), 10 ** (sinr_db / 10)), "nr_qam256")
        assert sinr_cdb[0] / 100 == pytest.approx(sinr_db, abs=0.03)
        assert found[0] == cqi.cqi_of(np.array([round(sinr_db * 100)]), "nr_qam256")[0]
