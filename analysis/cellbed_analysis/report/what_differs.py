# SPDX-License-Identifier: GPL-2.0-or-later
"""What made one run different from another: settings, seed, lab, programs, and files that commands name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cellbed_formats.bundle import Bundle

from ..metrics.identity import scalars
from .fitted import Column, Fitted

#: Keys of a run description, in the order shown. The scenario's name and prose decide nothing.
PARTS = ("settings", "seed", "lab", "memory_mib", "programs", "files")
#: Of a digest so much is shown.
DIGEST_HEX, SHOWN_HEX = 64, 12
ABSENT = "-"


@dataclass(frozen=True)
class Difference:
    """A key in which two run descriptions differ, with both values as text."""

    key: str
    first: str
    second: str


def differences(first: Bundle, second: Bundle) -> list[Difference]:
    """What two run descriptions do not have in common; empty when one is a repetition of the other."""
    one, two = (dict(_values(bundle)) for bundle in (first, second))
    keys = [*one, *(key for key in two if key not in one)]
    return [
        Difference(key, _text(one.get(key, ABSENT)), _text(two.get(key, ABSENT)))
        for key in keys
        if one.get(key, ABSENT) != two.get(key, ABSENT)
    ]


def table(found: list[Difference], first: Bundle, second: Bundle) -> Fitted:
    """The differences for people."""
    title = "what differs" if found else "nothing differs: one run is a repetition of the other"
    made = Fitted(title, Column("key", words=True), *(Column(bundle.path.name) for bundle in (first, second)))
    for line in found:
        made.add_row(line.key, line.first, line.second)
    return made


def _values(bundle: Bundle) -> Iterator[tuple[str, Any]]:
    description = bundle.manifest["description"]
    for part in PARTS:
        for key, value in scalars(description.get(part)):
            # Keys of settings are those of scenarios; the rest names its part.
            yield key if part == "settings" else f"{part}.{key}" if key else part, value


def _text(value: Any) -> str:
    text = str(value)
    digest = len(text) == DIGEST_HEX and set(text) <= set("0123456789abcdef")
    return text[:SHOWN_HEX] if digest else text
