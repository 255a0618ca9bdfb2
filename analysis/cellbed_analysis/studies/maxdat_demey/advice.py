# SPDX-License-Identifier: GPL-2.0-or-later
"""`python -m cellbed_analysis maxdat`: a maxDAT for a goal, by the closed form of De Mey."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

from . import evidence, maxdat
from .maxdat import Session

#: Rows of the table on either side of the proposal.
NEIGHBOURS = 2


def run(chosen: argparse.Namespace) -> str:
    """The answer to parsed options, as text; draws the figures if asked to.

    Raises:
        DataError: no maxDAT meets the goal, or the results hold nothing about the case.
    """
    found = evidence.evidence(chosen.results, chosen.rate, chosen.bler) if chosen.results else None
    of = maxdat.session(chosen.rate, **({"rtt_wired_s": chosen.rtt_wired} if chosen.rtt_wired else {}))
    try:
        proposed = maxdat.propose(chosen.bler, of, chosen.max_rtt, chosen.min_throughput, not chosen.mended)
    except ValueError as error:
        raise DataError(f"by the model, {error}") from None
    text = advice(chosen.bler, of, proposed, chosen.max_rtt, chosen.min_throughput, not chosen.mended)
    if found is not None:
        goals = (chosen.max_rtt, chosen.min_throughput)
        text += "\n\n" + evidence.told(*found, chosen.bler, proposed, *goals)
    if chosen.figures:
        text += "".join(f"\n{path}" for path in _draw(chosen.figures, chosen.bler, of, proposed, not chosen.mended))
    return text


def advice(
    bler: float,
    of: Session,
    proposed: int,
    max_rtt_s: float | None = None,
    min_throughput_bps: float | None = None,
    as_printed: bool = True,
) -> str:
    """What the model says about a maxDAT and its neighbours, as text.

    Args:
        bler, of: the case.
        proposed: see `maxdat.propose`, which has the goals too.
        max_rtt_s, min_throughput_bps: goals.
        as_printed: see `maxdat.rtt_rlc`.
    """
    goal = "the highest throughput"
    if max_rtt_s is not None:
        goal = f"an RTT of {max_rtt_s:g} s at most"
    elif min_throughput_bps is not None:
        goal = f"a throughput of {min_throughput_bps / 1000:g} kbit/s at least"
    low, high = (int(limit) for limit in maxdat.limits(bler, of, as_printed))
    equation = "equation 8 as printed" if as_printed else "equation 8 mended"
    return "\n".join(
        [
            f"maxDAT {proposed} for {goal}, at {of.rate_bps / 1000:g} kbit/s and BLER {bler:g}",
            "",
            *_neighbours(bler, of, proposed, as_printed),
            "",
            f"Ret_A {low} (any throughput), Ret_B {high} (all of it, of 1 to {maxdat.maxdats()[-1]})",
            f"This is the model, De Mey's closed form ({equation}), and no measurement.",
            f"It takes an RTT without errors of {of.rtt_wired_s:g} s and windows of {of.w_max} segments",
            f"of {of.segment_bytes} bytes, headers included, in its throughput too;",
            f"RTT_RLC {1000 * of.rtt_rlc_s:g} ms, T_Polling {1000 * of.t_polling_s:g} ms, T_0 {of.t0_rtts:g} RTT.",
            *_remarks(bler, of, proposed, as_printed),
        ]
    )


def _neighbours(bler: float, of: Session, proposed: int, as_printed: bool) -> list[str]:
    """Header and rows of the table."""
    near = maxdat.maxdats()[np.abs(maxdat.maxdats() - proposed) <= NEIGHBOURS]
    rtt_s = maxdat.rtt_tcp(bler, near, of, as_printed)
    rates = maxdat.throughput(bler, near, of, as_printed)
    lost = maxdat.segment_loss(bler, near, of.pdus)
    rows = [f"  {'maxDAT':>6}  {'RTT (s)':>8}  {'kbit/s':>8}  {'segments lost (%)':>17}"]
    for m, rtt, rate, loss in zip(near, rtt_s, rates, lost, strict=True):
        rows.append(f"{'>' if m == proposed else ' '} {m:>6}  {rtt:8.3f}  {rate / 1000:8.1f}  {100 * loss:17.3g}")
    return rows


def _remarks(bler: float, of: Session, proposed: int, as_printed: bool) -> list[str]:
    """What a proposal gives away; and where the model promises more than errors leave of the link."""
    rates = maxdat.throughput(bler, maxdat.maxdats(), of, as_printed)
    rate, left_bps = rates[proposed - 1], (1 - bler) * of.rate_bps
    remarks = []
    if rate < maxdat.PLATEAU * rates.max():
        share = 100 * rate / rates.max()
        remarks.append(f"The proposal has {share:.3g} % of the highest throughput, {rates.max() / 1000:.1f} kbit/s.")
    if rate > left_bps:
        remarks.append(f"It knows no capacity: errors leave the link {left_bps / 1000:.1f} kbit/s, less than this.")
    return remarks


def _draw(directory: Path, bler: float, of: Session, proposed: int, as_printed: bool) -> list[Path]:
    """Write the figures; other files in the directory stay."""
    from ...figures.figure import NO_DATE, render
    from ...figures.style import theme
    from . import model_chart

    folder = Inside.named(directory)
    paths = []
    with theme():
        figures = {
            "maxdat-rtt": model_chart.draw("rtt", as_printed=as_printed),
            "maxdat-throughput": model_chart.draw("throughput", as_printed=as_printed),
            "maxdat-cut": model_chart.draw_cut(bler, of, proposed, as_printed),
        }
        for name, figure in figures.items():
            for kind in NO_DATE:
                paths.append(directory / f"{name}.{kind}")
                (folder / paths[-1].name).write(render(figure, kind))
    return paths
