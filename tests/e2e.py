# SPDX-License-Identifier: GPL-2.0-or-later
"""What the end-to-end tests share."""

import contextlib
import csv
import hashlib
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).with_name("plugins")))  # of scripts, which pytest does not start
from one_cleaner import the_only_cleaner

from cellbed.host.cgroup import mount_point
from cellbed.labs.choices import KERNELS

ROOT = Path(__file__).resolve().parents[1]
CELLBED = Path(sys.executable).with_name("cellbed")

SHORT = """
format: 1
id: short
nodes: {ue1: {address: 10.45.0.1/24}, ue2: {address: 10.45.0.2/24}}
radio: {ues: {ue1: {peer: ue2}, ue2: {peer: ue1}}}
tcp: {profile: paper, congestion_control: reno, receive_window: 8KiB, mss: 1460, delayed_ack: false}
traffic: [{id: file, from: ue1, to: ue2, duration_s: 3}]
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
sweep:
  variants:
    DM-DM: {radio.ues.ue1.mode: dm, radio.ues.ue2.mode: dm}
    IM-IM: {radio.ues.ue1.mode: im, radio.ues.ue2.mode: im}
"""

# A server on a wire behind the eNB, with a file for each of two UEs and one from the second.
WIRED = """
format: 1
id: wired
nodes:
  server: {kind: server, address: 10.1.0.1/24}
  enb: {kind: enb}
  ue1: {address: 10.45.0.1/24}
  ue2: {address: 10.45.0.2/24}
links: [{a: server, b: enb, rate: 100Mbit}]
radio: {ues: {ue1: {peer: enb}, ue2: {peer: enb}}}
tcp: {profile: paper, congestion_control: reno, receive_window: 64KiB, mss: 1460}
traffic:
  - {id: down1, from: server, to: ue1, bytes: 1MB}
  - {id: down2, from: server, to: ue2, bytes: 300kB, port: 5202, start_s: 0.2}
  - {id: up2, from: ue2, to: server, bytes: 300kB, port: 5203}
validity: {lateness_p99_us: 100000, missed_ttis: 100000, cpu_steal_percent: 100}
"""

NAMESPACES = os.geteuid() == 0 and subprocess.run(["unshare", "--net", "--mount", "true"], capture_output=True,
                                                  check=False).returncode == 0
needs_namespaces = pytest.mark.skipif(not NAMESPACES, reason="namespaces need root, with CAP_SYS_ADMIN in a container")
needs_native = pytest.mark.skipif(
    not NAMESPACES or not all(os.access(path, os.W_OK) for path in ("/dev/net/tun", mount_point() or "")),
    reason="the native lab needs root, /dev/net/tun, namespaces and a cgroup v2 to write to")
#: Why kernels of the virtual lab are not there, by version.
UNBUILT = {version: done.stderr.strip() for version in KERNELS
           if (done := subprocess.run([ROOT / "kernel/build", "--version", version, "--print-path"],
                                      capture_output=True, text=True, check=False)).returncode}
needs_two_kernels = pytest.mark.skipif(
    bool(UNBUILT), reason="not every lab kernel is here to compare: " + "; ".join(UNBUILT.values()))


def cellbed(*args, check=True, **kwargs):
    """Run the command as a user does. Return: the finished process."""
    with the_only_cleaner() if args == ("clean",) else contextlib.nullcontext():
        done = subprocess.run([CELLBED, *map(str, args)], capture_output=True, text=True, timeout=800, check=False,
                              **kwargs)
    if check:  # 3: a run is invalid, which judged() tells of
        assert done.returncode in (0, 3), done.stdout + done.stderr
    return done


def bundles(results):
    """{variant: bundle directory}"""
    found = {}
    for manifest in sorted(Path(results).glob("*/manifest.json")):
        found[json.loads(manifest.read_text())["variant"]] = manifest.parent
    return found


def captured(bundle, node):
    """Number of packets in a node's capture."""
    data, at, n = (bundle / f"ip-{node}.pcap").read_bytes(), 24, 0
    while at < len(data):
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
        n += 1
    return n


def digests(bundle):
    """SHA-256 of every capture and trace of a bundle."""
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(bundle.iterdir()) if p.suffix in (".pcap", ".trace")}


def judged(folders):
    """A line for each bundle below @folders: where it is, and what its run was judged."""
    found = {manifest for folder in folders if folder.is_dir() for manifest in folder.rglob("manifest.json")}
    return [f"{path.parent}: {_verdict(path)}" for path in sorted(found)]


def _verdict(manifest):
    try:
        validity = json.loads(manifest.read_text())["validity"]
        return "; ".join([validity["verdict"], *(reason["text"] for reason in validity["reasons"])])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"unreadable: {error!r}"


def tcptrace(capture):
    """What it says of the connection with most data, by the names of its table. A column of the sender ends in _a2b."""
    done = subprocess.run(["tcptrace", "-lnr", "--csv", capture], capture_output=True, text=True, check=True)
    table = csv.DictReader((line for line in done.stdout.splitlines() if line.count(",") > 50), skipinitialspace=True)
    return max(table, key=lambda row: int(row["actual_data_bytes_a2b"]))
