# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys with dots, such as radio.ues.ue1.mode: of scenarios, of their settings, and of `--set`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cellbed.error import ScenarioError
from cellbed_formats import bounded_yaml


def set_key(data: dict[str, Any], dotted: str, value: Any, path: Path | str) -> None:
    """Set a key such as 'radio.ues.ue1.mode' or 'traffic.0.duration_s' in parsed YAML."""
    *parents, last = dotted.split(".")
    at: Any = data
    for part in parents:
        at = _child(at, part, dotted, path)
    if isinstance(at, list):
        _child(at, last, dotted, path)
        at[int(last)] = value
    else:
        at[last] = value


def _child(at: Any, part: str, dotted: str, path: Path | str) -> Any:
    if isinstance(at, list):
        if not part.isdecimal() or int(part) >= len(at):
            raise ScenarioError(f"{path}: key '{dotted}': '{part}' is no index of the list; allowed 0..{len(at) - 1}")
        return at[int(part)]
    child = at.setdefault(part, {})
    if not isinstance(child, dict | list):
        raise ScenarioError(f"{path}: key '{dotted}': '{part}' has a value and no keys below it; remove what follows "
                            "it")
    return child


def parse_override(text: str) -> tuple[str, Any]:
    """'key=value' of the command line; the value is YAML."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ScenarioError(f"--set {text}: expected key=value, such as radio.ues.ue1.cqi_ul=9")
    try:
        return key, bounded_yaml.parse(value, f"--set {key}")
    except bounded_yaml.NotYaml as error:
        raise ScenarioError(str(error)) from error


def settings_value(settings: dict[str, Any], dotted: str) -> Any:
    """Value of a dotted key in validated settings (units already resolved)."""
    at: Any = settings
    for part in dotted.split("."):
        at = at[int(part)] if isinstance(at, list) else at[part]
    return at
