# SPDX-License-Identifier: GPL-2.0-or-later
"""What the repository holds stays small, so that a first clone does."""

import subprocess

import pytest
from e2e import ROOT

LARGEST_BYTES = 1_000_000
#: Files that may be larger, by their path, with the reason.
LARGE: dict[str, str] = {}


def test_no_large_file_is_tracked():
    if not (ROOT / ".git").exists():
        pytest.skip("no repository")
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    large = {str(file.relative_to(ROOT)): file.stat().st_size for file in files
             if file.is_file() and file.stat().st_size > LARGEST_BYTES}
    assert files and large.keys() <= LARGE.keys(), f"above {LARGEST_BYTES} bytes: {large}"
