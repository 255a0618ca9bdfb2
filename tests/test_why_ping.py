# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed why` of a ping: its RTT is what ping printed, and a lost one is said to be lost.

Parts and causes of pings and TCP add up to the RTT.
"""

import re

import pytest
from e2e import bundles, cellbed

from cellbed_analysis.metrics.asked import Asked
from cellbed_analysis.report.why import why
from cellbed_analysis.report.why_flow import why_flow
from cellbed_analysis.tcp.causes import CAUSES
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab

# ping spins for up to 10 ms before it sends, which makes what shares the CPU with it late: at another time than others.
SCENARIO = """
format: 1
id: pings
nodes:
  server: {kind: server, address: 10.46.0.1/24}
  enb: {kind: enb}
  ue1: {address: 10.45.0.1/24}
  ue2: {address: 10.45.0.2/24}
links: [{a: server, b: enb, rate: 1Gbit, delay_ms: 5, queue_pkts: 1000}]
radio:
  harq: {max_attempts: 4, bler: [0.1, 0.01, 0.001, 0.0001]}
  rlc: {mode: am}
  ues: {ue1: {peer: enb}, ue2: {peer: enb}}
traffic:
  - {id: down, kind: stream, from: server, to: ue1, duration_s: 2}
  - {id: up, kind: stream, from: ue2, to: server, port: 5202, duration_s: 2}
  - {id: probe, kind: command, node: ue1, argv: [ping, "-c12", -i, "0.15", 10.46.0.1]}
  - {id: large, kind: command, node: server, start_s: 0.06, argv: [ping, "-c5", -i, "0.3", -s, "2000", 10.45.0.2]}
  - {id: several, kind: command, node: ue2, argv: [sh, -c, "ping -c2 10.46.0.1; ping -c2 10.45.0.1"]}
validity: {queue_drops_allowed: true}
sweep:
  variants:
    lte: {}
    nr: {radio.system: nr, radio.nr: {bandwidth_mhz: 20}}
"""
BETWEEN_UES = SCENARIO.split("traffic:")[0] + """
traffic: [{id: across, kind: stream, from: ue2, to: ue1, duration_s: 1}]
validity: {queue_drops_allowed: true}
sweep:
  variants:
    lte: {}
    nr: {radio.system: nr, radio.nr: {bandwidth_mhz: 20}}
    constant: {radio: {system: constant_rate, constant_rate: {ul_rate: 5Mbit, dl_rate: 5Mbit, delay_ms: 10},
                       ues: {ue1: {peer: enb}, ue2: {peer: enb}}}}
"""
LOSSY = SCENARIO.split("traffic:")[0].replace("mode: am", "mode: um").replace(
    "max_attempts: 4, bler: [0.1, 0.01, 0.001, 0.0001]", "max_attempts: 2, bler: [0.5, 0.3]") + """
