# SPDX-License-Identifier: GPL-2.0-or-later
"""How many system calls the programs of a run make: they are what a virtual lab costs, and their number is exact."""

import re
import shutil
from collections import Counter

import pytest
import yaml
from e2e import WIRED, bundles, cellbed, needs_native

pytestmark = [pytest.mark.lab,
              pytest.mark.skipif(shutil.which("strace") is None, reason="strace counts, and is not installed")]
SECONDS = 2
SUBFRAMES = 1000 * SECONDS
# The runner is the parent of all programs of a run; those of its flows come later, and it follows them as they start.
COUNT = ("exec strace -ff -q -s 0 -e signal=none -e raw=sendmmsg,recvmmsg -o calls -p $PPID "
         "$(pgrep -P $PPID -x 'celld|tcpwatch|ipdump' | sed 's/^/-p /')")
_CALL = re.compile(r"(\w+)\(")


@pytest.fixture
def execute(tmp_path):
    """What strace has written of each process, by a call that only one kind of program makes."""

    def execute(lab, idle=0, **flow):
        """A server sends to a UE behind an eNB what its link carries, 30 Mbit/s, with all captures; others are idle."""
        made = yaml.safe_load(WIRED)
        for number in range(idle):
            made["nodes"][f"idle{number}"] = {"address": f"10.45.1.{number + 1}/16"}
            made["radio"]["ues"][f"idle{number}"] = {"peer": "enb"}
        del made["nodes"]["ue2"], made["radio"]["ues"]["ue2"]
        made["radio"]["ues"]["ue1"]["cqi_dl"] = 12
        made["tcp"] = {"congestion_control": "reno"}
        made["traffic"] = [
            {"id": "count", "kind": "command", "background": True, "node": "ue1", "argv": ["sh", "-c", COUNT]},
            {"id": "down", "kind": "stream", "from": "server", "to": "ue1", "duration_s": SECONDS, **flow}]
        (tmp_path / "calls.yaml").write_text(yaml.safe_dump(made))
        cellbed("run", tmp_path / "calls.yaml", "--lab", lab, "--results", tmp_path / "r")
        (bundle,) = bundles(tmp_path / "r").values()
        return [one.read_text(errors="replace") for one in sorted(bundle.glob("calls.*"))]

    return execute


def calls(traces, text, since=None):
    """Of each process whose trace has @text: how many calls, from the one called @since on."""
    found = []
    for trace in traces:
        if text in trace:
            names = [match[1] for line in trace.splitlines() if (match := _CALL.match(line))]
            found.append(Counter(names[names.index(since):] if since is not None else names))
    return found


@pytest.mark.parametrize("lab", ["virtual", pytest.param("native", marks=needs_native)])
def test_of_a_stream_with_everything_switched_on(execute, lab):
    """celld: a call and a clock read a wake-up, and one wake-up a sub-frame; natively no call reads the clock."""
    traces = execute(lab)
    (celld,) = calls(traces, "io_uring_enter(")
    assert celld["io_uring_enter"] > SUBFRAMES / 2
    assert celld.total() < 3 * SUBFRAMES, celld
    (sender,), (receiver,) = calls(traces, "TCP_NOTSENT_LOWAT", "connect"), calls(traces, "MSG_WAITALL", "recvfrom")
    blocks = 25_000_000 / 8 * SECONDS / 16384
    assert sender.total() < blocks and receiver.total() < blocks, (sender, receiver)
    (tcpwatch,), (ipdump,) = calls(traces, "\nepoll_wait("), calls(traces, "\npoll(")
    assert tcpwatch.total() < SUBFRAMES and ipdump.total() < SUBFRAMES, (tcpwatch, ipdump)


def test_of_datagrams(execute):
    """A millisecond of them: what is due, and sleep. Ten milliseconds of them: what came, the clock, and sleep."""
    traces = execute("virtual", transport="udp", rate="25Mbit", packet_bytes=1400)
    (celld,) = calls(traces, "io_uring_enter(")
    (sender,), (receiver,) = calls(traces, "\nsendmmsg(", "sendmmsg"), calls(traces, "\nrecvmmsg(", "recvmmsg")
    ticks = 1000 * SECONDS
    assert sender["sendmmsg"] > ticks / 2 and receiver["recvmmsg"] > ticks / 20
    assert celld.total() < 2.5 * SUBFRAMES, celld
    assert sender.total() < 2.1 * ticks and receiver.total() < 0.4 * ticks, (sender, receiver)


def test_idle_ues_cost_no_calls(execute):
    """At most 0.05 calls a sub-frame for each, and with a hundred UEs at most 1.3 times those of one."""
    total = {}
    for ues in (1, 5, 20, 100):
        (celld,) = calls(execute("virtual", idle=ues - 1), "io_uring_enter(")
        total[ues] = celld.total()
    assert all(total[ues] <= total[1] + 0.05 * (ues - 1) * SUBFRAMES for ues in total), total
    assert total[100] <= 1.3 * total[1], total
