# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab `vm` without starting QEMU: what it would be called with, and what it refuses."""

import shutil
from pathlib import Path

import pytest

from cellbed.error import LabError
from cellbed.labs import in_guest, vm, vm_boot

IMAGE = Path("/boot/vmlinuz")


def machine(accel):
    return vm.Machine(IMAGE, "6.12.1-test", None, accel)


@pytest.fixture(autouse=True)
def with_qemu(monkeypatch):
    monkeypatch.setattr(vm, "qemu", lambda: "qemu-system-x86_64")


def test_an_emulated_guest_has_one_cpu_and_counts_instructions():
    args = vm.command(machine("tcg"), Path("/initrd"), [], 1024)
    assert args[args.index("-accel") + 1] == "tcg" and "-icount" in args and "-smp" not in args


def test_a_guest_of_kvm_has_real_time():
    args = vm.command(machine("kvm"), Path("/initrd"), [], 1024)
    assert args[args.index("-accel") + 1] == "kvm" and "-icount" not in args


def test_the_kernel_gets_the_words_of_the_run():
    args = vm.command(machine("tcg"), Path("/initrd"), [], 1024, ["tcp_cubic.beta=819"])
    assert args[args.index("-append") + 1].endswith(" tcp_cubic.beta=819")


def test_only_the_bundle_can_be_written():
    with vm._shared("9p", {vm_boot.ROOT_TAG: Path("/"), vm_boot.BUNDLE_TAG: Path("/r/a,b")}, Path("/none"),
                        1024) as args:
        shares = [arg for arg in args if arg.startswith("local,")]
    assert [share.rpartition("=")[2] for share in shares] == ["on", "off"]
    assert "path=/r/a,,b," in shares[1]  # QEMU's way to write a comma


def test_an_accelerator_that_there_is_not(monkeypatch):
    monkeypatch.setenv("CELLBED_ACCEL", "fast")
    monkeypatch.setattr(vm_boot, "release", lambda image: "6.12.1-test")
    with pytest.raises(LabError, match="CELLBED_ACCEL=fast: allowed kvm, tcg"):
        vm.prepare(str(IMAGE))


def test_kvm_is_not_tried_when_the_user_has_said_which(monkeypatch):
    monkeypatch.setenv("CELLBED_ACCEL", "tcg")
    monkeypatch.setattr(vm_boot, "release", lambda image: "6.12.1-test")
    monkeypatch.setattr(vm, "kvm_works", lambda image: pytest.fail("tried"))
    assert vm.prepare(str(IMAGE)).accel == "tcg"


@pytest.mark.parametrize("accel", ["kvm", "tcg"])
def test_results_belong_to_a_kernel_and_an_accelerator(tmp_path, accel):
    prints = set()
    for content in (b"one", b"other"):
        image = tmp_path / "vmlinuz"
        image.write_bytes(content)
        prints.add(vm.Machine(image, "6.12", None, accel).fingerprint())
    assert len(prints) == 2 and all(accel in text for text in prints)


def test_a_guest_cannot_have_this_machine_as_a_node():
    with pytest.raises(LabError, match="key 'nodes.server.machine': value true: allowed in the native lab"):
        in_guest.check({"settings": {"nodes": {"server": {"machine": True}}}})


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
        in_guest.check_result(Ended(), tmp_path)


def test_a_guest_with_a_result(tmp_path):
    (tmp_path / "console").write_text("")
    (tmp_path / "status").write_text("0")
    in_guest.check_result(Ended(), tmp_path)


QEMUS = {  # what QEMU does with KVM, and what is said then
    "hangs": ("exec sleep 100", "does not start: nothing within 1 s; its console: (empty)"),
    "aborts": ("echo 'error: failed to set MSR 0x10a' >&2; kill -ABRT $$",
               "does not start: its console: error: failed to set MSR 0x10a"),
    "says nothing": ("exit 1", "does not start: its console: (empty)"),
    "starts": ("echo 'cellbed: the guest has started'", None),
}


@pytest.mark.skipif(not shutil.which("busybox"), reason="busybox-static is not installed")
@pytest.mark.parametrize("behaviour", QEMUS)
def test_kvm_is_tried_with_a_boot_and_remembered(tmp_path, monkeypatch, capsys, behaviour):
    does, said = QEMUS[behaviour]
    program, image = tmp_path / "qemu", tmp_path / "vmlinuz"
    program.write_text(f"#!/bin/sh\necho tried >> {tmp_path}/tried\n{does}\n")
    program.chmod(0o755)
    image.write_bytes(b"kernel")
    monkeypatch.setattr(vm, "qemu", lambda: str(program))
    monkeypatch.setattr(vm, "KVM", Path("/dev/null"))
    monkeypatch.setattr(vm, "KVM_DEADLINE_S", 1.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for _ in range(2):
        assert vm.kvm_works(image) is (said is None)
    assert (tmp_path / "tried").read_text().count("tried") == 1
    told = capsys.readouterr().err
    assert (told == "") if said is None else (said in told and len(told.splitlines()) == 1)
