# SPDX-License-Identifier: GPL-2.0-or-later
"""Every column of metrics.parquet: name, unit, meaning.

docs/metrics.md is made from this list (`python -m cellbed_analysis metrics`)
and a test compares them, so the document cannot fall behind.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..segment import RTT_PARTS, part_label


@dataclass(frozen=True)
class Metric:
    """A column; `interval` says that `<name>_low` and `<name>_high` exist beside it, `event` that a run has 0 or 1."""

    name: str
    unit: str
    meaning: str
    interval: bool = False
    event: bool = False


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
    Metric("window_begin_s", "s", "begin of the window the metrics look at, after t = 0"),
    Metric("window_s", "s", "length of that window"),
    Metric("wall_s", "s", "wall time of the run"),
)

RTT = (
    Metric("segments", "1", "data segments sent inside the window"),
    Metric("retransmitted_segments", "1", "of these, sent more than once"),
    Metric("rtt_mean_ms", "ms", "mean RTT per data segment, from the sender's capture", True),
    Metric("rtt_p50_ms", "ms", "median of that"),
    Metric("rtt_p99_ms", "ms", "99th percentile"),
    Metric("rtt_min_ms", "ms", "smallest"),
    Metric("rtt_max_ms", "ms", "largest"),
    Metric("rtt_std_ms", "ms", "standard deviation: how much the RTT fluctuates", True),
    Metric(
        "rtt_first_mean_ms",
        "ms",
        "mean RTT of segments that found the sender's radio buffer empty",
    ),
    Metric("flight_mean_bytes", "bytes", "mean of bytes sent and not acknowledged"),
    Metric("flight_max_bytes", "bytes", "largest"),
    Metric("probe_samples", "1", "rows of tcp.trace about the flow's sender"),
    Metric("probe_lost", "1", "samples the probe lost, whole run"),
    Metric("probe_srtt_mean_ms", "ms", "mean of the kernel's smoothed RTT, at each ACK"),
    Metric("probe_rtt_samples", "1", "kernel RTT samples that a captured ACK explains"),
    Metric("probe_rtt_mean_ms", "ms", "mean of these samples"),
    Metric("probe_difference_p50_us", "us", "median of kernel minus capture RTT, per sample"),
    Metric("probe_difference_max_us", "us", "largest distance between the two"),
    Metric("probe_within_bound_share", "1", "share of samples within the stated bound"),
    Metric("cwnd_change_p50_pkts", "packets", "median of the congestion windows that it changed to, whole flow"),
    Metric("cwnd_mean_pkts", "packets", "mean congestion window at each ACK"),
)

PARTS = (
    *(Metric(f"part_{part}_ms", "ms", f"mean part of the RTT: {part_label(part)}") for part in RTT_PARTS),
    *(Metric(f"part_{part}_std_ms", "ms", f"standard deviation of: {part_label(part)}") for part in RTT_PARTS),
    Metric("parts_segments_share", "1", "share of segments whose RTT could be taken apart"),
    Metric("receiver_delayed_share", "1", "share of segments whose ACK the receiver held back over 1 TTI", True),
    Metric("receiver_delayed_mean_ms", "ms", "how long it held these back, mean"),
)

THROUGHPUT = (
    Metric("goodput_mbps", "Mbit/s", "in-order application bytes confirmed by the receiver", True),
    Metric("ip_throughput_mbps", "Mbit/s", "IP bytes of the data direction that came, retransmissions too"),
    Metric("ip_sent_pkts", "packets", "packets with data in the sender's capture, whole flow"),
    Metric(
        "ip_lost_pkts",
        "packets",
        "of these, missing in the receiver's capture; of TCP without those after the last one that came",
    ),
    Metric("ip_lost_pct", "%", "share of these"),
    Metric("udp_lost_pkts", "packets", "datagrams that the receiving application missed"),
    Metric("udp_lost_difference_pkts", "packets", "losses by the captures minus these"),
    Metric("goodput_iperf3_mbps", "Mbit/s", "iperf3's receiver, whole flow with warm-up"),
    Metric("goodput_stream_mbps", "Mbit/s", "the same of the receiver of a flow of kind stream"),
    Metric(
        "goodput_difference_pct",
        "%",
        "bytes confirmed in the capture beyond those iperf3 counts, whole flow",
    ),
)

COMMAND = (
    Metric("command", "", "the program that the run was for, as a shell would take it"),
    Metric("command_status", "1", "its exit status as a shell has it: 128 + n for signal n; null: ended with the run"),
    Metric("command_s", "s", "how long it ran, in the lab's time"),
    Metric("radio_in_pkts", "packets", "packets that entered the radio network, either way"),
    Metric("radio_delivered_pkts", "packets", "of these, delivered"),
    Metric("radio_lost_pkts", "packets", "of these, lost; the columns dropped_* say why"),
    Metric("radio_delivered_mbps", "Mbit/s", "IP bytes delivered, both ways, over the command's time"),
    Metric("rlc_retransmissions", "1", "RLC PDUs, or segments of one, sent again, all links"),
)

FILE = (
    Metric("file_bytes", "bytes", "size of the file that the flow sends; null for a flow of given duration"),
    Metric("file_received_bytes", "bytes", "of these, confirmed by the receiver: iperf3 closes with bytes unsent"),
    Metric("completion_time_s", "s", "first segment of the file sent to its last byte confirmed by the receiver"),
    Metric("file_goodput_mbps", "Mbit/s", "bytes received over that time, slow start included"),
)

CAUSES = (
    Metric("transmissions", "1", "transmissions of data, retransmissions included"),
    Metric("lost_transmissions", "1", "of these, not in the receiver's capture: lost, or still under way at the end"),
    Metric("retransmissions", "1", "of these, with bytes that were sent before"),
    Metric(
        "spurious_retransmits",
        "1",
        "of these, although an earlier transmission of the first byte arrives, however late (RFC 3522)",
    ),
    Metric("fast_retransmits", "1", "segments resent in fast recovery (TCPFastRetrans)"),
    Metric("recoveries", "1", "fast recoveries (TCPRenoRecovery + TCPSackRecovery)"),
    Metric("rto_count", "1", "retransmission timeouts (TCPTimeouts)"),
    Metric(
        "cwnd_reductions",
        "1",
        "recoveries, timeouts and tail losses that a probe repaired: each lowers the congestion window "
        "(TCPRenoRecovery + TCPSackRecovery + TCPLossProbeRecovery + TCPTimeouts)",
    ),
    Metric(
        "cwnd_undos",
        "1",
        "reductions taken back (TCPFullUndo + TCPPartialUndo + TCPDSACKUndo + TCPLossUndo)",
    ),
    Metric("reordering_events", "1", "data packets that arrive after one sent later, by order of sending (RFC 4737)"),
    Metric("reordering_dupack_events", "1", "of these, with an extent of 3 or more: enough for a fast retransmit"),
    Metric("reordering_extent_max", "packets", "largest reordering extent (RFC 4737)"),
    Metric(
        "ack_compression",
        "1",
        "share of ACKs after which the next one that left the receiver 5 ms later or more reaches the sender in "
        "less than half the time between their departures (Mogul 1992, Zhang 1991)",
    ),
    Metric(
        "ack_clock_compression",
        "1",
        "the same of ACKs of new data, by the departures of the last segments they confirm: what the whole loop "
        "bunched, such as data that waited behind a gap",
    ),
)

SIDE = (
    Metric("packets", "1", "packets that entered the radio network"),
    Metric("delay_mean_ms", "ms", "mean one-way delay through the radio network", True),
    Metric("delay_p99_ms", "ms", "99th percentile"),
    Metric("first_leg_mean_ms", "ms", "entry to decoded at the end of the uplink or sidelink"),
    Metric("dl_leg_mean_ms", "ms", "decoded at the eNB to delivery, infrastructure mode", True),
    Metric("rlc_wait_mean_ms", "ms", "entry to the RAC request or trailing BSR that served it", True),
    Metric("rac_requests", "1", "RAC requests (preambles) sent"),
    Metric("rac_per_packet", "1", "RAC requests per packet", True),
    Metric("rac_interval_min_ms", "ms", "shortest time between two RAC requests"),
    Metric("rac_timeouts", "1", "RAC requests that timed out unanswered"),
    Metric("packets_per_tti_mean", "1", "packets whose last byte left in the same sub-frame"),
    Metric("blocked_share", "1", "share of packets that waited over 1 TTI for their request", True),
    Metric("joined_share", "1", "share of packets that entered after the RAC request that served them", True),
    Metric("blocked_extra_rtt_ms", "ms", "mean RTT of segments so blocked minus that of the others"),
    Metric("blocked_extra_delay_ms", "ms", "mean one-way delay of these packets minus that of the others"),
    Metric("stolen_share", "1", "share of packets sent whole or ended beside a BSR (stealing)", True),
    Metric("stolen_per_bsr_mean", "1", "packets ended beside a BSR, of the BSRs that data went with", True),
    Metric("stolen_per_bsr_max", "1", "largest number of those"),
    Metric("granted_pdus", "1", "MAC PDUs with RLC data on a data grant"),
    Metric("trailing_bsr_share", "1", "share of these with a non-zero trailing BSR", True),
    Metric("trailing_grant_share", "1", "share of these granted for a trailing BSR", True),
    Metric("rar_grant_bytes", "bytes", "transport block of the grant in a RAR"),
    Metric("mac_bytes", "bytes", "a packet of the most frequent size with PDCP, RLC and MAC headers"),
    Metric("backlog_mean_bytes", "bytes", "time-weighted mean of the UE's transmission buffer"),
    Metric("backlog_max_bytes", "bytes", "largest"),
)

CELL = (
    Metric("control_missed_ttis", "1", "sub-frames with a DCI that its UE missed, whole run"),
    Metric("radio_link_failures", "1", "AM bearers that reached maxRetxThreshold, whole run"),
    Metric("blocks_dl", "1", "downlink blocks, first transmissions, whole run"),
    Metric("block_dl_mean_bytes", "bytes", "their mean size"),
    Metric("harq_failures_ul", "1", "blocks that HARQ gave up, uplink, whole run"),
    Metric("harq_failures_dl", "1", "blocks that HARQ gave up, downlink, whole run"),
    Metric("harq_retx_ul_share", "1", "share of retransmissions among transmissions of blocks, uplink, whole run"),
    Metric("harq_retx_dl_share", "1", "share of retransmissions among transmissions of blocks, downlink, whole run"),
    Metric("dropped_queue_full_pkts", "packets", "dropped for a full RLC queue, whole run"),
    Metric("dropped_radio_loss_pkts", "packets", "lost on the air"),
    Metric("dropped_rlc_discard_pkts", "packets", "given up by RLC reassembly"),
    Metric("dropped_pdcp_discard_pkts", "packets", "discardTimer expired"),
    Metric("dropped_mode_switch_pkts", "packets", "flushed when their UE's mode changed"),
    Metric("dropped_handover_pkts", "packets", "given up at a handover"),
    Metric("dropped_duplicate_pkts", "packets", "received a second time after a handover: no loss"),
    Metric("dropped_ecn_pkts", "packets", "marked in a tunnel between hosts that do not know ECN"),
    Metric("dropped_no_route_pkts", "packets", "for no UE that is known"),
    Metric("dropped_shutdown_pkts", "packets", "still held when the run ended: no loss"),
    Metric("padding_ul_share", "1", "padding in uplink transport blocks"),
    Metric("padding_sl_share", "1", "padding in sidelink transport blocks"),
    Metric("padding_dl_share", "1", "padding in downlink transport blocks"),
    *(
        metric
        for code, link in (("ul", "uplink"), ("sl", "sidelink"), ("dl", "downlink"))
        for metric in (
            Metric(f"harq_retransmissions_{code}", "1", f"transport blocks sent again by HARQ, {link}, whole run"),
            Metric(f"rlc_retransmissions_{code}", "1", f"RLC PDUs, or segments of one, sent again by ARQ, {link}"),
            Metric(f"pdus_per_s_{code}", "1/s", f"MAC PDUs, first transmissions, {link}"),
        )
    ),
    Metric("cqi_min", "1", "lowest CQI behind any grant"),
    *(
        Metric(f"cqi_{code}_{end}", "1", f"{word} CQI of the flow's UEs while it lasts, {link}; of channels only")
        for code, link in (("ul", "uplink"), ("sl", "sidelink"), ("dl", "downlink"))
        for end, word in (("min", "lowest"), ("max", "highest"))
    ),
)

SWITCHES = (
    Metric("mode_switches", "1", "changes of the sending UE's mode"),
    Metric("flushed_data_pkts", "packets", "packets of the data flow that they flushed"),
    Metric("flushed_ack_pkts", "packets", "packets of the ACK flow that they flushed"),
    Metric("flushing_switches", "1", "switches that flushed data; the metrics below are about these"),
    Metric("switch_flushed_data_mean_pkts", "packets", "packets of the data flow flushed by a switch, mean"),
    Metric("switch_flushed_data_mean_bytes", "bytes", "their bytes, mean"),
    Metric("switch_flushed_ack_mean_pkts", "packets", "packets of the ACK flow flushed by a switch, mean"),
    Metric(
        "switch_flushed_on_air_mean_pkts",
        "packets",
        "flushed packets of both directions that had been sent whole on the leg where a switch found them, mean; needs "
        "all of radio.trace",
    ),
    Metric("switch_outstanding_mean_pkts", "packets", "packets in flight for the sender at a switch, mean"),
    Metric(
        "switch_flushed_share",
        "1",
        "packets flushed in both directions over those in flight: 1 leaves none that could bring a duplicate ACK",
    ),
    Metric(
        "switch_sacked_mean_pkts",
        "packets",
        "packets beyond the hole that duplicate ACKs had told of at the first congestion event after a switch, mean",
    ),
    Metric("switch_first_event_p50_ms", "ms", "switch to the first congestion event, median"),
    Metric("switch_rto_first_share", "1", "share of switches whose first congestion event is a timeout"),
    Metric(
        "switch_rto_share",
        "1",
        "share of switches after which the timer expired before everything in flight at the switch was acknowledged",
    ),
    Metric("switch_rto_p50_ms", "ms", "switch to the first timeout after it, median of those that have one"),
    Metric("switch_second_event_share", "1", "share of switches with a fast retransmit after the first event"),
    Metric(
        "switch_recovery_p50_ms",
        "ms",
        "switch to the acknowledgment of everything in flight at it, median of those that get there before the next",
    ),
    Metric("switch_recovery_max_ms", "ms", "longest of these"),
    Metric("switch_unrepaired", "1", "switches without that before the next switch or the end"),
    Metric(
        "switch_ssthresh_p50_pkts",
        "packets",
        "slow start threshold that the first event sets, which is what a fast recovery lowers cwnd to; median",
    ),
    Metric("switch_ssthresh_p50_bytes", "bytes", "the same, times the configured segment size"),
    Metric("switch_ssthresh_ratio_p50", "1", "that threshold over cwnd before the event, median"),
    Metric("switch_cwnd_low_p50_pkts", "packets", "lowest cwnd from the first event to the end of recovery, median"),
    Metric("switch_cwnd_low_pkts", "packets", "lowest of these"),
    Metric("switch_cwnd_1s_p50_pkts", "packets", "lowest cwnd between 0.9 and 1.1 s after the first event, median"),
    Metric(
        "switch_cwnd_back_share",
        "1",
        "share of switches after which cwnd, before the next one, is again what it was, or fills the receive window",
    ),
    Metric("switch_cwnd_back_p50_ms", "ms", "switch to that moment, median of all; null when most do not get there"),
    Metric("fast_recoveries", "1", "fast retransmits that open a recovery, from the trace, whole flow"),
    Metric("fast_recovery_p50_ms", "ms", "fast retransmit to the ACK of everything sent before it, median"),
    Metric("fast_recovery_max_ms", "ms", "longest of these"),
    Metric("fast_recovery_rto_share", "1", "share of fast recoveries during which the timer expires"),
    Metric("fast_recovery_rto_p50_ms", "ms", "fast retransmit to that timeout, median"),
    Metric(
        "ack_same_tti_share",
        "1",
        "share of ACKs of new data that reach the sender less than 1 ms after the one before; needs every segment",
    ),
)

HANDOVER = (
    Metric("ho_handovers", "1", "handovers of the flow's UE"),
    Metric("ho_wrong_predictions", "1", "predictions of one that did not come"),
    Metric("ho_start_s", "s", "start: the source eNB's decision, after t = 0 of the flow; of a wrong prediction, that"),
    Metric("ho_command_ms", "ms", "start to the handover command, on which the UE leaves"),
    Metric("ho_attached_ms", "ms", "start to the UE's arrival in the target cell"),
    Metric("ho_path_switch_ms", "ms", "start to the path switch at the S-GW; negative when it came before"),
    Metric("ho_source_mes", "1", "UEs with traffic in the source cell at the start of the run, this one included"),
    Metric("ho_target_mes", "1", "UEs with traffic in the target cell at the start of the run"),
    Metric("ho_rtt_ms", "ms", "the kernel's smoothed RTT at the start: the one RTT of the span"),
    Metric("ho_span_ms", "ms", "start to one such RTT after the UE's arrival"),
    Metric("ho_timeout", "1", "case: the timer expired on account of the handover", event=True),
    Metric("ho_halving", "1", "case: no timeout, but the window was lowered", event=True),
    Metric("ho_nothing", "1", "case: neither", event=True),
    Metric("ho_timeout_during", "1", "a timeout of the handover within the span, not after it", event=True),
    Metric("ho_event_during", "1", "any congestion event of the handover within the span", event=True),
    Metric("ho_timeout_spurious", "1", "of timeouts: the segment it was about had arrived or still does", event=True),
    Metric("ho_timeout_real", "1", "of timeouts: it was lost", event=True),
    Metric("ho_repairing", "1", "at the start an earlier congestion event was not repaired yet", event=True),
    Metric("ho_event_ms", "ms", "start to the first congestion event"),
    Metric("ho_timeout_ms", "ms", "start to the first timeout"),
    Metric("ho_timeouts", "1", "timeouts of the handover"),
    Metric("ho_timer_ms", "ms", "last ACK of new data to the first timeout"),
    Metric("ho_ack_gap_ms", "ms", "longest time between two ACKs of new data in the span"),
    Metric("ho_cwnd_pkts", "packets", "congestion window at the start"),
    Metric("ho_in_flight_pkts", "packets", "packets in flight for the sender at the start"),
    Metric("ho_ssthresh_pkts", "packets", "slow start threshold that the first event sets"),
    Metric("ho_ssthresh_ratio", "1", "that threshold over cwnd before the event"),
    Metric("ho_slow_start_ms", "ms", "first timeout to a window as large as the threshold it set"),
    Metric("ho_slow_start_k", "1", "RTTs of that slow start by the paper's equation 5"),
    Metric("ho_rtt_before_ms", "ms", "RTT of packets received in the second before the start, median"),
    Metric("ho_rtt_max_ms", "ms", "largest RTT of packets of the handover: to the receiver's next answer"),
    Metric("ho_lost_pkts", "packets", "transmissions of the handover that did not arrive"),
    Metric("ho_reordered_pkts", "packets", "transmissions of the handover that arrived after one sent later"),
    Metric("ho_forwarded_pkts", "packets", "packets that one eNB sent to the other"),
    Metric("ho_forwarded_bytes", "bytes", "their bytes"),
    Metric("ho_forwarded_lost_pkts", "packets", "of these, lost between the eNBs, whole run"),
    Metric("ho_end_markers_lost", "packets", "End Markers lost on either way, whole run"),
    Metric("ho_held_ms", "ms", "longest time that an eNB held packets at a stretch"),
    Metric("ho_held_max_pkts", "packets", "most packets that an eNB held for the UE or for an End Marker"),
    Metric("ho_delivered_kb", "kB", "new data received in the span (1000 bytes)"),
    Metric("ho_rate_before_mbps", "Mbit/s", "new data received in the second before the start"),
    Metric("ho_rate_after_mbps", "Mbit/s", "new data received in the second after it"),
    Metric("ho_model_share", "1", "throughput over the ideal one by the paper's equations, for this case and cwnd"),
    *(
        metric
        for side in ("source", "target")
        for metric in (
            Metric(
                f"ho_drop_{side}_percent", "%", f"dropped by the queue in front of the {side} eNB, whole run"
            ),
            Metric(f"ho_early_drop_{side}_pkts", "packets", "of these, by RED before the queue was full"),
            Metric(f"ho_marked_{side}_pkts", "packets", "packets that RED marked there"),
        )
    ),
)

TIMELINE = (
    Metric("timeline_segments", "1", "segments whose life nothing else disturbed"),
    Metric("timeline_bsr_tx_ms", "ms", "such a segment, RAC request to BSR sent, median"),
    Metric("timeline_bsr_rx_ms", "ms", "to BSR decoded"),
    Metric("timeline_data_tx_ms", "ms", "to data sent"),
    Metric("timeline_data_rx_ms", "ms", "to data decoded at the end of the first leg"),
    Metric("timeline_data_out_ms", "ms", "to data delivered to the receiver's TCP"),
    Metric("timeline_ack_out_ms", "ms", "to the ACK delivered to the sender's TCP"),
    Metric("timeline_access_share", "1", "share of that time in RAC and BSR, both legs"),
)

UTRAN = (
    Metric("utran_rate_kbps", "kbit/s", "downlink rate, the 2 octets of each PDU's header left out"),
    Metric("utran_bler", "1", "configured block error rate of the downlink"),
    Metric("utran_max_dat", "1", "configured MaxDAT: transmissions of a PDU, then its SDU is discarded"),
    Metric(
        "karn_rtt_mean_s",
        "s",
        "mean of the kernel's RTT samples, one a round trip, of segments sent once (Karn's rule)",
        True,
    ),
    Metric("karn_rtt_samples", "1", "how many"),
    Metric("karn_rtt_min_s", "s", "smallest"),
    Metric("karn_rtt_max_s", "s", "largest"),
    Metric("transfer_bytes", "bytes", "bytes of the file that the receiver got in order"),
    Metric("transfer_payload_kbps", "kbit/s", "these over the length of the flow"),
    Metric(
        "transfer_kbps",
        "kbit/s",
        "throughput as the paper's closed form counts it: that, with the 40 bytes of headers of each segment",
    ),
    Metric("tcp_retransmissions", "1", "segments that the sender's TCP sent again (RetransSegs)"),
    Metric("rlc_transmissions_per_pdu", "1", "transmissions of an AMD PDU, both directions"),
    Metric("rlc_status_pdus", "1", "STATUS PDUs sent, both directions"),
    Metric("sdus_discarded_dl", "1", "SDUs given up at MaxDAT, downlink: data segments"),
    Metric("sdus_discarded_ul", "1", "the same of the uplink: ACKs"),
    Metric("sdus_discarded_share", "1", "share of the transmissions of data segments by TCP that the downlink gave up"),
    Metric("model_rtt_s", "s", "what the closed form has there (equations 4 and 8), with RTT_Wired of Table I"),
    Metric("model_kbps", "kbit/s", "the same (equation 9)"),
    Metric("model_discarded_share", "1", "the same: 1 - p of equation 3"),
    Metric("bundle_bytes", "bytes", "size of the bundle's files"),
)

SURFACE = (
    Metric("ret_a", "1", "smallest MaxDAT whose throughput is 1 % of the highest that the BLER allows, or more"),
    Metric("ret_b", "1", "smallest with 95 % of it"),
    Metric("rtt_cells", "1", "cells of the surface with an RTT, at or beyond Ret_A"),
    Metric("rtt_below_wired_cells", "1", "cells of the whole surface with a mean RTT below RTT_Wired of Table I"),
    Metric("rtt_wired_s", "s", "RTT_Wired of the surface, as the paper has it from its traces: mean RTT at BLER 0"),
    Metric("rtt_bend_percent", "%", "RTT halfway along the BLERs below the mean of both ends, at the highest MaxDAT"),
    Metric("throughput_line_r2", "1", "squared correlation of throughput and BLER, at the highest MaxDAT"),
    *(
        Metric(
            f"table2_{quantity}_{kind}_percent",
            "%",
            f"Table II: {words} distance of the closed form's {of} from the measured one, of the latter",
        )
        for quantity, of in (("rtt", "RTT"), ("throughput", "throughput"))
        for kind, words in (("mean", "mean"), ("max", "largest"))
    ),
)

LATENESS = (
    Metric("lateness_p50_us", "us", "wake-up minus schedule of the radio daemon, median"),
    Metric("lateness_p99_us", "us", "99th percentile"),
    Metric("lateness_p999_us", "us", "99.9th percentile"),
    Metric("lateness_max_us", "us", "largest"),
    Metric("missed_ttis", "1", "wake-ups late by more than a sub-frame"),
)


def sided(side: str) -> tuple[Metric, ...]:
    """SIDE metrics of the data or the ACK flow."""
    label = {"data": "data flow", "ack": "ACK flow"}[side]
    return tuple(Metric(f"{side}_{m.name}", m.unit, f"{label}: {m.meaning}", m.interval) for m in SIDE)


SECTIONS = (
    ("Identity of the run", IDENTITY),
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
METRICS = {metric.name: metric for _, section in SECTIONS for metric in section}
#: Of many runs together; claims may measure them too.
SURFACE_METRICS = {metric.name: metric for metric in SURFACE}
