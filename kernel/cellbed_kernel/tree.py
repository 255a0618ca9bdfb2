# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab kernel of a tree that somebody works on: built again and again, each time only what has changed.

The tree is only read. A copy of it in the cache has the lab kernel's patches, configuration and objects; what was
edited since is copied again and compiled. A finished kernel goes to a folder named by its content, so that runs of it
can go on while the next one is built.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from fnmatch import translate
from pathlib import Path
from typing import Any, TextIO

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.labs.lab_kernels import cache_root, fragments, patches
from cellbed_kernel.steps import NOT_UNPACKED, configure, run, tree_version

# Name, size and time of the last change.
Files = dict[str, list[int]]

# What a build leaves in a tree that is not under git, where .gitignore tells it.
_PRODUCTS = re.compile(r"(^|/)\.|\.(o|a|ko|mod|mod\.c|order|symvers|d)$|^(linux|vmlinux\w*|System\.map|modules\..*)$"
                       r"|(^|/)include/(generated|config)/")
_LEFT_OUT = re.compile("|".join(translate(pattern.removeprefix("*/")) for pattern in NOT_UNPACKED))
_ERROR = re.compile(r":(\d+:)* (fatal )?error: |undefined reference|multiple definition|: syntax error|No rule to make|"
                    r"recursive dependency|unknown option")
# What the compiler adds to an error: the source, and where else to look.
_MORE = re.compile(r"\s+\d* *\| |.*: note: ")
_ERROR_LINES_MAX = 40
_KEPT_IMAGES = 10


