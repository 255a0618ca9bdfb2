# SPDX-License-Identifier: GPL-2.0-or-later
"""Figures for papers: what they show is what the bundles hold, and the files are what venues take."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from synthetic_bundle import write_bundle

from cellbed_analysis.metrics.run import analyse
from cellbed_analysis.plots.draw import share_band
from cellbed_analysis.plots.kind import KINDS, Wanted
from cellbed_analysis.plots.plot import SUFFIXES, Look, plot
from cellbed_analysis.plots.venue import VENUES
from cellbed_formats.bundle import Bundle, load_results, read_bundle
from cellbed_formats.error import DataError

SHORT = Wanted(start_s=1.0, end_s=1.1)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"cwnd"}))  # of which tests/test_python.py has a run
def test_every_kind_has_its_data_beside_it(kind: str, im_im: Bundle, tmp_path: Path) -> None:
    made = plot(kind, [im_im], SHORT)
    figure, data = made.write(tmp_path / f"{kind}.pdf")
    assert figure.read_bytes().startswith(b"%PDF")
    written = pl.read_csv(data)
    assert written.columns == made.data.columns and len(written) == len(made.data) > 0
    assert "t_s" not in written.columns or written["t_s"].is_between(1.0, 1.1).all()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_data_give_the_same_file(suffix: str, im_im: Bundle, tmp_path: Path) -> None:
    once, again = (plot("rtt", [im_im]).write(tmp_path / f"{name}{suffix}")[0].read_bytes() for name in ("a", "b"))
    if suffix == ".eps":  # which names itself
        once, again = (b"".join(line for line in text.splitlines() if line[:2] != b"%%") for text in (once, again))
    assert once == again


@pytest.mark.parametrize(("venue", "columns", "inches"), [("ieee", 1, 3.5), ("ieee", 2, 7.16), ("acm", 1, 3.33)])
def test_a_figure_is_as_wide_as_the_venue_wants(venue: str, columns: int, inches: float, im_im: Bundle) -> None:
    figure = plot("rtt", [im_im], None, Look(venue, columns)).figure()
    assert figure.get_size_inches()[0] == inches
    assert figure.axes[0].xaxis.label.get_fontsize() == VENUES[venue].points


def test_a_pdf_has_no_type_that_venues_refuse(im_im: Bundle, tmp_path: Path) -> None:
    figure, _ = plot("rtt-cdf", [im_im]).write(tmp_path / "a.pdf")
    assert b"/Type3" not in figure.read_bytes().replace(b" ", b"")


def test_series_are_named_by_what_they_differ_in(results: Path) -> None:
    bundles = load_results(results).bundles
    assert sorted(plot("rtt", bundles).data["series"].unique()) == ["DM-DM", "DM-IM", "IM-DM", "IM-IM"]
    assert plot("rtt", bundles[:1]).data["series"].unique().to_list() == [bundles[0].flows[0].id]


def test_the_distribution_is_of_the_segments_that_have_an_rtt(im_im: Bundle) -> None:
    shown = plot("rtt-cdf", [im_im]).data
    line = plot("rtt-cdf", [im_im]).figure().axes[0].get_lines()[0]
    x, y = line.get_xdata(), line.get_ydata()
    assert len(x) == len(shown) and list(x) == sorted(shown["rtt_ms"])
    assert y[-1] == 1  # type: ignore[index]


@pytest.mark.parametrize(("kind", "wanted", "venue", "message"), [
    ("rtts", None, "ieee", "plot rtts: allowed cwnd, rtt,"),
    ("rtt", None, "nature", "--venue nature: allowed ieee, acm"),
    ("rtt", Wanted(("nosuch",)), "ieee", "--flow nosuch: allowed"),
    ("rtt", Wanted(start_s=5, end_s=2), "ieee", "--to 2: allowed more than --from, 5"),
    ("box", Wanted(metric="goodput"), "ieee", "--metric goodput: allowed .*goodput_mbps"),
    ("box", Wanted(metric="variant"), "ieee", "--metric variant: allowed .*goodput_mbps"),
    ("rtt", Wanted(start_s=9e9), "ieee", "nothing to draw for plot rtt between --from and --to"),
])  # fmt: skip
def test_what_there_is_not(kind: str, wanted: Wanted | None, venue: str, message: str, im_im: Bundle) -> None:
    with pytest.raises(DataError, match=message):
        plot(kind, [im_im], wanted, Look(venue))


@pytest.mark.parametrize(("lost", "message"), [
    (("ip-*.pcap", "tcp.trace"), "it has no captures; run it with capture.ip: true"),
    ((), "none of its flows has what it shows; choose another kind"),
])  # fmt: skip
def test_nothing_to_draw_in_the_whole_run(tmp_path: Path, lost: tuple[str, ...], message: str) -> None:
    path = write_bundle(tmp_path, duration_s=1)
    for name in [file.name for pattern in lost for file in path.glob(pattern)]:
        (path / name).unlink()
    bundle = read_bundle(path)
    if lost:
        bundle.manifest["description"]["settings"]["capture"] = {"ip": False}
    else:
        vars(bundle)["all_flows"] = []
    with pytest.raises(DataError, match=f"nothing to draw for plot throughput: {message}"):
        plot("throughput", [bundle])


def test_a_file_of_another_kind(im_im: Bundle, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.docx: allowed names that end in \.pdf, \.svg"):
        plot("rtt", [im_im]).write(tmp_path / "a.docx")
    assert not list(tmp_path.iterdir())


def of_seeds(folder: Path, seeds: tuple[int, ...] = (1, 2, 3)) -> list[Bundle]:
    for seed in seeds:
        write_bundle(folder, "IM-IM", seed=seed, duration_s=3)
    return load_results(folder).bundles


def test_seeds_are_one_series(tmp_path: Path) -> None:
    bundles = of_seeds(tmp_path)
    for kind in ("rtt", "rtt-cdf", "throughput", "shares"):
        shown, single = plot(kind, bundles).data, plot(kind, bundles, per_seed=True).data
        assert shown["series"].n_unique() == 1 and single["series"].n_unique() == 3, kind
    assert plot("rtt-cdf", bundles).data["seed"].unique().sort().to_list() == [1, 2, 3]
    means = plot("throughput", bundles).data
    parts = plot("throughput", bundles, Wanted(end_s=3.0), per_seed=True).data
    assert set(means["seeds"]) == {3} and len(parts) == 3 * len(means)
    sums = parts.group_by("t_s", maintain_order=True).agg(pl.col("throughput_mbps").mean()).sort("t_s")
    assert means["throughput_mbps"].to_list() == pytest.approx(sums["throughput_mbps"].to_list())
    assert (means["throughput_mbps_low"] <= means["throughput_mbps"]).all()


def test_a_band_is_around_its_share(tmp_path: Path) -> None:
    rows = plot("rtt-cdf", of_seeds(tmp_path)).data
    values, low, high = share_band(rows, "rtt_ms")
    pooled = np.searchsorted(np.sort(rows["rtt_ms"].to_numpy()), values, side="right") / len(rows)
    assert ((low <= pooled + 1e-9) & (pooled <= high + 1e-9)).all()
    assert list(share_band(rows, "rtt_ms")[1]) == list(low)


@pytest.mark.parametrize("evaluate", [{}, {"from_s": 1.0}, {"from_s": 1.0, "to_s": 2.0}])
def test_a_distribution_has_the_segments_of_the_table(evaluate: dict[str, float], tmp_path: Path) -> None:
    path = write_bundle(tmp_path, "IM-IM", duration_s=3)
    manifest = json.loads((path / "manifest.json").read_text())
    (path / "manifest.json").write_text(json.dumps(manifest | {"evaluate": evaluate}))
    bundle = read_bundle(path)
    row, shown = analyse(bundle).row, plot("rtt-cdf", [bundle]).data
    assert row["rtt_p50_ms"] == pytest.approx(shown["rtt_ms"].median())
    assert row["rtt_p99_ms"] == pytest.approx(shown["rtt_ms"].quantile(0.99, "linear"))
    if evaluate:
        assert shown["t_s"].min() >= 1.0 == row["window_start_s"]
        assert shown["t_s"].max() < evaluate.get("to_s", 3.0)


@pytest.mark.parametrize("kind, n_least", [("rtt-parts", 4), ("rtt-causes", 2)])
def test_parts_and_causes_add_up_to_the_rtt(tmp_path: Path, kind: str, n_least: int) -> None:
    bundles = of_seeds(tmp_path)
    for some in (bundles[:1], bundles):
        shown = plot(kind, some, Wanted(end_s=3.0)).data
        assert shown["series"][-1] == "all other parts" and shown["series"].n_unique() >= n_least
        sums = shown.group_by("t_s").agg(pl.col("part_ms").sum()).sort("t_s")
        rtts = plot("rtt", some, Wanted(end_s=3.0)).data
        first = rtts.filter(pl.col("t_s") < sums["t_s"][0] * 2)["rtt_ms"].mean()
        assert sums["part_ms"][0] == pytest.approx(first, rel=0.05)


def test_parts_are_of_one_variant(results: Path) -> None:
    with pytest.raises(DataError, match="the figure is of one variant; choose it with --variant"):
        plot("rtt-parts", load_results(results).bundles)


def test_a_box_is_of_the_numbers_of_the_table(tmp_path: Path) -> None:
    bundles = of_seeds(tmp_path)
    shown = plot("box", bundles, Wanted(metric="rtt_p50_ms")).data
    assert shown.columns == ["series", "rtt_p50_ms", "seed"]
    assert shown["rtt_p50_ms"].to_list() == [analyse(bundle).row["rtt_p50_ms"] for bundle in bundles]
