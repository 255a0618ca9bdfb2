# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs as traffic: whom they talk to, how they end."""

import math

import pytest

from cellbed.run import inventory, workload
from cellbed.run.command import shell_status
from cellbed.scenario.description import expand

FLOW = {"id": "fetch", "kind": "command", "node": "ue1", "argv": ["true"], "environment": {}, "background": False,
        "start_s": 2, "limit_s": None}


def test_status_is_that_of_a_shell():
    assert [shell_status(code) for code in (0, 3, -2, -15)] == [0, 3, 130, 143]


@pytest.mark.parametrize(("limit_s", "end_s"), [(None, math.inf), (10, 12)])
def test_limits(limit_s, end_s):
    assert workload.limit_s({**FLOW, "limit_s": limit_s}) == end_s


def test_far_ends(minimal, wired, write):
    direct = expand(write(minimal))[1][0].settings
    assert inventory.base(direct, "ue1") == "10.45.0.2"
    assert inventory.base(direct, "ue2") == "10.45.0.1"
    behind = expand(write(wired))[1][0].settings
    assert [inventory.far_end(behind, name) for name in ("ue1", "server", "enb")] == ["server", "ue1", "ue1"]


def test_nodes_of_no_lab(tmp_path):
    assert inventory.read(tmp_path) == {}
