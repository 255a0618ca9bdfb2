# SPDX-License-Identifier: GPL-2.0-or-later
"""Links of constant rate in the virtual lab: what a flow gets where there is no radio."""

import json
import re

import pytest
from e2e import bundles, cellbed

pytestmark = pytest.mark.lab

SCENARIO = """
format: 1
id: constant
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  enb: {kind: enb}
  phone: {address: 10.45.0.1/24}
  tablet: {address: 10.45.0.2/24}
links: [{a: server, b: enb, rate: 1Gbit}]
radio:
  system: constant_rate
  constant_rate: {dl_rate: 5Mbit, ul_rate: 2Mbit, queue_pkts: 4000}
  ues: {phone: {peer: enb}, tablet: {peer: enb}}
traffic:
  - {id: down, kind: stream, from: server, to: phone, duration_s: 4}
  - {id: up, kind: stream, from: tablet, to: server, duration_s: 4, port: 5202}
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("constant")
    (folder / "constant.yaml").write_text(SCENARIO)
    cellbed("run", folder / "constant.yaml", "--results", folder / "results")
    return folder / "results"


def test_each_flow_fills_its_link(executed):
    bundle = bundles(executed)["run"]
    assert json.loads((bundle / "manifest.json").read_text())["validity"] == {"verdict": "valid", "reasons": []}
    for name, rate in (("down", 5e6), ("up", 2e6)):
        received = json.loads((bundle / f"{name}.stream.json").read_text())["received_bytes"]
        assert 0.9 * rate < received * 8 / 4 * 1500 / 1448 <= 1.001 * rate


def test_it_is_reported(executed):
    cellbed("report", executed)
    assert (executed / "summary/report.html").exists()


NETEM = """
radio.constant_rate.downlink_netem: loss gemodel 0.5% 30% delay 5ms 1ms reorder 1% duplicate 2%
radio.constant_rate.uplink_delays: delays
radio.constant_rate.uplink_losses: losses
"""


@pytest.fixture(scope="module")
def impaired(tmp_path_factory):
    """Two executions of a run whose links lose, delay, reorder and duplicate."""
    folder = tmp_path_factory.mktemp("impaired")
    (folder / "delays").write_text("0 20\n2000 42.5\n4000 0\n")
    (folder / "losses").write_text(199 * "0\n" + "1\n")
    (folder / "impaired.yaml").write_text(SCENARIO)
    changes = [word for line in NETEM.split("\n") if line for word in ("--set", "=".join(line.split(": ")))]
    for name in ("one", "two"):
        cellbed("run", folder / "impaired.yaml", "--results", folder / name, *changes)
    return [bundles(folder / name)["run"] for name in ("one", "two")]


def test_what_happens_on_the_way_repeats_to_the_byte(impaired):
    one, two = ((bundle / "radio.trace").read_bytes().partition(b"\n")[2] for bundle in impaired)
    assert one == two


def test_losses_and_copies_are_counted_and_seen(impaired):
    bundle = impaired[0]
    assert json.loads((bundle / "manifest.json").read_text())["validity"] == {"verdict": "valid", "reasons": []}
    stats = json.loads((bundle / "radio.json").read_text())
    assert stats["pkts_dropped"]["radio_loss"] > 20 and stats["pkts_originated"] > 20
    said = cellbed("why", bundle, "--flow", "down", "--at", "3").stdout
    parts = parts_ms(said)
    assert parts["ACK: sent, and on the way over the link"] >= 10 + 20
    assert sum(parts.values()) == pytest.approx(float(re.search(r"RTT ([0-9.]+) ms", said)[1]), abs=0.01)


def parts_ms(text):
    """{label: ms} of an answer of `why`."""
    found = (re.fullmatch(r" +([0-9.]+) ms  (.*)", line) for line in text.splitlines())
    return {match[2]: float(match[1]) for match in found if match}


@pytest.mark.parametrize(("flow", "data_ms", "ack_ms"), [("down", 2.4, 0.208), ("up", 6.0, 0.0832)])
def test_why_knows_queue_rate_and_delay(executed, flow, data_ms, ack_ms):
    """1500 bytes at 5 and 2 Mbit/s, 52 bytes at 2 and 5 Mbit/s, and 10 ms each way."""
    said = cellbed("why", bundles(executed)["run"], "--flow", flow, "--at", "3").stdout
    parts = parts_ms(said)
    assert not [label for label in parts if re.search("RLC|grant|decod|eNB", label)], said
    assert parts["data: sent, and on the way over the link"] == pytest.approx(10 + data_ms, abs=0.001)
    assert parts["ACK: sent, and on the way over the link"] == pytest.approx(10 + ack_ms, abs=0.001)
    assert parts["data: wait in the queue of the link"] > 20
    assert sum(parts.values()) == pytest.approx(float(re.search(r"RTT ([0-9.]+) ms", said)[1]), abs=0.01)
