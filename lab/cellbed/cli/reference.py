# SPDX-License-Identifier: GPL-2.0-or-later
"""What is made of the code: pages of commands and keys, and keys that reference scenarios lack. `make reference` writes
them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cellbed.cli import manual, reference_scenarios
from cellbed.cli.lazy import every
from cellbed.cli.reference_scenarios import Row
from cellbed.error import ScenarioError

_MADE = "<!-- made by `make reference` -->\n"
# A key's range in words, by keyword of JSON Schema.
_BOUNDS = {"minimum": "{} or more", "exclusiveMinimum": "more than {}", "maximum": "{} or less",
           "exclusiveMaximum": "less than {}", "pattern": "matches `{}`"}
# What a scenario writes where its model has a number of bytes, or of bits per second.
_QUANTITIES: dict[str, dict[str, Any]] = {
    "size": {"type": ["integer", "string"], "minimum": 0, "pattern": r"^\s*\d+(\.\d+)?\s*([KkMmGg][Ii]?)?[Bb]?\s*$"},
    "rate": {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*[kMG]bit\s*$"}}
_UNITS = {"size": {"TiB": 1 << 40, "GiB": 1 << 30, "MiB": 1 << 20, "MB": 10**6},
          "rate": {"Gbit": 10**9, "Mbit": 10**6, "kbit": 1000}}
_TYPES = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true, false", "null": "null",
          "object": "mapping", "array": "list"}


def commands(group: Any) -> str:
    """Args: group: the command line, as click has it."""
    lines = [f"{_MADE}# Commands\n",
             "This page lists every command with its arguments and options. You need it when `cellbed COMMAND --help` "
             "is not at hand; `cellbed man` prints the same as a manual page. Afterwards you know what to type.\n"]
    for name, command in sorted(every(group).items()):
        lines += [f"## cellbed {name}\n", f"`{' '.join(manual.usage(name, command))}`\n", *_prose(command.help)]
        arguments, options = manual.parameters(command)
        lines += _table(("argument", ""), [(f"`{manual.argument(p)}`", p.help) for p in arguments if p.help])
        lines += _table(("option", ""), [(f"`{_names(p)}`", manual.help_of(p)) for p in options])
    return "\n".join(lines)


def keys(rows: Iterable[Row]) -> str:
    """Args: rows: of the scenario model."""
    rows = [(f"`{row[0]}`", *row[1:]) for row in rows]
    return "\n".join([f"{_MADE}# Keys of a scenario\n",
                      "This page lists every key of a scenario file, with its range, default, meaning and source. "
                      "You need it when you write or change a scenario. Afterwards you know what a key accepts "
                      "and what it does.\n",
                      "[Scenarios](../scenario-format.md) explains what belongs together, with examples. `<name>` "
                      "stands for a name that you choose, `[]` for an entry of a list, with its kind where keys depend "
                      "on that. Editors check and complete keys by [scenario.schema.json](scenario.schema.json).\n",
                      *_table(("key", "allowed", "default", "meaning and source"), rows)])


def _walk(schema: dict[str, Any], shared: dict[str, Any], path: str = "") -> Iterator[Row]:
    required = schema.get("required", [])
    for name, entry in schema.get("properties", {}).items():
        key = f"{path}.{name}" if path else name
        default = "*required*" if name in required else _default(entry)
        below = list(_below(entry, shared))
        if "keys_of" in entry:
            kind = "mappings by name with the keys" if below and below[0][0] else "the keys"
            yield key, f"null, or {kind} of `{entry['keys_of']}`", default, entry["description"]
        elif below:
            if len(below) == 1 and not below[0][0] and default == "null":
                yield key, "null, or the keys below", "null", entry.get("description", "")
            for suffix, inner in below:
                yield from _walk(inner, shared, key + suffix)
        else:
            yield key, _allowed(entry, shared), default, entry.get("description", "")


def _below(entry: dict[str, Any], shared: dict[str, Any], suffix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Models that a key holds, with what comes between."""
    if "$ref" in entry:
        entry = shared[entry["$ref"].rpartition("/")[2]]
    if "properties" in entry:
        yield suffix, entry
    for inner in entry.get("anyOf", entry.get("oneOf", [])):
        yield from _below(inner, shared, suffix)
    if isinstance(items := entry.get("items"), dict):
        for _, inner in _below(items, shared):
            yield f"{suffix}[{_kinds(inner) if 'oneOf' in items else ''}]", inner
    for inner in (entry.get("additionalProperties"), *entry.get("patternProperties", {}).values()):
        if isinstance(inner, dict):
            yield from _below(inner, shared, f"{suffix}.<name>")


