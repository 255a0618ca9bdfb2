# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of channel traces: from the file alone."""

import numpy as np
import pytest

from cellbed_channel import figure, trace
from cellbed_channel.error import ParameterError
from cellbed_channel.render import Cell, Parameters, render_file


@pytest.fixture
def swing(tmp_path):
    path = tmp_path / "channel.trace"
    render_file(path, Parameters("swing"), Cell({"ue1": "ue2", "ue2": "ue1"}), seed=1, duration_s=60)
    return path


def test_distances_sinr_and_cqi(swing):
    panels = figure.draw(swing, "ue2").axes
    assert [axes.get_ylabel() for axes in panels] == ["distance (m)", "SINR (dB)", "CQI"]
    assert [line.get_label() for line in panels[0].lines] == ["to eNB", "to ue1"]
    assert [line.get_label() for line in panels[1].lines] == ["UL", "DL", "SL"]
    assert panels[0].lines[1].get_ydata().max() == pytest.approx(160, abs=0.2)


def test_time_counts_from_the_offset(swing):
    assert figure.draw(swing, offset_s=5).axes[1].lines[0].get_xdata()[0] == -5


def test_no_such_ue(swing):
    with pytest.raises(ParameterError, match="ue: value ue7: allowed ue1, ue2"):
        figure.draw(swing, "ue7")


def test_measured_values_have_no_distances(tmp_path):
    records = trace.changes(np.array([0]), [trace.Series(1, "dl", np.array([trace.UNKNOWN_SINR]), np.array([4]))])
    drawn = figure.draw(trace.ChannelTrace(records, {}, {1: "ue1"}))
    assert [axes.get_ylabel() for axes in drawn.axes] == ["SINR (dB)", "CQI"]
    drawn.savefig(tmp_path / "measured.png")
    assert (tmp_path / "measured.png").stat().st_size > 1000
