# SPDX-License-Identifier: GPL-2.0-or-later
"""Whom a command behind a link runs as, and with which environment."""

from __future__ import annotations

import os
import pwd

from cellbed.error import CellbedError
from cellbed.host import programs


def account_of(user: str | None) -> pwd.struct_passwd | None:
    """Whom the command runs as, when it is somebody else."""
    if user is None and os.geteuid() == 0 and os.environ.get("SUDO_UID", "0") != "0":
        return pwd.getpwuid(int(os.environ["SUDO_UID"]))
    if user is None:
        return None
    try:
        account = pwd.getpwnam(user)
    except KeyError:
        raise CellbedError(f"--user {user}: no such user") from None
    return None if account.pw_uid == os.geteuid() else account


def identity_of(account: pwd.struct_passwd | None) -> tuple[int, int, list[int]] | None:
    if account is None:
        return None
    return account.pw_uid, account.pw_gid, os.getgrouplist(account.pw_name, account.pw_gid)


def environment_of(name: str, account: pwd.struct_passwd | None, interactive: bool) -> dict[str, str]:
    """Of the command: all that its own user has set; for others, and for root, what nobody runs code by."""
    whole = programs.given()
    his = account is not None and str(account.pw_uid) == whole.get("SUDO_UID")
    environment = {**(whole if his else programs.trusted(whole)), "CELLBED_LINK": name}
    if account is not None:
        environment |= {"HOME": account.pw_dir, "USER": account.pw_name, "LOGNAME": account.pw_name,
                        "SHELL": account.pw_shell}
    if interactive:
        environment["PROMPT_COMMAND"] = prompt(name)
    return environment


def prompt(name: str) -> str:
    """bash evaluates it before its first prompt, after its start-up files have set theirs."""
    return f'PS1="[{name}] $PS1"; unset PROMPT_COMMAND'
