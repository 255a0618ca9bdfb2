# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of many runs, computed side by side, and which of them may be averaged."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from cellbed_formats.bundle import Bundle
from cellbed_formats.error import MemoryShort

from .newest import newest_only
from .run import RunAnalysis, analyse, analysed_before

#: A process takes about a second to start, as long as the analysis of a short run.
RUNS_WORTH_A_PROCESS = 4
_PR_SET_PDEATHSIG = 1


def analyse_all(bundles: Sequence[Bundle]) -> list[RunAnalysis]:
    """Analyse runs; of usable runs of one variant and lab only those like the newest count, each seed's newest."""
    return newest_only(_in_parallel(bundles))


def _in_parallel(bundles: Sequence[Bundle]) -> list[RunAnalysis]:
    """`analyse` of each bundle, in their order, by a process for each CPU where that is worth their start.

    Processes are spawned: a fork would take the threads of polars for its own.

    Raises:
        MemoryShort: one of them was killed.
    """
    found = [analysed_before(bundle) for bundle in bundles]
    fresh = [bundle.lent() for bundle, kept in zip(bundles, found, strict=True) if kept is None]
    workers = min(len(os.sched_getaffinity(0)), len(fresh) // RUNS_WORTH_A_PROCESS)
    if workers < 2:
        return [kept or analyse(bundle) for bundle, kept in zip(bundles, found, strict=True)]
    try:
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent) as pool:
            made = pool.map(_rows_of, fresh)
            return [kept or RunAnalysis(bundle, *next(made)) for bundle, kept in zip(bundles, found, strict=True)]
    except BrokenProcessPool:
        raise MemoryShort("a process that analyses runs was killed, as Linux does when memory is short; free some and "
                          "repeat the command, which keeps what is analysed, or record less") from None


def _end_with_parent() -> None:
    """A worker would wait for ever for one that was killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _rows_of(bundle: Bundle) -> tuple[dict[str, Any], str | None, tuple[dict[str, Any], ...]]:
    """What another process hands back of a run."""
    run = analyse(bundle)
    return run.row, run.problem, run.others
