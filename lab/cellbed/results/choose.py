# SPDX-License-Identifier: GPL-2.0-or-later
"""Which bundle of a results folder a command is about: the newest, or the one of a variant, seed and settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellbed.error import CellbedError
from cellbed.scenario.dotted import parse_override, settings_value
from cellbed.scenario.unit import parse_rate, parse_size
from cellbed_formats.bundle import MANIFEST, Bundle, Results, folders, load_results, read_bundle
from cellbed_formats.inside import Inside

LATEST = "@latest"
# So many bundles are named where several fit.
_NAMED_MAX = 4


@dataclass(frozen=True)
class Wanted:
    """What a bundle has to have; None and () ask for nothing."""

    variant: str | None = None
    seed: int | None = None
    settings: Sequence[tuple[str, Any]] = ()

    @classmethod
    def of_texts(cls, variant: str | None, seed: int | None, texts: Sequence[str] | None) -> Wanted:
        """With settings as a command line has them: "tcp.congestion_control=bbr"."""
        return cls(variant, seed, tuple(parse_override(text) for text in texts or ()))

    def fits(self, bundle: Bundle) -> bool:
        """Whether a run is one of these. A variant has its name in the scenario, or that with the grid's values."""
        manifest = bundle.manifest
        return (
            self.variant in (None, manifest["variant"], manifest["description"].get("variant"))
            and self.seed in (None, manifest["seed"])
            and all(_is_set(bundle.settings, key, value) for key, value in self.settings)
        )

    def __str__(self) -> str:
        words = [f"{name} {value}" for name, value in (("--variant", self.variant), ("--seed", self.seed))
                 if value is not None]
        words += [f"--set {key}={value}" for key, value in self.settings]
        return f" with {' '.join(words)}" if words else ""


def choose(where: str, wanted: Wanted) -> Path:
    """The bundle that words of a command line mean.

    Args:
        where: a bundle, a folder with bundles, or that and "@latest": the newest of those that fit.

    Raises:
        CellbedError: none fits, or several do.
        DataError: there is nothing that reads.
    """
    return only(where, wanted, looked(where, wanted).bundles).path


def only(where: str, wanted: Wanted, found: Sequence[Bundle]) -> Bundle:
    """The one that was found. Raises CellbedError: there are several."""
    if len(found) > 1:
        raise CellbedError(f"{where}: {len(found)} bundles{wanted}: {_names(found)}; --variant, --seed and "
                           f"--set choose among them, and {where}{LATEST} is the newest")
    return found[0]


def looked(where: str, wanted: Wanted) -> Results:
    """As `choose`, but all that fit; of "FOLDER@latest" the newest of these. And what is no bundle any more.

    Raises:
        CellbedError: none fits.
        DataError: there is nothing that reads.
    """
    latest = where.endswith(LATEST) and not Path(where).exists()
    folder = Path(where.removesuffix(LATEST) if latest else where)
    several = not (folder / MANIFEST).is_file() and folder.is_dir() and bool(folders(Inside.given(folder)))
    results = load_results(folder) if several else Results(folder, [read_bundle(folder)])
    found = [bundle for bundle in results.bundles if wanted.fits(bundle)]
    if not found:
        raise CellbedError(f"{folder}: no bundle{wanted}: there are {_names(results.bundles)}")
    return Results(results.path, [max(found, key=_age)] if latest else found, results.rejected)


def _age(bundle: Bundle) -> tuple[str, int]:
    state = (bundle.inside / MANIFEST).state()
    return str(bundle.manifest.get("created", "")), 0 if state is None else state.st_mtime_ns


def _names(bundles: Sequence[Bundle]) -> str:
    more = f" and {len(bundles) - _NAMED_MAX} more" if len(bundles) > _NAMED_MAX else ""
    return ", ".join(bundle.path.name for bundle in bundles[:_NAMED_MAX]) + more


def _is_set(settings: dict[str, Any], key: str, value: Any) -> bool:
    """Whether a setting has a value, which may have a unit, as in scenarios."""
    try:
        there = settings_value(settings, key)
    except (LookupError, TypeError, ValueError):
        return False
    return there == value or any(there == _parsed(parse, value) for parse in (parse_size, parse_rate))


def _parsed(parse: Callable[[Any], Any], value: Any) -> Any:
    try:
        return parse(value)
    except (TypeError, ValueError):
        return value
