# SPDX-License-Identifier: GPL-2.0-or-later
"""Causes over a bearer of the UTRAN: counted facts, and what the link allows."""

from __future__ import annotations

from typing import Any

from cellbed_analysis.studies.maxdat_demey.explain import maxdat

RUN: dict[str, Any] = {
    "utran_rate_kbps": 32.0, "utran_bler": 0.2, "utran_max_dat": 6, "karn_rtt_mean_s": 6.4, "model_rtt_s": 5.6,
    "param.tcp.receive_window": 20000, "param.tcp.mss": 1000, "param.radio.utran.tti_ms": 10,
    "param.radio.utran.pdu_bytes": 42,
}
CLAIM = {"measure": {"metric": "karn_rtt_mean_s"}}


def test_a_segment_takes_its_pdus_on_the_radio() -> None:
    said = maxdat(CLAIM, [RUN], [])
    assert "32 kbit/s, BLER 0.2, maxDAT 6, 1 run: RTT 6.400 s" in said
    assert "a full window takes 6.50 s of it" in said   # 20 x 1040 bytes at 25.6 kbit/s
    assert "A segment is 26 PDUs and takes 0.26 s" in said   # one PDU of 40 bytes a TTI
    faster = maxdat(CLAIM, [RUN | {"utran_rate_kbps": 384.0}], [])
    assert "A segment is 26 PDUs and takes 0.03 s" in faster   # twelve a TTI: three TTIs
    assert "PDUs" not in maxdat(CLAIM, [RUN | {"model_rtt_s": None}], [])


def test_the_worst_cell_of_a_surface_is_named() -> None:
    surface = {"utran_rate_kbps": 32.0, "table2_throughput_mean_percent": 22.7, "table2_throughput_max_percent": 207.5,
               "table2_throughput_max_bler": 0.4, "table2_throughput_max_maxdat": 3}
    said = maxdat({"measure": {"metric": "table2_throughput_max_percent"}}, [surface], [])
    assert "of the throughput 22.7 %, at most 207.5 %, at BLER 0.4 and maxDAT 3" in said
