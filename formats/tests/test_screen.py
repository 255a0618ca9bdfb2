# SPDX-License-Identifier: GPL-2.0-or-later
"""Nothing that is printed makes a terminal do something."""

from __future__ import annotations

import io
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from synthetic_bundle import write_bundle

from cellbed_analysis.report.console import print_table
from cellbed_formats.printable import shown
from cellbed_formats.screen import Screen

HOSTILE = "\x1b]0;title\x07\x1b[2J[bold]x[/] [/nothing] \r\x08\x9b5n\u202e\udcff :skull:"
ANY_TEXT = st.text(st.characters(), max_size=40)  # surrogates too, as names of files may have them


def printed(text: str) -> bool:
    """Whether a terminal prints it all."""
    return all(c.isprintable() or c == "\n" for c in text)


@given(ANY_TEXT)
def test_shown_is_printable_and_keeps_what_was(text: str) -> None:
    assert shown(text).isprintable()
    assert shown(shown(text)) == shown(text)
    assert text.isprintable() == (shown(text) == text)


@given(ANY_TEXT)
def test_a_screen_obeys_nothing(text: str) -> None:
    output = io.StringIO()
    screen = Screen(file=output, width=60)
    table = Table(title=text)
    table.add_column(text)
    table.add_row(text)
    screen.print(text, table)
    assert printed(output.getvalue())


def test_a_screen_shows_markup_and_emoji_as_they_are() -> None:
    output = io.StringIO()
    Screen(file=output, width=200).print(HOSTILE)
    assert output.getvalue() == (
        r"\x1b]0;title\x1b[2J[bold]x[/] [/nothing] \x9b5n\u202e\udcff :skull:" + "\n"  # Rich drops the simplest ones
    )


def test_the_table_of_hostile_bundles(tmp_path: Path) -> None:
    """Names in manifests, of folders, and reasons."""
    path = write_bundle(tmp_path, variant=HOSTILE)
    invalid = {"verdict": "invalid", "reasons": [{"code": "x", "text": HOSTILE}]}
    other = write_bundle(tmp_path, seed=2, validity=invalid)
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["scenario"]["id"] = HOSTILE
    (path / "manifest.json").write_text(json.dumps(manifest))
    other.rename(other.with_name("[bold]\x1b[5m"))
    (tmp_path / "no bundle [bold]\x1b[5m").mkdir()
    output = io.StringIO()
    print_table(tmp_path, Screen(file=output, width=140))
    assert printed(output.getvalue())
    for how in ("not usable", "not read no bundle"):
        assert rf"{how} [bold]\x1b[5m: " in output.getvalue()
