# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/metrics.md, made from the catalog: `python -m cellbed_analysis metrics`."""

from __future__ import annotations

from .catalog import SECTIONS, SWEEP_SECTIONS

INTRODUCTION = """\
<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
# Metrics

`summary/metrics.parquet` has one row for each flow of each run. Failed and invalid runs have rows too, with
`usable` false; nothing averages them. A metric that a run or flow cannot have is null.

- **Flows.** First those of the scenario's traffic, in its order; then every other TCP and UDP 5-tuple of IPv4 that
  captures show, or without captures the probe (`flows` in `tcp.json`), the largest first. What is of the whole run
  stands in its first row only, so rows may be added up; claims and figures of papers are about first rows. The
  direction that carries more payload is the data direction. The first 32 flows of a run have all metrics, further
  ones only those of the section on flows. Counters of the sender's node (in parentheses below) are null in the row of a
  further flow whose node sends another one too.
- **QUIC** is a UDP flow that begins with a long header, the fixed bit set and a version that is known (RFC 9000, 9369).
  Its spin bit (RFC 9000 17.4) shows an RTT where both ends let it spin: the time between two changes in what the data's
  sender sends (RFC 9312 3.8.2). Times below the shortest way there and back that any packet had are none; of a bit that
  has mostly such there is no RTT.
- **One-way delay** of datagrams: from the sender's capture to the receiver's, which have one clock. A datagram is known
  again by its ports, length and first bytes.
- **Shares and fairness** are of one cell and direction: uplink, downlink, or between UEs. A flow contends when the
  scenario names it or it carried 64 KiB of payload. `flow_share` is its part of the payload that came; Jain's index of
  n throughputs x is (sum x)^2 / (n sum x^2), 1 when all are equal and 1/n when one has everything (Jain 1984; RFC 5166
  2.3.1). Both are of the whole run, and `_together` of the time in which all contending flows were active: from the
  last one's start to the first one's end. A flow of given duration is active from its start for so long, others from
  their first packet to their last. Payload counts where it came, also when it came twice.


- **Window.** The first 5 s of a flow, or its first fifth when it lasts less than 25 s, are
  warm-up and left out; so is everything after the flow's end. A segment or packet counts when it
  was sent inside the window.
- **Files.** Of a flow that sends a file (`bytes`), the end is when the receiver confirms the last byte
  it gets.
- **Causes.** Over the whole flow, warm-up included. What the captures show is found by matching every
  packet between both ends; counters in parentheses are those of the sender's node (`counters.json`).
- **Mode switches.** Over the whole flow, from `radio.trace` and `tcp.trace` alone. Congestion events are timeouts and
  fast retransmits: retransmissions of the oldest segment while nothing is being repaired, or that come with another
  slow start threshold. A repair lasts until everything sent before its event is acknowledged.
  What a switch flushes is lost, unless `radio.mode_switch.flush` has PDCP send it again.
- **Handover.** The first of the flow's UE, or the first wrong prediction where there is none. Its span goes from the
  source's decision to one RTT after the UE's arrival in the target cell. A congestion event is of the handover when the
  segment it is about, the oldest without an acknowledgment, was under way in the span: sent before its end, not
  acknowledged at its start; the event may come after the span. Kinds: timeout, fast retransmit, and a threshold that
  falls without retransmission (ECN). Packets of the handover are chosen in the same way.
- **Shares.** Columns that are 0 or 1 in each run are averaged with Wilson's interval.
- **Runs without captures** (`capture.ip: false`) have these, counters, the goodput that the receiving program counted
  and what events tell of the cell; the rest is null.
- **Commands.** A flow is a command's when the command's program, or one that it started, made a socket at either end:
  each command has a cgroup of its own, by which the probe tells. A command without flows has a row of its own. The
  first row of runs with no traffic but commands (`cellbed link`) has what the radio did for all packets of the run;
  it is no command's alone.
- **UTRAN.** Over the whole flow, slow start included, from `tcp.trace`, counters and the receiving program; with or
  without captures. These runs have the sections on identity, causes in parentheses, UTRAN, drops and lateness.
- **RTT.** From the sender's capture: a data segment leaves, and the first ACK that covers it
  arrives. A server's leaves before the delay of its link, whose qdisc is in front of the capture.
  Karn's rule: retransmitted segments have none.
- **Agreement.** The kernel's own RTT samples are joined with the segment they timed. Bound: 10 us
  in the virtual lab, 1000 us in the native one. The kernel's clock stops when TCP processes the ACK
  and starts when TCP hands the segment to IP, both just outside the capture points, and it counts
  in whole us.
- **Intervals.** Metrics marked with an interval have `<name>_low` and `<name>_high`: 95 %, block
  bootstrap inside the run, blocks of 1 s, 2000 resamples, fixed generator. Claims use Student's t
  over seeds instead when there are several.
- **Parameters.** Every scalar of the run description is a column `param.<key>`.
- **Sides.** `data_` is the UE that sends data, `ack_` the one that sends ACKs.
"""


def markdown() -> str:
    """The text of docs/metrics.md."""
    lines = [INTRODUCTION]
    for title, section in SECTIONS:
        lines += [f"## {title}", "", "| column | unit | meaning |", "| --- | --- | --- |"]
        for metric in section:
            mark = " (interval)" if metric.interval else ""
            lines.append(f"| `{metric.name}` | {metric.unit} | {metric.meaning}{mark} |")
        lines.append("")
    for title, introduction, columns in SWEEP_SECTIONS:
        lines += [f"## {title}", "", introduction, "", "| column | unit | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{metric.name}` | {metric.unit} | {metric.meaning} |" for metric in columns]
        lines.append("")
    return "\n".join(lines)
