# SPDX-License-Identifier: GPL-2.0-or-later
"""The profiles of Wireshark that come with cellbed: they differ in the length of PDCP SNs, and each reads its own."""

import os
import shutil
import subprocess

import pytest
from e2e import ROOT, cellbed

PROFILES = ROOT / "captures/wireshark/profiles"
OF_BITS = {18: "cellbed", 12: "cellbed-12-bit-pdcp"}


def settings(profile):
    return {path.name: [line for line in path.read_text().splitlines() if not line.startswith("#")]
            for path in (PROFILES / profile).iterdir()}


def test_profiles_differ_in_sequence_numbers_only():
    long, short = (settings(OF_BITS[bits]) for bits in (18, 12))
    assert long.keys() == short.keys()
    long["preferences"] = [line.replace("18-bit SN", "12-bit SN") for line in long["preferences"]]
    assert long == short


@pytest.mark.lab
@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("bits", OF_BITS)
def test_each_reads_its_own_captures_to_tcp(tmp_path, bits):
    """The other one finds no TCP in them."""
    cellbed("run", "nr-tdd/quick", "--variant", "DDDSU", "--results", tmp_path, "--set", f"radio.pdcp.sn_bits={bits}",
            "--set", "traffic.0.duration_s=1")
    bundle = next(path.parent for path in tmp_path.glob("*/manifest.json"))

    def rows(profile, display_filter):
        args = ["tshark", "-C", profile, "-r", bundle / "radio.pcap", "-Y", display_filter, "-T", "fields", "-e",
                "frame.number"]
        environment = os.environ | {"WIRESHARK_CONFIG_DIR": str(PROFILES.parent)}
        return subprocess.run(args, capture_output=True, text=True, check=True, env=environment).stdout.split()

    (other,) = set(OF_BITS.values()) - {OF_BITS[bits]}
    frames = rows(OF_BITS[bits], "mac-nr")
    assert len(rows(OF_BITS[bits], "tcp")) > 0.9 * len(frames) > 100 and rows(OF_BITS[bits], "_ws.malformed") == []
    assert rows(other, "tcp") == []
