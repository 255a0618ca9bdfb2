# SPDX-License-Identifier: GPL-2.0-or-later
"""Named random streams: a draw added for one purpose moves nothing elsewhere."""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, name: str) -> np.random.Generator:
    """The stream of a purpose, such as "los/enb/ue1".

    Use `random()` only: numpy keeps the bits of PCG64 and of its doubles, but may change other distributions from
    one release to the next.
    """
    digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "little")))
