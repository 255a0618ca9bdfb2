# SPDX-License-Identifier: GPL-2.0-or-later
"""De Mey: how often RLC of the UTRAN should send a PDU, by a closed form and by runs over maxDAT and BLER.

Source: DeMey 2005 sections III to V
"""

from __future__ import annotations

from argparse import _SubParsersAction
from collections.abc import Mapping, Sequence
from typing import Any

from cellbed_formats.inside import Inside

from ...study import BaseStudy, Explanation, Row


class Study(BaseStudy):
    """The study's answers."""

    place = 30

    def columns(self) -> Mapping[str, Sequence[Any]]:
        from .metrics import COLUMNS

        return COLUMNS

    def run_metrics(self, bundle: Any, flow: Any) -> Mapping[str, Any]:
        from .metrics import model_metrics

        return model_metrics(bundle)

    def sweep_section(self) -> tuple[str, str, Sequence[Any]] | None:
        from .metrics import SURFACE, SURFACE_INTRODUCTION, SURFACE_TITLE

        return SURFACE_TITLE, SURFACE_INTRODUCTION, SURFACE

    def sweep_rows(self, rows: Sequence[Row]) -> list[Row]:
        from .sweep import claim_rows, surfaces

        return claim_rows(surfaces(rows))

    def explanations(self) -> Mapping[str, Explanation]:
        from . import explain

        return {"maxdat": explain.maxdat}

    def figures(self, runs: Sequence[Any]) -> list[Any]:
        from .specs import specs

        return specs([run.row for run in runs])

    def tabulates(self, row: Row) -> bool:
        from .sweep import group_of

        return group_of(row) is not None

    def tables(self, rows: Sequence[Row]) -> list[Any]:
        from .sweep import surfaces
        from .tables import console_tables

        return console_tables(surfaces(rows))

    def section(self, rows: Sequence[Row]) -> str | None:
        from .tables import section

        return section(rows)

    def write(self, rows: Sequence[Row], directory: Inside) -> list[Inside]:
        from .sweep import write_surfaces

        path = directory / "maxdat.parquet"
        return [path] if write_surfaces(rows, path) else []

    def add_command(self, commands: _SubParsersAction[Any]) -> None:
        from .options import add_arguments

        add_arguments(commands.add_parser("maxdat", help="propose maxDAT for a goal, by De Mey's model"))
