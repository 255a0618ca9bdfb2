# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed worker`: this machine plays runs of sweeps elsewhere."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from cellbed import paths, trial
from cellbed.error import CellbedError
from cellbed.labs import KERNELS, check_lab
from cellbed.options import Kernel


def run_worker(
    scheduler: Annotated[str, typer.Argument(help="of Dask, such as tcp://head:8786")],
    workers: Annotated[int | None, typer.Option(min=1, help="runs side by side; default: as many as CPUs that this "
                                                "process may use")] = None,
    folder: Annotated[Path | None, typer.Option(file_okay=False, help="for runs while they play; default: below the "
                                                "temporary folder")] = None,
    kernel: Kernel = None,
) -> None:
    """Play runs for `cellbed sweep --scheduler` on this machine, until interrupted or the scheduler is gone."""
    if importlib.util.find_spec("distributed") is None:
        raise CellbedError("a worker needs Dask; run `pip install 'cellbed[fleet]'`")
    check_lab("virtual", kernel)
    paths.programs()
    trial.boot_once(paths.lab_kernel(kernel or KERNELS[0]))
    count = workers or len(os.sched_getaffinity(0))
    # A process for each run: labs are processes anyway, and one that dies takes one run with it.
    where = ["--local-directory", str(folder.resolve())] if folder is not None else []
    os.execv(sys.executable, [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, "--nworkers", str(count),
                              "--nthreads", "1", "--no-dashboard", *where])


def register(app: typer.Typer) -> None:
    app.command("worker")(run_worker)
