# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the bcc and bpftrace probes against tcpwatch: a run of the native lab that all three watch.

    sudo .venv/bin/python ebpf/bcc/compare.py [RESULTS]

Each sample says: while the socket PORT -> PORT had everything up to snd_una acknowledged, its cwnd was so many packets
and its smoothed RTT so many us. A sample agrees when tcpwatch has the same five numbers. The status is 0 when
enough do.
"""

from __future__ import annotations

import contextlib
import csv
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from cellbed_formats.trace import read_trace

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PORTS = (5201, 5202)  # of vm/lab-vm.yaml
FIELDS = ("sport", "dport", "snd_una", "snd_cwnd", "srtt_us")
PROBES = {"bcc": ["/usr/bin/python3", HERE / "cwnd_bcc.py"], "bpftrace": ["bpftrace", "-q", HERE / "cwnd.bt"]}
# tcpwatch looks when a segment reaches the host, the others when TCP takes it. In between the socket may be busy with
# a call of its program, and an earlier segment then still has to be processed.
LEAST_SHARE = 0.95
LEAST_SAMPLES = 100

Sample = tuple[int, ...]


@contextlib.contextmanager
def watching(name: str, folder: Path) -> Iterator[None]:
    """The probe runs, and is attached, while the block runs."""
    with open(folder / f"{name}.csv", "w") as out, open(folder / f"{name}.err", "w") as err:
        probe = subprocess.Popen(PROBES[name], stdout=out, stderr=err)
        try:
            while "t_ns" not in (folder / f"{name}.csv").read_text():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    probe.wait(0.2)
                    raise SystemExit(f"{name}: {(folder / f'{name}.err').read_text()[-1000:]}")
            yield
        finally:
            probe.send_signal(signal.SIGINT)
            probe.wait(60)


def samples(path: Path) -> list[Sample]:
    with open(path) as file:
        rows = [tuple(int(row[field]) for field in FIELDS) for row in csv.DictReader(file) if row["srtt_us"]]
    return [row for row in rows if row[0] in PORTS or row[1] in PORTS]


def share(found: list[Sample], known: set[Sample]) -> float:
    return sum(sample in known for sample in found) / max(1, len(found))


def of_tcpwatch(bundle: Path) -> set[Sample]:
    rows = read_trace(bundle / "tcp.trace").filter(pl.col("kind").cast(pl.String) == "segment_in")
    return set(rows.select(FIELDS).iter_rows())


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with watching("bcc", folder), watching("bpftrace", folder):
            cellbed = Path(sys.executable).with_name("cellbed")
            subprocess.run([cellbed, "run", ROOT / "vm/lab-vm.yaml", "--lab", "native", "--variant", "westwood",
                            "--results", folder / "runs"], check=True)
        known = of_tcpwatch(next((folder / "runs").glob("*/")))
        agrees = True
        for name in PROBES:
            found = samples(folder / f"{name}.csv")
            agreeing = share(found, known)
            agrees &= agreeing >= LEAST_SHARE and len(found) >= LEAST_SAMPLES
            print(f"{name}: {len(found)} samples, {100 * agreeing:.1f} % are tcpwatch's")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
