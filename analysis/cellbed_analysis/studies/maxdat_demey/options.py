# SPDX-License-Identifier: GPL-2.0-or-later
"""Options of `python -m cellbed_analysis maxdat`; apart from `maxdat_advice`, so that other commands load no NumPy."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

UNITS = {"bit": 1.0, "kbit": 1e3, "Mbit": 1e6}


def rate_bps(text: str) -> float:
    """A positive rate such as 128kbit or 1.5Mbit, in bit/s.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(bit|kbit|Mbit)", text)
    if not found or float(found[1]) <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a rate such as 128kbit")
    return float(found[1]) * UNITS[found[2]]


def block_error_rate(text: str) -> float:
    """A BLER below 1.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not re.fullmatch(r"0|0?\.\d+|0\.\d*", text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a BLER from 0 to below 1")
    return float(text)


def seconds(text: str) -> float:
    """A time above 0 in s.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if not re.fullmatch(r"\d+(\.\d*)?|\.\d+", text) or float(text) <= 0:
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds above 0")
    return float(text)


def _run(chosen: argparse.Namespace) -> str:
    from .advice import run

    return run(chosen)


def add_arguments(command: argparse.ArgumentParser) -> None:
    """The options of the command, and what carries it out."""
    command.set_defaults(run=_run)
    command.add_argument("--bler", type=block_error_rate, required=True, help="block error rate of RLC PDUs")
    command.add_argument("--rate", type=rate_bps, required=True, help="downlink, such as 128kbit")
    goal = command.add_mutually_exclusive_group()
    goal.add_argument("--max-rtt", type=seconds, metavar="SECONDS", help="goal: no RTT above this")
    goal.add_argument("--min-throughput", type=rate_bps, metavar="RATE", help="goal: at least this, such as 60kbit")
    command.add_argument("--rtt-wired", type=seconds, metavar="SECONDS", help="RTT without errors on the air")
    command.add_argument("--mended", action="store_true", help="equation 8 without its contradictions")
    command.add_argument("--results", type=Path, metavar="DIR", help="what runs over the UTRAN say, beside the model")
    command.add_argument("--figures", type=Path, metavar="DIR", help="also draw the surfaces, and the cut at this BLER")
