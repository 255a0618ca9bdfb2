# SPDX-License-Identifier: GPL-2.0-or-later
"""Claims of a paper, as tests of claims and reports use them."""

from __future__ import annotations

from pathlib import Path

CLAIMS = Path(__file__).parents[2] / "scenarios" / "d2d-nardini" / "claims.yaml"
