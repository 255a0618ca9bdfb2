# SPDX-License-Identifier: GPL-2.0-or-later
"""The native lab, as a user runs it; real time, so nothing here asserts on timing."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from e2e import bundles, cellbed, needs_native
from machine import nothing_left

pytestmark = [pytest.mark.lab, needs_native]


def test_the_same_scenario_on_this_kernel(scenario, tmp_path):
    with nothing_left():
        cellbed("run", scenario, "--results", tmp_path / "r", "--lab", "native")
    found = bundles(tmp_path / "r")
    assert set(found) == {"DM-DM", "IM-IM"}
    for bundle in found.values():
        manifest = json.loads((bundle / "manifest.json").read_text())
        assert manifest["lab"] == "native"
        assert manifest["lateness"]["count"] == sum(count for _, count in manifest["lateness"]["histogram"])
        assert manifest["lateness"]["count"] > 100
        radio = json.loads((bundle / "radio.json").read_text())
        assert radio["pkts_in"] == radio["pkts_delivered"] + sum(radio["pkts_dropped"].values())


@pytest.mark.parametrize("realtime, policy", [("1", "fifo"), ("0", "other")])
def test_scheduling_of_the_radio_daemon(scenario, tmp_path, realtime, policy):
    """One CPU, real-time priority and locked memory, unless told otherwise; as the kernel granted them."""
    cellbed("run", scenario, "--results", tmp_path, "--lab", "native", "--variant", "DM-DM",
            "--set", "traffic.0.duration_s=1", env={**os.environ, "CELLBED_REALTIME": realtime})
    scheduling = json.loads((bundles(tmp_path)["DM-DM"] / "manifest.json").read_text())["scheduling"]
    assert scheduling["policy"] == policy
    assert (scheduling["locked_kib"] > 0) == (policy == "fifo")
    assert len(scheduling["cpus"]) == (1 if policy == "fifo" else len(os.sched_getaffinity(0)))


def test_lateness_beyond_the_bound_makes_the_run_invalid(scenario, tmp_path):
    cellbed("run", scenario, "--results", tmp_path, "--lab", "native", "--variant", "DM-DM",
            "--set", "validity.lateness_p99_us=0.001")
    manifest = json.loads((bundles(tmp_path)["DM-DM"] / "manifest.json").read_text())
    assert manifest["validity"]["verdict"] == "invalid"
    assert "lateness_p99" in [reason["code"] for reason in manifest["validity"]["reasons"]]


def test_host_settings_are_as_before(scenario, tmp_path):
    """Mininet would raise limits of the whole machine; the profile is the namespaces' own."""
    names = ["net.core.rmem_max", "net.core.wmem_max", "net.ipv4.tcp_sack", "net.ipv4.tcp_congestion_control",
             "net.ipv4.tcp_rmem", "fs.file-max"]

    def settings():
        return [Path("/proc/sys", *name.split(".")).read_text() for name in names
                if Path("/proc/sys", *name.split(".")).exists()]

    before = settings()
    cellbed("run", scenario, "--results", tmp_path, "--lab", "native", "--variant", "DM-DM",
            "--set", "traffic.0.duration_s=1")
    assert settings() == before


def test_congestion_control_this_kernel_lacks(scenario, tmp_path):
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    missing = next((name for name in ("illinois", "hybla", "veno") if name not in available), None)
    if missing is None:
        pytest.skip("this kernel has every congestion control")
    done = cellbed("run", scenario, "--results", tmp_path / "r", "--lab", "native",
                   "--set", f"tcp.congestion_control={missing}", check=False)
    assert done.returncode == 1
    assert f"value {missing}: this kernel has" in done.stderr
    assert "the virtual lab has all" in done.stderr


def test_congestion_control_this_host_does_not_allow(scenario, tmp_path):
    """Its network namespaces may choose the host's default, Reno, and what it allows; doctor says so before."""
    ipv4 = Path("/proc/sys/net/ipv4")
    allowed, available = (set((ipv4 / f"tcp_{which}_congestion_control").read_text().split())
                          for which in ("allowed", "available"))
    if not available - allowed:
        pytest.skip("this host allows every congestion control")
    refused = min(available - allowed)
    done = cellbed("run", scenario, "--results", tmp_path / "r", "--lab", "native",
                   "--set", f"tcp.congestion_control={refused}", check=False)
    assert done.returncode == 1
    assert f"congestion control {refused}: this host does not allow it" in done.stderr
    said = re.sub(r"\s+", " ", cellbed("doctor").stdout)
    assert re.search(rf"not allowed there: [^;]*\b{refused}\b", said), said


def test_cellsim_repeats_a_native_run(scenario, tmp_path):
    """celld and cellsim have the same core bytes: the arrivals of a real run give its deliveries again."""
    from cellbed.paths import BUILD

    cellbed("run", scenario, "--results", tmp_path / "r", "--lab", "native", "--variant", "IM-IM",
            "--set", "traffic.0.duration_s=1", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(tmp_path),
                                                    "TMPDIR": tempfile.gettempdir(), "CELLBED_RECORD_ARRIVALS": "1"})
    bundle = bundles(tmp_path / "r")["IM-IM"]
    subprocess.run([BUILD / "emulator/sim/cellsim", "--config", bundle / "celld.json", "--arrivals",
                    bundle / "arrivals.txt", "--out", tmp_path / "sim"], check=True)
    assert (tmp_path / "sim/deliveries.txt").read_text() == (bundle / "deliveries.txt").read_text()
    assert (bundle / "deliveries.txt").stat().st_size > 10_000
