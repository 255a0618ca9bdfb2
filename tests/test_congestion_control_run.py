# SPDX-License-Identifier: GPL-2.0-or-later
"""Congestion controls in runs: another one for each flow, and what a kernel lacks."""

import hashlib
import json
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest
import yaml
from e2e import CELLBED, WIRED, bundles, cellbed, needs_native
from machine import nothing_left

from cellbed import paths
from cellbed_formats.trace import read_trace

pytestmark = pytest.mark.lab
LABS = ["virtual", pytest.param("native", marks=needs_native)]
GENTLE = paths.BUILD / "ebpf/ccload/gentle.bpf.o"
SETS = [Path(f"/proc/sys/net/ipv4/tcp_{which}_congestion_control") for which in ("available", "allowed")]
needs_struct_ops = pytest.mark.skipif(needs_native.args[0] or not Path("/sys/kernel/btf/vmlinux").exists(),
                                      reason="congestion controls in BPF need the native lab and a kernel with BTF")
HOSTS = "reno"  # what every native lab's namespaces may have


@pytest.fixture
def two_ues(tmp_path):
    """A server that sends to each of two UEs in one cell."""
    def write(*flows, **tcp):
        data = yaml.safe_load(WIRED)
        data["tcp"].update(tcp)
        flow_of = {"from": "server", "duration_s": 3}
        data["traffic"] = [{**flow_of, "id": f"flow{i}", "to": f"ue{i}", "port": 5200 + i, **flow}
                           for i, flow in enumerate(flows, 1)]
        path = tmp_path / "two.yaml"
        path.write_text(yaml.safe_dump(data))
        return path

    return write


def executed(path, folder, lab, *words):
    with nothing_left():
        cellbed("run", path, "--results", folder, "--lab", lab, *words)
    return json.loads((bundles(folder)["run"] / "manifest.json").read_text())


def reasons(manifest):
    return [reason for reason in manifest["validity"]["reasons"] if reason["code"] in ("congestion_control", "sysctl")]


@pytest.mark.parametrize("kind", ["iperf3", "stream"])
@pytest.mark.parametrize("lab", LABS)
def test_cubic_against_bbr_in_one_cell(two_ues, tmp_path, lab, kind):
    path = two_ues({"kind": kind, "congestion_control": "cubic"}, {"kind": kind, "congestion_control": "bbr"})
    manifest = executed(path, tmp_path / "r", lab)
    assert manifest["congestion_control"] == {"flow1": "cubic", "flow2": "bbr"}
    assert [flow["congestion_control"] for flow in manifest["flows"]] == ["cubic", "bbr"]
    assert reasons(manifest) == []
    for flow in ("flow1", "flow2"):
        result = json.loads((bundles(tmp_path / "r")["run"] / f"{flow}.{kind}.json").read_text())
        received = result["received_bytes"] if kind == "stream" else result["end"]["sum_received"]["bytes"]
        assert received > 100_000


@pytest.mark.parametrize("lab", LABS)
def test_one_that_the_kernel_lacks(two_ues, tmp_path, lab):
    done = cellbed("run", two_ues({}, {"congestion_control": "nosuch"}), "--results", tmp_path / "r", "--lab", lab,
                   check=False)
    assert done.returncode == 1
    assert "key 'traffic.1.congestion_control': value nosuch: this kernel has " in done.stderr
    assert "reno" in done.stderr and "cubic" in done.stderr
    assert list((tmp_path / "r").iterdir()) == []


def test_a_setting_below_sysctls_leaves_the_run_valid(two_ues, tmp_path):
    path = two_ues({}, sysctls={"net.ipv4.tcp_congestion_control": "vegas"})
    manifest = executed(path, tmp_path / "r", "virtual")
    assert manifest["congestion_control"] == {"flow1": "vegas"}
    assert manifest["validity"]["verdict"] == "valid"


SHOW = "cat /proc/sys/net/ipv4/tcp_congestion_control; {} -c 'import socket; s = socket.socket(); " \
    "print(s.getsockopt(6, 13, 16).rstrip(bytes(1)).decode())'"


@pytest.mark.parametrize("lab", LABS)
def test_a_command_has_that_of_its_node(two_ues, tmp_path, lab):
    command = {"id": "show", "kind": "command", "node": "server", "argv": ["sh", "-c", SHOW.format("python3")],
               "congestion_control": "bbr"}
    path = two_ues({"duration_s": 1})
    data = yaml.safe_load(path.read_text())
    data["traffic"].append(command)
    path.write_text(yaml.safe_dump(data))
    manifest = executed(path, tmp_path / "r", lab)
    assert (bundles(tmp_path / "r")["run"] / "show.stdout").read_text().split() == ["bbr", "bbr"]
    assert manifest["commands"][0]["congestion_control"] == "bbr"
    assert manifest["congestion_control"]["flow1"] == HOSTS
    assert reasons(manifest) == []


