# SPDX-License-Identifier: GPL-2.0-or-later
"""Links of constant rate in the virtual lab: what a flow gets where there is no radio."""

import json

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
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("constant")
    (folder / "constant.yaml").write_text(SCENARIO)
    cellbed("run", folder / "constant.yaml", "--results", folder / "results")
    return folder / "results"


def test_each_flow_fills_its_link(played):
    bundle = bundles(played)["run"]
    assert json.loads((bundle / "manifest.json").read_text())["validity"] == {"verdict": "valid", "reasons": []}
    for name, rate in (("down", 5e6), ("up", 2e6)):
        received = json.loads((bundle / f"{name}.stream.json").read_text())["received_bytes"]
        assert 0.9 * rate < received * 8 / 4 * 1500 / 1448 <= 1.001 * rate


def test_it_is_reported(played):
    cellbed("report", played)
    assert (played / "summary/report.html").exists()
