# SPDX-License-Identifier: GPL-2.0-or-later
"""All columns of the rows of runs of every kind. Tests of single metrics say what is right; this one says what changed.

`make golden-update` accepts, and `git diff` shows it.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "metrics"))

from golden import compare
from synthetic_bundle import write_bundle
from synthetic_cut import TIMEOUT
from synthetic_handover import handover_rows, write_handover_bundle
from synthetic_switch import switch_rows, write_switch_bundle
from synthetic_timeout import forwarded_wire, timeout_rows
from test_multipath import of_two_networks
from test_udp_flow import quic, udp
from test_utran_metrics import write as write_utran

from cellbed_analysis.metrics.asked import Asked
from cellbed_analysis.metrics.rows import compute, compute_others
from cellbed_analysis.tcp.segment import RTT_PARTS
from cellbed_formats.bundle import Bundle, read_bundle
from cellbed_formats.error import DataError

OLD = Path(__file__).parents[3] / "tests/bundles/0.1.0.tar"
#: Short runs in which much happens. Their scenarios are in kinds/.
KINDS = Path(__file__).parent / "kinds.tar.xz"
IM, DM = 0, 1


def real_runs(path: Path, folder: Path) -> dict[str, Bundle]:
    """Of the lab, by name. Args: path: of an archive."""
    with tarfile.open(path) as archive:
        archive.extractall(folder)
    return {path.parent.name: read_bundle(path.parent) for path in sorted(folder.rglob("manifest.json"))}


def switched(folder: Path) -> Bundle:
    rows = [*switch_rows(2000, IM, 15, 5), *switch_rows(4000, DM, 3, 9)]
    return read_bundle(write_switch_bundle(folder, rows, TIMEOUT))


def handed_over(folder: Path) -> Bundle:
    return read_bundle(write_handover_bundle(folder, handover_rows(2300), timeout_rows(), forwarded_wire()))


def of_a_command(folder: Path) -> Bundle:
    bundle = quic(folder, 50)
    stats = json.loads((bundle.path / "radio.json").read_text())
    told = {"pkts_in": 500, "pkts_delivered": 490, "pkts_dropped": {"queue_full": 3, "radio_loss": 2, "shutdown": 5},
            "bytes_delivered": 160_000, "rlc_retx": 7}  # fmt: skip
    (bundle.path / "radio.json").write_text(json.dumps(stats | told))
    manifest = bundle.manifest
    manifest["clock"]["end_ns"] = manifest["clock"]["start_ns"] + 400_000_000
    manifest["commands"] = [command | {"status": 0} for command in manifest["commands"]]
    (bundle.path / "manifest.json").write_text(json.dumps(manifest))
    return read_bundle(bundle.path)


RUNS: dict[str, Callable[[Path], Bundle]] = {
    "direct mode": lambda folder: read_bundle(write_bundle(folder, "DM-DM")),
    "infrastructure mode": lambda folder: read_bundle(write_bundle(folder, "IM-IM")),
    "both modes, no stealing": lambda folder: read_bundle(write_bundle(folder, "DM-IM", steal=False)),
    "half a second": lambda folder: read_bundle(write_bundle(folder, duration_s=0.5)),
    "MPTCP": of_two_networks,
    "UTRAN": lambda folder: read_bundle(write_utran(folder)),
    "mode switches": switched,
    "handover": handed_over,
    "iperf3 over UDP": lambda folder: udp(folder, "iperf3"),
    "datagrams of a stream": lambda folder: udp(folder, "stream"),
    "QUIC of a command": of_a_command,
}


def rows(bundle: Bundle) -> list[dict[str, Any]]:
    """Those of its table, without what names the test's own folder."""
    found = [compute(bundle)[0], *compute_others(bundle)[0]]
    return [{name: value for name, value in row.items() if name not in ("bundle", "path")} for row in found]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bundle]:
    return {name: make(tmp_path_factory.mktemp("run")) for name, make in RUNS.items()}


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Bundle]:
    return {f"{bundle.manifest['scenario']['id']} {bundle.manifest['variant']}": bundle
            for bundle in real_runs(KINDS, tmp_path_factory.mktemp("kinds")).values()}


