# SPDX-License-Identifier: GPL-2.0-or-later
"""What client and host say to each other over SSH: lines of JSON of known shape, each with bytes behind it.

What the client sends may be anything, as it runs programs there anyway. What a host sends is data and no code: a host
of a sweep has no power over the machine that asked it to run. So each value has a type and bounds, and what is not
within them is no frame.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import IO, Annotated, Literal, TypeVar

from pydantic import AfterValidator, AllowInfNan, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from cellbed_formats.printable import shown

# What a shell's start files print comes before it.
BEGINNING = b"cellbed: this is a host of a sweep\n"
_BEFORE_BYTES = 1 << 20
_LINE_BYTES = 1 << 20
# Behind a line: a run's files, packed. More than _MEMORY_BYTES of it are kept in a temporary file.
BEHIND_BYTES = 4 << 30
_MEMORY_BYTES = 32 << 20
_PIECE_BYTES = 1 << 16
TEXT_MAX = 4096

# A part of messages: what a terminal would obey, a line break included, is an escape from here on.
Text = Annotated[str, Field(max_length=TEXT_MAX), AfterValidator(shown)]
RunNumber = Annotated[int, Field(ge=0, lt=1 << 31)]
Seconds = Annotated[float, Field(ge=0, le=1e9)]
# How long the traffic takes in all: infinity when a file decides.
Length = Annotated[float, Field(ge=0), AllowInfNan(True)]
Nothing = Annotated[int, Field(ge=0, le=0)]
Size = Annotated[int, Field(ge=0, le=BEHIND_BYTES)]


class Frame(BaseModel):
    """A line; `bytes` is how many come behind it."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")
    bytes: Nothing = 0


# --- of a host ---


class Ready(Frame):
    kind: Literal["ready"] = "ready"
    facts: Annotated[dict[Text, Text], Field(max_length=64)]
    cpus: Annotated[int, Field(ge=1, le=1 << 16)]
    free_mib: Annotated[int, Field(ge=0, le=1 << 40)]


class Refused(Frame):
    kind: Literal["refused"] = "refused"
    error: Text


class Advanced(Frame):
    kind: Literal["advanced"] = "advanced"
    run: RunNumber
    done_s: Seconds
    all_s: Length


class Differs(Frame):
    kind: Literal["differs"] = "differs"
    run: RunNumber
    error: Text


class LabKernel(BaseModel):
    model_config = Frame.model_config
    config_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None


class Measured(BaseModel):
    """What labs/virtual.py measures from outside."""

    model_config = Frame.model_config
    wall_s: Seconds
    setup_wall_s: Annotated[float, Field(ge=-1e9, le=1e9)]
    kernel: LabKernel


class Ended(Frame):
    """A run that has been executed, its files behind it."""

    kind: Literal["executed"] = "executed"
    run: RunNumber
    measured: Measured
    bytes: Size = 0


class Failed(Frame):
    kind: Literal["failed"] = "failed"
    run: RunNumber
    error: Text


# --- of the client ---


class Execute(Frame):
    """A pickled task is behind it."""

    kind: Literal["execute"] = "execute"
    bytes: Size = 0


class Ping(Frame):
    kind: Literal["ping"] = "ping"


OfHost = Ready | Refused | Advanced | Differs | Ended | Failed
OfClient = Execute | Ping
OF_HOST: TypeAdapter[OfHost] = TypeAdapter(Annotated[OfHost, Field(discriminator="kind")])
OF_CLIENT: TypeAdapter[OfClient] = TypeAdapter(Annotated[OfClient, Field(discriminator="kind")])
Said = TypeVar("Said", bound=Frame)


class Garbled(Exception):
    """What came is nothing that the other end of this version would say."""


def _any(*_: object) -> bool:
    return True


def hear(source: IO[bytes], side: TypeAdapter[Said], expected: Callable[[Said], bool] = _any,
         heard: Callable[[], object] = _any) -> tuple[Said, IO[bytes]] | None:
    """What was said, and the bytes behind it; None at the end.

    Args:
        expected: whether a frame may come now; asked before what is behind it is read.
        heard: called for every piece that comes.

    Raises:
        Garbled: neither.
        OSError: there is no room for the bytes.
    """
    line = source.readline(_LINE_BYTES)
    if not line:
        return None
    heard()
    try:
        said = side.validate_json(line)
    except ValidationError as error:
        raise Garbled(f"an answer that is not valid: {_first(error)}") from None
    if not expected(said):
        raise Garbled("an answer to no question")
    return said, _behind(source, said.bytes, heard)


def _behind(source: IO[bytes], left: int, heard: Callable[[], object]) -> IO[bytes]:
    kept = tempfile.SpooledTemporaryFile(_MEMORY_BYTES)  # noqa: SIM115 (the caller's)
    try:
        while left:
            piece = source.read(min(left, _PIECE_BYTES))
            if not piece:
                raise Garbled("an incomplete answer")
            heard()
            kept.write(piece)
            left -= len(piece)
        kept.seek(0)
    except BaseException:
        kept.close()
        raise
    return kept


def _first(error: ValidationError) -> str:
    """Where it is wrong and how, without the value, which may be of any size."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    where = ".".join(str(part)[:40] for part in first["loc"][1:3])
    return shown(f"key {where}: {first['msg'][:200]}" if where else str(first["msg"])[:200])


def say(out: IO[bytes], said: Frame, behind: bytes = b"") -> None:
    said.bytes = len(behind)
    out.write(said.model_dump_json().encode() + b"\n" + behind)
    out.flush()


def await_beginning(source: IO[bytes]) -> bool:
    """Skip what comes before it. Return: it came before the source ended.

    Raises:
        Garbled: more came than start files print.
    """
    left = _BEFORE_BYTES
    while line := source.readline(min(left, _LINE_BYTES)):
        if line.endswith(BEGINNING):
            return True
        left -= len(line)
        if left <= 0:
            raise Garbled("no answer of cellbed")
    return False
