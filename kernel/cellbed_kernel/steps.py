# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps of building a lab kernel that packaged sources (building.py) and trees (tree.py) have in common."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.labs.lab_kernels import REPRODUCIBLE, fragments

# Sources that ARCH=um never compiles; leaving them out makes unpacking faster.
NOT_UNPACKED = (
    "*/drivers/gpu/*.[ch]", "*/drivers/media/*.[ch]", "*/drivers/net/ethernet/*.[ch]",
    "*/drivers/net/wireless/*.[ch]", "*/sound/*.[ch]", "*/Documentation/*.rst",
    "*/tools/testing/*.[ch]",
)

# Of a log that is shown: its last lines, and of those before them so many as tell of an error.
_TAIL, _CAUSES_MAX = 20, 10
_CAUSE = re.compile(r"^(?!\$ ).*(error[: ]|Error \d|Killed|No space left)")


def tree_version(tree: Path) -> str:
    """Version and patch level of an unpacked source, such as 6.12; it may be another one than was asked for."""
    makefile = (tree / "Makefile").read_text()
    return ".".join(re.findall(r"^(?:VERSION|PATCHLEVEL) = (\d+)$", makefile, re.MULTILINE))


class Progress:
    """One line on a terminal, a line every 20 s elsewhere."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total = what, total
        self.start = self.shown = time.monotonic()
        self.tty = sys.stderr.isatty()

    def show(self, done: int) -> None:
        now = time.monotonic()
        if now - self.shown < (0.2 if self.tty else 20):
            return
        self.shown = now
        share = min(99, 100 * done // self.total)
        line = f"{self.what}: {share:2d} %  {done} objects  {now - self.start:.0f} s"
        print(f"\r\033[K{line}" if self.tty else line, end="" if self.tty else "\n",
              file=sys.stderr, flush=True)

    def end(self) -> None:
        lead = "\r\033[K" if self.tty else ""
        print(f"{lead}{self.what}: done in {time.monotonic() - self.start:.0f} s", file=sys.stderr)


def run(args: list[str], cwd: Path, log: TextIO, on_line: Callable[[str], object] | None = None) -> None:
    """Run a step with its output in the log; when it fails, show what the log calls an error, and its end."""
    log.write(f"$ {' '.join(map(str, args))}\n")
    with subprocess.Popen([programs.command(args[0]), *args[1:]], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, start_new_session=True,
                          env=environment()) as step:
        try:
            for line in step.stdout or ():
                log.write(line)
                if on_line:
                    on_line(line)
        except BaseException:
            os.killpg(step.pid, signal.SIGKILL)
            raise
    if step.returncode:
        log.flush()
        lines = Path(log.name).read_text(errors="replace").splitlines(True)
        # What was compiled beside it ends after it, so the reason may be far above the end.
        causes = [line for line in lines[:-_TAIL] if _CAUSE.search(line)][:_CAUSES_MAX]
        tail = "".join([*causes, *lines[-_TAIL:]])
        kept = Path(tempfile.gettempdir()) / f"cellbed-kernel-{os.getuid()}.log"
        shutil.copy(log.name, kept)
        raise LabError(f"`{' '.join(map(str, args[:4]))}` failed; the log's end:\n{tail}whole log: {kept}")


def environment() -> dict[str, str]:
    """Of a compiler and what it starts: programs come from where this one takes its own."""
    return {**programs.trusted(os.environ), "PATH": os.pathsep.join(programs.folders()), **REPRODUCIBLE}


def configure(tree: Path, log: TextIO, wanted: str = "") -> None:
    """tinyconfig, options that are @wanted where they can be had, and the fragments, of which all have to survive."""
    paths = fragments(tree_version(tree))
    run(["make", "ARCH=um", "tinyconfig"], tree, log)
    with open(tree / ".config", "a") as config:
        config.write(wanted + "".join(path.read_text() for path in paths))
    run(["make", "ARCH=um", "olddefconfig"], tree, log)
    asked, got = options(*paths), options(tree / ".config")
    lost = [f"{name}={value} became {got.get(name, 'n')}" for name, value in asked.items()
            if got.get(name, "n") != value]
    if lost:
        raise LabError(f"{', '.join(map(str, paths))}: in this source {', '.join(lost)}")


def options(*paths: Path) -> dict[str, str]:
    """Options that files set, the last one of each: n where a file says that it is not set."""
    found = {}
    for line in "".join(path.read_text() for path in paths).splitlines():
        if match := re.match(r"(?:# )?(CONFIG_\w+)(?:=(.+)| is not set)$", line):
            found[match[1]] = match[2] or "n"
    return found
