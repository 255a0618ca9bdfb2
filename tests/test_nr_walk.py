# SPDX-License-Identifier: GPL-2.0-or-later
"""A UE of NR walks by waypoints in a file: one stall of a second in the virtual lab, and what is said of it."""

import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.metrics.run import analyse
from cellbed_channel.trace import read as read_channel
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
FLOW_S = 8.0


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    cellbed("run", ROOT / "scenarios/nr-fr2-blockage/quick.yaml", "--variant", "cubic", "--set",
            f"traffic.0.duration_s={FLOW_S}", "--results", folder)
    return folder


@pytest.fixture(scope="module")
def run(executed):
    return analyse(read_bundle(bundles(executed)["cubic"]))


def out_of_range_s(channel):
    """How long the downlink is out of range at once, at most, while the flow lasts; it begins one second into it."""
    rows = channel.records_of(1, "dl")
    rows = rows[rows["t_ns"] < (1.0 + FLOW_S) * 1e9]
    longest = begin = 0
    for t_ns, cqi in zip(rows["t_ns"].tolist(), rows["cqi"].tolist(), strict=True):
        begin = (begin or t_ns) if cqi == 0 else 0
        longest = max(longest, t_ns - begin if begin else 0)
    return longest / 1e9


def test_a_stall_is_as_long_as_the_channel_is_gone(run):
    """Nothing arrives meanwhile, and what waits in the gNB arrives as soon as there is a slot."""
    gone_s = out_of_range_s(read_channel(run.bundle.path / "channel.trace"))
    assert run.row["validity"] == "valid" and gone_s > 1.0
    assert run.row["stall_count"] == 1
    assert gone_s * 1000 <= run.row["stall_max_ms"] < gone_s * 1000 + 50
    assert 0 <= run.row["stall_late_max_ms"] < 25
    assert run.row["rtt_max_ms"] > run.row["stall_max_ms"]


def test_the_core_takes_the_cqis_of_the_channel(run):
    """Those of 256QAM down, of 64QAM up."""
    rows = run.bundle.radio.filter(event="channel")
    channel = read_channel(run.bundle.path / "channel.trace")
    for name, direction, peer in (("dl", "dl", 1), ("ul", "ul", 0)):
        found = rows.filter(dir=name, peer=peer)["cqi"].to_list()
        assert found == channel.records_of(1, direction)["cqi"].tolist()[:len(found)] and len(set(found)) > 8


def test_the_report_draws_the_walk(executed):
    cellbed("report", executed)
    assert (executed / "summary/figures/stalls-quick.svg").exists()
