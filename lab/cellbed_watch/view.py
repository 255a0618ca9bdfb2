# SPDX-License-Identifier: GPL-2.0-or-later
"""What the traces of a run say up to now: TCP connections, UEs, the radio's counters, and what happened last."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from cellbed_channel.trace import UNKNOWN_SINR
from cellbed_formats.address import numbers_of_node, text_of
from cellbed_formats.trace import INFINITE_SSTHRESH
from cellbed_formats.translation import Translation

from .place import Place
from .tail import TraceTail

SHOWN_EVENTS = 200
HISTORY = 1200
#: The view has a point for each so much time of the run.
STEP_S = 0.1
#: Rates are over about so much.
RATE_S = 1.0
#: A trace waits so much for the other one, which may have nothing to say.
HOLD_NS = 1_500_000_000
DIRECTIONS = {0: "ul", 1: "dl", 2: "sl"}
MODES = {0: "im", 1: "dm"}
#: Rows of radio.trace that are told one by one, or together where they come together: words.
TOLD = {
    "route": "mode switch", "rrc": "handover", "radio_link_failure": "radio link failure",
    "reestablished": "re-established", "flush": "flush", "rlc_discard": "RLC discard", "harq_failure": "HARQ failure",
    "pkt_drop": "packet dropped", "t_reordering": "t-Reordering", "control_missed": "assignment missed",
    "ra_collision": "RA collision",
}  # fmt: skip
#: Counters of a view: row of radio.trace -> words.
COUNTED = {
    "mac_tx": "MAC PDUs sent", "harq_nack": "HARQ NACKs", "harq_tx": "HARQ retransmissions",
    "harq_failure": "HARQ failures", "mac_lost": "blocks lost", "rlc_tx": "RLC data PDUs",
    "rlc_retx": "RLC retransmissions", "rlc_status_tx": "RLC STATUS PDUs",
    "t_poll_retransmit": "t-PollRetransmit expired", "t_reordering": "t-Reordering expired",
    "rlc_discard": "RLC discards", "pkt_out": "packets delivered", "pkt_drop": "packets dropped",
}  # fmt: skip


@dataclass
class Connection:
    """The sending end of a TCP connection, as the kernel has it."""

    name: str
    cwnd: int = 0
    ssthresh: int | None = None
    srtt_ms: float | None = None
    flight: int = 0
    retransmissions: int = 0
    timeouts: int = 0
    mbps: float = 0.0
    marks: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=64), repr=False)  # time, bytes acked
    acked: int = 0
    una: int | None = None


@dataclass
class SharedChannel:
    """One direction of a UE's link."""

    cqi: int | None = None
    sinr_db: float | None = None
    mcs: int | None = None
    queue_bytes: int = 0
    queue_pkts: int = 0
    sn: int | None = None  # of RLC's last data PDU


