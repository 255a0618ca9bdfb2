# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of a fleet, `cellbed fleet-key`, `scheduler` and `worker`: many machines execute the runs of a sweep."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
from pathlib import Path
from typing import Annotated

import typer

from cellbed import paths
from cellbed.cli.options import FleetKey, Kernel
from cellbed.error import CellbedError
from cellbed.host.python_child import python_command
from cellbed.labs import boot_check, kernels
from cellbed.labs.choices import KERNELS
from cellbed.sweep import fleet_key

_LOOPBACK = "127.0.0.1"


def _need_dask(what: str) -> None:
    if importlib.util.find_spec("distributed") is None:
        raise CellbedError(f"{what} needs Dask; run `pip install 'cellbed[fleet]'`")


def make_key(file: Annotated[Path, typer.Argument(help="The new file.")]) -> None:
    """Make the key of a fleet. Machines that have it may run code on each other."""
    _need_dask("a fleet")
    fleet_key.make(file)


def run_scheduler(
    host: Annotated[str, typer.Option(help="The address at which workers and sweeps reach this machine.")] = _LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 means any free one.")] = 8786,
    key: FleetKey = None,
    file: Annotated[Path | None, typer.Option("--scheduler-file", help="A new file to write the address to.")] = None,
) -> None:
    """Connect workers and sweeps, until interrupted. This is Dask's scheduler, on one address; beyond loopback it needs
    a key.
    """
    _need_dask("a scheduler")
    if any(ipaddress.ip_address(address).is_unspecified for address in fleet_key.addresses_of(host)):
        raise CellbedError(f"--host: value {host}: allowed one address of this machine")
    if key is not None:
        fleet_key.security(key)
    else:
        fleet_key.check_plain("--host", host, host, None)
    told = ["--scheduler-file", str(file)] if file is not None else []
    _become("scheduler", key, ["--host", host, "--port", str(port), "--protocol", "tcp" if key is None else "tls",
                               "--no-dashboard", "--dashboard-address", f"{_LOOPBACK}:0", *told])


def run_worker(
    scheduler: Annotated[str, typer.Argument(help="The address of the scheduler, such as tls://head:8786.")],
    workers: Annotated[int | None, typer.Option(min=1, help="Runs at once. Default: one per CPU that "
                                                "this process may use.")] = None,
    folder: Annotated[Path | None, typer.Option(file_okay=False, help="The folder of runs while they execute. Default: "
                                                "one in the temporary folder.")] = None,
    kernel: Kernel = None,
    key: FleetKey = None,
) -> None:
    """Execute runs for `cellbed sweep --scheduler` on this machine, until interrupted or until the scheduler ends."""
    _need_dask("a worker")
    if kernel not in (None, *KERNELS):
        raise CellbedError(f"--kernel {kernel}: allowed {', '.join(KERNELS)}")
    host, port = fleet_key.parse_address("scheduler", scheduler, key)
    if key is not None:
        fleet_key.security(key)
    paths.programs()
    boot_check.boot_once(kernels.find(kernel))
    count = workers or len(os.sched_getaffinity(0))
    own = fleet_key.address_towards(host, port)
    # A process for each run: labs are processes anyway, and one that dies takes one run with it.
    where = ["--local-directory", str(folder.resolve())] if folder is not None else []
    _become("worker", key, [scheduler, "--host", own, "--nworkers", str(count), "--nthreads", "1", "--no-dashboard",
                            "--dashboard-address", f"{_LOOPBACK}:0", *where])


def _become(role: str, key: Path | None, arguments: list[str]) -> None:
    command = python_command(f"distributed.cli.dask_{role}", *arguments, *fleet_key.dask_arguments(key))
    os.execve(command[0], command, fleet_key.dask_environment(key))


def register(app: typer.Typer) -> None:
    app.command("fleet-key")(make_key)
    app.command("scheduler")(run_scheduler)
    app.command("worker")(run_worker)
