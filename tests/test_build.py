# SPDX-License-Identifier: GPL-2.0-or-later
"""What is built does not depend on where: programs are part of a run's identity, and a fleet compares them."""

import shutil
import subprocess
import sys

from e2e import ROOT

from cellbed import paths

SOURCES = ("emulator", "ebpf", "lab", "formats", "channel", "meson.build", "meson_options.txt")


def build(checkout, *commands):
    """SHA-256 of the programs that execute a run, after commands in a checkout."""
    programs = [path.relative_to(paths.BUILD) for path in paths.PROGRAMS.values()]
    for command in (*commands, ["ninja", "-C", "build", *programs]):
        subprocess.run(command, cwd=checkout, check=True, stdout=subprocess.DEVNULL)
    return [paths.sha256(checkout / "build" / path) for path in programs]


def test_two_checkouts_build_the_same_programs(tmp_path):
    """This one, and a copy of it in a folder whose name is longer and has a space."""
    other = tmp_path / "and another" / "folder"
    other.mkdir(parents=True)
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, other / name)
    assert build(other, ["meson", "setup", f"-Dpython={sys.executable}", "build"]) == build(ROOT)
