# SPDX-License-Identifier: GPL-2.0-or-later
"""Entities of NR's RLC in Python: their headers through cffi, one object for the two ends of a bearer.

Beside each half runs its counterpart of `rlc_nr_reader`: what it sends, delivers and waits for is what that says.
"""

from coreffi import NEVER
from rlc_nr_reader import AmReceiver, AmTransmitter, Status, UmReceiver, read_am, read_um
from rlcffi import BUF_BYTES, Ends, ffi, lib, payload

RUNS = 16  # RLC_RANGES_MAX
ROOM_MAX = 4000

allocate = ffi.new_allocator(should_clear_after_alloc=False)


def garbage(kind: str, n: int):
    """Memory of @n elements that nobody has cleared."""
    array = allocate(kind, n)
    ffi.buffer(array)[:] = b"\xee" * len(ffi.buffer(array))
    return array


class NrEnds(Ends):
    """What both modes of NR share: the store."""

    def __init__(self, n: int):
        super().__init__(ROOM_MAX)
        self.n = n
        self._sdus, self._parts = garbage("struct nr_sdu[]", n), garbage("struct nr_part[]", n)
        self._spares = garbage("struct pkt[]", n)
        self.store = ffi.new("struct nr_store *", {
            "sdu": self._sdus, "part": self._parts, "spare": self._spares,
            "n_sdus": n, "fresh_sdus": n, "fresh_parts": n})  # fmt: skip

    def parts_in_use(self) -> int:
        free, p = 0, self.store.free_parts
        while p:
            free, p = free + 1, p.next
        return len(self._parts) - free - self.store.fresh_parts

    def _take(self) -> int:
        assert self.out.foreign_sdus == 0
        return super()._take()


def due(t_ns: int) -> int | None:
    return None if t_ns == NEVER else t_ns


