# SPDX-License-Identifier: GPL-2.0-or-later
"""What every part of the scenario model is made of."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from cellbed.unit import parse_rate, parse_size

# What keys of several parts hold; sizes and rates with their units.
Size = Annotated[int, BeforeValidator(parse_size)]
Rate = Annotated[int, BeforeValidator(parse_rate)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,11}$")]
Probability = Annotated[float, Field(ge=0, le=1)]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=False)


def known(key: str, value: str, names: dict[str, Any]) -> None:
    """Refuse a name that is not among `names`."""
    if value not in names:
        raise ValueError(f"key '{key}': value '{value}': allowed {', '.join(names) or 'none, there is no such node'}")
