# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of real programs over lossy links: `cellbed pcap` counts what the sender's kernel sent again."""

import shutil
import sys
from pathlib import Path

import pytest
from e2e import ROOT

sys.path.insert(0, str(Path(__file__).with_name("captures")))

from compare_programs import ours, path_of, table, truth


@pytest.mark.parametrize("capture", truth())
def test_what_was_sent_again_is_what_the_kernel_sent_again(capture):
    flows = truth()[capture]
    found = ours(path_of(capture))
    assert flows and {flow: found.get(flow) for flow in flows} == flows


def test_there_are_losses_to_find():
    assert sum(any(flows.values()) for flows in truth().values()) >= 25
    assert len({capture.rpartition("-")[0] for capture in truth()}) >= 12


@pytest.mark.skipif(not (shutil.which("tcptrace") and shutil.which("tshark")),
                    reason="tcptrace or tshark is not installed")
def test_the_page_has_the_table(tmp_path):
    """`python tests/captures/compare_programs.py` prints it."""
    assert table(tmp_path) in (ROOT / "docs/pcap.md").read_text()
