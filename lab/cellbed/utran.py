# SPDX-License-Identifier: GPL-2.0-or-later
"""A dedicated channel of the UTRAN in place of LTE: its keys, with limits and defaults.

docs/scenario-format.md explains them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cellbed.model import Model, Probability, Rate

# Transport blocks of a TTI in one direction, at most.
_PDUS_MAX = 64


class Utran(Model):
    """Source: DeMey, section IV, Table I; TS 25.322 9.5, 9.6; EURANE; TS 25.331."""

    dl_rate: Rate = Field(384_000)
    ul_rate: Rate = Field(32_000)
    tti_ms: Literal[10, 20, 40, 80] = 10
    pdu_bytes: int = Field(40, ge=8, le=126)
    delay_ms: int = Field(0, ge=0, le=200)
    bler_dl: Probability = 0.0
    bler_ul: Probability = 0.0
    max_dat: int = Field(6, ge=1, le=40)
    tx_window_pdus: int = Field(1024, ge=1, le=2047)
    poll_pdu: int = Field(256, ge=0, le=4095)
    poll_window_percent: int = Field(99, ge=1, le=100)
    timer_poll_ms: int = Field(85, ge=10, le=1000)
    timer_mrw_ms: int = Field(100, ge=10, le=1000)
    timer_status_prohibit_ms: int = Field(40, ge=0, le=1000)
    queue_pkts: int = Field(4096, ge=1, le=65536)


def check_rates(utran: Utran) -> None:
    """Raises ValueError for rates that are no whole number of PDUs in a TTI."""
    for key in ("dl_rate", "ul_rate"):
        rate = getattr(utran, key)
        pdus, rest = divmod(rate * utran.tti_ms, 8000 * utran.pdu_bytes)
        if rest or not 1 <= pdus <= _PDUS_MAX:
            raise ValueError(f"key 'radio.utran.{key}': value {rate}: allowed 1 to {_PDUS_MAX} PDUs of "
                             f"{utran.pdu_bytes} bytes every {utran.tti_ms} ms, multiples of "
                             f"{8 * utran.pdu_bytes / utran.tti_ms:g}kbit")
