# SPDX-License-Identifier: GPL-2.0-or-later
"""A dedicated channel of the UTRAN in place of LTE: its keys, with limits and defaults.

docs/reference/keys.md lists them.
"""

from __future__ import annotations

from typing import Literal

from cellbed.scenario.fields import Key, Milliseconds, Probability, Rate
from cellbed.scenario.system import System

# Transport blocks of a TTI in one direction, at most.
_PDUS_MAX = 64


class Utran(System):
    """Source: DeMey, section IV, Table I; TS 25.322 9.5, 9.6; EURANE; TS 25.331."""

    PREFIX = "utran."
    ENB = "Node B and RNC"

    dl_rate: Rate = Key(384_000, 1, 10_000_000,
        says="Rate of downlink RLC PDUs with their headers, not of what is in them: a whole number of PDUs in a TTI. "
             "32, 128 and 384 kbit/s are 1, 4 and 12 PDUs of 40 bytes in 10 ms. DeMey, Table I")
    ul_rate: Rate = Key(32_000, 1, 10_000_000, says="The same for the uplink. DeMey, Table I")
    tti_ms: Literal[10, 20, 40, 80] = Key(10, says="Transmission time interval. DeMey, Table I")
    pdu_bytes: int = Key(40, 8, 126,
        says="Size of an AMD PDU with its header of 2 bytes or more. DeMey, Table I, has 40 and does not say whether "
             "the header is included; 40 bytes of data in each PDU take `pdu_bytes: 42` and 33.6, 134.4 or 403.2 "
             "kbit/s")
    delay_ms: Milliseconds = Key(0, 0, 200,
        says="One-way delay from the end of a TTI to RLC at the other end: Iub and processing. The paper does not say; "
             "the examples of EURANE have an Iub of 15 ms")
    bler_dl: Probability = Key(0.0,
        says="Probability that a downlink block is lost, each independently of the others, status reports too. DeMey, "
             "section II, equation 6")
    bler_ul: Probability = Key(0.0, says="The same for the uplink")
    max_dat: int = Key(6, 1, 40,
        says="MaxDAT: transmissions of a PDU without acknowledgment before its packets are discarded, which an MRW "
             "tells the receiver. DeMey, section II; TS 25.322 9.7.3")
    tx_window_pdus: int = Key(1024, 1, 2047, says="PDUs without acknowledgment at most. EURANE")
    poll_pdu: int = Key(256, 0, 4095,
        says="Poll_PDU: RLC polls after so many PDUs; 0 = never. The last PDU that there is to send always polls. "
             "EURANE")
    poll_window_percent: int = Key(99, 1, 100,
        says="Poll_Window: RLC also polls when so much of the window is used. The largest value of TS 25.331")
    timer_poll_ms: Milliseconds = Key(85, 10, 1000,
        says="Timer_Poll: RLC polls again when no status report has come for so long. EURANE")
    timer_mrw_ms: Milliseconds = Key(100, 10, 1000,
        says="Timer_MRW: an MRW is sent again when no answer has come for so long. Nothing fixes the value; it is "
             "longer than a round trip")
    timer_status_prohibit_ms: Milliseconds = Key(40, 0, 1000,
        says="Timer_Status_Prohibit: least time between two status reports. If it is shorter than the round trip of a "
             "retransmission, reports ask for what is on its way and use up its transmissions. EURANE")
    status: Literal["block", "piggyback", "channel"] = Key("piggyback",
        says="Where STATUS PDUs go. `block`: each takes a block from the data; `piggyback`: into the padding of an AMD "
             "PDU that leaves in this TTI or the next one, and only where none has room, as while more data wait than "
             "the channel takes, into a block (TS 25.322 4.2.1.3; EURANE waits as long); `channel`: into a block of a "
             "second logical channel, one in each TTI beside those of the rates (TS 25.322 4.2.1.3). EURANE shortens "
             "the next AMD PDU by the report, 5 of its 40 bytes with one octet of BITMAP, which length indicators "
             "cannot express: `channel` is nearest to it")
    queue_pkts: int = Key(4096, 1, 65536,
        says="Packets in the transmission buffer of each direction: \"large enough to have no impact\" (DeMey, "
             "section IV)")

    def check(self, where: str, max_pkts: int) -> None:
        """Raises ValueError for rates that are no whole number of PDUs in a TTI."""
        for key in ("dl_rate", "ul_rate"):
            rate = getattr(self, key)
            pdus, rest = divmod(rate * self.tti_ms, 8000 * self.pdu_bytes)
            if rest or not 1 <= pdus <= _PDUS_MAX:
                step = 8 * self.pdu_bytes / self.tti_ms
                raise ValueError(f"key '{where}.{key}': value {rate}: a TTI of {self.tti_ms} ms does not carry 1 to "
                                 f"{_PDUS_MAX} whole PDUs of {self.pdu_bytes} bytes; allowed multiples of {step:g}kbit "
                                 f"up to {_PDUS_MAX * step:g}kbit")
