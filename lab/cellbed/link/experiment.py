# SPDX-License-Identifier: GPL-2.0-or-later
"""An experiment over a ready-made link, written as a scenario.

TCP flows go side by side to a UE each; their congestion controls are the variants.
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cellbed.error import ScenarioError
from cellbed.link.links import PRESETS, name_files, presets, said_of_ues
from cellbed.scenario.file import read_yaml, validate
from cellbed_formats import bounded_yaml
from cellbed_formats.printable import shown

FLOWS_MAX, SEEDS_MAX, DURATION_MAX_S = 20, 1000, 3600
_PORT = 5201
_UE = "ue"


@dataclass(frozen=True)
class Question:
    """What an experiment compares."""

    link: str  # a preset with a server behind it
    variants: list[list[str]]  # congestion controls of the flows, one for each UE
    duration_s: int
    seeds: int


def links() -> list[str]:
    """Presets that an experiment can have: those with a server, from which flows come."""
    return [name for name in presets() if _server(read_yaml(PRESETS / f"{name}.yaml")) is not None]


def parse_flows(texts: list[str]) -> list[list[str]]:
    """Variants of a command line, each 'cubic' or 'cubic,bbr'.

    Raises:
        ScenarioError: one without a name, two alike, or of different numbers of flows.
    """
    variants = [[name.strip() for name in text.split(",")] for text in texts]
    for text, names in zip(texts, variants, strict=True):
        if not all(re.fullmatch(r"[a-z0-9_]{1,15}", name) for name in names):
            raise ScenarioError(f"--flows {text}: allowed congestion controls with commas between them, one for each "
                                "UE, such as cubic,bbr")
        if len(names) > FLOWS_MAX:
            raise ScenarioError(f"--flows {text}: allowed 1..{FLOWS_MAX} flows")
        if len(names) != len(variants[0]):
            raise ScenarioError(f"--flows {text}: expected {len(variants[0])} flows, as in {texts[0]}")
        if variants.count(names) > 1:
            raise ScenarioError(f"--flows {text}: given twice; give it once")
    return variants


def text(question: Question, name: str) -> str:
    """The scenario, with a comment for each part. Args: name: of its file, without the suffix.

    Raises:
        ScenarioError: a link of that name is not there or has no server, or takes no such UEs.
    """
    if question.link not in links():
        raise ScenarioError(f"--radio {question.link}: allowed {', '.join(links())}")
    path = PRESETS / f"{question.link}.yaml"
    data = read_yaml(path)
    name_files(data["radio"], path.parent)
    server, n_flows = _server(data), len(question.variants[0])
    _add_ues(data, n_flows)
    ues = list(data["radio"]["ues"])[:n_flows]
    data["traffic"] = [{"id": f"flow{i}", "kind": "stream", "from": server, "to": ue, "duration_s": question.duration_s,
                        "port": _PORT + i - 1} for i, ue in enumerate(ues, 1)]
    data["sweep"] = {"variants": {"-".join(names): {f"traffic.{i}.congestion_control": control
                                                    for i, control in enumerate(names)}
                                  for names in question.variants}}
    data |= {"id": re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-") or "experiment",
             "title": f"{' against '.join(data['sweep']['variants'])} over {question.link}",
             "seeds": list(range(1, question.seeds + 1))}
    validate(data, path)
    return _commented(data, name)


def _server(data: dict[str, Any]) -> str | None:
    return next((name for name, node in data["nodes"].items() if node.get("kind") == "server"), None)


def _add_ues(data: dict[str, Any], number: int) -> None:
    """UEs like the first one, at the next addresses, that go where it goes."""
    first = next(iter(data["radio"]["ues"]))
    address, _, prefix = data["nodes"][first]["address"].partition("/")
    network, _, host = address.rpartition(".")
    for i in range(1, number):
        data["nodes"][f"{_UE}{i + 1}"] = {**data["nodes"][first], "address": f"{network}.{int(host) + i}/{prefix}"}
        data["radio"]["ues"][f"{_UE}{i + 1}"] = copy.deepcopy(data["radio"]["ues"][first])
        for said in said_of_ues(data["radio"]):
            if first in said:
                said[f"{_UE}{i + 1}"] = said[first]


_ABOUT = {
    "seeds": "everything random in a run follows from its seed",
    "nodes": "a server, the base station, and a UE for each flow",
    "links": "the wire between them; delay_ms makes the path longer",
    "radio": "of the ready-made link; docs/reference/keys.md lists what else there is",
    "validity": "a run beyond these bounds is marked as invalid",
    "traffic": "TCP from the server; kind: iperf3 and kind: command are others",
    "sweep": "each variant is a name for settings; each runs with every seed",
}


def _commented(data: dict[str, Any], name: str) -> str:
    file = shown(f"{name}.yaml")
    parts = [f"# {data['title']}.\n#   cellbed sweep {file} --results results\n#   cellbed report results\n"
             "#   cellbed compare results goodput_mbps rtt_p50_ms\n"]
    for key in ("format", "id", "title", "seeds", "nodes", "links", "radio", "validity", "traffic", "sweep"):
        if key not in data:
            continue
        flat = None if isinstance(data[key], dict | list) else False
        body = bounded_yaml.dump({key: data[key]}, sort_keys=False, default_flow_style=flat, width=110)
        about = f"\n# {key}: {_ABOUT[key]}\n" if key in _ABOUT else ""
        parts.append(about + body)
    return "".join(parts)


def write(file: Path, question: Question) -> None:
    """The same into a new file.

    Raises:
        ScenarioError: as `text`, or the file is there.
    """
    if file.suffix not in (".yaml", ".yml"):
        raise ScenarioError(f"{file}: allowed a name that ends with .yaml")
    made = text(question, file.stem)
    try:
        with file.open("x") as out:
            out.write(made)
    except FileExistsError:
        raise ScenarioError(f"{file}: is there already; choose another name, or remove it") from None
    except OSError as error:
        raise ScenarioError(f"{file}: {error.strerror}") from None
