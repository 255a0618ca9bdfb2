# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways around corners: shares and angles by place, against the report's distributions."""

import math

import numpy as np
import pytest

from cellbed_channel import clusters, tr38901
from cellbed_channel.error import ParameterError

UMI, UMA, RMA = tr38901.UrbanMicro(28.0, 10.0), tr38901.UrbanMacro(28.0, 25.0), tr38901.RuralMacro(28.0, 35.0)
HERE = np.array([[100.0, 0.0]])


def spread_deg(share, angle_deg):
    """Root mean square of the angles around their mean, by power; as if they were on a line."""
    mean = (share * angle_deg).sum()
    return math.sqrt((share * (angle_deg - mean) ** 2).sum())


@pytest.mark.parametrize("model", [UMI, UMA, RMA])
@pytest.mark.parametrize("sight", [True, False])
def test_shares_and_the_direct_way(model, sight):
    places = np.column_stack([np.linspace(10.0, 300.0, 50), np.zeros(50)])
    found = clusters.at(model, 1, "gnb", places, np.full(50, sight))
    assert found.share.min() >= 0 and np.allclose(found.share.sum(axis=1), 1.0)
    assert (found.departure_deg[:, 0] == 0).all() == sight and (found.arrival_deg[:, 0] == 0).all() == sight
    if sight:  # K is 7 or 9 dB, with a deviation of 3.5 to 5
        assert np.median(found.share[:, 0]) > 0.5


# lg ASA of UMi at 28 GHz: 1.73 - 0.08 lg 29 = 1.613, and 1.81 - 0.08 lg 29 = 1.693; lg ASD: 1.21 - 0.05 lg 29 = 1.137,
# and 1.53 - 0.23 lg 29 = 1.194. Angles that are wrapped and few clusters make what comes out a little less or more.
@pytest.mark.parametrize(("model", "sight", "arrival", "departure"), [
    (UMI, True, 1.613, 1.137), (UMI, False, 1.693, 1.194), (RMA, True, 1.52, 0.90), (RMA, False, 1.52, 0.95),
    (UMA, False, 1.689, 1.334)])
def test_spreads_are_those_of_the_report(model, sight, arrival, departure):
    found = [clusters.at(model, seed, "gnb", HERE, np.array([sight])) for seed in range(150)]
    for name, expected in (("arrival_deg", arrival), ("departure_deg", departure)):
        spreads = [spread_deg(one.share[0], getattr(one, name)[0]) for one in found]
        assert np.median(np.log10(spreads)) == pytest.approx(expected, abs=0.16), name


def test_clusters_belong_to_places():
    way = np.column_stack([np.linspace(0.0, 200.0, 101), np.zeros(101)])
    sight = np.arange(101) % 7 < 4
    whole = clusters.at(UMI, 3, "gnb", way, sight)
    back = clusters.at(UMI, 3, "gnb", way[::-5], sight[::-5])
    for name in ("share", "departure_deg", "arrival_deg"):
        assert np.allclose(getattr(whole, name)[::-5], getattr(back, name), atol=1e-9)
    other = clusters.at(UMI, 3, "other", way, sight)
    assert not np.allclose(whole.share, other.share)


def test_clusters_change_over_the_distance_of_the_report():
    """12 m of a street with line of sight: a step of a metre changes little, one of 200 m everything."""
    far = np.array([[0.0, 0.0], [1.0, 0.0], [200.0, 0.0]])
    shares = np.array([clusters.at(UMI, seed, "gnb", far, np.ones(3, dtype=bool)).share for seed in range(200)])
    near, apart = (np.corrcoef(np.log(shares[:, 0, 3]), np.log(shares[:, other, 3]))[0, 1] for other in (1, 2))
    assert near > 0.75 and abs(apart) < 0.3


@pytest.mark.parametrize("model", [UMI, UMA, RMA])
def test_a_step_of_centimetres_changes_little(model):
    """3 cm, as of 20 ms on foot; whatever K is. A square of 1 m has the values of its corners."""
    places = np.column_stack([np.arange(0.0, 60.0, 0.03), np.full(2000, 7.3)])
    for seed, sight in ((1, True), (2, True), (3, False)):
        found = clusters.at(model, seed, "gnb", places, np.full(2000, sight))
        assert np.abs(np.diff(10 * np.log10(np.maximum(found.share[:, :10], 1e-12)), axis=0)).max() < 1.5
        assert np.abs(np.diff(found.arrival_deg[:, :10], axis=0)).max() < 25
        assert np.median(np.abs(np.diff(found.arrival_deg[:, :10], axis=0))) < 1


def test_models_without_angles_are_refused():
    with pytest.raises(ParameterError, match=r"path_loss.model: value inh_open_38901: allowed umi_38901, uma_38901"):
        clusters.at(tr38901.OpenOffice(28.0, 3.0), 1, "gnb", HERE, np.array([True]))
