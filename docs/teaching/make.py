# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the solutions of the lab sheets: run the commands of each sheet, and measure the answers in what they leave.

Usage: docs/teaching/make.py [FOLDER]. It writes solutions.md and the expected figures there; default: beside itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars as pl

from cellbed import Bundle, Results

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
PACKET_BYTES = 1500
HEAD = """# Solutions of the lab sheets

This page is for teachers. It has the numbers that the [lab sheets](../howto/lab-exercise.md) ask for, as
`docs/teaching/make.py` measured them with the default lab kernel; a test makes them again. All are of seed 1.
"""


def run_sheet(name: str, folder: Path) -> None:
    """Type the commands of a sheet in a folder like a checkout's.

    Raises:
        SystemExit: one fails.
    """
    for shared in ("docs", "scenarios", "captures"):
        if not (folder / shared).exists():
            (folder / shared).symlink_to(TOP / shared)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for block in BLOCK.findall((HERE / f"{name}.md").read_text()):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env={**os.environ, "PATH": path},
                              capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{name}.md: {block}\n{done.stdout}{done.stderr}")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines)


def runs(folder: Path, name: str, *variants: str) -> dict[str, Bundle]:
    """The runs of a sheet, by variant."""
    results = Results.load(folder / "results" / name)
    return {variant: results.bundle(variant=variant) for variant in variants}


def largest(frame: pl.DataFrame, name: str, column: str) -> str:
    """The row with most of a column, such as "other UEs (12.3 ms)"."""
    what, ms = frame.sort(column, descending=True).select(name, column).row(0)
    return f"{what} ({ms:.1f} ms)"


def bufferbloat(folder: Path) -> Iterator[str]:
    """Answers of sheet 1."""
    found = runs(folder, "bufferbloat", "long", "short", "bbr")
    rtts = {variant: run.why_flow("ping") for variant, run in found.items()}
    goodput = {variant: run.metrics["goodput_mbps"] for variant, run in found.items()}
    yield table(["1", "goodput (Mbit/s)", "median RTT, download (ms)", "median RTT, ping (ms)"],
                [[variant, f"{goodput[variant]:.2f}", f"{run.metrics['rtt_p50_ms']:.0f}",
                  f"{rtts[variant].percentile_ms(50):.0f}"] for variant, run in found.items()])
    causes = rtts["long"].causes
    assert causes is not None
    more = causes.with_columns(more=pl.col("slowest_ms") - pl.col("middle_ms"))
    yield f"**2.** The largest cause: {largest(causes, 'cause', 'all_ms')}. The slowest pings have most more of: " \
          f"{largest(more, 'cause', 'more')}. A ping has no window of its own, and waits behind that of the download."
    downloads = {variant: found[variant].why_flow("download").causes for variant in ("long", "bbr")}
    yield "**3.** " + "; ".join(f"`{variant}`: {largest(frame, 'cause', 'all_ms')}"
                                for variant, frame in downloads.items() if frame is not None) + \
          ". In `long` the window grows until the queue is full; BBR keeps it near what the path holds."
    least_ms = min(float(answer.rtt_ms.min()) for answer in rtts.values())
    packets = goodput["long"] * 1e6 / 8 * least_ms / 1e3 / PACKET_BYTES
    yield f"**4.** {goodput['long']:.2f} Mbit/s times {least_ms:.0f} ms, the least RTT of a ping, are {packets:.0f} " \
          f"packets. `short` has 20; its goodput is {100 * goodput['short'] / goodput['long']:.0f} % of that of `long`."


