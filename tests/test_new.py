# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed new` and `cellbed link --generate` write scenarios that run."""

import itertools
import subprocess
import sys

import pytest
from e2e import ROOT, bundles, cellbed

from cellbed.link.experiment import links
from cellbed.scenario.description import expand
from cellbed_formats import bounded_yaml

SHORT = ("--duration", "2", "--seeds", "2")


@pytest.mark.parametrize("radio", links())
def test_over_every_link(command, tmp_path, radio):
    path = tmp_path / "Mine_2.yaml"
    command("new", path, "--radio", radio, "--flows", "cubic,bbr", "--flows", "bbr,bbr", *SHORT)
    scenario, runs = expand(path)
    assert scenario.id == "mine-2"
    assert [(run.variant, run.seed) for run in runs] == list(itertools.product(("cubic-bbr", "bbr-bbr"), (1, 2)))
    flows = runs[0].settings["traffic"]
    assert [flow["congestion_control"] for flow in flows] == ["cubic", "bbr"]
    assert len({flow["to"] for flow in flows}) == 2 and {flow["duration_s"] for flow in flows} == {2}


def test_every_part_has_a_comment(command, tmp_path):
    command("new", tmp_path / "a.yaml")
    lines = (tmp_path / "a.yaml").read_text().splitlines()
    parts = [line.rstrip(":") for line in lines if line[:1].isalpha() and line.endswith(":")]
    assert len(parts) >= 4
    assert all(any(line.startswith(f"# {part}: ") for line in lines) for part in parts)
    assert set(bounded_yaml.read(tmp_path / "a.yaml")["sweep"]["variants"]) == {"cubic", "bbr"}


@pytest.mark.parametrize(("words", "said"), [
    (("--radio", "d2d"), "--radio d2d: allowed edge, en-dc, fr2-drive, fr2-walk, good, indoor, leo, "),
    (("--flows", "cubic", "--flows", "cubic,bbr"), "--flows cubic,bbr: expected 1 flows, as in cubic"),
    (("--flows", "cubic,"), "--flows cubic,: allowed congestion controls with commas"),
    (("--flows", "bbr", "--flows", "bbr"), "--flows bbr: given twice"),
    (("--flows", ",".join(["bbr"] * 21)), "allowed 1..20 flows"),
    (("--seeds", "0"), "--seeds"),
])
def test_what_cannot_be(command, tmp_path, words, said):
    assert said in command("new", tmp_path / "a.yaml", *words).stderr
    assert not list(tmp_path.iterdir())


def test_no_file_is_replaced(command, tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("mine")
    assert "is there already" in command("new", path).stderr
    assert path.read_text() == "mine"
    assert "allowed a name that ends with .yaml" in command("new", tmp_path / "a.txt").stderr
    assert "No such file" in command("new", tmp_path / "none/a.yaml").stderr


def test_it_reads_as_the_scenarios_here(command, tmp_path):
    command("new", tmp_path / "a.yaml", "--flows", "cubic,bbr")
    done = subprocess.run([sys.executable, "-P", "-m", "yamllint", "-s", "-c", ROOT / ".yamllint",
                           tmp_path / "a.yaml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.lab
def test_it_runs_and_tables_call_variants_by_their_names(tmp_path):
    path = tmp_path / "a.yaml"
    cellbed("new", path, "--radio", "good", "--flows", "cubic,cubic", "--flows", "cubic,bbr", *SHORT)
    cellbed("sweep", path, "--seeds", "1", "--results", tmp_path / "r")
    assert set(bundles(tmp_path / "r")) == {"cubic-cubic", "cubic-bbr"}
    table = cellbed("report", tmp_path / "r").stdout
    assert "cubic-bbr" in table and "congestion_control=" not in table
    cellbed("run", path, "--variant", "cubic-bbr", "--seed", "1", "--set", "traffic.1.congestion_control=reno",
            "--results", tmp_path / "s")
    assert "cubic-bbr, congestion_control=reno" in cellbed("report", tmp_path / "s").stdout


@pytest.mark.lab
@pytest.mark.parametrize("words", [
    ("edge", "rtt", "80ms", "--generate"),
    ("good", "--serve", "sleep 9", "--generate", "--", "ping", "-c", "2", "server"),
])
def test_a_generated_link_runs(tmp_path, words):
    """In the native lab the far end of a link is this machine; in a scenario it is a host of its own."""
    path = tmp_path / "link.yaml"
    path.write_text(cellbed("link", *words).stdout)
    assert "machine" not in path.read_text()
    cellbed("run", path, "--results", tmp_path / "r")
    assert len(bundles(tmp_path / "r")) == 1
