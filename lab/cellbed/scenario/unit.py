# SPDX-License-Identifier: GPL-2.0-or-later
"""Sizes and rates with units, as scenarios write them."""

import re

_FACTORS = {"": 1, "b": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3, "kb": 1000, "mb": 1000**2, "gb": 1000**3}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")
_RATES = {"kbit": 10**3, "Mbit": 10**6, "Gbit": 10**9}


def parse_size(value: int | str) -> int:
    """Bytes of a size such as 8192, '8KiB' (8192) or '8kB' (8000).

    Raises:
        ValueError: with the allowed forms, for anything else or a fraction of a byte.
    """
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("allowed a number of bytes, or one with B, KiB, MiB, GiB, kB, MB, GB")
    match = _SIZE.fullmatch(str(value))
    factor = _FACTORS.get(match[2].lower()) if match else None
    if match is None or factor is None:
        raise ValueError("allowed a number of bytes, or one with B, KiB, MiB, GiB, kB, MB, GB")
    return _scaled(match[1], factor, "bytes")


def parse_rate(value: str) -> int:
    """Bits per second of a rate such as '512kbit', '2.5Mbit' or '1Gbit', in the units of tc(8).

    Raises:
        ValueError: with the allowed forms, for anything else or a fraction of a bit per second.
    """
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    factor = _RATES.get(match[2]) if match else None
    if match is None or factor is None:
        raise ValueError("allowed a rate in kbit, Mbit or Gbit, such as 2.5Mbit")
    return _scaled(match[1], factor, "bits per second")


def _scaled(number: str, factor: int, what: str) -> int:
    """A decimal number times @factor, exactly."""
    whole, _, fraction = number.partition(".")
    scaled = int(whole + fraction) * factor
    divisor = 10 ** len(fraction)
    if scaled % divisor:
        raise ValueError(f"a fraction of {what}; allowed whole numbers")
    return scaled // divisor
