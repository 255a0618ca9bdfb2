# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab kernel: how it is built and cached, and what it can do once booted."""

import os
import subprocess
import tarfile

import pytest
from lab_kernel import BUILD, KINDS, boot, cached, copy_checkout

from cellbed.error import LabError
from cellbed_kernel.steps import options, run


def test_missing_source_is_one_message(tmp_path):
    done = subprocess.run([BUILD, "--source", tmp_path / "none"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"--source {tmp_path / 'none'}: no such file" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_is_no_tree_is_one_message(tmp_path):
    done = subprocess.run([BUILD, "--source", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"kernel/build: {tmp_path}: not a source tree of Linux: it has no arch/um\n"


def test_not_built_says_what_to_do(tmp_path):
    """In a checkout to which nobody has given one."""
    copy_checkout(tmp_path)
    done = subprocess.run([tmp_path / "kernel/build", "--print-path"], capture_output=True, text=True, check=False,
                          env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 1
    assert "make lab-kernel" in done.stderr or "apt-get install" in done.stderr
    assert not (tmp_path / "cache").exists()


def test_the_last_word_on_an_option_counts(tmp_path):
    """A version's own options follow those of every version."""
    (tmp_path / "all").write_text("# a comment\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=7\n")
    (tmp_path / "own").write_text("CONFIG_B=y\n")
    assert options(tmp_path / "all", tmp_path / "own") == {"CONFIG_A": "y", "CONFIG_B": "y", "CONFIG_C": "7"}


def test_failed_build_leaves_nothing_and_shows_the_log(tmp_path):
    """A tarball that is no kernel: the build fails, the log's end is shown, the cache stays empty."""
    (tmp_path / "Makefile").write_text("VERSION = 6\nPATCHLEVEL = 12\n")
    with tarfile.open(tmp_path / "linux.tar", "w") as tar:
        tar.add(tmp_path / "Makefile", "linux/Makefile")
    done = subprocess.run([BUILD, "--source", tmp_path / "linux.tar"], capture_output=True, text=True, check=False,
                          env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert done.returncode == 1
    assert "failed; the log's end:\n" in done.stderr and "arch/um/os-Linux/util.c" in done.stderr
    assert [p.name for p in (tmp_path / "cache/cellbed/kernel").iterdir()] == ["lock"]


def test_the_reason_is_shown_however_much_follows_it(tmp_path):
    """Of several compilers one fails, and the others go on."""
    script = "echo 'tcp.c:7:1: error: no such word'; for i in $(seq 60); do echo CC $i; done; exit 2"
    with (tmp_path / "build.log").open("w") as log, pytest.raises(LabError) as failed:
        run(["sh", "-c", script], tmp_path, log)
    said = str(failed.value).splitlines()
    assert said[1] == "tcp.c:7:1: error: no such word" and said[-2] == "CC 60" and len(said) == 1 + 1 + 20 + 1


@pytest.fixture(params=KINDS)
def kernel(request):
    return cached(request.param)


def test_what_the_guest_can_do(kernel, tmp_path):
    out, _ = boot(kernel, tmp_path, """
        zcat /proc/config.gz | grep -x CONFIG_HZ=1000
        cat /proc/sys/net/ipv4/tcp_available_congestion_control | wc -w
        mount -t cgroup2 c /sys/fs/cgroup && echo cgroup2
        ip link add v0 type veth peer name v1 && echo veth
        ip tuntap add t0 mode tun && echo tun
        ip netns add n && ip link set v1 netns n && echo netns
        tc qdisc add dev v0 root netem delay 10ms && echo netem
        tc qdisc replace dev v0 root htb && echo htb
        tc qdisc replace dev v0 root tbf rate 1mbit burst 4k limit 9k && echo tbf
        tc qdisc replace dev v0 root red limit 90k min 20k max 65k avpkt 1000 burst 40 bandwidth 10mbit && echo red
    """)
    lines = out.splitlines()
    assert lines[:2] == ["CONFIG_HZ=1000", "20" if kernel.words else "18"]  # Linux 7 has Prague and BBR 3
    assert lines[2:] == ["cgroup2", "veth", "tun", "netns", "netem", "htb", "tbf", "red"]


def test_waiting_costs_no_wall_time(kernel, tmp_path):
    out, wall_s = boot(kernel, tmp_path, "sleep 1000; cut -d. -f1 /proc/uptime")
    assert int(out) >= 1000
    assert wall_s < 60


@pytest.mark.parametrize(("words", "cost_ns"), [((), 1000), (("clock-read-cost=100",), 100)])
def test_a_clock_read_costs_who_spins(kernel, tmp_path, words, cost_ns):
    """From the 2000th on since the guest was last idle, and 30 times as much from the 32,000th on."""
    out, _ = boot(kernel._replace(words=(*kernel.words, *words)), tmp_path, """python3 -c '
import time
time.sleep(0.01)
first = time.monotonic_ns()
for _ in range(1000): time.monotonic_ns()
print(time.monotonic_ns() - first)
for _ in range(11000): time.monotonic_ns()
print(time.monotonic_ns() - first)
for _ in range(30000): time.monotonic_ns()
print(time.monotonic_ns() - first)'""")
    free, spun, long = map(int, out.split())
    assert free == 0
    assert spun == pytest.approx(10_000 * cost_ns, rel=0.01)
    assert long == pytest.approx((30_000 + 10_000 * 30) * cost_ns, rel=0.01)


# What a program may do as often as it likes, such as a Python with more folders to look for modules in.
RESTLESS = {
    "few": "pass",
    "errors": "for _ in range(20_000): os.path.exists('/none')",
    "calls": "for _ in range(90_000): os.getppid()",
    "clock reads": "for _ in range(1_500): time.monotonic_ns()",
}


@pytest.mark.parametrize("does", RESTLESS)
def test_what_a_program_did_moves_no_other(kernel, tmp_path, does):
    """Who spins pays from the same call on, whatever others did at that moment: time goes on as without them."""
    out, _ = boot(kernel, tmp_path, f"""python3 -c "
import os, time
time.sleep(0.01)
{RESTLESS[does]}
if os.fork(): os.wait(); os._exit(0)
first = time.monotonic_ns()
for _ in range(2_500): time.monotonic_ns()
reads = time.monotonic_ns()
for _ in range(105_000): os.getppid()
print(reads - first, time.monotonic_ns() - reads)
"
""")
    reads_ns, calls_ns = map(int, out.split())
    assert reads_ns == pytest.approx(500_000, rel=0.01)
    assert calls_ns == pytest.approx(5_000 * 10_000, rel=0.01)


def test_who_spins_on_an_error_goes_on(kernel, tmp_path):
    """As ping does on a socket that has nothing for it."""
    out, _ = boot(kernel, tmp_path, """python3 -c '
import os, signal
signal.setitimer(signal.ITIMER_REAL, 0.003)
signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
ends = os.pipe2(os.O_NONBLOCK)
while True:
    try: os.read(ends[0], 1)
    except BlockingIOError: pass' && echo went on""")
    assert out == "went on\n"


def test_randomness_follows_the_seed(kernel, tmp_path):
    script = "head -c 16 /dev/urandom | od -An -tx1; cat /proc/sys/kernel/random/uuid"
    first, again, other = (boot(kernel, tmp_path, script, seed)[0] for seed in (1, 1, 2))
    assert first == again
    assert not set(first.splitlines()) & set(other.splitlines())


def test_a_program_takes_no_numbers_from_others(kernel, tmp_path):
    """However often it asks: neither the kernel's numbers are others, nor those of the next program."""
    few, many = (boot(kernel, tmp_path, f"dd if=/dev/urandom of=/dev/null bs=16 count={draws} status=none; "
                                        "cat /proc/sys/kernel/random/uuid; od -An -N8 -tx1 /dev/urandom")[0]
                 for draws in (1, 999))
    assert few == many
    uuid, drawn = few.splitlines()
    assert len(uuid) == 36 and len(drawn.split()) == 8


def test_a_program_gets_the_same_whatever_its_process_was_before(kernel, tmp_path):
    """A client of a run is a copy of Python until it becomes a program."""
    few, many = (boot(kernel, tmp_path, f"""python3 -c "
import os
[os.urandom(16) for _ in range({draws})]
os.execvp('od', ['od', '-An', '-N16', '-tx1', '/dev/urandom'])"
""")[0] for draws in (1, 99))
    assert few == many
    assert len(few.split()) == 16


def test_the_kind_of_recovery_belongs_to_the_namespace(kernel, tmp_path):
    out, _ = boot(kernel, tmp_path, """
        kind=/proc/sys/net/ipv4/tcp_reno_recovery
        cat $kind
        echo 2 > $kind; cat $kind
        unshare -n cat $kind
        echo 3 > $kind || cat $kind
    """)
    assert [line for line in out.splitlines() if line.isdigit()] == ["0", "2", "0", "2"]
