# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed fit`: a recorded link made of a capture or a trace, run beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cellbed.cli.analysed import analysing
from cellbed.cli.options import Kernel
from cellbed.cli.pcap import there
from cellbed.cli.screens import console, errors
from cellbed.error import CellbedError
from cellbed.host.interrupt import cleaning_up

if TYPE_CHECKING:
    from cellbed.link.fitted import Recording
    from cellbed_analysis.pcap.fitted_link import FittedLink, Nearness
    from cellbed_analysis.pcap.fitted_trace import TraceNearness
    from cellbed_analysis.pcap.measures import FlowMeasures

#: A link of which less was busy is mostly guessed.
_BUSY_LEAST = 0.5
_REPORT = "fit.json"
_TRACE_DELAY_MS, _TRACE_QUEUE_PKTS = 20, 1000


def run_fit(
    capture: Annotated[Path, typer.Argument(callback=there, help="A capture of a TCP "
                                            "transfer, at either end: pcap or pcapng; - is standard input. Or a "
                                            "packet-delivery trace of Mahimahi or CellReplay.")],
    flow: Annotated[str | None, typer.Option("--flow", metavar="ID", show_default=False, help="The flow, by its id or "
                                             "a part of it, as in `cellbed pcap`. Default: the largest.")] = None,
    output: Annotated[Path | None, typer.Option(help="The folder for the link, its scenario and the runs. Default: the "
                                                "capture's name with -fit.")] = None,
    congestion_control: Annotated[str, typer.Option(help="The congestion control of the replay: a capture does not say "
                                                    "the sender's.")] = "cubic",
    run: Annotated[bool, typer.Option("--run/--no-run", help="Run the link in the virtual lab, and report how "
                                      "close it comes to the capture.")] = True,
    uplink: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, show_default=False, help="Of a "
                                                "trace: that of the uplink. Default: the way back is open.")] = None,
    delay_ms: Annotated[int | None, typer.Option(min=0, max=10_000, show_default=False, help="Of a trace: the delay "
                                                 f"each way. Default: {_TRACE_DELAY_MS}.")] = None,
    queue_pkts: Annotated[int | None, typer.Option(min=1, max=65536, show_default=False, help="Of a trace: the most "
                                                   f"packets that wait. Default: {_TRACE_QUEUE_PKTS}.")] = None,
    trains: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, show_default=False, help="Of a trace of "
                                                "CellReplay: that of its trains, which has the delay.")] = None,
    uplink_trains: Annotated[Path | None, typer.Option(exists=True, dir_okay=False, show_default=False, help="The same "
                                                       "of the uplink.")] = None,
    kernel: Kernel = None,
) -> None:
    """Make a recorded link of a capture or a trace, run it in the virtual lab, and report how close it comes."""
    from cellbed.link import fitted

    folder = Path(f"{capture.stem.strip('-') or 'stdin'}-fit") if output is None else output
    if fitted.is_trace(capture):
        _check_options("trace", {"--flow": flow})
        recording = fitted.Recording(capture, uplink, trains, uplink_trains)
        if recording.trains and delay_ms:
            raise CellbedError(f"--delay-ms {delay_ms}: trains have the delay; leave it out")
        own_delay_ms = 0 if recording.trains else _TRACE_DELAY_MS
        with analysing(capture, folder):
            _fit_trace(recording, folder, own_delay_ms if delay_ms is None else delay_ms,
                       _TRACE_QUEUE_PKTS if queue_pkts is None else queue_pkts, congestion_control, run, kernel)
        return
    _check_options("capture", {"--uplink": uplink, "--delay-ms": delay_ms, "--queue-pkts": queue_pkts,
                               "--trains": trains, "--uplink-trains": uplink_trains})
    with analysing(capture, folder):
        from cellbed_analysis.pcap.analysis import analyse, largest_of
        from cellbed_analysis.pcap.fitted_link import fit

        found = analyse([capture], flow)
        chosen = largest_of(found, capture)
        for note in [*found.notes(), *([f"{chosen.row['flow']}: {chosen.row['remarks']}"] if chosen.row["remarks"]
                                       else [])]:
            errors().print(f"cellbed: {note}", soft_wrap=True)
        link = fit(chosen, fitted.LEAD_MS)
        tcp: dict[str, Any] = {"congestion_control": congestion_control}
        tcp |= {"mss": link.mss_bytes} if link.mss_bytes else {}
        tcp |= {"receive_window": link.window_bytes} if link.window_bytes else {}
        scenario = fitted.write(folder, f"{capture.name}, {chosen.row['flow']}", link.times_ms.tolist(), link.delay_ms,
                                link.queue_pkts, link.duration_s, tcp, link.loss.value)
        console().print(f"{scenario}: {_described(link)}", soft_wrap=True)
        if link.busy_share < _BUSY_LEAST:
            errors().print(f"cellbed: packets waited for the link in only {link.busy_share:.0%} of the time; its rate "
                           "in the rest is a guess; fit a transfer that fills the link", soft_wrap=True)
        if run:
            _compare(folder, scenario, chosen, kernel)


