# SPDX-License-Identifier: GPL-2.0-or-later
"""Every column of metrics.parquet: name, unit, meaning.

A section that one module computes is described there, columns of a study in its folder; the others are here.
docs/metrics.md is made from this list (`python -m cellbed_analysis metrics`)
and a test compares them, so the document cannot fall behind.
"""

from __future__ import annotations

from itertools import chain

from ..study import studies
from .causes import CAUSES, FILE
from .commands import COMMAND
from .flows import FLOW
from .handover import HANDOVER
from .metric import Metric
from .mode_switch import SWITCHES
from .radio import SIDE
from .rtt import PARTS
from .utran import UTRAN

IDENTITY = (
    Metric("bundle", "", "directory name of the run's bundle"),
    Metric("run_id", "", "identity hash of the run"),
    Metric("scenario", "", "scenario id"),
    Metric("variant", "", "variant name given by the scenario's sweep"),
    Metric("combination", "", "modes of the data and the ACK flow, e.g. DM-IM"),
    Metric("point", "", "swept parameters besides the modes and the window, e.g. mss=536"),
    Metric("data_mode", "", "mode of the sending UE: DM or IM"),
    Metric("ack_mode", "", "mode of the receiving UE: DM or IM"),
    Metric("receive_window_bytes", "bytes", "configured TCP receive window"),
    Metric("congestion_control", "", "congestion control in use by the flow"),
    Metric("seed", "1", "seed"),
    Metric("lab", "", "virtual, native or vm"),
    Metric("validity", "", "the lab's verdict: valid or invalid"),
    Metric("outcome", "", "complete or failed"),
    Metric("status", "", "usable, invalid, failed, unreadable, or superseded by a newer run of that name"),
    Metric("usable", "", "may enter averages"),
    Metric("created", "", "when the run began"),
    Metric("kernel", "", "kernel release that ran the TCP"),
    Metric("window_start_s", "s", "start of the window that the metrics look at, after t = 0"),
    Metric("window_s", "s", "length of that window"),
    Metric("wall_s", "s", "wall time of the run"),
)

RTT = (
    Metric("segments", "1", "data segments sent inside the window"),
    Metric("retransmitted_segments", "1", "of these, sent more than once"),
    Metric("rtt_mean_ms", "ms", "mean RTT per data segment, from the sender's capture", True),
    Metric("rtt_p50_ms", "ms", "median RTT"),
    Metric("rtt_p99_ms", "ms", "99th percentile of the RTT"),
    Metric("rtt_min_ms", "ms", "smallest RTT"),
    Metric("rtt_max_ms", "ms", "largest RTT"),
    Metric("rtt_std_ms", "ms", "standard deviation of the RTT", True),
    Metric(
        "rtt_first_mean_ms",
        "ms",
        "mean RTT of segments that found the sender's radio buffer empty",
    ),
    Metric("flight_mean_bytes", "bytes", "mean number of bytes sent and not yet acknowledged"),
    Metric("flight_max_bytes", "bytes", "largest number of such bytes"),
    Metric("probe_samples", "1", "rows of tcp.trace about the flow's sender"),
    Metric("probe_lost", "1", "samples that the probe lost, whole run"),
    Metric("probe_srtt_mean_ms", "ms", "mean of the kernel's smoothed RTT, at each ACK"),
    Metric("probe_rtt_samples", "1", "kernel RTT samples that a captured ACK explains"),
    Metric("probe_rtt_mean_ms", "ms", "mean of these samples"),
    Metric("probe_difference_p50_us", "us", "median of kernel minus capture RTT, per sample"),
    Metric("probe_difference_max_us", "us", "largest distance between the two"),
    Metric("probe_within_bound_share", "1", "share of samples within the stated bound"),
    Metric("cwnd_change_p50_pkts", "packets", "median of the values that the congestion window changed to, whole flow"),
    Metric("cwnd_mean_pkts", "packets", "mean congestion window at each ACK"),
    Metric(
        "cwnd_full_share",
        "1",
        "share of segments with new data that fill the congestion window: near 1 this window limits the flow, near 0 "
        "the program or the receiver's window does",
    ),
)


THROUGHPUT = (
    Metric("goodput_mbps", "Mbit/s", "in-order application bytes confirmed by the receiver", True),
    Metric("ip_throughput_mbps", "Mbit/s", "IP bytes of the data direction that arrived, retransmissions included"),
    Metric("ip_sent_pkts", "packets", "packets with data in the sender's capture, whole flow"),
    Metric(
        "ip_lost_pkts",
        "packets",
        "of these, missing in the receiver's capture; TCP packets after the last one that arrived do not count",
    ),
    Metric("ip_lost_pct", "%", "their share of the packets sent"),
    Metric("udp_lost_pkts", "packets", "datagrams that the receiving application missed"),
    Metric(
        "udp_lost_difference_pkts", "packets",
        "packets lost by the captures minus datagrams missed by the application",
    ),
    Metric("goodput_iperf3_mbps", "Mbit/s", "goodput that iperf3's receiver counted, whole flow with warm-up"),
    Metric(
        "goodput_stream_mbps", "Mbit/s",
        "goodput that the receiver of a flow of kind stream counted, whole flow with warm-up",
    ),
    Metric(
        "goodput_difference_pct",
        "%",
        "by how much the bytes confirmed in the capture exceed those that iperf3 counts, whole flow",
    ),
)


