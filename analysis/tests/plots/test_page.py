# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever a figure's series are called and however many there are: its text lies on the page, and over no other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from cellbed_analysis.plots.kind import KINDS
from cellbed_analysis.plots.names import Names
from cellbed_analysis.plots.plot import LEGEND_MAX, LEGENDS, Look, Plot
from cellbed_analysis.plots.venue import VENUES
from cellbed_formats.error import DataError

LENGTHS = {"short": 6, "long": 90}
#: Figures have room for rounding of a thousandth of an inch.
SLACK_IN = 0.001


def frame_of(kind: str, n: int, letters: int) -> pl.DataFrame:
    """Made-up numbers of @n series with names of that length."""
    names = [(f"bbr-{i} " + "congestion control, second " * 4)[:letters].strip(" ,-") + f" {i}" for i in range(n)]
    t_s = np.linspace(0, 10, 40)
    chance = np.random.default_rng(n)
    frames = []
    for name in names:
        values = {"t_s": t_s, "cwnd_pkts": 10 + t_s, "ssthresh_pkts": 8 + t_s, "throughput_mbps": 3 + t_s % 3,
                  "seq_bytes": 1e5 * t_s, "payload_bytes": 1448 + 0 * t_s, "acked_s": t_s + 0.1,
                  "retransmitted": t_s > 9, "seed": np.arange(40) % 4, "rtt_ms": chance.exponential(50, 40),
                  "part_ms": 5 + t_s % 2, "goodput_mbps": chance.normal(20, 2, 40)}
        frames.append(pl.DataFrame(values).with_columns(series=pl.lit(name)))
    frame = pl.concat(frames)
    columns = {"cwnd": ["t_s", "cwnd_pkts", "ssthresh_pkts"], "rtt": ["t_s", "rtt_ms"], "rtt-cdf": ["seed", "rtt_ms"],
               "time-sequence": ["t_s", "seq_bytes", "payload_bytes", "retransmitted", "acked_s"],
               "rtt-parts": ["t_s", "part_ms"], "rtt-causes": ["t_s", "part_ms"],
               "throughput": ["t_s", "throughput_mbps"], "shares": ["t_s", "throughput_mbps"]}
    return frame.select("series", *columns.get(kind, ["seed", "goodput_mbps"]))


def texts_of(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text that is drawn, and where, in inches."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    ticks = [tick for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)
             for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())]
    shown = {id(label) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in _drawn(axis)}
    of_ticks = {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
    renderer = canvas.get_renderer()
    return [(text.get_text(), text.get_window_extent(renderer).transformed(figure.dpi_scale_trans.inverted()))
            for text in texts if id(text) not in of_ticks or id(text) in shown]


def _drawn(axis):
    """Labels of ticks within the axis: others exist and are not drawn."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def check(figure: Figure) -> None:
    texts = texts_of(figure)
    width_in, height_in = figure.get_size_inches()
    for text, box in texts:
        assert box.x0 >= -SLACK_IN and box.x1 <= width_in + SLACK_IN, (text, box, width_in)
        assert box.y0 >= -SLACK_IN and box.y1 <= height_in + SLACK_IN, (text, box, height_in)
    for (one, a), (other, b) in combinations(texts, 2):
        common = Bbox.intersection(a, b)
        assert common is None or min(common.width, common.height) <= SLACK_IN, (one, other)


@pytest.mark.parametrize("letters", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("n", [1, 3, 30])
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"pdus"}))  # whose legend is of fates
def test_text_lies_on_the_page_and_over_no_other(kind: str, n: int, letters: int) -> None:
    for venue in VENUES:
        for columns in (1, 2):
            check(Plot(kind, frame_of(kind, n, letters), Look(venue, columns)).figure())


@pytest.mark.parametrize("legend", LEGENDS)
def test_every_place_of_a_legend(legend: str) -> None:
    figure = Plot("rtt-cdf", frame_of("rtt-cdf", 5, LENGTHS["short"]), Look(legend=legend)).figure()
    check(figure)
    names = [text for text, _ in texts_of(figure) if text.startswith("bbr-")]
    assert len(names) == (0 if legend == "none" else 5)


@pytest.mark.parametrize("n", [2, 3, LEGEND_MAX])
def test_a_legend_leaves_the_axes_as_high_as_they_are(n: int) -> None:
    def height_in(count: int) -> float:
        figure = Plot("cwnd", frame_of("cwnd", count, LENGTHS["long"])).figure()
        FigureCanvasAgg(figure).draw()
        return float(figure.axes[0].get_position().height * figure.get_figheight())

    assert height_in(n) > 0.7 * height_in(1)


def test_series_are_called_and_ordered_as_wanted() -> None:
    frame = pl.DataFrame({"series": ["bbr, first", "bbr, second", "cubic, first"], "t_s": [0.0, 0.0, 0.0],
                          "rtt_ms": [1.0, 2.0, 3.0]})
    names = Names.of_texts(["bbr=BBR=v1", "cubic, first=CUBIC"], ["cubic", "second"], frame)
    assert names.of(frame)["series"].to_list() == ["CUBIC", "BBR=v1, second", "BBR=v1, first"]
    assert names.of(frame)["rtt_ms"].to_list() == [3.0, 2.0, 1.0]
    with pytest.raises(DataError, match="--label reno=x: allowed NAME=TEXT, where NAME is one of bbr, first, bbr,"):
        Names.of_texts(["reno=x"], [], frame)
    with pytest.raises(DataError, match="--order reno: allowed bbr, first, bbr, second, cubic, first, bbr, first,"):
        Names(order=["reno"]).of(frame)


def test_a_box_is_of_the_values_of_a_series() -> None:
    frame = frame_of("box", 2, LENGTHS["short"])
    axes = Plot("box", frame).figure().axes[0]
    own = frame.filter(pl.col("series") == frame["series"][0])["goodput_mbps"].to_numpy()
    points = axes.lines[0].get_xdata()
    assert sorted(points) == sorted(own) and axes.get_xlabel() == "goodput_mbps (Mbit/s)"  # type: ignore[arg-type]
    (low, _), (high, _) = axes.patches[0].get_path().get_extents().get_points()
    assert (low, high) == pytest.approx(tuple(np.quantile(own, (0.25, 0.75))))
