# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `cellbed link`: any command behind a radio link."""

from __future__ import annotations

import contextlib
import os
import pwd
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from cellbed.cli import completion
from cellbed.error import CellbedError, LabError, ScenarioError, told
from cellbed.host import ledger
from cellbed.host.interrupt import cleaning_up
from cellbed.labs import choices
from cellbed.labs.user_terminal import UserTerminal, note
from cellbed.link import links, machine
from cellbed.link.account import account_of, environment_of, identity_of
from cellbed.results import validity
from cellbed.run.address import FAMILIES
from cellbed.scenario.description import expand

# Exit statuses of env(1), timeout(1) and the like: their own failure, not found; below them the command's.
OWN_FAILURE, NOT_FOUND = 125, 127
_SEPARATOR = "--"
_NAMED = Path("/run/netns")  # of ip-netns(8)
_NO_NETWORK = {"virtual": "the virtual lab has no other network; see --serve and --serve-folder",
               choices.ROOTLESS: "a link without root has no other network; see --serve, --serve-folder and --internet"}
_OF_SEVERAL = "a link with several radio networks has no other network; see --serve and --serve-folder"


class WithCommand(TyperCommand):
    """Options and words, then `--` and a command, which is not parsed here.

    Its status is that of the command. So whatever fails before ends with OWN_FAILURE, by which scripts can tell.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta["command"] = []
        if _SEPARATOR in args:
            at = args.index(_SEPARATOR)
            args, ctx.meta["command"] = args[:at], args[at + 1:]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if hasattr(error, "format_message") and hasattr(error, "exit_code"):  # click's usage errors
                error.exit_code = OWN_FAILURE
            raise

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except CellbedError as error:
            error.status = OWN_FAILURE
            raise
        except OSError as error:
            raise CellbedError(told(error, "the system"), status=OWN_FAILURE) from error

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


def help_text() -> str:
    words = "\n\n".join(f"    {name} {example}: {what}" for name, (_, example, what) in links.WORDS.items())
    ready = "\n\n".join(f"    {name}: {title}" for name, title in links.presets().items())
    return "\n\n".join((
        "Run a command behind a radio link, or a shell when none is given.",
        "The command runs on the UE. CELLBED_BASE holds the address of the far end. In the native lab that is this "
        "machine, with whatever it serves; in the virtual lab, or with --serve, it is a host of its own. Exit status "
        f"and signals are passed through; status {OWN_FAILURE} means that cellbed itself failed.",
        "LINK is one of these, or any scenario file:", ready,
        "KEY VALUE is any of these, shown with an example:", words,
        "Example: cellbed link edge rtt 80ms -- sh -c 'curl http://$CELLBED_BASE:8000/'"))


def run_link(
    ctx: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="[LINK] [KEY VALUE]...", show_default=False,
                                                             autocompletion=completion.link_words)] = None,
    lab: Annotated[str, typer.Option(help="native: this machine's kernel in real time, as root. virtual: a guest "
                                          "kernel in virtual time, with no network but the link.",
                                     autocompletion=completion.attachable_labs)] = "native",
    serve: Annotated[str | None, typer.Option(metavar="COMMAND", help="Run this server on the far end.")] = None,
    serve_folder: Annotated[Path | None, typer.Option(exists=True, file_okay=False, help="Serve this folder over "
                                                      "HTTP on the far end, at port 80.")] = None,
    internet: Annotated[bool, typer.Option("--internet", help="Connect the far end to this machine's loopback and "
                                           "to the Internet, by pasta.")] = False,
    ipv4_only: Annotated[bool, typer.Option("--ipv4-only", help="No addresses of IPv6. Default where IPv6 is off in "
                                            "the namespace, and for --internet on a machine without IPv6.")] = False,
    ipv6_only: Annotated[bool, typer.Option("--ipv6-only", help="No addresses of IPv4.")] = False,
    xlat: Annotated[bool, typer.Option("--464xlat", help="IPv6 only on the radio. The command has IPv4 by a CLAT "
                                       "on the UE and a NAT64 in the network, both by tayga.")] = False,
    radio: Annotated[list[str] | None, typer.Option(metavar="NAME=LINK", help="A further radio network, over the "
                                                    "interface NAME; sockets of Multipath TCP use all. May be "
                                                    "repeated.")] = None,
    netns: Annotated[str | None, typer.Option(help="The network namespace of this name, of `ip netns`, is the "
                                              "UE.")] = None,
    pid: Annotated[int | None, typer.Option(help="The network namespace of this process is the UE, such as of a "
                                            "container.")] = None,
    generate: Annotated[bool, typer.Option("--generate", help="Only print the scenario of this command line, for "
                                           "`cellbed run`; without a COMMAND it has a download.")] = False,
    results: Annotated[Path | None, typer.Option(help="Keep a result bundle, with every capture, in this "
                                                 "folder.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything random.")] = 1,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Set any key of the scenario, as key=value. "
                                                   "May be repeated.")] = None,
    rootless: Annotated[bool, typer.Option("--rootless", help="The native lab without root, in namespaces that end "
                                           "with the command. Default for everybody but root.")] = False,
    user: Annotated[str | None, typer.Option(help="The user that the command runs as in the native lab. Default: "
                                             "the user who called sudo, else root.")] = None,
    kernel: Annotated[str | None, typer.Option(show_default=False, help="The kernel of the virtual lab: 7.3, "
                                               "6.12 or 6.1. Default: the newest that is built.")] = None,
) -> None:
    choices.check_lab(lab, kernel, choices.ATTACHABLE)
    if serve is not None and serve_folder is not None:
        raise CellbedError("--serve and --serve-folder exclude each other; give one of them")
    rootless = rootless or (lab == "native" and os.geteuid() != 0)
    _check_rootless(rootless, lab, user)
    _check_internet(internet, lab, serve is not None or serve_folder is not None)
    account = None if rootless else account_of(user)
    shell = account.pw_shell if account is not None else os.environ.get("SHELL", "/bin/sh")
    brought = "--netns" if netns is not None else "--pid" if pid is not None else None
    if xlat and ipv4_only:
        raise CellbedError("--464xlat and --ipv4-only exclude each other; give one of them")
    _check_radio(bool(radio), {"--internet": internet, brought or "": brought is not None})
    families = _families(ipv4_only, ipv6_only and not xlat)
    at_machine = lab == "native" and serve is None and serve_folder is None and not rootless and not internet
    if lab == "native" and not generate:
        families = machine.families(families, at_machine, internet)
    server = shlex.split(serve) if serve is not None else \
        links.serves_folder(serve_folder, families) if serve_folder is not None else None
    if generate:
        print(_generated(words or [], ctx.meta["command"], set_ or [], server, internet,
                         links.Addresses(families, xlat), radio or []), end="")
        return
    argv = ctx.meta["command"] or [shell]
    data, path = links.build(words or [], argv, set_ or [], server, at_machine, internet, _namespace(netns, pid, lab),
                             radio or [])
    executed = choices.ROOTLESS if rootless else lab

    def placed(made: links.Data) -> None:
        why = _NO_NETWORK.get(executed, _OF_SEVERAL if made.get("radios") else None)
        if server is None and why is not None and not internet:
            note(f"no server runs on the far end, and {why}")

    end_as_command(data, path, executed, kernel, results, seed, account, not ctx.meta["command"],
                   links.Addresses(families, xlat), placed)


def _generated(words: list[str], command: list[str], overrides: list[str], server: list[str] | None,
               internet: bool, addresses: links.Addresses, radios: list[str]) -> str:
    """The scenario of a command line, which runs in every lab: the far end is a host of its own.

    Without a command it has the flows of the link's file.
    """
    data, path = links.build(words, command or None, overrides, server if command else None, internet=internet,
                             radios=radios)
    links.put_limit(data)
    links.put_addresses(data, path, addresses)
    said = ["cellbed", "link", *words, *(word for radio in radios for word in ("--radio", radio))]
    return links.to_yaml(data, shlex.join([*said, *([_SEPARATOR, *command] if command else [])]))


def end_as_command(data: dict[str, Any], path: Path, lab: str, kernel: str | None, results: Path | None, seed: int,
                   account: pwd.struct_passwd | None, interactive: bool,
                   addresses: links.Addresses = links.AS_THEY_ARE,
                   placed: Callable[[links.Data], None] = lambda _: None) -> NoReturn:
    """Run a link, and exit with its command's status.

    Args:
        path: the link is named after it.
        interactive: the command is a shell.
        addresses: of a ready-made link.
        placed: called with the data when they are right and have addresses, before the link starts.

    Raises:
        CellbedError: it cannot be run.
    """
    program = next(flow for flow in data["traffic"] if flow["id"] == links.COMMAND_ID)["argv"][0]
    if shutil.which(program, path=environment_of(path.stem, account, interactive).get("PATH")) is None:
        note(f"{program}: no such program")
        sys.exit(NOT_FOUND)
    sys.exit(_execute(data, path, lab, kernel, results, seed, account, interactive, addresses, placed))


def _execute(data: dict[str, Any], path: Path, lab: str, kernel: str | None, results: Path | None, seed: int,
             account: pwd.struct_passwd | None, interactive: bool, addresses: links.Addresses,
             placed: Callable[[links.Data], None]) -> int:
    """Run the link; what is wrong with it is said alone, before @placed speaks. Return: the command's exit status."""
    with cleaning_up(), contextlib.ExitStack() as stack:
        scratch = stack.enter_context(ledger.scratch())
        if lab == "virtual":
            links.put_limit(data)
        else:
            machine.fit(stack, data)
            addresses = machine.addresses_with_brought(addresses, data)
        links.put_addresses(data, path, addresses)
        if results is None:
            data["capture"] = {"ip": False, "radio": False, "radio_trace": "events", "tcp_interval_ms": 100,
                               **data.get("capture", {})}
        file = scratch / f"{path.stem}.yaml"
        file.write_text(links.to_yaml(data, "a link"))
        try:
            scenario, runs = expand(file, seeds=[seed])
        except ScenarioError as error:  # the file is gone when that is read
            raise ScenarioError(str(error).replace(str(file), f"link {path.stem}")) from None
        placed(data)
        environment = environment_of(path.stem, account, interactive)
        terminal = UserTerminal(links.COMMAND_ID, environment, identity_of(account), interactive)
        from cellbed.sweep.execute import Sweep

        sweep = Sweep(scenario, [], (results or scratch / "results").resolve(), lab, kernel, _Silent(), terminal)
        with terminal.forwarding():
            try:
                (outcome,) = sweep.execute(runs, jobs=1)
            except KeyboardInterrupt:
                return 128 + (terminal.signalled or 2)
        if outcome.manifest is None:
            raise LabError(outcome.error or "")
        _tell_verdict(outcome.manifest)
        (command,) = (c for c in outcome.manifest["commands"] if c["id"] == links.COMMAND_ID)
        return command["status"]