def listing(tree: Path) -> Files:
    """The tree's own files."""
    if (tree / ".git").exists():
        done = subprocess.run([programs.command("git"), "-C", tree, "ls-files", "-z", "--cached", "--others",
                               "--exclude-standard"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise LabError(f"{tree}: {done.stderr.strip()}")
        names = done.stdout.split("\0")[:-1]
    else:
        start = len(f"{tree}/")
        names = [name for folder, _, files in os.walk(tree) for name in [f"{folder}/{file}"[start:] for file in files]
                 if not _PRODUCTS.search(name)]
    files = {}
    for name in names:
        if _LEFT_OUT.match(name):
            continue
        try:
            found = os.lstat(f"{tree}/{name}")
        except FileNotFoundError:  # removed, and git was not told
            continue
        files[name] = [found.st_size, found.st_mtime_ns]
    return files


class Copy:
    """The copy of one tree, with what is known of it."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.folder = cache_root().parent / "trees" / hashlib.sha256(os.fsencode(tree)).hexdigest()[:16]
        self.source = self.folder / "linux"
        self.patches = patches(tree_version(tree))
        self.notes = self.folder / "state.json"
        self.state = json.loads(self.notes.read_text()) if self.notes.exists() else {"files": {}}

    def update(self) -> int:
        """Copy what has changed. Return: how many files."""
        files = listing(self.tree)
        patched = {name for patch in self.patches for name in re.findall(r"^\+\+\+ b/(\S+)", patch.read_text(), re.M)}
        had = self.state["files"]
        changed = [name for name, stamp in files.items() if had.get(name) != stamp]
        for name in changed:
            if name not in patched:
                _copy(self.tree / name, self.source / name)
        for name in had.keys() - files.keys() - patched:
            (self.source / name).unlink(missing_ok=True)
        recipe = _digest(*self.patches)
        if recipe != self.state.get("patches") or any(had.get(name) != files.get(name) for name in patched):
            self._patch(patched)
        self._note(files=files, patches=recipe)
        return len(changed)

    def _patch(self, names: set[str]) -> None:
        """Apply the lab kernel's patches to the files that they change, but for those that the tree has already."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            scratch = Path(name)
            for name in names:
                if (self.tree / name).exists():
                    _copy(self.tree / name, scratch / name)
            for patch in self.patches:
                command = [programs.command("patch"), "-p1", "--force", "--no-backup-if-mismatch", "-d", str(scratch),
                           "-i", str(patch)]
                if subprocess.run([*command, "--dry-run", "-R"], capture_output=True, check=False).returncode == 0:
                    continue
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    raise LabError(f"{self.tree}: {patch.name}, which the virtual lab needs, does not apply: "
                                     f"{'; '.join(re.findall('^(?:Hunk.*FAILED.*|can.t find.*)$', done.stdout, re.M))}")
            for path in scratch.rglob("*"):
                own = self.source / path.relative_to(scratch)
                if path.is_file() and not (own.exists() and own.read_bytes() == path.read_bytes()):
                    _copy(path, own)

    def configure(self, log: TextIO) -> None:
        """Again when the lab kernel's options or a Kconfig file have changed."""
        options = "".join(map(_digest, fragments(tree_version(self.source)))) + json.dumps(
            {name: stamp for name, stamp in self.state["files"].items() if "Kconfig" in name})
        if self.state.get("options") == options and (self.source / ".config").exists():
            return
        # Also those of the tree's own.
        controls = re.findall(r"^config (TCP_CONG_\w+)", (self.source / "net/ipv4/Kconfig").read_text(), re.M)
        configure(self.source, log, "".join(f"CONFIG_{name}=y\n" for name in controls))
        self._note(options=options)

    def make(self, jobs: int, log: TextIO) -> Path:
        """Compile and link. Return: the kernel."""
        said: list[str] = []
        try:
            run(["make", "ARCH=um", f"-j{jobs}", "--output-sync=target", "linux"], self.source, log, said.append)
        except LabError as error:
            raise LabError(f"{self.tree} does not build:\n{compiler_errors(said) or error}") from None
        return self.source / "linux"

    def _note(self, **facts: Any) -> None:
        self.state.update(facts)
        new = self.notes.with_suffix(".new")
        new.write_text(json.dumps(self.state))
        os.replace(new, self.notes)


def compiler_errors(said: list[str]) -> str:
    """Of a build's output what tells why it failed."""
    kept, inside = [], False
    for line in said:
        inside = bool(_ERROR.search(line)) or (inside and bool(_MORE.match(line)))
        if inside:
            kept.append(line.rstrip())
    return "\n".join(kept[:_ERROR_LINES_MAX])


def _copy(source: Path, target: Path) -> None:
    """With the time of now: an older version that comes back has to be compiled, too."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    shutil.copyfile(source, target, follow_symlinks=False)
    if not target.is_symlink():
        shutil.copymode(source, target)


def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in paths)).hexdigest()


def keep(image: Path, config: Path | None) -> Path:
    """Put a kernel where its content names it, stripped of what only a debugger reads. Return: it there.

    Raises:
        LabError: its clock cannot jump.
    """
    root = cache_root()
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".keeping-", dir=root) as name:
        made = Path(name, "linux")
        strip = programs.find("strip")
        if strip is None or subprocess.run([strip, "-o", made, image], capture_output=True, check=False).returncode:
            shutil.copy(image, made)
        content = made.read_bytes()
        if b"time-travel-start=" not in content:
            raise LabError(f"{image}: not a kernel for User Mode Linux with CONFIG_UML_TIME_TRAVEL_SUPPORT; "
                             "--kernel TREE builds one")
        target = root / f"own-{hashlib.sha256(content).hexdigest()[:16]}"
        target.mkdir(exist_ok=True)
        if config is not None and config.exists():
            shutil.copyfile(config, target / "config")
        os.replace(made, target / "linux")
    for old in sorted(root.glob("own-*"), key=lambda path: path.stat().st_mtime)[:-_KEPT_IMAGES]:
        shutil.rmtree(old, ignore_errors=True)
    return target / "linux"


def built(tree: Path, jobs: int) -> Path:
    """The lab kernel of a tree as it is now.

    Raises:
        LabError: a patch does not apply, an option is missing, or the compiler refuses it.
    """
    start = time.monotonic()
    copy = Copy(tree)
    copy.source.mkdir(parents=True, exist_ok=True)
    with open(copy.folder / "lock", "w") as lock, open(copy.folder / "build.log", "w") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        first = not (copy.source / "linux").exists()
        if first:
            print(f"lab kernel of {tree}: the first build compiles everything, which takes minutes", file=sys.stderr)
        changed = copy.update()
        copy.configure(log)
        image = keep(copy.make(jobs, log), copy.source / ".config")
    what = "built" if first else f"{changed} file{'' if changed == 1 else 's'} changed, built"
    print(f"lab kernel of {tree}: {what} in {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    return image
