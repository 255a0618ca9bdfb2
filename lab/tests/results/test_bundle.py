# SPDX-License-Identifier: GPL-2.0-or-later
"""Bundles: complete or not there, and judged by today's claims."""

import json

import pytest

from cellbed.results.bundle import Bundle, iperf3
from cellbed.scenario.description import expand


@pytest.fixture
def bundle(minimal, write, tmp_path):
    run = expand(write(minimal))[1][0]
    return Bundle(tmp_path / "results", run, run.describe("virtual", {}))


def test_an_unfinished_bundle_is_not_there(bundle):
    folder = bundle.begin({})
    assert folder.name.startswith(".tmp-")
    assert not bundle.complete()
    bundle.abandon()
    assert not folder.exists()


def test_the_runner_finds_what_it_needs(bundle):
    folder = bundle.begin({"celld": "/x"})
    assert json.loads((folder / "description.json").read_text()) == bundle.description
    assert json.loads((folder / "programs.json").read_text()) == {"celld": "/x", "iperf3": iperf3()}


def test_a_finished_bundle_gets_todays_claims_and_keeps_the_rest(bundle):
    bundle.path.mkdir(parents=True)
    manifest = bundle.path / "manifest.json"
    manifest.write_text(json.dumps({"id": "x", "claims": [{"id": "old"}]}))
    bundle.refresh([{"id": "new"}], {"from_s": 2.0})
    assert json.loads(manifest.read_text()) == {"id": "x", "claims": [{"id": "new"}], "evaluate": {"from_s": 2.0}}
    before = manifest.stat().st_mtime_ns
    bundle.refresh([{"id": "new"}], {"from_s": 2.0})
    assert manifest.stat().st_mtime_ns == before
    assert [p.name for p in bundle.path.iterdir()] == ["manifest.json"]
