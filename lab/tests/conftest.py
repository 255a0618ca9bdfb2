# SPDX-License-Identifier: GPL-2.0-or-later
import copy

import pytest
import yaml
from minimal import HANDOVER, MINIMAL, WIRED


@pytest.fixture
def minimal():
    """The smallest scenario, as parsed YAML; free to change."""
    return copy.deepcopy(MINIMAL)


@pytest.fixture
def wired():
    """The smallest scenario with a server, as parsed YAML; free to change."""
    return copy.deepcopy(WIRED)


@pytest.fixture
def write(tmp_path):
    """Write parsed YAML to a scenario file."""

    def to_file(data):
        path = tmp_path / "scenario.yaml"
        path.write_text(data if isinstance(data, str) else yaml.safe_dump(data, sort_keys=False))
        return path

    return to_file


@pytest.fixture
def handover():
    """The smallest scenario with a core network, likewise."""
    return copy.deepcopy(HANDOVER)
