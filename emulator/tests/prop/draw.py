# SPDX-License-Identifier: GPL-2.0-or-later
"""Random plans out of bytes: every choice takes one or two, and a key of a configuration has the range of its model.

Hypothesis draws the bytes at once, which costs a tenth of drawing each value by itself. It shrinks what fails towards
zeros: zero is the first choice, the default of a key and the least of a number, and so are choices beyond the last
byte. Ranges are those of cfg_values.h, which is made of the models of scenarios, so a new key is drawn without being
named here.
"""

import re
from collections.abc import Callable
from typing import Any

from coreffi import BUILD
from hypothesis import strategies as st

_DEFAULT, _LOW, _HIGH = 96, 112, 128  # the first byte of a key: below these, and some other value from there on
_VALUES = 2**15  # of the byte and the next one then
_Q32 = 2**32 - 1
_TABLE = re.compile(r"#define (CFG\w*_(?:DRAWN|LIMITS)) \\\n((?:\t.*\n)+)")
_LIMIT = re.compile(r"LIMIT\(\w+, ([\w.]+), (\d+), (\d+)\)")


def _tables() -> dict[str, dict[str, tuple[int, int]]]:
    text = (BUILD / "emulator/core/cfg_values.h").read_text()
    return {name: {field: (int(low), int(high)) for field, low, high in _LIMIT.findall(lines)}
            for name, lines in _TABLE.findall(text)}


_TABLES = _tables()


def limits(table: str = "CFG") -> dict[str, tuple[int, int]]:
    """What the core takes of each field of a table that has a range; the tables are those of Choices.keys()."""
    return _TABLES[f"{table}_LIMITS"]


class Choices:
    """What bytes choose, one after the other."""

    def __init__(self, data: bytes):
        self._data, self._at = data, 0

    def byte(self) -> int:
        at = self._at
        self._at = at + 1
        return self._data[at] if at < len(self._data) else 0

    def number(self, low: int, high: int) -> int:
        """Any number of the range, ends included, each equally likely."""
        span = high - low + 1
        return low + (self.byte() * span >> 8 if span <= 64 else (self.byte() << 8 | self.byte()) * span >> 16)

    def pick(self, *values: Any) -> Any:
        """One of them."""
        return values[self.byte() * len(values) >> 8]

    def key(self, field: str, low: int, high: int, either: bool) -> int | None:
        """A value of a key, None for its default; small ones as likely as large ones.

        @either: there are no values but the ends.
        """
        first = self.byte()
        if first < _DEFAULT:
            return None
        if first < _HIGH or either:
            return low if first < _LOW or (either and first & 1) else high
        part = ((first - _HIGH) << 8 | self.byte()) / _VALUES  # from 0 on, below 1
        if field.endswith("_q32"):
            return int(part * part * _Q32)
        return low + int((high - low + 1) ** part * (1 - 1e-9) if high - low > 64 else (high - low + 1) * part)

    def keys(self, table: str = "CFG", only: str = "", without: tuple[str, ...] = ()) -> dict[str, int]:
        """Values of the fields of a table, some of them; what is not in it has its default.

        Args:
            table: CFG, CFG_UE, CFG_BEARER, CFG_FILTER, CFG_RECORDED or CFG_NETEM.
            only: what names of fields start with.
            without: what they do not start with.
        """
        found, ranges = {}, limits(table)
        for field, (low, high) in _TABLES[f"{table}_DRAWN"].items():
            if not field.startswith(only) or (without and field.startswith(without)):
                continue
            either = field not in ranges and field.endswith("_bits")
            value = self.key(field, low, high, either)
            if value is not None:
                found[field] = value
        return found


@st.composite
def plans(draw: Callable[..., Any], make: Callable[[Choices], Any], n_bytes: int) -> Any:
    """What @make makes of so many bytes."""
    return make(Choices(draw(st.binary(min_size=n_bytes, max_size=n_bytes))))
