# SPDX-License-Identifier: GPL-2.0-or-later
"""The report in a browser: figures that zoom and tell, light and dark, without JavaScript, without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from paper_claims import CLAIMS
from synthetic_bundle import write_bundle
from synthetic_cut import TIMEOUT, tag
from synthetic_switch import IM, radio_row, switch_rows, write_switch_bundle

import cellbed_analysis

#: Where the mark of the first fall of the window is on the page, by the figure's own scales.
MARK = """() => {
  for (const root of Bokeh.index.roots)
    for (const view of root.child_views ?? [])
      for (const plot of [view, ...(view.child_views ?? [])]) {
        const glyph = (plot.model.renderers ?? []).find((r) => r.name === "cuts");
        if (!glyph) continue;
        const at = plot.el.getBoundingClientRect(), {t, y} = glyph.data_source.data;
        return [at.left + plot.frame.x_scale.compute(t[0]), at.top + plot.frame.y_scale.compute(y[0])];
      }
}"""
#: Every figure's range of time, and the colour of its labels.
LOOK = """() => {
  const all = [...Bokeh.index.roots].flatMap((root) => [...root.model.references()]);
  const axis = all.find((m) => m.type === "LinearAxis");
  const plot = all.find((m) => m.type === "Figure" && m.renderers.some((r) => r.name === "cuts"));
  return {start: plot.x_range.start, end: plot.x_range.end, colour: axis.axis_label_text_color,
          background: getComputedStyle(document.body).backgroundColor};
}"""
#: What the dots of the comparison show.
VALUES = """() => [...Bokeh.index.roots].flatMap((root) => [...root.model.references()])
  .filter((m) => m.type === "ColumnDataSource" && "value" in m.data).map((m) => [...m.data.value])"""
DRAWN = """() => [...document.querySelectorAll("#timeline-1, #explore-1")].every((at) => at.dataset.drawn === "yes")"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with a mode switch that costs TCP its timer, and an invalid one."""
    results = tmp_path_factory.mktemp("results")
    drop = radio_row(2000, "pkt_drop", tag=tag(1000), value=1, node=1)
    claims = [claim for claim in yaml.safe_load(CLAIMS.read_text()) if claim["id"] == "rtt-dm-dm"]
    for variant, mbps in (("reno", 20.0), ("sack", 25.0)):
        write_switch_bundle(results, [*switch_rows(2000, IM, 9, 0), drop], TIMEOUT, variant, 1, mbps, claims=claims)
    late = {"verdict": "invalid", "reasons": [{"code": "lateness", "text": "late", "value": 2, "bound": 1}]}
    write_bundle(results, "DM-DM", seed=2, claims=claims, validity=late)
    made: Path = cellbed_analysis.write_report(results)
    return made


class Visit:
    """A page that is open, and what its browser complained of or asked for."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1300, "height": 1400}} | options)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(m.text))
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.goto(path.as_uri())


@pytest.fixture
def visit(browser: Any) -> Iterator[Any]:
    """Opens pages, and at the end asks that nothing was complained of and nothing fetched."""
    visits: list[Visit] = []

    def opened(path: Path, **options: Any) -> Visit:
        visits.append(Visit(browser, path, **options))
        return visits[-1]

    yield opened
    for one in visits:
        own = one.page.url.partition("#")[0]
        assert one.complaints == []
        assert [url for url in one.requests if not url.startswith(("data:", "blob:")) and url != own] == []
        one.context.close()


def mark(page: Any) -> tuple[float, float]:
    """Scroll to the figure of the first run. Return: where the mark of its first fall of the window is."""
    page.wait_for_function(DRAWN)
    page.evaluate("() => document.getElementById('timeline-1').scrollIntoView()")
    page.wait_for_function(MARK)
    x, y = page.evaluate(MARK)
    return x, y


def test_pointing_at_a_fall_of_the_window_tells_what_is_behind_it(report: Path, visit: Any) -> None:
    page = visit(report).page
    x, y = mark(page)
    page.mouse.move(x - 5, y - 5)
    page.mouse.move(x, y)
    tip = page.locator(".bk-Tooltip")
    for words in ("timeout", "cwnd 9 → 1 packets", "dropped by a mode switch, which flushes RLC, 300 ms before"):
        tip.filter(has_text=words).first.wait_for()


def test_a_phone_sees_every_column(report: Path, visit: Any) -> None:
    """Rows of tables are cards, in which each value has its column's title beside it."""
    for path in (report, report.with_name("index.html")):
        page = visit(path, viewport={"width": 390, "height": 844}).page
        wide = "() => [document.documentElement, ...document.querySelectorAll('.scroll')].filter(" \
               "(e) => e.scrollWidth > e.clientWidth).length"
        assert page.evaluate(wide) == 0
        shown = page.locator(".cards td.n", has_text=re.compile(r"\d")).first
        assert shown.evaluate("(cell) => getComputedStyle(cell, '::before').content").strip('"') != "none"


