# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that people name: what is none is refused at once, with a reason."""

import os
from pathlib import Path

import pytest

from cellbed_formats import named_file


def test_a_file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"1234")
    assert named_file.content(path, 4) == b"1234"
    (tmp_path / "link").symlink_to(path)
    assert named_file.content(tmp_path / "link", 4) == b"1234"


def test_one_that_is_too_large(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    with pytest.raises(OSError) as error:
        named_file.content(path, 4)
    assert error.value.strerror == "5 bytes: allowed at most 4" and error.value.filename == str(path)


def test_one_that_does_not_say_how_large_it_is():
    with pytest.raises(OSError) as error:
        named_file.content(Path("/proc/self/status"), 4)
    assert error.value.strerror == "allowed at most 4 bytes"


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "fifo"])
def test_what_is_no_regular_file(tmp_path, name):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError) as error:
        named_file.open_named(tmp_path / name)
    assert error.value.strerror.startswith("not a regular file")


@pytest.mark.parametrize(("name", "said"), [
    (".", "Is a directory"), ("none", "No such file"), ("a\0b", "embedded null"), ("n" * 300, "File name too long")])
def test_others(tmp_path, name, said):
    with pytest.raises(OSError) as error:
        named_file.open_named(tmp_path / name)
    assert said in str(error.value)


def test_no_descriptor_is_left(tmp_path):
    before = len(os.listdir("/proc/self/fd"))
    for name in ("/dev/zero", "."):
        with pytest.raises(OSError):
            named_file.open_named(tmp_path / name)
    assert len(os.listdir("/proc/self/fd")) == before
