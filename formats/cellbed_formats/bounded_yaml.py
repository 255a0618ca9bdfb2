# SPDX-License-Identifier: GPL-2.0-or-later
"""Third-party YAML, read within bounds, as a few hundred bytes of aliases can stand for more than any memory holds.

Words without quotes mean what YAML 1.2 says: `1:30`, `yes` and `2026-05-01` are texts, 0777 is 777.

Bounds are far above what scenarios and claims need: the largest of the project has 39 kB.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

from . import named_file

BYTES_MAX = 256 << 10
NODES_MAX = 50_000  # values, lists and mappings, an alias counted as what it stands for
DEPTH_MAX = 32


# Source: YAML 1.2.2, 10.3.2, core schema
_TAG = "tag:yaml.org,2002:"
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|"
                    r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NULL = re.compile(r"null|Null|NULL|~|")
_PLAIN = (("bool", _BOOL, "tTfF"), ("int", _INT, "-+0123456789"), ("float", _FLOAT, "-+.0123456789"),
          ("null", _NULL, ["~", "n", "N", ""]))


class NotYaml(ValueError):
    """What is wrong with a text, in one line, with the file and line it is in."""


class _Loader(Composer, yaml.CSafeLoader):
    """Safe YAML without duplicate keys, the second of which would silently win, and within the bounds.

    libyaml reads it, in a fifth of the time that Python would need. What it composes has no bounds: Python does that.
    """

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # without those of YAML 1.1

    def __init__(self, text: bytes | str, name: str) -> None:
        Composer.__init__(self)
        yaml.CSafeLoader.__init__(self, text)
        self.name = name
        self.nodes = self.depth = 0
        self.sizes: dict[yaml.Node | None, int] = {}  # of finished nodes, all below them included

    def refuse(self, mark: Any, text: str) -> NotYaml:
        return NotYaml(f"{self.name}:{mark.line + 1}: {text}")

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[union-attr]
        before = self.nodes
        if self.check_event(yaml.AliasEvent):
            node = super().compose_node(parent, index)
            if node not in self.sizes:
                raise self.refuse(mark, "an alias that contains itself")
            self.nodes += self.sizes[node]
        else:
            self.nodes += 1
            self.depth += 1
            if self.depth > DEPTH_MAX:
                raise self.refuse(mark, f"nested deeper than allowed, {DEPTH_MAX}")
            node = super().compose_node(parent, index)
            self.depth -= 1
            self.sizes[node] = self.nodes - before
        if self.nodes > NODES_MAX:
            raise self.refuse(mark, f"more values than allowed, {NODES_MAX}, with what aliases stand for")
        return node


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Hashable, Any]:
    seen = set()
    for key_node, _ in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise loader.refuse(key_node.start_mark, "a list or mapping as a key: allowed words and numbers")
        key = loader.construct_object(key_node)
        if key in seen:
            raise loader.refuse(key_node.start_mark, f"key '{key}': given twice")
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


def _scalar(loader: _Loader, node: yaml.ScalarNode, allowed: re.Pattern[str]) -> str:
    """The text of a node; one with a tag of its own may say anything."""
    text = loader.construct_scalar(node)
    if not isinstance(text, str) or not allowed.fullmatch(text):
        raise loader.refuse(node.start_mark, f"not YAML: '{str(text)[:40]}': allowed what {node.tag} is in YAML 1.2")
    return text


def _bool(loader: _Loader, node: yaml.ScalarNode) -> bool:
    return _scalar(loader, node, _BOOL).lower() == "true"


def _int(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = _scalar(loader, node, _INT)
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


def _float(loader: _Loader, node: yaml.ScalarNode) -> float:
    return float(_scalar(loader, node, _FLOAT).lower().replace(".inf", "inf").replace(".nan", "nan"))


class _Dumper(yaml.SafeDumper):
    """Writes what YAML 1.1 and YAML 1.2 read alike: a text that either takes for something else has quotes.

    Lists are indented below their keys, as yamllint wants them and the scenarios here have them.
    """

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
for _name, _construct in (("bool", _bool), ("int", _int), ("float", _float)):
    _Loader.add_constructor(_TAG + _name, _construct)
for _name, _pattern, _first in _PLAIN:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_TAG + _name, re.compile(rf"(?:{_pattern.pattern})\Z"), list(_first))


def dump(value: Any, **options: Any) -> str:
    """The text of a value, which parse() reads as the same. Args: options: of yaml.dump()."""
    text: str = yaml.dump(value, Dumper=_Dumper, **options)
    return text


def parse(text: bytes | str, name: str) -> Any:
    """The value of a text.

    Args:
        name: of the text, for messages.

    Raises:
        NotYaml: it is none, has a key twice, or is beyond a bound.
    """
    if len(text) > BYTES_MAX:
        raise NotYaml(f"{name}: more bytes than allowed, {BYTES_MAX}")
    try:
        return _Loader(text, name).get_single_data()
    except NotYaml:
        raise
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # libyaml reads ahead of what is counted here, and its newer releases have a bound of their own.
        if (mark := getattr(error, "problem_mark", None)) and "maximum nesting depth" in str(error):
            raise NotYaml(f"{name}:{mark.line + 1}: nested deeper than allowed, {DEPTH_MAX}") from error
        raise NotYaml(f"{name}: not YAML: {' '.join(str(error).split())}") from error


def read(path: Path) -> Any:
    """The value of a file.

    Raises:
        NotYaml: as parse().
        OSError: it cannot be read.
    """
    return parse(content(path), str(path))


def content(path: Path) -> bytes:
    """What a file holds; of one that is too large enough that parse() refuses it. Raises OSError."""
    with named_file.open_named(path) as file:
        return file.read(BYTES_MAX + 1)
