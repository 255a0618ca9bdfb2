# SPDX-License-Identifier: GPL-2.0-or-later
"""What clang-tidy, clang's static analyzer and that of gcc say of the sources that are compiled; `make lint` runs it.

A source is looked at again when it, a header of it, its flags or a tool's version or configuration has changed: what
was clean before is noted under build/ by a digest of these. .clang-tidy says which checks are off, and why. Programs
for the kernel are another dialect, and are left out.

Clang's analyzer follows calls a short way, which takes it a second for a file. With --deep it follows them as far as
scan-build does, for some ten minutes.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
CLEAN = BUILD / "analysed"
CLANG_TIDY = Path(sys.executable).with_name("clang-tidy")
# As flags of a compilation; others only say how to compile.
_MEANING = re.compile(r"-(?:[DIU]|std=|isystem).*")
# A target's own folder has what third-party generators write, such as skeletons of BPF programs.
_GENERATED = re.compile(r"-I(.+\.p)")
_DEPTH = "deep" if "--deep" in sys.argv[1:] else "shallow"
_CLANG_TIDY = (str(CLANG_TIDY), "--quiet", *(f"--extra-arg={word}" for word in (
    "-Xclang", "-analyzer-config", "-Xclang", f"mode={_DEPTH}")))
# Of programs only: the paths of a test end in cmocka, which it cannot know of. Off is what gcc 12 gets wrong, and
# clang's analyzer and the sanitizers look for, too: it loses memory and files that a structure of the caller has got,
# and takes fields of a structure that is returned for unset.
_GCC = ("gcc", "-fanalyzer", "-Wno-analyzer-malloc-leak", "-Wno-analyzer-file-leak",
        "-Wno-analyzer-use-of-uninitialized-value", "-O1", "-Werror", "-c", "-o", "/dev/null")


class Unit(NamedTuple):
    """A source as it is compiled."""

    file: Path
    flags: tuple[str, ...]
    headers: tuple[Path, ...]

    def commands(self) -> Iterator[tuple[str, ...]]:
        """What looks at it, in the build's folder."""
        yield *_CLANG_TIDY, str(self.file), "--", *self.flags
        if "tests" not in self.file.relative_to(ROOT).parts:
            yield *_GCC, *self.flags, str(self.file)


def dependencies() -> dict[str, tuple[Path, ...]]:
    """Files that each object was made of, as ninja knows them."""
    text = subprocess.run(["ninja", "-C", BUILD, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found = {}
    for block in text.split("\n\n"):
        head, *lines = block.strip().splitlines() or [""]
        found[head.partition(":")[0]] = tuple((BUILD / line.strip()).resolve() for line in lines)
    return found


def units() -> list[Unit]:
    """Sources of this checkout, each once."""
    headers, found = dependencies(), {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        file = (BUILD / entry["file"]).resolve()
        flags = tuple(_GENERATED.sub(r"-isystem\1", flag) for flag in shlex.split(entry["command"])
                      if _MEANING.fullmatch(flag))
        found.setdefault(file, Unit(file, flags, headers.get(entry["output"], (file,))))
    return list(found.values())


@cache
def digest_of(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


@cache
def version(program: str) -> bytes:
    return subprocess.run([program, "--version"], capture_output=True, check=True).stdout


def clean_mark(unit: Unit, command: tuple[str, ...]) -> Path:
    """The file that says that a command has found nothing there."""
    configurations = [folder / ".clang-tidy" for folder in unit.file.parents if (folder / ".clang-tidy").exists()]
    digest = hashlib.sha256(version(command[0]) + os.fsencode("\0".join(command)))
    for path in sorted({unit.file, *unit.headers, *configurations}):
        digest.update(digest_of(path))
    return CLEAN / digest.hexdigest()


def analysed(unit: Unit, command: tuple[str, ...]) -> str:
    """What a command finds; nothing where it has found nothing before."""
    mark = clean_mark(unit, command)
    if mark.exists():
        mark.touch()
        return ""
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True)
    if done.returncode == 0:
        mark.touch()
        return ""
    return done.stdout + done.stderr


def main() -> None:
    CLEAN.mkdir(parents=True, exist_ok=True)
    work = [(unit, command) for unit in units() for command in unit.commands()]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = [text for text in pool.map(lambda one: analysed(*one), work) if text]
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
