# SPDX-License-Identifier: GPL-2.0-or-later
"""Result bundles: written under a temporary name, renamed when complete, never written twice."""

from __future__ import annotations

import contextlib
import datetime
import functools
import json
import os
import platform
import subprocess
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from cellbed import paths
from cellbed.host import claim, clean, ledger, programs, rootless
from cellbed.host.claim import Claim
from cellbed.host.ledger import TEMPORARY_PREFIX
from cellbed.paths import IS_CHECKOUT, ROOT
from cellbed.results import validity
from cellbed.run import core_network, hosts_file, radios
from cellbed.run.workload import has_end
from cellbed.scenario import channel_trace, packet_trace
from cellbed.scenario.description import Run, identity
from cellbed.scenario.model import Scenario
from cellbed_formats import checksums, stored
from cellbed_formats.checksums import MANIFEST
from cellbed_formats.error import DataError
from cellbed_formats.inside import Inside

FACTS = "facts.json"
# Files of a running lab that say nothing about the result.
_SCAFFOLD = ("description.json", "programs.json", FACTS, "progress", "status", "error", "console",
             "guest-init", "python", "cellbed.zip", "nodes.json", "attach.json", rootless.FILE,
             hosts_file.RESOLVERS, hosts_file.SERVICES)


class Bundle:
    """Place of one run's result below the results directory."""

    def __init__(self, results: Path, run: Run, description: dict[str, Any]) -> None:
        self.run, self.description = run, description
        self.id = identity(description)
        self.results = results
        self.path = results / f"{run.variant}-seed{run.seed}-{self.id[:10]}"
        self.temporary = results / f"{TEMPORARY_PREFIX}{self.path.name}.{os.getpid()}"
        self.claim = Claim(results, self.path.name)
        self.channel: contextlib.AbstractContextManager[object] = contextlib.nullcontext()  # around what executes it
        self._entry = contextlib.ExitStack()

    @property
    def inside(self) -> Inside:
        """Its folder, in the results folder."""
        return Inside(self.results, self.path.name)

    @property
    def unfinished(self) -> Inside:
        """Where it is until then."""
        return Inside(self.results, self.temporary.name)

    def complete(self) -> dict[str, Any] | None:
        """The manifest of a finished bundle of the same identity; None: there is none, or the manifest is damaged.

        The other files are not read: a sweep that is resumed may have thousands.
        """
        manifest = self._manifest_there()
        try:
            checksums.check_manifest(manifest, self.inside / MANIFEST)
        except (DataError, OSError, LookupError, TypeError, AttributeError):
            return None
        return manifest if manifest.get("id") == self.id and _verdict(manifest) is not None else None

    def _manifest_there(self) -> dict[str, Any]:
        try:
            return dict(json.loads((self.inside / MANIFEST).text()))
        except (OSError, ValueError, TypeError, RecursionError):
            return {}

    def refresh(self, claims: list[dict[str, Any]], evaluate: dict[str, Any]) -> None:
        """A finished bundle is judged by the claims and the window of today: they are no part of what was run."""
        manifest = self._manifest_there()
        today = {"claims": claims, "evaluate": evaluate}
        if {"claims": manifest.get("claims"), "evaluate": manifest.get("evaluate", {})} != today:
            manifest |= today
            files = checksums.known(manifest)
            _write_manifest(self.inside, manifest if files is None else checksums.sealed(manifest, files))

    def begin(self, programs: dict[str, str], each_block: Callable[[], object] = lambda: None) -> Path:
        """Create the temporary directory with what the runner reads.

        Args:
            each_block: called while the channel is rendered; what it raises ends that.

        Raises:
            ScenarioError: the channel cannot be rendered.
        """
        Inside.named(self.results)
        self.write_down()
        self.unfinished.create()
        furnish(self.temporary, self.description, programs)
        folder = Path(self.run.file).parent
        if self.description["lab"] == "native" and not has_end(self.run.settings):
            self.channel = channel_trace.Growing(self.temporary, self.run.settings, self.run.seed, folder)
        else:
            channel_trace.render(self.temporary, self.run.settings, self.run.seed, folder, each_block)
        packet_trace.render(self.temporary, self.run.settings, folder)
        return self.temporary

    def write_down(self) -> None:
        """Before its folder is there: so `cellbed clean` finds it, whenever this process is killed."""
        self._entry.enter_context(ledger.entry(ledger.BUNDLE, os.getpid(), self.temporary))

    def abandon(self) -> None:
        with contextlib.suppress(OSError):
            self.unfinished.remove_folder()
        self._entry.close()

    def finish(self, scenario: Scenario, claims: list[dict[str, Any]], measured: dict[str, Any],
               compress: bool = False) -> dict[str, Any]:
        """Write the manifest and give the bundle its name.

        Args:
            measured: what the lab measured from outside: wall_s, setup_wall_s, kernel.
            compress: captures and traces, before.
        """
        made = self.unfinished
        facts = json.loads((made / FACTS).text())
        strip(made)
        for path in stored.recordings(made) if compress else []:
            stored.compress(path)
        manifest = checksums.sealed(self._manifest(scenario, claims, facts, measured), checksums.of_folder(made))
        _write_manifest(made, manifest)
        if self.inside.is_folder():
            self.inside.remove_folder()
        made.move(self.inside)
        return manifest

    def _manifest(self, scenario: Scenario, claims: list[dict[str, Any]], facts: dict[str, Any],
                  measured: dict[str, Any]) -> dict[str, Any]:
        settings = self.description["settings"]
        clock = facts["clock"]
        return {
            "format": 1,
            "id": self.id,
            "outcome": "complete",
            "validity": validity.judge(facts, settings),
            "scenario": {"id": scenario.id, "title": scenario.title, "source": scenario.source,
                         "file": _named(self.run.file), "text": self.run.text},
            "variant": self.run.base,
            "params": self.run.params,
            "variant_keys": list(self.run.variant_keys),
            "seed": self.run.seed,
            "lab": self.description["lab"],
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "wall_s": measured["wall_s"],
            "setup_wall_s": measured["setup_wall_s"],
            "virtual_s": (clock["end_ns"] - clock["start_ns"]) / 1e9,
            "clock": clock,
            "flows": facts["flows"],
            "commands": facts["commands"],
            "lateness": facts["radio"]["lateness"],
            **_radios(settings, facts.get("radios", {})),
            "scheduling": facts["scheduling"],
            **({"rootless": facts["rootless"]} if "rootless" in facts else {}),
            "kernel": {**facts["kernel"], **measured.get("kernel", {})},
            "sysctls": {node: {name: actual for name, (_, actual) in values.items()}
                        for node, values in facts["sysctls"].items()},
            "qdiscs": facts["qdiscs"],
            "offloads": facts["offloads"],
            "links": facts["links"],
            **({"tracepoints": facts["tracepoints"]} if "tracepoints" in facts else {}),
            "congestion_control": facts["congestion_control"],
            "cpu_steal_percent": facts["cpu_steal_percent"],
            **({"cpu_wait_percent": facts["cpu_wait_percent"]} if "cpu_wait_percent" in facts else {}),
            "tools": tool_versions(),
            "git": git_describe(),
            "description": self.description,
            "evaluate": evaluated(scenario),
            "claims": claims,
        }


