# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/peers.md says what cellbed has: each of its rows is tried here, by a run, by a command, or by the test named."""

import functools
import hashlib
import itertools
import json
import re
import subprocess

import pytest
import yaml
from e2e import CELLBED, ROOT, cellbed

import cellbed as api

pytestmark = pytest.mark.lab
PEERS = 12
ROWS = [[cell.strip() for cell in line.strip("| \n").split("|")]
        for line in (ROOT / "docs/peers.md").read_text().splitlines() if re.match(r"\| [^*|-]", line)]
TABLE = {row[0]: row[1:] for row in itertools.takewhile(lambda row: row[0] != "format", ROWS)}
#: What has tests of its own that are longer than a row is worth.
ELSEWHERE = {
    "without root": "tests/test_rootless.py", "in a container, without kernel modules": "tests/test_image.py",
    "guaranteed and maximum bit rates of bearers": "emulator/tests/prop/test_qos.py",
    "PDCP in order across handovers": "emulator/tests/prop/test_nr_handover.py",
    "on several machines": "tests/test_fleet_ssh.py", "changes while it runs": "tests/test_set.py",
    "IPv6 only, with 464XLAT": "tests/test_xlat.py",
    "several radios at a UE, Multipath TCP": "tests/test_two_radios.py",
    "radio link failure, re-establishment": "emulator/tests/prop/test_link_failure.py",
    "TCP Prague, BBR version 3": "kernel/tests/test_tcp_bbr3.py",
    "services of a Compose file behind it, one command": "tests/test_compose_up.py",
    "captures of MAC": "emulator/tests/test_captures.py",
    "captures of RLC and PDCP": "emulator/tests/test_captures.py", "a live view": "tests/test_watch_run.py",
    "packages, a site of documents": "tests/test_wheel.py"}
#: A link without a radio on which everything happens.
CONSTANT = {"system": "constant_rate", "ues": {"ue1": {"peer": "enb"}}, "constant_rate": {
    "dl_rate": "5Mbit", "ul_rate": "5Mbit", "delay_ms": 10, "downlink_delays": "delays",
    "downlink_netem": "loss gemodel 2% 30% reorder 20% duplicate 2%"}}
