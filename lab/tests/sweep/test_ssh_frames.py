# SPDX-License-Identifier: GPL-2.0-or-later
"""Frames of a host: what it may say is heard, anything else is garbled, and nothing else comes of it."""

import io
import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cellbed.sweep import ssh_frames
from cellbed.sweep.ssh_frames import (
    Advanced,
    Differs,
    Ended,
    Failed,
    Garbled,
    LabKernel,
    Measured,
    Ping,
    Ready,
    Refused,
)

MEASURED = Measured(wall_s=1.5, setup_wall_s=0.5, kernel=LabKernel(config_sha256="0" * 64))
SAID = [Ready(facts={"celld": "1"}, cpus=2, free_mib=100), Refused(error="no kernel"), Differs(run=0, error="celld"),
        Advanced(run=1, done_s=0.5, all_s=math.inf), Ended(run=1, measured=MEASURED), Failed(run=2, error="")]
# As JSON, which a host writes as it likes.
HOSTILE = ["null", "true", "[]", "{}", '""', '"x"', "-1", "1e999", "-1e999", "NaN", "1.5", str(2**63), str(2**64),
           "9" * 5000, "[" * 900_000, '{"a":' * 100_000, '"\\ud800"', '"' + "x" * 100_000 + '"', "0x10", ""]


def written(said, behind=b""):
    out = io.BytesIO()
    ssh_frames.say(out, said, behind)
    return out.getvalue()


def heard(source):
    """All frames, then "garbled" or "end"."""
    found = []
    try:
        while (frame := ssh_frames.hear(source, ssh_frames.OF_HOST)) is not None:
            with frame[1]:
                found.append((frame[0], frame[1].read()))
    except Garbled as error:
        assert 0 < len(str(error)) < 500 and "\n" not in str(error)
        return [*found, "garbled"]
    return [*found, "end"]


def test_what_is_said_is_heard():
    stream = b"".join(written(said, b"files" if isinstance(said, Ended) else b"") for said in SAID)
    found = heard(io.BytesIO(stream))
    assert [frame[0] for frame in found[:-1]] == SAID and found[-1] == "end"
    assert [frame[1] for frame in found[:-1]] == [b"", b"", b"", b"", b"files", b""]


UNPRINTABLE = st.text(st.characters(categories=["Cc", "Cf", "Zl", "Zp", "Lu"]), max_size=20)


@given(UNPRINTABLE)
@example("one\nline\r\x1b[2Jand another")
@example("\u202eright to left\u2028\x85")
def test_no_text_of_a_host_is_more_than_a_part_of_a_line(text):
    """Wherever a message is made of it, and shown."""
    for said in (Refused(error="x"), Failed(run=0, error="x"), Differs(run=0, error="x")):
        (frame, _), end = heard(io.BytesIO(changed(said, ["error"], json.dumps(text))))
        assert frame.error.isprintable() and end == "end"
    facts = json.dumps({text: text})
    (frame, _), end = heard(io.BytesIO(changed(Ready(facts={}, cpus=1, free_mib=1), ["facts"], facts)))
    assert all(part.isprintable() for pair in frame.facts.items() for part in pair)


def changed(said, path, text):
    """A frame whose value at @path is some JSON."""
    tree, mark = json.loads(said.model_dump_json()), "<here>"
    inner = tree
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = mark
    return json.dumps(tree).replace(f'"{mark}"', text).encode() + b"\n"


def places(tree, above=()):
    for key, value in tree.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from places(value, (*above, key))


PLACES = [(said, path) for said in SAID for path in places(json.loads(said.model_dump_json()))]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12] or "nothing")
def test_a_hostile_value_anywhere(text):
    """Whatever comes is a frame within its bounds, or garbled; none is taken for another."""
    for said, path in PLACES:
        found = heard(io.BytesIO(changed(said, path, text)))
        assert found[-1] == "garbled" or (len(found) == 2 and type(found[0][0]) is type(said)), (said, path)
    for said, path in [(SAID[0], ["facts"]), (SAID[4], ["measured"]), (SAID[4], ["bytes"]), (SAID[3], ["run"])]:
        if text != "{}":
            assert heard(io.BytesIO(changed(said, path, text))) == ["garbled"]


TREES = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner)
                     | st.dictionaries(st.sampled_from(["kind", "bytes", "run", "facts"]) | st.text(), inner))


@given(st.binary(max_size=300) | TREES.map(lambda tree: json.dumps(tree).encode() + b"\n"))
@example(b"")
@example(b"[]\n")
@example(b'{"kind":"\\n"}')
@example(b'{"bytes": 5}\n1234')
def test_any_bytes(said):
    assert heard(io.BytesIO(said))[-1] in ("garbled", "end")


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=3), st.data())
def test_any_change_of_a_byte(said, data):
    stream = bytearray(b"".join(written(each) for each in said))
    at = data.draw(st.integers(0, len(stream) - 1))
    stream[at:at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    assert heard(io.BytesIO(bytes(stream)))[-1] in ("garbled", "end")


def test_bytes_are_counted_before_any_package_is_made():
    for count in (ssh_frames.BEHIND_BYTES, ssh_frames.BEHIND_BYTES + 1, 2**62):
        line = written(Ended(run=0, measured=MEASURED)).replace(b'"bytes":0', b'"bytes":%d' % count)
        assert heard(io.BytesIO(line + b"few")) == ["garbled"]


def test_only_a_result_has_bytes_behind_it():
    for said in SAID:
        line = written(said).replace(b'"bytes":0', b'"bytes":1') + b"x"
        assert (heard(io.BytesIO(line))[-1] == "end") == isinstance(said, Ended)


def test_what_nobody_asked_for_is_not_read():
    stream = io.BytesIO(written(Ended(run=7, measured=MEASURED), b"files"))
    with pytest.raises(Garbled, match="an answer to no question"):
        ssh_frames.hear(stream, ssh_frames.OF_HOST, lambda said: said.run != 7)
    assert stream.read() == b"files"


def test_what_start_files_print_has_an_end():
    assert ssh_frames.await_beginning(io.BytesIO(b"welcome\nno newline" + ssh_frames.BEGINNING))
    assert not ssh_frames.await_beginning(io.BytesIO(b"welcome\n"))
    for endless in (b"x" * (2 << 20), b"x\n" * (1 << 20)):
        with pytest.raises(Garbled):
            ssh_frames.await_beginning(io.BytesIO(endless))


def test_a_client_says_other_things():
    found = ssh_frames.hear(io.BytesIO(written(Ping())), ssh_frames.OF_CLIENT)
    assert found is not None and isinstance(found[0], Ping)
    assert heard(io.BytesIO(written(Ping()))) == ["garbled"]
