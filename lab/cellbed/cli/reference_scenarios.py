# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys that scenarios/reference*.yaml lack, with their defaults. `make reference` adds them.

What is in these files is an example, and its comments are shorter than the meanings, so people write both. That a key
is shown at all follows from the model, and so do its place, its default and what it may be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from cellbed.error import ScenarioError
from cellbed.scenario import handover, nr, radio_system

#: Key, what is allowed, default and meaning, as the list of keys has them.
Row = tuple[str, str, str, str]

_COMMENT_COLUMN = 32
_MEANING_MAX = 80  # characters of a meaning that stand beside a key
_BEARER = "radio.ues.<name>.bearers[]."
_SECTIONS = {"radio.channel.route": "route", "radio.channel.route.beams": "nr-handover",
             "radio.handover.a3": "route", "radio.handover.detach_times": "route",
             "radio.handover.preparation_times": "route", "radio.handover.condition": "nr-handover",
             "radio.handover.link_failure": "nr-handover", "mptcp": "radios"}


def file_of(key: str) -> str | None:
    """Which file shows a key; None for one of another system that a UE has as the radio has it, which shows it."""
    shown_in = {**_SECTIONS, **{f"radio.{system}": system.replace("_", "-") for system in radio_system.others()}}
    for section in sorted(shown_in, key=len, reverse=True):  # a section within another one first
        if key.startswith(f"{section}."):
            return f"reference-{shown_in[section]}.yaml"
    of_bearer = key.startswith(_BEARER)
    section, _, last = key.removeprefix(_BEARER if of_bearer else "radio.").rpartition(".")
    if last in nr.ONLY_IN_NR.get(section, ()):
        name = "reference-nr-handover.yaml" if section == "handover" else "reference-nr.yaml"
        return None if of_bearer else name
    of_ue = key.removeprefix("radio.ues.<name>.").split(".")
    if of_ue[0] in nr.SECOND_CELL or (len(of_ue) > 1 and of_ue[0] in radio_system.others()):
        return None
    return "reference.yaml"


def completed(name: str, text: str, rows: Sequence[Row]) -> str:
    """A file with all keys that it has to show.

    Args:
        name: of the file.
        text: what is in it.
        rows: the list of keys.

    Raises:
        ScenarioError: a key is missing that needs an example: it has no default, or its section is missing, too.
    """
    root = yaml.compose(text)
    for row in rows:
        if file_of(row[0]) != name:
            continue
        above, _, last = row[0].rpartition(".")
        parents = list(_mappings([root] if root else [], above.split(".") if above else []))
        if any(_value(parent, last) for parent in parents):
            continue
        if not parents or row[2] == "*required*":
            raise ScenarioError(f"scenarios/{name}: key '{row[0]}': missing, and without a default or a section; write "
                                "an example there")
        text = _with(text, parents[0], row, _siblings(above, rows))
        root = yaml.compose(text)
    return text


def _value(node: yaml.Node, key: str) -> yaml.Node | None:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for name, value in pairs if name.value == key), None)


def _mappings(nodes: list[yaml.Node], steps: Sequence[str]) -> Iterator[yaml.MappingNode]:
    """Mappings in which a key may be shown: that of any name, and any entry of a list."""
    for step in steps:
        key, _, kinds = step.removesuffix("]").partition("[")
        if key == "<name>":
            nodes = [value for node in nodes if isinstance(node, yaml.MappingNode) for _, value in node.value]
        else:
            nodes = [value for node in nodes if (value := _value(node, key)) is not None]
        if step.endswith("]"):
            nodes = [entry for node in nodes if isinstance(node, yaml.SequenceNode) for entry in node.value
                     if not kinds or _kind(entry) in kinds.split(", ")]
    return (node for node in nodes if isinstance(node, yaml.MappingNode))


def _kind(entry: yaml.Node) -> str:
    kind = _value(entry, "kind")
    return "iperf3" if kind is None else str(kind.value)


def _siblings(above: str, rows: Sequence[Row]) -> list[str]:
    """Keys of a section in the order of its model."""
    prefix = f"{above}." if above else ""
    return list(dict.fromkeys(re.split(r"[.\[]", key.removeprefix(prefix), maxsplit=1)[0]
                              for key, *_ in rows if key.startswith(prefix)))


def _with(text: str, section: yaml.MappingNode, row: Row, siblings: Sequence[str]) -> str:
    """A key behind those that the model has before it."""
    key, allowed, default, meaning = row
    last = key.rpartition(".")[2]
    empty = {"list": "[]", "mapping": "{}"}.get(re.split(r"\W", allowed)[0], '""')
    entry = f"{last}: {_begins_with(key, default) or empty}"
    if section.flow_style:
        at = section.end_mark.index - 1
        return f"{text[:at]}{', ' if section.value else ''}{entry}{text[at:]}"
    before = siblings[:siblings.index(last)]
    ends = [_last_line(value) for name, value in section.value if name.value in before]
    at = max(ends) + 1 if ends else section.start_mark.line
    indent = " " * section.value[0][0].start_mark.column
    line = f"{indent + entry:<{_COMMENT_COLUMN - 1}} # {_comment(allowed, meaning)}\n"
    lines = text.splitlines(keepends=True)
    return "".join([*lines[:at], line, *lines[at:]])


def _last_line(node: yaml.Node) -> int:
    """Of what a node has; a block ends for YAML where the next one begins."""
    if not isinstance(node, yaml.CollectionNode) or node.flow_style or not node.value:
        return int(node.end_mark.line)
    last = node.value[-1]
    return _last_line(last[1] if isinstance(last, tuple) else last)


def _begins_with(key: str, default: str) -> str:
    """A default as YAML, that of NR where NR has one of its own."""
    section, _, last = key.removeprefix("radio.").rpartition(".")
    own: Mapping[str, Any] = handover.ONLY_IN_NR if section == "handover" else nr.DEFAULTS.get(section, {})
    if last in nr.ONLY_IN_NR.get(section, ()) and last in own:
        return json.dumps(own[last])
    return default


def _comment(allowed: str, meaning: str) -> str:
    """What a key may be, and what it means where that is short."""
    says = re.split(r"[.;] ", meaning)[0]
    words = re.search(r"[-\w.]+\.\.[\w.]*\w", allowed) or re.search(r"(?<=`).*(?=`)", allowed)
    shown = [says if len(says) <= _MEANING_MAX and not says.startswith("`") else "",
             words[0] if words and allowed != "`true`, `false`" else ""]
    return (", ".join(filter(None, shown)) or allowed).replace("`", "")
