# SPDX-License-Identifier: GPL-2.0-or-later
"""What the closed form of De Mey says of a run over the UTRAN, and metrics of whole surfaces.

Source: DeMey 2005 sections III and V, Tables I and II
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cellbed_formats.bundle import Bundle
from cellbed_formats.size import parse_size

from ...metrics.metric import Metric
from ...metrics.rtt import Values
from ...metrics.utran import AMD_HEADER_BYTES, TCP_IP_BYTES, payload_bps, settings_of
from . import maxdat

#: Columns of a run, by the one that they follow.
COLUMNS = {
    "sdus_discarded_share": (
        Metric("model_rtt_s", "s", "what the closed form has there (equations 4 and 8), with RTT_Wired of Table I"),
        Metric("model_kbps", "kbit/s", "the same (equation 9)"),
        Metric("model_discarded_share", "1", "the same: 1 - p of equation 3"),
    ),
}

SURFACE_TITLE = "Surfaces over MaxDAT and BLER"
SURFACE_INTRODUCTION = """\
Of all usable runs of a scenario and a downlink rate together. `summary/maxdat.parquet` has a row for each cell: RTT and
throughput with their intervals over seeds, and the closed form's. Claims measure what follows: `ret_a` and `ret_b` of
each BLER (`utran_bler`), the rest of the whole surface (`surface: true`)."""
SURFACE = (
    Metric("ret_a", "1", "smallest MaxDAT whose throughput is 1 % of the highest that the BLER allows, or more"),
    Metric("ret_b", "1", "smallest with 95 % of it"),
    Metric("rtt_cells", "1", "cells of the surface with an RTT, at or beyond Ret_A"),
    Metric("rtt_below_wired_cells", "1", "cells of the whole surface with a mean RTT below RTT_Wired of Table I"),
    Metric("rtt_wired_s", "s", "RTT_Wired of the surface, as the paper has it from its traces: mean RTT at BLER 0"),
    Metric("rtt_bend_percent", "%", "RTT halfway along the BLERs below the mean of both ends, at the highest MaxDAT"),
    Metric("throughput_line_r2", "1", "squared correlation of throughput and BLER, at the highest MaxDAT"),
    *(
        Metric(
            f"table2_{quantity}_{kind}_percent",
            "%",
            f"Table II: {words} distance of the closed form's {of} from the measured one, of the latter",
        )
        for quantity, of in (("rtt", "RTT"), ("throughput", "throughput"))
        for kind, words in (("mean", "mean"), ("max", "largest"))
    ),
)


def session_of(utran: Mapping[str, Any], tcp: Mapping[str, Any]) -> maxdat.Session | None:
    """The closed form's session with a run's own parameters, and with RTT_Wired of Table I.

    Args:
        utran, tcp: `radio.utran` and `tcp` of the run.

    Returns:
        None for runs without a given segment size or window.
    """
    if tcp.get("mss") is None or tcp.get("receive_window") is None:
        return None
    return maxdat.session(
        round(payload_bps(utran)),
        segment_bytes=tcp["mss"] + TCP_IP_BYTES,
        pdu_bytes=utran["pdu_bytes"] - AMD_HEADER_BYTES,
        tti_s=utran["tti_ms"] / 1000,
        w_max=parse_size(tcp["receive_window"]) // tcp["mss"],
        t_polling_s=utran["timer_poll_ms"] / 1000,
    )


def model_metrics(bundle: Bundle) -> Values:
    """What the closed form says of a run's BLER and maxDAT, with RTT_Wired of Table I; nothing of other systems."""
    utran = settings_of(bundle)
    of = None if utran is None else session_of(utran, bundle.settings["tcp"])
    if utran is None or of is None:
        return {}
    return {
        "model_rtt_s": float(maxdat.rtt_tcp(utran["bler_dl"], utran["max_dat"], of)),
        "model_kbps": float(maxdat.throughput(utran["bler_dl"], utran["max_dat"], of)) / 1e3,
        "model_discarded_share": float(maxdat.segment_loss(utran["bler_dl"], utran["max_dat"], of.pdus)),
    }
