# SPDX-License-Identifier: GPL-2.0-or-later
"""The virtual lab, as a user runs it."""

import json
import os
import pwd
import shutil
import subprocess

import pytest
from e2e import CELLBED, ROOT, bundles, cellbed, digests, judged, needs_two_kernels

from cellbed import paths

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Both variants of the short scenario, run once."""
    from e2e import SHORT

    folder = tmp_path_factory.mktemp("virtual")
    (folder / "short.yaml").write_text(SHORT)
    cellbed("run", folder / "short.yaml", "--results", folder / "results")
    return folder


def test_bundles_are_complete_and_valid(executed):
    found = bundles(executed / "results")
    assert set(found) == {"DM-DM", "IM-IM"}
    for bundle in found.values():
        manifest = json.loads((bundle / "manifest.json").read_text())
        assert manifest["validity"] == {"verdict": "valid", "reasons": []}
        assert manifest["congestion_control"] == {"file": "reno"}
        assert set(p.name for p in bundle.iterdir()) == {
            "manifest.json", "celld.json", "radio.trace", "radio.pcap", "radio.json", "tcp.trace", "tcp.json",
            "ip-ue1.pcap", "ip-ue2.pcap", "file.iperf3.json", "counters.json", "log"}
    assert not list((executed / "results").glob(".tmp-*"))
    assert judged([executed]) == [f"{path}: valid" for path in sorted(found.values())]  # which a failed test prints


CROWDED = """
format: 1
id: crowded
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  sgw: {kind: sgw}
  router: {kind: router}
  enb1: {kind: enb}
  enb2: {kind: enb}
  phone: {address: 10.45.0.1/32}
  laptop: {address: 10.45.0.2/32}
links:
  - {a: server, b: sgw, rate: 1Gbit, delay_ms: 5}
  - {a: sgw, b: router, rate: 1Gbit, delay_ms: 2}
  - {a: router, b: enb1, rate: 100Mbit, delay_ms: 2, queue_pkts: 200}
  - {a: router, b: enb2, rate: 100Mbit, delay_ms: 2, queue_pkts: 200}
radio:
  rlc: {mode: am}
  harq: {max_attempts: 4}
  ues: {phone: {peer: enb1, cqi_dl: 12, cqi_ul: 9}, laptop: {peer: enb2, cqi_dl: 10, cqi_ul: 10}}
traffic:
  - {id: down, from: server, to: phone, duration_s: 1}
  - {id: up, from: phone, to: server, duration_s: 1, port: 5202}
  - {id: other, from: server, to: laptop, duration_s: 1, port: 5203, start_s: 1}
"""


def test_programs_that_spin_do_not_keep_the_radio_waiting(tmp_path):
    """The third client of iperf3 spins on the clock; with a fair server in the kernel the radio woke up 41 ms late."""
    (tmp_path / "crowded.yaml").write_text(CROWDED)
    cellbed("run", tmp_path / "crowded.yaml", "--results", tmp_path / "results")
    manifest = json.loads((bundles(tmp_path / "results")["run"] / "manifest.json").read_text())
    assert manifest["validity"]["verdict"] == "valid"
    assert manifest["lateness"]["max_us"] < 1000


@pytest.mark.parametrize(("variant", "rtt_ms"), [("DM-DM", 30), ("IM-IM", 34)])
def test_rtt_of_the_timeline(executed, variant, rtt_ms):
    """DM-DM is twice 15 ms; IM-IM is 15 + 5 for data and 9 + 5 for an ACK that rides with its BSR."""
    result = json.loads((bundles(executed / "results")[variant] / "file.iperf3.json").read_text())
    assert result["end"]["streams"][0]["sender"]["mean_rtt"] / 1000 == pytest.approx(rtt_ms, abs=1)


def test_no_packet_is_unaccounted_for(executed):
    for bundle in bundles(executed / "results").values():
        radio = json.loads((bundle / "radio.json").read_text())
        assert radio["pkts_in"] == radio["pkts_delivered"] + sum(radio["pkts_dropped"].values())
        assert radio["pkts_in"] == sum(port["read_pkts"] - port["refused_pkts"]["not_ipv4"]
                                       for port in radio["ports"].values())


def test_same_run_same_bytes(executed, tmp_path):
    """Another results folder, later, on another CPU, without cached bytecode: identical captures and traces."""
    bare = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    cellbed("run", executed / "short.yaml", "--results", tmp_path / "again" / "deeper", "--jobs", 1, env=bare)
    first, again = bundles(executed / "results"), bundles(tmp_path / "again" / "deeper")
    for variant, bundle in first.items():
        assert digests(bundle) == digests(again[variant])


def test_traced_programs_give_the_same_bytes(executed, tmp_path):
    """How programs of the guest call its kernel is no part of what a run is: iperf3, and many nodes."""
    crowded = tmp_path / "crowded.yaml"
    crowded.write_text(CROWDED)
    cellbed("run", crowded, "--results", tmp_path / "filtered")
    traced = {**os.environ, "CELLBED_PTRACE": "1"}
    cellbed("run", crowded, "--results", tmp_path / "traced", env=traced)
    cellbed("run", executed / "short.yaml", "--results", tmp_path / "short", env=traced)
    for ours, theirs in ((tmp_path / "filtered", tmp_path / "traced"), (executed / "results", tmp_path / "short")):
        first, other = bundles(ours), bundles(theirs)
        assert first and {name: digests(bundle) for name, bundle in first.items()} == {
            name: digests(bundle) for name, bundle in other.items()}


def test_another_seed_other_bytes(executed, tmp_path):
    cellbed("run", executed / "short.yaml", "--results", tmp_path, "--seed", 2, "--variant", "DM-DM")
    first, other = digests(bundles(executed / "results")["DM-DM"]), digests(bundles(tmp_path)["DM-DM"])
    assert all(first[name] != other[name] for name in first)


def test_finished_runs_are_not_executed_again(executed):
    manifest = bundles(executed / "results")["DM-DM"] / "manifest.json"
    before = manifest.stat().st_mtime_ns
    assert "already there" in cellbed("run", executed / "short.yaml", "--results", executed / "results").stdout
    assert manifest.stat().st_mtime_ns == before


def test_report(executed):
    shutil.copytree(executed / "results", executed / "copy", dirs_exist_ok=True)
    out = cellbed("report", executed / "copy").stdout
    assert "30.0" in out
    assert (executed / "copy/summary/report.html").stat().st_size > 10_000
    assert (executed / "copy/summary/metrics.parquet").exists()
    assert isinstance(json.loads((executed / "copy/summary/claims.json").read_text()), list)


def test_why_an_rtt_is_what_it_is(executed):
    """The parts of one segment's RTT, which add up to it."""
    out = cellbed("why", bundles(executed / "results")["DM-DM"], "--at", "1").stdout
    rtt_ms = float(out.split("RTT ")[1].split(" ms")[0])
    parts = [float(line.split(" ms")[0]) for line in out.splitlines() if " ms  " in line]
    assert rtt_ms == pytest.approx(30, abs=1)
    assert sum(parts) == pytest.approx(rtt_ms, abs=0.01)


