# SPDX-License-Identifier: GPL-2.0-or-later
import pytest


@pytest.fixture
def golden_update(request: pytest.FixtureRequest) -> bool:
    """Whether values are to be written in place of compared."""
    return bool(request.config.getoption("--golden-update"))
