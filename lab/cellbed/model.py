# SPDX-License-Identifier: GPL-2.0-or-later
"""What every part of the scenario model is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=False)
