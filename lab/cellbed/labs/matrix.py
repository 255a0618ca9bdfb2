# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of what the kernels of the labs have: each lab kernel is booted and asked. `make matrix` writes it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cellbed.error import CellbedError, LabError
from cellbed.labs import boot_check, in_guest, kernels, virtual
from cellbed.labs.choices import KERNELS
from cellbed.scenario.network import QDISCS

_MADE = "<!-- made by `make matrix` -->\n"
_DEADLINE_S = 60.0
_BEGIN, _END = "cellbed: facts", "cellbed: end"
_TELL = f"""mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tracefs tracing /sys/kernel/tracing
echo '{_BEGIN}'
echo "controls $(cat /proc/sys/net/ipv4/tcp_available_congestion_control)"
echo "tracepoints $(ls /sys/kernel/tracing/events/tcp | grep -v -e enable -e filter | tr '\\n' ' ')"
echo "hz $(zcat /proc/config.gz | sed -n s/^CONFIG_HZ=//p)"
echo "qdiscs $(zcat /proc/config.gz | sed -n 's/^CONFIG_NET_SCH_\\([A-Z_0-9]*\\)=y/\\1/p' | tr 'A-Z\\n' 'a-z ')"
echo "struct_ops $([ -e /sys/kernel/btf/vmlinux ] && echo yes)"
for file in /proc/sys/net/ipv4/tcp_*; do echo "sysctl ${{file##*/}} $(cat "$file" | tr '\\t' ' ')"; done
echo '{_END}'
"""
# Of kernels that Debian builds for PCs. Source: `linux-config-6.1`, -6.12 and -7.3, amd64_none_amd64
_DEBIAN_HZ, _DEBIAN_STRUCT_OPS, _DEBIAN_BUILT_IN = "250", "6.12, 7.3", ("cubic", "reno")
_ONLY_OURS = ("bbr3", "prague", "westwood_orig")
# What follows from the guest's memory, or is in another table.
_LEFT_OUT = ("tcp_mem", "tcp_rmem", "tcp_wmem", "tcp_max_tw_buckets", "tcp_max_orphans",
             "tcp_available_congestion_control", "tcp_allowed_congestion_control")


@dataclass(frozen=True)
class Facts:
    """What a lab kernel says of itself."""

    seccomp: bool  # programs call it by the signal of a filter
    controls: frozenset[str]
    tracepoints: frozenset[str]  # of the group tcp
    hz: str
    qdiscs: frozenset[str]  # but for those that every kernel has
    struct_ops: bool
    sysctls: dict[str, str]  # net.ipv4.tcp_*


def ask(kernel: Path) -> Facts:
    """Raises LabError when it does not answer."""
    with boot_check.started(kernel, _TELL) as (guest, console):
        with contextlib.suppress(LabError):
            boot_check.await_word(guest, console, _DEADLINE_S)
        said = console.read_text(errors="replace")
    if _END not in said:
        raise LabError(f"the lab kernel {kernel.parent.name} did not describe itself; {in_guest.last_words(said)}")
    lines = said.partition(_BEGIN)[2].partition(_END)[0].strip().splitlines()
    words = {line.partition(" ")[0]: line.partition(" ")[2] for line in lines if not line.startswith("sysctl ")}
    sysctls = dict(line.split(" ", 2)[1:] for line in lines if line.startswith("sysctl "))
    return Facts(bool(virtual.seccomp_words(kernel)), frozenset(words["controls"].split()),
                 frozenset(words["tracepoints"].split()), words["hz"], frozenset(words["qdiscs"].split()),
                 bool(words["struct_ops"]), sysctls)


def page(found: dict[str, Facts]) -> str:
    """Args: found: by version."""
    head, debian = ["", *found], ["", *found, "Debian's"]
    controls = sorted(set().union(*(facts.controls for facts in found.values())))
    tracepoints = {version: dict.fromkeys(facts.tracepoints, "yes") for version, facts in found.items()}
    sysctls = {version: facts.sysctls for version, facts in found.items()}

    def of_all(what: Callable[[Facts], str]) -> list[str]:
        return [what(facts) for facts in found.values()]

    return "\n".join([
        f"{_MADE}# Kernels of the labs\n",
        "This page lists which congestion controls and settings each kernel has: the lab kernels, and Debian's for PCs."
        " You need it when you choose `--kernel` or a lab. Afterwards you know which kernel can run your experiment.\n",
        "The lab kernels were booted and asked. Debian's 6.1, 6.12 and 7.3 have the same; they run in the labs `native`"
        " and `vm`. `cellbed doctor` describes this machine's kernel.\n",
        "## Congestion controls\n",
        *_table(debian, [[f"`{name}`", *(_yes(name in facts.controls) for facts in found.values()), _debian(name)]
                         for name in controls]),
        "\nA module has to be loaded (`modprobe tcp_vegas`) and allowed (`make native-lab`). `bbr3`, `prague`, "
        "`westwood_orig`, and the setting `tcp_reno_recovery`, are the lab kernel's own "
        "([patches](../../kernel/README.md#patches)).\n",
        "## Queue disciplines\n",
        "Of wired links, for `links.qdisc`. Every kernel has `pfifo`. The program `tc` has to know them, too.\n",
        *_table(head, [[f"`{kind}`", *(_yes(kind in facts.qdiscs) for facts in found.values())]
                       for kind in QDISCS if kind != "pfifo"]),
        "\n## What else differs\n",
        *_table(debian, [
            ["programs call it by", *of_all(lambda facts: "seccomp, or ptrace" if facts.seccomp else "ptrace"),
             "the CPU"],
            ["ticks a second", *of_all(lambda facts: facts.hz), _DEBIAN_HZ],
            ["congestion controls in BPF", *of_all(lambda facts: _yes(facts.struct_ops)), _DEBIAN_STRUCT_OPS]]),
        "\nTracepoints of TCP, for `capture.tracepoints`, that not all have:\n",
        *_table(head, _unlike(tracepoints, "tcp:")),
        "\nSettings of TCP that not all have, or that differ before a scenario's `tcp.profile` sets some of them:\n",
        *_table(head, _unlike(sysctls, "net.ipv4.")), ""])


def _yes(has: bool) -> str:
    return "yes" if has else "no"


def _debian(name: str) -> str:
    return "no" if name in _ONLY_OURS else "yes" if name in _DEBIAN_BUILT_IN else "module"


def _unlike(values: dict[str, dict[str, str]], prefix: str) -> list[list[str]]:
    """Rows of names whose values are not the same in all versions."""
    names = sorted(set().union(*values.values()) - set(_LEFT_OUT))
    rows = [[f"`{prefix}{name}`", *(of.get(name, "no") for of in values.values())] for name in names]
    return [row for row in rows if len(set(row[1:])) > 1]


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in (head, ["---"] * len(head), *rows)]


def main() -> None:
    (target,) = sys.argv[1:]
    try:
        Path(target).write_text(page({version: ask(kernels.find(version)) for version in KERNELS}))
    except CellbedError as error:
        sys.exit(f"cellbed.labs.matrix: {error}")


if __name__ == "__main__":
    main()