def test_failure_in_the_guest_is_one_message(scenario, tmp_path):
    """A radio daemon that dies: the run fails, says why, and leaves nothing."""
    for program in paths.PROGRAMS.values():
        path = tmp_path / "build" / program.relative_to(paths.BUILD)
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\necho 'celld: it broke' >&2\nexit 3\n")
        path.chmod(0o755)
    done = cellbed("run", scenario, "--results", tmp_path / "r", "--variant", "DM-DM", check=False,
                   env={**os.environ, "CELLBED_BUILD": str(tmp_path / "build")})
    assert done.returncode == 1
    assert "DM-DM seed 1: failed: celld: celld: it broke" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "r").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_without_root(scenario, tmp_path):
    """An ordinary user runs the virtual lab: no root, no capabilities."""
    nobody = pwd.getpwnam("nobody")
    kernel = subprocess.run([ROOT / "kernel/build", "--print-path"], capture_output=True, text=True, check=True)
    cache = tmp_path / "cache/cellbed/kernel"
    cache.parent.mkdir(parents=True)
    source = os.path.dirname(os.path.dirname(kernel.stdout.strip()))
    shutil.copytree(source, cache, ignore=shutil.ignore_patterns(".building-*"))  # of a build that goes on beside it
    for path in [tmp_path, *tmp_path.rglob("*")]:
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
    become = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--inh-caps=-all", "env", "-i",
              f"PATH={os.environ['PATH']}", f"XDG_CACHE_HOME={tmp_path / 'cache'}", f"HOME={tmp_path}",
              "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"]
    reachable = subprocess.run([*become, CELLBED, "--help"], capture_output=True, check=False)
    for parent in tmp_path.parents:
        if parent.owner() == "root" and parent.name.startswith(("pytest-", "popen-")):
            parent.chmod(0o755)
    if reachable.returncode:
        pytest.skip("another user cannot run this checkout or its Python")
    done = subprocess.run(
        [*become, CELLBED, "run", scenario, "--results", tmp_path / "results", "--variant", "DM-DM"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(bundles(tmp_path / "results")) == {"DM-DM"}


@needs_two_kernels
def test_the_older_kernel_runs_too(executed, tmp_path):
    """An older verifier, and TUN devices that take no requests in batches."""
    for results in (tmp_path / "a", tmp_path / "b"):
        cellbed("run", executed / "short.yaml", "--results", results, "--kernel", "6.1", "--variant", "DM-DM")
    assert digests(bundles(tmp_path / "a")["DM-DM"]) == digests(bundles(tmp_path / "b")["DM-DM"])
    manifest = json.loads((bundles(tmp_path / "a")["DM-DM"] / "manifest.json").read_text())
    assert manifest["kernel"]["release"].startswith("6.1.")
    assert manifest["validity"]["verdict"] == "valid"