def _check_rootless(rootless: bool, lab: str, user: str | None) -> None:
    """Raises CellbedError for options that do not go together."""
    if rootless and lab != "native":
        raise CellbedError(f"--rootless: the {lab} lab needs no root; leave it out, or add --lab native")
    if rootless and user is not None:
        raise CellbedError(f"--user {user}: another user does not exist in a lab without root; leave out "
                           "--rootless, and run it as root")


def _namespace(name: str | None, pid: int | None, lab: str) -> str | None:
    """Path of the network namespace that is meant.

    Raises:
        CellbedError: there is none, or it cannot be had.
    """
    if name is None and pid is None:
        return None
    said = f"--netns {name}" if name is not None else f"--pid {pid}"
    if name is not None and pid is not None:
        raise CellbedError("--netns and --pid exclude each other; give one of them")
    if lab != "native":
        raise CellbedError(f"{said}: the {lab} lab is not on this machine's network; add --lab native")
    path = _NAMED / name if name is not None else Path(f"/proc/{pid}/ns/net")
    if not os.path.lexists(path):  # nobody may follow that of somebody else
        known = sorted(entry.name for entry in _NAMED.iterdir()) if _NAMED.is_dir() else []
        raise CellbedError(f"{said}: no such process" if name is None else
                           f"{said}: no such namespace; `ip netns` lists {', '.join(known) or 'none'}")
    return str(path)


