# SPDX-License-Identifier: GPL-2.0-or-later
"""The one error people see: what is wrong, and what is allowed."""

from __future__ import annotations

import os


class ChannelError(Exception):
    """A channel that cannot be rendered or read."""


class ParameterError(ChannelError):
    """A parameter out of its range."""

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"{name}: value {'null' if value is None else value}: allowed {allowed}")


def check_range(name: str, value: float, low: float, high: float, more_than: bool = False, note: str = "") -> None:
    """Refuse a value outside of low..high.

    Args:
        more_than: whether `low` itself is refused, too.
        note: what else to say of the range.

    Raises:
        ParameterError: it is refused.
    """
    if not low <= value <= high or (more_than and value == low):
        raise ParameterError(name, value, f"{'more than ' if more_than else ''}{low:g}..{high:g}{note}")


class StationError(ChannelError):
    """What is wrong with the channel of one of several base stations."""

    def __init__(self, station: str, wrong: ChannelError) -> None:
        super().__init__(str(wrong))
        self.station = station


class FileError(ChannelError):
    """A file that is truncated, foreign or inconsistent; with the line where there are lines."""

    def __init__(self, path: os.PathLike[str] | str, problem: str, line: int | None = None) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line is not None else f"{path}: {problem}")
