# SPDX-License-Identifier: GPL-2.0-or-later
"""A radio link in Python: programs run behind it while a `with` block lasts, or one by one in a link of its own."""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from cellbed.error import CellbedError, LabError
from cellbed.host.python_child import python_command
from cellbed.labs import choices
from cellbed.link import links, live

# Runs as long as its input is open: also when this process is killed, the link ends.
_HOLDER = ["sh", "-c", 'echo "$CELLBED_BASE $CELLBED_BASE6"; exec cat']
_OWN = "cellbed: "
_FAMILIES: dict[str | None, list[str]] = {
    None: [], "ipv4": ["--ipv4-only"], "ipv6": ["--ipv6-only"], "464xlat": ["--464xlat"],
}  # fmt: skip

Argv = Sequence[str | Path]


class Link:
    """A link as `cellbed link` makes it.

    Examples:
        >>> with Link("good", rate="20mbit", serve="iperf3 -s") as link:  # doctest: +SKIP
        ...     link.run(["iperf3", "-c", link.base, "-R"], check=True)

        A command in the virtual lab has a link, and a time, of its own:

        >>> done = Link("edge", lab="virtual", serve="true").run(["echo", "over the radio"], text=True)
        >>> done.stdout
        'over the radio\\n'
    """

    def __init__(self, link: str | Path = links.DEFAULT, *, lab: str = "native", serve: str | None = None,
                 serve_folder: str | Path | None = None, internet: bool = False,
                 family: Literal["ipv4", "ipv6", "464xlat"] | None = None,
                 radios: Mapping[str, str | Path] | None = None,
                 results: str | Path | None = None, seed: int = 1, settings: Mapping[str, Any] | None = None,
                 **words: str | float) -> None:
        """
        Args:
            link: a ready-made link, or a scenario file.
            lab: "native" or "virtual".
            serve: a command line for the far end.
            serve_folder: what the far end serves over HTTP.
            internet: whether the far end reaches the Internet.
            family: addresses of one kind only, or "464xlat": IPv6 only on the radio, and IPv4 for programs by
                translators; None: of both.
            radios: further radio networks: links by the names of their interfaces, such as {"wifi": "leo"}.
            results: a folder that keeps a bundle.
            seed: of all that is random.
            settings: keys of the scenario, and their values.
            words: as after `cellbed link`, such as rtt="80ms".

        Raises:
            ScenarioError: no such link, or a word or key is wrong.
            LabError: no such lab.
            CellbedError: no such family.
        """
        if family not in _FAMILIES:
            raise CellbedError(f"Link: family {family!r}: allowed {', '.join(map(repr, _FAMILIES))}")
        choices.check_lab(lab, None, choices.ATTACHABLE)
        said = [str(link), *(str(part) for pair in words.items() for part in pair)]
        overrides = [f"{key}={value}" for key, value in (settings or {}).items()]
        further = [f"{name}={path}" for name, path in (radios or {}).items()]
        data, _ = links.build(said, _HOLDER, overrides, internet=internet, radios=further)
        self.ue = links.first_ue(data)
        self.lab = lab
        self._args = [*said, "--lab", lab, "--seed", str(seed), *(["--internet"] if internet else []),
                      *_FAMILIES[family],
                      *_options("--set", *overrides), *_options("--radio", *further), *_options("--serve", serve),
                      *_options("--serve-folder", serve_folder), *_options("--results", results)]
        self._holder: subprocess.Popen[str] | None = None
        self._errors: IO[str] | None = None
        self._bases = ["", ""]
        self.warnings: list[str] = []

    def __repr__(self) -> str:
        return f"<Link {shlex.join(self._args)}{'' if self._holder is None else ', open'}>"

    def __enter__(self) -> Link:
        """Make the link.

        Raises:
            LabError: it cannot be made here; the virtual lab has none that waits for commands.
        """
        if self.lab == "virtual":
            raise LabError("Link: the virtual lab's time goes on without commands; call run() without `with`, or use "
                           'lab="native"')
        if self._holder is not None:
            raise CellbedError("Link: it is open already; make another Link for another one")
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 open as long as the link is
        self._holder = subprocess.Popen(self._command_line(_HOLDER), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self._errors, text=True)
        assert self._holder.stdout is not None
        self._bases = self._holder.stdout.readline().rstrip("\n").split(" ")
        if not self._bases[0]:
            self.close()
            raise LabError("Link: " + ("; ".join(self.warnings) or "it ended at once"))
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the link with all programs in it. `warnings` then has what it said, such as why not to believe it."""
        if self._holder is None or self._errors is None:
            return
        self._holder.communicate()
        self._errors.seek(0)
        self.warnings = [line.removeprefix(_OWN).strip() for line in self._errors]
        self._errors.close()
        self._holder = self._errors = None

    @property
    def base(self) -> str:
        """Address of the far end of an open link.

        Raises:
            CellbedError: it is not open.
        """
        self._pid()
        return self._bases[0]

    @property
    def base6(self) -> str:
        """The same of IPv6; empty where the link has none. Raises CellbedError when it is not open."""
        self._pid()
        return self._bases[1]

    def command(self, argv: Argv) -> list[str]:
        """The command line that runs a program behind an open link. Raises CellbedError when it is not open."""
        return python_command("cellbed.cli.entry", "shell", "--pid", str(self._pid()), self.ue, "--",
                              *map(str, argv))

    def script(self, program: str | Path, path: str | Path) -> Path:
        """Write a script that passes its arguments to a program behind the link: for tools that start a browser.

        Raises:
            CellbedError: the link is not open.
        """
        written = Path(path).resolve()
        text = f'#!/bin/sh\nexec {shlex.join(self.command([program]))} "$@"\n'
        written.write_text(text)
        written.chmod(0o755)
        return written

    def set(self, ue: str | None = None, **changes: Any) -> None:
        """Change an open link, as `radio.events` has it: `link.set(cqi_dl=4)`, `link.set(outage="2s")`.

        Args:
            ue: default: the one that programs run on.

        Raises:
            CellbedError: it is not open; or a change is wrong, with what is allowed.
        """
        live.change(live.directory_of(self._pid()), ue or self.ue, changes)

    def popen(self, argv: Argv, **options: Any) -> subprocess.Popen[Any]:
        """Start a program behind an open link. Args: options: of subprocess.Popen."""
        return subprocess.Popen(self.command(argv), **options)

    def run(self, argv: Argv, **options: Any) -> subprocess.CompletedProcess[Any]:
        """Run a program behind the link, or behind one of its own when none is open; its output is captured.

        Args:
            options: of subprocess.run.
        """
        options.setdefault("capture_output", not {"stdout", "stderr"} & options.keys())
        return subprocess.run(self._run_line(argv), **options)

    def _run_line(self, argv: Argv) -> list[str]:
        return self.command(argv) if self._holder is not None else self._command_line(argv)

    def _command_line(self, argv: Argv) -> list[str]:
        return python_command("cellbed.cli.entry", "link", *self._args, "--", *map(str, argv))

    def _pid(self) -> int:
        if self._holder is None:
            raise CellbedError("Link: it is not open; use it in a `with` block")
        return self._holder.pid


def _options(name: str, *values: str | Path | None) -> list[str]:
    return [part for value in values if value is not None for part in (name, str(value))]
