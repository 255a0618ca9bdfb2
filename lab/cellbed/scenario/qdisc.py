# SPDX-License-Identifier: GPL-2.0-or-later
"""Queue disciplines of bearers: the keys of it, and which parameters are allowed.

docs/reference/keys.md lists the keys; docs/scenario-format.md has the words.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

from cellbed.run import qdisc
from cellbed.scenario.fields import Key, Microseconds, Model, parameters

_US_PER_MS = 1000


class Qdisc(Model):
    """Parameters of one direction, as the words of tc(8) give them. Source: RFC 8033, 8289, 8290, 9332."""

    kind: Literal["pfifo", "codel", "fq_codel", "pie", "dualpi2"] = Key("pfifo", says="Which one")
    ecn: bool = Key(False, says="`ecn`: packets whose header allows it are marked in place of drops")
    limit: int = Key(0, 0, 65536, says="`limit`, packets; 0 = `rlc.queue_pkts`")
    target_us: Microseconds = Key(5000, 1, 500_000, says="`target`: delay of the queue that is aimed at")
    interval_us: Microseconds = Key(100_000, 1, 1_000_000, says="`interval`: so long the delay is above it at first")
    flows: int = Key(1024, 1, 4096, says="`flows`: queues, of which a hash chooses one")
    quantum: int = Key(1514, 256, 65536, says="`quantum`: bytes that a queue sends in its turn")
    tupdate_us: Microseconds = Key(15_000, 1000, 100_000, says="`tupdate`: period of the controller")
    alpha: int = Key(2, 0, 32, says="`alpha`, in 1/16 Hz")
    beta: int = Key(20, 0, 32, says="`beta`, in 1/16 Hz")
    coupling_factor: int = Key(2, 1, 10, says="`coupling_factor`: k of RFC 9332 2.1")
    l4s_id: Literal["ect_1", "any_ect"] = Key("ect_1", says="`l4s_ect` or `any_ect`: which packets are of L4S")
    step_thresh_us: Microseconds = Key(1000, 0, 1_000_000, says="`step_thresh`: a packet of L4S that waited so long is "
                                                                "marked")
    max_rtt_us: Microseconds = Key(100_000, 10_000, 1_000_000, says="`max_rtt`: the controller's gains follow from it")


def check_words(text: str) -> str:
    """Raises ValueError for words that are no queue discipline of a bearer, or parameters that are not allowed."""
    found = parameters(Qdisc, qdisc.parse(text))
    if found.kind == "dualpi2":
        for key in ("target_us", "tupdate_us", "max_rtt_us"):
            if getattr(found, key) % _US_PER_MS:
                raise ValueError(f"{key}: value {getattr(found, key)}: allowed whole milliseconds with dualpi2")
    return text


Words = Annotated[str, AfterValidator(check_words)]
