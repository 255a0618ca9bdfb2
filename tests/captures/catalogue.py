# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures by name, each with its file and what is true of it: `CASES[name]()` makes one."""

import struct
from dataclasses import dataclass, replace
from functools import partial

from capture_changes import cut_up, doubled, joined, shuffled, stepped, two_points, wireguard, without
from files import PACKINGS, Frame, Recording, recording
from packets import COOKED, COOKED_2, RAW, Link, Tunnel, udp
from transfer import MS, US, Seen, Transfer, Truth, closed_window


@dataclass
class Case:
    """A file and the truth."""

    content: bytes
    truth: Truth
    suffix: str = ".pcap"
    tools: bool = True  # whether other tools are asked, too


CASES = {}


def case(*variants):
    """A function that makes a case, as it is or once for each of some variants: (ending of the name, arguments)."""
    def add(make):
        name = make.__name__.replace("_", "-")
        if not variants:
            CASES[name] = make
        for ending, arguments in variants:
            CASES[f"{name}-{ending}"] = partial(make, **arguments)
        return make

    return add


NO_TCP = partial(Truth, retransmissions=None, fast=None, timeouts=None, tail_probes=None)


def of(made, **changed):
    """The truth of a transfer with some of it changed."""
    return replace(made.truth, **changed)


LOSS = {"fast": {"lost": (50, 90)}, "probe": {"lost": (199,)}, "timer": {"lost": (199,), "sack": False},
        "burst": {"lost": tuple(range(60, 70))}, "old-stack": {"lost": (50, 51), "sack": False, "stamps": False}}


@case(("clean", {}), *LOSS.items(), ("six", {"six": True, "lost": (30,)}), ("no-stamps", {"stamps": False}),
      ("middle", {"at": 0.5, "lost": (50,)}), ("short-path", {"rtt_ms": 12, "every_ms": 0.5, "lost": (77,)}))
def transfer(**way):
    made = Transfer(**way)
    rtt_ms = made.way.rtt_ms * (1 - made.way.at)
    return Case(recording(made.seen).pcap(), of(made, rtt_ms=rtt_ms))


# ---- copies

TWICE = "in the capture more than once"


@case(("any", {"link": Link(COOKED_2), "second": Link(COOKED_2, interface=3)}),
      ("any-old", {"link": Link(COOKED)}), ("hop", {"later_ns": 2 * MS, "hops": 1}),
      ("data", {"ways": (True,)}), ("acks", {"ways": (False,)}),
      ("percent", {"share": 0.01, "later_ns": 300 * US}), ("vlan", {"second": Link(vlan=7)}),
      ("vlan-data", {"second": Link(vlan=7), "ways": (True,)}),
      ("six", {"way": {"six": True}}), ("six-hop", {"way": {"six": True}, "later_ns": 2 * MS, "hops": 1}),
      ("six-percent", {"way": {"six": True}, "share": 0.02, "later_ns": 100 * US}),
      ("no-id", {"way": {"ids": "zero"}}), ("no-id-data", {"way": {"ids": "zero"}, "ways": (True,)}),
      ("random-id", {"way": {"ids": "random"}}), ("no-stamps", {"way": {"stamps": False}}),
      ("raw", {"link": Link(RAW), "hops": 1}), ("loss", {"way": {"lost": (50, 90, 91)}}),
      ("loss-six", {"way": {"lost": (50, 199), "six": True}}),
      ("loss-data", {"way": {"lost": (50, 199)}, "ways": (True,)}))
def twice(way=None, later_ns=5 * US, **how):
    made = Transfer(**way or {})
    return Case(doubled(made.seen, later_ns, **how).pcap(), of(made, remark=TWICE, rtt_off_ms=later_ns / MS + 0.2))


@case(("router", {"links": (Link(), Link(macs=(b"\2\0\0\0\0\3", b"\2\0\0\0\0\4")))}),
      ("queue", {"links": (Link(), Link(macs=(b"\2\0\0\0\0\3", b"\2\0\0\0\0\4"))), "transit_ns": 8 * MS}),
      ("any", {"links": (Link(COOKED_2), Link(COOKED_2, interface=3))}),
      ("six", {"links": (Link(), Link(macs=(b"\2\0\0\0\0\3", b"\2\0\0\0\0\4"))), "way": {"six": True}}))
