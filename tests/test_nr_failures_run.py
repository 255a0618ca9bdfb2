# SPDX-License-Identifier: GPL-2.0-or-later
"""A handover of 5G that comes too late, in the virtual lab, and a conditional one, which needs no command."""


import json

import pytest
from e2e import ROOT, bundles, cellbed

from cellbed_analysis.radio.handover import messages
from cellbed_formats.bundle import read_bundle

pytestmark = pytest.mark.lab
# Around the way from the first gNB to the second.
SHORT = ("--set", "radio.channel.route.start_s=4", "--set", "traffic.0.duration_s=10", "--seed", "1")


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    results = tmp_path_factory.mktemp("failures")
    cellbed("run", ROOT / "scenarios/nr-handover/failures.yaml", "--results", results, *SHORT, "--variant", "standard",
            "--variant", "conditional")
    return bundles(results)


def said(bundle):
    """Messages in order, with the base station of each."""
    rows = messages(read_bundle(bundle))
    return [(row["message"], row["enb"]) for row in rows.iter_rows(named=True)]


def test_a_report_that_is_not_heard_ends_in_another_connection(executed):
    """RLC gives up after the report and four more; the second gNB was not prepared, so the UE connects again."""
    steps = said(executed["standard"])
    assert steps.count(("message_lost", 0)) == 5
    assert ("radio_link_failure", 0) in steps
    assert ("setup_complete", 1) in steps
    assert ("handover_command", 0) not in steps


def test_a_prepared_ue_leaves_in_time(executed):
    steps = said(executed["conditional"])
    assert ("synchronised", 1) in steps
    assert not any(message in ("radio_link_failure", "message_lost") for message, _ in steps)


def test_both_go_on_in_the_second_cell(executed):
    for bundle in executed.values():
        assert json.loads((bundle / "manifest.json").read_text())["validity"]["verdict"] == "valid"
        radio = read_bundle(bundle).radio
        rows = radio.filter((radio["event"] == "pkt_out") & (radio["node"] == 1))
        assert set(rows["enb"].to_list()) == {0, 1}
