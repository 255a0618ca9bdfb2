# SPDX-License-Identifier: GPL-2.0-or-later
"""What a link can deliver: its radio network with a UE for which packets always wait, and with one that pings.

The core runs between files (cellsim), without a kernel and without TCP, so minutes of a link take seconds, and the
same link and seed give the same bytes.
"""

from __future__ import annotations

import copy
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cellbed import paths
from cellbed.error import LabError
from cellbed.host.process import finished
from cellbed.link import links
from cellbed.run import address, radio_config
from cellbed.run.inventory import far_end
from cellbed.scenario import channel_trace, packet_trace
from cellbed.scenario.description import Run, expanded
from cellbed.scenario.file import validate

if TYPE_CHECKING:
    import numpy as np

#: From sub-frame 0 to where traffic starts; what is delivered before is left out.
LEAD_S = 1
_MS = 1_000_000
_NETWORK_PORT, _SGW_PORT = 128, 112  # added to the number of a UE; of the S-GW
_PING_BYTES = 84  # as ping sends by default
_PING_EVERY_MS = 200
_SERVER_MS = 40  # from the core network to what answers and back, in which a UE can fall asleep
_ANSWERS_S = 5  # after the last ping; one that takes longer is lost
_NUMBER_AT = 40  # of a ping, in the hexadecimal digits of its packet, behind the IPv4 header


@dataclass(frozen=True)
class Delivered:
    """What came out at a UE.

    Attributes:
        t_ns: (n,) since the start of the traffic.
        length: (n,) bytes of the IP packets.
    """

    t_ns: np.ndarray
    length: np.ndarray


def of(words: list[str], seed: int, seconds: int, overrides: tuple[str, ...] = ()) -> Run:
    """One run of a link's radio network: as for a download of so long.

    Args:
        words: [PRESET] [KEY VALUE]..., as for `cellbed link`.
    """
    data, path = links.build(words, None, overrides)
    ue = links.first_ue(data)
    far = far_end(validate(data, path).model_dump(mode="json", by_alias=True), ue)
    data["traffic"] = [{"id": "backlog", "from": far, "to": ue, "duration_s": seconds}]
    _, (run,) = expanded(copy.deepcopy(data), path, "", seeds=[seed])
    return run


def delivered(run: Run) -> Delivered:
    """What the first UE of a run gets when packets always wait for it.

    Raises:
        LabError: the radio network has no such UE, or the core refuses it.
    """
    import numpy as np

    with tempfile.TemporaryDirectory() as made:
        _simulate(run, Path(made), ["--backlog", _ue(run), "--seconds", str(_seconds(run))])
        lines = np.fromfile(Path(made) / "delivered.txt", dtype=np.int64, sep=" ").reshape(-1, 2)
    since_ns = lines[:, 0] - LEAD_S * 1000 * _MS
    return Delivered(since_ns[since_ns >= 0], lines[since_ns >= 0, 1])


@dataclass(frozen=True)
class Pinged:
    """What an idle UE sees of its radio network.

    Attributes:
        rtt_ms: (n,) of pings that came back, without the server's part.
        handover_ms: (m,) from where the UE left a cell to where it was in the next one.
    """

    rtt_ms: np.ndarray
    handover_ms: np.ndarray


def pinged(run: Run) -> Pinged:
    """Pings of the first UE, which has nothing else to send: one in each 0.2 s, at a random time of these, because a
    UE's clock knows nothing of the network's frames.

    The way up comes first; its results say when the answers start on their way down.
    """
    import numpy as np

    from cellbed_channel.stream import stream

    every, count = _PING_EVERY_MS * _MS, round(1000 * run.settings["traffic"][0]["duration_s"] / _PING_EVERY_MS)
    within = (stream(run.seed, "pings").random(count) * every).astype(np.int64)
    sent = LEAD_S * 1000 * _MS + every * np.arange(count, dtype=np.int64) + within
    requests = [(int(t), 1, number) for number, t in enumerate(sent.tolist())]
    port = _SGW_PORT if radio_config.cell(run.settings).get("sgw") else _NETWORK_PORT + 1
    with tempfile.TemporaryDirectory() as made:
        up = _arrived(run, Path(made), requests)
        answers = [(t + _SERVER_MS * _MS, port, count + number) for number, t in up.items()]
        both = _arrived(run, Path(made), requests + answers)
        gaps = _gaps_ms(Path(made))
    back = np.array([both[count + number] - sent[number] for number in range(count) if count + number in both])
    return Pinged(back / _MS - _SERVER_MS, gaps)


def _seconds(run: Run) -> int:
    """From sub-frame 0 to the end of the traffic."""
    return LEAD_S + round(run.settings["traffic"][0]["duration_s"])


def _ue(run: Run) -> str:
    return str(run.settings["traffic"][0]["to"])


def _arrived(run: Run, folder: Path, packets: list[tuple[int, int, int]]) -> dict[int, int]:
    """When packets (ns, port, number) came out, by number, in ns."""
    to = address.interfaces(run.settings["nodes"][_ue(run)])[0].ip.packed
    lines = []
    for t, port, number in sorted(packets):
        packet = bytes((0x45, *15 * (0,))) + to[:4] + number.to_bytes(8, "big")
        lines.append(f"{t} {port} {_PING_BYTES} 0 {packet.ljust(_PING_BYTES, bytes(1)).hex()}\n")
    (folder / "arrivals.txt").write_text("".join(lines))
    _simulate(run, folder, ["--arrivals", str(folder / "arrivals.txt"), "--seconds", str(_seconds(run) + _ANSWERS_S)])
    out = [line.split(" ") for line in (folder / "deliveries.txt").read_text().splitlines()]
    return {int(data[_NUMBER_AT:_NUMBER_AT + 16], 16): int(t) for t, _, length, _, data in out
            if int(length) == _PING_BYTES}


def _gaps_ms(folder: Path) -> np.ndarray:
    """From detach to attach of each handover, of the trace of a simulation."""
    import numpy as np

    from cellbed_analysis.radio.events import rows_of
    from cellbed_analysis.radio.handover import ARRIVAL, COMMAND, DETACH
    from cellbed_formats.trace import read_header, read_trace

    named = read_header(folder / "radio.trace").symbols.get("rrc", {})
    left, gaps = None, []
    for row in rows_of(read_trace(folder / "radio.trace", "radio"), "rrc").iter_rows(named=True):
        message = named.get(row["value"])
        if message in (COMMAND, DETACH):
            left = row["t_ns"]
        elif message == ARRIVAL and left is not None:
            gaps.append((row["t_ns"] - left) / _MS)
            left = None
    return np.array(gaps)


def _simulate(run: Run, folder: Path, arguments: list[str]) -> None:
    program = paths.BUILD / "emulator/sim/cellsim"
    if not program.exists():
        raise LabError(f"cellsim is not built ({program} is missing); {paths.SETUP}")
    if not (folder / channel_trace.FILE).exists():
        channel_trace.render(folder, run.settings, run.seed, Path(run.file).parent)
        packet_trace.render(folder, run.settings, Path(run.file).parent)
    config: dict[str, Any] = radio_config.daemon(run.settings, folder, run.seed, [], False, 0, {})
    (folder / "celld.json").write_text(json.dumps(config))
    finished([program, "--config", folder / "celld.json", *arguments, "--out", folder])