def passing(links, way=None, transit_ns=2 * MS):
    """At a router, both sides in one file: the side that sees the data first has the whole round trip."""
    made = Transfer(lost=(50,), **way or {})
    return Case(two_points(made.seen, transit_ns, links).pcap(), of(made, remark=TWICE))


@case(("bridge", {"transit_ns": 5 * US, "hops": 0}), ("router", {"transit_ns": 2 * MS, "hops": 1}))
def interfaces(transit_ns, hops):
    """Two interfaces of a pcapng file are two points."""
    made = Transfer(lost=(50,))
    content = two_points(made.seen, transit_ns, (Link(), Link()), True, hops).pcapng()
    return Case(content, of(made, flows=2, rtt_off_ms=2 * transit_ns / MS + 0.2), ".pcapng")


@case()
def interfaces_of_a_tap():
    """Each direction has an interface of its own: one point."""
    made = Transfer(lost=(50,))
    taken = recording(made.seen)
    for one, frame in zip(made.seen, taken.frames, strict=True):
        frame.interface = int(one.up)
    taken.names = ("left", "right")
    return Case(taken.pcapng(), of(made), ".pcapng")


@case()
def interfaces_with_flows_of_their_own():
    frames = []
    for number, port in enumerate((50000, 50001)):
        for frame in recording(Transfer(lost=(50,), port=port).seen).frames:
            frames.append(replace(frame, interface=number))
    frames.sort(key=lambda one: one.t_ns)
    return Case(Recording(frames, 1, ("wlan0", "lo")).pcapng(), of(Transfer(lost=(50,)), flows=2), ".pcapng")


@case()
def twice_datagrams():
    seen = [Seen(n * MS, True, udp("10.0.0.1", 5000, "10.0.0.2", 5001, struct.pack(">I", n) * 50, ip_id=n + 1))
            for n in range(300)]
    return Case(doubled(seen, 5 * US).pcap(), NO_TCP(payload_bytes=60_000, remark=TWICE, transport="udp"))


@case()
def inside_and_outside_of_a_tunnel():
    """A core network's user plane: the same packets in GTP-U and, decapsulated, on the other side."""
    made = Transfer(lost=(50,))
    outer = recording(made.seen, wrap=Tunnel("gtpu-n3")).frames
    plain = [replace(frame, t_ns=frame.t_ns + 20 * US) for frame in recording(made.seen).frames]
    frames = sorted([*outer, *plain], key=lambda one: one.t_ns)
    return Case(Recording(frames).pcap(), of(made, remark=TWICE))


# ---- the clock

STEPPED = "the clock went"


@case(("back", {"steps": ((0.5, -100),)}), ("back-60", {"steps": ((0.4, -60),)}), ("forward", {"steps": ((0.5, 100),)}),
      ("forward-far", {"steps": ((0.3, 3_600_000),)}), ("back-far", {"steps": ((0.6, -2000),)}),
      ("back-early", {"steps": ((0.01, -500),)}), ("some", {"steps": ((0.3, -100), (0.6, 250), (0.8, -50))}),
      ("tick-4", {"steps": ((0.5, -100),), "way": {"tick_ms": 4}}),
      ("tick-10", {"steps": ((0.5, -200),), "way": {"tick_ms": 10}}),
      ("no-stamps", {"steps": ((0.5, -100),), "way": {"stamps": False}}),
      ("no-stamps-far", {"steps": ((0.5, -5000),), "way": {"stamps": False}}),
      ("six", {"steps": ((0.5, -100),), "way": {"six": True}}),
      ("loss", {"steps": ((0.5, -100),), "way": {"lost": (50, 150)}}),
      ("middle", {"steps": ((0.5, 80),), "way": {"at": 0.5}}),
      ("receiver", {"steps": ((0.5, -80),), "way": {"at": 1.0}}))