CELL = (
    Metric("control_missed_ttis", "1", "sub-frames with a DCI that its UE missed, whole run"),
    Metric("radio_link_failures", "1", "AM bearers that reached maxRetxThreshold, whole run"),
    Metric("blocks_dl", "1", "downlink transport blocks sent for the first time, whole run"),
    Metric("block_dl_mean_bytes", "bytes", "their mean size"),
    Metric("harq_failures_ul", "1", "uplink transport blocks that HARQ gave up, whole run"),
    Metric("harq_failures_dl", "1", "downlink transport blocks that HARQ gave up, whole run"),
    Metric("harq_retx_ul_share", "1", "share of retransmissions among transmissions of blocks, uplink, whole run"),
    Metric("harq_retx_dl_share", "1", "share of retransmissions among transmissions of blocks, downlink, whole run"),
    Metric("dropped_queue_full_pkts", "packets", "dropped because the RLC queue was full, whole run"),
    Metric("dropped_radio_loss_pkts", "packets", "lost on the air"),
    Metric("dropped_rlc_discard_pkts", "packets", "given up by the reassembly of RLC"),
    Metric("dropped_pdcp_discard_pkts", "packets", "given up by PDCP because its discardTimer expired"),
    Metric("dropped_mode_switch_pkts", "packets", "flushed when the mode of their UE changed"),
    Metric("dropped_handover_pkts", "packets", "given up at a handover"),
    Metric("dropped_duplicate_pkts", "packets", "received a second time after a handover, which is no loss"),
    Metric(
        "dropped_ecn_pkts", "packets",
        "dropped because they were marked in a tunnel, though their hosts do not use ECN",
    ),
    Metric("dropped_no_route_pkts", "packets", "addressed to no known UE"),
    Metric("dropped_aqm_pkts", "packets", "NR: dropped by the queue management of a bearer"),
    Metric("dropped_shutdown_pkts", "packets", "still held when the run ended, which is no loss"),
    Metric("padding_ul_share", "1", "share of padding in uplink transport blocks"),
    Metric("padding_sl_share", "1", "share of padding in sidelink transport blocks"),
    Metric("padding_dl_share", "1", "share of padding in downlink transport blocks"),
    *(
        metric
        for code, link in (("ul", "uplink"), ("sl", "sidelink"), ("dl", "downlink"))
        for metric in (
            Metric(f"harq_retransmissions_{code}", "1", f"transport blocks sent again by HARQ, {link}, whole run"),
            Metric(f"rlc_retransmissions_{code}", "1", f"RLC PDUs, or segments of one, sent again by ARQ, {link}"),
            Metric(f"pdus_per_s_{code}", "1/s", f"MAC PDUs sent for the first time, {link}"),
        )
    ),
    Metric("cqi_min", "1", "lowest CQI behind any grant"),
    *(
        Metric(f"cqi_{code}_{end}", "1", f"{word} CQI of the flow's UEs while it lasts, {link}; null without a channel")
        for code, link in (("ul", "uplink"), ("sl", "sidelink"), ("dl", "downlink"))
        for end, word in (("min", "lowest"), ("max", "highest"))
    ),
)


TIMELINE = (
    Metric("timeline_segments", "1", "segments that nothing else delayed"),
    Metric("timeline_bsr_tx_ms", "ms", "from its RAC request to the BSR's transmission, median"),
    Metric("timeline_bsr_rx_ms", "ms", "from the request to the BSR's decoding, median"),
    Metric("timeline_data_tx_ms", "ms", "from the request to the data's transmission, median"),
    Metric("timeline_data_rx_ms", "ms", "from the request to the data's decoding after the uplink or sidelink, median"),
    Metric("timeline_data_out_ms", "ms", "from the request to the data's delivery to the receiver's TCP, median"),
    Metric("timeline_ack_out_ms", "ms", "from the request to the ACK's delivery to the sender's TCP, median"),
    Metric("timeline_access_share", "1", "share of the last of these times that RAC and BSR take in both directions"),
)


LATENESS = (
    Metric("lateness_p50_us", "us", "how late the radio daemon woke up, median"),
    Metric("lateness_p99_us", "us", "99th percentile of that"),
    Metric("lateness_p999_us", "us", "99.9th percentile of that"),
    Metric("lateness_max_us", "us", "largest lateness"),
    Metric("missed_ttis", "1", "wake-ups that were late by more than a sub-frame"),
)


def sided(side: str) -> tuple[Metric, ...]:
    """SIDE metrics of the data or the ACK flow."""
    label = {"data": "data flow", "ack": "ACK flow"}[side]
    return tuple(Metric(f"{side}_{m.name}", m.unit, f"{label}: {m.meaning}", m.interval) for m in SIDE)


GENERAL = (
    ("Identity of the run", IDENTITY),
    ("Flow", FLOW),
    ("Round trip time", RTT),
    ("Parts of the round trip time", PARTS),
    ("Throughput", THROUGHPUT),
    ("Command", COMMAND),
    ("File transfer", FILE),
    ("Causes of the throughput", CAUSES),
    ("Data flow in the radio network", sided("data")),
    ("ACK flow in the radio network", sided("ack")),
    ("Cell", CELL),
    ("Mode switches", SWITCHES),
    ("Handover", HANDOVER),
    ("Timeline of an undisturbed segment", TIMELINE),
    ("UTRAN", UTRAN),
    ("Lateness of the emulation", LATENESS),
)


def with_columns_of_studies(section: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """A section with the columns of studies, each behind the general one that it follows."""
    behind = [study.columns() for study in studies()]
    return tuple(one for metric in section for one in (metric, *chain(*(more.get(metric.name, ()) for more in behind))))


SECTIONS = tuple((title, with_columns_of_studies(section)) for title, section in GENERAL)
METRICS = {metric.name: metric for _, section in SECTIONS for metric in section}
#: Of many runs together; claims may measure them too. Title, introduction, metrics.
SWEEP_SECTIONS = tuple(section for study in studies() if (section := study.sweep_section()) is not None)
SWEEP_METRICS = {metric.name: metric for _, _, section in SWEEP_SECTIONS for metric in section}
