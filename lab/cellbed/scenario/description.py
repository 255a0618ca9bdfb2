# SPDX-License-Identifier: GPL-2.0-or-later
"""From a scenario to run descriptions: sweep expansion, overrides, identity.

A run description is complete: a lab needs nothing else. Its identity is the hash of all that decides the
result: the settings, the seed, the lab, the programs that run it, and the files that commands name.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cellbed.error import ScenarioError
from cellbed.run import memory, radios
from cellbed.scenario import channel, named_files, packet_trace, several
from cellbed.scenario.dotted import parse_override, set_key, settings_value
from cellbed.scenario.fields import parse_label
from cellbed.scenario.file import SHOWN_MAX, read_source, read_yaml, validate
from cellbed.scenario.model import Scenario
from cellbed.scenario.traffic import draw_starts

# The variant of a scenario without variants.
UNNAMED = "run"
# Of a run description, what decides the result.
DECISIVE = ("format", "seed", "lab", "memory_mib", "programs", "files", "settings")
# Beyond it a sweep is a mistake: it could not be run in a lifetime.
RUNS_MAX = 100_000


@dataclass(frozen=True)
class Run:
    """One point of a sweep: settings complete, one seed.

    Attributes:
        variant: its name with the values of the grid in it, by which the bundle is called.
        base: its name in the scenario, UNNAMED where that has no variants.
        text: the scenario as it was written, which its bundle keeps.
        variant_keys: of `params`, those that the variant's name stands for; --set takes a key out.
    """

    scenario_id: str
    file: str
    variant: str
    base: str
    params: dict[str, Any]
    seed: int
    settings: dict[str, Any] = field(repr=False)  # of the scenario, without sweep, seeds and prose
    text: str = field(repr=False)
    variant_keys: tuple[str, ...] = ()

    def describe(self, lab: str, programs: dict[str, str]) -> dict[str, Any]:
        """The run description, JSON-ready."""
        memory_mib = None if lab == "native" else memory.guest_mib(self.settings)
        return {"format": 1, "scenario": self.scenario_id, "variant": self.variant, "params": self.params,
                "seed": self.seed, "lab": lab, "memory_mib": memory_mib, "programs": programs,
                "files": named_files.digests(self.settings), "settings": self.settings}


def identity(description: dict[str, Any]) -> str:
    """SHA-256 of what decides the result; names and prose do not."""
    decisive = {key: description[key] for key in DECISIVE}
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


def _label(parts: list[str], path: Path) -> str:
    """The name of a variant with the values of a grid in it."""
    label = "_".join(parts) or UNNAMED
    try:
        return parse_label(label)
    except ValueError as error:
        raise ScenarioError(f"{path}: key 'sweep.grid': value {label[:SHOWN_MAX]}: {error}; name such values in "
                            "sweep.variants") from None


def points(scenario: Scenario, path: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """(name with the grid's values, name, overrides) of every variant times every grid point."""
    variants = scenario.sweep.variants or {"": {}}
    keys = list(scenario.sweep.grid)
    n_runs = math.prod([len(variants), len(scenario.seeds), *map(len, scenario.sweep.grid.values())])
    if n_runs > RUNS_MAX:
        raise ScenarioError(f"{path}: key 'sweep': {n_runs:.6g} runs: allowed at most {RUNS_MAX}; remove variants, "
                            "values of the grid, or seeds")
    found = []
    for (name, base), values in itertools.product(
        variants.items(), itertools.product(*(scenario.sweep.grid[key] for key in keys))
    ):
        grid = dict(zip(keys, values, strict=True))
        labels = [name] if name else []
        labels += [f"{key.rsplit('.', 1)[-1]}={value}" for key, value in grid.items()]
        found.append((_label(labels, path), name or UNNAMED, {**base, **grid}))
    return found


def expand(path: Path, overrides: Sequence[str] = (), seeds: list[int] | None = None,
           variants: list[str] | None = None,
           grid: dict[str, list[Any]] | None = None) -> tuple[Scenario, list[Run]]:
    """The scenario of a file and its runs, each validated.

    Args:
        overrides: 'key=value' texts; they win over the file and over the sweep.
        seeds: instead of the scenario's.
        variants: only runs of these, named as in the scenario or with the grid's values.
        grid: keys and values beside those of the scenario's own sweep.
    """
    data, text = read_source(path)
    return expanded(data, path, text, [parse_override(text) for text in overrides], seeds, variants, grid)


def expanded(data: Any, path: Path, text: str, pairs: Sequence[tuple[str, Any]] = (), seeds: list[int] | None = None,
             variants: list[str] | None = None,
             grid: dict[str, list[Any]] | None = None) -> tuple[Scenario, list[Run]]:
    """As expand(), of parsed YAML, which is changed.

    Args:
        path: of messages, and beside which the files lie that the scenario names.
        text: the same as it was written.
        pairs: keys and values that win.
    """
    if isinstance(data, dict):
        for key, value in pairs:
            set_key(data, key, value, path)
        if grid:
            _add_grid(data, grid)
        if seeds:
            data["seeds"] = seeds
    scenario = validate(data, path)
    runs = []
    all_points = points(scenario, path)
    _check_known(variants or [], all_points, path)
    for name, base, point in all_points:
        if variants and name not in variants and base not in variants:
            continue
        changed = copy.deepcopy(data)
        for key, value in {**point, **dict(pairs)}.items():
            set_key(changed, key, value, path)
        valid = validate(changed, f"{path} (variant {name})")
        settings = valid.model_dump(mode="json", by_alias=True,
                                    exclude={"sweep", "seeds", "claims", "evaluate", "title", "source", "id", "format"})
        for of, alone in radios.each(settings):
            with several.messages_of(of):
                channel.identify(alone["radio"], path.parent)
                packet_trace.identify(alone, path.parent)
        params = {key: _swept(settings, key, path, name) for key in point}
        named = tuple(sorted({*scenario.sweep.variants.get(base, {})} - {*scenario.sweep.grid} - {*dict(pairs)}))
        for seed in scenario.seeds:
            own = copy.deepcopy(settings)
            draw_starts(own["traffic"], seed)
            runs.append(Run(scenario.id, str(path), name, base, params, seed, own, text, named))
    return scenario, runs


def _check_known(variants: Sequence[str], all_points: Sequence[tuple[str, str, Any]], path: Path) -> None:
    """A misspelt variant beside one that is there would be left out without a word."""
    known = {name for point in all_points for name in point[:2]}
    unknown = [name for name in variants if name not in known]
    if unknown:
        raise ScenarioError(f"{path}: no variant is called {', '.join(unknown)}; "
                            f"allowed {', '.join(name for name, _, _ in all_points)}")


def _add_grid(data: dict[str, Any], grid: dict[str, list[Any]]) -> None:
    """Beside the scenario's own; one that is no grid is left for the validation to refuse."""
    sweep = data.get("sweep") or {}
    own = sweep.get("grid") or {} if isinstance(sweep, dict) else None
    if isinstance(own, dict):
        data["sweep"] = {**sweep, "grid": {**own, **grid}}


def _swept(settings: dict[str, Any], key: str, path: Path, variant: str) -> Any:
    try:
        return settings_value(settings, key)
    except (LookupError, TypeError, ValueError):
        if key.partition(".")[0] in settings:  # a key that is not there while it does nothing
            return None
        raise ScenarioError(f"{path} (variant {variant}): key '{key}': {key.partition('.')[0]} is no setting of a run; "
                            "remove it from sweep") from None


def load_claims(scenario: Scenario, path: Path) -> list[dict[str, Any]]:
    """Content of the scenario's claims file, [] when it names none."""
    if scenario.claims is None:
        return []
    claims = read_yaml(path.parent / scenario.claims)
    if isinstance(claims, dict):
        claims = claims.get("claims", [])
    if not isinstance(claims, list):
        raise ScenarioError(f"{path.parent / scenario.claims}: expected a list of claims")
    return claims
