# SPDX-License-Identifier: GPL-2.0-or-later
"""How much iperf3 is told to send, and until when."""

import math

import pytest

from cellbed.workload import BLOCK_MAX, amount, describe, end_s, limit_s, make

TIMED = {"id": "file", "kind": "iperf3", "from": "a", "to": "b", "start_s": 2, "duration_s": 10, "bytes": None,
         "limit_s": 600, "port": 5201}
SIZED = {**TIMED, "duration_s": None, "bytes": 122_240_000}


def test_time():
    assert amount(TIMED) == ["-t", "10"]
    assert (end_s(TIMED), limit_s(TIMED)) == (12, 42)


def test_size():
    assert (end_s(SIZED), limit_s(SIZED)) == (math.inf, 602)


@pytest.mark.parametrize("size", [1, 20_000, BLOCK_MAX, BLOCK_MAX + 1, 122_240_000, 10**9 + 7])
def test_equal_blocks_make_the_size(size):
    n, blocks_of = amount({**SIZED, "bytes": size})[1::2]
    assert int(n) == size
    sent_blocks = math.ceil(size / int(blocks_of))
    assert int(blocks_of) <= BLOCK_MAX
    assert 0 <= sent_blocks * int(blocks_of) - size < sent_blocks


def test_the_manifest_tells_both():
    addresses = {"a": "10.0.0.1", "b": "10.0.0.2"}
    assert describe(SIZED, addresses)["bytes"] == 122_240_000
    assert describe(SIZED, addresses)["duration_s"] is None
    assert describe(TIMED, addresses)["bytes"] is None


def test_what_is_overdue_says_its_limit(tmp_path):
    def error(flow):
        return str(make(flow, {}, {}, tmp_path).overdue())

    assert error(SIZED) == "traffic file: 122240000 bytes took longer than limit_s = 600 s"
    assert error(TIMED) == "traffic file: did not end within 30 s of its time"
