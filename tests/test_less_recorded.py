# SPDX-License-Identifier: GPL-2.0-or-later
"""A run that records less has the numbers that it has with everything, or none: long runs go without captures."""

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
LESS = [{"radio": False}, {"radio_snaplen": 16}, {"ip_snaplen": 64}, {"core": False}, {"radio_trace": "events"}]
# Of the run, not of what it measures.
OTHER = {"wall_s", *(f"param.capture.{name}" for one in [{"ip": False}, *LESS] for name in one)}
# What takes the time or the header of each packet.
OF_CAPTURES = {"goodput_mbps", "goodput_mbps_low", "goodput_mbps_high", "goodput_difference_pct",
               "udp_lost_difference_pkts", "flow_ect", "flow_ce_pkts", "flow_ce_share"}
OF_ARRIVALS = {"flow_mbps", "flow_share_together", "jain_together"}
# The end of a transfer: what is under way then has arrived and is not acknowledged.
CLOSE = 0.03


def flows_of(folder, kind, **capture):
    """Rows of a run with two flows of that kind."""
    traffic = [{"id": name, "from": "server", "to": ue, "port": port, "duration_s": SECONDS, **KINDS[kind]}
               for name, ue, port in (("one", "ue1", 5201), ("two", "ue2", 5301))]
    made = {
        "format": 1, "id": "tests/captured", "seeds": [1], "validity": {"queue_drops_allowed": True},
        "nodes": {"server": {"kind": "server", "address": "10.46.0.1/24"}, "enb": {"kind": "enb"},
                  "ue1": {"address": "10.45.0.1/24"}, "ue2": {"address": "10.45.0.2/24"}},
        "links": [{"a": "server", "b": "enb", "rate": "20Mbit", "queue_pkts": 100}],
        "radio": {"ues": {"ue1": {"peer": "enb"}, "ue2": {"peer": "enb"}}},
        "capture": capture, "traffic": traffic,
    }  # fmt: skip
    folder.mkdir()
    (folder / "made.yaml").write_text(yaml.safe_dump(made))
    cellbed("run", folder / "made.yaml", "--results", folder / "r")
    cellbed("report", folder / "r")
    return pl.read_parquet(folder / "r/summary/metrics.parquet").to_dicts()


def numbers(row):
    """What was measured: metrics that are numbers."""
    return {name: value for name, value in row.items() if isinstance(value, float | int) and name not in OTHER}


def common(row, other):
    """What both have, of each."""
    names = numbers(row).keys() & numbers(other).keys()
    return tuple({name: one[name] for name in names} for one in (row, other))


@pytest.mark.parametrize("kind", KINDS)
def test_without_captures(tmp_path, kind):
    every, less = (flows_of(tmp_path / str(captured), kind, ip=captured) for captured in (True, False))
    expected = OF_CAPTURES | (OF_ARRIVALS if "datagrams" in kind else set())
    for row, other in zip(every, less, strict=True):
        with_captures, without = common(row, other)
        assert without == pytest.approx(with_captures, rel=CLOSE, abs=1e-9)
        lost = {name for name, value in row.items() if value is not None and other.get(name) is None}
        of_flows = {name for name in lost if name.startswith(("flow", "goodput", "jain", "udp", "cwnd", "probe_srtt"))}
        assert of_flows <= expected


def test_with_less_of_the_radio_and_of_packets(tmp_path):
    every = flows_of(tmp_path / "every", "tcp")
    for number, capture in enumerate(LESS):
        less = flows_of(tmp_path / str(number), "tcp", **capture)
        for row, other in zip(every, less, strict=True):
            with_all, with_less = common(row, other)
            assert with_all == with_less and len(with_all) > 100, capture
