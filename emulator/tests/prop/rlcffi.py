# SPDX-License-Identifier: GPL-2.0-or-later
"""RLC entities of the core in Python: their headers through cffi, one object for the two ends of a bearer.

Those of NR are in rlcnrffi.
"""

import functools

import cffi
from coreffi import BUILD, NEVER, PUBLIC, constant, declarations

HEADERS = [*PUBLIC, "base/bits", "base/pkt", "rlc/common/range", "rlc/common/li", "rlc/common/pdu",
           "rlc/common/sdu_queue", "rlc/common/reassembly",
           "rlc/lte/am/pdu", "rlc/lte/am/am", "rlc/lte/um/um", "rlc/utran/pdu", "rlc/utran/am", "rlc/nr/pdu",
           "rlc/nr/status", "rlc/nr/store", "rlc/nr/window", "rlc/nr/am", "rlc/nr/um"]  # fmt: skip
AM_SLOTS, AM_WINDOW = 1024, 512
DATA_MAX = 400
EBADMSG = -74

ffi = cffi.FFI()
ffi.cdef(declarations(*HEADERS))
lib = ffi.dlopen(str(BUILD / "emulator/core/libcellcore-test.so"))
BUF_BYTES = ffi.typeof("struct pkt").fields[-1][1].type.length
HEADROOM = BUF_BYTES - constant("CELL_MTU_MAX")  # in front of the datagram


@functools.cache
def payload(number: int, length: int) -> bytes:
    return bytes((number * 131 + i * 7 + (i >> 8)) & 0xFF for i in range(length))


class Ends:
    """What all modes share: packets, and SDUs that came out."""

    def __init__(self, buf_bytes: int):
        self._buf = ffi.new("uint8_t[]", buf_bytes)
        self.out = ffi.new("struct rlc_out *")
        self.packets = []
        self.delivered: list[tuple[int, bytes]] = []  # numbers and bytes, in order of delivery
        self.discarded: list[int] = []

    def push(self, length: int):
        number = len(self.packets)
        p = ffi.new("struct pkt *", {"id": number, "len": length, "sdu_len": length})
        ffi.memmove(p.buf + HEADROOM, payload(number, length), length)
        self.packets.append(p)
        lib.rlc_sdu_queue_push(ffi.addressof(self.tx.queue), p)

    def _take(self) -> int:
        """Collect what came out. Return: PDUs that were discarded."""
        p = self.out.delivered.head
        while p:
            self.delivered.append((p.id, bytes(ffi.buffer(p.buf + HEADROOM, p.len))))
            p = p.next
        p = self.out.discarded.head
        while p:
            self.discarded.append(p.id)
            p = p.next
        n = self.out.discarded_pdus
        ffi.buffer(self.out)[:] = bytes(ffi.sizeof("struct rlc_out"))
        return n


class Entities(Ends):
    """With a pool of PDUs."""

    def __init__(self, n_pdus: int):
        super().__init__(DATA_MAX + 500)
        self.n_pdus = n_pdus
        self._pdus = ffi.new("struct rlc_pdu[]", n_pdus)
        self._data = ffi.new("uint8_t[]", n_pdus * DATA_MAX)
        self.pool = ffi.new("struct rlc_pool *", {"data_max": DATA_MAX})
        for i in range(n_pdus):
            self._pdus[i].data = self._data + i * DATA_MAX
            lib.rlc_pool_put(self.pool, self._pdus + i)
        self.elements = ffi.new("struct rlc_tx_pdu *")

    @property
    def pool_is_full(self) -> bool:
        return self.pool.n_free == self.n_pdus

    def _wipe_sent(self):
        """The receiver has to get an SDU's bytes from PDUs: the packet's own are gone."""
        for i in range(self.elements.n):
            element = self.elements.element[i]
            if element.ends:
                ffi.memmove(self.packets[element.pkt].buf, b"\xee" * BUF_BYTES, BUF_BYTES)


