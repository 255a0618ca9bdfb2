# SPDX-License-Identifier: GPL-2.0-or-later
"""A run's settings as the radio daemon's configuration, celld.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cellbed.run import (
    address,
    cellreplay,
    core_network,
    mahimahi,
    netem,
    qdisc,
    qos,
    radios,
    tcp_profile,
    topology,
    workload,
)

# Schedulers that ask for the weights of UEs.
WEIGHTED = ("wfq", "mlwdf")
# Settings that celld knows as something else, or not at all.
_ELSEWHERE = ("channel", "events", "mtu", "handover", "gtpu", "system", "ues")
# Traces of a link in the directory of a run, by their keys, and what reads them; those of netem any link may have.
NETEM_TRACES = {"uplink_delays": ("uplink.delays", netem.read_delays),
                "downlink_delays": ("downlink.delays", netem.read_delays),
                "uplink_losses": ("uplink.losses", netem.read_losses),
                "downlink_losses": ("downlink.losses", netem.read_losses)}
PACKET_TRACES = {"uplink": ("uplink.mahimahi", mahimahi.read), "downlink": ("downlink.mahimahi", mahimahi.read),
                 "uplink_trains": ("uplink.trains", cellreplay.read_trains),
                 "downlink_trains": ("downlink.trains", cellreplay.read_trains),
                 "uplink_sizes": ("uplink.sizes", cellreplay.read_sizes),
                 "downlink_sizes": ("downlink.sizes", cellreplay.read_sizes), **NETEM_TRACES}
_NETEM_WORDS = ("uplink_netem", "downlink_netem")
_QDISC_WORDS = ("uplink_qdisc", "downlink_qdisc")
_LINK_KEYS = ("delay_ms", "queue_pkts", "queue_bytes")
# Sections that NR shares with LTE, with keys that it has not.
_NOT_IN_NR = {"harq": ("dl_rtt_tti",), "rlc": ("delivery", "t_reordering_ms"), "rlc_um": (), "rlc_am": (),
              "pdcp": ("reordering",)}
# With EN-DC: keys and sections of LTE that it has, and of sections keys that it has not.
_OF_BOTH = ("n_rb", "dl_carriers", "dl_codewords", "ul_carriers", "scheduler", "pf_average_tti", "max_pkts", "ra",
            "mac", "control")
_NOT_IN_EN_DC: dict[str, tuple[str, ...]] = {"harq": (), "rlc": (), "rlc_am": (), "pdcp": ("reordering",)}
_NR_HANDOVER_NOT = ("detach_ms", "prediction_timeout_ms")
_TIMES = ("detach_times", "preparation_times")
_NR_UE = ("rnti", "weight", "cqi_ul", "cqi_dl", "second_cqi_ul", "second_cqi_dl", "bler_ul", "bler_dl")
_TRAIN_KEYS = ("uplink_gap_ms", "downlink_gap_ms")


# Of the socket at which the daemon takes changes, in the run's folder.
CONTROL = "control"


def daemon(settings: dict[str, Any], directory: Path, seed: int, ports: list[dict[str, Any]], realtime: bool,
           start_ns: int, output: dict[str, Any]) -> dict[str, Any]:
    """All of celld.json.

    Args:
        settings: with one radio network, as radios.alone() gives them.
        directory: where the run's channel and packet-delivery traces are.
        start_ns: of sub-frame 0, on CLOCK_MONOTONIC; 0: as soon as it can.
        output: paths of what it writes, by celld's keys.
    """
    rendered = str(directory / f"{radios.prefix(radios.name_of(settings))}channel.trace")
    channel: dict[str, Any] = {"channel": rendered} if radios.channels(settings["radio"]) else {}
    if channel and not workload.has_end(settings):
        channel["channel_grows"] = True
    described = cell(settings, directory)
    if (orbit := (settings["radio"].get("constant_rate") or {}).get("satellite")) is not None:
        # Python's random takes random numbers from the kernel when it is imported: other runs would draw others.
        from cellbed.run import satellite

        described["constant_rate"] |= dict.fromkeys(("uplink_delays", "downlink_delays"), satellite.delays(orbit, seed))
    offload = {"segmentation_offload": True} if tcp_profile.segmentation_offload(settings) else {}
    return {"format": 1, "seed": seed, "start_ns": start_ns, "realtime": realtime, "cell": described, **offload,
            **channel, "events": events(settings["radio"]), "ports": ports, "output": output}


def cell(settings: dict[str, Any], directory: Path = Path()) -> dict[str, Any]:
    """The radio network, with the ends of its tunnels when there is an S-GW.

    Args:
        directory: of the run, with its packet-delivery traces.
    """
    radio, prefix = settings["radio"], radios.prefix(radios.name_of(settings))
    if radio["system"] == "nr":
        return _nr(radio, settings) | _core_network(settings)
    if radio["system"] == "en_dc":
        return _en_dc(radio)
    if radio["system"] != "lte":
        system, keys = radio["system"], radio[radio["system"]]
        return {"system": system, "max_pkts": radio["max_pkts"],
                "ues": [_ue_apart(name, ue, directory, prefix) for name, ue in radio["ues"].items()],
                system: _recorded(keys, directory, prefix) if system == "packet_trace" else
                        _constant(keys, directory, prefix) if system == "constant_rate" else keys}
    # Those of other networks are None.
    described = {key: value for key, value in radio.items() if key not in _ELSEWHERE and value is not None}
    described = _qdiscs(described)
    described["timing"] = _timing(radio)
    described["ues"] = [_ue(name, ue, settings) for name, ue in radio["ues"].items()]
    return described | _core_network(settings)


def _core_network(settings: dict[str, Any]) -> dict[str, Any]:
    """Tunnels and handover; nothing without an S-GW."""
    sgw = core_network.sgw(settings)
    if sgw is None:
        return {}
    radio, addresses = settings["radio"], core_network.tunnel_ends(settings)
    handover = {key: value for key, value in radio["handover"].items() if key not in _NR_HANDOVER_NOT
                or radio["system"] == "lte"}
    apart = {key: handover.pop(key) for key in ("a3", "condition", "link_failure", *_TIMES) if key in handover}
    apart |= {key: _all_quantiles(apart[key]) for key in _TIMES if key in apart}
    gtpu = {key: value for key, value in radio["gtpu"].items() if key != "outer"}  # addresses say it
    return {"handover": handover, **apart, "gtpu": gtpu, "sgw": {"gtpu_address": addresses[sgw]},
            "enbs": [{"name": name, "gtpu_address": addresses[name]}
                     for name in core_network.of_kind(settings, "enb")]}


def _all_quantiles(times: dict[str, int]) -> dict[str, int]:
    """Those that a scenario gives, and those that it leaves out, on the line between their neighbours."""
    def between(low: str, high: str, share: float) -> int:
        return times[low] + round((times[high] - times[low]) * share)

    return {"p25_ms": between("p5_ms", "p50_ms", 20 / 45), "p75_ms": between("p50_ms", "p95_ms", 25 / 45),
            "p99_ms": times["p95_ms"], **times}


def _nr(radio: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """A network of NR, without its tunnels."""
    return {"system": "nr", "max_pkts": radio["max_pkts"], "scheduler": radio["scheduler"],
            "pf_average_tti": radio["pf_average_tti"], **_nr_layers(radio),
            "nr": {key: value for key, value in radio["nr"].items() if key != "broadcast"},
            **{key: of[key] for of, key in ((radio, "crowd"), (radio, "cqi_reports"), (radio["nr"], "broadcast"))
               if of.get(key)},
            "ues": [_nr_ue(name, ue, radio["scheduler"]) | _tunnel_of(name, settings)
                    for name, ue in radio["ues"].items()]}


def _timing(radio: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in radio["timing"].items() if key != "preset"}


def _en_dc(radio: dict[str, Any]) -> dict[str, Any]:
    """LTE and NR together: keys of both, and of what joins them."""
    own, of_nr = radio["en_dc"], radio["nr"]
    apart = {"scg": own.get("scg"), "broadcast": of_nr.get("broadcast"), "sr": radio.get("sr"),
             "outer_loop": radio.get("outer_loop"), "cqi_reports": radio.get("cqi_reports")}
    shared = {key: radio[key] for key in _OF_BOTH if key in radio}
    return {"system": "en_dc", **shared, "timing": _timing(radio), **_qdiscs(
        {section: {key: value for key, value in radio[section].items() if key not in others}
         for section, others in _NOT_IN_EN_DC.items()}),
            "nr": {key: value for key, value in of_nr.items() if key != "broadcast"},
            "en_dc": {key: value for key, value in own.items() if key not in ("scg", "channel")},
            **{key: section for key, section in apart.items() if section is not None},
            "ues": [_nr_ue(name, ue, radio["scheduler"]) for name, ue in radio["ues"].items()]}


def _qdiscs(of: dict[str, Any]) -> dict[str, Any]:
    """A radio or bearer, with the queue disciplines of its RLC as the core's parameters."""
    if "rlc" not in of:
        return of
    read = {key: qdisc.parse(of["rlc"][key]) for key in _QDISC_WORDS if of["rlc"].get(key)}
    return {**of, "rlc": {**{key: value for key, value in of["rlc"].items() if key not in _QDISC_WORDS}, **read}}