def _check_options(of: str, given: dict[str, object]) -> None:
    """Raises CellbedError: an option is there that means nothing."""
    for name, value in given.items():
        if value is not None:
            other = "trace" if of == "capture" else "capture"
            raise CellbedError(f"{name} {value}: allowed with a {other}, and this is a {of}; leave it out")


def _fit_trace(recording: Recording, folder: Path, delay_ms: int, queue_pkts: int, congestion_control: str, run: bool,
               kernel: str | None) -> None:
    from cellbed.link import fitted
    from cellbed_analysis.pcap.analysis import largest
    from cellbed_analysis.pcap.fitted_trace import trace_nearness
    from cellbed_analysis.radio.opportunities import opportunities

    made = fitted.write_trace(folder, recording.down.name, recording, delay_ms, queue_pkts,
                              {"congestion_control": congestion_control})
    offered = opportunities(made.times_ms, fitted.LEAD_MS, fitted.LEAD_MS + round(1000 * made.duration_s))
    mean_mbps = len(offered) * recording.packet_bytes * 8 / 1e6 / made.duration_s
    delay = "delays of the trains" if recording.trains else f"delay {delay_ms} ms each way"
    console().print(f"{made.scenario}: {made.times_ms[-1] / 1000:.1f} s of trace, {made.duration_s:.1f} s of transfer, "
                    f"mean {mean_mbps:.2f} Mbit/s, {delay}, queue {queue_pkts} packets", soft_wrap=True)
    if run:
        bundle = _replayed(folder, made.scenario, kernel)
        found = trace_nearness(made.times_ms, recording.packet_bytes, fitted.LEAD_MS,
                               largest(bundle / "ip-server.pcap"))
        _write(folder, found)
        _print_trace(found)


def _described(link: FittedLink) -> str:
    seconds = (int(link.times_ms[-1]) - int(link.times_ms[0])) / 1000
    rate_mbps = len(link.times_ms) * 1500 * 8 / 1e6 / max(seconds, 1e-3)
    window = f", window {link.window_bytes} bytes" if link.window_bytes else ""
    loss = f", loss {100 * link.loss.value:.2g} % ({100 * link.loss.low:.2g} to {100 * link.loss.high:.2g} %)" \
        if link.loss.low is not None and link.loss.high is not None else ""
    return (f"{link.duration_s:.1f} s, mean {rate_mbps:.2f} Mbit/s, delay {link.delay_ms} ms each way, queue "
            f"{link.queue_pkts} packets{loss}{window}; busy {link.busy_share:.0%} of the time")


def _compare(folder: Path, scenario: Path, original: FlowMeasures, kernel: str | None) -> None:
    from cellbed_analysis.pcap.analysis import largest
    from cellbed_analysis.pcap.fitted_link import behaviour, nearness

    bundle = _replayed(folder, scenario, kernel)
    found = nearness(behaviour(original), behaviour(largest(bundle / "ip-server.pcap")))
    _write(folder, found)
    _print(found)


def _replayed(folder: Path, scenario: Path, kernel: str | None) -> Path:
    from cellbed.cli.show import Show
    from cellbed.link import fitted

    show = Show(1, console(), errors())
    with cleaning_up(), show.under_way():
        return fitted.execute(scenario, folder / "results", kernel, show)


def _write(folder: Path, found: Nearness | TraceNearness) -> None:
    from cellbed_analysis.pcap.show import text_of
    from cellbed_formats.inside import Inside

    (Inside.named(folder) / _REPORT).write(text_of(found.to_json()))


def _print(found: Nearness) -> None:
    from cellbed_analysis.pcap.show import comparison

    console().print(comparison(found))
    console().print(f"distance of the RTT distributions (Kolmogorov-Smirnov): {found.rtt_ks:.3f}; of the bytes "
                    f"delivered by a time: at most {found.delivered_difference_max_share:.1%} of all", soft_wrap=True)


def _print_trace(found: TraceNearness) -> None:
    from cellbed_analysis.pcap.fitted_trace import PART_MS
    from cellbed_analysis.pcap.show import of_trace

    console().print(of_trace(found))
    console().print(f"distance of both rates over {PART_MS} ms (Kolmogorov-Smirnov): {found.rate_ks:.3f}; "
                    f"{found.idle_share:.0%} of these parts offer nothing", soft_wrap=True)


def register(app: typer.Typer) -> None:
    app.command("fit")(run_fit)