def radio_losses(folder: Path) -> Iterator[str]:
    """Answers of sheet 2."""
    found = runs(folder, "radio-losses", "am", "um")
    counts = {}
    for variant, run in found.items():
        down = run.radio.filter(pl.col("direction") == "dl")
        counts[variant] = {event: down.filter(pl.col("event") == event).height
                           for event in ("mac_tx", "harq_tx", "mac_lost", "rlc_retx")}
    yield table(["1", "blocks", "sent again by HARQ", "given up"],
                [[variant, str(n["mac_tx"]), *(f"{n[event]} ({100 * n[event] / n['mac_tx']:.1f} %)"
                                               for event in ("harq_tx", "mac_lost"))] for variant, n in counts.items()])
    again = {variant: run.metrics["retransmitted_segments"] for variant, run in found.items()}
    yield "**2.** " + "; ".join(
        f"`{variant}`: {counts[variant]['rlc_retx']} PDUs and segments of them by RLC, {again[variant]} of "
        f"{run.metrics['segments']} segments by TCP" for variant, run in found.items()) + \
        ". What HARQ gives up, RLC repairs in `am`, and TCP in `um`, for which each loss is congestion."
    yield table(["3", "goodput (Mbit/s)", "median RTT (ms)"],
                [[variant, f"{run.metrics['goodput_mbps']:.2f}", f"{run.metrics['rtt_p50_ms']:.0f}"]
                 for variant, run in found.items()])
    parts = found["am"].why_flow("download").parts.filter(pl.col("part").str.contains("reordering"))
    slowest = ", ".join(f"{name} {every:.1f} ms on average, {slow:.1f} ms in the slowest 5 %"
                        for name, every, slow in parts.select("part", "all_ms", "slowest_ms").rows())
    yield f"**4.** RLC delivers in order, so what follows a lost PDU waits until that has come: {slowest}."


def handover(folder: Path) -> Iterator[str]:
    """Answers of sheet 3."""
    found = runs(folder, "handover", "standard", "conditional", "daps")
    yield table(["1", "in no cell (ms)", "no new data (ms)"],
                [[variant, f"{run.metrics['ho_interruption_ms']:.1f}", f"{run.metrics['ho_data_gap_ms']:.1f}"]
                 for variant, run in found.items()])
    yield "**2.** " + "; ".join(
        f"`{variant}`: {run.metrics['dropped_handover_pkts']} packets given up at the handover, "
        f"{run.metrics['dropped_queue_full_pkts']} dropped by full queues, "
        f"{run.metrics['retransmitted_segments']} segments sent again" for variant, run in found.items()) + \
        ". The source forwards what RLC AM has no acknowledgment of; what TCP sends again, the queue has dropped."
    slowest = {variant: float(run.segments["rtt_ms"].max()) for variant, run in found.items()}  # type: ignore[arg-type]
    yield "**3.** The longest RTT: " + ", ".join(f"`{variant}` {ms:.0f} ms" for variant, ms in slowest.items()) + "."
    yield table(["4", "what the slowest 5 % have most more of", "handover, mean of all (ms)"],
                [[variant, *_more(run)] for variant, run in found.items()])


def _more(run: Bundle) -> tuple[str, str]:
    causes = run.why_flow().causes
    assert causes is not None
    more = causes.with_columns(more=pl.col("slowest_ms") - pl.col("middle_ms"))
    share = causes.filter(pl.col("cause") == "handover")["all_ms"].sum()
    return largest(more, "cause", "more"), f"{share:.2f}"


#: Sheets in order: answers, and the figure that is expected.
SHEETS: dict[str, Callable[[Path], Iterator[str]]] = {
    "bufferbloat": bufferbloat, "radio-losses": radio_losses, "handover": handover}


def make(target: Path) -> None:
    """Write solutions.md and the figures into a folder."""
    text = HEAD
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, answers in SHEETS.items():
            run_sheet(name, folder)
            title = (HERE / f"{name}.md").read_text().partition("\n")[0].removeprefix("# ")
            text += "\n".join(["", f"## [{title}]({name}.md)", "", *(f"{answer}\n" for answer in answers(folder)),
                               f"![The expected figure]({name}.png)", ""])
            shutil.copy(folder / f"{name}.png", target)
    (target / "solutions.md").write_text(text)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
