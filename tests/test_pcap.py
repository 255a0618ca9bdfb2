# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed pcap` and `cellbed fit`: against tcptrace, tshark and the sender's kernel, and as commands."""

import csv
import json
import re
import shutil

import numpy as np
import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed
from pcap_agreement import KERNEL, execute, said, table

from cellbed_analysis.tcp.packet_rtt import packet_rtts
from cellbed_formats.bundle import read_bundle

WITH_SACK = ("clean", "cubic-1", "cubic-10", "bbr-5")
EVERY = (*WITH_SACK, "reno-5")
needs_tools = pytest.mark.skipif(not (shutil.which("tcptrace") and shutil.which("tshark")),
                                 reason="tcptrace or tshark is not installed")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    return execute(tmp_path_factory.mktemp("agreement"))


@pytest.fixture(scope="module")
def agreement(executed):
    return {variant: said(path) for variant, path in executed.items()}


@pytest.mark.lab
@needs_tools
@pytest.mark.parametrize("variant", EVERY)
def test_all_count_the_same_segments_and_retransmissions(agreement, variant):
    tools = agreement[variant]
    assert tools["cellbed pcap"]["segments"] == tools["tcptrace"]["segments"] == tools["tshark"]["segments"] > 30
    assert len({tool["again"] for tool in tools.values()}) == 1, tools
    assert (tools["cellbed pcap"]["again"] > 5) == (variant != "clean")


@pytest.mark.lab
@needs_tools
@pytest.mark.parametrize("variant", EVERY)
def test_kinds_are_those_that_the_kernel_counted(agreement, variant):
    """To within one with SACK; without it a sender may know more than its packets show."""
    ours, kernel = (agreement[variant][tool] for tool in ("cellbed pcap", "kernel"))
    off = 1 if variant in WITH_SACK else 0.1 * ours["again"]
    for kind in KERNEL:
        assert ours[kind] == pytest.approx(kernel[kind], abs=off), kind
    assert ours["others"] == ours["again"] - sum(ours[kind] for kind in KERNEL)


@pytest.mark.lab
@needs_tools
def test_the_lossy_runs_have_every_kind(agreement):
    kernel = [tools["kernel"] for tools in agreement.values()]
    assert all(max(tool[kind] for tool in kernel) >= 3 for kind in (*KERNEL, "vain"))


@pytest.mark.lab
@needs_tools
@pytest.mark.parametrize("variant", EVERY)
def test_round_trips_and_windows_are_the_same(agreement, executed, variant):
    """Timestamps tell the kernel, in whole milliseconds, the RTT of what was sent again, too."""
    ours, tcptrace, tshark, kernel = agreement[variant].values()
    assert ours["rtt_min_ms"] == pytest.approx(tcptrace["rtt_min_ms"], abs=0.06)
    bundle = read_bundle(executed[variant])
    of_all_ms = packet_rtts(bundle, bundle.flows[0])["rtt_ns"].min() / 1e6
    assert min(ours["rtt_min_ms"], of_all_ms) - 1.1 < kernel["rtt_min_ms"] < ours["rtt_min_ms"] + 1.1
    assert ours["flight_pkts"] == pytest.approx(kernel["flight_pkts"], rel=0.05, abs=1)
    if variant != "bbr-5":  # tshark has no RTT of what only SACK tells
        assert ours["rtt_p50_ms"] == pytest.approx(tshark["rtt_p50_ms"], rel=0.02)


@pytest.mark.lab
@pytest.mark.parametrize("variant", ["cubic-1", "bbr-5"])
def test_round_trips_are_those_of_the_packets(executed, variant):
    """With both captures it is known which answer each packet got."""
    bundle = read_bundle(executed[variant])
    truth = packet_rtts(bundle, bundle.flows[0])
    row = json.loads(cellbed("pcap", bundle.path / "ip-ue1.pcap", "--json").stdout)["flows"][0]
    assert row["rtt_p50_ms"] == pytest.approx(truth["rtt_ns"].median() / 1e6, rel=0.03)
    assert row["spurious"] == pytest.approx(truth["spurious"].sum(), abs=2)


@pytest.mark.lab
def test_two_captures_have_the_delays_and_losses_of_the_way(executed):
    path = executed["cubic-1"]
    (found,) = json.loads(cellbed("pcap", path / "ip-ue1.pcap", path / "ip-server.pcap", "--json").stdout)["one_way"]
    bundle = read_bundle(path)
    truth = packet_rtts(bundle, bundle.flows[0])
    assert found["lost_pkts"] == truth["there_ns"].null_count() > 20
    assert found["delay_p50_ms"] == pytest.approx((truth["there_ns"] - truth["t_ns"]).median() / 1e6, rel=0.01)


