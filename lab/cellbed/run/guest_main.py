# SPDX-License-Identifier: GPL-2.0-or-later
"""First program of the guest after guest-init: executes the run and switches the guest off."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_POWER_OFF = 0x4321FEDC


def main(directory: str) -> None:
    try:
        from cellbed.host import programs
        from cellbed.host.process import Process
        from cellbed.run import memory, runner

        Process.die_with_parent = False
        programs.be_in_guest()
        status = runner.main(directory)
        if status and (reread_mib := memory.reread_mib()):
            with open(Path(directory, "error"), "a") as error:
                error.write(f"; the guest had too little memory and read {reread_mib} MiB of its programs again: key "
                            "'memory' of the scenario gives it more")
    except BaseException as error:
        status = 1
        Path(directory, "error").write_text(f"the guest's Python: {error!r}")
    Path(directory, "status").write_text(str(status))
    os.sync()
    ctypes.CDLL(None).reboot(_POWER_OFF)


if __name__ == "__main__":
    main(sys.argv[1])
