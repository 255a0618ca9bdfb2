# SPDX-License-Identifier: GPL-2.0-or-later
"""Entry point of the program: an interrupt while modules are imported is one line, too.

Python's own library only, and little of it, as nothing catches an interrupt before.
"""

from __future__ import annotations

import os
import signal
import sys

from cellbed.host import mode, programs
from cellbed.host.interrupt import INTERRUPTED, interrupt, was_interrupted

_SAID = b"cellbed: interrupted; nothing was left behind\n"


def _leave(*_: object) -> None:
    """At once: nothing is there yet that has to be cleaned up, and libraries make other errors of an exception."""
    os.write(2, _SAID)
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # not ignored, as in the background of a shell
        signal.signal(signal.SIGINT, _leave)
    programs.distrust()
    mode.keep_from_others()
    try:
        from cellbed.cli import main as command_line

        signal.signal(signal.SIGINT, interrupt if handler is signal.default_int_handler else handler)
        command_line.main()
    except BaseException as error:
        if not was_interrupted(error) or isinstance(error, SystemExit):
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one line, however often it is pressed
        os.write(2, _SAID)
        sys.exit(INTERRUPTED)
    finally:  # the interpreter takes its handlers away before it ends, and a late signal would kill it
        if handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
