# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that several commands have."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cellbed.cli import completion
from cellbed.error import CellbedError
from cellbed.scenario.included import named

if TYPE_CHECKING:
    from cellbed.sweep.execute import Executor

FLEET_KEY = "CELLBED_FLEET_KEY"  # variable of the environment

ScenarioFile = Annotated[Path, typer.Argument(callback=named, help="The scenario file (YAML), or the name of one that "
                                              "comes with cellbed: see `cellbed scenarios`.")]
Results = Annotated[Path, typer.Option(help="The folder for the result bundles.")]
Lab = Annotated[str, typer.Option(help="The lab: virtual, native or vm.", autocompletion=completion.labs)]
Overrides = Annotated[list[str] | None, typer.Option("--set", help="Set a key of the scenario, as "
                                                     "key=value. May be repeated.")]
Variants = Annotated[list[str] | None, typer.Option(help="Take only this variant. May be repeated.")]
Seeds = Annotated[list[int] | None, typer.Option("--seed", help="Take this seed instead of the scenario's. May be "
                                                 "repeated.")]
Again = Annotated[bool, typer.Option("--again", help="Repeat finished runs, and replace their bundles.")]
Compress = Annotated[bool, typer.Option("--compress", help="Compress captures and traces with zstd after each run. "
                                        "Wireshark and all cellbed commands read them.")]
Compressed = Annotated[bool, typer.Option(help="Compress captures and traces with zstd after each run, to about a "
                                          "tenth. Wireshark and all cellbed commands read them.")]
BundleName = Annotated[str, typer.Argument(metavar="BUNDLE", help="A result bundle, or a folder from which the options "
                                           "choose one. FOLDER@latest is the newest in FOLDER.")]
OfVariant = Annotated[str | None, typer.Option("--variant", help="Choose the bundle of this variant.")]
OfSeed = Annotated[int | None, typer.Option("--seed", help="Choose the bundle of this seed.")]
OfSettings = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Choose the bundle whose run "
                                                      "had this setting. May be repeated.")]
Jobs = Annotated[int, typer.Option(min=1, help="How many virtual labs run at once on this machine, one per CPU.")]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Run on the workers of this Dask scheduler, "
                                               "such as tls://head:8786. See docs/fleet.md.")]
On = Annotated[list[str] | None, typer.Option("--on", metavar="ssh://HOST,...", help="Run on these hosts, over SSH. "
                                              "They need Python and iproute2 as this machine has them, and nothing "
                                              "of cellbed. May be repeated. See docs/fleet.md.")]
FleetKey = Annotated[Path | None, typer.Option("--key", envvar=FLEET_KEY, help="The fleet's key, made by `cellbed "
                                               "fleet-key`. Without one, only loopback is allowed.")]
Shared = Annotated[bool, typer.Option("--shared/--no-shared", help="With --scheduler: workers that can see the results "
                                      "folder write there, instead of sending files through the scheduler.")]
Kernel = Annotated[str | None, typer.Option(show_default=False, help="For the virtual lab: 7.3, 6.12, 6.1 (default: "
                                                                     "the newest that is built), a kernel built for "
                                                                     "User Mode Linux, or a source tree. For the lab "
                                                                     "vm: a kernel image, or the tree it was built in.",
                                      autocompletion=completion.kernels)]
Control = Annotated[list[Path] | None, typer.Option("--cc", metavar="FILE.c", help="Compile this congestion control "
                                                    "into the kernel of the virtual lab. May be repeated. See "
                                                    "docs/howto/my-tcp.md.")]
Load = Annotated[Path | None, typer.Option("--load", metavar="FILE.bpf.o", help="Register the congestion control in "
                                           "this BPF object for the run. For the labs native and vm.")]
Watch = Annotated[bool, typer.Option("--watch", help="Show what the newest run is doing, as `cellbed watch` does.")]

ALL_CPUS = os.cpu_count() or 1
WhichFlow = Annotated[str | None, typer.Option("--flow", show_default=False, help="The id of a flow, as in the report "
                                               "and metrics.parquet. Default: the scenario's first flow, else the "
                                               "largest.")]
WhichFlowOrPing = Annotated[str | None, typer.Option("--flow", show_default=False, help="The id of a flow, as in the "
                                                     "report and metrics.parquet; the id of a ping or of the command "
                                                     "that sent it; or `ping`, if there is one. Default: the "
                                                     "scenario's first flow, else the largest.")]


def fleet_of(scheduler: str | None, on: list[str] | None, lab: str, kernel: str | None, shared: bool,
             key: Path | None) -> contextlib.AbstractContextManager[Executor | None]:
    """The cluster behind a scheduler, as fleet.connected() has it, or hosts, as ssh.connected(); None without both."""
    if scheduler is not None and on:
        raise CellbedError("--on and --scheduler exclude each other; give one of them")
    if on:
        from cellbed.sweep import ssh

        return ssh.connected(on, lab, kernel)
    if scheduler is None:
        return contextlib.nullcontext()
    from cellbed.sweep.fleet import connected

    return connected(scheduler, lab, kernel, shared, key)
