# SPDX-License-Identifier: GPL-2.0-or-later
"""Bundles of earlier versions are read as those of today: tests/bundles/ has some, and what that version measured."""

import json
import math
import re
import subprocess

import pytest
from e2e import ROOT, cellbed

import cellbed as api
from cellbed_formats.renamed import RENAMED

BUNDLES = ROOT / "tests/bundles"
VERSIONS = sorted(path.stem for path in BUNDLES.glob("*.tar"))


@pytest.fixture(scope="module", params=VERSIONS)
def old(request, tmp_path_factory):
    """Return: folder of the bundles, and metrics of each by its name."""
    folder = tmp_path_factory.mktemp("old")
    subprocess.run(["tar", "-C", folder, "-xf", BUNDLES / f"{request.param}.tar"], check=True)
    return folder, json.loads((BUNDLES / f"{request.param}.json").read_text())


def test_there_are_old_bundles():
    assert "0.1.0" in VERSIONS


def test_metrics_are_those_of_then(old):
    """All that the version measured, under the names of today."""
    folder, measured = old
    found = {bundle.path.name: bundle.metrics for bundle in api.Results.load(folder)}
    assert found.keys() == measured.keys()
    for name, then in measured.items():
        for metric, value in then.items():
            of, end = re.fullmatch("(.*?)(_low|_high)?", metric).groups("")
            today = found[name][RENAMED["metric"].get(of, of) + end]
            if isinstance(value, float):
                assert math.isclose(today, value, rel_tol=1e-9, abs_tol=1e-12), (name, metric)
            else:
                assert today == value or str(today) == value, (name, metric)


def test_commands_read_them(old):
    folder, measured = old
    for name in measured:
        assert "RTT" in cellbed("why", folder / name, "--at", "0.05").stdout
    told = cellbed("compare", folder, "window_begin_s", check=False)
    assert told.stderr.startswith("cellbed: metric window_begin_s: its name is now window_start_s")
    assert cellbed("report", folder, check=False).returncode == 0
    assert (folder / "summary/report.html").exists()
