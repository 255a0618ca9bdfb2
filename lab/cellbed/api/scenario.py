# SPDX-License-Identifier: GPL-2.0-or-later
"""A scenario in Python: read, changed, and narrowed to the runs that one wants."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from cellbed.error import ScenarioError
from cellbed.scenario import model
from cellbed.scenario.description import Run, expanded, load_claims
from cellbed.scenario.file import read_source
from cellbed.scenario.included import named
from cellbed_formats import bounded_yaml


@dataclass(frozen=True)
class Scenario:
    """A scenario and which of its runs are wanted. It never changes: every method returns another one.

    Examples:
        >>> scenario = Scenario.load("d2d-nardini/static").variant("IM-IM").set("traffic.0.duration_s", 2)
        >>> scenario.id, len(scenario.runs)
        ('d2d-nardini/static', 1)
        >>> scenario.seeds(range(1, 4)).grid("tcp.receive_window", ["8KiB", "64KiB"])
        <Scenario d2d-nardini/static: 6 runs>
    """

    data: dict[str, Any] = field(repr=False)
    path: Path
    text: str = field(repr=False)
    _settings: tuple[tuple[str, Any], ...] = ()
    _variants: tuple[str, ...] = ()
    _seeds: tuple[int, ...] = ()
    _grid: tuple[tuple[str, tuple[Any, ...]], ...] = ()

    @classmethod
    def load(cls, name: str | Path, *, settings: Iterable[tuple[str, Any]] = (), seeds: Iterable[int] | None = None,
             variants: Iterable[str] | None = None, grid: Mapping[str, Sequence[Any]] | None = None) -> Scenario:
        """Read a scenario: a file, or the name of one that comes with cellbed.

        Args:
            settings: keys and values, as of `set`.
            seeds: as of `seeds`.
            variants: as of `variant`.
            grid: values by key, as of `grid`.

        Raises:
            ScenarioError: no such file, or it is wrong: file, key, value and what is allowed.

        Examples:
            >>> Scenario.load("handover-pacifico/quick").title
            'One handover, with all captures'
        """
        path = named(Path(name))
        data, text = read_source(path)
        return cls(_mapping(data, path), path, text, tuple(settings), tuple(variants or ()), tuple(seeds or ()),
                   tuple((key, tuple(values)) for key, values in (grid or {}).items()))._checked()

    @classmethod
    def of(cls, data: Mapping[str, Any], folder: str | Path = ".") -> Scenario:
        """A scenario of keys and values, as a file would have them.

        Args:
            folder: beside which the files lie that it names.

        Examples:
            >>> Scenario.of({"format": 1, "id": "mine", "nodes": {}, "radio": {}, "traffic": []})
            Traceback (most recent call last):
            cellbed.error.ScenarioError: scenario.yaml: key 'nodes': no entries: allowed 2 or more
        """
        own = copy.deepcopy(dict(data))
        return cls(own, Path(folder) / "scenario.yaml", bounded_yaml.dump(own, sort_keys=False))._checked()

    def set(self, key: str | Mapping[str, Any], value: Any = None) -> Scenario:
        """With another value of a key, such as "radio.n_rb", or with those of a mapping.

        Values are as in a file: 30, "8KiB", "30 Mbit/s", True, None. They win over variants and grid.

        Raises:
            ScenarioError: an unknown key, or a value that is not allowed.

        Examples:
            >>> Scenario.load("d2d-nardini/static").set("radio.n_rb", 200)
            Traceback (most recent call last):
            cellbed.error.ScenarioError: ...static.yaml: key 'radio.n_rb': value 200: allowed 6..110
        """
        pairs = key.items() if isinstance(key, Mapping) else [(key, value)]
        return replace(self, _settings=(*self._settings, *pairs))._checked()

    def variant(self, *names: str) -> Scenario:
        """Only runs of these variants.

        Examples:
            >>> Scenario.load("d2d-nardini/static").variant("DM")
            Traceback (most recent call last):
            cellbed.error.ScenarioError: ...: no variant is called DM; allowed DM-DM, DM-IM, IM-DM, IM-IM
        """
        return replace(self, _variants=names)._checked()

    def seeds(self, *seeds: int | Iterable[int]) -> Scenario:
        """One run for each of these seeds, numbers or ranges of them, instead of the scenario's own."""
        chosen = [seed for part in seeds for seed in ([part] if isinstance(part, int) else part)]
        return replace(self, _seeds=tuple(dict.fromkeys(chosen)))._checked()

    def grid(self, key: str, values: Sequence[Any]) -> Scenario:
        """Runs with each of these values of a key, in every combination with what is there already."""
        return replace(self, _grid=(*self._grid, (key, tuple(values))))._checked()

    @cached_property
    def _expanded(self) -> tuple[model.Scenario, list[Run]]:
        return expanded(copy.deepcopy(self.data), self.path, self.text, self._settings, list(self._seeds) or None,
                        list(self._variants) or None, {key: list(values) for key, values in self._grid})

    def _checked(self) -> Scenario:
        _ = self._expanded
        return self

    @property
    def model(self) -> model.Scenario:
        """The scenario with every default."""
        return self._expanded[0]

    @property
    def runs(self) -> list[Run]:
        """What would be run: variant, seed, the parameters that vary, and complete settings of each."""
        return list(self._expanded[1])

    @property
    def id(self) -> str:
        """Its name in results and claims."""
        return self.model.id

    @property
    def title(self) -> str:
        """What it is, for people."""
        return self.model.title

    @property
    def variants(self) -> list[str]:
        """Names of the variants of these runs."""
        return list(dict.fromkeys(run.base for run in self.runs))

    @property
    def claims(self) -> list[dict[str, Any]]:
        """What its paper claims, as in its file of claims."""
        return load_claims(self.model, self.path)

    def __repr__(self) -> str:
        n_runs = len(self.runs)
        return f"<Scenario {self.id}: {n_runs} run{'s' if n_runs != 1 else ''}>"


def _mapping(data: Any, path: Path | str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ScenarioError(f"{path}: expected a mapping of keys")
    return data
