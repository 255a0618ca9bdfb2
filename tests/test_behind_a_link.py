# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed link`, as users of mm-link try it, in both labs."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from e2e import CELLBED, bundles, cellbed, needs_native
from machine import nothing_left

from cellbed_channel import trace

pytestmark = pytest.mark.lab
BOTH = pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])


@pytest.fixture
def served(tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "page").write_text("over the radio\n")
    return folder


@BOTH
def test_streams_and_status(served, tmp_path, lab):
    done = cellbed("link", "--lab", lab, "--serve-folder", served, "--", "sh", "-c",
                   "curl -sS http://base/page; cat; pwd; echo $MINE >&2; exit 7", check=False,
                   input="from outside\n", cwd=tmp_path, env={**os.environ, "MINE": "kept"})
    assert done.returncode == 7
    assert done.stdout == f"over the radio\nfrom outside\n{tmp_path}\n"
    assert done.stderr.startswith("kept\n")


@BOTH
def test_a_file_as_input_from_where_it_stands(tmp_path, lab):
    path = tmp_path / "input"
    path.write_text("skipped\nread\n")
    with open(path) as f:
        os.lseek(f.fileno(), 8, os.SEEK_SET)
        done = cellbed("link", "--lab", lab, "--serve", "true", "--", "cat", stdin=f)
    assert done.stdout == "read\n"


@BOTH
def test_names_are_answered_without_a_packet(tmp_path, lab):
    """Of nodes, of the machine itself, and unknown ones: no name server could be asked over the radio."""
    lookup = ("for name in server base $(uname -n) unknown.example; do getent hosts $name; echo $?; done; "
              "getent ahostsv4 $(uname -n)")
    done = cellbed("link", "good", "--lab", lab, "--serve", "true", "--results", tmp_path, "--", "sh", "-c", lookup)
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.isdigit()] == ["0", "0", "0", "2"]
    assert [line.split()[1] for line in lines[:3:2]] == ["server", "server"] and lines[-1].split()[0].startswith("127.")
    captures = [*next(tmp_path.glob("*/manifest.json")).parent.glob("ip-*.pcap*")]
    asked = [subprocess.run(["tshark", "-r", path, "-Y", "udp.port == 53"], capture_output=True, text=True, check=True)
             for path in captures]
    assert captures and not any(one.stdout for one in asked)


@BOTH
@pytest.mark.parametrize("options", [[], ["--ipv6-only"], ["--ipv4-only"]])
def test_addresses_of_both_families(served, lab, options):
    names = ("echo $CELLBED_BASE $CELLBED_BASE6; "
             "for name in base base6; do curl -sS http://$name/page || echo none; done")
    said = cellbed("link", "good", "--lab", lab, *options, "--serve-folder", served, "--", "sh", "-c", names).stdout
    own, six = "10.46.0.1", "fd63:656c:6c62:a2e:1::"
    page = "over the radio\n"
    assert said == {"": f"{own} {six}\n{page}{page}", "--ipv6-only": f"{six} {six}\n{page}{page}",
                    "--ipv4-only": f"{own}\n{page}none\n"}["".join(options)]


@needs_native
def test_this_machine_over_ipv6():
    done = cellbed("link", "edge", "--", "sh", "-c", "ping -c 1 $CELLBED_BASE6")
    assert "bytes from fd63:656c:6c62:6440:" in done.stdout


def test_families_that_cannot_be():
    done = cellbed("link", "good", "--ipv4-only", "--ipv6-only", "--", "true", check=False)
    assert (done.returncode, done.stderr) == (
        125, "cellbed: --ipv4-only and --ipv6-only exclude each other; give one of them\n")


@BOTH
def test_iperf3_at_a_rate(lab):
    out = cellbed("link", "rate", "5mbit", "bler", "0", "--lab", lab, "--serve", "iperf3 -s", "--", "sh", "-c",
                  "iperf3 -c $CELLBED_BASE -R -t 4 -J").stdout
    received = json.loads(out)["end"]["sum_received"]["bits_per_second"]
    assert 4e6 < received < 5e6 if lab == "virtual" else received < 5.5e6


def test_rtt_is_what_was_asked_for():
    out = cellbed("link", "rtt", "50ms", "bler", "0", "--lab", "virtual", "--serve", "true", "--", "sh", "-c",
                  "ping -c 20 -i 0.217 $CELLBED_BASE").stdout
    least, mean = map(float, re.search(r"= ([\d.]+)/([\d.]+)/", out).groups())
    assert 49 <= least <= 51 and 49 <= mean <= 52


@BOTH
@pytest.mark.parametrize("name", ["umts-384", "train", "d2d", "nr-midband", "nr-l4s", "nr-mmwave", "leo", "lte-drive",
                                  "nr-sa-drive"])
def test_ready_made_links(name, lab):
    limit = ("--set", "traffic.1.limit_s=30") if lab == "virtual" else ()  # where a channel is rendered before
    done = cellbed("link", name, "--lab", lab, "--serve", "true", *limit, "--", "sh", "-c",
                   "ping -c 2 -i 1.1 $CELLBED_BASE && ping -c 1 -w 12 -i 11 $CELLBED_BASE")
    assert "2 received" in done.stdout


