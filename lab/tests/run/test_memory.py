# SPDX-License-Identifier: GPL-2.0-or-later
"""The memory of a run's guest: what the scenario says or needs, and what a guest says that had too little."""

import pytest

from cellbed.error import LabError, ScenarioError
from cellbed.run import memory
from cellbed.scenario.description import expand, identity


def described(scenario, write, lab="virtual"):
    return expand(write(scenario))[1][0].describe(lab, {})


def test_two_ues_have_half_a_gibibyte(minimal, write):
    assert described(minimal, write)["memory_mib"] == 512


def test_more_nodes_and_flows_have_more(minimal, write):
    settings = {"memory": None, "nodes": dict.fromkeys(f"ue{i}" for i in range(22)), "traffic": [{}] * 20}
    assert memory.guest_mib(settings) == 1280


@pytest.mark.parametrize(("wanted", "mib"), [("256MiB", 256), ("2GiB", 2048), ("64GiB", 65536)])
def test_the_scenario_may_say_it(minimal, write, wanted, mib):
    assert described(minimal | {"memory": wanted}, write)["memory_mib"] == mib


@pytest.mark.parametrize("wanted", ["255MiB", "65GiB", 300_000_000, "much"])
def test_other_amounts_are_refused(minimal, write, wanted):
    with pytest.raises(ScenarioError, match="memory"):
        described(minimal | {"memory": wanted}, write)


def test_it_is_part_of_the_identity_where_there_is_a_guest(minimal, write):
    assert identity(described(minimal | {"memory": "1GiB"}, write)) != identity(described(minimal, write))
    assert described(minimal, write, "native")["memory_mib"] is None


def test_more_than_the_machine_has_is_one_line():
    memory.check(memory.free_mib() // 2)
    said = r"^the guest of this run has \d+ MiB of memory, but only \d+ MiB are free here; "
    with pytest.raises(LabError, match=said):
        memory.check(memory.free_mib() * 2)
    assert memory.side_by_side(memory.free_mib() * 2) == 1


def test_the_kernels_words():
    console = "Out of memory: Killed process 71 (iperf3) total-vm:8120kB, anon-rss:1024kB"
    assert memory.killed(console) == "iperf3"
    assert memory.killed("reboot: Power down") is None
