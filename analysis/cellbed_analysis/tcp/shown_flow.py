# SPDX-License-Identifier: GPL-2.0-or-later
"""Which flow of a run is shown where one is: the scenario's first, else the largest."""

from __future__ import annotations

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import FOUND, NO_TRANSPORT, Flow, named


def shown_flow(bundle: Bundle, wanted: str | None = None) -> Flow:
    """The flow that is wanted, else the run's first; the first UE's link of runs in which nothing was sent over it.

    Raises:
        DataError: the run has no flow of that name.
    """
    if bundle.all_flows or wanted is not None:
        return named(bundle.all_flows, wanted, bundle.path)
    ue = next(iter(bundle.ue_numbers), "")
    end_ns = int(bundle.manifest["clock"]["end_ns"])
    return Flow("link", FOUND, ue, "", 0, 0, 0, start_ns=bundle.start_ns, end_ns=end_ns, transport=NO_TRANSPORT)