def clock(steps, way=None):
    made = Transfer(**way or {})
    rtt_ms = made.way.rtt_ms * (1 - made.way.at)
    return Case(recording(stepped(made.seen, *steps)).pcap(), of(made, note=STEPPED, rtt_ms=rtt_ms or None))


@case(("late", {"by_ms": 0.5}), ("later", {"by_ms": 30}))
def order(by_ms):
    made = Transfer(lost=(50,))
    taken = recording(made.seen)
    told = {"note": "sorted by time"} if by_ms > 1 else {}
    return Case(replace(taken, frames=shuffled(taken.frames, round(by_ms * MS))).pcap(), of(made, **told))


@case(("stamps", {}), ("no-stamps", {"stamps": False}))
def halves_in_the_wrong_order(**way):
    made = Transfer(lost=(50,), **way)
    frames = recording(made.seen).frames
    middle = len(frames) // 2
    return Case(Recording(frames[middle:] + frames[:middle]).pcap(), of(made, note="sorted by time"))


# ---- what the capture lacks

@case()
def capture_lost_data():
    made = Transfer()
    data = [one for one in made.seen if one.up and len(one.packet.body) > 500]
    gone = {id(data[n]) for n in (60, 61, 120, 150, 199)}
    seen = without(made.seen, lambda _, one: id(one) in gone)
    return Case(recording(seen).pcap(), of(made, segments=195, payload_bytes=195_000, more={"unseen_bytes": 5000},
                                           remark="are not in the capture"))


@case()
def capture_lost_acks():
    made = Transfer()
    seen = without(made.seen, lambda place, one: not one.up and place > 10 and place % 3 == 0)
    return Case(recording(seen).pcap(), of(made, rtt_off_ms=4))


@case()
def capture_counts_its_losses():
    taken = recording(Transfer().seen)
    return Case(replace(taken, drops=17).pcapng(), of(Transfer(), note="eth0 lost 17 packets"), ".pcapng")


@case(*((str(size), {"snap": size}) for size in (40, 46, 50, 53)), ("six-66", {"snap": 66, "six": True}))
def header_cut_at(snap, six=False):
    made = Transfer(six=six)
    return Case(recording(made.seen, snap=snap).pcap(), NO_TCP(remark="the snap length cuts the transport's header"))


@case(*((str(size), {"snap": size}) for size in (54, 60, 62)), ("six-78", {"snap": 78, "six": True}))
def options_cut_at(snap, six=False):
    made = Transfer(six=six)
    return Case(recording(made.seen, snap=snap).pcap(), of(made, remark="the snap length cuts TCP's options"))


@case(("66", {"snap": 66}), ("96", {"snap": 96}))
def snapped_at(snap):
    made = Transfer(lost=(50,))
    return Case(recording(made.seen, snap=snap).pcap(), of(made))


@case(("four", {}), ("six", {"six": True}), ("backwards", {"backwards": True}))
def datagrams_in_fragments(six=False, backwards=False):
    ends = ("2001:db8::1", "2001:db8::2") if six else ("10.0.0.1", "10.0.0.2")
    seen = [Seen(n * 10 * MS, True, udp(ends[0], 5000, ends[1], 5001, bytes(4000), ip_id=n + 1)) for n in range(50)]
    return Case(recording(cut_up(seen, 1448 if six else 1480, backwards)).pcap(),
                NO_TCP(payload_bytes=200_000, more={"fragments": 100}, remark="fragments", transport="udp"))


@case(("four", {}), ("six", {"six": True}))
def segments_in_fragments(six=False):
    made = Transfer(lost=(50,), six=six, ids="counted")
    seen = made.seen
    if six:  # the fragment header needs an identification
        seen = [replace(one, packet=replace(one.packet, ip_id=n + 1)) for n, one in enumerate(seen)]
    return Case(recording(cut_up(seen, 560)).pcap(), of(made, remark="fragments"))


@case(("some", {"probes": 4}), ("one", {"probes": 1}), ("many", {"probes": 7}))
def closed_windows(probes):
    made = closed_window(probes)
    return Case(recording(made.seen).pcap(), of(made))


