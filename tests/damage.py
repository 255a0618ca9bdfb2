# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways in which a file of a bundle can be wrong, for Hypothesis: cut short, bytes changed, values of another type."""

import copy
import json

from hypothesis import strategies as st

# In the place of what was there; GONE takes it away.
GONE = object()
OTHERS = [GONE, None, True, 0, -1, 1.5, 10**30, 1e300, "", "x", "../x", "\x1b[2J", [], [None], {}, {"x": {}}, [[]] * 3]


def places(value, at=()):
    """Where values are in parsed JSON: tuples of keys and indices."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield (*at, key)
        yield from places(below, (*at, key))


def changed(value, place, other):
    """A copy with another value in a place."""
    made = at = copy.deepcopy(value)
    for key in place[:-1]:
        at = at[key]
    if other is GONE:
        del at[place[-1]]
    else:
        at[place[-1]] = other
    return made


def typed(value):
    """JSON with another value in one place."""
    found = sorted(places(value), key=str)
    return st.tuples(st.sampled_from(found), st.sampled_from(OTHERS)).map(
        lambda drawn: json.dumps(changed(value, *drawn)).encode())


def header(content):
    """A trace whose header is another, and says truly how long it is."""
    line, body = content.split(b"\n", 1)

    def whole(made):
        head = json.loads(made)
        size = len(made) + 64
        if isinstance(head.get("header_bytes"), int) and not isinstance(head["header_bytes"], bool):
            head["header_bytes"] = size
        return json.dumps(head).encode().ljust(size - 1)[:size - 1] + b"\n" + body

    return typed(json.loads(line)).map(whole)


def flipped(content, changes):
    made = bytearray(content)
    for at, mask in changes:
        made[at] ^= mask
    return bytes(made)


def damages(content, name):
    """Strategy: the content of a file as it may be after damage."""
    if not content:
        return st.binary(min_size=1, max_size=20)
    ends = st.integers(0, len(content) - 1)
    ways = [ends.map(lambda end: content[:end]),
            st.lists(st.tuples(ends, st.integers(1, 255)), min_size=1, max_size=4).map(lambda c: flipped(content, c)),
            st.sampled_from([b"", b"\0" * 100, b"[" * 100_000, b"{}", b"[]", b"null", b"\xff\xfe"])]
    if name.endswith(".json"):
        ways += [typed(json.loads(content))] * 3
    elif name.endswith(".trace"):
        ways.append(header(content))
    return st.one_of(ways)
