# SPDX-License-Identifier: GPL-2.0-or-later
"""A bundle shared by the tests; written once, since it is only read."""

from __future__ import annotations

import pytest
from synthetic_bundle import write_bundle

from cellbed_formats.bundle import Bundle, read_bundle


@pytest.fixture(scope="session")
def dm_dm(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Direct mode both ways."""
    return read_bundle(write_bundle(tmp_path_factory.mktemp("results"), "DM-DM"))
