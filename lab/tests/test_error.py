# SPDX-License-Identifier: GPL-2.0-or-later
"""What an error of the system says to a user."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cellbed.error import PACKAGES, told
from cellbed.host import programs


@pytest.mark.parametrize("name", PACKAGES)
@pytest.mark.parametrize("in_guest", [True, False])
def test_a_missing_program_is_named_with_its_package(name, in_guest, monkeypatch):
    """As a guest starts it, by its bare name, and as it is started elsewhere."""
    monkeypatch.setattr(programs, "_in_guest", in_guest)
    monkeypatch.setattr(programs, "find", lambda name: None)
    monkeypatch.setenv("PATH", "/nonexistent")
    command = programs.command(name)
    if shutil.which(command) is not None:
        pytest.skip(f"{command} is there")
    with pytest.raises(FileNotFoundError) as error:
        subprocess.run([command], check=False)
    assert told(error.value) == f"{name} is not installed; install it with `apt-get install {PACKAGES[name]}`"


def test_a_missing_file_is_a_file():
    with pytest.raises(FileNotFoundError) as error:
        Path("/nonexistent/tc").read_text()
    assert told(error.value) == "/nonexistent/tc: No such file or directory"
