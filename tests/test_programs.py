# SPDX-License-Identifier: GPL-2.0-or-later
"""Any program as traffic of a scenario, in both labs."""

import json

import pytest
import yaml
from e2e import WIRED, bundles, cellbed, digests, needs_native

pytestmark = pytest.mark.lab
BOTH = pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])


@pytest.fixture
def write(tmp_path):
    def with_traffic(*traffic):
        path = tmp_path / "scenario.yaml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(WIRED), "traffic": [
            {"kind": "command", "node": "ue1", **entry} for entry in traffic]}))
        return path
    return with_traffic


def execute(path, results, lab, *options):
    cellbed("run", path, "--results", results, "--lab", lab, "--set", "tcp.congestion_control=reno", *options)
    bundle = next(iter(bundles(results).values()))
    return bundle, json.loads((bundle / "manifest.json").read_text())


@BOTH
def test_a_server_program_and_a_client(write, tmp_path, lab):
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "page").write_text("over the radio\n")
    path = write(
        {"id": "files", "node": "server", "background": True,
         "argv": ["python3", "-m", "http.server", "80", "--directory", str(folder)]},
        {"id": "fetch", "environment": {"WHO": "me"},
         "argv": ["sh", "-c", "curl -sS -O http://$CELLBED_BASE/page; echo $WHO $CELLBED_NODE >&2"]})
    bundle, manifest = execute(path, tmp_path / "r", lab)
    assert manifest["validity"]["verdict"] == "valid"
    assert (bundle / "page").read_text() == "over the radio\n"
    assert (bundle / "fetch.stderr").read_text() == "me ue1\n"
    assert "GET /page" in (bundle / "files.stderr").read_text()
    assert {c["id"]: c["status"] for c in manifest["commands"]} == {"files": None, "fetch": 0}


@BOTH
def test_what_fails_makes_the_run_invalid(write, tmp_path, lab):
    path = write({"id": "fail", "argv": ["sh", "-c", "echo no such luck >&2; exit 3"]})
    _, manifest = execute(path, tmp_path / "r", lab)
    assert manifest["commands"][0]["status"] == 3
    (reason,) = manifest["validity"]["reasons"]
    assert reason["value"] == "sh ended with status 3: no such luck"


def test_a_program_that_is_not_there(write, tmp_path):
    _, manifest = execute(write({"id": "none", "argv": ["no-such-program"]}), tmp_path / "r", "virtual")
    assert manifest["commands"][0]["status"] == 127
    assert "cannot start no-such-program" in manifest["validity"]["reasons"][0]["value"]


def test_a_server_that_fails_ends_the_run(write, tmp_path):
    path = write({"id": "serve", "node": "server", "background": True, "argv": ["sh", "-c", "echo busy >&2; exit 1"]},
                 {"id": "wait", "argv": ["sleep", "5"]})
    done = cellbed("run", path, "--results", tmp_path / "r", check=False)
    assert done.returncode == 1
    assert "traffic serve: sh ended with status 1: busy" in done.stderr


def test_limit(write, tmp_path):
    done = cellbed("run", write({"id": "wait", "argv": ["sleep", "100"], "limit_s": 3}), "--results", tmp_path / "r",
                   check=False)
    assert "traffic wait: took longer than limit_s = 3 s" in done.stderr


def test_the_same_bytes_again(write, tmp_path):
    path = write({"id": "ping", "argv": ["sh", "-c", "ping -c 5 -i 0.3 $CELLBED_BASE"]})
    once, again = (execute(path, tmp_path / name, "virtual")[0] for name in ("a", "b"))
    assert digests(once) == digests(again)
    assert (once / "ping.stdout").read_bytes() == (again / "ping.stdout").read_bytes()
