# SPDX-License-Identifier: GPL-2.0-or-later
"""Services of a Compose file as UEs of a link: its section `x-cellbed` says which ones, and which link.

A service is the UE of its own name. A ready-made link with one UE gets as many as there are services.
"""

from __future__ import annotations

import copy
import re
import shlex
from collections.abc import Mapping, Sequence
from ipaddress import ip_interface
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from cellbed.error import ScenarioError
from cellbed.link import links
from cellbed.link.containers import Container
from cellbed.run import address
from cellbed.scenario.dotted import parse_override, set_key
from cellbed.scenario.fields import Model, Name
from cellbed.scenario.file import read_yaml, validate, validated

# In this order, as Compose looks for them.
FILES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")


def _named_alike(value: Any) -> Any:
    """A list of services is short for UEs of their names."""
    texts = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return {name: name for name in value} if texts else value


class Cellbed(Model):
    """The section `x-cellbed`."""

    link: str = links.DEFAULT  # the words of `cellbed link`
    ues: Annotated[dict[str, Name], BeforeValidator(_named_alike), Field(min_length=1)]  # by service
    internet: bool = False


class Compose(Model):
    """What a Compose file has for cellbed; all else is Compose's."""

    model_config = ConfigDict(extra="ignore")

    name: str | None = None
    services: dict[str, dict[str, Any]] = Field(min_length=1)
    cellbed: Cellbed = Field(alias="x-cellbed")

    @model_validator(mode="before")
    @classmethod
    def each_service_is_a_ue(cls, data: Any) -> Any:
        """Where the file does not say which ones."""
        if not isinstance(data, dict) or not isinstance(data.get("services"), dict):
            return data
        own = data.get("x-cellbed", {})
        return {**data, "x-cellbed": {"ues": list(data["services"]), **own} if isinstance(own, dict) else own}

    @model_validator(mode="after")
    def ues_are_of_services(self) -> Compose:
        ues = self.cellbed.ues
        for service, ue in ues.items():
            if service not in self.services:
                raise ValueError(f"key 'x-cellbed.ues.{service}': no such service; allowed {', '.join(self.services)}")
            if (other := next(one for one, of in ues.items() if of == ue)) != service:
                raise ValueError(f"key 'x-cellbed.ues.{service}': value {ue}: that is {other}'s UE; name another one")
        return self


def find(file: Path | None) -> Path:
    """The Compose file. Raises ScenarioError when none is named and none is here."""
    found = file or next((path for path in map(Path, FILES) if path.exists()), None)
    if found is None:
        raise ScenarioError(f"no Compose file is here; name one with --file, or add {FILES[0]}")
    return found


def read(path: Path) -> Compose:
    """Raises ScenarioError with file, key, value and what is allowed."""
    return validated(read_yaml(path), path, Compose)


def project(compose: Compose, path: Path) -> str:
    """The name by which Compose knows containers of the file, as it chooses it itself."""
    text = compose.name or path.resolve().parent.name
    return re.sub(r"^[_-]+", "", re.sub(r"[^a-z0-9_-]", "", text.lower())) or "cellbed"


def words_of(compose: Compose, path: Path) -> list[str]:
    """Those of the file's link, in which a scenario file is beside the Compose file.

    Raises:
        ScenarioError: a quotation mark is missing.
    """
    try:
        first, *others = shlex.split(compose.cellbed.link) or [links.DEFAULT]
    except ValueError as error:
        raise ScenarioError(f"{path}: key 'x-cellbed.link': value {compose.cellbed.link}: {error}") from None
    return [str(path.parent / first) if first.endswith((".yaml", ".yml")) else first, *others]


def scenario(compose: Compose, path: Path, words: list[str], argv: list[str], overrides: Sequence[str], machine: bool,
             internet: bool) -> tuple[links.Data, Path]:
    """The scenario with a UE for each service, and the file it comes from. Its command is the first service's.

    Args:
        path: of the Compose file.
        words, argv, overrides, machine, internet: as of links.build().

    Raises:
        ScenarioError: the link has no such UEs, or something else is wrong with it.
    """
    data, of = links.build(words, argv, (), None, machine, internet)
    wanted = compose.cellbed.ues
    if of.parent == links.PRESETS and len(data["radio"]["ues"]) == 1:
        _give_ues(data, path, wanted)
    known = [name for name, node in data["nodes"].items() if node.get("kind", "ue") == "ue"]
    for service, ue in wanted.items():
        if ue not in known:
            raise ScenarioError(f"{path}: key 'x-cellbed.ues.{service}': value {ue}: no UE of {of.name}; allowed "
                                f"{', '.join(known)}")
    for flow in data["traffic"]:
        flow["node"] = next(iter(wanted.values()))
    for override in overrides:
        set_key(data, *parse_override(override), of)
    validate(data, of)
    return data, of


def _give_ues(data: links.Data, path: Path, wanted: Mapping[str, str]) -> None:
    """UEs of these names, each as the only one that a ready-made link has."""
    radio, only = data["radio"], links.first_ue(data)
    node, ue = data["nodes"].pop(only), radio["ues"].pop(only)
    own = ip_interface(node["address"])
    for i, (service, name) in enumerate(wanted.items()):
        if name in data["nodes"]:
            raise ScenarioError(f"{path}: key 'x-cellbed.ues.{service}': value {name}: a node of the link has this "
                                f"name; name its UE in x-cellbed.ues, such as {{{service}: ue{i + 1}}}")
    for i, name in enumerate(wanted.values()):
        data["nodes"][name] = {**node, "address": f"{own.ip + i}/{own.network.prefixlen}"}
        radio["ues"][name] = copy.deepcopy(ue)
    if "events" in radio:
        radio["events"] = [{**event, "ue": name} for event in radio["events"] for name in wanted.values()]
    for said in links.said_of_ues(radio):
        if only in said:
            said |= dict.fromkeys(wanted.values(), said.pop(only))


def put_containers(data: links.Data, compose: Compose, found: Mapping[str, Container]) -> None:
    """Let the UEs be the networks of containers."""
    for service, ue in compose.cellbed.ues.items():
        data["nodes"][ue]["netns"] = found[service].netns


def tell_names(data: links.Data, compose: Compose, found: Mapping[str, Container]) -> dict[str, list[str]]:
    """Put the services' addresses on the radio before the names that containers know. Return: these, by service."""
    addresses = {service: [text.split("/")[0] for text in address.texts_of(data["nodes"][ue]["address"])]
                 for service, ue in compose.cellbed.ues.items()}
    lines = "".join(f"{one} {service}\n" for service, some in addresses.items() for one in some)
    for container in found.values():  # the container has this file mounted, so it stays the same one
        known = container.hosts.read_text()
        container.hosts.write_text(lines + known)
    return addresses
