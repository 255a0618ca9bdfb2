# SPDX-License-Identifier: GPL-2.0-or-later
"""A bearer of RLC AM, of LTE or of NR, whose channel in each direction is a list of the PDUs in flight."""

from dataclasses import dataclass, field
from typing import Any

from coreffi import NEVER
from rlcffi import EBADMSG, payload

ARRIVE, LOSE, WAIT, TWICE, REVERSE = range(5)


def pass_on(in_flight, fates, receive):
    """PDUs arrive, once or twice, before or behind the others, or never. Return: those that wait."""
    fates = [fates[i % len(fates)] for i in range(len(in_flight))]
    there = list(zip(in_flight, fates, strict=True))
    for pdu in [pdu for pdu, fate in there if fate in (ARRIVE, TWICE)]:
        receive(pdu)
    for pdu in [pdu for pdu, fate in reversed(there) if fate in (REVERSE, TWICE)]:
        receive(pdu)
    return [pdu for pdu, fate in there if fate == WAIT]


@dataclass
class Link:
    """Two ends and what is in flight between them."""

    am: Any  # of rlcffi or rlcnrffi
    now_ns: int = 0
    data: list = field(default_factory=list)
    status: list = field(default_factory=list)
    sizes: list = field(default_factory=list)

    def push(self, length):
        self.am.push(length)
        self.sizes.append(length)

    def grant(self, room):
        """Room for a MAC PDU's worth of RLC PDUs."""
        while pdu := self.am.transmit(room, self.now_ns):
            self.data.append(pdu)
            room -= len(pdu)

    def report(self, room):
        if pdu := self.am.status(room, self.now_ns):
            self.status.append(pdu)

    def arrive(self, fates):
        """Every PDU in flight meets its fate; those that wait are overtaken by later ones."""
        self.data = pass_on(self.data, fates, lambda pdu: self.am.receive(pdu, self.now_ns))

    def arrive_status(self, fates):
        def receive(pdu):
            assert self.am.receive_status(pdu) in (0, EBADMSG)  # an old one says nothing

        self.status = pass_on(self.status, fates, receive)

    def tick(self, ns):
        until = self.now_ns + ns
        while self.am.next_expiry <= until:
            self.now_ns = self.am.next_expiry
            self.am.expire(self.now_ns)
        self.now_ns = until

    def do(self, action):
        getattr(self, action[0])(*action[1:])
        self.check()

    def check(self):
        """What holds whatever was done."""
        numbers = [number for number, _ in self.am.delivered]
        assert len(set(numbers)) == len(numbers)
        for number, data in self.am.delivered[-20:]:
            assert data == payload(number, self.sizes[number])
        assert not self.am.discarded

    def drain(self, room, status_room):
        """Losses are over. Return: rounds until nothing is left to do."""
        for n in range(20000):
            for action in (("grant", room), ("arrive", [ARRIVE]), ("report", status_room), ("arrive_status", [ARRIVE])):
                self.do(action)
            if not self.am.to_send and self.am.next_expiry == NEVER:
                return n
            if not self.am.to_send and not self.am.to_report:
                self.do(("tick", max(self.am.next_expiry - self.now_ns, 0)))
        raise AssertionError("it never ends")
