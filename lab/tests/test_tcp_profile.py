# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of the hosts' TCP."""

import pytest

from cellbed.tcp_profile import file_sender


@pytest.mark.parametrize(("sizes", "lowat"), [
    ([20_000], 4096), ([5_000_000], 4882), ([122_240_000], 119_375), ([10**9], 131_072), ([10**9, 20_000], 4096),
])
def test_little_of_the_smallest_file_is_left_unsent(sizes, lowat):
    assert file_sender(sizes) == {"ipv4/tcp_notsent_lowat": str(lowat)}


def test_a_host_without_files_stays_as_it_is():
    assert file_sender([]) == {}
