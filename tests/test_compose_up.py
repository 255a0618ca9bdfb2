# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed compose up`: with podman where it runs containers, and with programs of its name that make none."""

import json
import os
import signal
import subprocess

import pytest
from containers import SERVICES, image, needs, start_podman
from e2e import CELLBED, cellbed, needs_native
from machine import own_part, wait_until

pytestmark = [pytest.mark.lab, needs_native,
              pytest.mark.skipif(os.geteuid() != 0, reason="containers of root's networks need root")]

STORAGE = """
[storage]
driver = "vfs"
graphroot = "{0}/root"
runroot = "{0}/run"
"""

# A cgroup, and bridges of its networks.
PODMANS = ("libpod_parent", "cni-podman", "podman0")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "shop"
    made.mkdir()
    (made / "compose.yaml").write_text(SERVICES)
    return made


@pytest.fixture
def podman(tmp_path, monkeypatch):
    """podman with an image of a busybox, and nothing else of the machine's. Yields: how to run it.

    Afterwards there is nothing but what podman keeps for itself.
    """
    needs("podman", "podman-compose")
    archive = image(tmp_path)
    (tmp_path / "storage.conf").write_text(STORAGE.format(tmp_path))
    monkeypatch.setenv("CONTAINERS_CONF", str(tmp_path / "containers.conf"))
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", str(tmp_path / "storage.conf"))

    def run(*words, **options):
        return subprocess.run(["podman", *words], capture_output=True, text=True, **options)

    with own_part() as left:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        start_podman(run, tmp_path / "containers.conf", archive)
        networks = run("network", "ls", "-q").stdout
        yield run
        assert run("ps", "-aq").stdout == "" and run("network", "ls", "-q").stdout == networks
        wait_until(lambda: all(any(own in one for own in PODMANS) for one in left()), "the end of all that was started")


def test_services_reach_each_other_over_the_radio(folder, podman):
    """An RTT of 40 ms is that of two UEs: up and down the cell, each way."""
    done = cellbed("compose", "up", "--", "sh", "-c", "podman exec shop_client_1 ping -c 2 app; ping -c 1 client; "
                   "ping -c 1 $CELLBED_BASE", cwd=folder)
    assert "2 packets received" in done.stdout and done.stdout.count(" 1 received") == 2
    least_ms = float(done.stdout.partition("min/avg/max = ")[2].partition("/")[0])
    assert 30 < least_ms < 100
    assert "app is 100.64." in done.stderr and " and fd63:656c:6c62:" in done.stderr


def test_a_service_that_does_not_run_is_one_line(folder, podman):
    text = (folder / "compose.yaml").read_text().replace("sh -c", "nosuch -c", 1)
    (folder / "compose.yaml").write_text(text)
    done = cellbed("compose", "up", "--", "true", cwd=folder, check=False)
    said = done.stderr.splitlines()
    assert done.returncode == 125 and len(said) == 2
    assert said[1].startswith("cellbed: service app: it does not run: ")


# --- without podman ---

