# SPDX-License-Identifier: GPL-2.0-or-later
"""Hosts that hand over several segments at once: the radio has the same packets, and nothing is lost on the way."""

import json

import polars as pl
import pytest
import yaml
from e2e import bundles, cellbed, needs_native

from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
LABS = ["virtual", pytest.param("native", marks=needs_native)]
MTU = 1500
SECONDS = 1
# Nothing but the radio bounds it, and of 18 bits of sequence numbers all are of use.
MADE = {
    "format": 1, "id": "tests/offload", "seeds": [1],
    "nodes": {"server": {"kind": "server", "address": ["10.46.0.1/24", "2001:db8:46::1/64"]},
              "enb": {"kind": "enb"}, "ue1": {"address": ["10.45.0.1/24", "2001:db8:45::1/64"]}},
    "links": [{"a": "server", "b": "enb", "rate": "2Gbit", "queue_pkts": 10000}],
    "radio": {"system": "nr", "nr": {"numerology": 1, "bandwidth_mhz": 100, "tdd_pattern": "DDDSU", "layers_dl": 4},
              "ues": {"ue1": {"peer": "enb"}}},
    "capture": {"ip": False}, "validity": {"queue_drops_allowed": True, "lateness_p99_us": 1e6, "missed_ttis": 10**6},
    "sweep": {"variants": {"plain": {}, "at-once": {"tcp.segmentation_offload": True}}},
}  # fmt: skip


@pytest.fixture
def execute(tmp_path):
    """Of each variant its bundle, and what its flow's program says."""

    def execute(lab, seconds=SECONDS, **flow):
        made = {**MADE, "traffic": [{"id": "load", "kind": "stream", "duration_s": seconds, "from": "server",
                                     "to": "ue1", **flow}]}
        (tmp_path / "offload.yaml").write_text(yaml.safe_dump(made))
        cellbed("run", tmp_path / "offload.yaml", "--lab", lab, "--results", tmp_path / "r")
        return {name.partition("-seed")[0]: (read_bundle(path), json.loads((path / "load.stream.json").read_text()))
                for name, path in bundles(tmp_path / "r").items()}

    return execute


def packets(bundle):
    """Packets that came to the radio, by the side that they came from: number, bytes of the largest."""
    came = bundle.radio.filter(pl.col("event") == "pkt_in")
    return {node: (number, largest) for node, number, largest in
            came.group_by("node").agg(pl.len(), pl.col("bytes").max()).iter_rows()}


@pytest.mark.parametrize("lab", LABS)
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_the_radio_has_whole_packets_of_tcp(execute, lab, family):
    """One ACK stands for what a UE gets at once, so that there are fewer; the data fill the same packets."""
    found = execute(lab, family=family)
    acks_a_packet = {}
    for name, (bundle, told) in found.items():
        (data, largest), (acks, _) = packets(bundle)[0], packets(bundle)[1]
        headers = 32 + (20 if family == "ipv4" else 40)
        assert largest == MTU and told["received_bytes"] > 5e6
        assert told["received_bytes"] / (MTU - headers) <= data <= 1.02 * told["sent_bytes"] / (MTU - headers) + 20
        acks_a_packet[name] = acks / data
    assert acks_a_packet["at-once"] < acks_a_packet["plain"] / 3


@pytest.mark.parametrize("lab", LABS)
def test_every_datagram_comes_that_the_radio_delivers(execute, lab):
    """Also those that come by the thousand when one before them is there at last."""
    rate = {"virtual": "1Gbit", "native": "100Mbit"}[lab]
    for bundle, told in execute(lab, transport="udp", rate=rate, packet_bytes=1400).values():
        out = bundle.radio.filter((pl.col("event") == "pkt_out") & (pl.col("bytes") == 1428))
        assert packets(bundle)[0][1] == 1428
        assert told["received_pkts"] == len(out) and told["received_bytes"] == 1400 * len(out)
        assert len(out) == told["sent_pkts"]
