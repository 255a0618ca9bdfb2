# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables for terminals of any width: columns that do not fit are left out and named, numbers are never cut.

A table that has room for too few columns puts names on lines of their own, and then each number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

#: Of a column of words, which wraps, at least so much is seen in a line.
WORDS_WIDTH = 14
#: What a table takes beside its cells: of the box once, and of padding and box for each column.
EDGE, PADDING, GAP = 1, 1, 2
ALWAYS = 1_000_000

#: A number as cells have it, with its interval, its unit or a second one.
NUMBERS = re.compile(r"[-+(]?\d[^:\[\]]{0,30}")

Cell = str | Text


@dataclass(frozen=True)
class Column:
    """A column of numbers, or of words, which may wrap; those of the least `keep` are left out first."""

    title: str
    words: bool = False
    keep: int = ALWAYS


class Fitted:
    """A table that measures itself when it is printed."""

    def __init__(self, title: str, *columns: Column) -> None:
        """An empty table. Columns in which no row has anything are not shown."""
        self.title, self.columns = title, columns
        self.rows: list[tuple[tuple[Text, ...], str | None]] = []

    def add_row(self, *cells: Cell, style: str | None = None) -> None:
        """A row, with a cell for each column."""
        texts = tuple(cell if isinstance(cell, Text) else Text(cell) for cell in cells)
        if len(texts) != len(self.columns):
            raise ValueError(f"{len(texts)} cells for {len(self.columns)} columns")
        self.rows.append((texts, style))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """As much of the table as fits: in rows; each name on a line of its own; or a line for each number."""
        width = options.max_width
        said = [i for i, column in enumerate(self.columns)
                if column.keep == ALWAYS or any(cells[i].plain for cells, _ in self.rows)]
        chosen = self._fitting(said, width)
        names = said[:1] if said and self.columns[said[0]].words else []
        beside = self._fitting([i for i in said if i not in names], width)
        if names and len(beside) + 1 > len(chosen) and beside and self._fits(beside, width):
            yield from self._named(names[0], beside, width)
            chosen = [*names, *beside]
        elif self._fits(chosen, width):
            yield self._table(chosen, width)
        else:
            yield from self._lines(said, width)
            chosen = said
        if left := [self.columns[i].title for i in said if i not in chosen]:
            yield Text(f"not shown for want of room: {', '.join(left)}", style="dim")

    def _fits(self, chosen: list[int], width: int) -> bool:
        numbers = [i for i in chosen if not self.columns[i].words]
        return self._taken(chosen) <= width and (bool(numbers) or all(column.words for column in self.columns))

    def _taken(self, chosen: list[int]) -> int:
        return EDGE + sum(self._least_width(i) + GAP for i in chosen)

    def _fitting(self, chosen: list[int], width: int) -> list[int]:
        while chosen and self._taken(chosen) > width:
            least = min(chosen, key=lambda i: (self.columns[i].keep, -i))
            if self.columns[least].keep == ALWAYS:
                break
            chosen = [i for i in chosen if i != least]
        return chosen

    def _least_width(self, i: int) -> int:
        """Cells that a column needs: for its longest number, and the longest word of its title."""
        column = self.columns[i]
        lines = [line for cells, _ in self.rows for line in cells[i].plain.split("\n")]
        numbers = [cell_len(line) for line in lines if NUMBERS.fullmatch(line)]
        words = [min(cell_len(line), WORDS_WIDTH) for line in lines]
        title = max(map(cell_len, column.title.split()), default=0)
        return max(title, *words, *numbers, 1) if words or numbers else max(title, 1)

    def _widths(self, chosen: list[int], width: int) -> list[int]:
        """The least ones, with what is left given to titles of numbers first, then to words, from the left."""
        widths = [self._least_width(i) for i in chosen]
        left = width - self._taken(chosen)
        for words in (False, True):
            for place, i in enumerate(chosen):
                if self.columns[i].words == words:
                    longest = max((cell_len(line) for cells, _ in self.rows for line in cells[i].plain.split("\n")),
                                  default=0)
                    more = min(max(cell_len(self.columns[i].title), longest) - widths[place], left)
                    widths[place] += max(more, 0)
                    left -= max(more, 0)
        return widths

    def _table(self, chosen: list[int], width: int) -> Table:
        made = Table(title=self.title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD,
                     padding=(0, PADDING, 0, 0))  # fmt: skip
        for i, own in zip(chosen, self._widths(chosen, width), strict=True):
            words = self.columns[i].words
            made.add_column(self.columns[i].title, justify="left" if words else "right", overflow="fold", width=own)
        for cells, style in self.rows:
            made.add_row(*(cells[i] for i in chosen), style=style)
        return made

    def _named(self, name: int, chosen: list[int], width: int) -> Iterator[RenderableType]:
        """Names above their rows, as they would take the place of numbers."""
        if self.title:
            yield Text(self.title, style="bold")
        if self.columns[name].title:
            yield Text(self.columns[name].title, style="bold", overflow="fold")
        widths = self._widths(chosen, width)
        yield self._row(chosen, widths, [Text(self.columns[i].title, style="bold") for i in chosen], None)
        for cells, style in self.rows:
            yield Text(cells[name].plain, style=style or "", overflow="fold")
            yield self._row(chosen, widths, [cells[i] for i in chosen], style)

    def _row(self, chosen: list[int], widths: list[int], cells: list[Text], style: str | None) -> Table:
        row = Table(box=None, padding=(0, GAP, 0, 0), show_header=False, pad_edge=False)
        for i, own in zip(chosen, widths, strict=True):
            row.add_column(justify="left" if self.columns[i].words else "right", overflow="fold", width=own)
        row.add_row(*cells, style=style)
        return row

    def _lines(self, chosen: list[int], width: int) -> Iterator[RenderableType]:
        """A line for each number, with its title; on two lines where they do not fit on one."""
        if self.title:
            yield Text(self.title, style="bold")
        for cells, style in self.rows:
            for i in chosen:
                title, text = self.columns[i].title, cells[i]
                if not text.plain:
                    continue
                flat = Text(" ".join(text.plain.split("\n")), style=style or text.style)
                if cell_len(title) + 1 + cell_len(flat.plain) > width:
                    yield Text(title, overflow="fold")
                    yield Text("\n").join(Text(part, style=flat.style, overflow="fold")
                                          for part in text.plain.split("\n"))
                else:
                    yield Text(f"{title} ") + flat
            yield Text("")