def _nr_layers(of: dict[str, Any]) -> dict[str, Any]:
    """Sections of a radio or bearer that LTE has, too, without what NR has not."""
    of = _qdiscs(of)
    return {section: {key: value for key, value in of[section].items() if key not in others}
            for section, others in _NOT_IN_NR.items() if section in of}


def _nr_ue(name: str, ue: dict[str, Any], scheduler: str) -> dict[str, Any]:
    own = {key: ue[key] for key in _NR_UE if ue.get(key) is not None}
    if scheduler not in WEIGHTED:
        del own["weight"]
    bearers = [{**_bearer(bearer), **_nr_layers(bearer)} for bearer in ue["bearers"]]
    return {"name": name, "peer": "network", "mode": "im", **own, "bearers": bearers}


def _ue_apart(name: str, ue: dict[str, Any], directory: Path, prefix: str) -> dict[str, Any]:
    """A UE with a link of its own in place of LTE."""
    described = {"name": name, "peer": "network", "mode": "im", **({"rnti": ue["rnti"]} if ue["rnti"] else {})}
    own = ue.get("packet_trace")
    return described | ({} if own is None else {"packet_trace": _recorded(own, directory, f"{prefix}{name}-")})


def _recorded(trace: dict[str, Any], directory: Path, prefix: str) -> dict[str, Any]:
    """A recorded link; without trains as Mahimahi has it.

    Args:
        prefix: what the names of its files begin with.
    """
    found: dict[str, Any] = {key: trace[key] for key in _LINK_KEYS} | _words(trace)
    if trace["bytes"] != mahimahi.BYTES:
        found["bytes"] = trace["bytes"]
    found |= {key: trace[key] for key in _TRAIN_KEYS if trace[key]}
    for key, (name, read) in PACKET_TRACES.items():
        if trace.get(key) is not None:
            found[f"{key}_us" if key.endswith("_sizes") else key] = read(directory / f"{prefix}{name}")
    return found


