# SPDX-License-Identifier: GPL-2.0-or-later
"""What every part of the scenario model is made of."""

from __future__ import annotations

import enum
import functools
import re
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, TypeVar

from annotated_types import Ge, Le
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from cellbed.scenario.unit import parse_rate, parse_size

_Parameters = TypeVar("_Parameters", bound=BaseModel)


class Unit(enum.Enum):
    """What a number counts: it decides how the daemon stores it."""

    PROBABILITY = enum.auto()
    DECIBEL = enum.auto()
    MILLISECOND = enum.auto()
    MICROSECOND = enum.auto()
    TTI = enum.auto()
    SLOT = enum.auto()
    BIT_PER_SECOND = enum.auto()


# What keys of several parts hold; sizes and rates with their units.
Size = Annotated[int, BeforeValidator(parse_size), Field(json_schema_extra={"quantity": "size"})]
Rate = Annotated[int, Unit.BIT_PER_SECOND, BeforeValidator(parse_rate), Field(json_schema_extra={"quantity": "rate"})]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,11}$")]
Probability = Annotated[float, Unit.PROBABILITY, Field(ge=0, le=1)]
ErrorRate = Annotated[float, Unit.PROBABILITY]  # a probability whose key has narrower limits
Decibel = Annotated[float, Unit.DECIBEL]
Milliseconds = Annotated[int, Unit.MILLISECOND]
Microseconds = Annotated[int, Unit.MICROSECOND]
Ttis = Annotated[int, Unit.TTI]
Slots = Annotated[int, Unit.SLOT]
BitsPerSecond = Annotated[int, Unit.BIT_PER_SECOND]  # Rate is written with a unit, and this is not
# 15 bytes and a zero. Source: Linux, include/net/tcp.h, TCP_CA_NAME_MAX
CongestionControl = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$")]

# A bundle's folder has a seed, an identity and a process beside its label, 255 bytes in all.
_LABEL = re.compile(r"[A-Za-z0-9](?:[ -~](?<![/\\])){0,149}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def parse_label(text: str) -> str:
    """Check what becomes part of a folder's name. Raises ValueError with what is allowed."""
    if not _LABEL.fullmatch(text):
        raise ValueError("a folder gets this name; allowed 1 to 150 printable ASCII characters except / and \\, with a "
                         "letter or digit first")
    return text


def parse_path(text: str) -> str:
    """Check the path of a file. Raises ValueError with what is allowed."""
    if not text or _CONTROL.search(text):
        raise ValueError("it is empty or has control characters; allowed the path of a file")
    return text


def parse_word(text: str) -> str:
    """Check what a program is given. Raises ValueError with what is allowed."""
    if "\0" in text:
        raise ValueError("no program can be given the character NUL; allowed all others")
    return text


# Names of what a scenario has and makes: variants; files that it names; words and variables of programs.
Label = Annotated[str, AfterValidator(parse_label)]
FilePath = Annotated[str, AfterValidator(parse_path)]
Word = Annotated[str, AfterValidator(parse_word)]


class Model(BaseModel):
    # Built when it is first used: a scenario's model has all the others in it, which need not be built apart.
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=False, defer_build=True,
                              allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def numbers_are_no_truths(cls, value: Any, info: ValidationInfo) -> Any:
        """Python takes true for 1, and what is validated leniently does so, too."""
        if info.field_name in _numbers(cls) and _has_truth(value):
            raise ValueError("true and false are no numbers; allowed numbers")
        return value


@functools.cache
def _numbers(model: type[BaseModel]) -> frozenset[str]:
    """Keys of a model that hold numbers, alone or in lists and mappings, and nothing that may be true."""
    found = {name: set(_parts(field.annotation)) for name, field in model.model_fields.items()}
    return frozenset(name for name, parts in found.items() if parts & {int, float} and not parts & {bool, Any})


def _parts(annotation: Any) -> Iterator[Any]:
    """Types that an annotation is made of, and those of the values that it names."""
    if typing.get_origin(annotation) is typing.Literal:
        yield from map(type, typing.get_args(annotation))
        return
    inner = typing.get_args(annotation)
    if inner and typing.get_origin(annotation) is Annotated:
        inner = inner[:1]
    for part in inner:
        yield from _parts(part)
    if not inner:
        yield annotation


def _has_truth(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_truth, value.values()))
    return any(map(_has_truth, value)) if isinstance(value, list | tuple) else isinstance(value, bool)


def Key(default: Any, low: float | None = None, high: float | None = None, *, says: str,
        keys_of: str | None = None, **limits: Any) -> Any:  # noqa: N802 (like Field)
    """A key of a scenario, said once: pages, a JSON Schema and the radio daemon's tables are made of it.

    Args:
        default: `...` for a key that a scenario has to have.
        low, high: its range, in the unit that its name ends with.
        says: meaning and source; what is true of one value alone is said after that value.
        limits: others of pydantic's Field.
        keys_of: another key, whose keys this one has, or has below each of its names.
    """
    if keys_of is not None:
        limits["json_schema_extra"] = {"keys_of": keys_of}
    return Field(default, ge=low, le=high, description=says, **limits)


def unset(value: Any) -> bool:
    """Of keys that came later: null leaves them out of descriptions, whose hashes stay."""
    return value is None


def parameters(model: type[_Parameters], found: Mapping[str, Any]) -> _Parameters:
    """What words of tc(8) gave, as the model has it. Raises ValueError with key, value and range."""
    try:
        return model.model_validate(found)
    except ValidationError as wrong:
        error = wrong.errors()[0]
        key = str(error["loc"][0])
        limits = model.model_fields[key].metadata
        low = next(limit.ge for limit in limits if isinstance(limit, Ge))
        high = next(limit.le for limit in limits if isinstance(limit, Le))
        raise ValueError(f"{key}: value {error['input']}: allowed {low}..{high}") from None


def known(key: str, value: str, names: dict[str, Any]) -> None:
    """Refuse a name that is not among `names`."""
    if value not in names:
        raise ValueError(f"key '{key}': value '{value}': " + (
            f"allowed {', '.join(names)}" if names else "the scenario has no node that fits; add one to nodes"))
