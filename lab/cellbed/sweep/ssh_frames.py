# SPDX-License-Identifier: GPL-2.0-or-later
"""What client and host say to each other over SSH: lines of JSON, each with bytes behind it.

What the client sends may be anything, as it runs programs there anyway. What a host sends is data and no code: a host
of a sweep has no power over the machine that asked it to play.
"""

from __future__ import annotations

import json
from typing import IO, Any

# What a shell's start files print comes before it.
BEGINNING = b"cellbed: this is a host of a sweep\n"
_LINE_BYTES = 1 << 20


class Garbled(Exception):
    """What came is nothing that the other end of this version would say."""


def say(out: IO[bytes], said: dict[str, Any], behind: bytes = b"") -> None:
    out.write(json.dumps({**said, "bytes": len(behind)}).encode() + b"\n" + behind)
    out.flush()


def await_beginning(source: IO[bytes]) -> None:
    """Skip what comes before it.

    Raises:
        Garbled: the source ended without it.
    """
    while line := source.readline(_LINE_BYTES):
        if line.endswith(BEGINNING):
            return
    raise Garbled("nothing of cellbed came")


def hear(source: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """What was said, and the bytes behind it; None at the end.

    Raises:
        Garbled: neither.
    """
    line = source.readline(_LINE_BYTES)
    if not line:
        return None
    try:
        said = json.loads(line)
        count = int(said["bytes"])
        behind = source.read(count) if count >= 0 else b""
    except (ValueError, TypeError, KeyError):
        raise Garbled("an answer that is none") from None
    if len(behind) != count:
        raise Garbled("an answer that breaks off")
    return said, behind
