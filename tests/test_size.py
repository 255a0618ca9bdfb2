# SPDX-License-Identifier: GPL-2.0-or-later
"""What results take on disk: said before, compressed after, freed without losing what cannot be made again."""

import dataclasses
import hashlib
import json
import re
import shutil
import struct
import subprocess

import pytest
from e2e import bundles, cellbed

from cellbed.results import size
from cellbed.scenario.description import expand
from cellbed.sweep.execute import each_variant_first
from cellbed_formats import checksums, stored
from cellbed_formats.inside import Inside

BUSY = """
format: 1
id: busy
nodes: {server: {kind: server, address: 10.1.0.1/24}, enb: {kind: enb}, ue1: {address: 10.45.0.1/24}}
links: [{a: server, b: enb, rate: 1Gbit, delay_ms: 5}]
radio: {n_rb: 100, ues: {ue1: {peer: enb, cqi_dl: 12, cqi_ul: 12}}, rlc: {mode: am, queue_pkts: 500}}
traffic: [{id: file, from: server, to: ue1, duration_s: 3}]
validity: {queue_drops_allowed: true}
"""

# A carrier of 20 MHz, whose UE has the best channel.
NR = """
format: 1
id: nr
nodes: {server: {kind: server, address: 10.1.0.1/24}, gnb: {kind: enb}, ue1: {address: 10.45.0.1/24}}
links: [{a: server, b: gnb, rate: 1Gbit, delay_ms: 5}]
radio:
  system: nr
  nr: {bandwidth_mhz: 20}
  rlc: {mode: am, queue_pkts: 500}
  ues: {ue1: {peer: gnb, cqi_dl: 15, cqi_ul: 15}}
traffic: [{id: file, from: server, to: ue1, duration_s: 4}]
validity: {queue_drops_allowed: true}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same run, plain and compressed."""
    path = tmp_path_factory.mktemp("size")
    (path / "busy.yaml").write_text(BUSY)
    cellbed("run", path / "busy.yaml", "--results", path / "plain")
    cellbed("run", path / "busy.yaml", "--results", path / "packed", "--compress")
    return path


def recordings_of(bundle):
    return {path.name: path.path for path in stored.recordings(Inside(bundle))}


def test_the_estimate_is_above_and_near(folder):
    _, (run,) = expand(folder / "busy.yaml")
    taken = sum(path.stat().st_size for path in recordings_of(bundles(folder / "plain")["run"]).values())
    assert taken < size.expected_bytes(run.settings) < 3 * taken


def test_a_capture_of_the_radio_may_keep_the_beginning_of_pdus(folder):
    """As many records as with all bytes, of which each says how long its PDU is."""
    cellbed("run", folder / "busy.yaml", "--results", folder / "cut", "--set", "capture.radio_snaplen=100")
    _, (run,) = expand(folder / "busy.yaml", overrides=["capture.radio_snaplen=100"])
    packets = {name: records(recordings_of(bundles(folder / name)["run"])["radio.pcap"]) for name in ("plain", "cut")}
    assert [length for _, length in packets["plain"]] == [length for _, length in packets["cut"]]
    assert all(captured == length for captured, length in packets["plain"])
    assert max(captured for captured, _ in packets["cut"]) < 100 + 64
    taken = sum(path.stat().st_size for path in recordings_of(bundles(folder / "cut")["run"]).values())
    assert taken < size.expected_bytes(run.settings) < 3 * taken


def records(path):
    """Of each packet of a capture the bytes that are there, and those it had."""
    data, at, found = path.read_bytes(), 24, []
    while at < len(data):
        captured, length = struct.unpack_from("<II", data, at + 8)
        found.append((captured, length))
        at += 16 + captured
    return found


def test_the_estimate_of_nr_is_above_and_near(tmp_path):
    (tmp_path / "nr.yaml").write_text(NR)
    _, (run,) = expand(tmp_path / "nr.yaml")
    cellbed("run", tmp_path / "nr.yaml", "--results", tmp_path / "r")
    (bundle,) = bundles(tmp_path / "r").values()
    taken = sum(path.stat().st_size for path in recordings_of(bundle).values())
    assert taken < size.expected_bytes(run.settings) < 3 * taken


def test_much_is_told_before(folder):
    _, (run,) = expand(folder / "busy.yaml", ["traffic.0.duration_s=3000"])
    told = size.warning([run] * 40, folder, compress=False)
    assert told.startswith("the 40 runs may write up to ") and "--compress" in told
    assert "--compress" not in size.warning([run] * 40, folder, compress=True)
    assert size.warning([run] * 100_000, folder, compress=False).count("more than the") == 1
    assert size.warning([expand(folder / "busy.yaml")[1][0]], folder, compress=False) is None


