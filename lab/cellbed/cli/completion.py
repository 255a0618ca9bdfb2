# SPDX-License-Identifier: GPL-2.0-or-later
"""Words that a shell offers for what is typed so far; nothing is run or read for them."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from cellbed.labs.choices import ATTACHABLE, KERNELS, LABS


def _starting(words: Iterable[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]


def labs(incomplete: str) -> list[str]:
    return _starting(LABS, incomplete)


def attachable_labs(incomplete: str) -> list[str]:
    return _starting(ATTACHABLE, incomplete)


def kernels(incomplete: str) -> list[str]:
    """Versions; where none fits the shell offers files."""
    return _starting(KERNELS, incomplete)


def metrics(incomplete: str) -> list[str]:
    from cellbed_analysis.metrics.catalog import METRICS

    return _starting((metric.name for metric in METRICS.values() if metric.unit), incomplete)


def studies(incomplete: str) -> list[str]:
    from cellbed.scenario import included

    return _starting(included.studies(), incomplete)


def plots(incomplete: str) -> list[str]:
    from cellbed_analysis.plots.kind import KINDS

    return _starting(KINDS, incomplete)


def legends(incomplete: str) -> list[str]:
    from cellbed_analysis.plots.plot import LEGENDS

    return _starting(LEGENDS, incomplete)


def venues(incomplete: str) -> list[str]:
    from cellbed_analysis.plots.venue import VENUES

    return _starting(VENUES, incomplete)


def formats(incomplete: str) -> list[str]:
    from cellbed_analysis.export import FORMATS

    return _starting(FORMATS, incomplete)


def tables(incomplete: str) -> list[str]:
    from cellbed_analysis.export.data_set import TABLES

    return _starting(TABLES, incomplete)


def link_words(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ready-made links first, then words; a word's value is shown by example."""
    from cellbed.link import links

    typed = [word for word in ctx.params.get("words") or [] if word != incomplete]
    ready = list(links.presets())
    values = typed[1:] if typed and typed[0] not in links.WORDS else typed
    if len(values) % 2:
        return _starting([links.WORDS[values[-1]][1]] if values[-1] in links.WORDS else [], incomplete)
    return _starting([*([] if typed else ready), *(word for word in links.WORDS if word not in typed)], incomplete)
