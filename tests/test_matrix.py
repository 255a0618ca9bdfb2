# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of what the kernels have is what they say of themselves here."""

import pytest
from e2e import ROOT, UNBUILT, needs_two_kernels

from cellbed.labs import kernels, matrix
from cellbed.labs.choices import KERNELS

pytestmark = pytest.mark.lab


@pytest.fixture(scope="module")
def found():
    return {version: matrix.ask(kernels.find(version)) for version in KERNELS if version not in UNBUILT}


@needs_two_kernels
def test_the_page_is_that_of_the_kernels(found):
    """`make matrix` writes it."""
    assert (ROOT / "docs/reference/kernels.md").read_text() == matrix.page(found)


def test_each_has_every_congestion_control(found):
    assert all({"reno", "cubic", "bbr", "westwood", "westwood_orig"} < facts.controls for facts in found.values())


def test_what_all_have_alike_is_no_row(found):
    facts = next(iter(found.values()))
    page = matrix.page({"a": facts, "b": facts})
    assert "tcp:tcp_probe" not in page and "net.ipv4.tcp_sack" not in page
    assert facts.sysctls["tcp_sack"] == "1" and "tcp_probe" in facts.tracepoints
