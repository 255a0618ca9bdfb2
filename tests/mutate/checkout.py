# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of the checkout, in which one mutant after another is built and tested."""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData
from parts import Part

# A mutant that computes for ever is stopped after so many times the CPU time that the unchanged code needs, and one
# that waits for ever after so many times its real time. That is long, so that a busy machine makes no test fail.
CPU_PATIENCE, CPU_LEAST_S = 4, 5
PATIENCE, LEAST_S = 30, 120
NEVER_S = 3600
# No debug information, so that the same code is the same object. Shared libraries need no new link of every test, but
# others that are shared, too.
BUILD = ("-Doptimization=2", "-Ddebug=false", "-Dshared=true", "-Dprefer_static=false")

Test = tuple[str, ...]


Lines = dict[str, set[int]]  # of sources, by their paths in the checkout


class Limit(NamedTuple):
    """Seconds that a process may take: of CPU time, and in all."""

    cpu_s: float
    wall_s: float = NEVER_S


def _copy(root: Path, folder: Path) -> str:
    """Files that Git knows or would add, those that differ; what @folder has beside them goes, but for its build.
    Return: a digest of them all."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout
    names = {name for name in listed.split("\0") if name and (root / name).is_file()}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if not name.startswith("build/") and path.is_file() and name not in names:
            path.unlink()
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + b"\0" + hashlib.sha256((root / name).read_bytes()).digest())
        if not (folder / name).is_file() or not filecmp.cmp(root / name, folder / name, shallow=False):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, folder / name)
    return digest.hexdigest()


class Checkout:
    """A copy of @root in @folder, built. Raises SystemExit when the unchanged code does not build."""

    def __init__(self, root: Path, part: Part, folder: Path) -> None:
        self.folder, self.part = folder, part
        folder.mkdir(parents=True, exist_ok=True)
        self._process: subprocess.Popen | None = None
        self._stopped, self._cpu_s = False, 0.0
        self.digest = _copy(root, folder)
        paths = [str(folder / name) for name in ("formats", "lab", "analysis", "channel", "emulator/tests")]
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1",
                             "CELLBED_BUILD": str((folder if part.compiled else root) / "build")}
        known = (folder / "build/build.ninja").exists()
        if part.compiled and (not known and self._run(("meson", "setup", *BUILD, f"-Dpython={sys.executable}", "build"))
                              or self._run(("ninja", "-C", "build"))):
            raise SystemExit(f"mutate: the unchanged code does not build:\n{self._said()}")
        self._unchanged = self._compiled()

    def tests(self) -> list[Test]:
        """Commands that have to end with 0: programs of the part's suites, and its files of Python tests."""
        listed = self.folder / "build/meson-info/intro-tests.json"
        found = [tuple(os.path.relpath(word, self.folder) if word.startswith(str(self.folder)) else word
                       for word in test["cmd"])
                 for test in (json.loads(listed.read_text()) if self.part.compiled else ())
                 if any(suite.rpartition(":")[2] in self.part.suites for suite in test["suite"])]
        for file in sorted(path for pattern in self.part.pytest for path in self.folder.glob(pattern)):
            found.append((sys.executable, "-m", "pytest", "-q", "-x", *self.part.arguments,
                          str(file.relative_to(self.folder))))
        return found

    def time(self, test: Test) -> Limit:
        """Return: what a test may take, which has to pass."""
        began = time.monotonic()
        if self._run(test):
            raise SystemExit(f"mutate: fails without any change: {' '.join(test)}\n{self._said()}")
        return Limit(CPU_LEAST_S + CPU_PATIENCE * self._cpu_s, LEAST_S + PATIENCE * (time.monotonic() - began))

    def reached(self, test: Test) -> Lines:
        """Return: the lines of Python sources that a test executes, in processes of its own, too."""
        data = self.folder / "build/reached"
        for old in self.folder.glob("build/reached*"):
            old.unlink()
        data.parent.mkdir(exist_ok=True)
        coverage = (test[0], "-m", "coverage")
        if self._run((*coverage, "run", f"--data-file={data}", *test[1:])):
            raise SystemExit(f"mutate: fails without any change: {' '.join(test)}\n{self._said()}")
        self._run((*coverage, "combine", "-q", f"--data-file={data}"))
        found = CoverageData(str(data))
        found.read()
        return {os.path.relpath(path, self.folder): set(found.lines(path) or ()) for path in found.measured_files()}

    def judge(self, file: str, text: bytes, tests: list[tuple[Test, Limit]]) -> str:
        """Return: `invalid`, `same`, `survived`, or what killed it, in words."""
        target = self.folder / file
        original = target.read_bytes()
        try:
            target.write_bytes(text)
            if self._invalid(file, text):
                return "invalid"
            if self.part.compiled and self._compiled() == self._unchanged:
                return "same"
            return next((name(test) for test, limit in tests if self._run(test, limit)), "survived")
        finally:
            target.write_bytes(original)  # built again together with the next mutant

    def stop(self) -> None:
        """Whatever runs here is killed."""
        self._stopped = True
        if self._process and self._process.returncode is None:  # who started it waits for it
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _invalid(self, file: str, text: bytes) -> bool:
        if self.part.compiled:
            return self._run(("ninja", "-C", "build")) != 0
        try:
            compile(text, file, "exec")
        except SyntaxError:
            return True
        return False

    def _compiled(self) -> dict[Path, str]:
        return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in self.folder.glob("build/**/*.o")}

    def _run(self, command: Test, limit: Limit = Limit(NEVER_S)) -> int:  # noqa: B008, as it never changes
        """Return: its status; -1 when it took too long, or everything is being stopped. Its CPU time is kept."""
        if self._stopped:
            return -1
        cpu_s = math.ceil(limit.cpu_s)
        with open(self.folder / "said", "wb") as said:
            self._process = process = subprocess.Popen(
                command, cwd=self.folder, stdout=said, stderr=said, stdin=subprocess.DEVNULL, env=self._environment,
                start_new_session=True)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (cpu_s, cpu_s))
        deadline = time.monotonic() + limit.wall_s
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # what it left
        process.returncode = os.waitstatus_to_exitcode(status)
        self._cpu_s = used.ru_utime + used.ru_stime
        return process.returncode

    def _said(self) -> str:
        return (self.folder / "said").read_text(errors="replace")[-3000:]


def name(test: Test) -> str:
    """A test in the words of who would run it."""
    words = [word for word in test if word.endswith(".py") or word.startswith("build")]
    return words[-1] if words else " ".join(test)
