# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the receiver of TCP connections of this kernel, segment by segment, behind a TUN device.

Runs in a guest in virtual time. Reads cases as JSON from the command line, prints one JSON object of name: events.
An event is [time in us, what, segment, state, cwnd, ssthresh, ecn, info]: `what` is `sent` (the kernel sent that
segment, counted from 0) or `ack` (it got an ACK that asks for that segment); state to ssthresh are TCP_INFO right after
it, ecn is the segment's ECN field, or the ACK's ACE field, and info is what the congestion control says of itself
(TCP_CC_INFO), as words. Source of Accurate ECN: RFC 9768 3.1.1, 3.2.2.
"""

import fcntl
import heapq
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time

MSS = 1000
WSCALE = 4
HOST, PEER = "10.9.0.1", "10.9.0.2"
FIN, SYN, RST, ACK = 1, 2, 4, 16
ECE, CWR, AE = 64, 128, 256
TCP_CC_INFO = 26
# What a SYN-ACK says of a SYN with that ECN field.
SYN_WAS = {0: CWR, 1: CWR | ECE, 2: AE}
# The ACE field counts from there.
CEP = 5
# As the runner's profile `paper`; SACK and the kind of recovery belong to the case.
SYSCTLS = {"tcp_timestamps": 0, "tcp_dsack": 0, "tcp_recovery": 0, "tcp_early_retrans": 0, "tcp_frto": 0, "tcp_ecn": 0,
           "tcp_no_metrics_save": 1}


# Of Linux 7: none, as an option makes a segment shorter.
ACCECN_OPTION = "tcp_ecn_option"


def sysctl(name, value):
    with open(f"/proc/sys/net/ipv4/{name}", "w") as f:
        f.write(str(value))


def open_tun():
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", b"tun0", 0x1001))  # TUNSETIFF: IFF_TUN | IFF_NO_PI
    for command in (f"address add {HOST}/24 dev tun0", "link set tun0 up"):
        subprocess.run(["ip", *command.split()], check=True)
    return tun


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Peer:
    def __init__(self, tun, port, case):
        self.tun, self.port, self.case = tun, port, case
        self.events, self.due, self.received = [], [], set()
        self.expected = self.passed = self.written = 0
        self.late = set(case["late"])
        self.to_lose, self.marked, self.n_marked = list(case["lost"]), set(case["marked"]), 0
        self.rtt_ns, self.losing = case["rtt_ms"] * 1_000_000, 0
        self.spacing_ns = int(self.rtt_ns / case["per_rtt"])
        sysctl("tcp_sack", int(case["sack"]))
        sysctl("tcp_reno_recovery", case["recovery"])
        self.sock = socket.socket()
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, case["congestion_control"].encode())
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.setblocking(False)
        time.sleep(-time.monotonic_ns() % self.rtt_ns / 1e9)  # no case depends on how long the one before took
        self.sock.connect_ex((PEER, port))
        (self.host_port, self.isn, flags, ecn), = self.read()
        time.sleep(self.rtt_ns / 1e9)
        self.accecn = case["accecn"] and flags & (AE | CWR | ECE) == AE | CWR | ECE
        self.write(SYN | ACK | (SYN_WAS[ecn] if self.accecn else 0), self.isn + 1,
                   struct.pack("!BBH", 2, 4, MSS) + (b"\4\2\1\1" if case["sack"] else b"") +
                   struct.pack("!BBBB", 1, 3, 3, WSCALE))
        self.read()

    def read(self):
        """(port, sequence number, flags, ECN field) of every segment that waits."""
        segments = []
        while True:
            try:
                packet = os.read(self.tun, 2048)
            except BlockingIOError:
                return segments
            if packet[0] >> 4 == 4 and struct.unpack_from("!H", packet, 22)[0] == self.port:
                port, _, seq, _, flags = struct.unpack_from("!HHIIH", packet, 20)
                segments.append((port, seq, flags & 0x1FF, packet[1] & 3))

    def write(self, flags, ack, options=b""):
        seq = 0 if flags & SYN else 1
        tcp = struct.pack("!HHIIHHHH", self.port, self.host_port, seq, ack & 0xFFFFFFFF,
                          (20 + len(options)) << 10 | flags,
                          min(self.case["window"] * MSS >> (0 if flags & SYN else WSCALE), 0xFFFF), 0, 0) + options
        addresses = socket.inet_aton(PEER) + socket.inet_aton(HOST)
        tcp = tcp[:16] + struct.pack("!H", checksum(addresses + struct.pack("!HH", 6, len(tcp)) + tcp)) + tcp[18:]
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + addresses
        os.write(self.tun, ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + tcp)

    def log(self, what, segment, ecn):
        info = self.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 84)
        words = struct.unpack_from("19I", info, 8)
        said = self.sock.getsockopt(socket.IPPROTO_TCP, TCP_CC_INFO, 20)
        self.said = struct.unpack(f"{len(said) // 4}I", said)
        self.events.append([time.monotonic_ns() // 1000, what, segment, info[1], words[18], words[17], ecn,
                            self.said])

    def sacked(self, newest):
        """SACK blocks, the one of the newest segment first. Source: RFC 2018 4."""
        blocks = []
        for n in sorted(self.received):
            if n < self.expected:
                continue
            if blocks and blocks[-1][1] == n:
                blocks[-1][1] += 1
            else:
                blocks.append([n, n + 1])
        return sorted(blocks, key=lambda block: not block[0] <= newest < block[1])

    def arrive(self, segment):
        """A segment arrives; its ACK is back at once: all the delay is in front of the peer."""
        again = [[segment, segment + 1]] if segment in self.received else []  # Source: RFC 2883 4
        self.received.add(segment)
        while self.expected in self.received:
            self.expected += 1
        options = b""
        if self.case["sack"] and (blocks := (again + self.sacked(segment))[:4]):
            edges = [(self.isn + 1 + MSS * n) & 0xFFFFFFFF for block in blocks for n in block]
            options = struct.pack(f"!BBBB{len(edges)}I", 1, 1, 5, 2 + 4 * len(edges), *edges)
        self.n_marked += segment in self.marked
        ace = (CEP + self.n_marked) % 8 if self.accecn else 0
        self.write(ACK | ace * ECE, self.isn + 1 + MSS * self.expected, options)
        self.log("ack", self.expected, ace)

    def schedule(self, segment):
        if segment in self.to_lose:
            self.to_lose.remove(segment)
            return
        if self.case["losing"] and self.case["losing"]["info"] == list(self.said[3:5]):
            self.losing += 1
            if self.losing % self.case["losing"]["every"] == 0:
                return
        at = self.passed = max(time.monotonic_ns() + self.rtt_ns, self.passed + self.spacing_ns)
        if self.case["compressed"]:  # ACKs of one RTT come together
            at = -(-at // self.rtt_ns) * self.rtt_ns
        if segment in self.late:  # once, by half an RTT
            self.late.remove(segment)
            at += self.rtt_ns // 2
        heapq.heappush(self.due, (at, len(self.events), segment))

    def offer(self, segments):
        """Give the socket data until that many segments were written."""
        while self.written < segments * MSS:
            try:
                self.written += self.sock.send(bytes(min(segments * MSS - self.written, 64 * MSS)))
            except BlockingIOError:
                return

    def transfer(self, segments):
        """Until that many segments are acknowledged."""
        while self.expected < segments:
            self.offer(segments)
            for _, seq, _, ecn in self.read():
                segment = ((seq - self.isn - 1) & 0xFFFFFFFF) // MSS
                self.log("sent", segment, ecn)
                self.schedule(segment)
            wait_ns = self.due[0][0] - time.monotonic_ns() if self.due else 5_000_000_000
            if wait_ns <= 0:
                self.arrive(heapq.heappop(self.due)[2])
            elif not select.select([self.tun], [], [], wait_ns / 1e9)[0] and not self.due:
                raise TimeoutError(f"{self.case}: the kernel sends nothing more; {self.events[-5:]}")

    def execute(self):
        for segments in self.case["transfers"]:
            self.transfer(segments)
            time.sleep(0.6)
        self.sock.close()
        self.read()
        return self.events


def main(cases):
    for name, value in SYSCTLS.items():
        sysctl(name, value)
    if os.path.exists(f"/proc/sys/net/ipv4/{ACCECN_OPTION}"):
        sysctl(ACCECN_OPTION, 0)
    tun = open_tun()
    print(json.dumps({name: Peer(tun, 5000 + i, case).execute() for i, (name, case) in enumerate(cases.items())}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
