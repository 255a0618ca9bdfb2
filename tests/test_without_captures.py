# SPDX-License-Identifier: GPL-2.0-or-later
"""A run without captures has the numbers that it has with them, or none: long runs go without."""

import polars as pl
import pytest
import yaml
from e2e import cellbed

pytestmark = pytest.mark.lab
SECONDS = 2
KINDS = {
    "tcp": {"kind": "stream"},
    "datagrams": {"kind": "stream", "transport": "udp", "rate": "3Mbit", "packet_bytes": 1400},
    "iperf3": {"kind": "iperf3"},
    "iperf3-datagrams": {"kind": "iperf3", "transport": "udp", "rate": "3Mbit", "packet_bytes": 1400},
}
# Of the run, not of what it measures.
OTHER = {"created", "wall_s", "seed", "param.capture.ip"}
# What takes the time or the header of each packet.
OF_CAPTURES = {"goodput_mbps", "goodput_mbps_low", "goodput_mbps_high", "goodput_difference_pct",
               "udp_lost_difference_pkts", "flow_ect", "flow_ce_pkts", "flow_ce_share"}
OF_ARRIVALS = {"flow_mbps", "flow_share_together", "jain_together"}
# The end of a transfer: what is under way then has arrived and is not acknowledged.
CLOSE = 0.03


def flows_of(folder, kind, captured):
    """Rows of a run with two flows of that kind."""
    traffic = [{"id": name, "from": "server", "to": ue, "port": port, "duration_s": SECONDS, **KINDS[kind]}
               for name, ue, port in (("one", "ue1", 5201), ("two", "ue2", 5301))]
    made = {
        "format": 1, "id": "tests/captured", "seeds": [1], "validity": {"queue_drops_allowed": True},
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
                  "ue1": {"address": "10.45.0.1/24"}, "ue2": {"address": "10.45.0.2/24"}},
        "links": [{"a": "server", "b": "enb", "rate": "20Mbit", "queue_pkts": 100}],
        "radio": {"ues": {"ue1": {"peer": "enb"}, "ue2": {"peer": "enb"}}},
        "capture": {"ip": captured}, "traffic": traffic,
    }  # fmt: skip
    folder.mkdir()
    (folder / "made.yaml").write_text(yaml.safe_dump(made))
    cellbed("run", folder / "made.yaml", "--results", folder / "r")
    cellbed("report", folder / "r")
    return pl.read_parquet(folder / "r/summary/metrics.parquet").to_dicts()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_known_is_the_same(tmp_path, kind):
    seen, unseen = (flows_of(tmp_path / str(captured), kind, captured) for captured in (True, False))
    expected = OF_CAPTURES | (OF_ARRIVALS if "datagrams" in kind else set())
    for with_captures, without in zip(seen, unseen, strict=True):
        numbers = {name: value for name, value in with_captures.items()
                   if isinstance(value, float | int) and not isinstance(value, bool) and name not in OTHER}
        both = {name: value for name, value in numbers.items() if without.get(name) is not None}
        assert {name: without[name] for name in both} == pytest.approx(both, rel=CLOSE, abs=1e-9)
        lost = {name for name, value in with_captures.items() if value is not None and without.get(name) is None}
        of_flows = {name for name in lost if name.startswith(("flow", "goodput", "jain", "udp", "cwnd", "probe_srtt"))}
        assert of_flows <= expected
