# SPDX-License-Identifier: GPL-2.0-or-later
"""Where commands print. Rich is imported where there is a terminal or more than a line to print: it takes longer than
all else that a short command does."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any

from cellbed_formats.printable import shown

if TYPE_CHECKING:
    from cellbed_formats.screen import Screen


class Output:
    """Standard output or standard error, for text and what Rich can draw."""

    def __init__(self, to_stderr: bool = False) -> None:
        self.to_stderr = to_stderr

    @property
    def is_terminal(self) -> bool:
        return (sys.stderr if self.to_stderr else sys.stdout).isatty()

    @functools.cached_property
    def screen(self) -> Screen:
        from cellbed_formats.screen import Screen

        return Screen(stderr=self.to_stderr)

    def print(self, what: Any, **options: Any) -> None:
        """Args: options: of Rich's print(); text that goes to no terminal needs none of them."""
        if self.is_terminal or not isinstance(what, str):
            self.screen.print(what, **options)
        else:
            self._print_plain(shown(what, "\n"))

    def _print_plain(self, text: str) -> None:
        stream = sys.stderr if self.to_stderr else sys.stdout
        try:
            print(text, file=stream, flush=True)
        except BrokenPipeError:
            # Nobody reads on, which is no error to tell of; Python would tell of it once more when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            sys.exit(1)


@functools.cache
def console() -> Output:
    return Output()


@functools.cache
def errors() -> Output:
    return Output(to_stderr=True)
