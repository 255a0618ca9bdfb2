# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of containers need: an image of a busybox, services of it, and podman with settings of its own."""

import shutil
import subprocess

import pytest

IMAGE = "localhost/cellbed-busybox"
SERVICES = f"""
services:
  app: {{image: {IMAGE}, command: sh -c 'trap exit TERM; sleep 1000 & wait'}}
  client: {{image: {IMAGE}, command: sh -c 'trap exit TERM; sleep 1000 & wait'}}
"""
# Where no systemd runs. Limits are lowered, as a machine may not let them be raised.
CONTAINERS = """
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "{0}"
"""


def needs(*names):
    """Skip the test where one of these programs is missing."""
    for name in names:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")


def image(folder):
    """Returns: an archive with all that the image has, in @folder."""
    needs("busybox")
    root = folder / "rootfs"
    (root / "bin").mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin")
    for name in ("sh", "sleep", "ping", "ip"):
        (root / "bin" / name).symlink_to("busybox")
    subprocess.run(["tar", "-C", root, "-cf", folder / "image.tar", "."], check=True)
    return folder / "image.tar"


def start_podman(run, conf, archive):
    """Import the image, by the first runtime that works here. Skips the test if there is none.

    Args: run: subprocess.run() of podman with these words; conf: where podman reads containers.conf.
    """
    said = "neither crun nor runc is installed"
    for runtime in ("crun", "runc"):
        if shutil.which(runtime) is None:
            continue
        conf.write_text(CONTAINERS.format(runtime))
        run("import", str(archive), IMAGE, check=True)
        tried = run("run", "--rm", "--network=none", IMAGE, "sleep", "0")
        if tried.returncode == 0:
            return
        said = tried.stderr.strip()
    pytest.skip(f"podman runs no container here: {said}")