def _kinds(schema: dict[str, Any]) -> str:
    """Of an entry, in a list whose entries have different keys."""
    kind = schema["properties"]["kind"]
    return ", ".join(kind.get("enum", [kind.get("const")]))


def _allowed(entry: dict[str, Any], shared: dict[str, Any]) -> str:
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_allowed(inner, shared) for inner in entry["anyOf"]))
    if "enum" in entry or "const" in entry:
        return ", ".join(f"`{value if isinstance(value, str) else json.dumps(value)}`"
                         for value in entry.get("enum", [entry.get("const")]))
    kind = entry.get("quantity") or _TYPES.get(entry.get("type", ""), "any value")
    if entry.get("type") == "array" and isinstance(entry.get("items"), dict):
        kind = f"list{_count(entry)}: {_allowed(entry['items'], shared)}"
    low, high = entry.get("minimum", entry.get("ge")), entry.get("maximum", entry.get("le"))
    if low is not None and high is not None:
        return f"{kind}, {_number(low, kind)}..{_number(high, kind)}"
    return ", ".join([kind, *(words.format(entry[word]) for word, words in _BOUNDS.items() if word in entry)])


def _count(entry: dict[str, Any]) -> str:
    """How many entries a list has."""
    least, most = entry.get("minItems", 0), entry.get("maxItems")
    if most is not None:
        return f" of {least}" if least == most else f" of {least}..{most}"
    return f" of {least} or more" if least else ""


def _number(value: float, kind: str) -> str:
    """With the unit that scenarios write, where it is a whole number of them."""
    for unit, factor in _UNITS.get(kind, {}).items():
        if value and value % factor == 0:
            return f"{value // factor}{unit}"
    return f"{value:g}" if value < 1e6 else str(value)


def _default(entry: dict[str, Any]) -> str:
    """As YAML has it; nothing for what is empty."""
    value = entry.get("default")
    if value in ("", [], {}):
        return ""
    if "quantity" in entry and value is not None:
        return _number(value, entry["quantity"])
    return value if isinstance(value, str) else json.dumps(value)


def for_editors(schema: Any) -> Any:
    """The schema of what is in a file, where sizes and rates have units."""
    if isinstance(schema, list):
        return [for_editors(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(quantity := schema.get("quantity"), str):
        kept = {key: value for key, value in schema.items() if key in ("title", "description", "default")}
        return kept | _QUANTITIES[quantity]
    return {key: for_editors(value) for key, value in schema.items()}


def _names(option: Any) -> str:
    return f"{', '.join([*option.opts, *option.secondary_opts])} {manual.value(option)}".rstrip()


def _prose(text: str | None) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text or ""):
        yield f"{' '.join(paragraph.split())}\n"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    if not rows:
        return []
    lines = [heads, ("---",) * len(heads), *rows]
    return [*(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines), ""]


def made(checkout: Path) -> dict[str, str]:
    """Content by path in the checkout."""
    import typer

    from cellbed.cli.main import app
    from cellbed.scenario.model import Scenario

    schema = Scenario.model_json_schema(by_alias=True)
    rows = list(_walk(schema, schema.get("$defs", {})))
    scenarios = {f"scenarios/{path.name}": reference_scenarios.completed(path.name, path.read_text(), rows)
                 for path in sorted(checkout.glob("scenarios/reference*.yaml"))}
    return {"docs/reference/commands.md": commands(typer.main.get_command(app)),
            "docs/reference/keys.md": keys(rows),
            "docs/reference/scenario.schema.json": json.dumps(for_editors(schema), indent=1, ensure_ascii=False) + "\n",
            **scenarios}


def main() -> None:
    """`reference.py CHECKOUT`: write what has changed."""
    checkout = Path(sys.argv[1])
    try:
        for path, text in made(checkout).items():
            if (checkout / path).read_text() != text:
                (checkout / path).write_text(text)
    except ScenarioError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
