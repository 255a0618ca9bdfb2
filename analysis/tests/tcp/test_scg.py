# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps of a second cell group in words: they are no handovers."""

from __future__ import annotations

from pathlib import Path

from synthetic_handover import rrc, tcp_row, write_handover_bundle

from cellbed_analysis.interactive.series import run_series
from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.radio.handover import handovers
from cellbed_analysis.tcp.connection import radio_events
from cellbed_analysis.tcp.cuts import cuts
from cellbed_formats.bundle import Bundle, read_bundle

NR = {"numerology": 1, "duplex": "fdd", "k2_min": 4}


def en_dc(tmp_path: Path) -> Bundle:
    """A timeout behind the steps that add a gNB."""
    steps = [rrc(2000, "measurement_report", 0, 1), rrc(2070, "synchronised", 1, 0)]
    bundle = read_bundle(write_handover_bundle(tmp_path, steps, [
        tcp_row(1990, "segment_out", 1, 1, 9, seq=1, len=1000), tcp_row(2300, "rto", 1, 10, 9),
        tcp_row(2301, "segment_in", 1, 10, 1, 4)]))
    bundle.settings["radio"] |= {"system": "en_dc", "nr": NR}
    return bundle


def test_they_are_no_handovers(tmp_path: Path) -> None:
    bundle = en_dc(tmp_path)
    assert [str(event) for event in radio_events(bundle)] == ["SCG: measurement_report", "SCG: synchronised"]
    assert not any(handovers(bundle, ue) for ue in bundle.ue_numbers)


def test_a_cut_names_them(tmp_path: Path) -> None:
    bundle = en_dc(tmp_path)
    assert "SCG under way (synchronised 230 ms before)" in cuts(bundle, bundle.flows[0])[0].cause


def test_a_figure_over_time_names_them(tmp_path: Path) -> None:
    bundle = en_dc(tmp_path)
    found = run_series(analyse(bundle), bundle.flows[0], 1000)
    assert {happening.kind for happening in found.happenings} == {"SCG step"} and not found.handovers
