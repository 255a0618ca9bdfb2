# SPDX-License-Identifier: GPL-2.0-or-later
import pytest
from e2e import SHORT, WIRED


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    return path


@pytest.fixture
def wired(tmp_path):
    path = tmp_path / "wired.yaml"
    path.write_text(WIRED)
    return path
