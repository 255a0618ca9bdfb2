# SPDX-License-Identifier: GPL-2.0-or-later
"""A dedicated channel of the UTRAN in place of LTE: its keys, with limits and defaults.

docs/scenario-format.md explains them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from cellbed.model import Model, Probability, Rate

if TYPE_CHECKING:
    from cellbed.radio import Radio

# Transport blocks of a TTI in one direction, at most.
_PDUS_MAX = 64
# What else under `radio`, and of its UE, holds for the UTRAN.
_RADIO_KEYS = {"system", "utran", "max_pkts", "ues"}
_UE_KEYS = {"peer", "mode", "rnti"}


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


def check(radio: Radio, enbs: list[str], sgws: list[str]) -> None:
    """Refuse what a system does not have.

    Raises:
        ValueError: with key, value and what is allowed.
    """
    if radio.system == "lte":
        if radio.utran is not None:
            raise ValueError("key 'radio.utran': allowed with radio.system: utran only, which is lte")
        return
    if radio.utran is None:
        raise ValueError("key 'radio.utran': missing, as radio.system is utran")
    for key in sorted(radio.model_fields_set - _RADIO_KEYS):
        raise ValueError(f"key 'radio.{key}': allowed with radio.system: lte only, which is utran")
    if sgws:
        raise ValueError(f"key 'nodes.{sgws[0]}.kind': value sgw: allowed with radio.system: lte only, which is utran")
    _check_rates(radio.utran)
    if len(radio.ues) != 1:
        raise ValueError(f"key 'radio.ues': value {', '.join(radio.ues)}: allowed one UE, as radio.system is utran")
    for name, ue in radio.ues.items():
        if ue.peer not in enbs:
            raise ValueError(f"key 'radio.ues.{name}.peer': value {ue.peer}: allowed the enb node, which is Node B "
                             "and RNC when radio.system is utran")
        for key in sorted(ue.model_fields_set - _UE_KEYS):
            raise ValueError(f"key 'radio.ues.{name}.{key}': allowed with radio.system: lte only, which is utran")


def _check_rates(utran: Utran) -> None:
    for key in ("dl_rate", "ul_rate"):
        rate = getattr(utran, key)
        pdus, rest = divmod(rate * utran.tti_ms, 8000 * utran.pdu_bytes)
        if rest or not 1 <= pdus <= _PDUS_MAX:
            raise ValueError(f"key 'radio.utran.{key}': value {rate}: allowed 1 to {_PDUS_MAX} PDUs of "
                             f"{utran.pdu_bytes} bytes every {utran.tti_ms} ms, multiples of "
                             f"{8 * utran.pdu_bytes / utran.tti_ms:g}kbit")
