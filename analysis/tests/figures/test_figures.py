# SPDX-License-Identifier: GPL-2.0-or-later
"""Every figure draws, with what it claims to show."""

from __future__ import annotations

import io
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest
from fontTools.ttLib import TTFont
from synthetic_bundle import write_bundle

from cellbed_analysis.claims.claim import read_claims
from cellbed_analysis.figures import decomposition, gallery, lateness, rtt_goodput, rtt_window, style
from cellbed_analysis.figures.figure import save
from cellbed_analysis.metrics.run import RunAnalysis, analyse
from cellbed_analysis.stats.interval import Estimate
from cellbed_analysis.tcp.segment import RTT_PARTS
from cellbed_formats.bundle import load_results
from cellbed_formats.inside import Inside


@pytest.fixture(scope="module")
def runs(results: Path, tmp_path_factory: pytest.TempPathFactory) -> list[RunAnalysis]:
    sweep = tmp_path_factory.mktemp("sweep")
    for combination in ("DM-DM", "IM-IM"):
        for window in ("8KiB", "16KiB", "32KiB"):
            write_bundle(sweep, combination, "d2d-nardini/window-sweep", window, duration_s=2)
    bundles = [*load_results(results).bundles, *load_results(sweep).bundles]
    return [analyse(bundle) for bundle in bundles]


CLAIMS = read_claims(Path(__file__).parents[3] / "scenarios/d2d-nardini/claims.yaml")
EXPECTED = (
    "rtt-over-time",
    "sequence-dm-dm",
    "sequence-dm-im",
    "sequence-im-dm",
    "sequence-im-im",
    "rtt-decomposition",
    "rtt-cdf",
    "rtt-over-window",
    "rtt-goodput-static",
    "lateness",
)
#: Figures that no paper has anything like.
OF_NO_PAPER = ("rtt-goodput-static",)


@pytest.mark.parametrize("name", EXPECTED)
def test_draws(runs: list[RunAnalysis], name: str) -> None:
    spec = next(spec for spec in gallery.available(runs, CLAIMS) if spec.name == name)
    with style.theme():
        figure = spec.draw()
        axes = figure.axes[0]
        assert axes.has_data()
        labelled = figure.get_supxlabel() or axes.get_xlabel() or axes.get_ylabel()
        assert labelled, "axes carry no label"
    assert ("aper" in spec.caption) == (name not in OF_NO_PAPER), "the caption says whether the paper has this figure"


def test_without_claims_no_caption_speaks_of_a_paper(runs: list[RunAnalysis]) -> None:
    """Anybody's runs have these figures."""
    static = [run for run in runs if run.row["scenario"] == "d2d-nardini/static"]
    captions = {spec.name: spec.caption for spec in gallery.available(static) if spec.name != "lateness"}
    assert len(captions) == len(EXPECTED) - 2
    assert not [name for name, caption in captions.items() if "aper" in caption]


def test_available_figures_follow_the_results(runs: list[RunAnalysis]) -> None:
    assert tuple(spec.name for spec in gallery.available(runs)) == EXPECTED
    static = [run for run in runs if run.row["scenario"] == "d2d-nardini/static"]
    assert "rtt-over-window" not in {spec.name for spec in gallery.available(static)}


def test_unusable_runs_show_only_their_lateness(tmp_path: Path) -> None:
    write_bundle(tmp_path, duration_s=2, validity={"verdict": "invalid", "reasons": []})
    runs = [analyse(bundle) for bundle in load_results(tmp_path).bundles]
    assert [spec.name for spec in gallery.available(runs)] == ["lateness"]