def test_the_first_run_of_each_variant_says_how_much_all_will_take(folder, tmp_path):
    runs = [run for variant in ("a", "b") for run in expand(folder / "busy.yaml", seeds=[1, 2, 3])[1]
            for run in [dataclasses.replace(run, variant=variant)]]
    assert each_variant_first(runs) == [0, 3, 1, 2, 4, 5]
    for name, taken in (("a", 1000), ("b", 5000)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "radio.trace").write_bytes(bytes(taken))
    measured = size.Measured(runs, tmp_path)
    assert measured.finished(runs[0], tmp_path / "a") is None
    assert measured.finished(runs[1], tmp_path / "b") is None
    assert measured.finished(runs[3], tmp_path / "b").startswith(
        f"by the first run of each variant, the 6 runs write 18.0 kB to {tmp_path}; ")
    assert measured.finished(runs[4], tmp_path / "b") is None


def test_a_sweep_that_may_write_much_says_how_much_it_writes(folder, tmp_path):
    done = cellbed("sweep", folder / "busy.yaml", "--seeds", "1-2", "--set", "tcp.receive_window=null", "--set",
                   "traffic.0.duration_s=20", "--results", tmp_path)
    said = re.search(r"by the first run of each variant, the 2 runs write ([\d.]+) MB", done.stderr)
    taken = sum(path.stat().st_size for path in tmp_path.glob("*-seed*/*")) / 1e6
    assert float(said[1]) == pytest.approx(taken, rel=0.2)


def test_compressed_is_the_same_in_less(folder):
    plain, packed = (bundles(folder / name)["run"] for name in ("plain", "packed"))
    assert set(recordings_of(packed)) == {f"{name}.zst" for name in recordings_of(plain)}
    for name, path in recordings_of(plain).items():
        there = packed / f"{name}.zst"
        assert hashlib.sha256(stored.content(there)).digest() == hashlib.sha256(path.read_bytes()).digest()
        assert there.stat().st_size < path.stat().st_size / 2
    assert (packed / "radio.pcap.zst").stat().st_size < (plain / "radio.pcap").stat().st_size / 8


def test_all_commands_read_it(folder, tmp_path, command):
    plain, packed = (bundles(folder / name)["run"] for name in ("plain", "packed"))
    assert command("why", plain, "--at", 1, check=True).stdout == command("why", packed, "--at", 1, check=True).stdout
    for name, bundle in (("plain", plain), ("packed", packed)):
        for kind in ("pcapng", "mahimahi"):
            command("export", bundle, "--format", kind, "--output", tmp_path / name, check=True)
        command("report", bundle, check=True)
    assert [p.read_bytes() for p in sorted((tmp_path / "plain").iterdir())] == \
        [p.read_bytes() for p in sorted((tmp_path / "packed").iterdir())]
    rows = [json.loads((bundle / "derived/metrics.json").read_text())["row"] for bundle in (plain, packed)]
    assert {key for key in rows[0] if rows[0][key] != rows[1][key]} <= {"created", "wall_s"}


@pytest.mark.skipif(shutil.which("tshark") is None, reason="no tshark here")
def test_wireshark_reads_it(folder):
    found = [subprocess.run(["tshark", "-r", path, "-c", "50"], capture_output=True, text=True, check=True).stdout
             for name, suffix in (("plain", ""), ("packed", ".zst"))
             for path in [bundles(folder / name)["run"] / f"ip-ue1.pcap{suffix}"]]
    assert found[0] == found[1] and len(found[0].splitlines()) == 50


def test_prune_says_and_frees(folder, tmp_path, command):
    shutil.copytree(folder / "plain", tmp_path / "r")
    (bundle,) = (tmp_path / "r").glob("run-*")
    older = bundle.with_name(f"{bundle.name}0")
    shutil.copytree(bundle, older)
    manifest = json.loads((older / "manifest.json").read_text())
    manifest["created"] = "2001-01-01T00:00:00+00:00"
    manifest["description"]["programs"]["celld"] = "0" * 64
    sealed = checksums.sealed(manifest, checksums.known(manifest))
    (older / "manifest.json").write_text(json.dumps(sealed))
    command("report", bundle, check=True)
    before = sum(path.stat().st_size for path in (tmp_path / "r").rglob("*") if path.is_file())
    assert "--superseded" in cellbed("prune", tmp_path / "r").stdout
    assert before == sum(path.stat().st_size for path in (tmp_path / "r").rglob("*") if path.is_file())
    assert "freed" in cellbed("prune", tmp_path / "r", "--superseded", "--derived", "--compress").stdout
    assert [path.name for path in (tmp_path / "r").iterdir()] == [bundle.name]
    assert not (bundle / "derived").exists()
    assert {path.suffix for path in stored.recordings(Inside(bundle))} == {".zst"}
    after = sum(path.stat().st_size for path in (tmp_path / "r").rglob("*") if path.is_file())
    assert after < before / 8
    assert "0 B freed" in cellbed("prune", tmp_path / "r", "--compress").stdout


def test_damage_is_one_message(folder, tmp_path, command):
    shutil.copytree(bundles(folder / "packed")["run"], tmp_path / "b")
    path = tmp_path / "b/radio.trace.zst"
    path.write_bytes(path.read_bytes()[:-1000])
    done = command("why", tmp_path / "b")
    assert done.returncode == 4 and len(done.stderr.splitlines()) == 1 and "radio.trace.zst" in done.stderr
