# SPDX-License-Identifier: GPL-2.0-or-later
"""`python tests/captures/programs.py`: captures of real programs over lossy links, and what the kernel counted.

Each program's server and client run in the virtual lab, over three links. The sender's capture goes to
tests/captures/programs/, and to truth.json how many segments with data the sender's kernel
sent again on each connection, as the probe saw it. test_programs.py compares; it needs none of these programs.

Needs nginx, openssh-server, samba, smbclient, vsftpd, rsync, git, curl, wget, iperf3 and chromium.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import polars as pl
import yaml
from e2e import bundles, cellbed

from cellbed_formats import stored
from cellbed_formats.bundle import read_bundle
from cellbed_formats.inside import Inside

OUTPUT = Path(__file__).with_name("programs")
TRUTH = OUTPUT / "truth.json"
SERVER, UE = "10.1.0.1", "10.45.0.1"

#: RLC UM without enough HARQ, RLC AM, and a link that loses and reorders packets.
RADIOS = {
    "um": {"n_rb": 25, "harq": {"max_attempts": 2, "bler": [0.15, 0.1]}, "rlc": {"mode": "um", "queue_pkts": 60},
           "ues": {"ue1": {"peer": "enb"}}},
    "am": {"n_rb": 25, "harq": {"max_attempts": 2, "bler": [0.15, 0.1]}, "rlc": {"mode": "am", "queue_pkts": 60},
           "ues": {"ue1": {"peer": "enb"}}},
    "link": {"system": "constant_rate", "ues": {"ue1": {"peer": "enb"}},
             "constant_rate": {"ul_rate": "5Mbit", "dl_rate": "10Mbit", "delay_ms": 20,
                               "downlink_netem": "delay 4ms 4ms loss 1%", "uplink_netem": "loss 1%"}},
}

NGINX = """
user root; daemon off; pid /run/nginx.pid; error_log stderr; events {}
http {
	access_log off;
	client_body_temp_path /run/n1; proxy_temp_path /run/n2; fastcgi_temp_path /run/n3; uwsgi_temp_path /run/n4;
	scgi_temp_path /run/n5;
	server { listen 80; root WORK/www; }
	server { listen 443 ssl http2; root WORK/www; ssl_certificate WORK/tls.pem; ssl_certificate_key WORK/tls.key; }
}
"""
SAMBA = """
[global]
	private dir = /run/smb
	lock directory = /run/smb
	state directory = /run/smb
	cache directory = /run/smb
	pid directory = /run/smb
	ncalrpc dir = /run/smb
	map to guest = Bad User
	disable spoolss = yes
	load printers = no
[www]
	path = WORK/www
	guest ok = yes
	guest only = yes
	force user = root
"""
VSFTPD = """
listen=YES
anonymous_enable=YES
no_anon_password=YES
anon_root=WORK/www
ftp_username=root
secure_chroot_dir=WORK/empty
seccomp_sandbox=NO
"""
RSYNCD = """
use chroot = no
[www]
	path = WORK/www
	uid = root
