# SPDX-License-Identifier: GPL-2.0-or-later
import pytest
from e2e import SHORT


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    return path
