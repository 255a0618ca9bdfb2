# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual page, made of what the commands say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cellbed.cli.lazy import every

_TITLE = ".TH CELLBED 1 \"\" \"cellbed {version}\" \"User Commands\""
_ENDING = """\
.SH EXIT STATUS
0 when all was done; 1 after an error, which is one line; 2 when called in an unknown way; 3 when some of the runs are
invalid and 4 when a bundle cannot be used, both 0 with
.BR \\-\\-keep\\-going ;
130 when interrupted.
.BR "cellbed link" ,
.B cellbed guest
and
.B cellbed shell
have the status of their command, 125 for an error of their own, 126 for a command that cannot be started and 127 for
one that is not there.
.SH FILES
.TP
.I RESULTS/*/manifest.json
what was run, and whether to believe it; docs/result-format.md
.TP
.I RESULTS/summary/
reports and tables
.TP
.I ~/.cache/cellbed/
lab kernels"""


def page(group: Any, version: str) -> str:
    """The page in man(7). Args: group: the command line, as click has it."""
    lines = [_TITLE.format(version=version), ".SH NAME", f"cellbed \\- {_escape(_first_sentence(group.help))}",
             ".SH SYNOPSIS", ".B cellbed", ".I COMMAND", "[\\fIARGUMENT\\fR]...", ".SH COMMANDS"]
    for name, command in every(group).items():
        lines += _command(name, command)
    return "\n".join([*lines, _ENDING, ""])


def parameters(command: Any) -> tuple[list[Any], list[Any]]:
    """Arguments and options that are told of."""
    return ([p for p in command.params if p.param_type_name == "argument"],
            [p for p in command.params if p.param_type_name == "option" and not getattr(p, "hidden", False)])


def usage(name: str, command: Any) -> list[str]:
    """Words of a command's call."""
    arguments, options = parameters(command)
    return [f"cellbed {name}", *(["[OPTION]..."] if options else []), *map(argument, arguments)]


def _command(name: str, command: Any) -> Iterator[str]:
    arguments, options = parameters(command)
    yield f".SS {_escape(' '.join(usage(name, command)))}"
    for paragraph in re.split(r"\n\s*\n", command.help or ""):
        yield from (".PP", _escape(" ".join(paragraph.split())))
    for parameter in arguments:
        if parameter.help:
            yield from (".TP", f".I {_escape(argument(parameter))}", _escape(parameter.help))
    for option in options:
        yield from (".TP", f".B {_escape(', '.join(option.opts))}{_value(option)}", _escape(help_of(option)))


def argument(parameter: Any) -> str:
    if parameter.metavar:
        return parameter.metavar
    shown = parameter.name.upper().rstrip("_") + ("..." if parameter.nargs != 1 else "")
    return shown if parameter.required else f"[{shown}]"


def value(option: Any) -> str:
    """Name of what an option takes, "" for a flag."""
    return "" if getattr(option, "is_flag", False) else option.metavar or option.name.strip("_").upper()


def _value(option: Any) -> str:
    name = value(option)
    return f" \\fI{_escape(name)}\\fR" if name else ""


def help_of(option: Any) -> str:
    """With the default, where there is one that is the same everywhere."""
    told = option.help or ""
    fixed = option.default not in (None, False) and option.name != "jobs" and not callable(option.default)
    return f"{told} (default: {option.default})" if fixed and "default" not in told else told


def _first_sentence(text: str) -> str:
    return " ".join((text or "").split()).rstrip(".")


def _escape(text: str) -> str:
    """Backslashes and hyphens are roff's; so are a line's first dot and apostrophe."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
