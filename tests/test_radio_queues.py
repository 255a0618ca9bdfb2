# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue disciplines at the radio's bottleneck as a user sees them: one download over LTE and NR, each with its own."""

import json

import pytest
import yaml
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
WORDS = {"pfifo": "pfifo", "codel": "codel", "fq": "fq_codel", "pie": "pie", "ecn": "codel ecn", "dualpi2": "dualpi2"}


def scenario(link: str, way: str) -> dict:
    data = yaml.safe_load((ROOT / "scenarios/links" / link).read_text())
    data["radio"].get("nr", {}).pop("aqm", None)
    data["radio"].setdefault("rlc", {}).update(mode="am", queue_pkts=1000 if link == "good.yaml" else 8000)
    data["radio"]["rlc"].pop("queue_ms", None)
    data["traffic"] = [{"id": "load", "from": "server" if way == "downlink" else "ue1",
                        "to": "ue1" if way == "downlink" else "server", "duration_s": 3}]
    data["tcp"] = {"congestion_control": "cubic"}
    variants = {name: {f"radio.rlc.{way}_qdisc": words,
                       "tcp.sysctls": {"net.ipv4.tcp_ecn": int(name in ("ecn", "dualpi2"))}}
                for name, words in WORDS.items()}
    return data | {"sweep": {"variants": variants}}


@pytest.fixture(scope="module", params=[("good.yaml", "downlink"), ("good.yaml", "uplink"),
                                        ("nr-l4s.yaml", "downlink")], ids=lambda of: "-".join(of))
def rows(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("queues")
    (folder / "s.yaml").write_text(yaml.safe_dump(scenario(*request.param)))
    cellbed("run", folder / "s.yaml", "--results", folder / "results")
    return {name: analyse(read_bundle(bundle)).row
            | {"marks": json.loads((bundle / "radio.json").read_text())["ecn_marks"]}
            for name, bundle in bundles(folder / "results").items()}


def test_each_holds_the_delay_near_its_target(rows):
    """A managed queue is shorter than the FIFO, and something still comes through."""
    for name in WORDS:
        if name != "pfifo":
            assert rows[name]["rtt_p50_ms"] < rows["pfifo"]["rtt_p50_ms"], name
            assert rows[name]["goodput_mbps"] > 0.1 * rows["pfifo"]["goodput_mbps"], name


def test_what_drops_and_what_marks(rows):
    assert rows["ecn"]["marks"] > 0 and rows["dualpi2"]["marks"] > 0
    assert rows["pfifo"]["dropped_aqm_pkts"] == 0
    for name in ("codel", "fq", "pie"):
        assert rows[name]["marks"] == 0 and rows[name]["dropped_aqm_pkts"] > 0, name
