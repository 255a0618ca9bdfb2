# SPDX-License-Identifier: GPL-2.0-or-later
import copy
import os
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]

MINIMAL = {
    "format": 1,
    "id": "test",
    "nodes": {"ue1": {"address": "10.45.0.1/24"}, "ue2": {"address": "10.45.0.2/24"}},
    "radio": {"ues": {"ue1": {"peer": "ue2"}, "ue2": {"peer": "ue1"}}},
    "tcp": {"profile": "paper", "congestion_control": "reno", "receive_window": "8KiB", "delayed_ack": False},
    "traffic": [{"id": "file", "from": "ue1", "to": "ue2", "duration_s": 2}],
}

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="the native lab needs root")


@pytest.fixture
def minimal():
    """The smallest scenario, as parsed YAML; free to change."""
    return copy.deepcopy(MINIMAL)


@pytest.fixture
def write(tmp_path):
    """Write parsed YAML to a scenario file."""

    def to_file(data):
        path = tmp_path / "scenario.yaml"
        path.write_text(data if isinstance(data, str) else yaml.safe_dump(data))
        return path

    return to_file
