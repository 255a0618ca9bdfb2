# SPDX-License-Identifier: GPL-2.0-or-later
"""How every child that is Python starts."""

from __future__ import annotations

import os
import sys


def python_command(module: str, *args: str) -> list[str]:
    """Command line that starts a module, such as "cellbed.host.tracepoints", as this process was started.

    The current folder may be somebody else's, or have a select.py in it, so nothing is imported from there; nor, as
    root, from the packages of a home, which may be that of the user who called sudo.
    """
    return [sys.executable, "-P", *(["-s"] if os.geteuid() == 0 else []), *(["-S"] if sys.flags.no_site else []),
            "-m", module, *args]
