# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that several commands have."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cellbed.cli import completion

if TYPE_CHECKING:
    from cellbed.sweep.fleet import Fleet

FLEET_KEY = "CELLBED_FLEET_KEY"  # variable of the environment

ScenarioFile = Annotated[Path, typer.Argument(help="scenario file (YAML)")]
Results = Annotated[Path, typer.Option(help="folder for the result bundles")]
Lab = Annotated[str, typer.Option(help="virtual, native or vm", autocompletion=completion.labs)]
Overrides = Annotated[list[str] | None, typer.Option("--set", help="key=value; may be repeated")]
Variants = Annotated[list[str] | None, typer.Option(help="only these variants; may be repeated")]
Again = Annotated[bool, typer.Option("--again", help="play also what has a finished bundle, and replace that")]
Compress = Annotated[bool, typer.Option("--compress", help="captures and traces by zstd, after each run; Wireshark and "
                                        "all commands here read them so")]
BundleName = Annotated[str, typer.Argument(metavar="BUNDLE", help="result bundle, or a folder of bundles, of which the "
                                           "options choose one; FOLDER@latest is the newest")]
OfVariant = Annotated[str | None, typer.Option("--variant", help="the bundle of this variant")]
OfSeed = Annotated[int | None, typer.Option("--seed", help="the bundle of this seed")]
OfSettings = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="the bundle whose run had "
                                                      "this setting; may be repeated")]
Jobs = Annotated[int, typer.Option(min=1, help="virtual labs side by side on this machine, one CPU each")]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="play on the workers of this Dask scheduler, "
                                               "such as tls://head:8786; docs/fleet.md")]
FleetKey = Annotated[Path | None, typer.Option("--key", envvar=FLEET_KEY, help="of the fleet, as `cellbed fleet-key` "
                                               "made it; without one only loopback is allowed")]
Shared = Annotated[bool, typer.Option("--shared/--no-shared", help="with --scheduler: workers that see the results "
                                      "folder put bundles there, instead of sending them through the scheduler")]
Kernel = Annotated[str | None, typer.Option(show_default=False, help="of the virtual lab: 7.3, 6.12, 6.1 (default: "
                                                                     "the newest that is built), a kernel built for "
                                                                     "User Mode Linux, or a source tree; of the lab "
                                                                     "vm: a kernel image or the tree where it is",
                                      autocompletion=completion.kernels)]
Load = Annotated[Path | None, typer.Option("--load", metavar="FILE.bpf.o", help="register the congestion control of a "
                                           "BPF object for the run; in the labs native and vm")]
Watch = Annotated[bool, typer.Option("--watch", help="show what the newest run does, as `cellbed watch`")]

ALL_CPUS = os.cpu_count() or 1
WhichFlow = Annotated[str | None, typer.Option("--flow", show_default=False, help="id of a flow, as the report and "
                                               "metrics.parquet have it; default: the scenario's first, else the "
                                               "largest")]


def fleet_of(scheduler: str | None, lab: str, kernel: str | None, shared: bool,
             key: Path | None) -> contextlib.AbstractContextManager[Fleet | None]:
    """The cluster behind a scheduler, as fleet.connected() has it; None without one."""
    if scheduler is None:
        return contextlib.nullcontext()
    from cellbed.sweep.fleet import connected

    return connected(scheduler, lab, kernel, shared, key)
