# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that others wrote say of a bundle what our metrics say: tcptrace of its captures, iperf3 of the flow that it
made, flent of what is exported to it. What differs is what their definitions explain.
"""

import json
import shutil

import numpy as np
import polars as pl
import pytest
from e2e import bundles, cellbed, tcptrace

from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab

SCENARIO = """
format: 1
id: other-tools
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  enb: {kind: enb}
  ue1: {address: 10.45.0.1/24}
links: [{a: server, b: enb, rate: 100Mbit}]
radio: {ues: {ue1: {peer: enb}}}
tcp: {congestion_control: reno, receive_window: 64KiB, mss: 1400, delayed_ack: false}
traffic: [{id: file, from: ue1, to: server, duration_s: 4}]
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
sweep:
  variants:
    clean: {}
    lossy: {radio.ues.ue1.bler_ul: 0.01, radio.ues.ue1.bler_dl: 0.01}
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """Bundle, row of metrics and segments of each variant."""
    folder = tmp_path_factory.mktemp("tools")
    (folder / "scenario.yaml").write_text(SCENARIO)
    cellbed("run", folder / "scenario.yaml", "--results", folder / "results")
    found = {}
    for variant, path in bundles(folder / "results").items():
        analysis = analyse(read_bundle(path))
        found[variant] = path, analysis.row, analysis.segments()
    return found


@pytest.fixture(scope="module")
def traced(executed):
    if shutil.which("tcptrace") is None:
        pytest.skip("tcptrace is not installed")
    return {variant: tcptrace(path / "ip-ue1.pcap") for variant, (path, *_) in executed.items()}


def ms(nanoseconds):
    """As tcptrace rounds it."""
    return pytest.approx(nanoseconds / 1e6, abs=0.051)


@pytest.mark.parametrize("variant", ["clean", "lossy"])
def test_tcptrace_counts_the_same_transmissions(executed, traced, variant):
    _, row, segments = executed[variant]
    theirs = traced[variant]
    assert int(theirs["actual_data_pkts_a2b"]) == row["transmissions"] == segments.height
    assert int(theirs["rexmt_data_pkts_a2b"]) == row["retransmissions"]
    assert (row["retransmissions"] > 20) == (variant == "lossy")
    assert int(theirs["actual_data_bytes_a2b"]) == segments["payload_bytes"].sum()
    assert int(theirs["unique_bytes_sent_a2b"]) == (segments["seq"] + segments["payload_bytes"]).max()


@pytest.mark.parametrize("variant", ["clean", "lossy"])
def test_tcptrace_has_the_same_round_trips(executed, traced, variant):
    """It takes a sample only where an ACK ends with the segment, and counts apart those after a loss, of which it may
    have some more; one more is of the SYN. Ours are of all segments that were sent once."""
    *_, segments = executed[variant]
    theirs = traced[variant]
    once = segments.filter(~pl.col("retransmitted"), pl.col("rtt_ns").is_not_null())
    ended = once.filter(pl.col("seq") == pl.col("seq").max().over("ack_row"))["rtt_ns"]
    after_loss = int(theirs["post-loss_acks_a2b"])
    samples = int(theirs["RTT_samples_a2b"]) + after_loss
    assert float(theirs["RTT_min_a2b"]) == ms(ended.min())
    if variant == "clean":
        assert after_loss == 0 and ended.len() == once.height == samples - 1
        assert float(theirs["RTT_avg_a2b"]) == ms(ended.mean())
        assert float(theirs["RTT_stdev_a2b"]) == ms(ended.std())
    else:
        assert after_loss > 0 and ended.len() == pytest.approx(samples - 1, rel=0.01)
        assert float(theirs["RTT_avg_a2b"]) == pytest.approx(ended.mean() / 1e6, rel=0.02)


@pytest.mark.parametrize("variant", ["clean", "lossy"])
def test_tcptrace_has_the_same_throughput(executed, traced, variant):
    """Its time is the connection's, which begins a round trip before the data, and ends when it is closed."""
    *_, segments = executed[variant]
    theirs = traced[variant]
    data_s = (segments["ack_ns"].max() - segments["out_ns"].min()) / 1e9
    connection_s = int(theirs["unique_bytes_sent_a2b"]) / int(theirs["throughput_a2b"])
    assert float(theirs["RTT_from_3WHS_a2b"]) / 1000 <= connection_s - data_s < 0.1


def uncounted_bytes(told):
    """How much may have come that the server of iperf3 has not counted: from 3.17 on it counts whole blocks."""
    release = tuple(map(int, told["start"]["version"].split()[1].rstrip("+").split(".")))
    return told["start"]["test_start"]["blksize"] if release >= (3, 17) else 0


@pytest.mark.parametrize("variant", ["clean", "lossy"])
def test_iperf3_has_seen_the_same(executed, variant):
    """Its client counts what its kernel sends again until it stops to write or, by release, a little longer; its server
    counts what comes, and asks the clock a little later."""
    path, row, segments = executed[variant]
    told = json.loads((path / "file.iperf3.json").read_text())
    end = told["end"]
    again = segments.sort("out_ns").filter(pl.col("seq").cum_count().over("seq") > 1)["out_ns"]
    assert again.len() == row["retransmissions"]
    stops_ns = segments["out_ns"].min() + end["sum_sent"]["seconds"] * 1e9
    assert (again < stops_ns).sum() <= end["sum_sent"]["retransmits"] <= again.len()
    received_mbps = end["sum_received"]["bytes"] * 8 / end["sum_received"]["seconds"] / 1e6
    assert row["goodput_iperf3_mbps"] == pytest.approx(received_mbps, rel=1e-6)
    more_bytes = row["goodput_difference_pct"] / 100 * end["sum_received"]["bytes"]
    assert 0 <= more_bytes < 0.01 * end["sum_received"]["bytes"] + uncounted_bytes(told)


@pytest.mark.parametrize("variant", ["clean", "lossy"])
def test_flent_reads_the_same_goodput(executed, tmp_path, variant):
    """All bytes that came, and at the rate that they came at."""
    resultset = pytest.importorskip("flent.resultset")
    path, row, _ = executed[variant]
    cellbed("export", path, "--format", "flent", "--output", tmp_path)
    (exported,) = tmp_path.iterdir()
    loaded = resultset.load(str(exported))
    rates = [rate for rate in loaded.series("TCP upload") if rate is not None]
    step_s = loaded.x_values[1] - loaded.x_values[0]
    told = json.loads((path / "file.iperf3.json").read_text())
    received = told["end"]["sum_received"]["bytes"]
    assert -0.001 * received < sum(rates) * step_s / 8 * 1e6 - received < 0.001 * received + uncounted_bytes(told)
    if variant == "clean":  # a steady rate, after slow start
        assert np.median(rates) == pytest.approx(row["goodput_mbps"], rel=0.02)
