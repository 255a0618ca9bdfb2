# SPDX-License-Identifier: GPL-2.0-or-later
"""Time-sequence graph of a connection, in the manner of tcptrace: segments, retransmissions, acknowledgments."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
from matplotlib.figure import Figure

from ..tcp.connection import RadioEvent, acknowledgments, relative
from .style import BLUE, GREEN, RED, ink

SENT, AGAIN, ACKED = BLUE, RED, GREEN
#: Steps of a handover are many; these are when the UE is gone and when it is back, also after a failure. Of an SCG,
#: when it is there and when it is gone.
SHOWN = {"handover: detach", "handover: synchronised", "handover: radio_link_failure", "handover: reestablished",
         "handover: setup_complete", "SCG: synchronised", "SCG: scg_failure_information", "SCG: scg_release"}
HIDDEN = ("drop", "harq_failure", "handover", "SCG")


def draw(samples: pl.DataFrame, events: Sequence[RadioEvent], start_ns: int) -> Figure:
    """Draw.

    Args:
        samples: rows of tcp.trace of one socket.
        events: what happened on the radio.
        start_ns: t = 0.
    """
    sent = samples.filter((pl.col("kind") == "segment_out") & (pl.col("len") > 0))
    acks = acknowledgments(samples)
    t_s = (sent["t_ns"].to_numpy() - start_ns) / 1e9
    origin = int(sent["seq"][0])
    low = relative(sent["seq"].to_numpy(), origin)
    high = low + sent["len"].to_numpy()
    again = low < np.maximum.accumulate(np.concatenate([[0], high[:-1]]))
    figure, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
    for chosen, colour, label in ((~again, SENT, "segments"), (again, AGAIN, "retransmissions")):
        axes.vlines(t_s[chosen], low[chosen] / 1e6, high[chosen] / 1e6, colors=colour, linewidth=1.2, label=label)
        axes.plot(t_s[chosen], high[chosen] / 1e6, ".", color=colour, markersize=2)
    axes.step((acks["t_ns"].to_numpy() - start_ns) / 1e9, relative(acks["ack"].to_numpy(), origin) / 1e6,
              where="post", color=ACKED, linewidth=1, label="acknowledged")
    shown = [event for event in events if event.kind not in HIDDEN or str(event) in SHOWN]
    for i, event in enumerate(shown):
        at = (event.t_ns - start_ns) / 1e9
        axes.axvline(at, color=ink(), linewidth=0.7, linestyle=":")
        # On either side in turn, as they come in pairs.
        axes.annotate(str(event), (at, 1), xycoords=("data", "axes fraction"), rotation=90, fontsize=7, va="top",
                      ha="left" if i % 2 else "right")
    axes.set_xlabel("time (s)")
    axes.set_ylabel("sequence number (MB)")
    axes.legend(loc="upper left")
    return figure
