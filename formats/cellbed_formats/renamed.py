# SPDX-License-Identifier: GPL-2.0-or-later
"""Published names that have changed: each keeps working for one release, with a line that says the new one."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: Kind of name, the old name, and the name today.
RENAMED: dict[str, dict[str, str]] = {
    "function": {"play": "run_scenario", "play_async": "run_scenario_async"},
    "argument": {"begin_s": "start_s"},
    "metric": {"window_begin_s": "window_start_s", "flow_begin_s": "flow_start_s",
               "data_first_leg_mean_ms": "data_first_hop_mean_ms", "data_dl_leg_mean_ms": "data_downlink_mean_ms",
               "ack_first_leg_mean_ms": "ack_first_hop_mean_ms", "ack_dl_leg_mean_ms": "ack_downlink_mean_ms"},
    "column": {"leg": "direction"},
    "option of fit": {"--play": "--run", "--no-play": "--no-run"},
}


def current(kind: str, name: str) -> str:
    """The name today of what was published as @name, which is said on standard error, once for each name."""
    new = RENAMED.get(kind, {}).get(name)
    if new is None:
        return name
    _tell(kind, name, new)
    return new


def command_line(words: Sequence[str]) -> list[str]:
    """The words of a command with the names of options today."""
    return [word if n == 0 else current(f"option of {words[0]}", word) for n, word in enumerate(words)]


def with_old_arguments(function: Callable[P, T]) -> Callable[P, T]:
    """A function that also takes the old names of its arguments."""
    @functools.wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> T:
        return function(*args, **{current("argument", name): value for name, value in named.items()})  # type: ignore[arg-type]
    return called


@functools.cache
def _tell(kind: str, name: str, new: str) -> None:
    print(f"cellbed: {kind} {name}: its name is now {new}; the next release refuses the old name", file=sys.stderr)
