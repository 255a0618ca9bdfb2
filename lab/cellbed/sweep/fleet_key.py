# SPDX-License-Identifier: GPL-2.0-or-later
"""Who may join a fleet: who has its key, or on loopback without one, everybody on the machine.

Dask's messages are pickles, so who reaches a scheduler or a worker runs code there. Beyond loopback there is TLS only,
in which both ends show a certificate. All machines of a fleet have the same one, as each may run code on every other
anyway; it is a file of a private key and a certificate that is signed with it.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from cellbed.error import CellbedError

if TYPE_CHECKING:
    from distributed import Security

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
_MODE = 0o600
_GUARD = "cellbed.sweep.fleet_guard"


def make(path: Path) -> None:
    """Write a new key, for its owner alone; it is good for a year.

    Raises:
        CellbedError: there is a file already.
        OSError: it cannot be written.
    """
    from distributed import Security

    made = Security.temporary()
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
    except FileExistsError:
        raise CellbedError(f"{path}: the file exists already; name another one, as no key is overwritten") from None
    with open(fd, "w") as file:
        file.write(made.tls_client_key + made.tls_client_cert)


def check_key(path: Path) -> None:
    """Raises CellbedError for a key that others could have read."""
    found = path.stat()
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid != os.geteuid() or mode & ~_MODE:
        raise CellbedError(f"{path}: a key of user {found.st_uid} with mode {mode:04o}: allowed one of user "
                           f"{os.geteuid()} with mode {_MODE:04o}, which nobody else can read")


def security(path: Path | str) -> Security:
    """For Dask's clients and clusters: connections with the key, and none without.

    Raises:
        CellbedError: others can read the key, or it is none.
        OSError: it is not there.
    """
    import ssl

    from distributed import Security

    check_key(Path(path))
    files = {f"tls_{role}_{part}": str(path) for role in ("client", "scheduler", "worker") for part in ("cert", "key")}
    made = Security(require_encryption=True, tls_ca_file=str(path), **files)
    try:
        made.get_connection_args("client")
    except ssl.SSLError:
        raise CellbedError(f"{path}: not a key of a fleet; `cellbed fleet-key` makes one") from None
    return made


def parse_address(option: str, address: str, key: Path | None) -> tuple[str, int]:
    """Host and port of a scheduler.

    Raises:
        CellbedError: it is none, or not to be reached in safety.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or int(match[3]) > 65535:
        raise CellbedError(f"{option}: value {address}: allowed tls://HOST:PORT, or tcp://HOST:PORT on loopback")
    scheme, host, port = match[1], match[2].strip("[]"), int(match[3])
    if scheme == "tls" and key is None:
        raise CellbedError(f"{option}: value {address}: tls:// needs a key; add --key FILE, which "
                           "`cellbed fleet-key` makes")
    if scheme == "tcp":
        check_plain(option, address, host, key)
    return host, port


def check_plain(option: str, value: str, host: str, key: Path | None) -> None:
    """Raises CellbedError where a connection has to be with a key, or there is one that would not count."""
    if key is not None:
        raise CellbedError(f"{option}: value {value}: a connection with a key is encrypted; write tls:// "
                           "in place of tcp://, or remove --key")
    if not all(ipaddress.ip_address(address).is_loopback for address in addresses_of(host)):
        raise CellbedError(f"{option}: value {value}: allowed on loopback only; beyond it, tls:// with --key, which "
                           "`cellbed fleet-key` makes, because who reaches a scheduler can run code on its workers")


def addresses_of(host: str) -> list[str]:
    """Raises CellbedError for a name that has none."""
    try:
        return [str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        raise CellbedError(f"{host}: no such host") from None


def address_towards(host: str, port: int) -> str:
    """This machine's address on the way to a scheduler, the only one that a worker listens at."""
    family, kind, proto, _, target = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, proto) as probe:  # sends nothing
        try:
            probe.connect(target)
        except OSError as error:
            raise CellbedError(f"{host}: {error.strerror}") from None
        return str(probe.getsockname()[0])


def dask_arguments(key: Path | None) -> list[str]:
    """For Dask's commands."""
    return [] if key is None else [f"--tls-{part}={key.resolve()}" for part in ("ca-file", "cert", "key")]


def dask_environment(key: Path | None) -> dict[str, str]:
    """For Dask's commands: no pages over HTTP, and no connection without the key if there is one."""
    pages = {f"DASK_DISTRIBUTED__{role}__HTTP__ROUTES": "[]" for role in ("SCHEDULER", "WORKER")}
    guards = {f"DASK_DISTRIBUTED__{role}__PRELOAD": f'["{_GUARD}"]' for role in ("SCHEDULER", "WORKER", "NANNY")}
    return {**os.environ, **pages, **guards, "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": str(key is not None)}