# Containers are processes that the test has; both programs write down what they are asked for.
FAKE_COMPOSE = """#!/bin/sh
echo "$*" >>{0}/asked
echo "compose speaks"
"""
FAKE_PODMAN = """#!/bin/sh
case "$*" in
ps*service=*) service="${{*##*service=}}"; cat "{0}/ids-${{service%% *}}";;
inspect*) eval "cat {0}/inspect-\\${{$#}}";;
esac
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Two containers, and the programs that know them. Returns: the folder of what they say and are asked for."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("podman-compose", FAKE_COMPOSE), ("podman", FAKE_PODMAN)):
        (programs / name).write_text(text.format(tmp_path))
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    started = [subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep 1000"], stdout=subprocess.PIPE)
               for _ in range(2)]
    for service, process in zip(("app", "client"), started, strict=True):
        process.stdout.readline()
        (tmp_path / f"ids-{service}").write_text(f"{service}\n")
        (tmp_path / f"hosts-{service}").write_text("127.0.0.1 localhost\n")
        (tmp_path / f"inspect-{service}").write_text(json.dumps([
            {"State": {"Pid": process.pid}, "HostsPath": str(tmp_path / f"hosts-{service}")}]))
    yield tmp_path
    for process in started:
        process.kill()
        process.communicate()


def asked(fake):
    return [line.rpartition("-p shop ")[2] for line in (fake / "asked").read_text().splitlines()]


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_until_the_user_ends_it(folder, fake, sig):
    link = subprocess.Popen([CELLBED, "compose", "up", "edge"], cwd=folder, stderr=subprocess.PIPE, text=True,
                            process_group=0)
    said = [link.stderr.readline() for _ in range(4)]
    assert said[0] == "cellbed: podman-compose starts the services of compose.yaml\n"
    assert said[3] == "cellbed: Ctrl-C ends it\n"
    names = (fake / "hosts-client").read_text()
    assert names.splitlines()[-1] == "127.0.0.1 localhost" and names.splitlines()[0].endswith(" app")
    pid = json.loads((fake / "inspect-client").read_text())[0]["State"]["Pid"]
    inside = ["nsenter", f"--target={pid}", "--net"]
    wait_until(lambda: "1 received" in subprocess.run([*inside, "ping", "-c", "1", "-W", "1", names.split()[0]],
                                                      capture_output=True, text=True, check=False).stdout, "an answer")
    assert asked(fake) == ["version", "up -d"]
    os.killpg(link.pid, sig)
    link.communicate(timeout=60)
    assert link.returncode == 128 + sig
    assert asked(fake) == ["version", "up -d", "down"]
    links = subprocess.run([*inside, "ip", "-br", "link"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in links.splitlines()] == ["lo"]


def test_the_status_of_the_command(folder, fake):
    done = cellbed("compose", "up", "--", "sh", "-c", "exit 7", cwd=folder, check=False)
    assert done.returncode == 7 and asked(fake)[-1] == "down"


@pytest.mark.parametrize(("file", "text", "message"), [
    ("ids-app", "", "service app: it does not run: compose speaks"),
    ("ids-app", "app\nother\n", "service app: 2 containers; a UE is one of them, so leave out its replicas"),
    ("inspect-app", json.dumps([{"State": {"Pid": os.getpid()}, "HostsPath": "/dev/null"}]),
     "service app: it has the network of this machine; remove its network_mode, or leave it out of x-cellbed.ues"),
    ("bin/podman-compose", "#!/bin/sh\necho no such image\ncase \"$*\" in *up*) exit 5; esac\n",
     "`podman-compose -f {folder}/compose.yaml -p shop up -d` failed: no such image"),
], ids=["none", "replicas", "of the host", "failed"])
def test_containers_that_cannot_be_ues(folder, fake, file, text, message):
    (fake / file).write_text(text)
    done = cellbed("compose", "up", "--", "true", cwd=folder, check=False)
    assert done.returncode == 125
    assert done.stderr.splitlines()[1:] == [f"cellbed: {message.format(folder=folder)}"]


@pytest.mark.parametrize(("words", "message"), [
    (["down"], "compose: 'down': allowed up"),
    (["up", "--file", "none.yaml"], "none.yaml: No such file or directory"),
    (["up", "edgy"], "link: 'edgy': did you mean 'edge'?; a command comes after --"),
    (["up", "--set", "radio.ues.app.cqi_dl=0"], None),
])
def test_what_is_wrong_starts_nothing(folder, fake, words, message):
    done = cellbed("compose", *words, "--", "true", cwd=folder, check=False)
    assert done.returncode == 125 and done.stderr.count("\n") == 1
    assert message is None or done.stderr == f"cellbed: {message}\n"
    assert not (fake / "asked").exists()


def test_no_file_and_no_program(tmp_path, folder, monkeypatch):
    done = cellbed("compose", "up", cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (
        125, "cellbed: no Compose file is here; name one with --file, or add compose.yaml\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    done = cellbed("compose", "up", "--", "/bin/true", cwd=folder, check=False)
    assert done.returncode == 125 and "install one with `apt-get install podman-compose`" in done.stderr
