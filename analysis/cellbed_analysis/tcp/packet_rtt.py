# SPDX-License-Identifier: GPL-2.0-or-later
"""RTT of every packet that was received: from its sending to the next thing the receiver said.

A sender's RTT has gaps where it matters here: what was sent twice has none (Karn), and behind a lost packet nothing
new is acknowledged. The receiver answers every packet at once, if only with a duplicate ACK, and that answer's arrival
ends the packet's RTT. With captures at both ends it is known which answer that is.

Source: Pacifico 2009 Figure 10 ("the RTT experienced by the received packets")
"""

from __future__ import annotations

import numpy as np
import polars as pl

from cellbed_formats.bundle import Bundle
from cellbed_formats.flow import Flow

from .arrival import matched, transmissions
from .segment import flow_packets


def packet_rtts(bundle: Bundle, flow: Flow) -> pl.DataFrame:
    """Every transmission of a flow's data.

    Returns:
        Rows of `arrival.transmissions` in order of sending, with rtt_ns: null for a packet that did not arrive, or
        whose answer did not.
    """
    data_sent, acks_here = flow_packets(bundle, flow, flow.source)
    data_there, acks_sent = flow_packets(bundle, flow, flow.sink)
    sent = transmissions(data_sent, data_there)
    answers = matched(acks_sent, acks_here).drop_nulls("there_ns").sort("t_ns")
    left, back = answers["t_ns"].to_numpy(), answers["there_ns"].to_numpy()
    arrived = sent["there_ns"].fill_null(-1).to_numpy()
    which = np.searchsorted(left, arrived)
    known = (arrived >= 0) & (which < len(left))
    rtt = np.zeros(len(sent), dtype=np.int64)
    rtt[known] = back[which[known]] - sent["t_ns"].to_numpy()[known]
    return sent.with_columns(rtt_ns=pl.Series(rtt).set(pl.Series(~known), None))