class Am(Entities):
    """A transmitter and the receiver of its peer; @start: the first SN."""

    def __init__(self, cfg: dict, delivery: int, start: int = 0):
        super().__init__(2 * AM_WINDOW + 2)
        self.sent = ffi.new("struct rlc_pdu *[]", AM_SLOTS)
        self.window = ffi.new("struct rlc_pdu *[]", AM_SLOTS)
        self.tx, self.rx = ffi.new("struct rlc_am_tx *"), ffi.new("struct rlc_am_rx *")
        am_cfg = {name: cfg[name] for name in ("poll_pdu", "poll_byte", "t_poll_retransmit_ns")}
        am_cfg |= {"max_retx_threshold": 255, "queue_limit": 1000}
        lib.rlc_am_tx_init(self.tx, ffi.new("struct rlc_am_cfg *", am_cfg), self.sent, self.pool)
        lib.rlc_am_rx_init(self.rx, cfg["t_reordering_ns"], cfg["t_status_prohibit_ns"], delivery, self.window,
                           self.sent, self.pool)  # fmt: skip
        self._status = ffi.new("struct am_status *")
        self.tx.vt_a = self.tx.vt_s = start
        self.tx.poll_sn = (start - 1) % AM_SLOTS
        self.rx.reassembly.lower = self.rx.vr_x = self.rx.vr_ms = self.rx.vr_h = start

    def transmit(self, room: int, now_ns: int) -> bytes:
        built = lib.rlc_am_tx_build(self.tx, room, now_ns, self._buf, self.elements)
        assert built.size <= room
        self._wipe_sent()
        return bytes(ffi.buffer(self._buf, built.size))

    def status(self, room: int, now_ns: int) -> bytes:
        n = lib.rlc_am_rx_status_build(self.rx, room, now_ns, self._buf, self._status)
        assert n <= room
        return bytes(ffi.buffer(self._buf, n))

    def receive(self, pdu: bytes, now_ns: int):
        assert lib.rlc_am_rx_receive(self.rx, pdu, len(pdu), now_ns, self.out) >= 0
        self._take()

    def receive_status(self, pdu: bytes) -> int:
        assert lib.am_status_unpack(self._status, pdu, len(pdu)) == 0
        return lib.rlc_am_tx_status(self.tx, self._status)

    @property
    def to_send(self) -> int:
        return lib.rlc_am_tx_bytes(self.tx)

    @property
    def to_report(self) -> int:
        return lib.rlc_am_rx_status_bytes(self.rx)

    @property
    def next_expiry(self) -> int:
        return min(self.tx.expiry_ns, self.rx.reordering_expiry_ns, self.rx.prohibit_expiry_ns)

    def expire(self, now_ns: int):
        if self.rx.reordering_expiry_ns <= now_ns:
            lib.rlc_am_rx_expire(self.rx, now_ns)
        if self.tx.expiry_ns <= now_ns:
            lib.rlc_am_tx_expire(self.tx)
        if self.rx.prohibit_expiry_ns <= now_ns:
            self.rx.prohibit_expiry_ns = NEVER


class Um(Entities):
    """A transmitter and the receiver of its peer."""

    def __init__(self, sn_bits: int, t_reordering_ns: int, delivery: int):
        super().__init__((1 << sn_bits) + 2)
        self.window = ffi.new("struct rlc_pdu *[]", 1 << sn_bits)
        self.tx, self.rx = ffi.new("struct rlc_um_tx *"), ffi.new("struct rlc_um_rx *")
        lib.rlc_um_tx_init(self.tx, sn_bits, 1000)
        lib.rlc_um_rx_init(self.rx, sn_bits, t_reordering_ns, delivery, self.window, self.pool)

    def transmit(self, room: int):
        """Return: the PDU, the packets whose last byte is in it, the numbers of all packets in it."""
        ends = ffi.new("struct pkt_queue *")
        n = lib.rlc_um_tx_build(self.tx, room, self._buf, ends, self.elements)
        assert n <= room
        self._wipe_sent()
        inside = [self.elements.element[i].pkt for i in range(self.elements.n if n else 0)]
        return bytes(ffi.buffer(self._buf, n)), ends, inside

    def receive(self, pdu: bytes, ends, now_ns: int) -> int:
        """Return: PDUs that were discarded."""
        assert lib.rlc_um_rx_receive(self.rx, pdu, len(pdu), ends, now_ns, self.out) >= 0
        return self._take()

    @property
    def next_expiry(self) -> int:
        return self.rx.expiry_ns

    def expire(self, now_ns: int):
        lib.rlc_um_rx_expire(self.rx, now_ns, self.out)
        assert self._take() == 0
