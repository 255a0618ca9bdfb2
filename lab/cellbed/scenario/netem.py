# SPDX-License-Identifier: GPL-2.0-or-later
"""What links without a radio do to packets on their way: the keys of it, and which parameters are allowed.

docs/reference/keys.md lists the keys; docs/scenario-format.md has the words.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

from cellbed.run import netem
from cellbed.scenario.fields import FilePath, Key, Microseconds, Model, Probability, parameters, unset
from cellbed.scenario.system import System

_TIME_MAX_US = 10_000_000


class Netem(Model):
    """Parameters of one direction, as the words of tc-netem(8) give them. Source: tc-netem(8)."""

    loss: Literal["none", "random", "state", "gemodel"] = Key("none", says="Which model of losses")
    random: Probability = Key(0.0, says="`random`: each packet by itself")
    p13: Probability = Key(0.0, says="`state`: from state 1 to 3")
    p31: Probability = Key(0.0, says="`state`: from state 3 to 1")
    p32: Probability = Key(0.0, says="`state`: from state 3 to 2")
    p23: Probability = Key(0.0, says="`state`: from state 2 to 3")
    p14: Probability = Key(0.0, says="`state`: from state 1 to 4")
    p: Probability = Key(0.0, says="`gemodel`: from the good state to the bad one")
    r: Probability = Key(0.0, says="`gemodel`: from the bad state to the good one")
    bad: Probability = Key(0.0, says="`gemodel`: loss in the bad state, 1-h")
    good: Probability = Key(0.0, says="`gemodel`: loss in the good state, 1-k")
    delay_us: Microseconds = Key(0, 0, _TIME_MAX_US, says="`delay`")
    jitter_us: Microseconds = Key(0, 0, _TIME_MAX_US, says="Jitter")
    jitter_correlation: Probability = Key(0.0, says="Of one packet's jitter with the last one's")
    distribution: Literal["uniform", "normal", "pareto", "paretonormal"] = Key("uniform", says="Of jitter")
    reorder: Probability = Key(0.0, says="`reorder`")
    reorder_correlation: Probability = Key(0.0, says="Likewise")
    reorder_gap: int = Key(0, 0, 65535, says="`gap`; 0, 1 = every packet may be")
    duplicate: Probability = Key(0.0, says="`duplicate`")
    duplicate_correlation: Probability = Key(0.0, says="Likewise")
    slot_us: Microseconds = Key(0, 0, _TIME_MAX_US, says="`slot`, least time")
    slot_more_us: Microseconds = Key(0, 0, _TIME_MAX_US, says="`slot`, how much longer it may be")
    slot_packets: int = Key(0, 0, 1_000_000, says="`packets`; 0 = any number")
    slot_bytes: int = Key(0, 0, 1_000_000_000, says="`bytes`; 0 = any number")
    corrupt: Probability = Key(0.0, says="`corrupt`: a bit is changed")
    corrupt_correlation: Probability = Key(0.0, says="Likewise")


def check_words(text: str) -> str:
    """Raises ValueError for words that are not netem's, or parameters that are not allowed."""
    if not text.strip():
        return ""
    found = parameters(Netem, netem.parse(text))
    if found.distribution != "uniform" and found.jitter_correlation:
        raise ValueError(f"jitter_correlation: a {found.distribution} distribution has none here; allowed distribution "
                         "uniform")
    for one, other in (("p13", "p14"), ("p31", "p32")):
        if getattr(found, one) + getattr(found, other) > 1:
            raise ValueError(f"{one} and {other}: {getattr(found, one) + getattr(found, other):g} together: allowed at "
                             "most 1, or 100%")
    return text


Words = Annotated[str, AfterValidator(check_words)]


class Impaired(System):
    """Keys of links on which more happens to packets than a delay."""

    RADIO_KEYS = System.RADIO_KEYS | {"events"}

    uplink_netem: Words = Key("", exclude_if=lambda words: not words,
        says="What happens to packets of the uplink after they were sent, in the words of tc-netem(8): `loss random`, "
             "`loss state`, `loss gemodel`, `delay`, `reorder`, `duplicate`, `corrupt`, `slot`, such as "
             "`loss gemodel 1% 20% 50% 0.1%`, `delay 10ms 2ms distribution normal`. On top of the other keys")
    downlink_netem: Words = Key("", exclude_if=lambda words: not words, says="The same for the downlink")
    uplink_delays: FilePath | None = Key(None, exclude_if=unset,
        says="A trace of delays of the uplink, on top of the others: lines of a time in ms and the delay in ms from "
             "then on, `0 30`, `1500 42.5`; the last time is where it begins again")
    downlink_delays: FilePath | None = Key(None, exclude_if=unset,
        says="The same for the downlink")
    uplink_losses: FilePath | None = Key(None, exclude_if=unset,
        says="A trace of losses of the uplink: a line for each packet, 1 where it is lost and 0 where not, which begins"
             " again after the last one")
    downlink_losses: FilePath | None = Key(None, exclude_if=unset,
        says="The same for the downlink")
