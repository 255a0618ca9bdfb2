# SPDX-License-Identifier: GPL-2.0-or-later
"""The client's part of runs that execute on other machines, whatever leads there."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from cellbed.error import CellbedError, LabError, told
from cellbed.labs.choices import KERNELS
from cellbed.results.bundle import FACTS, Bundle
from cellbed.scenario import channel, channel_trace, packet_trace
from cellbed.scenario.description import Run
from cellbed.sweep import remote_run
from cellbed.sweep.execute import Outcome, Sweep
from cellbed.sweep.remote_run import Executed
from cellbed_formats.inside import Inside

_FACTS_BYTES = 64 << 20
_LOOK_S = 0.2


def check_lab(option: str, lab: str, kernel: str | None) -> None:
    """Raises CellbedError for what only this machine can run."""
    if lab != "virtual":
        raise CellbedError(f"{option}: workers have no lab {lab}, which needs this machine; use --lab virtual")
    if kernel not in (None, *KERNELS):
        raise CellbedError(f"{option}: workers do not have the kernel {kernel}; allowed --kernel {', '.join(KERNELS)}")


def files(run: Run, rendered: bool = False) -> dict[str, bytes]:
    """What a run has of files that only this machine may have.

    Args:
        rendered: its channel, too, when that comes of no file.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(run.file).parent
        if rendered or channel.reads_file(run.settings):
            channel_trace.render(Path(made), run.settings, run.seed, folder)
        packet_trace.render(Path(made), run.settings, folder)
        return {path.name: path.content() for path in Inside(Path(made)).matching("*")}


def finish(sweep: Sweep, bundle: Bundle, executed: Executed) -> Outcome:
    """A bundle of what a worker made."""
    try:
        if executed.measured is None:
            return Outcome(None, error=executed.error)
        if _theirs(sweep, bundle):
            return Outcome(bundle.path, cached=True, manifest=bundle.complete())
        if executed.folder is not None:
            bundle.temporary = sweep.results / executed.folder
        bundle.write_down()
        if executed.folder is None and executed.packed is not None:
            remote_run.unpack(executed.packed, bundle.temporary)
            if (size := (bundle.temporary / FACTS).stat().st_size) > _FACTS_BYTES:
                raise LabError(f"files of a run: {FACTS} has {size} bytes, allowed at most {_FACTS_BYTES}")
        manifest = bundle.finish(sweep.scenario, sweep.claims, executed.measured, sweep.compress)
        return Outcome(bundle.path, manifest=manifest)
    except LabError as error:
        return Outcome(None, error=str(error))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:  # of what it has written
        return Outcome(None, error=f"files of a run: {FACTS} is none ({type(error).__name__})")
    except OSError as error:
        return Outcome(None, error=told(error, bundle.temporary))
    finally:
        bundle.abandon()
        bundle.claim.release()


def _theirs(sweep: Sweep, bundle: Bundle) -> bool:
    """Another command has made the bundle meanwhile, which stays, or is just doing so."""
    while not bundle.claim.take():
        time.sleep(_LOOK_S)
    return not sweep.again and bundle.complete() is not None
