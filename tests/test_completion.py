# SPDX-License-Identifier: GPL-2.0-or-later
"""What a shell offers, and the manual page."""

import os
import shutil
import subprocess

import pytest
from e2e import CELLBED, cellbed


def offered(line):
    words = line.split(" ")
    done = subprocess.run([CELLBED], capture_output=True, text=True, check=True, env={
        **os.environ, "_CELLBED_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)})
    return done.stdout.split()


@pytest.mark.parametrize(("line", "words"), [
    ("cellbed sw", ["sweep"]), ("cellbed sweep --un", ["--until"]), ("cellbed run --lab v", ["virtual", "vm"]),
    ("cellbed link --lab v", ["virtual"]), ("cellbed watch --wi", ["--wireshark", "--wireshark-port"]),
    ("cellbed export --format mahi", ["mahimahi", "mahimahi-log"]), ("cellbed compare r rtt_mea", ["rtt_mean_ms"]),
    ("cellbed link e", ["edge", "en-dc"]), ("cellbed link edge r", ["rate", "rtt", "rb"]),
    ("cellbed link edge rate ", ["20mbit"]), ("cellbed link edge rate 5mbit r", ["rtt", "rb"])])
def test_offers(line, words):
    assert offered(line) == words


@pytest.mark.skipif(shutil.which("man") is None or shutil.which("groff") is None, reason="no man here")
def test_manual_page(tmp_path):
    text = cellbed("man").stdout
    (tmp_path / "cellbed.1").write_text(text)
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", tmp_path / "cellbed.1"], capture_output=True,
                          text=True, check=True, env={**os.environ, "MANWIDTH": "100"})
    assert done.stderr == ""
    for what in ("cellbed sweep [OPTION]... SCENARIO", "--until METRIC=SHARE", "cellbed link", "cellbed watch",
                 "EXIT STATUS", "4 when a bundle cannot be used"):
        assert what in " ".join(done.stdout.split())
