# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads scenario files; what is wrong with one is a line with file, key, value and what is allowed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from cellbed.error import ScenarioError, as_yaml
from cellbed.scenario.model import Scenario
from cellbed.scenario.traffic import MODELS
from cellbed_formats import bounded_yaml

_Model = TypeVar("_Model", bound=BaseModel)
# So much of a wrong value is shown.
SHOWN_MAX = 80


def read_yaml(path: Path) -> Any:
    """Parsed YAML of a file.

    Raises:
        ScenarioError: unreadable, not YAML, a key given twice, or beyond a bound.
    """
    return read_source(path)[0]


def read_source(path: Path) -> tuple[Any, str]:
    """Parsed YAML of a file, and its text: of one reading, as it may change. Raises as read_yaml()."""
    try:
        content = bounded_yaml.content(path)
        return bounded_yaml.parse(content, str(path)), content.decode(errors="replace")
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror}") from error
    except bounded_yaml.NotYaml as error:
        raise ScenarioError(str(error)) from error


#: What pydantic's types of errors say, where its own words do not say what to write.
_KINDS = {"int": "whole numbers", "float": "numbers", "bool": "true or false", "string": "text", "list": "a list",
          "dict": "a mapping of keys", "model": "a mapping of keys", "tuple": "a list", "finite": "finite numbers"}
_COMPARED = {"ge": "{} or more", "gt": "more than {}", "le": "at most {}", "lt": "less than {}"}


def _limits(error: ErrorDetails, model: type[BaseModel]) -> str:
    """What is wrong or would have been allowed, from a pydantic error."""
    if error["type"] in ("value_error", "kind"):
        return error["msg"].removeprefix("Value error, ")
    ctx, (kind, _, _) = error.get("ctx", {}), error["type"].partition("_")
    if ctx.keys() & _COMPARED.keys():
        return f"allowed {_range(ctx, model, error['loc'])}"
    if error["type"] == "literal_error":
        names = re.sub("'", "", ctx["expected"]).replace(" or ", ", ")
        return f"allowed {names}"
    if "pattern" in ctx:
        return f"allowed text that matches {ctx['pattern']}"
    if "multiple_of" in ctx:
        return f"allowed multiples of {ctx['multiple_of']:.15g}"
    if kind in _KINDS:
        return f"allowed {_KINDS[kind]}"
    return "allowed " + re.sub(r"^Input (should be|is not) (a |an )?", "", error["msg"])


def _range(broken: dict[str, Any], model: type[BaseModel], loc: tuple[Any, ...]) -> str:
    """A number's range: both bounds of its key where it has them, or the one that is broken."""
    bounds = dict(broken)
    for part in _field_at(model, loc):
        bounds = {name: getattr(part, name) for name in _COMPARED if getattr(part, name, None) is not None} | bounds
    if "ge" in bounds and "le" in bounds:
        return f"{bounds['ge']:.15g}..{bounds['le']:.15g}"
    return ", ".join(words.format(f"{bounds[name]:.15g}") for name, words in _COMPARED.items() if name in bounds)


def _entries(limits: dict[str, Any], model: type[BaseModel], loc: tuple[Any, ...]) -> str:
    """How many a list or mapping may have: from its key's limits where both are there, or the one that is broken."""
    bounds = dict(limits)
    for part in _field_at(model, loc):
        bounds = {name: getattr(part, name) for name in ("min_length", "max_length") if hasattr(part, name)} | bounds
    if "max_length" not in bounds:
        return f"allowed {bounds['min_length']} or more"
    return f"allowed {bounds.get('min_length', 0)}..{bounds['max_length']}"


def _location(error: ErrorDetails) -> tuple[Any, ...]:
    """Where the error is in the file; pydantic puts the model of a traffic into its place, too."""
    loc = error["loc"]
    return loc[:2] + loc[3:] if loc[:1] == ("traffic",) and loc[2:3] and loc[2] in MODELS else loc


def described(error: ErrorDetails, model: type[BaseModel]) -> str:
    """An error of pydantic in words: key, value and what is allowed, as YAML has them."""
    return as_yaml(_in_words(error, model))


def _in_words(error: ErrorDetails, model: type[BaseModel]) -> str:
    loc = _location(error)
    key = ".".join(str(part) for part in loc)
    if error["type"] == "extra_forbidden":
        names = _fields_at(model, error["loc"][:-1])
        close = difflib.get_close_matches(str(loc[-1]), names, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"allowed {', '.join(sorted(names))}"
        return f"key '{key}': unknown; {hint}"
    if error["type"] == "missing":
        return f"key '{key}': missing"
    limits = _limits(error, model)
    if not key:
        return limits
    value = error["input"]
    if error["type"] in ("too_long", "too_short"):
        has = f"{len(value)} entries" if value else "value []" if isinstance(value, list) else "no entries"
        return f"key '{_shortened(key)}': {has}: {_entries(error['ctx'], model, error['loc'])}"
    if limits.startswith("key '"):  # one below this one
        return f"key '{_shortened(key)}." + limits.removeprefix("key '")
    if isinstance(value, str | int | float | bool | list | type(None)):
        limits = f"value {_shortened(str(value))}: {limits}"
    return f"key '{_shortened(key)}': {limits}"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def _field_at(model: type[BaseModel], loc: tuple[Any, ...]) -> list[Any]:
    """Limits of the key @loc; none of one within a list or mapping."""
    of = _model_at(model, loc[:-1])
    return next((list(field.metadata) for name, field in of.model_fields.items() if loc[-1] in (name, field.alias)), [])


def _fields_at(model: type[BaseModel], loc: tuple[Any, ...]) -> list[str]:
    """Field names of the model reached through @loc, for suggestions."""
    return [field.alias or name for name, field in _model_at(model, loc).model_fields.items()]


def _model_at(model: type[BaseModel], loc: tuple[Any, ...]) -> type[BaseModel]:
    if loc[:1] == ("traffic",) and loc[2:3]:
        model, loc = MODELS[loc[2]], loc[3:]
    for part in loc:
        field = next((f for n, f in model.model_fields.items() if part in (n, f.alias)), None)
        annotation = field.annotation if field else None
        if field is None:
            continue  # a name in a mapping or an index
        model = next(_models_in(annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models that a key holds, in lists and mappings, too."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _models_in(inner)


def validate(data: Any, path: Path | str) -> Scenario:
    """A scenario from parsed YAML. Raises ScenarioError as validated() does."""
    return validated(data, path, Scenario)


def validated(data: Any, path: Path | str, model: type[_Model]) -> _Model:
    """What a file says, from parsed YAML.

    Raises:
        ScenarioError: one line with file, key, value and what is allowed.
    """
    if not isinstance(data, dict):
        raise ScenarioError(f"{path}: expected a mapping of keys")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ScenarioError(f"{path}: {described(error.errors()[0], model)}") from error