def _radios(settings: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
    """What a manifest says of each of several radio networks: which nodes route for it, and how late it was."""
    if not counted:
        return {}
    routing = {of: [name for name, node in alone["nodes"].items() if node["kind"] in core_network.KINDS]
               for of, alone in radios.each(settings) if of is not None}
    return {"radios": {of: {"nodes": nodes, "lateness": counted[of]["lateness"]} for of, nodes in routing.items()}}


def _verdict(manifest: dict[str, Any]) -> str | None:
    validity = manifest.get("validity")
    return validity.get("verdict") if isinstance(validity, dict) else None


def _write_manifest(bundle: Inside, manifest: dict[str, Any]) -> None:
    (bundle / MANIFEST).write(json.dumps(manifest, indent=1) + "\n")


def furnish(directory: Path, description: dict[str, Any], programs: dict[str, str]) -> None:
    """What the runner reads, but for channels and traces."""
    (Inside(directory) / "description.json").write(json.dumps(description, indent=1))
    (Inside(directory) / "programs.json").write(json.dumps({**programs, "iperf3": iperf3()}))


def _named(file: str) -> str:
    """A scenario's file as a bundle names it: one of cellbed's own as in a checkout, wherever it is installed."""
    path = Path(file).resolve()
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT / "scenarios") else file


def iperf3() -> str:
    """Path of what carries the flows of kind iperf3: cellbed's own, else the machine's."""
    return str(paths.IPERF3) if paths.IPERF3.exists() else programs.command("iperf3")


def strip(directory: Inside, keep: tuple[str, ...] = ()) -> None:
    """Remove what only a running lab needs, but for some files."""
    for name in _SCAFFOLD:
        if name not in keep:
            (directory / name).remove()
    for path in directory.matching(hosts_file.PATTERN):
        path.remove()
    for folder in directory.matching("ticks", "session-*"):
        with contextlib.suppress(OSError):
            folder.remove_folder()


def remove_unfinished(results: Path) -> None:
    """Remove what killed processes left of bundles that they never finished."""
    for path in clean.unfinished(results):
        ledger.remove_folder(path)
    claim.remove_free(results)


def first_line(args: list[str]) -> str:
    """What a program says of itself, "missing" when there is none."""
    try:
        done = subprocess.run([args[0] if "/" in args[0] else programs.command(args[0]), *args[1:]],
                              capture_output=True, text=True, check=False)
    except OSError:
        return "missing"
    return (done.stdout or done.stderr).splitlines()[0] if (done.stdout or done.stderr) else "unknown"


_versions: dict[str, str] = {}


def tool_versions() -> dict[str, str]:
    """Versions of the programs that took part; asked once per process."""
    if not _versions:
        _versions.update(
            iperf3=first_line([iperf3(), "--version"]),
            iproute2=first_line(["ip", "-V"]),
            python=f"Python {platform.python_version()}", cellbed=metadata.version("cellbed"))
    return _versions


def evaluated(scenario: Scenario) -> dict[str, Any]:
    """What a manifest says of the part of a run that is evaluated: `from_s` and `to_s`, those that are set."""
    return scenario.evaluate.model_dump(exclude_none=True)


@functools.cache
def git_describe() -> str:
    """The commit that runs; of a wheel, the one that it was built of."""
    if not IS_CHECKOUT:
        return (ROOT / "version").read_text().strip()
    try:
        done = subprocess.run([programs.command("git"), "-C", ROOT, "describe", "--always", "--dirty"],
                              capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "git is not installed"
    return done.stdout.strip() or "not a git checkout"