"""
SSH = "-i WORK/user_key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
SSHD = ("mkdir -p /run/sshd && exec /usr/sbin/sshd -f /dev/null -D -h WORK/host_key "
        "-o AuthorizedKeysFile=WORK/user_key.pub -o StrictModes=no -o PidFile=none -o UsePAM=no "
        "-o Subsystem='sftp internal-sftp'")
HTTPD = "exec nginx -c WORK/nginx.conf"
PAGES = " ".join(f"http://{SERVER}/{n}.jpg -o /dev/null" for n in range(12))

#: Of each program the server's command, the client's, and which node's capture is kept: that of who sends most.
PROGRAMS = {
    "iperf3": ("exec iperf3 -s", f"iperf3 -c {SERVER} -R -n 600k", "server"),
    "iperf3-upload": ("exec iperf3 -s", f"iperf3 -c {SERVER} -n 400k -P 2", "ue1"),
    "nginx-http1": (HTTPD, f"curl -s --parallel {PAGES}", "server"),
    "nginx-http2": (HTTPD, f"curl -sk --http2 --parallel {PAGES.replace('http:', 'https:')}", "server"),
    "wget": (HTTPD, f"wget -q -O /dev/null http://{SERVER}/large.bin", "server"),
    "chromium": (HTTPD, "mkdir -p WORK/home && HOME=WORK/home chromium --headless=new --no-sandbox --disable-gpu "
                        f"--disable-dev-shm-usage --dump-dom http://{SERVER}/index.html", "server"),
    "scp": (SSHD, f"scp {SSH} root@{SERVER}:WORK/www/large.bin /run/large.bin", "server"),
    "scp-upload": (SSHD, f"scp {SSH} WORK/www/large.bin root@{SERVER}:/run/large.bin", "ue1"),
    "ssh-typing": (SSHD, "for n in $(seq 60); do echo line $n; sleep 0.1; done | "
                         f"ssh {SSH} root@{SERVER} cat", "ue1"),
    "samba": ("mkdir -p /run/smb && exec smbd -F --no-process-group -s WORK/smb.conf",
              f"smbclient -N //{SERVER}/www -c 'get large.bin /run/large.bin'", "server"),
    "ftp": ("exec vsftpd WORK/vsftpd.conf", f"curl -s ftp://{SERVER}/large.bin -o /dev/null", "server"),
    "rsync": ("exec rsync --daemon --no-detach --config WORK/rsyncd.conf",
              f"rsync -r rsync://{SERVER}/www/ /run/copy/", "server"),
    "git": ("exec git -c safe.directory='*' daemon --base-path=WORK --export-all",
            f"git clone -q git://{SERVER}/work.git /run/clone", "server"),
}
#: A browser's processes poll, which costs hours of a virtual time that goes on whenever a program spins.
REAL_TIME = ("chromium",)


def prepare(work):
    """Files that are sent, keys and settings."""
    www = work / "www"
    www.mkdir()
    (work / "empty").mkdir()
    noise = os.urandom
    (www / "large.bin").write_bytes(noise(500_000))
    for n in range(12):
        (www / f"{n}.jpg").write_bytes(noise(5_000 * (n + 1)))
    (www / "index.html").write_text("<html>" + "".join(f"<img src='{n}.jpg'>" for n in range(12)) + "</html>")
    for name, text in (("nginx", NGINX), ("smb", SAMBA), ("vsftpd", VSFTPD), ("rsyncd", RSYNCD)):
        (work / f"{name}.conf").write_text(text.replace("WORK", str(work)))
    for key in ("host_key", "user_key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", work / key], check=True)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=server", "-keyout",
                    work / "tls.key", "-out", work / "tls.pem"], check=True, capture_output=True)
    as_somebody = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", www]
    subprocess.run(["git", "init", "-q", www], check=True)
    for words in (("add", "."), ("commit", "-qm", "files")):
        subprocess.run([*as_somebody, *words], check=True)
    subprocess.run(["git", "clone", "-q", "--bare", www, work / "work.git"], check=True)
    shutil.rmtree(www / ".git")


def scenario(work, program, radio):
    server, client, _ = PROGRAMS[program]
    return {
        "format": 1, "id": "programs",
        "nodes": {"server": {"kind": "server", "address": f"{SERVER}/24"}, "enb": {"kind": "enb"},
                  "ue1": {"address": f"{UE}/24"}},
        "links": [{"a": "server", "b": "enb", "rate": "100Mbit", "queue_pkts": 1000}],
        "radio": RADIOS[radio],
        "capture": {"radio": False},
        "traffic": [{"id": name, "kind": "command", "node": node, "background": name == "server",
                     "argv": ["sh", "-c", text.replace("WORK", str(work))]}
                    for name, node, text in (("server", "server", server), ("client", "ue1", client))],
        "validity": {"queue_drops_allowed": True, "cpu_steal_percent": 100},
    }


def counted(bundle, node):
    """{flow as `cellbed pcap` names it: segments with data that the kernel of @node sent again}, where it sent most."""
    here, there = (SERVER, UE) if node == "server" else (UE, SERVER)
    kind = pl.col("kind").cast(pl.String)
    own = bundle.tcp.filter(pl.col("saddr") == int.from_bytes(bytes(map(int, here.split("."))), "big"))
    data = own.filter((kind == "segment_out") & (pl.col("len") > 0)).unique(["sport", "dport", "seq"])
    # A SYN or FIN that was sent again has no data.
    again = own.filter(kind == "retransmit").join(data, on=["sport", "dport", "seq"], how="semi")
    sums = {(sport, dport): n for sport, dport, n in again.group_by("sport", "dport").agg(pl.sum("arg")).iter_rows()}
    sizes = own.group_by("sport", "dport").agg(
        sent=pl.col("len").filter(kind == "segment_out").sum(), got=pl.col("len").filter(kind == "segment_in").sum())
    ports = sizes.filter(pl.col("sent") > pl.col("got")).select("sport", "dport").sort("sport", "dport").iter_rows()
    return {f"{here}:{sport}-{there}:{dport}": sums.get((sport, dport), 0) for sport, dport in ports}


def main(wanted):
    OUTPUT.mkdir(exist_ok=True)
    truth = json.loads(TRUTH.read_text()) if TRUTH.exists() else {}
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        prepare(work)
        # Their guests see files of this machine, and write to /run only.
        for program in wanted or PROGRAMS:
            for radio in RADIOS:
                name, node = f"{program}-{radio}", PROGRAMS[program][2]
                path = work / f"{name}.yaml"
                path.write_text(yaml.safe_dump(scenario(work, program, radio)))
                lab = "native" if program in REAL_TIME else "virtual"
                cellbed("run", path, "--results", work / name, "--lab", lab)
                (folder,) = bundles(work / name).values()
                truth[name] = counted(read_bundle(folder), node)
                kept = OUTPUT / f"{name}.pcap"
                shutil.copyfile(folder / f"ip-{node}.pcap", kept)
                stored.compress(Inside(OUTPUT) / kept.name)
                print(name, *truth[name].items(), sep="\n  ", flush=True)
    TRUTH.write_text(json.dumps(dict(sorted(truth.items())), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
