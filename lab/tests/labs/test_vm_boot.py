# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest of the lab `vm` boots from: kernel header, drivers in their order, the archive."""

import lzma
import shutil
import subprocess

import pytest

from cellbed.error import LabError
from cellbed.labs import vm_boot


def bzimage(tmp_path, version=b"6.12.1-test (me) #1 SMP\0"):
    """The part of a bzImage that is read: magic and the offset of the version, counted from 0x200."""
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    head[0x20E:0x210] = (0x100).to_bytes(2, "little")
    head[0x300:0x300 + len(version)] = version
    image = tmp_path / "boot" / "vmlinuz"
    image.parent.mkdir()
    image.write_bytes(head)
    return image


def module_tree(tmp_path, built_in, depends):
    tree = tmp_path / "lib/modules/6.12.1-test"
    tree.mkdir(parents=True)
    (tree / "modules.builtin").write_text("".join(f"kernel/{name}.ko\n" for name in built_in))
    (tree / "modules.dep").write_text("".join(f"{path}: {' '.join(first)}\n" for path, first in depends.items()))
    for path in depends:
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_bytes(lzma.compress(path.encode()))
    return tree


def test_the_release_of_an_image_and_its_modules_beside_it(tmp_path):
    image = bzimage(tmp_path)
    assert vm_boot.release(image) == "6.12.1-test"
    assert vm_boot.find_modules(image, "6.12.1-test") is None
    tree = module_tree(tmp_path, [], {})
    assert vm_boot.find_modules(image, "6.12.1-test") == tree


def test_modules_of_which_nobody_knows_what_they_need(tmp_path):
    image = bzimage(tmp_path)
    (module_tree(tmp_path, [], {}) / "modules.dep").unlink()
    with pytest.raises(LabError, match=f"modules.dep: missing; `depmod --basedir {tmp_path} 6.12.1-test`"):
        vm_boot.find_modules(image, "6.12.1-test")


@pytest.mark.parametrize("content, message", [(b"\x7fELF" + bytes(2000), "not a kernel image"), (b"", "not a kernel")])
def test_something_else_than_a_kernel(tmp_path, content, message):
    path = tmp_path / "vmlinux"
    path.write_bytes(content)
    with pytest.raises(LabError, match=message):
        vm_boot.release(path)


def names(modules):
    return [path.name for path in modules]


def test_drivers_load_after_what_they_need(tmp_path):
    """In whatever order depmod lists what a module needs; dashes and underscores are the same."""
    tree = module_tree(tmp_path, ["virtio_pci"], {
        "9pnet.ko.xz": ["netfs.ko.xz"], "netfs.ko.xz": [], "9p.ko.xz": ["netfs.ko.xz", "9pnet.ko.xz"],
        "9pnet-virtio.ko.xz": ["9pnet.ko.xz", "netfs.ko.xz"]})
    found = vm_boot.drivers(tree)
    assert found.filesystem == "9p"
    assert names(found.needed) == ["netfs.ko.xz", "9pnet.ko.xz", "9p.ko.xz", "9pnet-virtio.ko.xz"]


def test_modules_of_the_lab_that_the_kernel_has(tmp_path):
    tree = module_tree(tmp_path, ["virtio_pci", "virtiofs", "tcp_yeah"], {
        "net/tcp_vegas.ko": [], "sch_red.ko": [], "tcp_westwood.ko": ["net/tcp_vegas.ko"], "extra/tcp_mine.ko": []})
    assert names(vm_boot.drivers(tree).wanted) == ["sch_red.ko", "tcp_vegas.ko", "tcp_westwood.ko"]
    assert "tcp_mine.ko" in names(vm_boot.drivers(tree, ["mine", "built_in"]).wanted)


def test_virtiofs_where_there_is_no_9p(tmp_path):
    found = vm_boot.drivers(module_tree(tmp_path, ["virtio_pci", "virtiofs"], {}))
    assert (found.filesystem, found.needed) == ("virtiofs", ())


def test_a_kernel_that_cannot_see_the_host(tmp_path):
    with pytest.raises(LabError, match="neither 9p over virtio nor virtiofs"):
        vm_boot.drivers(module_tree(tmp_path, ["virtio_pci"], {}))


@pytest.mark.skipif(not shutil.which("busybox"), reason="busybox-static is not installed")
def test_the_archive_unpacks(tmp_path):
    packed, plain = tmp_path / "a-b.ko.xz", tmp_path / "c.ko"
    packed.write_bytes(lzma.compress(b"module"))
    plain.write_bytes(b"another")
    found = vm_boot.Drivers("9p", ",trans=virtio", (packed,), (plain,))
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["busybox", "cpio", "-i", "-d"], input=vm_boot.initramfs(found, "/usr/bin/my python"), cwd=out,
                   check=True, capture_output=True)
    assert (out / "init").read_text() == vm_boot.INIT.read_text()
    assert (out / "modules/a-b.ko").read_bytes() == b"module"
    settings = (out / "settings").read_text().splitlines()
    assert "python='/usr/bin/my python'" in settings
    assert "needed_modules=a-b.ko" in settings and "wanted_modules=c.ko" in settings