def _check_radio(asked: bool, others: Mapping[str, bool]) -> None:
    """Raises CellbedError for options that do not go together: nodes of several networks are the run's own."""
    other = next((name for name, given in others.items() if given), None)
    if asked and other is not None:
        raise CellbedError(f"--radio and {other} exclude each other; give one of them")


def _check_internet(internet: bool, lab: str, serves: bool) -> None:
    """Raises CellbedError for options that do not go together."""
    if internet and lab != "native":
        raise CellbedError(f"--internet: the {lab} lab is not on this machine's network; add --lab native")
    if internet and serves:
        raise CellbedError("--internet: the far end is this machine's network, which serves nothing; leave out "
                           "--serve and --serve-folder")


def _families(ipv4_only: bool, ipv6_only: bool) -> list[str]:
    """Of a link's addresses. Raises CellbedError for options that exclude each other."""
    if ipv4_only and ipv6_only:
        raise CellbedError("--ipv4-only and --ipv6-only exclude each other; give one of them")
    return ["ipv6"] if ipv6_only else ["ipv4"] if ipv4_only else list(FAMILIES)


class _Silent:
    """Nothing but the command speaks."""

    def advanced(self, *_: Any) -> None: ...

    def noticed(self, *_: Any) -> None: ...

    def finished(self, *_: Any) -> None: ...


def _tell_verdict(manifest: dict[str, Any]) -> None:
    """What cellbed, not the link, did to the command's traffic."""
    if reasons := [r for r in manifest["validity"]["reasons"] if r["code"] != "workload"]:
        note(f"do not believe measurements of this link: {validity.in_words(reasons)}")


def register(app: typer.Typer) -> None:
    app.command("link", cls=WithCommand, help=help_text())(run_link)