@pytest.mark.lab
def test_the_table_of_the_page_has_these_rows(agreement):
    """`python tests/pcap_agreement.py` prints it again."""
    def labels(text):
        rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in text.splitlines() if line.startswith("|")]
        return [row for row in rows if row[0] in EVERY]

    assert labels((ROOT / "docs/pcap.md").read_text()) == labels(table(agreement))


@pytest.mark.lab
def test_files_have_what_is_shown(executed, tmp_path):
    capture = executed["cubic-1"] / "ip-ue1.pcap"
    out = [word for name in ("f.csv", "f.parquet", "f.json", "f.html") for word in ("--output", tmp_path / name)]
    shown = cellbed("pcap", capture, *out, "--segments", tmp_path / "s.parquet").stdout
    rows = list(csv.DictReader((tmp_path / "f.csv").open()))
    assert [row["flow"] for row in rows] == pl.read_parquet(tmp_path / "f.parquet")["flow"].to_list()
    assert [row["flow"] for row in json.loads((tmp_path / "f.json").read_text())] == [row["flow"] for row in rows]
    segments = pl.read_parquet(tmp_path / "s.parquet")
    assert segments["again"].sum() == int(rows[0]["retransmissions"]) == segments["kind"].drop_nulls().len()
    assert segments["rtt_ns"].drop_nulls().len() == int(rows[0]["rtt_samples"])
    assert np.isclose(segments["rtt_ns"].median() / 1e6, float(rows[0]["rtt_p50_ms"]))
    page = (tmp_path / "f.html").read_text()
    assert "fast retransmit" in page and "https://" not in re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert rows[0]["flow"] in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.csv", "f.html", "f.json", "f.parquet", "s.parquet"]


@pytest.mark.lab
def test_a_capture_that_is_cut_short_is_analysed_and_told_of(executed, tmp_path):
    content = (executed["clean"] / "ip-ue1.pcap").read_bytes()
    (tmp_path / "cut.pcap").write_bytes(content[: len(content) // 2])
    done = cellbed("pcap", tmp_path / "cut.pcap", "--json")
    assert re.fullmatch(r"cellbed: .*cut\.pcap: truncated: .*; what comes before is analysed\n", done.stderr)
    assert json.loads(done.stdout)["flows"][0]["segments"] > 1000


@pytest.mark.parametrize(("args", "message"), [
    (["pcap", "none.pcap"], "none.pcap"),
    (["pcap", "empty"], "empty: not a pcap file: readable: pcap in us or ns, pcapng"),
    (["pcap", "text"], "text: not a pcap file"),
    (["pcap", "nothing.pcap"], "nothing.pcap: no packets"),
    (["pcap", "nothing.pcap", "--output", "x.xlsx"],
     "--output x.xlsx: suffix '.xlsx': allowed .csv, .parquet, .json, .html"),
    (["fit", "text"], "text: not a pcap file"),
    (["fit", "nothing.pcap"], "nothing.pcap: no packets"),
])
def test_bad_captures_are_one_line(tmp_path, args, message):
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("hello " * 20)
    (tmp_path / "nothing.pcap").write_bytes(b"\xd4\xc3\xb2\xa1\2\0\4\0" + b"\0" * 12 + b"\x65\0\0\0")
    before = sorted(path.name for path in tmp_path.iterdir())
    done = cellbed(*args, check=False, cwd=tmp_path)
    assert done.returncode != 0 and message in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A transfer over a link whose trace is known."""
    results = tmp_path_factory.mktemp("recorded")
    cellbed("run", "packet-trace/replay", "--variant", "cubic", "--set", "traffic.0.duration_s=6", "--results", results)
    return next(iter(bundles(results).values()))


@pytest.mark.lab
@pytest.mark.parametrize("node", ["server", "ue1"])
def test_a_fitted_link_behaves_as_the_captured_one(recorded, tmp_path, node):
    cellbed("fit", recorded / f"ip-{node}.pcap", "--output", tmp_path / "fit")
    found = json.loads((tmp_path / "fit/fit.json").read_text())
    original, replay = found["goodput_mbps"]
    assert replay == pytest.approx(original, rel=0.03)
    assert replay == pytest.approx(2.27, rel=0.1)
    assert found["rtt_ks"] < 0.25 and found["delivered_difference_max_share"] < 0.05
    assert (tmp_path / "fit/scenario.yaml").exists() and len(bundles(tmp_path / "fit/results")) == 1