@case()
def stretched_acks():
    made = Transfer(per_ack=8)
    return Case(recording(made.seen).pcap(), of(made, rtt_ms=None, remark="the receiver's card joins them"))


@case()
def joined_segments():
    made = Transfer(at=1.0, per_ack=4)
    return Case(recording(joined(made.seen, 4, 1000)).pcap(), of(made, segments=50, rtt_ms=None,
                                                               remark="the network card cut or joined them"))


# ---- tunnels

@case(*((kind, {"kind": kind}) for kind in ("ipip", "gre", "gre-key", "gretap", "erspan", "gtpu", "gtpu-n3", "vxlan",
                                            "geneve")),
      ("gtpu-six", {"kind": "gtpu-n3", "six": True}), ("6in4", {"kind": "ipip", "six": True}),
      ("vxlan-six", {"kind": "vxlan", "ends": ("fd00::1", "fd00::2")}))
def tunnel(kind, six=False, **how):
    made = Transfer(lost=(50,), six=six)
    name = {"gre-key": "gre", "gretap": "gre", "erspan": "gre", "gtpu": "gtp-u", "gtpu-n3": "gtp-u"}.get(
        kind, "6in4" if six and kind == "ipip" else kind)
    return Case(recording(made.seen, wrap=Tunnel(kind, **how)).pcap(), of(made, more={"outer": name}))


@case()
def tunnel_in_a_tunnel():
    made = Transfer(lost=(50,))
    inner, outer = Tunnel("gtpu-n3"), Tunnel("vxlan", ("172.16.0.1", "172.16.0.2"))
    link = Link()
    frames = [Frame(one.t_ns, link.frame(outer.around(inner.around(one.packet.bytes(), one.up), one.up), one.up))
              for one in made.seen]
    return Case(Recording(frames).pcap(), of(made, more={"outer": "gtp-u"}))


@case()
def labelled():
    made = Transfer(lost=(50,))
    return Case(recording(made.seen, Link(labels=(100, 200))).pcap(), of(made))


@case(("156", {"link": 156}), ("150", {"link": 150}))
def raw_user_plane(link):
    """GTP-U without IP and UDP, as srsRAN writes it."""
    made, wrap = Transfer(lost=(50,)), Tunnel("gtpu-n3")
    frames = [Frame(one.t_ns, wrap.around(one.packet.bytes(), one.up)[28:]) for one in made.seen]
    return Case(Recording(frames, link).pcap(), of(made))


@case()
def sealed():
    made = Transfer(segments=100)
    return Case(recording(wireguard(made.seen)).pcap(), NO_TCP(transport="wireguard"))


# ---- files

@case(*((packing, {"packing": packing}) for packing in PACKINGS))
def packed(packing):
    made = Transfer(lost=(50,))
    return Case(PACKINGS[packing](recording(made.seen).pcap()), of(made), f".pcap.{packing}")


@case(("big-endian", {"order": ">"}), ("nano", {"nano": True}), ("big-endian-nano", {"order": ">", "nano": True}))
def classic(**how):
    made = Transfer(lost=(50,))
    return Case(recording(made.seen).pcap(**how), of(made))


@case(("big-endian", {"order": ">"}), ("sections", {"sections": 3}), ("padding", {"padding": 8}))
def blocks(**how):
    made = Transfer(lost=(50,))
    return Case(recording(made.seen).pcapng(**how), of(made), ".pcapng")


@case()
def blocks_without_times():
    made = Transfer()
    return Case(recording(made.seen).pcapng(simple=True), of(made, retransmissions=None, fast=None, timeouts=None,
                tail_probes=None, rtt_ms=None, note="have no time"), ".pcapng")


@case(("pcap", {}), ("pcapng", {"blocks": True}), ("gz", {"packing": "gz"}))
def cut_in_the_middle(blocks=False, packing=None):
    made = Transfer()
    taken = recording(made.seen)
    content = taken.pcapng() if blocks else taken.pcap()
    content = PACKINGS[packing](content) if packing else content
    return Case(content[:len(content) * 3 // 4], of(made, segments=None, payload_bytes=None,
                                                    note="what comes before is analysed"))