def test_rows_of_runs(made: dict[str, Bundle], tmp_path_factory: pytest.TempPathFactory, golden_update: bool) -> None:
    found = {name: rows(bundle) for name, bundle in made.items()}
    found |= {name: rows(bundle) for name, bundle in real_runs(OLD, tmp_path_factory.mktemp("real")).items()}
    compare("metrics", found, golden_update)


def told_of(bundle: Bundle, wanted: str | None) -> dict[str, Any]:
    """What someone learns who asks why RTTs of a flow are what they are."""
    try:
        asked = Asked.of(bundle, wanted)
        found = asked.explained()
    except DataError as error:
        return {"refused": str(error).replace(str(bundle.path), "RUN")}
    told: dict[str, Any] = {"flow": asked.flow.id, "note": asked.note, "explained": len(found)}
    told["parts"] = {asked.label(part): ns for part in RTT_PARTS if (ns := found[part].sum())}
    if not found.is_empty() and (causes := asked.causes(found)) is not None:
        table = causes.table()
        told["causes"] = {causes.labels[name]: table[name].sum() for name in table.columns}
        told["first waits"] = [dataclasses.asdict(wait) for wait in causes.waits()]
    return told


def explanations(bundle: Bundle) -> dict[str, Any]:
    """Of each flow and ping, and without a choice."""
    flows = [None, "ping", *(flow.id for flow in [*bundle.all_flows, *bundle.pings])]
    return {str(flow): told_of(bundle, flow) for flow in flows}


def test_explanations(made: dict[str, Bundle], kinds: dict[str, Bundle], golden_update: bool) -> None:
    """`cellbed why` of each flow."""
    compare("explained", {name: explanations(bundle) for name, bundle in (made | kinds).items()}, golden_update)


def of_columns(segments: pl.DataFrame) -> dict[str, Any]:
    """Of each column how many values there are, and their sum or, of words, all of them."""
    found: dict[str, Any] = {"segments": len(segments)}
    for column in segments.get_columns():
        said = column.cast(pl.Float64).sum() if column.dtype.is_numeric() else sorted(map(str, column.unique()))
        found[column.name] = [column.count(), said]
    return found


def test_segments_of_every_flow(made: dict[str, Bundle], kinds: dict[str, Bundle], golden_update: bool) -> None:
    """What figures and `why` are made of: of the first flow, and of the others together and each by itself."""
    found = {}
    for name, bundle in sorted((made | kinds).items()):
        others = compute_others(bundle)[1]
        found[name] = {"first": of_columns(compute(bundle)[1]), "others": of_columns(others)}
        if not others.is_empty():
            found[name] |= {str(flow): of_columns(part)
                            for (flow,), part in others.group_by("flow", maintain_order=True)}
    compare("segments", found, golden_update)


def test_a_first_flow_over_a_further_network(kinds: dict[str, Bundle]) -> None:
    """Its segments are those that it has as another flow: packets are looked for in its network's radio.trace."""
    bundle = kinds["kinds/networks run"]
    others = compute_others(bundle)[1].filter(pl.col("flow") == "up").drop("flow")
    first = compute(Bundle(bundle.path, bundle.manifest | {"flows": bundle.manifest["flows"][::-1]}))[1]
    assert len(first) == 65 and first.equals(others.select(first.columns))


def test_rows_of_real_runs(kinds: dict[str, Bundle], golden_update: bool) -> None:
    """What was measured; their parameters are in their scenarios."""
    found = {run: [{name: value for name, value in row.items() if not name.startswith("param.")}
                   for row in rows(bundle)] for run, bundle in sorted(kinds.items())}
    compare("kinds", found, golden_update)
