# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes of a native lab that runs: what `radio.events` has at given times, now, over the radio daemon's socket.

The socket is in the run's folder and of this user only. A line of JSON goes in, and one comes back:
`{"cmd": "set", "ue": "ue1", "cqi_dl": 4}`, then `{"ok": true}` or `{"ok": false, "error": "…"}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from cellbed.error import CellbedError, LabError
from cellbed.host import ledger
from cellbed.run import radio_config, radios
from cellbed.scenario.dotted import parse_override
from cellbed.scenario.file import described
from cellbed.scenario.radio import CHANGES, Event

_DEADLINE_S = 5.0
_SECTION = re.compile(r"radio\.|radios\.([^.]+)\.")  # of the first radio network, or of a further one
# Short words for what one changes most, with the units that people type.
_SHORT = {"rate": "dl_rate", "up": "ul_rate", "loss": "loss_dl", "delay": "delay_ms", "outage": "outage_ms"}
_FLAG = "flush"  # needs no value
_IN_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def _joined(texts: Sequence[str]) -> list[str]:
    """Short words and their values may be apart, as those of `cellbed link` are."""
    found, words = [], iter(texts)
    for word in words:
        value = next(words, None) if word in _SHORT else None
        found.append(word if value is None else f"{word}={value}")
    return found


def parse(texts: Sequence[str]) -> dict[str, Any]:
    """Changes of a command line, such as 'radio.cqi_dl=4', 'rate=20Mbit' and 'outage=2s', or 'outage', '2s'.

    Raises:
        CellbedError: one is not key=value, or is given twice.
    """
    found: dict[str, Any] = {}
    for text in _joined(texts):
        bare = text.rpartition(".")[2] == _FLAG
        if "=" not in text and not bare:
            raise CellbedError(f"'{text}': expected key=value, such as cqi_dl=4, rate=20Mbit or outage=2s; or {_FLAG}")
        key, value = (text, True) if bare else parse_override(text)
        if key in found:
            raise CellbedError(f"{key} is given twice; give it once")
        found[key] = value
    return found


def requests(ue: str, changes: Mapping[str, Any]) -> list[tuple[str | None, dict[str, Any]]]:
    """What the daemon of a radio network is told, one for each change; the name of a further network comes with it.

    Raises:
        CellbedError: no such change, or its value is wrong, with what is allowed.
    """
    made = []
    for name, value in changes.items():
        section = _SECTION.match(name)
        key = name[section.end():] if section is not None else name
        key = _SHORT.get(key, key)
        if key not in CHANGES:
            raise CellbedError(f"key '{name}': unknown; allowed {', '.join([*CHANGES, *_SHORT])}")
        try:
            event = Event.model_validate({"at_s": 0, "ue": ue, key: _milliseconds(value) if key.endswith("_ms")
                                          else value})
        except ValidationError as error:
            raise CellbedError(described(error.errors()[0], Event)) from None
        (said,) = radio_config.events({"events": [event.model_dump(mode="json")]})
        request = {"cmd": "set", **{key: value for key, value in said.items() if key != "t_ms"}}
        made.append((section[1] if section is not None else None, request))
    return made


def _milliseconds(value: Any) -> Any:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s)", value) if isinstance(value, str) else None
    return value if match is None else float(match[1]) * _IN_MS[match[2]]


def directory_of(pid: int) -> Path:
    """The folder of the lab that a process runs. Raises CellbedError when it runs none."""
    for entry in ledger.living():
        if entry.owner_pid == pid:
            return entry.temporary
    raise CellbedError(f"process {pid} runs no lab")


def change(directory: Path, ue: str, changes: Mapping[str, Any]) -> None:
    """Change something of a lab that runs, one after the other.

    Raises:
        CellbedError: a change is wrong, or the radio refuses it, with what is allowed; none of the later ones is made.
        LabError: the lab cannot be asked.
    """
    wanted = requests(ue, changes)
    networks = dict.fromkeys(network for network, _ in wanted)
    try:
        with contextlib.ExitStack() as stack:
            lines = {network: _conversation(stack, directory, network) for network in networks}
            for network, request in wanted:
                lines[network].write(json.dumps(request) + "\n")
                lines[network].flush()
                answer = json.loads(lines[network].readline() or "null")
                if not isinstance(answer, dict):
                    raise LabError("the radio daemon ended")
                if not answer["ok"]:
                    raise CellbedError(str(answer["error"]).replace("key 'change.", "key '"))
    except (OSError, ValueError) as error:
        raise LabError(f"the radio daemon does not answer: {getattr(error, 'strerror', None) or error}") from None


def _conversation(stack: contextlib.ExitStack, directory: Path, network: str | None) -> IO[str]:
    """Lines to and from the daemon of a radio network. Raises CellbedError when the run has no such network."""
    if network is not None and not (directory / f"{radios.prefix(network)}{radio_config.CONTROL}").exists():
        raise CellbedError(f"key 'radios.{network}': the run that goes on has no such radio network")
    client = stack.enter_context(contextlib.closing(_connected(directory, network)))
    return stack.enter_context(client.makefile("rw"))


def _connected(directory: Path, network: str | None) -> socket.socket:
    """By way of its folder, as the path of a socket is short."""
    folder = os.open(directory, os.O_PATH | os.O_CLOEXEC)
    client = socket.socket(socket.AF_UNIX)
    try:
        client.settimeout(_DEADLINE_S)
        client.connect(f"/proc/self/fd/{folder}/{radios.prefix(network)}{radio_config.CONTROL}")
    except BaseException:
        client.close()
        raise
    finally:
        os.close(folder)
    return client
