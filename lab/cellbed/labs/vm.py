# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab `vm`: any kernel image in QEMU, on this machine's own file system, with the same runner.

With KVM its time is real. Emulated (TCG) it counts instructions and skips idle time: guest time then follows what the
guest does, not how fast this machine does it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellbed import paths
from cellbed.error import LabError
from cellbed.host import ledger, programs
from cellbed.host.netns import die_with_parent
from cellbed.labs import boot_check, in_guest, vm_boot
from cellbed.labs.follow import Watch, follow, timing
from cellbed.labs.user_terminal import UserTerminal, note
from cellbed.run import congestion_control, memory
from cellbed_formats.inside import Inside

ACCELS = ("kvm", "tcg")
# A distribution's kernel and its drivers have more of it than a lab kernel.
_OWN_MIB = 512
# An emulated guest is slow: Python alone takes a minute to start where the host is busy.
_TCG_PATIENCE = 10
KVM = Path("/dev/kvm")
# A guest that starts does so within a second or two.
KVM_DEADLINE_S = 15.0
# Guest time of an instruction, as a power of two in ns: 1 ns, a machine of 1000 MIPS.
_ICOUNT_SHIFT = 0
_VIRTIOFSD = (
    ("/usr/libexec/virtiofsd", "--shared-dir={} --sandbox=none --cache=always --writeback"),
    ("/usr/lib/qemu/virtiofsd", "-o source={} -o sandbox=chroot -o announce_submounts -o cache=always -o writeback"),
)
_VIRTIOFSD_DEADLINE_S = 10


@dataclass(frozen=True)
class Machine:
    """What runs are executed in."""

    image: Path
    release: str
    modules: Path | None
    accel: str

    def fingerprint(self) -> str:
        return f"{paths.sha256(self.image)} {paths.sha256(vm_boot.INIT)} {self.accel}"


def qemu() -> str:
    path = programs.find("qemu-system-x86_64")
    if path is None:
        raise LabError("the lab vm needs QEMU; install it with `apt-get install qemu-system-x86 busybox-static`")
    return path


def kvm_works(image: Path) -> bool:
    """Whether a guest of this kernel gets as far as its init: in some sandboxes /dev/kvm is there, and guests hang.

    It is tried once for each kernel and boot of this machine, with a line to the user when it fails.
    """
    if not os.access(KVM, os.R_OK | os.W_OK):
        return False
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    memo = paths.cache() / "kvm" / f"{paths.sha256(image)[:16]}-{boot_id}"
    if not memo.exists():
        refusal = _kvm_refusal(image)
        memo.parent.mkdir(parents=True, exist_ok=True)
        memo.write_text(refusal)
        if refusal:
            note(f"KVM: {refusal}; the runs are emulated (TCG), which is slower. This is remembered until the machine "
                 f"reboots, in {memo}")
    return not memo.read_text()


