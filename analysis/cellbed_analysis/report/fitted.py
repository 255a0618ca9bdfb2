# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables for terminals of any width: columns that do not fit are left out and named, numbers are never cut."""

from __future__ import annotations

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
        """As much of the table as fits."""
        said = [i for i, column in enumerate(self.columns)
                if column.keep == ALWAYS or any(cells[i].plain for cells, _ in self.rows)]
        chosen = self._fitting(said, options.max_width)
        yield self._table(chosen)
        if left := [self.columns[i].title for i in said if i not in chosen]:
            yield Text(f"not shown for want of room: {', '.join(left)}", style="dim")

    def _fitting(self, chosen: list[int], width: int) -> list[int]:
        while EDGE + sum(self._least_width(i) + GAP for i in chosen) > width:
            least = min(chosen, key=lambda i: (self.columns[i].keep, -i))
            if self.columns[least].keep == ALWAYS:
                break
            chosen = [i for i in chosen if i != least]
        return chosen

    def _least_width(self, i: int) -> int:
        column = self.columns[i]
        longest = max((cell_len(line) for cells, _ in self.rows for line in cells[i].plain.split("\n")), default=0)
        title = max(map(cell_len, column.title.split()), default=0)
        return max(title, min(longest, WORDS_WIDTH) if column.words else longest)

    def _table(self, chosen: list[int]) -> Table:
        made = Table(title=self.title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD,
                     padding=(0, PADDING, 0, 0))  # fmt: skip
        for i in chosen:
            words = self.columns[i].words
            made.add_column(self.columns[i].title, justify="left" if words else "right", no_wrap=not words,
                            overflow="fold", min_width=self._least_width(i))  # fmt: skip
        for cells, style in self.rows:
            made.add_row(*(cells[i] for i in chosen), style=style)
        return made
