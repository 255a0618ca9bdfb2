# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables in terminals of any width: numbers are whole or not there, and what is not there is named."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_bundle import write_bundle

from cellbed_analysis.report.console import print_table
from cellbed_analysis.report.fitted import ALWAYS, Column, Fitted
from cellbed_formats.screen import Screen


def printed(what: object, width: int) -> str:
    screen = Screen(file=io.StringIO(), width=width)
    screen.print(what)
    return screen.file.getvalue()  # type: ignore[attr-defined]


numbers = st.decimals(-99999, 99999, places=3).map(str)


@given(st.data(), st.integers(min_value=20, max_value=140), st.integers(min_value=1, max_value=9))
def test_no_number_is_cut(data: st.DataObject, width: int, n_columns: int) -> None:
    columns = [Column(f"c{i}", keep=data.draw(st.integers(0, 5))) for i in range(n_columns)]
    rows = data.draw(st.lists(st.tuples(*[numbers for _ in columns]), min_size=1, max_size=4))
    table = Fitted("t", Column("name", words=True), *columns)
    for row in rows:
        table.add_row("IM-IM, mss=1460 and more", *row)
    out = printed(table, width)
    head, _, left = " ".join(out.split()).partition("not shown for want of room:")
    gone = left.replace(",", " ").split()
    assert all(len(line) <= width for line in out.splitlines())
    for i, column in enumerate(columns):
        shown = column.title not in gone
        assert shown == (column.title in head.split())
        if shown:
            assert all(row[i] in head.split() for row in rows)
    least_gone = [column.keep for column in columns if column.title in gone]
    assert not least_gone or max(least_gone) <= min((c.keep for c in columns if c.title not in gone), default=9)


@given(st.data(), st.integers(min_value=20, max_value=250), st.integers(min_value=1, max_value=18))
def test_every_number_that_is_shown_is_whole(data: st.DataObject, width: int, n_columns: int) -> None:
    """Whatever titles, names and other words are in the table."""
    titles = st.text("RTT p50 Mbit/s again", min_size=1, max_size=20).map(str.strip)
    name = st.text("abcdef0123456789:[]-.", min_size=1, max_size=90)
    columns = [Column(data.draw(titles), keep=data.draw(st.sampled_from([0, 1, 5, ALWAYS]))) for _ in range(n_columns)]
    rows = data.draw(st.lists(st.tuples(name, st.tuples(*[numbers for _ in columns])), min_size=1, max_size=4))
    table = Fitted(data.draw(titles), Column("flow", words=True), *columns, Column("what", words=True, keep=2))
    for named, row in rows:
        table.add_row(named, *row, data.draw(name))
    out = printed(table, width)
    assert all(len(line) <= width for line in out.splitlines())
    said, _, left = " ".join(out.split()).partition("not shown for want of room:")
    words, gone = said.split(), sum(bool(part.strip()) for part in left.split(","))
    least = len(rows) * (len(columns) - gone)
    found = [word for _, row in rows for word in row if word in words]
    assert len(found) >= min(least, len(rows) * sum(c.keep == ALWAYS for c in columns) or 1)
    assert all(column.keep != ALWAYS or all(row[i] in words for _, row in rows) for i, column in enumerate(columns))


@pytest.mark.parametrize("width", range(20, 251))
def test_a_flow_with_long_addresses_has_numbers_in_any_terminal(width: int) -> None:
    table = Fitted("x.pcap: 407 packets, 2 flows; times in ms", Column("flow", words=True), Column("RTT min", keep=50),
                   Column("RTT p50", keep=85), Column("Mbit/s", keep=80), Column("segments", keep=45))
    for end in ("443", "80"):
        table.add_row(f"[2001:db8:1234:5678:9abc:def0:1234:{end}]:{end}-[2001:db8:1234:5678:9abc:def0:1234:1]:50000",
                      "40", "41.25", "3.653", "201")
    out = printed(table, width)
    assert out.split().count("41.25") == 2 and out.split().count("3.653") == 2
    assert all(len(line) <= width for line in out.splitlines())


def test_columns_without_anything_are_not_there() -> None:
    table = Fitted("t", Column("name", words=True), Column("paper", keep=1), Column("Mbit/s", keep=2))
    table.add_row("a", "", "1.5")
    assert "paper" not in printed(table, 80) and "package" not in printed(table, 80)


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_the_headline_in_any_terminal(tmp_path: Path, width: int) -> None:
    """The throughput of the run is there with all its digits, in a terminal of 40 columns too."""
    for seed in (1, 2):
        write_bundle(tmp_path, seed=seed, duration_s=2)
    wide, own = (Screen(file=io.StringIO(), width=at) for at in (200, width))
    for screen in (wide, own):
        print_table(tmp_path, screen)
    goodput = next(line for line in wide.file.getvalue().splitlines() if "DM-DM" in line).split()[-1]
    table = own.file.getvalue().partition("Claims")[0]
    assert goodput in table.split()
    assert max(map(len, table.splitlines())) <= width
