# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies of this process, and what they become."""

import os
import time

import pytest

from cellbed.host.child import await_child, become, in_a_child

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="entering a network namespace needs root")


def started(program, folder):
    """What a copy of this process that becomes the program writes."""
    stdout = folder / "stdout"
    args = [str(program), "/proc/self/cmdline"]
    await_child(in_a_child(lambda: become(args, os.getpid(), time.monotonic_ns(), stdout)))
    return stdout.read_bytes()


@needs_root
def test_a_program_has_the_same_stack_wherever_it_lies(tmp_path):
    """The kernel puts there how it was called, and where from."""
    deep = tmp_path / ("deep/" * 20)
    deep.mkdir(parents=True)
    (deep / "cat").symlink_to("/usr/bin/cat")
    assert started("/usr/bin/cat", tmp_path) == started(deep / "cat", deep) == b"cat\0/proc/self/cmdline\0"


@needs_root
def test_it_starts_at_its_time(tmp_path):
    at_ns = time.monotonic_ns() + 50_000_000
    await_child(in_a_child(lambda: become(["/usr/bin/true"], os.getpid(), at_ns, tmp_path / "none")))
    assert time.monotonic_ns() > at_ns
    assert (tmp_path / "none").read_bytes() == b""
