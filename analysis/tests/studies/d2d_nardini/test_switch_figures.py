# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of mode switches: which switch, which words, and that they draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from synthetic_bundle import START_NS
from synthetic_reaction import DUPACKS, TIMEOUT
from synthetic_switch import DM, IM, radio_row, switch_rows, tcp_row, write_switch_bundle

from cellbed_analysis.figures.style import theme
from cellbed_analysis.metrics.runs import analyse_all
from cellbed_analysis.radio.mode_switch import Switch
from cellbed_analysis.stats.interval import Estimate
from cellbed_analysis.studies.d2d_nardini import cwnd_chart, specs, throughput_chart
from cellbed_analysis.studies.d2d_nardini.switch_window import SwitchWindow, choose, story, switch_window
from cellbed_analysis.tcp.after_switch import Reaction
from cellbed_channel.render import Cell, Parameters, render_file
from cellbed_formats.bundle import load_results, read_bundle


def _reaction(at_s: float, after: str, data_pkts: int) -> Reaction:
    t_ns = START_NS + round(at_s * 1e9)
    before = "IM" if after == "DM" else "DM"
    return Reaction(Switch(t_ns, t_ns + 1, before, after, data_pkts, 0, 0, 0), (), 0, 0, None, None, None, None)


def _window(tmp_path: Path, radio: list, tcp: list) -> SwitchWindow:
    bundle = read_bundle(write_switch_bundle(tmp_path, radio, tcp))
    window = switch_window(bundle, bundle.flows[0])
    assert window is not None
    return window


def test_the_switch_shown_is_the_first_to_infrastructure_mode_that_is_not_the_first_loss(tmp_path: Path) -> None:
    flow = read_bundle(write_switch_bundle(tmp_path, [], TIMEOUT)).flows[0]
    found = [_reaction(*of) for of in ((4, "IM", 9), (6, "DM", 9), (7, "IM", 0), (9, "IM", 9), (12, "IM", 9))]
    assert choose(found, flow) is found[3]
    assert choose(found[:2], flow) is found[0]  # none meets the rule
    assert choose([found[2]], flow) is None


def test_a_switch_is_told_in_order_of_time(tmp_path: Path) -> None:
    assert story(_window(tmp_path, switch_rows(5000, IM, 10, 2), DUPACKS)) == [
        "flushed: 10 data packets (15 kB) and 2 ACKs of 20 in flight",
        "+50 ms: fast retransmit, ssthresh 10 KiB",
        "+1050 ms: timeout, ssthresh 5 KiB",
        "+1300 ms: all in flight at the switch acknowledged",
        "+1400 ms: fast retransmit, ssthresh 2 KiB, a second congestion event",
    ]


def test_a_threshold_that_was_never_set_is_not_drawn(tmp_path: Path) -> None:
    rows = [tcp_row(1990, "segment_out", 0, 9000, 9, 2**31 - 1), tcp_row(2300, "rto", 0, 9000, 9, 2**31 - 1)]
    window = _window(tmp_path, switch_rows(2000, IM, 9, 0), rows)
    assert np.isnan(window.ssthresh).all() and window.dupacks_s is None and window.receive_window == 20000 / 1024


def test_panels_draw(tmp_path: Path) -> None:
    window = _window(tmp_path, switch_rows(5000, IM, 10, 2), DUPACKS)
    with theme():
        assert cwnd_chart.draw({"Reno": window, "Cubic": window, "SACK": window}).axes


def test_throughput_is_in_the_papers_order_with_its_words() -> None:
    values = {"SACK": Estimate(20.5, 20.4, 20.6), "Reno": Estimate(20.4), "NewReno": Estimate(20.4)}
    with theme():
        (axes,) = throughput_chart.draw(values, specs.PAPER_ORDER).axes
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["20.50 ± 0.10", "20.40", "20.40", "paper: best", "paper: about the same", "paper: smallest"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["SACK", "Reno", "NewReno"]


def test_figures_of_a_scenario(tmp_path: Path) -> None:
    radio = [
        radio_row(-1000, "channel", node=1, peer=0, dir="ul", cqi=9),
        *switch_rows(2000, IM, 15, 5),
        *switch_rows(5000, DM, 10, 0),
    ]
    for variant in ("cubic", "reno", "bbr"):
        write_switch_bundle(tmp_path, radio, TIMEOUT[:-1] + DUPACKS, variant)
    runs = analyse_all(load_results(tmp_path).bundles)
    found = {spec[0]: spec for spec in specs.specs(runs)}
    assert list(found) == ["fig6-cwnd-dynamic", "fig7-throughput-dynamic"]  # there is no channel.trace
    assert list(specs.in_order(runs)) == ["Reno", "Cubic", "bbr"]
    assert "one seed" in found["fig7-throughput-dynamic"][2] and "here at 2 s" in found["fig6-cwnd-dynamic"][2]
    for bundle in load_results(tmp_path).bundles:
        render_file(
            bundle.path / "channel.trace", Parameters("swing"), Cell({"ue1": "ue2", "ue2": "ue1"}), 1, 11.0
        )  # fmt: skip
    drawn = specs.specs(analyse_all(load_results(tmp_path).bundles))
    assert drawn[0][0] == "channel-dynamic"
    with theme():
        figures = [spec[3]() for spec in drawn]
    top = figures[0].axes[0]
    assert [text.get_text() for text in top.texts] == ["DM", "IM", "DM"]
    assert [text.get_position()[0] for text in top.texts] == [1.0, 3.5, 7.5]
    assert top.lines[0].get_xdata()[0] == -1  # the traffic starts a second after sub-frame 0
