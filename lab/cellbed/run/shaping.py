# SPDX-License-Identifier: GPL-2.0-or-later
"""Wired links as qdiscs: delay, loss, rate, queue and its management, and what became of the packets.

The first handle is what a wire does to packets, the next one all that waits for the rate; counters of both tell
losses on purpose from queue drops. docs/scenario-format.md says what RED's parameters become.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from typing import Any

from cellbed.error import LabError
from cellbed.host import programs
from cellbed.host.netns import in_netns
from cellbed.host.process import finished
from cellbed.host.rtnetlink import Rtnetlink

# What waits for a link's rate is counted apart from what the wire loses: the queue is a qdisc of its own.
WIRE_HANDLE, QUEUE_HANDLE = "1:", "10:"
_DEEPER_HANDLES = ("20:", "30:")
# Packets on their way on a wire; no bound that a run could meet.
_ON_THE_WIRE = 10_000_000
# Its bound is in bytes.
_WITHOUT_LIMIT = ("cake",)
_ETHERNET_BYTES = 14
# A token bucket deeper than one packet: a native kernel's timers are late, and tokens beyond its depth are lost.
_BURST_S = 100e-6
# Microseconds and 64 ns have it in common.
_STEP_US = 8
_BURST_SLACK_BYTES = 86
# The most that a host hands over at once: a smaller bucket would cut it.
# Source: Linux, linux/netdevice.h, GSO_LEGACY_MAX_SIZE; headers come once for each segment of 536 bytes
_AT_ONCE_BYTES = 65536 + 65536 // 536 * 54
# Weight of a new sample in RED's average, as a power of two: 1/512, the nearest to 0.002.
# Source: Floyd, "w_q"; Pacifico, section VI.B.2, names it for all parameters
_RED_WEIGHT_LOG = 9


def shaping(link: dict[str, Any], mtu: int, packet: int, offload: bool = False) -> list[str]:
    """One direction of a link as qdiscs, each the only child of the one before.

    Args:
        packet: bytes of a full packet as it is on this link, without the Ethernet header.
        offload: several segments come at once, and leave so.

    The queue comes last because netem would count what it loses on purpose and what overflows as one; a constant
    delay before the queue or after it gives the same times. Without delay and loss, qdiscs do it that every kernel
    has.
    """
    wire = [_wire(link)] if needs_netem(link) else []
    limit = f"limit {link['queue_pkts']}"
    if link["aqm"] != "none":
        return _chain([*wire, _tbf(link, mtu, offload), red(link, packet), f"pfifo {limit}"])
    if link["qdisc"] == "pfifo" and wire:
        return _chain([*wire, f"netem rate {link['rate']}bit {limit}"])
    return _chain([*wire, _tbf(link, mtu, offload), _queue(link, limit)])


def _queue(link: dict[str, Any], limit: str) -> str:
    words = link["qdisc"].split()
    bounded = "limit" in words or words[0] in _WITHOUT_LIMIT
    return link["qdisc"] if bounded else f"{link['qdisc']} {limit}"


def _wire(link: dict[str, Any]) -> str:
    words = link["netem"].split()
    delay = [] if "delay" in words else [f"delay {_delay(round(link['delay_ms'] * 1000))}"]
    loss = [] if "loss" in words else [f"loss random {100 * link['loss']:g}%"]
    return " ".join([f"netem limit {_ON_THE_WIRE}", *delay, *loss, *words])


def _delay(delay_us: int) -> str:
    """For netem, to which tc of iproute2 6.1 hands a delay in steps of 64 ns, and that of 6.15 in ns: the nearest whole
    number of both, if that is less than a ten thousandth away.
    """
    same_us = round(delay_us / _STEP_US) * _STEP_US
    return f"{same_us if abs(same_us - delay_us) < delay_us / 10_000 else delay_us}us"


def needs_netem(link: dict[str, Any]) -> bool:
    return bool(link["delay_ms"] > 0 or link["loss"] > 0 or link["netem"])


def _chain(qdiscs: list[str]) -> list[str]:
    """Arguments for `tc qdisc add dev IF`, one for each qdisc."""
    handles = (WIRE_HANDLE, QUEUE_HANDLE, *_DEEPER_HANDLES)
    places = ["root", *(f"parent {handle}1" for handle in handles)]
    return [f"{place} handle {handle} {qdisc}" for place, handle, qdisc in zip(places, handles, qdiscs, strict=False)]


def _tbf(link: dict[str, Any], mtu: int, offload: bool) -> str:
    frame = mtu + _ETHERNET_BYTES
    largest = _AT_ONCE_BYTES if offload else frame
    burst = max(largest + _BURST_SLACK_BYTES, round(link["rate"] / 8 * _BURST_S))
    return f"tbf rate {link['rate']}bit burst {burst} limit {link['queue_pkts'] * frame}"


def red(link: dict[str, Any], packet: int) -> str:
    """RED in bytes for thresholds in packets: Linux counts bytes, with the Ethernet header; a packet is a full one.

    The real bound, in packets, is the queue below; `limit` has to be there and is beyond it.
    """
    frame = packet + _ETHERNET_BYTES
    low, high = link["red_min_pkts"] * frame, link["red_max_pkts"] * frame
    return (f"red limit {(link['queue_pkts'] + 1) * frame} min {low} max {high} avpkt {frame} "
            f"burst {_red_burst(link['red_min_pkts'])} bandwidth {link['rate']}bit "
            f"probability {link['red_probability']:g}{' ecn' if link['aqm'] == 'red_ecn' else ''}")


def _red_burst(min_pkts: int) -> int:
    """The least `burst` from which tc derives the wanted weight: it takes the greatest weight with which the average
    stays below the threshold while so many packets come at once."""
    weight = 2.0**-_RED_WEIGHT_LOG

    def too_fast(burst: int) -> bool:
        return burst + 1 - min_pkts <= (1 - (1 - 2 * weight) ** burst) / (2 * weight)

    burst = min_pkts
    while too_fast(burst):
        burst += 1
    return burst


def kinds(qdiscs: list[str]) -> list[str]:
    """Names of the qdiscs in the arguments of `tc qdisc add dev IF`."""
    return [words[words.index("handle") + 2] for words in map(str.split, qdiscs)]


# Of a batch tc carries out no line behind this one.
_FAILED = re.compile(r"Command failed -:(\d+)")
# Those that only delay, lose or hold.
_PLAIN = ("netem", "tbf", "pfifo")
# Qdiscs that a kernel may lack: any of their kind, to try it; which links need them, and what these do without then.
_TRIALS = {
    "netem": "delay 1ms",
    "red": "limit 60000 min 10000 max 30000 avpkt 1000 burst 15 bandwidth 10Mbit probability 0.1",
}
_NEEDS: dict[str, Callable[[dict[str, Any]], bool]] = {"netem": needs_netem, "red": lambda link: link["aqm"] != "none"}
WITHOUT = {"netem": "delay, loss and netem", "red": "aqm"}


def available(kind: str) -> bool:
    """Whether this machine's kernel has a qdisc."""
    own_user = ["--map-root-user"] if os.geteuid() else []
    args = [programs.command("unshare"), *own_user, "--net", programs.command("tc"), "qdisc", "add", "dev", "lo",
            "root", kind, *_TRIALS.get(kind, "").split()]
    return subprocess.run(args, capture_output=True, check=False).returncode == 0