@needs_native
def test_a_channel_goes_on_as_long_as_the_command(tmp_path):
    """Nobody knows how long that is, so the channel is rendered meanwhile: at 12 s, which comes after its first part,
    the radio is gone."""
    (tmp_path / "drive.csv").write_text("t_ms,ue,direction,sinr_db\n" + "".join(
        f"{t_ms},ue1,{way},{sinr_db}\n" for t_ms, sinr_db in ((0, 20), (12_000, -20)) for way in ("dl", "ul")))
    done = cellbed("link", "good", "--set", f"radio.channel={{model: trace, trace: {tmp_path / 'drive.csv'}}}",
                   "--results", tmp_path / "r", "--", "sh", "-c", "ping -i 0.2 -w 14 $CELLBED_BASE")
    numbers = [int(number) for number in re.findall(r"icmp_seq=(\d+) ttl", done.stdout)]
    assert 45 < numbers[-1] < 60 and len(numbers) > 40
    (bundle,) = bundles(tmp_path / "r").values()
    assert trace.read(bundle / "channel.trace").records["t_ns"].max() >= 12_000_000_000


def test_a_channel_without_end_needs_real_time(tmp_path):
    (tmp_path / "link.yaml").write_text(cellbed("link", "edge", "--generate", "--", "true").stdout.replace(
        "limit_s: 600", "limit_s: null"))
    done = cellbed("run", tmp_path / "link.yaml", "--results", tmp_path / "r", check=False)
    assert done.returncode == 1 and "key 'traffic.0.limit_s': value null: radio.channel is rendered before the run; " \
        "give a number of seconds, or use --lab native" in " ".join((done.stdout + done.stderr).split())
    assert not bundles(tmp_path / "r")


@BOTH
def test_files_of_the_folder_one_is_in(served, tmp_path, lab):
    cellbed("link", "--lab", lab, "--serve-folder", served, "--", "sh", "-c",
            "curl -sS -o got http://$CELLBED_BASE/page", cwd=tmp_path)
    assert (tmp_path / "got").read_text() == "over the radio\n"


@BOTH
def test_generated_scenarios_are_scenarios(tmp_path, lab):
    text = cellbed("link", "rate", "10mbit", "--lab", lab, "--serve", "true", "--generate", "--", "sh", "-c",
                   "echo $CELLBED_NODE").stdout
    assert text.startswith("# cellbed link rate 10mbit -- sh -c 'echo $CELLBED_NODE'\n")
    (tmp_path / "link.yaml").write_text(text)
    cellbed("run", tmp_path / "link.yaml", "--results", tmp_path / "r", "--lab", lab,
            "--set", "tcp.congestion_control=reno")
    (bundle,) = bundles(tmp_path / "r").values()
    assert (bundle / "command.stdout").read_text() == "ue1\n"


@BOTH
def test_results_on_request(tmp_path, lab):
    cellbed("link", "--lab", lab, "--serve", "true", "--results", tmp_path / "r", "--", "sh", "-c",
            "ping -c 2 $CELLBED_BASE")
    (bundle,) = bundles(tmp_path / "r").values()
    assert (bundle / "radio.pcap").stat().st_size > 1000
    manifest = json.loads((bundle / "manifest.json").read_text())
    assert manifest["commands"][1] | {"id": "command", "status": 0} == manifest["commands"][1]
    assert {p.name for p in bundle.iterdir()} & {"attach.json", "nodes.json", "session-0"} == set()


def start(lab, *command, **options):
    process = subprocess.Popen([CELLBED, "link", "--lab", lab, "--serve", "true", "--", *command],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    assert process.stdout.readline() == "ready\n"
    return process


@BOTH
@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1])
def test_signals_pass_through(tmp_path, lab, sig):
    with nothing_left(deadline_s=0):
        process = start(lab, "bash", "-c", f"trap 'echo got it; exit 9' {sig.name[3:]}; echo ready; "
                        "while :; do sleep 0.2; done", cwd=tmp_path)
        process.send_signal(sig)
        out, _ = process.communicate(timeout=60)
        assert (process.returncode, out) == (9, "got it\n")


@BOTH
def test_a_command_that_a_signal_ends(lab):
    process = start(lab, "sh", "-c", "echo ready; exec sleep 100000")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM


