# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures and radio.trace share a clock: no packet is in the radio network before the one who sends it has sent it."""

import pytest

import cellbed as api
from cellbed_analysis.metrics.run import analyse


@pytest.mark.parametrize("radio", ["edge", "good", "nr-midband"])
def test_packets_enter_the_radio_after_they_were_sent(command, tmp_path, radio):
    """BBR paces: its packets come at any time of a sub-frame, now three in one and then none.

    The offset of both clocks is known to less than half a microsecond.
    """
    command("new", tmp_path / "a.yaml", "--radio", radio, "--flows", "bbr,cubic", "--duration", "3", "--seeds", "1")
    command("run", tmp_path / "a.yaml", "--results", tmp_path / "r", "--keep-going")
    (bundle,) = api.Results.load(tmp_path / "r")
    flows = bundle.segments["flow"].unique().to_list()
    assert len(flows) == 2
    for flow in flows:
        segments = analyse(bundle.stored).segments(flow).drop_nulls(["host_tx", "host_rx"])
        assert len(segments) > 100
        assert min(segments[part].min() for part in ("host_tx", "receiver", "host_rx")) > -500
