# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab `vm` without starting QEMU: what it would be called with, and what it refuses."""

from pathlib import Path

import pytest

from cellbed import guests, lab_vm, vm_boot
from cellbed.error import LabError

IMAGE = Path("/boot/vmlinuz")


def machine(accel):
    return lab_vm.Machine(IMAGE, "6.12.1-test", None, accel)


@pytest.fixture(autouse=True)
def with_qemu(monkeypatch):
    monkeypatch.setattr(lab_vm, "qemu", lambda: "qemu-system-x86_64")


def test_an_emulated_guest_has_one_cpu_and_counts_instructions():
    args = lab_vm.command(machine("tcg"), Path("/initrd"), [])
    assert args[args.index("-accel") + 1] == "tcg" and "-icount" in args and "-smp" not in args


def test_a_guest_of_kvm_has_real_time():
    args = lab_vm.command(machine("kvm"), Path("/initrd"), [])
    assert args[args.index("-accel") + 1] == "kvm" and "-icount" not in args


def test_only_the_bundle_can_be_written():
    with lab_vm._shared("9p", {vm_boot.ROOT_TAG: Path("/"), vm_boot.BUNDLE_TAG: Path("/r/a,b")}, Path("/none")) as args:
        shares = [arg for arg in args if arg.startswith("local,")]
    assert [share.rpartition("=")[2] for share in shares] == ["on", "off"]
    assert "path=/r/a,,b," in shares[1]  # QEMU's way to write a comma


def test_an_accelerator_that_there_is_not(monkeypatch):
    monkeypatch.setenv("CELLBED_ACCEL", "fast")
    monkeypatch.setattr(vm_boot, "release", lambda image: "6.12.1-test")
    with pytest.raises(LabError, match="CELLBED_ACCEL=fast: allowed kvm, tcg"):
        lab_vm.prepare(str(IMAGE))


def test_kvm_is_not_tried_when_the_user_has_said_which(monkeypatch):
    monkeypatch.setenv("CELLBED_ACCEL", "tcg")
    monkeypatch.setattr(vm_boot, "release", lambda image: "6.12.1-test")
    monkeypatch.setattr(lab_vm, "kvm_works", lambda: pytest.fail("tried"))
    assert lab_vm.prepare(str(IMAGE)).accel == "tcg"


@pytest.mark.parametrize("accel", ["kvm", "tcg"])
def test_results_belong_to_a_kernel_and_an_accelerator(tmp_path, accel):
    prints = set()
    for content in (b"one", b"other"):
        image = tmp_path / "vmlinuz"
        image.write_bytes(content)
        prints.add(lab_vm.Machine(image, "6.12", None, accel).fingerprint())
    assert len(prints) == 2 and all(accel in text for text in prints)


def test_a_guest_cannot_have_this_machine_as_a_node():
    with pytest.raises(LabError, match="key 'nodes.server.machine': value True: allowed in the native lab"):
        guests.check({"nodes": {"server": {"machine": True}}})


class Ended:
    @staticmethod
    def poll():
        return 7


@pytest.mark.parametrize(("files", "message"), [
    ({"status": "1", "error": "node ue1: no such setting", "console": "noise"}, "^node ue1: no such setting$"),
    ({"console": "Linux\nKernel panic"}, r"status 7 and no result; its console: Linux \| Kernel panic"),
    ({"console": "mount: failed\nKernel panic\nCall Trace:\n" + " [<6002c054>]\n" * 20},
     r"its console: mount: failed \| Kernel panic$"),
    ({"console": ""}, r"its console: \(empty\)"),
])
def test_why_a_guest_has_no_result(tmp_path, files, message):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(LabError, match=message):
        guests.check_result(Ended(), tmp_path)


def test_a_guest_with_a_result(tmp_path):
    (tmp_path / "status").write_text("0")
    guests.check_result(Ended(), tmp_path)
