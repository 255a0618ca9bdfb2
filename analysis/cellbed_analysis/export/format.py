# SPDX-License-Identifier: GPL-2.0-or-later
"""What a module of `formats/` says of its format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Format:
    """A format of another tool."""

    #: (bundle, node, path without suffix) -> the paths written; of a flow's format the flow's id follows.
    write: Callable[..., list[Path]]
    of_flow: bool = False  # about one connection that has an end at the node
    all_flows: bool = False  # about every flow of TCP where none is asked for
    of_any_node: bool = False  # about a node that need not be a UE