@BOTH
def test_a_reader_that_goes_away(lab):
    done = subprocess.run(["bash", "-c", f"{CELLBED} link --lab {lab} --serve true -- yes | head -n 1; "
                           "echo ${PIPESTATUS[0]}"], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() in (["y", "141"], ["y", "143"])


@BOTH
def test_killed_it_leaves_nothing(tmp_path, lab):
    with nothing_left():
        process = start(lab, "sh", "-c", "sleep 99999 & echo ready; wait", cwd=tmp_path)
        process.kill()
        process.communicate(timeout=40)
        assert "scratch folder" in cellbed("clean").stdout
        assert "nothing to clean" in cellbed("clean").stdout


@BOTH
def test_programs_that_are_not_there(lab):
    done = cellbed("link", "--lab", lab, "--", "no-such-program", check=False)
    assert (done.returncode, done.stderr) == (127, "cellbed: no-such-program: no such program\n")


def test_the_virtual_lab_says_what_is_not_there():
    done = cellbed("link", "--lab", "virtual", "--", "true")
    assert "no server runs on the far end, and the virtual lab has no other network" in done.stderr


def test_a_key_that_is_refused_gets_one_line():
    """Nothing else is said before it, and no file is named that nobody has."""
    done = cellbed("link", "nr-midband", "--lab", "virtual", "--set", "radio.nr.sr_period_slots=5", "--", "true",
                   check=False)
    assert (done.returncode, done.stderr) == (125, (
        "cellbed: link nr-midband: key 'radio.nr.sr_period_slots': value 5: numerology 1 does not have it; allowed 0, "
        "1, 2, 4, 8, 10, 16, 20, 40, 80, 160 (TS 38.331 SchedulingRequestResourceConfig)\n"))


class Terminal:
    """A terminal with a person: types when it has seen what it waits for."""

    def __init__(self, *args, program=CELLBED, before=None, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            if before is not None:
                before()
            os.execve(program, [str(program), *args], {**(env or os.environ), "SHELL": "/bin/bash", "TERM": "xterm"})
        self.seen = ""

    def until(self, text, deadline_s=60):
        end = time.monotonic() + deadline_s
        while text not in self.seen:
            assert select.select([self.fd], [], [], max(0, end - time.monotonic()))[0], self.seen
            self.seen += os.read(self.fd, 4096).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def type(self, text):
        os.write(self.fd, text.encode())

    def status(self):
        while True:
            try:
                if not os.read(self.fd, 4096):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture(params=["virtual", pytest.param("native", marks=needs_native)])
def link(request, tmp_path):
    """A link that is open. Return: how to get in."""
    process = start(request.param, "sh", "-c", "echo ready; cat", cwd=tmp_path, stdin=subprocess.PIPE)
    yield ["shell", "--pid", str(process.pid)]
    process.stdin.close()
    assert process.wait(60) == 0


def test_commands_in_the_nodes(link):
    assert {line.split()[0] for line in cellbed(*link).stdout.splitlines()} == {"server", "enb", "ue1"}
    done = cellbed(*link, "ue1", "--", "sh", "-c", "ping -c 1 $CELLBED_BASE; cat; echo $CELLBED_NODE >&2; exit 3",
                   check=False, input="typed\n")
    assert (done.returncode, done.stderr) == (3, "ue1\n")
    assert "1 received" in done.stdout and done.stdout.endswith("typed\n")
    names = cellbed(*link, "server", "--", "getent", "hosts", "base", "base6").stdout.splitlines()
    assert [line.split()[1:] for line in names] == [["ue1", "base"], ["ue1", "base6"]]
    assert not re.search(r"\bue1\b", Path("/etc/hosts").read_text())  # this machine's is as it was
    wrong = cellbed(*link, "ue9", check=False)
    assert (wrong.returncode, wrong.stderr) == (125, "cellbed: node 'ue9': allowed server, enb, ue1\n")
    missing = cellbed(*link, "ue1", "--", "no-such-program", check=False)
    assert missing.returncode == 127 and re.fullmatch("cellbed: .*no-such-program.*\n", missing.stderr), missing


def test_no_lab_to_enter(tmp_path):
    done = cellbed("shell", "ue1", check=False, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)})
    assert (done.returncode, done.stderr) == (
        125, "cellbed: no lab is running; `cellbed link` in another terminal starts one\n")


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-headless-shell"))), None)


@needs_native
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
def test_a_browser_loads_a_page(served, tmp_path):
    """With its scripts run: what it prints is the document after them."""
    (served / "index.html").write_text(
        "<body><script src=late.js></script><script>document.body.append(late + location.hostname)</script></body>")
    (served / "late.js").write_text("const late = 'loaded from ';")
    done = cellbed("link", "good", "--lab", "native", "--serve-folder", served, "--", "sh", "-c",
                   f"{CHROMIUM} --headless --no-sandbox --disable-gpu --user-data-dir={tmp_path / 'profile'} "
                   "--dump-dom http://$CELLBED_BASE/")
    assert "loaded from 10.46.0.1" in done.stdout


@BOTH
def test_a_shell_on_a_terminal(lab):
    """Prompt, job control, an interrupted program, the shell's status."""
    person = Terminal("link", "edge", "--lab", lab, "--serve", "true")
    person.until("[edge] ")
    person.type("ping -c 1 $CELLBED_BASE | grep -c ttl; [ -t 0 ] && echo terminal\n")
    person.until("1\r\nterminal")
    person.type("sh -c 'echo $((6*7)); exec sleep 1000'\n")
    person.until("42\r\n")  # from now on it is in the foreground
    person.type("\x03")
    person.until("[edge] ")
    person.type("exit 5\n")
    assert person.status() == 5
