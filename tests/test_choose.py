# SPDX-License-Identifier: GPL-2.0-or-later
"""Which bundle of a folder a command is about."""

import io

import pytest
from e2e import cellbed
from rich.console import Console

from cellbed.error import CellbedError
from cellbed.results.choose import Wanted, choose
from cellbed_analysis.report.console import print_table

SWEEP = """
format: 1
id: choice
nodes: {ue1: {address: 10.45.0.1/24}, ue2: {address: 10.45.0.2/24}}
radio: {ues: {ue1: {peer: ue2}, ue2: {peer: ue1}}}
tcp: {receive_window: 8KiB}
traffic: [{id: file, kind: stream, from: ue1, to: ue2, duration_s: 0.3}]
sweep:
  variants:
    cubic_default: {}
    cubic_nosack: {tcp.sysctls: {net.ipv4.tcp_sack: 0}}
  grid: {radio.n_rb: [25, 50]}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("choose")
    (folder / "scenario.yaml").write_text(SWEEP)
    cellbed("run", folder / "scenario.yaml", "--results", folder / "results")
    cellbed("run", folder / "scenario.yaml", "--results", folder / "results", "--variant", "cubic_nosack_n_rb=25",
            "--set", "tcp.receive_window=16KiB")
    return folder / "results"


def test_variants_keep_their_names(results):
    console = Console(width=140, record=True, file=io.StringIO())
    print_table(results, console)
    table = console.export_text()
    assert "cubic_default, n_rb=25" in table and "cubic_nosack, " in table
    assert "DM-DM" not in table


def test_the_newest(results):
    chosen = choose(f"{results}@latest", Wanted())
    assert chosen == max(results.glob("[!.]*-seed1-*"), key=lambda path: (path / "manifest.json").stat().st_mtime_ns)
    assert choose(f"{results}@latest", Wanted("cubic_default")).name.startswith("cubic_default_n_rb=")


@pytest.mark.parametrize("wanted", [
    Wanted("cubic_default_n_rb=25"), Wanted.of_texts("cubic_default", 1, ["radio.n_rb=25"]),
    Wanted.of_texts("cubic_default", None, ["radio.n_rb=25", "tcp.receive_window=8KiB"]),
])
def test_one_that_fits(results, wanted):
    assert choose(str(results), wanted).name.startswith("cubic_default_n_rb=25-seed1-")


@pytest.mark.parametrize(("wanted", "message"), [
    (Wanted("westwood"), "no bundle with --variant westwood: there are cubic_default_n_rb=25-seed1-"),
    (Wanted.of_texts("cubic_default", 7, ["a=1"]),
     "no bundle with --variant cubic_default --seed 7 --set a=1: there are "),
    (Wanted("cubic_nosack_n_rb=25"), "2 bundles with --variant cubic_nosack_n_rb=25: "),
    (Wanted(), "5 bundles: "),
])
def test_what_does_not_fit_or_not_alone(results, wanted, message):
    with pytest.raises(CellbedError) as error:
        choose(str(results), wanted)
    assert str(error.value).startswith(f"{results}: {message}")


def test_commands_take_it(results, tmp_path):
    bundle = choose(f"{results}@latest", Wanted.of_texts("cubic_nosack", None, ["tcp.receive_window=16KiB"]))
    options = ["--variant", "cubic_nosack", "--set", "tcp.receive_window=16KiB"]
    assert cellbed("bundle", results, *options).stdout.strip() == str(bundle)
    assert "RTT" in cellbed("why", results, *options).stdout
    cellbed("export", f"{results}@latest", "--format", "mahimahi", "--output", tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".up", ".down"}
    assert str(bundle / "derived/report.html") in cellbed("report", results, *options).stdout
