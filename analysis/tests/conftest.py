# SPDX-License-Identifier: GPL-2.0-or-later
"""Results shared by the tests; written once, since they are only read."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_bundle import write_bundle

from cellbed_formats.bundle import Bundle, read_bundle

COMBINATIONS = ("DM-DM", "DM-IM", "IM-DM", "IM-IM")


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The four combinations at one window."""
    path = tmp_path_factory.mktemp("results")
    for combination in COMBINATIONS:
        write_bundle(path, combination)
    return path


def _bundle(results: Path, combination: str) -> Bundle:
    return read_bundle(next(results.glob(f"{combination}-*")))


@pytest.fixture(scope="session")
def dm_dm(results: Path) -> Bundle:
    """Direct mode both ways."""
    return _bundle(results, "DM-DM")


@pytest.fixture(scope="session")
def im_im(results: Path) -> Bundle:
    """Infrastructure mode both ways, ACKs stolen beside the BSR."""
    return _bundle(results, "IM-IM")
