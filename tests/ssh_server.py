# SPDX-License-Identifier: GPL-2.0-or-later
"""An SSH server of a test's own, with keys of its own, and the one user that it lets in."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from e2e import NAMESPACES
from machine import descendants
from ordinary import closed

UID = 64999


def can_serve_ssh():
    return NAMESPACES and all(map(shutil.which, ("dropbear", "dropbearkey", "ssh")))


needs_an_ssh_server = pytest.mark.skipif(
    not can_serve_ssh(), reason="an SSH server needs root, dropbear (package dropbear-bin) and ssh (openssh-client)")


class SshServer:
    """Its keys, and the home of the user `runner`, in a folder that others may look into.

    Args:
        folder: an empty one.
        addresses: at which it listens, port 22.
    """

    def __init__(self, folder, *addresses):
        self.folder, self.home, self.addresses = folder, folder / "home", addresses
        for path in (self.home / ".ssh", folder / "bin", folder / "python", folder / "tmp"):
            path.mkdir(parents=True)
        accounts = Path("/etc/passwd").read_text() + f"runner:*:{UID}:{UID}::{self.home}:/bin/bash\n"
        (folder / "passwd").write_text(accounts)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key"], check=True)
        shutil.copy(folder / "key.pub", self.home / ".ssh/authorized_keys")
        made = subprocess.run(["dropbearkey", "-t", "ed25519", "-f", folder / "host"], capture_output=True, text=True,
                              check=True).stdout
        key = next(line for line in made.splitlines() if line.startswith("ssh-"))
        (folder / "known").write_text(f"*.example.net,{','.join(addresses)} {key}\n")
        self._write_client(folder / "bin")
        self.has()
        for path in (self.home, *self.home.rglob("*"), folder / "tmp"):
            os.chown(path, UID, UID)
            path.chmod(0o700 if path.is_dir() else 0o600)

    def has(self, *before):
        """Lines that the user's shell runs at its start, which also prints something, as some do."""
        paths = f"PATH={Path(sys.base_prefix).resolve()}/bin:$PATH TMPDIR={self.folder}/tmp"
        lines = ["echo welcome", f"export {paths}", *before]
        (self.home / ".bashrc").write_text("\n".join(lines) + "\n")

    @property
    def command(self):
        """In a mount namespace in which the user exists and may run this Python, which may be in root's own folder."""
        python, kept = Path(sys.base_prefix).resolve(), self.folder / "python"
        steps = [f"mount --bind {self.folder}/passwd /etc/passwd"]
        if (folder := closed(python)) is not None:
            steps += [f"mount --bind {python} {kept}", f"mount -t tmpfs -o mode=755 tmpfs {folder}",
                      f"mkdir -p {python}", f"mount --bind {kept} {python}"]
        script = " && ".join([*steps, 'exec "$@"'])
        ports = [word for address in self.addresses for word in ("-p", f"{address}:22")]
        return ["unshare", "--mount", "sh", "-c", script, "sh", "dropbear", "-F", "-s", "-r", self.folder / "host",
                "-P", self.folder / "pid", *ports]

    def let_in(self, folder, user):
        """A program `ssh` in a folder that knows the server, and a key there for another user of this machine."""
        shutil.copy(self.folder / "key", folder / "key")
        shutil.chown(folder / "key", user)
        self._write_client(folder)

    def _write_client(self, folder):
        options = {"IdentityFile": folder / "key" if (folder / "key").exists() else self.folder / "key",
                   "IdentitiesOnly": "yes", "UserKnownHostsFile": self.folder / "known", "UpdateHostKeys": "no",
                   "GlobalKnownHostsFile": "/dev/null"}
        words = " ".join(f"-o{name}={value}" for name, value in options.items())
        (folder / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F none {words} "$@"\n')
        (folder / "ssh").chmod(0o755)

    @property
    def environment(self):
        """In which `ssh` knows the server."""
        return {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def answers(self):
        done = subprocess.run([self.folder / "bin/ssh", f"runner@{self.addresses[0]}", "true"], capture_output=True,
                              check=False)
        return done.returncode == 0

    def processes(self):
        """Command lines of the user's programs by their ids, but for the server's own and other tests'."""
        found = {}
        for pid, said in descendants().items():
            with contextlib.suppress(OSError):
                theirs = f"\nUid:\t{UID}\t" in Path(f"/proc/{pid}/status").read_text()
                if theirs and said and not said.startswith("dropbear"):
                    found[pid] = said
        return found

    def left(self):
        """What the user's programs have left."""
        return [*self.processes().values(), *(self.folder / "tmp").iterdir(),
                *(path for path in self.home.iterdir() if path.name not in (".ssh", ".bashrc"))]