RUNS = {
    "lte": ("links/good", "--set", "traffic.0.duration_s=2"),
    "codel": ("links/good", "--set", "traffic.0.duration_s=2", "--set", "radio.rlc.downlink_qdisc=codel"),
    "walk": ("links/lte-walk", "--set", "traffic.0.duration_s=3"),
    "edge": ("celledge-li/quick", "--variant", "TCP-AM", "--variant", "TCP-UM-control"),
    "d2d": ("d2d-nardini/dynamic-look", "--variant", "reno"),
    "handover": ("handover-pacifico/quick",),
    "nr handover": ("nr-handover/quick",),
    "nr": ("nr-tdd/quick", "--set", "traffic.0.duration_s=1", "--variant", "DDDSU"),
    "en-dc": ("links/en-dc", "--set", "traffic.0.duration_s=1"),
    "drx": ("nr-tdd/quick", "--set", "traffic.0.duration_s=1", "--variant", "DDDSU", "--set",
            "radio.nr.drx_cycle_ms=80", "--set", "radio.nr.drx_inactivity_ms=0"),
    "l4s": ("nr-l4s/quick", "--variant", "dctcp-dualpi2"),
    "utran": ("links/umts-384", "--set", "traffic.0.duration_s=3"),
    "trace": ("packet-trace/replay", "--variant", "cubic", "--set", "traffic.0.duration_s=2"),
    "ipv6": ("dual-stack/lte", "--set", "traffic.0.duration_s=1"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("peers")


@pytest.fixture(scope="module")
def of(folder):
    """Runs of a name, which are executed once."""
    @functools.cache
    def executed(name):
        if name == "constant":
            scenario = folder / "constant.yaml"
            good = yaml.safe_load((ROOT / "scenarios/links/good.yaml").read_text())
            good["traffic"][0]["duration_s"] = 3
            scenario.write_text(yaml.safe_dump(good | {"id": "constant", "radio": CONSTANT}))
            (folder / "delays").write_text("0 5\n1000 80\n2000 0\n")
            words = [scenario]
        else:
            scenario, *words = RUNS[name]
            words = [ROOT / f"scenarios/{scenario}.yaml", *words]
        cellbed("run", *words, "--results", folder / name)
        return list(api.Results.load(folder / name))

    return executed


def counts(runs):
    """Rows of radio.trace by event, of all runs."""
    found = {}
    for run in runs:
        for event, n in run.radio.group_by("event").len().iter_rows():
            found[event] = found.get(event, 0) + n
    return found


def manifest(run):
    return json.loads((run.path / "manifest.json").read_text())


def rtt_ms(run):
    return run.metrics["rtt_p50_ms"]


def has(name, *events):
    return lambda of, folder: all(counts(of(name)).get(event, 0) > 0 for event in events)


def says(pattern, *words):
    return lambda of, folder: re.search(pattern, cellbed(*(word.format(folder=folder) for word in words)).stdout)


def losses_in_bursts(of, folder):
    """More neighbours are lost than if each were lost by itself."""
    rows = of("constant")[0].radio
    lost = set(rows.filter(rows["event"] == "pkt_drop")["pkt"])
    came = sorted(set(rows.filter((rows["event"] == "pkt_in") & (rows["direction"] == "dl"))["pkt"]))
    pairs = sum(one in lost and two in lost for one, two in itertools.pairwise(came))
    return pairs > 3 * len(lost) ** 2 / len(came) > 0


def copies_and_reordering(of, folder):
    rows = of("constant")[0].radio
    copies = rows.filter((rows["event"] == "pkt_in") & (rows["aux"] == 1)).height
    order = list(rows.filter((rows["event"] == "pkt_out") & (rows["node"] == "ue1"))["pkt"])
    return copies > 0 and order != sorted(order)


def delays_by_trace(of, folder):
    """80 ms more in each second second."""
    segments = of("constant")[0].segments.drop_nulls("rtt_ms")
    return segments["rtt_ms"].max() - segments["rtt_ms"].min() > 60


def two_runs_of_a_sweep(of, folder):
    words = ("sweep", ROOT / "scenarios/links/good.yaml", "--set", "traffic.0.duration_s=1", "--grid",
             "radio.ues.ue1.cqi_dl=7,15", "--seeds", "1-3", "--results", folder / "sweep")
    cellbed(*words)
    return len(list((folder / "sweep").glob("*/manifest.json"))) == 6


def goes_on(of, folder):
    two_runs_of_a_sweep(of, folder)
    before = {path: path.stat().st_mtime_ns for path in (folder / "sweep").glob("*/manifest.json")}
    two_runs_of_a_sweep(of, folder)
    return before == {path: path.stat().st_mtime_ns for path in (folder / "sweep").glob("*/manifest.json")}


def congestion_controls(of, folder):
    cellbed("new", folder / "mine.yaml", "--radio", "edge", "--flows", "cubic", "--flows", "bbr", "--duration", "1")
    return {"cubic", "bbr"} <= set(re.findall(r"\w+", (folder / "mine.yaml").read_text()))


def intervals(of, folder):
    two_runs_of_a_sweep(of, folder)
    return "95 % CI" in cellbed("compare", folder / "sweep", "goodput_mbps").stdout


def same_bytes(of, folder):
    first = of("lte")[0]
    cellbed("run", ROOT / "scenarios/links/good.yaml", *RUNS["lte"][1:], "--results", folder / "again")
    (again,) = api.Results.load(folder / "again")
    digest = [hashlib.sha256(b"".join((run.path / name).read_bytes() for name in ("radio.pcap", "tcp.trace",
                                                                                  "ip-ue1.pcap"))).hexdigest()
              for run in (first, again)]
    return digest[0] == digest[1]


def reported(of, folder):
    of("d2d")
    cellbed("report", folder / "d2d")
    verdicts = json.loads((folder / "d2d/summary/claims.json").read_text())
    return "<html" in (folder / "d2d/summary/report.html").read_text()[:200].lower() and len(verdicts) > 0


CHECKS = {
    "Linux's TCP at both ends": lambda of, folder: manifest(of("lte")[0])["kernel"]["release"][0].isdigit(),
    "any program behind a link, one command":
        says("^hello$", "link", "good", "--lab", "virtual", "--", "echo", "hello"),
    "both ends in namespaces of their own": lambda of, folder: {"ip-server.pcap", "ip-ue1.pcap"} <= {
        path.name for path in of("lte")[0].path.iterdir()},
    "IPv6": lambda of, folder: any(subprocess.run(
        ["tshark", "-r", path, "-Y", "ipv6 && tcp"], capture_output=True, check=True).stdout
        for run in of("ipv6") for path in run.path.glob("ip-*.pcap")),
    "constant rate, delay and loss": lambda of, folder: counts(of("constant"))["pkt_drop"] > 0,
    "queue management at the bottleneck": lambda of, folder: rtt_ms(of("codel")[0]) < rtt_ms(of("lte")[0]),
    "L4S, DualPI2, marks": has("l4s", "ecn_mark"),
    "capacity by trace": has("trace", "pkt_out"),
    "delay by trace": delays_by_trace,
    "losses in bursts (Gilbert-Elliott)": losses_in_bursts,
    "reordering and duplicates": copies_and_reordering,
    "latency that depends on load": lambda of, folder: rtt_ms(of("lte")[0]) > 2 * of("lte")[0].metrics["rtt_min_ms"],
    "SINR to CQI to MCS to block errors": lambda of, folder: len(set(of("walk")[0].radio["cqi"])) > 3,
    "fast fading": lambda of, folder: len(set(of("walk")[0].radio.filter(
        of("walk")[0].radio["event"] == "channel")["value"])) > 50,
    "HARQ processes, with combining": has("walk", "harq_nack", "harq_tx"),
    "RLC UM: segments, t-Reordering": has("edge", "t_reordering"),
    "RLC AM: polls, status reports": has("lte", "rlc_poll", "rlc_status_tx", "rlc_status_rx"),
    "RLC AM: segments of segments": lambda of, folder: any(run.radio.filter(
        (run.radio["event"] == "rlc_retx") & (run.radio["value"] > 0)).height for run in of("edge")),
    "random access, SR, BSR, grants": lambda of, folder: has("lte", "ra_preamble", "bsr_tx", "grant")(of, folder)
    and has("nr", "sr")(of, folder),
    "DRX": lambda of, folder: rtt_ms(of("drx")[0]) > rtt_ms(of("nr")[0]),
    "a scheduler that UEs share": lambda of, folder: len(set(of("handover")[0].radio.filter(
        of("handover")[0].radio["event"] == "grant")["peer"])) > 1,
    "handover": has("handover", "rrc"),
    "data forwarding at a handover": has("handover", "ho_forward"),
    "conditional handover, DAPS": lambda of, folder: {"conditional", "daps"} <= {
        run.variant for run in of("nr handover") if counts([run]).get("rrc")},
    "D2D with mode switches": has("d2d", "route", "flush"),
    "UTRAN": has("utran", "rlc_status_tx"),
    "NR with TDD slots": lambda of, folder: of("nr")[0].settings["radio"]["nr"]["tdd_pattern"] == "DDDSU"
    and has("nr", "mac_tx")(of, folder),
    "LTE and NR at once (EN-DC)": lambda of, folder: set(of("en-dc")[0].radio.group_by("enb").len()["enb"]) == {0, 1},
    "mobility": lambda of, folder: of("walk")[0].settings["radio"]["channel"]["model"] == "route"
    and has("walk", "channel")(of, folder),
    "congestion controls as an axis": congestion_controls,
    "sweeps in the configuration": two_runs_of_a_sweep,
    "seeds, and intervals over them": intervals,
    "an interrupted sweep goes on": goes_on,
    "expectations, judged": reported,
    "the same seed, the same bytes": same_bytes,
    "virtual time with a real kernel": lambda of, folder: manifest(of("lte")[0])["lab"] == "virtual"
    and manifest(of("lte")[0])["virtual_s"] > 2,
    "a run says whether it is valid": lambda of, folder: manifest(of("lte")[0])["validity"]["verdict"] == "valid",
    "a configuration with a schema": lambda of, folder: "radio" in json.loads(
        (ROOT / "docs/reference/scenario.schema.json").read_text())["properties"],
    "cwnd and srtt over time": lambda of, folder: len(set(of("lte")[0].tcp["cwnd_pkts"])) > 5
    and of("lte")[0].tcp["srtt_ms"].max() > 20,
    "eBPF probes": lambda of, folder: of("lte")[0].tcp.height > 1000,
    "captures of IP": lambda of, folder: (of("lte")[0].path / "ip-ue1.pcap").stat().st_size > 10_000,
    "what became of each packet, and why": lambda of, folder: of("lte") and says(
        "wait at the eNB", "why", "{folder}/lte")(of, folder),
    "a report in HTML": reported,
    "the environment in the result": lambda of, folder: {"kernel", "sysctls", "qdiscs", "tools"} <= manifest(
        of("lte")[0]).keys(),
}


def test_the_table_is_whole():
    """Some forty features, each with a word for each tool."""
    assert len(TABLE) > 40
    for feature, words in TABLE.items():
        assert len(words) == PEERS + 1, feature
        assert set(words) <= {"yes", "part", "–", "?"}, feature
        assert words[0] != "?", feature


def test_each_row_that_says_yes_is_tried():
    yes = {feature for feature, words in TABLE.items() if words[0] == "yes"}
    assert yes == CHECKS.keys() | ELSEWHERE.keys()


@pytest.mark.parametrize("feature", CHECKS)
def test_cellbed_has(of, folder, feature):
    assert CELLBED.exists() and CHECKS[feature](of, folder)


@pytest.mark.parametrize(("feature", "test"), ELSEWHERE.items())
def test_another_test_tries(feature, test):
    assert "\ndef test_" in (ROOT / test).read_text()
