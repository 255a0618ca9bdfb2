# SPDX-License-Identifier: GPL-2.0-or-later
"""Did the harness, not the model, set the result? Reasons that make a run invalid.

Every function takes facts that the runner collected and the run's settings; nothing here looks at the machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cellbed.run import congestion_control, tcp_profile

Reason = dict[str, Any]  # code, text, value, bound
#: In real time the processes of a run may wait for a CPU for so much of it, or for as much as a hypervisor may take.
CPU_WAIT_PERCENT = 10


def _reason(code: str, text: str, value: Any, bound: Any) -> Reason:
    return {"code": code, "text": text, "value": value, "bound": bound}


def _networks(facts: dict[str, Any], settings: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], float]]:
    """Radio networks: what tells each from others in a reason, what its daemon counted, its TTI."""
    yield "", facts["radio"], _tti_s(settings["radio"])
    for name, radio in facts.get("radios", {}).items():
        yield f" of {name}", radio, _tti_s(settings["radios"][name])


def _timing(facts: dict[str, Any], settings: dict[str, Any]) -> Iterator[Reason]:
    bounds = settings["validity"]
    for of, radio, tti_s in _networks(facts, settings):
        yield from _lateness(of, radio, tti_s, bounds)
    yield from _cpu_wait(facts, max(CPU_WAIT_PERCENT, bounds["cpu_steal_percent"]), _tti_s(settings["radio"]))
    yield from _clock(facts.get("clock", {}), bounds["clock_step_ms"])
    if facts.get("cpu_steal_percent", 0) > bounds["cpu_steal_percent"]:
        yield _reason("cpu_steal", "the hypervisor took CPU time (percent)", facts["cpu_steal_percent"],
                      bounds["cpu_steal_percent"])


def _lateness(of: str, radio: dict[str, Any], tti_s: float, bounds: dict[str, Any]) -> Iterator[Reason]:
    lateness = radio["lateness"]
    if lateness["p99_us"] > bounds["lateness_p99_us"]:
        yield _reason("lateness_p99", f"the radio daemon{of} woke up too late", lateness["p99_us"],
                      bounds["lateness_p99_us"])
    if lateness["missed_ttis"] > bounds["missed_ttis"]:
        text = f"wake-ups{of} later than a sub-frame"
        if (seconds := _seconds(radio)) > 0:
            text += f", {100 * lateness['missed_ttis'] * tti_s / seconds:.2g} % of the radio's time"
        yield _reason("missed_ttis", text, lateness["missed_ttis"], bounds["missed_ttis"])


def _cpu_wait(facts: dict[str, Any], bound: float, tti_s: float) -> Iterator[Reason]:
    """Senders and the daemon were short of CPU: then the radio delivers less than it could, and no wake-up is late."""
    if (waited := round(facts.get("cpu_wait_percent", 0), 1)) <= bound:
        return
    radio, text = facts["radio"], "processes of the run waited for a CPU, percent of the time"
    seconds, busy_s = _seconds(radio), radio.get("ttis_active", 0) * tti_s
    if seconds > 0 and busy_s > 0:
        mbit = radio["bytes_delivered"] * 8 / 1e6
        text = f"the radio delivered {mbit / seconds:.0f} Mbit/s, and {mbit / busy_s:.0f} in the " \
               f"{100 * busy_s / seconds:.0f} % of the time in which it had something to send; {text}"
    yield _reason("cpu_wait", text, waited, bound)


def _seconds(radio: dict[str, Any]) -> float:
    """How long the radio daemon ran; 0 where it does not say so."""
    return (radio.get("end_ns", 0) - radio.get("start_ns", 0)) / 1e9


def _tti_s(radio: dict[str, Any]) -> float:
    """Length of its TTI: of a slot of NR, else of a sub-frame."""
    return 1e-3 / 2 ** radio["nr"]["numerology"] if radio["system"] in ("nr", "en_dc") else 1e-3


def _clock(clock: dict[str, Any], bound_ms: float) -> Iterator[Reason]:
    """The first step by which it was off by more, and how far it was off at most."""
    beyond = [step for step in clock.get("steps", []) if abs(step["off_ns"]) > bound_ms * 1e6]
    if beyond:
        first = beyond[0]
        at_s, others = (first["t_ns"] - clock["start_ns"]) / 1e9, len(clock["steps"]) - 1
        text = f"the machine's clock was set by {first['step_ns'] / 1e6:+.1f} ms, seen at {at_s:.1f} s" + \
            (f", and {others} more times" if others else "")
        off_ms = max(abs(step["off_ns"]) for step in beyond) / 1e6
        yield _reason("clock_step", f"{text}; captures are off by up to {off_ms:.1f} ms", off_ms, bound_ms)


def _radio_losses(of: str, radio: dict[str, Any], bounds: dict[str, Any]) -> Iterator[Reason]:
    for node, port in radio["ports"].items():
        if port["tun_tx_dropped"] is None:
            yield _reason("tun_gone", f"the interface of {node}{of} was gone at the end; what it lost is not known", 1,
                          0)
        if lost := (port["tun_tx_dropped"] or 0) + port["write_errors"]:
            yield _reason("tun_drops", f"packets lost between {node} and the radio daemon{of}", lost, 0)
        if port["refused_pkts"]["oversize"]:
            yield _reason("offload", f"packets above the MTU left {node}{of}", port["refused_pkts"]["oversize"], 0)
    queue_full = radio["pkts_dropped"]["queue_full"]
    if queue_full and not bounds["queue_drops_allowed"]:
        yield _reason("queue_drops", f"RLC queue overflows{of} that validity.queue_drops_allowed forbids", queue_full,
                      0)


def _losses(facts: dict[str, Any], settings: dict[str, Any]) -> Iterator[Reason]:
    bounds = settings["validity"]
    for of, radio, _ in _networks(facts, settings):
        yield from _radio_losses(of, radio, bounds)
    # What the queues of a core network's routers drop is what experiments with one are about.
    routers = {name for name, node in settings["nodes"].items() if node["kind"] == "router"}
    for link in facts["links"]:
        if link["overflow_pkts"] and not (bounds["queue_drops_allowed"] or link["from"] in routers):
            yield _reason("wired_drops", f"overflows of the link from {link['from']} to {link['to']} that "
                          "validity.queue_drops_allowed forbids", link["overflow_pkts"], 0)
    if facts["reread_mib"]:
        yield _reason("memory", "MiB that the guest, short of memory, read again", facts["reread_mib"], 0)
    if facts["probe"]["lost"]:
        yield _reason("probe_lost", "probe samples lost", facts["probe"]["lost"], 0)
    if lost := facts.get("tracepoints", {}).get("lost", 0):
        yield _reason("tracepoints_lost", "tracepoint events lost", lost, 0)
    for node, dropped in facts["capture_dropped"].items():
        if dropped:
            yield _reason("capture_drops", f"packets missing in the capture of {node}", dropped, 0)


def configuration(facts: dict[str, Any], settings: dict[str, Any]) -> Iterator[Reason]:
    for node, values in facts["sysctls"].items():
        for name, (wanted, actual) in values.items():
            if actual is not None and actual.split() != wanted.split():  # the kernel puts tabs between several values
                yield _reason("sysctl", f"{node}: {name} differs from the profile", actual, wanted)
    for node, offloads in facts["offloads"].items():
        on = [name for name, value in offloads.items() if value == "on"]
        if on and not tcp_profile.segmentation_offload(settings):
            yield _reason("offload", f"{node}: segmentation offload is on", ", ".join(on), "off")
    wanted = {flow["id"]: congestion_control.of_flow(settings, flow) for flow in settings["traffic"]
              if flow["kind"] != "command"}
    for flow, name in facts["congestion_control"].items():
        if name is not None and name != wanted[flow]:
            yield _reason("congestion_control", f"flow {flow} used another congestion control", name, wanted[flow])
    for flow, error in facts["workload_errors"].items():
        if error:
            yield _reason("workload", f"flow {flow} failed", error, "no error")


def judge(facts: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """The manifest's validity: {"verdict": "valid"|"invalid", "reasons": [...]}."""
    reasons = [*_timing(facts, settings), *_losses(facts, settings), *configuration(facts, settings)]
    return {"verdict": "invalid" if reasons else "valid", "reasons": reasons}


def in_words(reasons: list[Reason]) -> str:
    """Reasons as one line for people."""
    return "; ".join(f"{r['text']} ({r['value']:g}, allowed {r['bound']:g})" if isinstance(r["value"], int | float)
                     and isinstance(r["bound"], int | float) else r["text"] for r in reasons)
