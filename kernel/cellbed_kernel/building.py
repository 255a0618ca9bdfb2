# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds lab kernels of packaged sources, each in a folder of the cache."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.labs.given_kernels import KIT
from cellbed.labs.lab_kernels import (
    VERSIONS,
    build_key,
    cache_root,
    find_source,
    found,
    kept,
    key_dir,
    look,
    patches,
    ready,
)
from cellbed_kernel import kit, sources
from cellbed_kernel.steps import NOT_UNPACKED, Progress, configure, run, tree_version

# Compiled objects of a build, for the progress display only.
EXPECTED_OBJECTS = {"7.3": 930, "6.12": 930, "6.1": 900}


def obtain(version: str, named: str | None = None) -> Path:
    """As find_source(), but a version that is not here is fetched where it can be.

    Raises:
        LabError: neither here nor to be fetched.
    """
    if named or found(version):
        return find_source(version, named)
    kept().mkdir(parents=True, exist_ok=True)
    with lock(kept()):
        try:
            return found(version) or sources.fetch(version)
        except sources.Unavailable as error:
            raise LabError(f"no source of Linux {version}: {error}") from None


def unpack(source: Path, scratch: Path, log: TextIO) -> Path:
    (scratch / "linux").mkdir()
    exclude = [f"--exclude={pattern}" for pattern in NOT_UNPACKED]
    run(["tar", "-xf", str(source), "-C", str(scratch / "linux"), "--strip-components=1",
         "--wildcards", *exclude], scratch, log)
    return scratch / "linux"


def build(version: str, source: Path, jobs: int, target: Path, key: dict[str, str]) -> None:
    """Build in a scratch directory of the cache and move the result into place."""
    root = cache_root()
    with tempfile.TemporaryDirectory(prefix=".building-", dir=root) as name:
        scratch = Path(name)
        done = scratch / "done"
        done.mkdir()
        with open(done / "build.log", "w") as log:
            print(f"lab kernel {version}: unpacking {source}", file=sys.stderr)
            unpacked = unpack(source, scratch, log)
            for patch in patches(tree_version(unpacked)):
                run(["patch", "-p1", "--forward", "--fuzz=0", "-i", str(patch)], unpacked, log)
            configure(unpacked, log)
            progress = Progress(f"lab kernel {version}: compiling", EXPECTED_OBJECTS[version])
            objects = 0

            def count(line: str) -> None:
                nonlocal objects
                objects += bool(re.match(r"\s+(CC|AS|HOSTCC)\s", line))
                progress.show(objects)

            # Nobody reads a released kernel's warnings, and looking for them takes a twentieth of the compiler's time.
            run(["make", "ARCH=um", "KCFLAGS=-w", f"-j{jobs}", "linux"], unpacked, log, count)
            progress.end()
        run_strip = subprocess.run([programs.command("strip"), "-o", done / "linux", unpacked / "linux"], check=False)
        if run_strip.returncode:
            shutil.copy(unpacked / "linux", done / "linux")
        shutil.copy(unpacked / ".config", done / "config")
        release = (unpacked / "include/config/kernel.release").read_text().strip()
        (done / "key.json").write_text(json.dumps({**key, "release": release}, indent=1))
        kit.pack(unpacked, done / KIT)
        if (target / "linux").exists():  # runs may be using it
            os.replace(done / KIT, target / KIT)
            return
        if target.exists():
            shutil.rmtree(target)
        os.rename(done, target)


@contextlib.contextmanager
def lock(root: Path) -> Iterator[None]:
    """One build at a time; a second one waits and then finds the result."""
    with open(root / "lock", "w") as f:
        try:
            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("lab kernel: waiting for another build", file=sys.stderr)
            fcntl.flock(f, fcntl.LOCK_EX)
        yield


def available(first: bool) -> list[str]:
    """Versions that are built or whose source can be had, or only the @first of them; tells why others are not."""
    versions: list[str] = []
    for version in VERSIONS:
        try:
            if not ready(version):
                obtain(version)
            versions.append(version)
        except LabError as error:
            print(f"lab kernel {version} left out: {error}", file=sys.stderr)
        if first and versions:
            break
    return versions


def built(version: str, source: Path, jobs: int, part: str = "linux") -> Path:
    """The binary, which is built when it or another @part of its build is not there yet.

    Raises:
        LabError: it cannot be built.
    """
    key = build_key(version, source)
    target = key_dir(key)
    if not (target / part).exists():
        cache_root().mkdir(parents=True, exist_ok=True)
        with lock(cache_root()):
            if not (target / part).exists():
                build(version, source, jobs, target, key)
    return target / "linux"


def with_kit(version: str | None, jobs: int) -> Path:
    """A kernel that one more file can be compiled into; built again where the build kept no kit.

    Raises:
        LabError: as `look` and `built`.
    """
    image = look(version)
    if image.with_name(KIT).exists():
        return image
    version = image.parent.name.partition("-")[0]
    print(f"lab kernel {version}: built again, once, to keep what --cc compiles against", file=sys.stderr)
    return built(version, obtain(version), jobs, KIT)
