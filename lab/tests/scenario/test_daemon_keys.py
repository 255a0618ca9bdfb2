# SPDX-License-Identifier: GPL-2.0-or-later
"""How the daemon stores a number follows from its type, whatever its key is called."""

import pytest
from pydantic import BaseModel

from cellbed.scenario import daemon_keys
from cellbed.scenario.fields import (
    BitsPerSecond,
    Decibel,
    ErrorRate,
    Key,
    Microseconds,
    Milliseconds,
    Probability,
    Unit,
)

# What names end with, and what they count then.
UNITS = {"ms": Unit.MILLISECOND, "us": Unit.MICROSECOND, "tti": Unit.TTI, "slots": Unit.SLOT,
         "bps": Unit.BIT_PER_SECOND, "rate": Unit.BIT_PER_SECOND}
BIT_RATES = ("gbr", "mbr")  # of TS 23.501, which have a direction behind them


class Keys(BaseModel):
    ratio_db: Probability = Key(0.25, says="a probability with the name of a level")
    errors: ErrorRate = Key(0.1, 0, 0.5, says="a probability with limits of its own")
    level: Decibel = Key(3.0, 0, 15, says="a level without the unit in its name")
    wait: Milliseconds = Key(4, 0, 10, says="a time without the unit in its name")
    lead: Microseconds = Key(250, 0, 999, says="another one")
    most: BitsPerSecond = Key(1000, 0, 10**6, says="a rate")
    count_ms: int = Key(4, 0, 10, says="a number with the name of a time")
    bare: float = Key(1.0, 0, 2, says="a number that counts nothing known")


def value(name: str, place: str = "") -> daemon_keys.Value:
    found = daemon_keys._value("section", place or name, name, Keys.model_fields[name])
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "kind", "high"), [
    ("ratio_db", "KIND_PROBABILITY", 1), ("errors", "KIND_PROBABILITY", 0.5), ("level", "KIND_DB_TO_CDB", 15),
])  # fmt: skip
def test_the_type_decides(name, kind, high):
    assert (value(name).kind, value(name).high) == (kind, high)


@pytest.mark.parametrize(("name", "place", "kind", "field"), [
    ("wait", "wait_tti", "KIND_MS_TO_TTI", "wait_tti"), ("wait", "wait_ms", "KIND_UINT", "wait_ms"),
    ("lead", "lead_ns", "KIND_US_TO_NS", "lead_ns"), ("most", "most", "KIND_UINT", "most_bps"),
    ("count_ms", "count_tti", "KIND_UINT", "count_tti"),
])  # fmt: skip
def test_the_type_of_a_whole_number_decides(name, place, kind, field):
    assert (value(name, place).kind, value(name, place).field) == (kind, field)


def test_names_and_types_say_the_same_unit():
    seen = set()
    for section, (model, _) in daemon_keys._SECTIONS.items():
        for name, info in model.model_fields.items():
            units = {unit for unit in daemon_keys._metadata(info) if isinstance(unit, Unit)}
            value = daemon_keys._value(section, name, name, info)
            if value is None or value.kind not in ("KIND_UINT", "KIND_MS_TO_TTI", "KIND_US_TO_NS") or value.choices:
                continue
            end = "rate" if name.startswith(BIT_RATES) else name.rpartition("_")[2]
            assert units == ({UNITS[end]} if end in UNITS else set()), f"{section}.{name}"
            seen |= units
    assert seen == set(UNITS.values())


def test_a_number_without_a_unit_is_refused():
    with pytest.raises(TypeError, match="bare: float without a unit"):
        value("bare")
