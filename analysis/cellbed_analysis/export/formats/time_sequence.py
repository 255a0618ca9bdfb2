# SPDX-License-Identifier: GPL-2.0-or-later
"""A time-sequence graph of the connection, as PNG."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from cellbed_formats.bundle import Bundle
from cellbed_formats.inside import Inside

from ...figures.style import theme
from ...figures.time_sequence import draw
from ...tcp.connection import radio_events, samples
from ..format import Format


def write(bundle: Bundle, node: str, stem: Inside, flow: str | None = None) -> list[Path]:
    """`<stem>.time-sequence.png`."""
    path = stem.with_name(f"{stem.name}.time-sequence.png")
    with theme():
        figure = draw(samples(bundle, flow), radio_events(bundle, node), bundle.start_ns)
        with path.replaced() as file:
            figure.savefig(file, format="png", dpi=150, metadata={"Software": None})
        plt.close(figure)
    return [path.path]


FORMAT = Format(write, of_flow=True)