def _kvm_refusal(image: Path) -> str:
    """Boot the kernel with KVM as far as its init. Return: why it did not get there; empty: it did."""
    with tempfile.TemporaryDirectory(prefix="cellbed-vm-") as name:
        initrd, console = Path(name, "initrd"), Path(name, "console")
        initrd.write_bytes(vm_boot.initramfs(vm_boot.drivers(None), sys.executable, trial=True))
        with open(console, "wb") as out:
            guest = subprocess.Popen(command(Machine(image, "", None, "kvm"), initrd, [], _OWN_MIB), stdout=out,
                                     stderr=out, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        try:
            boot_check.await_word(guest, console, KVM_DEADLINE_S)
        except LabError as error:
            return f"a guest with {image} does not start: {error}"
        finally:
            _end(guest)
    return ""


def prepare(kernel: str) -> Machine:
    """Look at the kernel image. CELLBED_ACCEL=kvm or tcg spares trying whether KVM works.

    Raises:
        LabError: it cannot be used, or QEMU is missing.
    """
    image = Path(kernel).expanduser().resolve()
    if image.is_dir():  # a source tree
        image /= "arch/x86/boot/bzImage"
    release = vm_boot.release(image)
    qemu()
    accel = os.environ.get("CELLBED_ACCEL") or ("kvm" if kvm_works(image) else "tcg")
    if accel not in ACCELS:
        raise LabError(f"CELLBED_ACCEL={accel}: allowed {', '.join(ACCELS)}")
    return Machine(image, release, vm_boot.find_modules(image, release), accel)


def command(machine: Machine, initrd: Path, shares: list[str], memory_mib: int,
            words: Sequence[str] = ()) -> list[str]:
    """QEMU's command line; that of the guest's kernel ends with @words."""
    if machine.accel == "kvm":
        timing_args = ["-accel", "kvm", "-cpu", "host", "-smp", str(min(2, len(os.sched_getaffinity(0))))]
    else:
        icount = f"shift={_ICOUNT_SHIFT},sleep=off"
        timing_args = ["-accel", "tcg", "-cpu", "max", "-icount", icount, "-rtc", "clock=vm"]
    return [qemu(), *timing_args, "-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio",
            "-no-reboot", "-m", f"{memory_mib}M", "-kernel", str(machine.image), "-initrd", str(initrd),
            "-append", " ".join(["console=ttyS0 quiet panic=-1 mitigations=off", *words]),
            "-device", "virtio-rng-pci", *shares]


@contextlib.contextmanager
def _shared(filesystem: str, folders: dict[str, Path], scratch: Path, memory_mib: int) -> Iterator[list[str]]:
    """Share folders of the host under tags. Yields: arguments of QEMU."""
    if filesystem == "9p":
        yield [arg for tag, folder in folders.items() for arg in _share_9p(tag, folder)]
        return
    daemon, options = next(((path, text) for path, text in _VIRTIOFSD if Path(path).exists()), (None, ""))
    if daemon is None:
        raise LabError("this kernel shares folders by virtiofs only; install virtiofsd")
    args = ["-object", f"memory-backend-memfd,id=mem,size={memory_mib}M,share=on", "-numa", "node,memdev=mem"]
    with contextlib.ExitStack() as stack:
        for tag, folder in folders.items():
            socket = scratch / f"{tag}.socket"
            log = stack.enter_context(open(scratch / f"{tag}.log", "wb"))
            server = subprocess.Popen(
                [daemon, f"--socket-path={socket}", *(option.format(folder) for option in options.split())],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
            stack.callback(_end, server)
            _await(socket, server, Path(log.name))
            args += ["-chardev", f"socket,id={tag},path={socket}",
                     "-device", f"vhost-user-fs-pci,chardev={tag},tag={tag}"]
        yield args


def _share_9p(tag: str, folder: Path) -> list[str]:
    readonly = "off" if tag == vm_boot.BUNDLE_TAG else "on"
    path = str(folder).replace(",", ",,")
    return ["-fsdev", f"local,id={tag},path={path},security_model=none,multidevs=remap,readonly={readonly}",
            "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def _await(socket: Path, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _VIRTIOFSD_DEADLINE_S
    while not socket.exists():
        if server.poll() is not None or time.monotonic() > end:
            raise LabError(f"virtiofsd: {log.read_text(errors='replace').strip() or 'it does not answer'}")
        time.sleep(0.01)


def execute(machine: Machine, directory: Path, description: dict[str, Any], cpu: int, watch: Watch,
         terminal: UserTerminal | None) -> dict[str, Any]:
    """Boot a guest that executes the run in @directory. It chooses its CPUs itself, and nothing can be attached to it.

    Returns and raises as virtual.execute().
    """
    in_guest.check(description)
    memory_mib = description["memory_mib"] + _OWN_MIB
    memory.check(memory_mib)
    started = time.monotonic()
    in_guest.copy_package(directory)
    drivers = vm_boot.drivers(machine.modules, congestion_control.names(description["settings"]))
    with tempfile.TemporaryDirectory(prefix="cellbed-vm-") as name, contextlib.ExitStack() as stack:
        scratch = Path(name)
        (scratch / "initrd").write_bytes(vm_boot.initramfs(drivers, sys.executable))
        folders = {vm_boot.ROOT_TAG: Path("/"), vm_boot.BUNDLE_TAG: directory}
        shares = stack.enter_context(_shared(drivers.filesystem, folders, scratch, memory_mib))
        out = stack.enter_context((Inside(directory) / "console").log())
        words = congestion_control.kernel_words(description["settings"]["tcp"])
        guest = subprocess.Popen(command(machine, scratch / "initrd", shares, memory_mib, words), stdout=out,
                                 stderr=out, stdin=subprocess.DEVNULL, start_new_session=True,
                                 preexec_fn=die_with_parent)
        with ledger.entry("vm", guest.pid, directory):
            try:
                marks = follow(guest, directory, watch, _TCG_PATIENCE if machine.accel == "tcg" else 1)
            finally:
                _end(guest)
    in_guest.check_result(guest, directory)
    return {**timing(started, marks), "kernel": {"accel": machine.accel}}


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
        process.wait()
