# SPDX-License-Identifier: GPL-2.0-or-later
"""What the equations of Pacifico say of a run's handover.

Source: Pacifico 2009 equations 1 to 5
"""

from __future__ import annotations

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow
from cellbed_formats.size import parse_size

from ...metrics.metric import Metric
from ...metrics.rtt import Values
from ...metrics.utran import settings_of
from ...radio.handover import of_flow
from ...tcp.after_handover import Effect, effect
from ...tcp.sender import Sender
from . import handover as model

#: Columns of a run, by the one that they follow.
COLUMNS = {
    "ho_slow_start_ms": (Metric("ho_slow_start_k", "1", "RTTs of that slow start by the paper's equation 5"),),
    "ho_rate_after_mbps": (
        Metric("ho_model_share", "1", "throughput over the ideal one by the paper's equations, for this case and cwnd"),
    ),
}
#: Cases as the equations call them.
MODEL_CASE: dict[str, model.Case] = {"timeout": "timeout", "halving": "halving", "nothing": "ideal"}


def equation_metrics(bundle: Bundle, flow: Flow) -> Values:
    """What the equations say of the handover that a run is about; nothing for runs without one."""
    if flow.transport != "tcp" or settings_of(bundle) is not None:  # the UTRAN here has one cell
        return {}
    handover = of_flow(bundle, flow)
    sender = None if handover is None else Sender(bundle, flow)
    found = effect(sender, handover) if sender and handover else None
    if found is None:
        return {}
    values: Values = {}
    share = model_share(bundle, found)
    if share is not None:
        values["ho_model_share"] = share
    if found.timeout is not None and found.timeout.ssthresh is not None:
        values["ho_slow_start_k"] = float(model.slow_start_rtts(max(found.timeout.ssthresh, 1)))
    return values


def cwnd_max_pkts(bundle: Bundle) -> int | None:
    """Largest window of the steady state: the configured one, or that of the receiver."""
    tcp = bundle.settings.get("tcp", {})
    if tcp.get("cwnd_max_pkts") is not None:
        return int(tcp["cwnd_max_pkts"])
    if tcp.get("receive_window") is None or not tcp.get("mss"):
        return None
    return parse_size(tcp["receive_window"]) // int(tcp["mss"])


def model_share(bundle: Bundle, found: Effect) -> float | None:
    """Throughput of the handover by equations 1 to 3, over the ideal one, for the run's case and window.

    The mean over runs is the normalised throughput with measured probabilities and measured windows. The
    equations hold from cwnd_max / 2 on: a smaller window, of a connection that was repairing losses, counts as that.

    Source: Pacifico 2009 equations 1 to 3
    """
    top = cwnd_max_pkts(bundle)
    if top is None:
        return None
    at = min(max(found.cwnd, top / 2), top)
    return float(model.normalised(MODEL_CASE[found.case], top, at))
