# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/metrics.md, made from the catalog: `python -m cellbed_analysis metrics`."""

from __future__ import annotations

from .catalog import SECTIONS, SWEEP_SECTIONS

INTRODUCTION = """\
<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
# Metrics

This page lists every column of `summary/metrics.parquet`, with its unit and definition. You need it when you choose a
metric for `cellbed compare`, a claim or a plot of your own. Afterwards you know what a number includes and what not.

The file has one row for each flow of each run. Failed and invalid runs have rows too, with `usable` false, and averages
leave them out. A metric that a run or a flow cannot have is null.

## What has a row

- **Flows.** The flows of the scenario's traffic come first, in the scenario's order. Every other TCP or UDP 5-tuple
  of IPv4 follows, the largest first: those that the captures show or, in runs without captures, those that the probe
  saw (`flows` in `tcp.json`). The direction that carries more payload is the data direction. Flows of the scenario
  have all metrics, and so have the first 32 of a run; others have only those of the section on flows.
- **Connections of Multipath TCP** have a row by what their receiving program got. The rows behind it are those of
  the subflows, `file/radio` over the first radio network and `file/wifi` over that of this name, with all that a flow
  of TCP has. What a subflow carried may be data that another one carried, too.
- **Values of the whole run** stand in its first row only, so that rows may be added up. Claims and the figures of
  papers use first rows. Counters belong to the sender's node, so they are null in the row of a later flow whose node
  sends another flow as well.
- **Commands.** Each command runs in a cgroup of its own, by which the probe recognises its sockets. A flow belongs to
  a command when the command's program, or a program that it started, made the socket at either end. A command without
  flows has a row of its own. Where commands are a run's only traffic (`cellbed link`), the first row also says what
  the radio did for all packets of the run, which may be more than that command's.
- **Runs without captures** (`capture.ip: false`) have the metrics of mode switches and handovers, the counters, the
  goodput that the receiving program counted and what events tell of the cell. Their other metrics are null.
- **Runs in the UTRAN** have the sections on identity, UTRAN, drops and lateness, and of the causes those that are
  counters. These cover the whole flow with its slow start. They come from `tcp.trace`, the counters and the receiving
  program, and so are the same with and without captures.

## When something counts

- **Window.** The first 5 s of a flow are its warm-up, or its first fifth if it lasts less than 25 s. The warm-up is
  left out, and so is everything after the flow's end. `evaluate` in a scenario sets other ends, and a bundle follows
  what its scenario says today. A segment or packet counts when it was sent inside this window. Tables, claims, exports
  and `plot rtt-cdf` have the same window, which the heads of tables name; figures over time show the whole run.
- **Files.** A flow that sends a file (`bytes`) ends when the receiver confirms the last byte that it gets.
- **Causes** cover the whole flow, warm-up included. Losses and reordering are found in the captures, by matching
  every packet between both ends. A name in parentheses is that of the counter of the sender's node (`counters.json`).
- **Mode switches** cover the whole flow and are found in `radio.trace` and `tcp.trace` alone. A congestion event is a
  timeout or a fast retransmit, that is, a retransmission of the oldest segment either while no repair is going on or
  together with a new slow start threshold. A repair lasts until everything sent before its event is acknowledged.
  What a switch flushes is lost, unless `radio.mode_switch.flush` has PDCP send it again.
- **Handovers.** The metrics are about the first handover of the flow's UE or, if there is none, its first wrong
  prediction. The span of a handover goes from the source's decision to one RTT after the UE's arrival in the target
  cell. A congestion event belongs to the handover when the segment that it is about, the oldest one without an
  acknowledgment, was under way in the span: it was sent before the span's end and was not acknowledged at its start.
  The event itself may come after the span. There are three kinds of events: a timeout, a fast retransmit, and a
  threshold that falls without a retransmission (ECN). Packets of the handover are chosen by the same rule.

## How it is measured

- **RTT.** The sender's capture gives the time from a data segment's departure to the first ACK that covers it.
  Retransmitted segments have no RTT (Karn's rule). The qdisc of a server's link delays segments before the capture
  sees them. The time of departure is corrected for that, so the RTT contains the delay of the link.
- **Agreement.** Each RTT sample of the kernel is joined with the segment that it timed. The two should differ by no
  more than 10 us in the virtual lab and 1000 us in the native one. The kernel's clock starts when TCP hands the
  segment to IP and stops when TCP processes the ACK, both just outside the points of capture, and it counts whole
  microseconds.
- **One-way delay** of a datagram is the time from its departure, as above, to the receiver's capture, which has the
  same clock. A datagram is recognised by its ports, its length and its first bytes.
- **QUIC** is a UDP flow that begins with a long header, the fixed bit set and a known version (RFC 9000, 9369). Where
  both ends let its spin bit spin (RFC 9000 17.4), the RTT is the time between two changes of the bit in what the
  sender of data sends (RFC 9312 3.8.2). A time below the shortest delays of both directions together is not an RTT.
  A flow in which more than a tenth of the times are below them has none.
- **Fairness** is about the flows that contend for one direction of a cell: the uplink, the downlink, or the links
  between UEs. A flow contends when the scenario names it or when it carried at least 64 KiB of payload. `flow_share`
  is a flow's part of all payload that arrived; payload that arrived twice counts twice. Jain's index of n throughputs
  x is (sum x)^2 / (n sum x^2): it is 1 when all are equal and 1/n when one flow has everything (Jain 1984; RFC 5166
  2.3.1). Both are given for the whole run and, with names that end in `_together`, for the time in which all
  contending flows were active, from the start of the last one to the end of the first one. A flow of a given duration
  is active from its start for that long, and any other flow from its first packet to its last.
- **Intervals.** A metric marked with an interval also has the columns `<name>_low` and `<name>_high`: the 95 %
  confidence interval by a block bootstrap inside the run, with blocks of 1 s, 2000 resamples and a fixed generator.
  Where there are several seeds, claims use Student's t over them instead. Columns that are 0 or 1 in each run are
  averaged with Wilson's interval.

## How columns are named

Every scalar of the run's description is a column `param.<key>`. Names that begin with `data_` are about the UE that
sends data, those with `ack_` about the one that sends ACKs.
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
