# SPDX-License-Identifier: GPL-2.0-or-later
"""Containers behind a radio: Docker's, and those of an ordinary user's podman."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from containers import IMAGE, SERVICES, image, needs, start_podman
from e2e import cellbed, needs_native
from machine import wait_until
from ordinary import Ordinary, needs_an_ordinary_user, needs_user_namespaces, own_mounts

pytestmark = [pytest.mark.lab, needs_native,
              pytest.mark.skipif(os.geteuid() != 0, reason="Docker, and becoming an ordinary user, need root")]

PING_BASE = "ping -c 2 $CELLBED_BASE"


def least_rtt_ms(said):
    """Of the first ping that is in @said."""
    return float(said.partition("min/avg/max")[2].partition("= ")[2].partition("/")[0])


# --- Docker ---


@pytest.fixture(scope="module")
def docker(tmp_path_factory):
    """A daemon in a network of its own, with the image. Yields: how to run `docker`."""
    needs("docker", "dockerd")
    folder = tmp_path_factory.mktemp("docker")
    archive = image(folder)
    socket = f"unix://{folder}/socket"
    with pytest.MonkeyPatch.context() as patch, (folder / "log").open("w") as log:
        patch.setenv("DOCKER_HOST", socket)
        daemon = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec dockerd "$@"', "sh",
             "--data-root", folder / "data", "--exec-root", folder / "exec", "--pidfile", folder / "pid",
             "--host", socket, "--storage-driver=vfs", "--iptables=false", "--ip6tables=false"], stdout=log, stderr=log)

        def run(*words, **options):
            return subprocess.run(["docker", *words], capture_output=True, text=True, **options)

        try:
            wait_until(lambda: daemon.poll() is not None or run("version").returncode == 0, "the Docker daemon")
            if daemon.poll() is not None or run("import", archive, IMAGE).returncode:
                pytest.skip(f"Docker does not run here: {(folder / 'log').read_text()[-300:]}")
            yield run
        finally:
            daemon.terminate()
            daemon.wait(timeout=60)


def test_a_docker_container_is_the_ue(docker):
    started = docker("run", "--detach", "--name=web", IMAGE, "sleep", "1000")
    if started.returncode:
        pytest.skip(f"Docker runs no container here: {started.stderr.strip()}")
    try:
        pid = docker("inspect", "--format={{.State.Pid}}", "web", check=True).stdout.strip()
        done = cellbed("link", "good", "--pid", pid, "--", "sh", "-c", f"docker exec web {PING_BASE}")
        assert "2 packets received" in done.stdout and least_rtt_ms(done.stdout) > 10
        assert "lte0" not in docker("exec", "web", "ip", "addr", check=True).stdout
    finally:
        docker("rm", "--force", "web")


@pytest.mark.parametrize(("program", "joint"), [(["docker", "compose"], "-"), (["docker-compose"], "_")])
def test_services_of_docker(docker, tmp_path, monkeypatch, program, joint):
    """podman-compose, which may be installed too, is not taken if it fails."""
    needs(program[0])
    if subprocess.run([*program, "version"], capture_output=True, check=False).returncode:
        pytest.skip(f"{' '.join(program)} is not installed")
    for other in {"podman-compose", "podman"} | ({"docker"} if program[0] != "docker" else set()):
        text = '#!/bin/sh\n[ "$1" = compose ] || [ "$1" = version ] && exit 1\n'
        real = shutil.which(other)
        (tmp_path / other).write_text(f'{text}exec {real} "$@"\n' if real else text)
        (tmp_path / other).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "compose.yaml").write_text(SERVICES)
    done = cellbed("compose", "up", "--", "sh", "-c", f"docker exec shop{joint}client{joint}1 ping -c 2 app", cwd=shop)
    assert done.stderr.startswith(f"cellbed: {' '.join(program)} starts")
    assert "2 packets received" in done.stdout and least_rtt_ms(done.stdout) > 30
    assert docker("ps", "--all", "--quiet").stdout == ""


# --- podman without root ---


class WithPodman(Ordinary):
    """An ordinary user to whom the machine gives user ids for his containers."""

    def __init__(self):
        super().__init__()
        (self.folder / ".config/containers").mkdir(parents=True)
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir(mode=0o700)
        for path in (*self.folder.rglob("*"), self.folder):
            os.chown(path, self.account.pw_uid, self.account.pw_gid)
        (self.folder / "subordinate").write_text(f"{self.account.pw_name}:200000:65536\n")

    @property
    def environment(self):
        return {**super().environment, "XDG_RUNTIME_DIR": str(self.runtime)}

    def become(self):
        own_mounts(dict.fromkeys(("/etc/subuid", "/etc/subgid"), self.folder / "subordinate"))
        super().become()

    def run(self, *words, **options):
        return subprocess.run(["podman", *words], capture_output=True, text=True, **options, **self.options)

    def remove(self):
        self.run("rm", "--all", "--force", "--time=0")
        with contextlib.suppress(OSError, ValueError):  # it keeps the user namespace open
            os.kill(int((self.runtime / "libpod/tmp/pause.pid").read_text()), signal.SIGKILL)
        super().remove()


@pytest.fixture(scope="module")
def user(tmp_path_factory):
    needs("podman", "newuidmap")
    he = WithPodman()
    try:
        archive = image(tmp_path_factory.mktemp("podman"))
        shutil.copy(archive, he.folder / "image.tar")
        start_podman(he.run, he.folder / ".config/containers/containers.conf", he.folder / "image.tar")
        yield he
    finally:
        he.remove()


@needs_an_ordinary_user
@needs_user_namespaces
def test_a_container_without_root_is_the_ue(user):
    user.run("run", "--detach", "--name=web", "--network=none", IMAGE, "sleep", "1000", check=True)
    pid = user.run("inspect", "--format={{.State.Pid}}", "web", check=True).stdout.strip()
    done = cellbed("link", "good", "--pid", pid, "--", "sh", "-c", f"id -u; {PING_BASE}", **user.options)
    assert done.stdout.startswith("0\n")  # of the container
    assert "2 received" in done.stdout and least_rtt_ms(done.stdout) > 10
    assert "lte0" not in user.run("exec", "web", "ip", "addr", check=True).stdout
    assert Path(f"/proc/{pid}").exists()


@needs_an_ordinary_user
@needs_user_namespaces
def test_services_without_root(user):
    needs("podman-compose")
    shop = user.folder / "shop"
    shop.mkdir()
    (shop / "compose.yaml").write_text(SERVICES)
    done = cellbed("compose", "up", "--", "sh", "-c", f"ping -c 2 client; {PING_BASE}",
                   **{**user.options, "cwd": shop})
    assert done.stdout.count("2 received") == 2 and least_rtt_ms(done.stdout) > 30
    assert user.run("ps", "--all", "--quiet", "--filter=label=com.docker.compose.project=shop").stdout == ""
