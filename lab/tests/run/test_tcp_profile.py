# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of the hosts' TCP."""

import contextlib

import pytest

from cellbed.error import LabError
from cellbed.run import tcp_profile
from cellbed.run.tcp_profile import file_sender, route_attributes, sysctls, write
from cellbed.scenario.file import validate


@pytest.mark.parametrize(("sizes", "lowat"), [
    ([20_000], 4096), ([5_000_000], 4882), ([122_240_000], 119_375), ([10**9], 131_072), ([10**9, 20_000], 4096),
])
def test_little_of_the_smallest_file_is_left_unsent(sizes, lowat):
    assert file_sender(sizes) == {"ipv4/tcp_notsent_lowat": str(lowat)}


def test_a_host_without_files_stays_as_it_is():
    assert file_sender([]) == {}


def test_named_settings_come_after_the_profile():
    tcp = {"profile": "paper", "receive_window": None, "congestion_control": "reno",
           "sysctls": {"net.ipv4.tcp_sack": 1, "net.ipv4.tcp_reno_recovery": "2"}}
    settings = sysctls(tcp)
    assert settings["ipv4/tcp_sack"] == "1"
    assert settings["ipv4/tcp_reno_recovery"] == "2"
    assert settings["ipv4/tcp_dsack"] == "0"


def test_a_refused_value_is_told(monkeypatch, tmp_path):
    (tmp_path / "ipv4").mkdir()
    (tmp_path / "ipv4/tcp_sack").mkdir()  # cannot be written, as a value that the kernel refuses
    monkeypatch.setattr("cellbed.run.tcp_profile.ROOT", tmp_path)
    with pytest.raises(LabError, match=r"setting net\.ipv4\.tcp_sack: value 7: "):
        write({"ipv4/tcp_sack": "7"})


def test_first_window_and_least_timeout_go_with_the_route():
    tcp = {"receive_window": None, "mss": None, "delayed_ack": True, "rto_min_ms": 1000, "initial_window_pkts": 2}
    assert route_attributes(tcp) == ["initcwnd", "2", "rto_min", "1000ms"]


@pytest.mark.parametrize(("profile", "chosen", "off"), [
    ("paper", {}, False), ("paper", {"net.ipv4.tcp_sack": 1}, True), ("modern", {}, False),
    ("modern", {"net.ipv4.tcp_recovery": 0}, True), ("modern", {"net.ipv4.tcp_recovery": 3}, False),
    ("modern", {"net.ipv4.tcp_recovery": 0, "net.ipv4.tcp_sack": 0}, False)])
def test_a_kernel_that_knows_rack_only_is_refused_where_it_is_off(minimal, profile, chosen, off):
    """Without SACK it is off anyway."""
    tcp = validate({**minimal, "tcp": {"profile": profile, "sysctls": chosen}}, "f.yaml").model_dump()["tcp"]
    tcp_profile.check(tcp, "6.12.117")
    said = "^net.ipv4.tcp_recovery: value 0 .* since 6.17 .* this is 7.3.4; allowed here 1 "
    with pytest.raises(LabError, match=said) if off else contextlib.nullcontext():
        tcp_profile.check(tcp, "7.3.4")


@pytest.mark.parametrize(("release", "can"), [("6.16.9-amd64", True), ("6.17.0", False), ("7.3", False), ("6.1", True),
                                              ("own", False)])
def test_kernels_that_can_do_without_rack(release, can):
    assert tcp_profile.can_do_without_rack(release) is can