class View:
    """Reads on at every `look`; times are s after the start of the traffic."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.description = place.description()
        self.radio = TraceTail(lambda: place.path("radio.trace"))
        self.tcp = TraceTail(lambda: place.path("tcp.trace"))
        self.waiting: list[Any] = [np.zeros(0), np.zeros(0)]  # rows that are read and not taken in, of radio and probe
        self.newest = [0, 0]
        self.zero_ns: int | None = None
        self.t_s = 0.0
        self.connections: dict[tuple[int, ...], Connection] = {}
        self.channels: dict[tuple[str, str], SharedChannel] = {}
        self.modes: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.drops: Counter[str] = Counter()
        self.events: deque[tuple[float, str]] = deque(maxlen=SHOWN_EVENTS)
        self.told: list[tuple[float, str]] = []  # in the step that is taken in
        self.history: deque[dict[str, Any]] = deque(maxlen=HISTORY)
        self.points = 0  # of the history, with those that it has dropped
        self.numbers: dict[int, str] = {}
        self.hosts: dict[int, str] = {}  # names by numbers of addresses
        self.ended: str | None = None

    def look(self) -> bool:
        """Take in what was written since. Return: whether there was anything."""
        verdict = self.place.verdict()  # before the last look, so that nothing is missed
        if not self._know():
            self.ended = verdict
            return False
        read = self.radio.read(), self.tcp.read()
        new = any(map(len, read))
        self.waiting = [np.concatenate(pair) if len(pair[0]) else pair[1]
                        for pair in zip(self.waiting, read, strict=True)]
        self._step(*self._due(all_of_it=verdict is not None and not new))
        if not new:
            self.ended = verdict
        return new

    def _due(self, all_of_it: bool) -> list[np.ndarray]:
        """Rows up to the time that both traces have come to: the probe hands its samples over once a second."""
        last = [int(rows["t_ns"].max()) for rows in self.waiting if len(rows)]
        self.newest = [max(was, int(rows["t_ns"].max())) if len(rows) else was
                       for was, rows in zip(self.newest, self.waiting, strict=True)]
        if all_of_it or not last:
            due, self.waiting = self.waiting, [rows[:0] for rows in self.waiting]
            return due
        until = max(min(self.newest), max(self.newest) - HOLD_NS)
        due = [rows[rows["t_ns"] <= until] if len(rows) else rows for rows in self.waiting]
        self.waiting = [rows[rows["t_ns"] > until] if len(rows) else rows for rows in self.waiting]
        return due

    def _know(self) -> bool:
        """Names and the start of the traffic, which come to be known while the run starts."""
        if self.zero_ns is None:
            self.zero_ns = self.place.zero_ns()
            ues = self.place.json("celld.json").get("cell", {}).get("ues", [])
            self.numbers = {i + 1: ue["name"] for i, ue in enumerate(ues)} | {0: "eNB"}
            settings = self.description.get("settings", {})
            self.hosts = {number: name for name, node in settings.get("nodes", {}).items()
                          for number in numbers_of_node(node)}
            translation = Translation.of(settings)
            self.hosts |= {} if translation is None else translation.hosts
        return self.zero_ns is not None

    def _step(self, radio: np.ndarray, tcp: np.ndarray) -> None:
        """Rows in steps of the view's time, so that a view that reads much at once has the same points as one that
        reads often."""
        if not len(radio) and not len(tcp):
            return
        times = [frame["t_ns"] for frame in (radio, tcp) if len(frame)]
        step_ns = round(STEP_S * 1e9)
        first = min(int(t.min()) for t in times)
        last = max(int(t.max()) for t in times)
        for begin in range(first - (first - (self.zero_ns or 0)) % step_ns, last + 1, step_ns):
            rows = [frame[(frame["t_ns"] >= begin) & (frame["t_ns"] < begin + step_ns)] for frame in (radio, tcp)]
            if len(rows[0]) or len(rows[1]):
                self.told = []
                self._radio_rows(rows[0])
                self._tcp_rows(rows[1])
                self.events.extend(sorted(self.told))
                self.t_s = max(self.t_s, (min(begin + step_ns, last) - (self.zero_ns or 0)) / 1e9)
                self._remember()

    # --- TCP ---

    def _tcp_rows(self, rows: np.ndarray) -> None:
        kinds = {name: number for number, name in self.tcp.names("kind").items()}
        if len(rows):  # while a connection opens and closes its numbers are not those of its data
            rows = rows[(rows["kind"] != kinds.get("state", -1)) & (rows["snd_una"] != 0)]
        if not len(rows):
            return
        ends = np.stack([rows[name].astype(np.int64) for name in ("saddr", "sport", "daddr", "dport")], axis=1)
        unique, where = np.unique(ends, axis=0, return_inverse=True)
        for index, key in enumerate(map(tuple, unique.tolist())):
            own = rows[where.ravel() == index]
            if key not in self.connections:
                self.connections[key] = Connection(self._connection_name(key))
            self._sample(self.connections[key], own, kinds)

    def _connection_name(self, key: tuple[int, ...]) -> str:
        saddr, sport, daddr, dport = key
        source, sink = (self.hosts.get(number) or text_of(number, {}) for number in (saddr, daddr))
        return f"{source}:{sport} to {sink}:{dport}"

    def _sample(self, connection: Connection, rows: np.ndarray, kinds: dict[str, int]) -> None:
        last = rows[-1]
        una = int(last["snd_una"])
        if connection.una is not None:
            ahead = (una - connection.una + 2**31) % 2**32 - 2**31
            connection.acked += max(ahead, 0)
        connection.una = una
        connection.cwnd, connection.flight = int(last["snd_cwnd"]), int(last["packets_out"])
        threshold = int(last["snd_ssthresh"])
        connection.ssthresh = None if threshold >= INFINITE_SSTHRESH else threshold
        connection.srtt_ms = int(last["srtt_us"]) / 1000 or connection.srtt_ms
        connection.retransmissions = int(rows["total_retrans"].max())
        t_s = (int(last["t_ns"]) - (self.zero_ns or 0)) / 1e9
        connection.marks.append((t_s, connection.acked))
        while len(connection.marks) > 2 and connection.marks[1][0] < t_s - RATE_S:
            connection.marks.popleft()
        since_s, since = connection.marks[0]
        connection.mbps = (connection.acked - since) * 8 / 1e6 / (t_s - since_s) if t_s > since_s else 0.0
        timers = rows[rows["kind"] == kinds.get("rto", -1)]
        again = rows[rows["kind"] == kinds.get("retransmit", -1)]
        connection.timeouts += len(timers)
        for row in timers:
            self._tell(row, f"timeout, cwnd {row['snd_cwnd']}: {connection.name}")
        if len(again) and not len(timers):
            self._tell(again[0], f"{len(again)} × retransmission, cwnd {again[0]['snd_cwnd']}: {connection.name}")

    # --- the radio ---

    def _radio_rows(self, rows: np.ndarray) -> None:
        if not len(rows):
            return
        names = self.radio.names("event")
        values, counts = np.unique(rows["event"], return_counts=True)
        present = {names.get(int(value), ""): (int(value), int(n)) for value, n in zip(values, counts, strict=True)}
        for event, (value, count) in present.items():
            self.counts[event] += count
            own = rows[rows["event"] == value]
            if event in ("buffer", "grant", "channel", "rlc_tx", "route"):
                self._state(event, own)
            if event in TOLD:
                self._told(event, own)

    def _has_scg(self) -> bool:
        """Rows of RRC are about the second cell group of dual connectivity, and there are no handovers."""
        return bool(self.description.get("settings", {}).get("radio", {}).get("system") == "en_dc")

    def _state(self, event: str, rows: np.ndarray) -> None:
        """The last row of each link."""
        keys = rows["node"].astype(np.int64) << 16 | rows["peer"].astype(np.int64) << 8 | rows["dir"]
        _, backwards = np.unique(keys[::-1], return_index=True)
        for row in rows[len(rows) - 1 - backwards]:
            direction = DIRECTIONS.get(int(row["dir"]), "?")
            down = direction == "dl" or (event == "grant" and int(row["node"]) == 0)
            ue = self.numbers.get(int(row["peer" if down else "node"]))
            if event == "route":
                self.modes[self.numbers.get(int(row["node"]), "?")] = MODES.get(int(row["value"]), "?")
                continue
            if ue is None or ue == "eNB":
                continue
            channel = self.channels.setdefault((ue, direction), SharedChannel())
            if event == "buffer":
                channel.queue_bytes, channel.queue_pkts = int(row["bytes"]), int(row["value"])
            elif event == "rlc_tx":
                channel.sn = int(row["sn"])
            else:
                channel.cqi = int(row["cqi"])
                if event == "grant":
                    channel.mcs = int(row["mcs"])
                elif int(row["value"]) != UNKNOWN_SINR:
                    channel.sinr_db = int(row["value"]) / 100

    def _told(self, event: str, rows: np.ndarray) -> None:
        words = "SCG" if event == "rrc" and self._has_scg() else TOLD[event]
        if event == "pkt_drop":
            reasons = self.radio.names("drop")
            for value, count in zip(*np.unique(rows["value"], return_counts=True), strict=True):
                reason = reasons.get(int(value), "?").replace("_", " ")
                self.drops[reason] += int(count)
                self._tell(rows[rows["value"] == value][0], f"{count} × {words}: {reason}")
        elif event in ("route", "rrc"):
            for row in rows:
                ue = self.numbers.get(int(row["node" if event == "route" else "peer"]), "?")
                to = MODES.get(int(row["value"]), "?") if event == "route" else \
                    self.radio.names("rrc").get(int(row["value"]), "?").replace("_", " ")
                self._tell(row, f"{words}: {ue}, {to}")
        else:
            self._tell(rows[0], f"{len(rows)} × {words}" if len(rows) > 1 else words)

    def _tell(self, row: Any, text: str) -> None:
        self.told.append(((int(row["t_ns"]) - (self.zero_ns or 0)) / 1e9, text))

    # --- what is shown ---

    def main(self) -> Connection | None:
        """The connection that had most acknowledged."""
        return max(self.connections.values(), key=lambda c: c.acked, default=None)

    def senders(self) -> list[Connection]:
        """Connections that send something, those that had most acknowledged first."""
        found = [c for c in self.connections.values() if c.acked > 0 or c.retransmissions or c.timeouts]
        return sorted(found, key=lambda c: -c.acked)

    def _remember(self) -> None:
        main = self.main()
        queues = [channel.queue_bytes for channel in self.channels.values()] if self.counts["buffer"] else []
        busiest = max(self.channels.values(), key=lambda channel: (channel.queue_bytes, channel.sn or 0),
                      default=SharedChannel())
        self.points += 1
        self.history.append({
            "t": round(self.t_s, 3), "cwnd": main.cwnd if main else None, "ssthresh": main.ssthresh if main else None,
            "srtt": main.srtt_ms if main else None, "mbps": round(main.mbps, 3) if main else None,
            "queue": max(queues) / 1000 if queues else None, "cqi": busiest.cqi, "sinr": busiest.sinr_db,
        })  # fmt: skip

    def snapshot(self) -> dict[str, Any]:
        """All of it but the history, ready for JSON."""
        channels = [{"ue": ue, "direction": direction, "mode": self.modes.get(ue), **asdict(state)}
                    for (ue, direction), state in sorted(self.channels.items())]
        connections = [{name: getattr(c, name) for name in (
            "name", "cwnd", "ssthresh", "srtt_ms", "flight", "retransmissions", "timeouts", "mbps")}
            for c in self.senders()[:8]]
        counts = {words: self.counts[event] for event, words in COUNTED.items() if self.counts[event]}
        return {"run": self.place.name, "scenario": self.description.get("scenario", ""),
                "variant": self.description.get("variant", ""), "seed": self.description.get("seed"),
                "lab": self.description.get("lab", ""), "t": round(self.t_s, 3), "connections": connections,
                "channels": channels, "counts": counts, "drops": dict(self.drops),
                "events": [[round(t, 3), text] for t, text in list(self.events)[-40:]], "ended": self.ended}

    def close(self) -> None:
        self.radio.close()
        self.tcp.close()
