# SPDX-License-Identifier: GPL-2.0-or-later
"""How the daemon stores a number follows from its type, whatever its key is called."""

import pytest
from pydantic import BaseModel

from cellbed.scenario import daemon_keys
from cellbed.scenario.fields import Decibel, ErrorRate, Key, Probability


class Keys(BaseModel):
    ratio_db: Probability = Key(0.25, says="a probability with the name of a level")
    errors: ErrorRate = Key(0.1, 0, 0.5, says="a probability with limits of its own")
    level: Decibel = Key(3.0, 0, 15, says="a level without the unit in its name")
    bare: float = Key(1.0, 0, 2, says="a number that counts nothing known")


def value(name: str) -> daemon_keys.Value:
    found = daemon_keys._value("section", "", name, Keys.model_fields[name])
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "kind", "high"), [
    ("ratio_db", "KIND_PROBABILITY", 1), ("errors", "KIND_PROBABILITY", 0.5), ("level", "KIND_DB_TO_CDB", 15),
])  # fmt: skip
def test_the_type_decides(name, kind, high):
    assert (value(name).kind, value(name).high) == (kind, high)


def test_a_number_without_a_unit_is_refused():
    with pytest.raises(TypeError, match="bare: float without a unit"):
        value("bare")