def true_type_fonts(pdf: bytes) -> list[TTFont]:
    packed = re.findall(rb"/FlateDecode.*?stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    streams = [zlib.decompress(found) for found in packed]
    return [TTFont(io.BytesIO(stream)) for stream in streams if stream.startswith(b"\0\1\0\0")]


def test_files_are_svg_and_what_was_asked_for_and_replace_old_ones(runs: list[RunAnalysis], tmp_path: Path) -> None:
    (tmp_path / "old.png").write_bytes(b"")
    specs = [spec for spec in gallery.available(runs) if spec.name in EXPECTED[:2]]
    save(specs, Inside(tmp_path), ("png", "pdf"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "rtt-over-time.pdf", "rtt-over-time.png", "rtt-over-time.svg", "sequence-dm-dm.pdf", "sequence-dm-dm.png",
        "sequence-dm-dm.svg",
    ]  # fmt: skip
    for path in tmp_path.glob("*.png"):
        pixels = matplotlib.image.imread(path)
        assert pixels.shape[1] > 900
        assert np.ptp(pixels[..., :3]) > 0.8, "the picture is blank"
    assert (tmp_path / "rtt-over-time.pdf").read_bytes().startswith(b"%PDF")
    fonts = true_type_fonts((tmp_path / "rtt-over-time.pdf").read_bytes())
    assert len(fonts) >= 2  # plain and bold
    for font in fonts:
        assert {"glyf", "hmtx", "loca"} <= set(font.keys()) and not {"GDEF", "GPOS", "GSUB", "kern"} & set(font.keys())
    save(specs[:1], Inside(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["rtt-over-time.svg"]


def test_a_page_shows_a_figure_in_dark_colours_on_a_dark_screen(runs: list[RunAnalysis], tmp_path: Path) -> None:
    (saved,) = save(gallery.available(runs)[:1], Inside(tmp_path))
    shown = saved.for_page.decode()
    ElementTree.fromstring(shown)  # which a browser shows only if it is well-formed
    rules = dict(re.findall(r'\[style\*="(\w+: #\w+)"\]\{(\w+:#\w+) !important\}', shown))
    assert rules["fill: #ffffff"] == "fill:#1c2128" and rules["stroke: #0072b2"] == "stroke:#4FA8DC"
    for what in ("fill: #1b1f24", "fill: #ffffff"):  # as matplotlib writes them
        assert what in saved.svg
    assert re.sub("<style>@media.*?</style>", "", shown) == saved.svg == saved.paths[0].text()


def test_the_same_runs_give_the_same_bytes(runs: list[RunAnalysis], tmp_path: Path) -> None:
    specs = gallery.available(runs)[:1]
    first, second = (save(specs, Inside(tmp_path) / name, ("pdf",))[0] for name in "ab")
    assert first.svg == second.svg
    assert first.paths[1].content() == second.paths[1].content()


def test_window_figure_shows_windows_in_kib_and_intervals() -> None:
    points = [(8192.0, Estimate(30, 29, 31)), (16384.0, Estimate(40))]
    with style.theme():
        axes = rtt_window.draw({"DM-DM": points}).axes[0]
        axes.figure.canvas.draw()
        assert [text.get_text() for text in axes.get_xticklabels()] == ["8", "16"]
        (bars,) = axes.containers
        lines = bars.lines[2][0].get_segments()
        assert [tuple(segment[:, 1]) for segment in lines] == [(29, 31), (40, 40)]


def test_goodput_over_rtt_has_a_point_with_both_intervals_for_each_series() -> None:
    series = {"cubic": (Estimate(80, 70, 100), Estimate(20, 19, 21)), "bbr": (Estimate(40), Estimate(18))}
    with style.theme():
        axes = rtt_goodput.draw(series).axes[0]
        cubic, bbr = axes.containers
        assert [cubic.get_label(), bbr.get_label()] == ["cubic", "bbr"]
        across, upright = (line.get_segments()[0].tolist() for line in cubic.lines[2])
        assert (across, upright) == ([[70, 20], [100, 20]], [[80, 19], [80, 21]])
        assert (axes.get_xlim()[0], axes.get_ylim()[0]) == (0, 0)


def test_labels_of_near_windows_do_not_touch() -> None:
    assert rtt_window.spaced([64, 96, 128, 144]) == [64, 96, 144]


def test_decomposition_bars_end_at_the_rtt() -> None:
    parts = dict.fromkeys(RTT_PARTS, 0.5)
    assert sum(ms for _, _, ms in decomposition.pieces(parts)) == 0.5 * len(RTT_PARTS)
    with style.theme():
        axes = decomposition.draw({"DM-DM": parts}, {"DM-DM": 30}).axes[0]
        right = max(bar.get_x() + bar.get_width() for bar in axes.patches)
        assert right == pytest.approx(0.5 * len(RTT_PARTS))


def test_retransmissions_have_a_colour_where_there_are_any() -> None:
    for ms, expected in ((0.5, True), (0.0, False)):
        parts = {"data_air": 4.0, "ack_dl_harq": ms}
        with style.theme():
            figure = decomposition.draw({"IM-IM": parts}, {})
            labels = [text.get_text() for text in figure.legends[0].get_texts()]
        assert ("sent again by HARQ or RLC" in labels) is expected


def test_lateness_bars_are_shares_of_all_wake_ups() -> None:
    with style.theme():
        axes = lateness.draw({"native": [(1.0, 25), (1.5, 35), (2.0, 40)]}, 1000).axes[0]
        assert [bar.get_height() for bar in axes.patches] == [25, 75]


def test_lateness_is_shown_per_power_of_two() -> None:
    assert lateness.octaves([(0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (1024, 32)]) == {0: 3, 1: 4, 2: 24, 10: 32}


def test_series_differ_in_more_than_colour() -> None:
    looks = style.STYLES
    for position in range(3):  # colour, marker, line style
        assert len({look[position] for look in looks}) == len(looks)