@needs_struct_ops
def test_one_in_bpf_is_there_for_the_run(two_ues, tmp_path):
    """The example: what is left of its window after a loss is 7/8, where Reno leaves half."""
    path = two_ues({"duration_s": 8, "congestion_control": "gentle"}, {"duration_s": 8})
    before = [file.read_text() for file in SETS]
    with nothing_left():
        cellbed("run", path, "--results", tmp_path / "r", "--lab", "native", "--load", GENTLE, "--set",
                "radio.ues.ue1.bler_dl=0.01", "--set", "radio.ues.ue2.bler_dl=0.01", "--set", "tcp.receive_window=1MiB")
    assert [file.read_text() for file in SETS] == before
    bundle = bundles(tmp_path / "r")["run"]
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert manifest["congestion_control"] == {"flow1": "gentle", "flow2": "reno"}
    assert manifest["description"]["programs"]["load"] == hashlib.sha256(GENTLE.read_bytes()).hexdigest()
    assert (bundle / "control.bpf.o").read_bytes() == GENTLE.read_bytes()
    assert kept_share(bundle, 5201) == pytest.approx(7 / 8, abs=0.08)
    assert kept_share(bundle, 5202) == pytest.approx(1 / 2, abs=0.08)


def kept_share(bundle, port):
    """Median of ssthresh over the congestion window before it, at changes of ssthresh of windows of some size."""
    rows = read_trace(bundle / "tcp.trace")
    rows = rows.filter((pl.col("dport") == port) & (pl.col("snd_ssthresh") < 1 << 20))
    changed = rows.with_columns(share=pl.col("snd_ssthresh") / pl.col("snd_cwnd").shift(1),
                                before=pl.col("snd_cwnd").shift(1)).filter(
        (pl.col("snd_ssthresh") != pl.col("snd_ssthresh").shift(1)) & (pl.col("before") > 16))
    return changed["share"].median()


@pytest.fixture(scope="module")
def cubic_beta():
    """What this machine's kernel has."""
    return int(Path("/sys/module/tcp_cubic/parameters/beta").read_text()) / 1024


@pytest.mark.parametrize("lab", LABS)
def test_first_window_and_what_cubic_keeps(two_ues, tmp_path, lab, cubic_beta):
    """Each connection begins with two packets. After a loss CUBIC keeps what a guest's kernel was told to. Natively
    this machine's own value is taken, and Reno keeps half."""
    control, beta, kept = ("cubic", 0.8, 0.8) if lab == "virtual" else (HOSTS, cubic_beta, 0.5)
    path = two_ues({"kind": "stream", "duration_s": 6}, congestion_control=control, initial_window_pkts=2,
                   receive_window="1MiB", cubic_beta=beta)
    executed(path, tmp_path / "r", lab, "--set", "radio.ues.ue1.bler_dl=0.01")
    bundle = bundles(tmp_path / "r")["run"]
    data = read_trace(bundle / "tcp.trace").filter((pl.col("dport") == 5201) & (pl.col("len") > 0))
    assert data["snd_cwnd"][0] == 2
    assert kept_share(bundle, 5201) == pytest.approx(kept, abs=0.04)


@needs_native
def test_another_beta_than_this_machines(two_ues, tmp_path, cubic_beta):
    other = 0.5 if cubic_beta > 0.6 else 0.8
    done = cellbed("run", two_ues({}, cubic_beta=other), "--results", tmp_path / "r", "--lab", "native", check=False)
    assert done.returncode == 1 and list((tmp_path / "r").iterdir()) == []
    assert f"key 'tcp.cubic_beta': value {other}: this kernel has {cubic_beta:.3g}; allowed null, or " in done.stderr


@needs_struct_ops
def test_a_killed_run_leaves_no_control(two_ues, tmp_path):
    run = subprocess.Popen([CELLBED, "run", two_ues({"duration_s": 60}), "--results", tmp_path / "r", "--lab", "native",
                            "--load", GENTLE, "--set", "tcp.congestion_control=gentle"], stderr=subprocess.DEVNULL)
    wait_until(lambda: "gentle" in SETS[0].read_text())
    run.kill()
    run.wait()
    wait_until(lambda: "gentle" not in SETS[0].read_text())
    cellbed("clean")


def wait_until(true):
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_the_virtual_lab_has_no_bpf_controls_and_says_why(two_ues, tmp_path):
    done = cellbed("run", two_ues({}), "--results", tmp_path / "r", "--load", GENTLE, check=False)
    assert done.returncode == 1 and "User Mode Linux has no BPF JIT" in done.stderr
    assert not (tmp_path / "r").exists()


@needs_native
def test_the_native_kernel_says_what_may_help(two_ues, tmp_path):
    done = cellbed("run", two_ues({"congestion_control": "nosuch"}), "--results", tmp_path / "r", "--lab", "native",
                   check=False)
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    assert f"this kernel has {', '.join(available)}; `make native-lab` loads those that are modules" in done.stderr
