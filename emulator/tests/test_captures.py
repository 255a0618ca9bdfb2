# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark as the referee: it dissects radio.pcap without complaint and counts what the core counted."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from wireshark import CELLSIM, NETWORK_SIDE, ROOT, events, fields, occurrences, simulate, tcp_packet

from cellbed_channel import trace

N_SEGMENTS = 37
RETX = "rlc-lte.sequence-analysis.retx"
REPEATED = "rlc-lte.sequence-analysis.repeated-frame"  # the last SN again
ONE_UE = [{"name": "ue1", "peer": "network", "mode": "im"}]
AM_CELL = {
    "n_rb": 50, "rlc": {"mode": "am"}, "rlc_am": {"t_status_prohibit_ms": 15},
    "ues": [{"name": "ue1", "peer": "network", "mode": "im", "cqi_dl": 9, "bler_dl": 0.1, "bler_ul": 0.05}],
}

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def simulate_tcp(folder, mode, bler=0.0, n_segments=N_SEGMENTS):
    """UE 1 sends bursts of segments of many sizes, UE 2 small ACKs. Return: radio.json."""
    lines = []
    for i in range(n_segments):
        payload = bytes((i + k) % 251 for k in range(1 + 39 * (i % N_SEGMENTS)))
        data = tcp_packet("10.45.0.1", "10.45.0.2", 1000 + 2000 * i, 1, payload)
        lines.append((i // 5 * 40_000_000 + i, 1, data))
        ack = tcp_packet("10.45.0.2", "10.45.0.1", 1, 1000 + 2000 * i, b"")
        lines.append((i // 5 * 40_000_000 + 20_000_000 + i, 2, ack))
    ues = [{"name": "ue1", "peer": "ue2", "mode": mode, "bler_ul": bler, "bler_sl": bler},
           {"name": "ue2", "peer": "ue1", "mode": mode}]
    return simulate(folder, lines, {"ues": ues})


def simulate_downlink(folder, cell, n_packets=400, **others):
    """A server behind the eNB sends to UE 1, which answers every second packet. Return: radio.json."""
    lines = []
    for i in range(n_packets):
        payload = bytes((i + k) % 251 for k in range(1 + 39 * i % 1400))
        data = tcp_packet("10.46.0.1", "10.45.0.1", 1000 + 2000 * i, 1, payload)
        lines.append((i * 300_000, NETWORK_SIDE | 1, data))
        if i % 2 == 0:
            lines.append((i * 300_000 + 1000, 1, tcp_packet("10.45.0.1", "10.46.0.1", 1, 1000 + 2000 * i, b"")))
    return simulate(folder, lines, {"mac": {"ul_always_scheduled": True}, **cell}, **others)


@pytest.mark.parametrize("mode", ["dm", "im"])
def test_every_frame_dissects(tmp_path, mode):
    radio = simulate_tcp(tmp_path, mode)
    assert fields(tmp_path, "_ws.malformed", "frame.number") == []
    assert fields(tmp_path, "_ws.expert.severity == error", "frame.number") == []
    assert len(fields(tmp_path, "mac-lte.preamble-sent", "frame.number")) == radio["ra_preambles"]
    assert len(fields(tmp_path, "mac-lte.ulsch", "frame.number")) == (
        radio["ul"]["mac_pdus"] + radio["sl"]["mac_pdus"])
    assert len(fields(tmp_path, "mac-lte.dlsch", "frame.number")) == radio["dl"]["mac_pdus"]
    assert len(fields(tmp_path, "mac-lte.control.bsr", "frame.number")) == radio["bsrs"]
    assert len(fields(tmp_path, "rlc-lte.um", "frame.number")) == radio["rlc_pdus_tx"]


@pytest.mark.parametrize(("mode", "hops"), [("dm", 1), ("im", 2)])
def test_one_capture_unfolds_to_tcp(tmp_path, mode, hops):
    """Every segment is reassembled from its RLC PDUs, with its checksum right, once on each hop."""
    simulate_tcp(tmp_path, mode)
    rows = fields(tmp_path, "tcp", "ip.src", "tcp.seq_raw", "tcp.len", "tcp.checksum.status")
    segments = [(ip, int(seq)) for row in rows for ip, seq in zip(row[0].split(","), row[1].split(","), strict=True)]
    sent = [("10.45.0.1", 1000 + 2000 * i) for i in range(N_SEGMENTS)]
    assert sorted(s for s in segments if s[0] == "10.45.0.1") == sorted(sent * hops)
    assert sum(s[0] == "10.45.0.2" for s in segments) == N_SEGMENTS * hops
    lengths = [int(n) for row in rows for n in row[2].split(",")]
    assert sum(lengths) == hops * sum(1 + 39 * i for i in range(N_SEGMENTS))


def test_lost_pdus_are_marked(tmp_path):
    """Residual block errors: a lost PDU's CRC status says so, Wireshark then leaves its bytes alone, and only its."""
    radio = simulate_tcp(tmp_path, "im", bler=0.2)
    lost = sum(radio[d]["mac_lost"] for d in ("ul", "dl", "sl"))
    assert lost > 0
    failed = fields(tmp_path, "mac-lte.crc-status == 0", "frame.number")
    assert len(failed) == lost
    assert fields(tmp_path, "_ws.malformed", "frame.number") == failed


def sent_in_vain(folder):
    """RLC PDUs in transport blocks that were lost."""
    lost = {(row["peer"], row["dir"], row["sn"]) for row in events(folder, "mac_lost")}
    return [row for row in events(folder, "rlc_tx")
            if (row["node"], row["dir"], row["t_ns"] // 1_000_000) in lost]


def missing_sns(folder, what, analysis):
    """Each (UE, direction, SN) that an analysis of Wireshark's calls missing."""
    missing = []
    for message in occurrences(folder, analysis, "_ws.expert.message"):
        span = re.match(rf"{what} SNs? \((\d+)(?: to (\d+))?\) missing for (Up|Down)link on UE (\d+)", message)
        if span:
            low, high = int(span[1]), int(span[2] or span[1])
            missing += [(int(span[4]), "ul" if span[3] == "Up" else "dl", sn) for sn in range(low, high + 1)]
    return missing


def pdcp_sns(folder, display_filter):
    """(UE, direction, SN) of each PDCP PDU of frames that match."""
    return [(int(ue), ("ul", "dl")[int(direction)], int(sn))
            for ue, direction, sns in fields(folder, display_filter, "mac-lte.ueid", "mac-lte.direction",
                                             "pdcp-lte.seq-num") for sn in sns.split(",") if sn]


def channel(row):
    """(UE, direction, SN) as Wireshark has it. It takes the sidelink for an uplink of the UE that sends."""
    if row["dir"] == "dl":
        return row["peer"] if row["event"] == "rlc_tx" else row["node"], "dl", row["sn"]
    return row["node"] if row["event"] == "rlc_tx" else row["peer"], "ul", row["sn"]


def late(received):
    """PDUs that came after a later SN of their direction: these must be retransmissions."""
    highest, rows = {}, []
    for row in received:
        rows += [row] if row["sn"] <= highest.get(row["dir"], -1) else []
        highest[row["dir"]] = max(row["sn"], highest.get(row["dir"], -1))
    return rows


@pytest.mark.parametrize("harq", [{}, {"max_attempts": 5, "nack_to_ack": 0.01}], ids=["arq", "harq"])
def test_wireshark_counts_what_rlc_am_did(tmp_path, harq):
    """Retransmissions, STATUS PDUs, NACKs and missing SNs that Wireshark finds in the capture are the core's own."""
    radio = simulate_downlink(tmp_path, {**AM_CELL, "harq": harq})
    assert radio["pkts_delivered"] == radio["pkts_in"] == 600
    assert radio["rlc_retx"] > 3 and radio["rlc_status_rx"] > 10

    status = occurrences(tmp_path, "rlc-lte.am.ack-sn", "rlc-lte.am.ack-sn")
    received = events(tmp_path, "rlc_status_rx")
    assert sorted(int(sn) for sn in status) == sorted(row["sn"] for row in received)
    assert len(status) == radio["rlc_status_rx"]
    nacks = occurrences(tmp_path, "rlc-lte.am.nack-sn", "rlc-lte.am.nack-sn")
    assert len(nacks) == sum(row["value"] for row in received)

    if not harq:  # the order of transmissions is the order of receptions
        retransmitted = sum(len(occurrences(tmp_path, name, name)) for name in (RETX, REPEATED))
        assert retransmitted == len(late(events(tmp_path, "rlc_rx")))
    failed = fields(tmp_path, "mac-lte.crc-status == 0", "frame.number")
    assert len(failed) == sum(radio[d]["mac_lost"] + radio[d]["harq_retx"] for d in ("ul", "dl"))
    assert fields(tmp_path, "_ws.malformed", "frame.number") == failed
    assert len(occurrences(tmp_path, "mac-lte.retx-count > 0", "mac-lte.retx-count")) == (
        radio["ul"]["harq_retx"] + radio["dl"]["harq_retx"])


@pytest.mark.parametrize("dtx", ["retry", "lose"])
def test_wireshark_counts_retransmissions_by_sinr(tmp_path, dtx):
    """A downlink that swings between -8 and 0 dB in the format of CQI 4, which needs -1.6 dB; DCIs are missed, too."""
    steps = np.arange(60)
    swing = np.where(steps // 6 % 2, 0, -800).astype(np.int32)
    series = [trace.Series(1, "dl", swing, np.full(60, 4, dtype=np.uint8))]
    trace.write(tmp_path / "channel.trace", trace.changes(steps * 2_000_000, series), {1: "ue1"}, {})
    cell = {**AM_CELL, "harq": {"max_attempts": 4, "errors": "sinr"}, "control": {"errors": True, "dtx": dtx}}
    radio = simulate_downlink(tmp_path, cell, channel=str(tmp_path / "channel.trace"))
    assert radio["control_missed"] > 5 and radio["dl"]["harq_retx"] > 5
    assert radio["pkts_delivered"] == radio["pkts_in"] == 600
    failed = fields(tmp_path, "mac-lte.crc-status == 0", "frame.number")
    assert len(failed) == sum(radio[d]["mac_lost"] + radio[d]["harq_retx"] for d in ("ul", "dl"))
    again = occurrences(tmp_path, "mac-lte.retx-count > 0", "mac-lte.retx-count")
    assert len(again) == radio["ul"]["harq_retx"] + radio["dl"]["harq_retx"]
    missed = [row for row in events(tmp_path, "harq_nack") + events(tmp_path, "harq_failure") if row["aux"] == 2]
    assert 0 < len(missed) <= radio["control_missed"]
    assert {row["event"] for row in missed} == {"harq_nack" if dtx == "retry" else "harq_failure"} or dtx == "retry"


def test_wireshark_misses_the_sns_that_were_lost(tmp_path):
    """Without HARQ, what Wireshark calls missing in the order of first transmissions are the PDUs lost on the air."""
    radio = simulate_downlink(tmp_path, AM_CELL)
    assert radio["dl"]["mac_lost"] > 3
    missing = missing_sns(tmp_path, "AM", "rlc-lte.sequence-analysis.am-sn.missing")
    assert sorted(missing) == sorted(set(map(channel, sent_in_vain(tmp_path))))
    assert fields(tmp_path, "pdcp-lte.sequence-analysis.sn-repeated", "frame.number") == []


def between(lost, received):
    """The lost SNs of each channel after the first and before the last that was received: nobody hears of any other."""
    spans = {}
    for ue, direction, sn in received:
        low, high = spans.get((ue, direction), (sn, sn))
        spans[ue, direction] = min(low, sn), max(high, sn)
    return sorted((ue, direction, sn) for ue, direction, sn in set(lost)
                  if (ue, direction) in spans and spans[ue, direction][0] < sn < spans[ue, direction][1])


@pytest.mark.parametrize("mode", ["dm", "im"])
def test_wireshark_misses_the_sns_that_rlc_um_lost(tmp_path, mode):
    """And none comes twice."""
    simulate_tcp(tmp_path, mode, bler=0.25, n_segments=120)
    lost = between(map(channel, sent_in_vain(tmp_path)), map(channel, events(tmp_path, "rlc_rx")))
    assert len(lost) > 3
    assert sorted(missing_sns(tmp_path, "UM", "rlc-lte.sequence-analysis.um-sn.missing")) == lost
    assert fields(tmp_path, "rlc-lte.sequence-analysis.um-sn.repeated", "frame.number") == []


def test_wireshark_misses_the_packets_that_pdcp_lost(tmp_path):
    """In both directions, by the PDCP SNs, and none comes twice. Wireshark's analysis of PDCP leaves frames out in
    which that of RLC misses something, and then misses their packets. None of these is cut."""
    lines = []
    for i in range(300):
        payload = bytes(1 + i % 60)
        lines.append((i * 10_000_000, 1, tcp_packet("10.45.0.1", "10.46.0.1", 1000 + 2000 * i, 1, payload)))
        lines.append((i * 10_000_000, NETWORK_SIDE | 1,
                      tcp_packet("10.46.0.1", "10.45.0.1", 1000 + 2000 * i, 1, payload)))
    ue = {**ONE_UE[0], "bler_ul": 0.1, "bler_dl": 0.1}
    radio = simulate(tmp_path, lines, {"mac": {"ul_always_scheduled": True}, "n_rb": 50, "ues": [ue]})
    dropped = {row["pkt"] for row in events(tmp_path, "pkt_drop")}
    assert len(dropped) == radio["pkts_dropped"]["radio_loss"] > 30
    lost, received = [], []
    for direction in ("ul", "dl"):
        packets = [row["pkt"] for row in events(tmp_path, "pkt_in") if row["dir"] == direction]
        for sn, packet in enumerate(packets):
            (lost if packet in dropped else received).append((1, direction, sn))
    shown = pdcp_sns(tmp_path, "mac-lte.crc-status == 1")
    assert sorted(shown) == sorted(received)
    left_out = pdcp_sns(tmp_path, "rlc-lte.sequence-analysis.um-sn.missing")
    missing = missing_sns(tmp_path, "PDCP", "pdcp-lte.sequence-analysis.sn-missing")
    assert sorted(missing) == between(lost + left_out, set(received) - set(left_out))
    assert fields(tmp_path, "pdcp-lte.sequence-analysis.sn-repeated", "frame.number") == []


def test_five_bit_um(tmp_path):
    radio = simulate_downlink(tmp_path, {"rlc_um": {"sn_bits": 5}, "ues": ONE_UE})
    assert fields(tmp_path, "_ws.expert.severity == error", "frame.number") == []
    assert len(fields(tmp_path, "rlc-lte.um", "frame.number")) == radio["rlc_pdus_tx"]
    assert radio["pkts_delivered"] == 600


def test_two_carriers_and_codewords(tmp_path):
    """Four blocks a sub-frame, each with its carrier and codeword; the RLC sequence runs through all of them."""
    radio = simulate_downlink(tmp_path, {"rlc": {"mode": "am"}, "dl_carriers": 2, "dl_codewords": 2, "n_rb": 6,
                                     "ues": ONE_UE})
    assert radio["pkts_delivered"] == 600
    carriers = set(occurrences(tmp_path, "mac-lte.dlsch", "mac-lte.carrier-id"))
    codewords = set(occurrences(tmp_path, "mac-lte.dlsch", "mac-lte.dl-phy.tb"))
    assert len(carriers) == 2 and len(codewords) == 2
    assert fields(tmp_path, "_ws.expert.severity == error", "frame.number") == []
    assert fields(tmp_path, "rlc-lte.sequence-analysis.am-sn.missing", "frame.number") == []


def test_after_a_handover_the_ue_says_what_it_has(tmp_path):
    """One PDCP status report of UE 1, before all that it sends to the target; it has all SNs before its FMS."""
    golden = ROOT / "emulator/tests/golden/handover"
    subprocess.run([CELLSIM, "--config", golden / "config.json", "--arrivals", golden / "arrivals.txt",
                    "--out", tmp_path / "out"], check=True)
    (report,) = fields(tmp_path, "pdcp-lte.fms", "frame.number", "mac-lte.ueid", "mac-lte.direction", "pdcp-lte.fms",
                       "pdcp-lte.control-pdu-type", "mac-lte.rnti")
    assert report[1:3] == ["1", "0"] and int(report[4], 0) == 0
    to_target = fields(tmp_path, f"mac-lte.ueid == 1 && mac-lte.direction == 0 && mac-lte.rnti == {report[5]}",
                       "frame.number")
    assert to_target[0] == report[:1]
    before = pdcp_sns(tmp_path, f"mac-lte.ueid == 1 && mac-lte.direction == 1 && frame.number < {report[0]}")
    assert 0 < int(report[3]) <= 1 + max(sn for _, _, sn in before)
    assert set(range(int(report[3]))) <= {sn for _, _, sn in before}


def simulate_dedicated(folder, bler, max_dat, n_packets=150, **utran):
    """A server sends to a UE on a dedicated channel, which answers every packet. Return: radio.json."""
    lines = []
    for i in range(n_packets):
        payload = bytes((i + k) % 251 for k in range(1 + 39 * i % 1000))
        data = tcp_packet("10.46.0.1", "10.45.0.1", 1000 + 2000 * i, 1, payload)
        lines.append((i * 40_000_000, NETWORK_SIDE | 1, data))
        lines.append((i * 40_000_000 + 1000, 1, tcp_packet("10.45.0.1", "10.46.0.1", 1, 1000 + 2000 * i, b"")))
    utran |= {"bler_dl": bler, "bler_ul": bler, "max_dat": max_dat}
    return simulate(folder, lines, {"system": "utran", "utran": utran, "ues": ONE_UE})


@pytest.mark.parametrize("bler", [0, 0.15, 0.3])
def test_a_dedicated_channel_unfolds_to_tcp(tmp_path, bler):
    """Whatever was lost on the air, every packet is put together from its RLC PDUs, with its checksum right."""
    radio = simulate_dedicated(tmp_path, bler, max_dat=40)
    assert radio["pkts_delivered"] == 300
    assert (radio["rlc_retx"] > 100) == (bler > 0)
    rows = fields(tmp_path, "tcp", "ip.src", "tcp.seq_raw")
    segments = [(ip, int(seq)) for row in rows for ip, seq in zip(row[0].split(","), row[1].split(","), strict=True)]
    assert sorted(s for s in segments if s[0] == "10.46.0.1") == [("10.46.0.1", 1000 + 2000 * i) for i in range(150)]
    assert len(segments) == 300
    assert fields(tmp_path, "_ws.expert.severity == error", "frame.number") == []


@pytest.mark.parametrize("way", ["block", "piggyback", "channel"])
def test_wireshark_counts_what_a_dedicated_channel_did(tmp_path, way):
    """The AMD PDUs that were received, and what STATUS PDUs say, with discards."""
    radio = simulate_dedicated(tmp_path, 0.15, max_dat=2, status=way)
    assert radio["pkts_dropped"]["rlc_discard"] > 5
    assert fields(tmp_path, "_ws.malformed", "frame.number") == []
    data = occurrences(tmp_path, "rlc.dc == 1", "rlc.seq")
    assert sorted(map(int, data)) == sorted(row["sn"] for row in events(tmp_path, "rlc_rx"))
    assert len(data) == radio["rlc_pdus_rx"]
    status = events(tmp_path, "rlc_status_rx")
    piggybacked = sum(row["aux"] & 2 != 0 for row in status)
    assert (piggybacked > 100) == (way == "piggyback")
    assert len(fields(tmp_path, "rlc.dc == 1 && rlc.sufi", "frame.number")) == piggybacked
    assert len(fields(tmp_path, "rlc.dc == 0", "frame.number")) + piggybacked == radio["rlc_status_rx"] == len(status)
    acks = map(int, occurrences(tmp_path, "rlc.sufi.lsn", "rlc.sufi.lsn"))  # none in an answer to an MRW alone
    assert sorted(sn for sn in acks if sn) == sorted(row["sn"] for row in status if row["sn"] and not row["aux"] & 1)
    mrws = occurrences(tmp_path, "rlc.sufi.sn_mrw", "rlc.sufi.sn_mrw")
    assert sorted(map(int, mrws)) == sorted(row["sn"] for row in status if row["aux"] & 1)
