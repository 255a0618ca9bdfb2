# SPDX-License-Identifier: GPL-2.0-or-later
"""What a figure's series are called, and which comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from cellbed_formats.error import DataError

SEPARATOR = ", "


@dataclass(frozen=True)
class Names:
    """Other names of series, and their order.

    A series is called by its whole name, such as "bbr, second", or by a part of it, "bbr", for all that have the part.

    Attributes:
        labels: what to write in place of a name.
        order: names that come first; the others follow as they are.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] = ()

    @classmethod
    def of_texts(cls, labels: Sequence[str], order: Sequence[str], frame: pl.DataFrame) -> Names:
        """Of NAME=TEXT, where a name may have "=" in it.

        Raises:
            DataError: no series of `frame` has such a name.
        """
        known = sorted(_known(frame), key=len, reverse=True)
        found = {}
        for text in labels:
            name = next((name for name in known if text.startswith(f"{name}=")), None)
            if name is None:
                raise DataError(f"--label {text}: allowed NAME=TEXT, where NAME is one of {', '.join(_listed(frame))}")
            found[name] = text.removeprefix(f"{name}=")
        return cls(found, order)

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with its series in order and called so.

        Raises:
            DataError: no series has a name that is ordered or labelled.
        """
        if "series" not in frame.columns or not (self.labels or self.order):
            return frame
        known = _known(frame)
        for option, names in (("--label", self.labels), ("--order", self.order)):
            for name in names:
                if name not in known:
                    raise DataError(f"{option} {name}: allowed {', '.join(_listed(frame))}")
        series = frame["series"].unique(maintain_order=True).to_list()
        placed = sorted(series, key=self._place)
        renamed = {name: self._label(name) for name in series}
        places = pl.col("series").replace_strict({name: i for i, name in enumerate(placed)}, return_dtype=pl.Int64)
        return frame.sort(places, maintain_order=True).with_columns(pl.col("series").replace_strict(renamed))

    def _place(self, name: str) -> int:
        of = [name, *name.split(SEPARATOR)]
        return next((i for i, wanted in enumerate(self.order) if wanted in of), len(self.order))

    def _label(self, name: str) -> str:
        if name in self.labels:
            return self.labels[name]
        return SEPARATOR.join(self.labels.get(part, part) for part in name.split(SEPARATOR))


def _listed(frame: pl.DataFrame) -> list[str]:
    """Whole names, then their parts, each once."""
    whole = [str(name) for name in frame["series"].unique(maintain_order=True)]
    return list(dict.fromkeys([*whole, *(part for name in whole for part in name.split(SEPARATOR))]))


def _known(frame: pl.DataFrame) -> frozenset[str]:
    return frozenset(_listed(frame))
