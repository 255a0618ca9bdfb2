# SPDX-License-Identifier: GPL-2.0-or-later
"""What the QoS of a bearer does to a call and to a real TCP in a loaded cell of 5G and of LTE."""

import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab


@pytest.mark.parametrize(("system", "name"), [("nr", "5qi"), ("lte", "qci")])
def test_a_bearer_gets_what_it_asks_for(system, name, tmp_path):
    """A guaranteed call does not wait for others, a download with a better level gets more, and a limit holds."""
    variants = ("own-bearer", f"qos-{name}1", f"file1-{name}6", "file1-mbr")
    short = [f"traffic.{i}.duration_s=3" for i in range(4)]
    cellbed("run", ROOT / f"scenarios/qos/{system}.yaml", "--seed", "1", "--results", tmp_path,
            *(word for key in short for word in ("--set", key)),
            *(word for variant in variants for word in ("--variant", variant)))
    found = {variant: analyse(read_bundle(path)) for variant, path in bundles(tmp_path).items()}
    assert {run.row["validity"] for run in found.values()} == {"valid"}
    plain, call, first, limited = (found[variant] for variant in variants)
    assert call.row_of("call")["owd_p99_ms"] < 0.8 * plain.row_of("call")["owd_p99_ms"]
    assert first.row_of("file1")["goodput_mbps"] > 2 * plain.row_of("file1")["goodput_mbps"]
    assert limited.row_of("file1")["goodput_mbps"] < 1.1
