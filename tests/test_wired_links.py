# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue disciplines and wires of Linux on wired links: what they do to TCP, what is counted, what is refused."""

import hashlib
import json

import polars as pl
import pytest
import yaml
from e2e import bundles, cellbed, needs_native

import cellbed as api
from cellbed.error import ScenarioError
from cellbed.run import shaping
from cellbed.scenario.description import expand

BOTTLENECK = """
format: 1
id: bottleneck
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  enb: {kind: enb}
  ue1: {address: 10.45.0.1/24}
links: [{a: server, b: enb, rate: 10Mbit, delay_ms: 10, queue_pkts: 400}]
radio: {n_rb: 100, ues: {ue1: {peer: enb}}, rlc: {queue_pkts: 1000}}
tcp: {receive_window: 1MiB, congestion_control: reno}
traffic: [{id: bulk, from: server, to: ue1, duration_s: 4}]
validity: {queue_drops_allowed: true}
sweep:
  variants:
    pfifo: {}
    codel: {links.0.qdisc: codel}
    ecn: {links.0.qdisc: fq_codel target 5ms ecn, tcp.sysctls: {net.ipv4.tcp_ecn: 1}}
    bursts: {links.0.netem: loss gemodel 1% 20% 50% 0%}
    twice: {links.0.netem: duplicate 20%}
    pie: {links.0.qdisc: pie target 20ms}
    fq_pie: {links.0.qdisc: fq_pie}
    cake: {links.0.qdisc: cake bandwidth 9Mbit}
    fq: {links.0.qdisc: fq}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wired")
    (folder / "a.yaml").write_text(BOTTLENECK)
    cellbed("run", folder / "a.yaml", "--results", folder / "r")
    return folder / "r"


def down(results, variant):
    """Counters of the server's end."""
    manifest = json.loads((bundles(results)[variant] / "manifest.json").read_text())
    return next(link for link in manifest["links"] if link["from"] == "server")


@pytest.mark.lab
def test_management_keeps_the_queue_short(results):
    srtt_ms = {run.variant: run.tcp["srtt_ms"].median() for run in api.Results.load(results)}
    managed = [srtt_ms[variant] for variant in ("codel", "ecn", "pie", "fq_pie", "cake")]
    assert srtt_ms["pfifo"] > 150 > srtt_ms["fq"] > 80 > 60 > max(managed)  # 100 packets of a flow wait in fq
    for variant in ("codel", "pie", "fq_pie", "cake"):
        assert down(results, variant)["early_drop_pkts"] > 0 == down(results, variant)["overflow_pkts"], variant
    assert down(results, "ecn")["marked_pkts"] > 0 == down(results, "ecn")["early_drop_pkts"]
    assert down(results, "pfifo")["early_drop_pkts"] == down(results, "pfifo")["marked_pkts"] == 0


@pytest.mark.lab
def test_a_wire_loses_and_repeats(results):
    """States of Gilbert and Elliott: 1/21 of the time is bad, in which half is lost."""
    lossy = down(results, "bursts")
    assert 0.005 < lossy["lost_pkts"] / (lossy["sent_pkts"] + lossy["lost_pkts"]) < 0.06
    bundle = next(run for run in api.Results.load(results) if run.variant == "twice")
    came = bundle.packets("ue1").filter(pl.col("payload_bytes") > 0)
    assert len(came) > 1.1 * came.unique(["seq", "ack", "payload_bytes"]).height


@pytest.mark.lab
def test_the_same_run_has_the_same_bytes(results, tmp_path):
    again = {}
    for folder in (results, tmp_path / "r"):
        if folder != results:
            cellbed("run", results.parent / "a.yaml", "--variant", "bursts", "--results", folder)
        bundle = bundles(folder)["bursts"]
        again[folder] = {name: hashlib.sha256((bundle / name).read_bytes()).hexdigest()
                         for name in ("radio.trace", "tcp.trace", "ip-server.pcap")}
    assert len({tuple(found.values()) for found in again.values()}) == 1


@pytest.mark.lab
def test_a_kernel_without_it_is_one_line(tmp_path, command):
    (tmp_path / "a.yaml").write_text(BOTTLENECK)
    done = command("run", tmp_path / "a.yaml", "--variant", "pfifo", "--set", "links.0.qdisc=dualpi2", "--kernel",
                   "6.12", "--results", tmp_path / "r")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    said = done.stderr.replace("\n", " ")
    assert "this kernel has no dualpi2" in said or "tc of this machine does not know dualpi2" in said


@needs_native
@pytest.mark.skipif(shaping.available("cake"), reason="this machine's kernel has cake")
def test_a_machine_without_it_is_one_line(tmp_path, command):
    (tmp_path / "a.yaml").write_text(BOTTLENECK)
    done = command("run", tmp_path / "a.yaml", "--lab", "native", "--variant", "pfifo", "--set", "links.0.qdisc=cake",
                   "--set", "links.0.delay_ms=0", "--results", tmp_path / "r")
    assert done.returncode == 1 and "cake" in done.stderr and "Traceback" not in done.stderr
    assert "this kernel has no cake" in done.stderr.replace("\n", " ")


@pytest.mark.lab
def test_dualpi2_where_tc_knows_it(tmp_path, command):
    """An iproute2 older than the discipline is named, not the kernel, which has it."""
    (tmp_path / "a.yaml").write_text(BOTTLENECK)
    done = command("run", tmp_path / "a.yaml", "--variant", "pfifo", "--set", "links.0.qdisc=dualpi2", "--set",
                   "tcp.congestion_control=prague", "--kernel", "7.3", "--results", tmp_path / "r")
    if done.returncode:
        assert "tc of this machine does not know dualpi2" in done.stderr.replace("\n", " ")
        return
    found = down(tmp_path / "r", "pfifo")
    assert found["marked_pkts"] > 0 == found["early_drop_pkts"] == found["overflow_pkts"]
    (run,) = api.Results.load(tmp_path / "r")
    assert run.tcp["srtt_ms"].median() < 60  # of packets that wait for a millisecond, not for 400 others


@pytest.mark.parametrize(("change", "said"), [
    ({"qdisc": "sfq"}, "allowed pfifo, codel, fq_codel"),
    ({"qdisc": "codel; reboot"}, "links.0.qdisc"),
    ({"qdisc": "codel\nqdisc del dev lo root"}, "links.0.qdisc"),
    ({"qdisc": ""}, "links.0.qdisc"),
    ({"qdisc": "codel", "aqm": "red"}, "aqm: red is a queue discipline, too"),
    ({"netem": "fast"}, "allowed words of tc-netem"),
    ({"netem": "delay 10ms"}, "'delay' is what the key delay_ms says"),
    ({"netem": "loss 1%", "loss": 0.1, "delay_ms": 0}, "'loss' is what the key loss says"),
    ({"netem": "duplicate 1% limit 5"}, "'limit' is what the key queue_pkts says"),
    ({"netem": "duplicate 1% rate 1mbit"}, "'rate' is what the key rate says"),
])
def test_what_is_refused(change, said, tmp_path):
    made = yaml.safe_load(BOTTLENECK)
    del made["sweep"]
    made["links"][0] |= change
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(made))
    with pytest.raises(ScenarioError, match=said):
        expand(tmp_path / "a.yaml")