def test_dragging_zooms_all_panels(report: Path, visit: Any) -> None:
    page = visit(report).page
    x, y = mark(page)
    before = page.evaluate(LOOK)
    page.mouse.move(x - 60, y + 40)
    page.mouse.down()
    for further in (0, 120):
        page.mouse.move(x + further, y + 40, steps=3)
        page.wait_for_timeout(100)
    page.mouse.up()
    page.wait_for_function(f"(before) => ({LOOK})().start > before", arg=before["start"])
    after = page.evaluate(LOOK)
    assert before["start"] < after["start"] < 2.3 < after["end"] < before["end"]


def test_follows_the_colours_of_the_reader(report: Path, visit: Any) -> None:
    page = visit(report, color_scheme="light").page
    page.wait_for_function(DRAWN)
    light = page.evaluate(LOOK)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(before) => ({LOOK})().colour !== before", arg=light["colour"])
    dark = page.evaluate(LOOK)
    assert light["background"] != dark["background"]
    assert (light["colour"], dark["colour"]) == ("#1b1f24", "#e6e6e6")


def test_another_metric_can_be_chosen(report: Path, visit: Any) -> None:
    page = visit(report).page
    page.wait_for_function(DRAWN)
    assert page.evaluate(VALUES) == [[20], [25]]
    page.locator("select[data-figure]").select_option(label="rto_count")
    assert page.evaluate(VALUES) == [[1], [1]]
    assert page.locator("select[data-figure]").input_value()


def test_tables_can_be_read_without_javascript(report: Path, visit: Any) -> None:
    page = visit(report, java_script_enabled=False).page
    page.get_by_text("claims that none of these runs can test").click()
    for words in ("What TCP did, and why", "dropped by a mode switch", "Validity of the runs", "rtt-dm-dm",
                  "invalid, not averaged"):
        assert page.get_by_text(words).first.is_visible(), words
    assert page.locator("figure img").first.is_visible()
    assert not page.locator(".tools").first.is_visible()


def test_the_list_of_runs_sorts_and_filters(report: Path, visit: Any) -> None:
    page = visit(report.with_name("index.html")).page
    rows = page.locator("#runs tbody tr")
    assert rows.count() == 3
    head = page.locator("#runs th").filter(has_text="seed")
    head.click()
    assert page.locator("#runs tbody tr:nth-child(3) td:nth-child(4)").inner_text() == "2"
    head.click()
    assert page.locator("#runs tbody tr:nth-child(1) td:nth-child(4)").inner_text() == "2"
    page.fill("#wanted", "dm-dm invalid")
    assert [row.is_visible() for row in rows.all()].count(True) == 1


def test_the_list_can_be_read_without_javascript_and_leads_to_the_runs(report: Path, visit: Any) -> None:
    page = visit(report.with_name("index.html"), java_script_enabled=False).page
    assert page.get_by_text("invalid").first.is_visible()
    for link in page.locator("a").all():
        assert (report.parent / link.get_attribute("href")).exists()


def test_a_bundle_has_a_report_of_its_own_which_the_list_links(report: Path, visit: Any) -> None:
    bundle = next(report.parents[1].glob("reno-*"))
    own = cellbed_analysis.write_report(bundle)
    assert own == bundle / "derived/report.html"
    page = visit(own).page
    page.wait_for_function(DRAWN)
    page.get_by_text("settings").first.click()
    assert page.get_by_text("radio.mode_switch.select_ms").is_visible()
    cellbed_analysis.write_report(report.parents[1])
    assert f"{bundle.name}/derived/report.html" in report.with_name("index.html").read_text()
    own.unlink()
