# SPDX-License-Identifier: GPL-2.0-or-later
"""What control channels do to a download: each mechanism makes a real TCP slower, and runs stay valid."""

import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.metrics.run import analyse
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
PAIRS = {"lte": [("requests-10ms", "requests-80ms"), ("region-unlimited", "region-cfi1"),
                 ("feedback-right", "feedback-ack10")],
         "nr": [("coreset-unlimited", "coreset-12rb"), ("broadcast-none", "broadcast-8beams")],
         "reports": [("at-once", "40ms")]}


@pytest.mark.parametrize("scenario", PAIRS)
def test_a_mechanism_costs_what_it_takes(scenario, tmp_path):
    variants = [name for pair in PAIRS[scenario] for name in pair]
    cellbed("run", ROOT / f"scenarios/control-channels/{scenario}.yaml", "--seed", "1", "--results", tmp_path,
            "--set", "traffic.0.duration_s=4", *(word for name in variants for word in ("--variant", name)))
    rows = {name: analyse(read_bundle(path)).row for name, path in bundles(tmp_path).items()}
    assert set(rows) == set(variants)
    assert {row["validity"] for row in rows.values()} == {"valid"}
    for without, with_it in PAIRS[scenario]:
        assert rows[with_it]["goodput_mbps"] < 0.97 * rows[without]["goodput_mbps"], (without, with_it)