traffic: [{id: probe, kind: command, node: ue1, argv: [ping, "-c20", -i, "0.05", -W, "1", 10.46.0.1]}]
"""
PRINTED = re.compile(r"icmp_seq=(\d+) .*time=([\d.]+) ms")


def execute(folder, text):
    (folder / "scenario.yaml").write_text(text)
    cellbed("run", folder / "scenario.yaml", "--results", folder / "results")
    return bundles(folder / "results")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    return execute(tmp_path_factory.mktemp("pings"), SCENARIO)


@pytest.fixture(params=["lte", "nr"])
def bundle(request, executed):
    return read_bundle(executed[request.param])


def printed(bundle, command):
    """[(icmp_seq, ms)] in the output of a command."""
    return [(int(seq), float(ms)) for seq, ms in PRINTED.findall((bundle.path / f"{command}.stdout").read_text())]


def test_each_is_explained_and_takes_what_ping_printed(bundle):
    """Also one in fragments, and one from a UE to the other, which crosses the radio twice each way."""
    pings = {"probe": ("ue1:ping-server", 12), "large": ("server:ping-ue2", 5), "several": (None, 4)}
    for command, (flow, n) in pings.items():
        flows = [flow] if flow else ["ue2:ping-server", "ue2:ping-ue1"]
        explained = [row for one in flows for row in Asked.of(bundle, one).explained().iter_rows(named=True)]
        said = printed(bundle, command)
        assert len(explained) == len(said) == n
        for row, (seq, ms) in zip(explained, said, strict=True):
            assert row["seq"] == seq and row["rtt_ns"] / 1e6 == pytest.approx(ms, rel=0.01, abs=0.1)


@pytest.mark.parametrize("flow", ["probe", "ue1:ping-server", "large", "ue2:ping-server", "ue2:ping-ue1"])
def test_parts_add_up(bundle, flow):
    for row in Asked.of(bundle, flow).explained().iter_rows(named=True):
        answer = why(bundle, 0, flow, row["seq"])
        assert answer.defect is None and answer.seq == row["seq"]
        assert sum(answer.parts_ms.values()) == pytest.approx(row["rtt_ns"] / 1e6, abs=1e-9)
        assert min(answer.parts_ms.values()) > -0.001


@pytest.mark.parametrize("flow", ["down", "up", "probe", "large", "ue2:ping-ue1"])
def test_causes_add_up_to_the_rtt_of_the_captures(bundle, flow):
    asked = Asked.of(bundle, flow)
    explained = asked.explained()
    causes = asked.causes(explained).table()
    assert tuple(causes.columns) == tuple(CAUSES) and min(causes.min().row(0)) > -1000
    wrong = (causes.sum_horizontal() - explained["ack_ns"] + explained["out_ns"]).abs()
    assert len(causes) and wrong.max() < 1
    answer = why_flow(bundle, flow)
    for column in ("all_ms", "middle_ms", "slowest_ms"):
        assert answer.causes[column].sum() == pytest.approx(answer.parts[column].sum(), abs=0.05)


def test_a_long_wait_is_explained(bundle):
    """The flow that fills the cell waits behind its own window, and the ping of its UE behind that flow."""
    asked = Asked.of(bundle, "down")
    slowest = asked.explained().sort("rtt_ns").row(-1, named=True)
    told = cellbed("why", bundle.path, "--flow", "down", "--seq", slowest["seq"]).stdout
    ahead = re.search(r"why the data waited ([\d.]+) ms in the .NB's queue for ue1:\n"
                      r"    (\d+) bytes went before it: (.*)\n", told)
    assert ahead and re.match(r"\d+ of flow down", ahead[3]) and float(ahead[1]) * 1e6 < slowest["rtt_ns"]
    assert sum(map(int, re.findall(r"(\d+) of ", ahead[3]))) == int(ahead[2])
    means = {row["cause"]: row["all_ms"] for row in why_flow(bundle, "probe").causes.iter_rows(named=True)}
    assert means["other flows of the same UE"] > means.get("the ping's own packets", 0)


def test_what_is_said(bundle):
    told = cellbed("why", bundle.path, "--flow", "probe", "--at", "0.5").stdout
    assert re.match(r"ping icmp_seq=\d+, 84 bytes, sent at 0\.\d+ s: RTT [\d.]+ ms\n", told)
    assert "echo request: " in told and "echo reply: wait at the" in told and "TCP" not in told
    assert re.search(r" 5\.00\d ms  wires from the radio to the host that replies", told)
    assert re.search(r" 5\.\d+ ms  wires from that host to the radio", told)
    assert cellbed("why", bundle.path, "--flow", "probe", "--seq", "3").stdout.startswith("ping icmp_seq=3, ")
    whole = cellbed("why", bundle.path, "--flow", "large", "--whole").stdout
    assert "echo requests, in ms" in whole and "echo request: " in whole


@pytest.mark.parametrize("words, said", [
    (["--flow", "ping"], "--flow ping: the run has 4; allowed ue2:ping-server, ue1:ping-server, server:ping-ue2, "
                         "ue2:ping-ue1"),
    (["--flow", "several"], "--flow several: allowed ue2:ping-server, ue2:ping-ue1"),
    (["--flow", "probe", "--at", "99"], "no echo request was sent at or after 99 s; choose a time up to "),
    (["--flow", "probe", "--seq", "99"], "no echo request has icmp_seq 99; choose 1 to 12"),
    (["--flow", "nothing"], "--flow nothing: allowed down, up, "),
])  # fmt: skip
def test_what_names_no_ping_is_one_line(executed, words, said):
    done = cellbed("why", executed["lte"], *words, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert said.partition(" ue2:")[0] in done.stderr and done.stdout == ""


def test_the_only_ping_needs_no_name_and_a_lost_one_is_said_to_be(tmp_path):
    bundle = read_bundle(execute(tmp_path, LOSSY)["run"])
    came = dict(printed(bundle, "probe"))
    lost = sorted(set(range(1, 21)) - set(came))
    assert 2 < len(lost) < 20
    assert f"icmp_seq={min(came)}, " in cellbed("why", bundle.path, "--seq", min(came)).stdout
    for seq in lost:
        told = cellbed("why", bundle.path, "--flow", "ping", "--seq", seq).stdout
        assert re.search(r"sent at [\d.]+ s: no reply\n  (the request never came to server|server's reply never came): "
                         r"the radio dropped it [\d.]+ ms after it entered, [a-z ]+\n$", told), told


def test_tcp_from_a_ue_to_the_other_crosses_the_radio_twice(tmp_path):
    """Each way: the receiver's host answers at once, and the time of the second crossing is the radio's."""
    for variant, folder in execute(tmp_path, BETWEEN_UES).items():
        bundle = read_bundle(folder)
        segments = Asked.of(bundle, "across").explained()
        assert segments["receiver"].median() < 2e6, variant
        crossing = "link" if variant == "constant" else "dl"
        assert all((segments[f"{way}_{crossing}"] > 0).all() for way in ("data", "ack")), variant
        answer = why_flow(bundle, "across")
        assert answer.defect is None and answer.parts["all_ms"].sum() == pytest.approx(answer.rtt_ms.mean(), abs=0.05)