def _constant(link: dict[str, Any], directory: Path, prefix: str) -> dict[str, Any]:
    """Links of constant rate, with what else happens on their way."""
    traces = {key: read(directory / f"{prefix}{name}") for key, (name, read) in NETEM_TRACES.items()
              if link.get(key) is not None}
    apart = (*_NETEM_WORDS, "satellite")  # a satellite has the run's seed
    plain = {key: value for key, value in link.items() if key not in apart and not key.endswith("_sha256")}
    return plain | _words(link) | traces


def _words(link: dict[str, Any]) -> dict[str, Any]:
    return {key: netem.parse(link[key]) for key in _NETEM_WORDS if link.get(key)}


def _ue(name: str, ue: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    described = {"name": name, **{key: value for key, value in ue.items() if value is not None},
                 "peer": "network" if topology.behind_enb(settings, name) else ue["peer"]}
    described["bearers"] = [_bearer(bearer) for bearer in ue["bearers"]]
    if settings["radio"]["scheduler"] not in WEIGHTED:
        del described["weight"]
    return described | _tunnel_of(name, settings)


def _tunnel_of(ue: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Where a UE's tunnel leads to at the start; nothing without an S-GW."""
    served = core_network.ues_with_tunnels(settings)
    if ue not in served:
        return {}
    node, keys = settings["nodes"][ue], {4: "address", 6: "address6"}
    clat = {"clat6": node["clat"].partition("/")[0]} if "clat" in node else {}
    return {"enb": served[ue], **{keys[own.version]: str(own.ip) for own in address.interfaces(node)}, **clat}


def _bearer(bearer: dict[str, Any]) -> dict[str, Any]:
    return {**_qdiscs(qos.told(bearer)), "filters": [{key: value for key, value in one.items() if value is not None}
                                  for one in bearer["filters"]]}


def events(radio: dict[str, Any]) -> list[dict[str, Any]]:
    """What happens at given times."""
    return [{"t_ms": round(event["at_s"] * 1000), "ue": event["ue"],
             **{key: value for key, value in event.items() if key not in ("at_s", "ue") and value is not None}}
            for event in radio["events"]]


def ports(settings: dict[str, Any], pids: dict[str, int]) -> list[dict[str, Any]]:
    """celld's TUNs: of every UE; and the ends of tunnels, or the network side of the UEs that an eNB routes for."""
    ipv6 = {node.name for node in topology.plan(settings).nodes if node.has_ipv6}

    def at(node: str, interface: str) -> dict[str, Any]:
        return {"netns": f"/proc/{pids[node]}/ns/net", "ifname": interface, **({"ipv6": True} if node in ipv6 else {})}

    ues, mtu = settings["radio"]["ues"], {"mtu": settings["radio"]["mtu"]} if settings["radio"].get("mtu") else {}
    found: list[dict[str, Any]] = [{"ue": ue, "side": "ue", **at(ue, radios.interface(settings)), **mtu} for ue in ues]
    for node in core_network.tunnel_ends(settings):
        side = {"side": "sgw"} if node == core_network.sgw(settings) else {"side": "enb", "enb": node}
        found.append({**side, **at(node, core_network.TUNNEL_INTERFACE), "mtu": core_network.MTU})
    if core_network.sgw(settings) is None:
        found += [{"ue": ue, "side": "network", **at(ues[ue]["peer"], topology.network_interface(ue)), **mtu}
                  for ue in ues if topology.behind_enb(settings, ue)]
    return found