def refusal(settings: dict[str, Any], has: Callable[[str], bool] = available) -> str | None:
    """Why this machine's kernel cannot have a run's links, or None."""
    for kind, needed in _NEEDS.items():
        links = [link for link in settings["links"] if needed(link)]
        if links and not has(kind):
            return f"link {links[0]['a']} - {links[0]['b']}: {_hint(kind)}"
    for link in settings["links"]:
        kind = link["qdisc"].split()[0]
        if kind != "pfifo" and not has(kind):
            return f"link {link['a']} - {link['b']}: {_hint(kind)}"
    return None


def _hint(kind: str) -> str:
    return f"this kernel has no {kind}; use the virtual lab or a link without {WITHOUT.get(kind, f'qdisc: {kind}')}"


def shape(node: str, wanted: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Give interfaces of the current namespace their qdiscs and see that they have them.

    Return: all qdiscs of the namespace, as tc(8) prints them in JSON.

    Raises:
        LabError: the kernel did not take them.
    """
    batch = [f"qdisc add dev {interface} {qdisc}" for interface in wanted for qdisc in wanted[interface]]
    # One program for all: a start takes 10 ms in a guest.
    done = subprocess.run([programs.command("tc"), "-j", "-batch", "-"], input="\n".join([*batch, "qdisc show\n"]),
                          text=True, capture_output=True, check=False)
    found, errors = json.loads(done.stdout or "[]"), done.stderr
    handles = (WIRE_HANDLE, QUEUE_HANDLE, *_DEEPER_HANDLES)
    for interface, qdiscs in wanted.items():
        have = {q["handle"]: q["kind"] for q in found if q["dev"] == interface}
        want = dict(zip(handles, kinds(qdiscs), strict=False))
        if {handle: have.get(handle) for handle in want} != want:
            said = " ".join(errors.split()) or f"tc shows {have}, not {want}"
            failed = _FAILED.search(errors)
            kind = kinds(batch)[int(failed[1]) - 1] if failed else ""
            hint = "run `cellbed doctor`"
            if "Unknown qdisc" in said:
                hint = f"tc of this machine does not know {kind}; install a newer iproute2"
            elif failed and "unknown" in said:
                hint = _hint(kind)
            raise LabError(f"node {node}: {interface}: {said}; {hint}")
    return found


def qdisc_statistics(interface: str) -> list[dict[str, Any]]:
    """Qdiscs of an interface of the current namespace with their counters."""
    with Rtnetlink() as network:
        return [qdisc for qdisc in network.qdiscs(counters=True) if qdisc["dev"] == interface]


def _managed(interface: str, kind: str) -> dict[str, int]:
    """Packets that a qdisc of Linux dropped though it had room, and that it marked."""
    found = json.loads(finished([programs.command("tc"), "-s", "-j", "qdisc", "show", "dev", interface]))
    own = next(q for q in found if q["kind"] == kind)
    if kind == "dualpi2":  # counts what came to a full queue as sch_generic does, and has a name of its own for marks
        return {"early": own["drops"] - own["overlimits"], "marked": own["ecn-mark"]}
    overflow = sum(own.get(key, 0) for key in ("drop_overlimit", "overlimit"))
    marked = own.get("ecn_mark", 0) + sum(tin.get("ecn_mark", 0) for tin in own.get("tins", []))
    return {"early": own["drops"] - overflow, "marked": marked}


def link_statistics(pid: int, interface: str) -> dict[str, int]:
    """What became of the packets that a node sent on a wired interface.

    Return: pkts sent, pkts lost on the wire on purpose, pkts that overflowed the queue; pkts that RED dropped early,
    pkts that it marked.
    """
    with in_netns(pid):
        counters = {q["handle"]: q for q in qdisc_statistics(interface)}
        own = next((q for q in counters.values() if q["kind"] not in _PLAIN), {"early": 0, "marked": 0})
        managed = own if "early" in own else _managed(interface, str(own["kind"]))
    wire, queue = counters[WIRE_HANDLE], counters[QUEUE_HANDLE]
    return {"sent_pkts": wire["packets"], "lost_pkts": wire["drops"] - queue["drops"],
            "overflow_pkts": queue["drops"] - managed["early"], "early_drop_pkts": managed["early"],
            "marked_pkts": managed["marked"]}
