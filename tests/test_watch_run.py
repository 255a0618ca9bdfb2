# SPDX-License-Identifier: GPL-2.0-or-later
"""`cellbed watch` beside real runs: in a terminal, in a browser, in Wireshark; the run does not notice."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import pytest
from e2e import CELLBED, ROOT, SHORT, bundles, cellbed, digests

from cellbed_watch.place import choose

#: Long enough in virtual time to be seen while it goes on.
LONGER = SHORT.replace("duration_s: 3", "duration_s: 40")
PORT = 5899  # of UDP; not the usual one, at which a developer's Wireshark may listen
PROFILE = {**os.environ, "WIRESHARK_CONFIG_DIR": str(ROOT / "captures/wireshark")}

pytestmark = pytest.mark.lab


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "longer.yaml"
    path.write_text(LONGER)
    return path


class Watching:
    """`cellbed watch` in the background."""

    def __init__(self, *args):
        self.process = subprocess.Popen([CELLBED, "watch", *map(str, args)], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def line(self):
        return self.process.stdout.readline()

    def end(self):
        """Interrupt it. Return: what it said since."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=20)[0]


def start_run(scenario, results):
    """A run in the background that is under way."""
    run = subprocess.Popen([CELLBED, "run", scenario, "--results", results, "--variant", "IM-IM"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not list(results.glob(".tmp-*/tcp.trace")):
        assert run.poll() is None and time.monotonic() < until
        time.sleep(0.02)
    return run


def test_times_are_those_of_the_report(tmp_path, scenario):
    """Seconds since the traffic began, which in the virtual lab is a while after everything is ready."""
    run = start_run(scenario, tmp_path / "results")
    place = choose(tmp_path / "results")
    zero_ns = None
    while zero_ns is None and run.poll() is None:
        zero_ns = place.zero_ns() if place.going_on else None
    assert run.wait(120) == 0
    manifest = json.loads((bundles(tmp_path / "results")["IM-IM"] / "manifest.json").read_text())
    assert zero_ns == manifest["clock"]["start_ns"]


def test_a_watched_run_gives_the_same_bytes(tmp_path, scenario):
    cellbed("run", scenario, "--results", tmp_path / "alone", "--variant", "IM-IM")
    run = start_run(scenario, tmp_path / "watched")
    watching = Watching("--wireshark", "--wireshark-port", PORT, tmp_path / "watched")
    assert run.wait(120) == 0
    assert watching.process.wait(60) == 0  # it ends with the run
    alone, watched = bundles(tmp_path / "alone")["IM-IM"], bundles(tmp_path / "watched")["IM-IM"]
    assert digests(alone) == digests(watched)
    said = watching.process.stdout.read()
    for words in (watched.name, "valid", "ue1:", "cwnd", "packets delivered", "RLC data PDUs"):
        assert words in said


def test_files_grow_while_a_run_goes_on_however_little_it_writes(tmp_path, scenario):
    results = tmp_path / "results"
    run = subprocess.Popen([CELLBED, "run", scenario, "--results", results, "--variant", "IM-IM",
                            "--set", "capture.tcp_interval_ms=200"], stdout=subprocess.DEVNULL)
    sizes = set()
    while run.poll() is None:
        for path in results.glob(".tmp-*/tcp.trace"):
            with contextlib.suppress(OSError):
                sizes.add(path.stat().st_size)
        time.sleep(0.01)
    end = (bundles(results)["IM-IM"] / "tcp.trace").stat().st_size
    assert end < 256 << 10  # the writer's buffer would hold it all
    assert len([size for size in sizes if end / 10 < size < 0.9 * end]) >= 3


def test_a_finished_run_is_shown_at_once(tmp_path, scenario):
    cellbed("run", scenario, "--results", tmp_path, "--variant", "DM-DM", "--set", "traffic.0.duration_s=3")
    assert "valid" in cellbed("watch", bundles(tmp_path)["DM-DM"]).stdout


def test_a_run_with_compressed_traces_is_one_clear_error(tmp_path, scenario):
    cellbed("sweep", scenario, "--results", tmp_path, "--variant", "DM-DM", "--set", "traffic.0.duration_s=3")
    bundle = bundles(tmp_path)["DM-DM"]
    done = cellbed("watch", bundle, check=False)
    assert (done.returncode, done.stderr) == \
        (1, f"cellbed: {bundle}: its traces are compressed; `cellbed report` and `cellbed why` read them\n")


def test_nothing_to_watch_is_one_clear_error(tmp_path):
    done = cellbed("watch", tmp_path, check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == "cellbed: no run is going on; start one with `cellbed run`, or name the folder of one"


def test_a_page_shows_runs_as_they_come(tmp_path, scenario, browser):
    watching = Watching("--web", "--port", 0, tmp_path)
    address = re.search(r"http://127\.0\.0\.1:\d+/", watching.line())[0]
    complaints, requests = [], []
    page = browser.new_page()
    page.on("console", lambda m: m.type in ("error", "warning") and complaints.append(m.text))
    page.on("pageerror", lambda e: complaints.append(str(e)))
    page.on("request", lambda r: requests.append(r.url))
    page.goto(address)
    page.get_by_text("no run yet").wait_for()
    cellbed("run", scenario, "--results", tmp_path, "--variant", "IM-IM")
    name = bundles(tmp_path)["IM-IM"].name
    page.get_by_role("heading", name=name).wait_for()
    page.locator("#state.valid").wait_for()
    assert page.locator("#connections tbody tr").first.inner_text().startswith("ue1:")
    assert "RLC data PDUs" in page.locator("#counts").inner_text()
    points = page.evaluate("""() => [...Bokeh.index.roots][0].model.references()
      .values().find((m) => m.name === "live").data.t.length""")
    assert points > 300  # one for each tenth of a second of 40 s
    assert complaints == []
    assert {url for url in requests if not url.startswith("data:")} == {address, f"{address}updates"}
    page.close()
    assert "interrupted" in watching.end()


def test_a_page_is_for_this_machine_only(tmp_path):
    import urllib.error
    import urllib.request

    watching = Watching("--web", "--port", 0, tmp_path)
    address = re.search(r"http://127\.0\.0\.1:\d+/", watching.line())[0]
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(urllib.request.Request(address, headers={"Host": "example.org"}))
    listening = subprocess.run(["ss", "-Hltn"], capture_output=True, text=True, check=True).stdout
    port = address.rsplit(":", 1)[1].rstrip("/")
    assert [line.split()[3] for line in listening.splitlines() if line.split()[3].endswith(f":{port}")] == \
        [f"127.0.0.1:{port}"]
    watching.end()


@pytest.mark.skipif(os.geteuid() != 0, reason="capturing on the loopback needs root")
def test_wireshark_reads_the_pdus_live(tmp_path, scenario):
    tshark = subprocess.Popen(
        ["tshark", "-C", "cellbed", "-i", "lo", "-f", f"udp port {PORT}", "-l", "-T", "fields", "-e", "frame.protocols",
         "-c", "400", "-a", "duration:90"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=PROFILE)
    for line in tshark.stderr:
        if "Capturing on" in line:
            break
    run = start_run(scenario, tmp_path / "results")
    watching = Watching("--wireshark", "--wireshark-port", PORT, tmp_path / "results")
    seen = tshark.communicate(timeout=120)[0].splitlines()
    run.wait(120)
    watching.process.wait(60)
    assert len(seen) == 400
    assert all("mac-lte" in line for line in seen)  # no ICMP among them
    assert any("rlc-lte" in line and "tcp" in line for line in seen)


def test_a_run_shows_itself_below_its_progress(tmp_path, scenario):
    args = [CELLBED, "run", scenario, "--results", tmp_path / "results", "--variant", "IM-IM", "--watch",
            "--set", "traffic.0.duration_s=120"]  # long enough for a view of it on a busy machine
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == \
        (1, "cellbed: --watch: the output is not a terminal; run `cellbed watch` in a terminal")
    said = on_a_terminal(args)
    for words in ("all runs", "packets delivered", "RLC data PDUs", "valid"):
        assert words in said, said[-4000:]


def on_a_terminal(args):
    """Run to its end. Return: what it wrote to its terminal."""
    terminal, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
    run = subprocess.Popen(list(map(str, args)), stdout=other, stderr=other, stdin=subprocess.DEVNULL)
    os.close(other)
    said = b""
    with contextlib.suppress(OSError):  # how a terminal without programs ends
        while part := os.read(terminal, 65536):
            said += part
    os.close(terminal)
    assert run.wait(10) == 0
    return said.decode(errors="replace")
