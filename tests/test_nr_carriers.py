# SPDX-License-Identifier: GPL-2.0-or-later
"""Carrier aggregation of 5G under a real TCP: more carriers carry more, and how they come is in the capture."""

import subprocess

import polars as pl
import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
SCELLS = 58  # LCID of the control element that activates them


def activations(folder):
    """Blocks with that control element, as Wireshark reads them."""
    words = ["-C", "cellbed", "-r", folder / "radio.pcap", "-Y", f"mac-nr.dlsch.lcid == {SCELLS}"]
    profile = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "WIRESHARK_CONFIG_DIR": ROOT / "captures/wireshark"}
    done = subprocess.run(["tshark", *words], env=profile, capture_output=True, text=True, check=True)
    return len(done.stdout.splitlines())


def second_carrier_ms(bundle):
    """After the start, the first slot with two blocks of the downlink."""
    sent = bundle.radio.filter((pl.col("event") == "mac_tx") & (pl.col("dir") == "dl"))
    slots = sent.group_by("t_ns").len().filter(pl.col("len") > 1)
    return (slots["t_ns"].min() - bundle.start_ns) / 1e6 if len(slots) else None


def test_carriers_add_up(tmp_path):
    variants = ("one", "two", "two-switched")
    cellbed("run", ROOT / "scenarios/nr-carriers/downloads.yaml", "--seed", "1", "--results", tmp_path,
            "--set", "traffic.4.duration_s=4", *(word for name in variants for word in ("--variant", name)))
    found = {name: read_bundle(folder) for name, folder in bundles(tmp_path).items()}
    rate = {name: {row["flow"]: row for row in analyse(bundle).rows}["download"]["goodput_mbps"]
            for name, bundle in found.items()}
    assert 1.7 * rate["one"] < rate["two"] < 2.1 * rate["one"]
    assert 0.95 * rate["two"] < rate["two-switched"] < 1.05 * rate["two"]
    first = {name: second_carrier_ms(bundle) for name, bundle in found.items()}
    assert first["one"] is None and first["two"] + 15 < first["two-switched"] < first["two"] + 60
    # Once for each flow, and after pauses.
    told = {name: activations(bundle.path) for name, bundle in found.items()}
    assert (told["one"], told["two"]) == (0, 0) and 5 <= told["two-switched"] <= 12
