#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the pictures of the documents from results; README.md beside this says of which."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO, StringIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from cellbed_watch.place import Place
from cellbed_watch.terminal import render
from cellbed_watch.view import View

HERE = Path(__file__).parent
#: Of the part of the page that is shown: width, height; and where the mark of the first timeout is in it.
PAGE, TIMEOUT = (940, 580), (299, 295)
COLUMNS = 100
#: Rich's own frame without the font that it would load from elsewhere.
SVG = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg"><style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: {char_height}px;
line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>{lines}</defs>
{chrome}<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


def save(picture: bytes, name: str) -> None:
    """A PNG with a palette: a third of the size."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(HERE / name, optimize=True)


def page_of_a_run(report: Path) -> None:
    """The upper part of a run's page, with the pointer at a timeout."""
    chromium = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1000, "height": 1600})
        page.goto(report.resolve().as_uri())
        page.wait_for_timeout(4000)
        box = page.locator("details.run").first.bounding_box()
        page.mouse.move(box["x"] + TIMEOUT[0], box["y"] + TIMEOUT[1])
        page.wait_for_timeout(1000)
        save(page.screenshot(clip={"x": box["x"], "y": box["y"], "width": PAGE[0], "height": PAGE[1]}), "run.png")
        browser.close()


def live_view(bundle: Path) -> None:
    """What `cellbed watch` shows of a bundle."""
    view = View(Place(bundle))
    while view.ended is None:
        view.look()
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    console.print(render(view, COLUMNS))
    view.close()
    (HERE / "watch.svg").write_text(console.export_svg(title="cellbed watch", theme=MONOKAI, code_format=SVG))


def session(name: str, *commands: str) -> None:
    """What a terminal shows of commands, typed one after the other in an empty folder."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    paths = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": paths, "COLUMNS": str(COLUMNS), "FORCE_COLOR": "1"}
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            console.print(Text.assemble(("$ ", "green"), (command, "bold")), soft_wrap=True)
            done = subprocess.run(command, shell=True, cwd=folder, env=env, stdout=subprocess.PIPE, text=True,
                                  stderr=subprocess.STDOUT, check=True)
            console.print(Text.from_ansi(done.stdout.rstrip()))
    (HERE / f"{name}.svg").write_text(console.export_svg(title="", theme=MONOKAI, code_format=SVG))


def main(results: Path) -> None:
    session("demo", "cellbed demo")
    session("link", "cellbed link edge --lab virtual --serve 'iperf3 -s' -- sh -c 'iperf3 -c $CELLBED_BASE -R -t 5'")
    bundle = next(results.glob("reno-seed1-*"))
    page_of_a_run(bundle / "derived/report.html")
    live_view(bundle)
    save((results / "summary/figures/fig6-cwnd-dynamic-look.png").read_bytes(), "switch.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