class Am(NrEnds):
    """A transmitter and the receiver of its peer; @start: the first SN; @n: SDUs in the window at most."""

    def __init__(self, cfg: dict, start: int = 0, n: int = 300):
        super().__init__(n)
        self.sn_bits = cfg["sn_bits"]
        size = 1 << self.sn_bits - 1
        self._slot = garbage("uint32_t[]", size)
        self._bits = garbage("uint64_t[]", 2 * size // 64)
        self.tx, self.rx = ffi.new("struct nr_am_tx *"), ffi.new("struct nr_am_rx *")
        tx_cfg = {name: cfg[name] for name in ("sn_bits", "poll_pdu", "poll_byte", "t_poll_retransmit_ns")}
        tx_cfg |= {"max_retx_threshold": 255, "queue_limit": 10000}
        lib.nr_am_tx_init(self.tx, ffi.new("struct nr_am_cfg *", tx_cfg), self._slot, self.store)
        lib.nr_am_rx_init(self.rx, self.sn_bits, cfg["t_reassembly_ns"], cfg["t_status_prohibit_ns"], self._bits,
                          self.tx, self.store)  # fmt: skip
        self.tx.tx_next = start
        self.tx.poll_sn = (start - 1) % (1 << self.sn_bits)
        self.rx.rx_next = self.rx.rx_next_status_trigger = self.rx.rx_highest_status = self.rx.rx_next_highest = start
        self.sender = AmTransmitter(self.sn_bits, cfg["poll_pdu"], cfg["poll_byte"], cfg["t_poll_retransmit_ns"],
                                    start, RUNS)  # fmt: skip
        self.receiver = AmReceiver(self.sn_bits, cfg["t_reassembly_ns"], start, RUNS)

    def push(self, length: int):
        super().push(length)
        self.sender.push(payload(len(self.packets) - 1, length))

    def transmit(self, room: int, now_ns: int) -> bytes:
        built = lib.nr_am_tx_build(self.tx, room, now_ns, self._buf)
        assert built.size <= room
        pdu = bytes(ffi.buffer(self._buf, built.size))
        if pdu:
            self.sender.send(read_am(pdu, self.sn_bits), now_ns)
        return pdu

    def status(self, room: int, now_ns: int) -> bytes:
        ready, size = self.rx.status_due and self.rx.prohibit_expiry_ns == NEVER, lib.nr_am_rx_status_bytes(self.rx)
        ack_sn, n = ffi.new("uint32_t *"), ffi.new("uint32_t *")
        pdu = bytes(ffi.buffer(self._buf, lib.nr_am_rx_status_build(self.rx, room, now_ns, self._buf, ack_sn, n)))
        assert bool(pdu) == (ready and room >= 3)
        assert ready == (size > 0)
        if pdu:
            assert len(pdu) == size or len(pdu) <= room < size
            status = read_am(pdu, self.sn_bits)
            assert isinstance(status, Status)
            assert (status.ack_sn, len(status.nacks)) == (ack_sn[0], n[0])
            self.receiver.check_status(status, room)
        return pdu

    def receive(self, pdu: bytes, now_ns: int):
        assert lib.nr_am_rx_receive(self.rx, pdu, len(pdu), now_ns, self.out) >= 0
        self.receiver.receive(read_am(pdu, self.sn_bits), now_ns)
        self._take()

    def receive_status(self, pdu: bytes) -> int:
        reader = ffi.new("struct nr_status_reader *")
        buf = ffi.new("uint8_t[]", pdu)
        assert lib.nr_status_open(reader, self.sn_bits, buf, len(pdu)) == 0
        self.sender.hear(read_am(pdu, self.sn_bits))
        return lib.nr_am_tx_status(self.tx, reader[0])

    @property
    def to_send(self) -> int:
        return lib.nr_am_tx_bytes(self.tx)

    @property
    def to_report(self) -> int:
        return lib.nr_am_rx_status_bytes(self.rx)

    @property
    def next_expiry(self) -> int:
        return min(self.tx.expiry_ns, self.rx.reassembly_expiry_ns, self.rx.prohibit_expiry_ns)

    def expire(self, now_ns: int):
        if self.rx.reassembly_expiry_ns <= now_ns:
            lib.nr_am_rx_expire(self.rx, now_ns)
            self.receiver.expire(now_ns)
        if self.tx.expiry_ns <= now_ns:
            lib.nr_am_tx_expire(self.tx)
            self.sender.expire()
        if self.rx.prohibit_expiry_ns <= now_ns:
            self.rx.prohibit_expiry_ns = NEVER

    def check(self):
        """Variables, timers and counters are those of the other reading of the standard."""
        tx, rx, sender, receiver = self.tx, self.rx, self.sender, self.receiver
        turn = 1 << self.sn_bits
        assert tx.tx_next == sender.next % turn
        assert (tx.first.sn if tx.first else tx.tx_next) == sender.next_ack % turn
        assert due(tx.expiry_ns) == sender.timer
        assert (tx.pdu_without_poll, tx.byte_without_poll, tx.poll_due) == (sender.pdus, sender.bytes, sender.poll_due)
        assert tx.retx_bytes == sum(map(len, sender.pending.values()))
        assert tx.queue.bytes == sender.unsent
        counts, sdu = {}, tx.first
        while sdu:
            counts[sdu.sn] = sdu.retx_count if sdu.considered else -1
            sdu = sdu.next
        assert counts == {sn % turn: sender.retx_count.get(sn, -1) for sn in sorted(sender.sent)}
        assert (rx.rx_next, rx.rx_highest_status, rx.rx_next_highest) == (
            receiver.next % turn, receiver.highest_status % turn, receiver.next_highest % turn)  # fmt: skip
        assert (due(rx.reassembly_expiry_ns), rx.status_due) == (receiver.timer, receiver.due)
        assert len(self.delivered) == len(receiver.delivered)
        assert self.delivered[-20:] == [(sn - sender.start, data) for sn, data in receiver.delivered[-20:]]


class Um(NrEnds):
    """A transmitter and the receiver of its peer."""

    def __init__(self, sn_bits: int, t_reassembly_ns: int, n: int = 200):
        super().__init__(n)
        self.sn_bits = sn_bits
        size = 1 << sn_bits - 1
        self._bits = garbage("uint64_t[]", (size + 63) // 64)
        self.tx, self.rx = ffi.new("struct nr_um_tx *"), ffi.new("struct nr_um_rx *")
        lib.nr_um_tx_init(self.tx, sn_bits, 1000)
        lib.nr_um_rx_init(self.rx, sn_bits, t_reassembly_ns, self._bits, self.store)
        self.receiver = UmReceiver(sn_bits, t_reassembly_ns, runs_max=RUNS)

    def transmit(self, room: int):
        """Return: the PDU, the packet that ends in it, the number of the packet of which it has bytes."""
        ends = ffi.new("struct pkt_queue *")
        built = lib.nr_um_tx_build(self.tx, room, self._buf, ends)
        assert built.size <= room
        if built.ends:
            ffi.memmove(ends.head.buf, b"\xee" * BUF_BYTES, BUF_BYTES)  # the receiver has only what is on the air
        return bytes(ffi.buffer(self._buf, built.size)), ends, built.pkt

    def receive(self, pdu: bytes, ends, now_ns: int) -> int:
        """Return: PDUs and partial SDUs that were discarded."""
        sn = ffi.new("uint32_t *")
        assert lib.nr_um_rx_receive(self.rx, pdu, len(pdu), ends, now_ns, self.out, sn) == 0
        read = read_um(pdu, self.sn_bits)
        assert sn[0] == (0xFFFFFFFF if read.sn is None else read.sn)
        self.receiver.receive(read, now_ns)
        return self._take()

    @property
    def next_expiry(self) -> int:
        return self.rx.expiry_ns

    def expire(self, now_ns: int):
        lib.nr_um_rx_expire(self.rx, now_ns, self.out)
        self.receiver.expire(now_ns)
        self._take()

    def check(self):
        turn, rx, receiver = 1 << self.sn_bits, self.rx, self.receiver
        assert (rx.rx_next_reassembly, rx.rx_next_highest) == (receiver.reassembly % turn, receiver.highest % turn)
        assert due(rx.expiry_ns) == receiver.timer
        arrived = [data for _, data in receiver.delivered] + receiver.whole
        assert sorted(data for _, data in self.delivered) == sorted(arrived)
        waiting = {sn for sn, sdu in receiver.sdus.items() if not sdu.complete and sn >= receiver.reassembly}
        assert self.parts_in_use() == rx.window.n_parts == len(waiting)
