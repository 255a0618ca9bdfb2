# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures of runs at the edge of a cell: which runs, which lines, and that they draw."""

from __future__ import annotations

import numpy as np
import pytest
from synthetic_edge import DISTANCES, SCENARIO, row, rows, runs

from cellbed_analysis.figures.gallery import representatives
from cellbed_analysis.figures.style import theme
from cellbed_analysis.studies.celledge_li import line_chart, specs
from cellbed_analysis.studies.celledge_li.sweep import edges, studies, sweeps

HEADERS = rows(("TCP-UM", "TCP-AM"), (40, 180, 300), scenario="celledge-li/headers", rtt_p50_ms=20,
               **{"param.radio.mac.grants_ignore_headers": False})
RATES = [row("UDP-UM", 40, "celledge-li/unstated-rate", **{"param.traffic.0.rate": rate})
         for rate in (1_000_000, 10_000_000)]
REFERENCE = [row("default", 300, "celledge-li/reference-case", rtt_p50_ms=24,
                 **{"param.radio.channel.cell_edge.interference": False})]
MODERN = rows(("cubic-UM", "bbr-AM"), (40, 180, 300), scenario="celledge-li/modern", **{"param.tcp.profile": "modern"})
ALL = rows() + HEADERS + RATES + REFERENCE + MODERN


def test_configurations_over_distance_in_the_papers_order() -> None:
    (edge,) = sweeps(edges(rows()))
    assert edge.variants == [f"{name}{control}" for control in ("", "-control")
                             for name in ("TCP-UM", "TCP-AM", "UDP-UM", "UDP-AM")]  # fmt: skip
    lines = edge.of(control=False).series("ip_throughput_mbps")
    assert [x for x, _ in lines["TCP-UM"]] == list(DISTANCES)
    assert lines["UDP-UM"][0][1].value == pytest.approx(17.5) and lines["TCP-UM"][-1][1].value == pytest.approx(4)
    assert "UDP-UM" not in edge.series("rtt_p50_ms")


def test_a_scenario_that_repeats_runs_is_a_study_of_what_it_changes() -> None:
    found = edges(ALL)
    by_name = {study.edge.suffix: study for study in studies(found)}
    assert list(by_name) == ["headers", "unstated-rate"]
    assert by_name["headers"].base.scenario == SCENARIO
    pair = by_name["headers"].pairs[0]
    assert (pair.name, pair.setting) == ("TCP-UM, 40 m", "grants with headers")
    assert (pair.base["rtt_p50_ms"], pair.other["rtt_p50_ms"]) == (34, 20)
    assert [pair.setting for pair in by_name["unstated-rate"].pairs] == ["UDP 1 Mbit/s", "UDP 10 Mbit/s"]
    assert [edge.suffix for edge in sweeps(found)] == ["distance", "modern"]


def test_runs_that_are_not_usable_do_not_count() -> None:
    assert edges([row("TCP-UM", 40, usable=False)]) == []


def test_figures_of_the_results() -> None:
    found = {spec[0]: spec for spec in specs.specs(runs(ALL))}
    assert list(found) == [
        "celledge-fig2-map", "celledge-fig4-throughput-distance", "celledge-fig5-control-distance",
        "celledge-fig6-cwnd-distance", "celledge-fig7-rtt-distance", "celledge-modern", "celledge-study-headers",
        "celledge-study-unstated-rate",
    ]  # fmt: skip
    assert "which is not in the paper" in found["celledge-modern"][2]
    assert representatives(runs(ALL)) == {}  # figures of the direct mode's paper are for other experiments
    assert specs.specs([]) == []


def test_captions_of_a_scenario_of_ones_own_speak_of_no_paper() -> None:
    own = rows(("cubic-UM", "bbr-AM"), (40, 180, 300), scenario="my-edge", **{"param.tcp.profile": "modern"})
    found = specs.specs(runs(own))
    assert [spec[0] for spec in found] == ["celledge-fig2-map", "celledge-my-edge"]
    assert not [spec for spec in found if "paper" in spec[1] + spec[2]]


def test_figures_draw() -> None:
    with theme():
        drawn = {spec[0]: spec[3]() for spec in specs.specs(runs(ALL))}
    throughput, lost = drawn["celledge-fig4-throughput-distance"].axes
    names = [text.get_text() for text in drawn["celledge-fig4-throughput-distance"].legends[0].get_texts()]
    assert names == ["TCP-UM", "TCP-AM", "UDP-UM", "UDP-AM"]
    assert throughput.get_ylim()[0] == 0 and lost.get_yscale() == "symlog"
    rtt = drawn["celledge-fig7-rtt-distance"].axes[0]
    assert [text.get_text() for text in rtt.figure.legends[0].get_texts()] == ["AM, 40 m", "no interference, 300 m"]
    assert len(rtt.lines) == len(DISTANCES) + 2
    for line, distance in zip(rtt.lines, DISTANCES, strict=False):  # halfway up lies the median
        at = np.interp(0.5, line.get_ydata(), line.get_xdata())
        assert at == pytest.approx(30 + 0.1 * distance, rel=0.01)
    panel = drawn["celledge-study-headers"].axes[0]
    assert [tick.get_text() for tick in panel.get_yticklabels()][:2] == ["TCP-UM, 40 m", "TCP-UM, 180 m"]


def test_a_study_may_have_more_settings_than_there_are_variants() -> None:
    many = [row("UDP-UM", 40, "celledge-li/unstated-rate", **{"param.traffic.0.rate": mbps * 1_000_000})
            for mbps in (1, 2, 4, 10, 20, 40)]  # fmt: skip
    (spec,) = (spec for spec in specs.specs(runs(rows() + many)) if spec[0] == "celledge-study-unstated-rate")
    with theme():
        drawn = spec[3]()
    marks = {line.get_label(): line.get_marker() + line.get_color() for axes in drawn.axes for line in axes.lines
             if "Mbit/s" in str(line.get_label())}  # fmt: skip
    assert len(marks) == len(set(marks.values())) > 4


def test_a_few_distances_have_names_instead_of_a_scale() -> None:
    few = rows(("TCP-UM",), (40, 180, 300))
    (spec,) = (spec for spec in specs.specs(runs(few)) if "fig7" in spec[0])
    with theme():
        (axes,) = spec[3]().axes
    assert [text.get_text() for text in axes.figure.legends[0].get_texts()] == ["UM, 40 m", "UM, 180 m", "UM, 300 m"]


def test_colours_tell_protocols_and_dashes_rlc_modes() -> None:
    looks = line_chart.look(["TCP-UM", "TCP-AM", "TCP-UM-control", "UDP-UM"])
    assert looks["TCP-UM"]["color"] == looks["TCP-AM"]["color"] != looks["TCP-UM-control"]["color"]
    assert looks["TCP-AM"]["linestyle"] == "--" and looks["TCP-AM"]["markerfacecolor"] == "none"
    assert len({looks[name]["color"] for name in ("TCP-UM", "TCP-UM-control", "UDP-UM")}) == 3
