# SPDX-License-Identifier: GPL-2.0-or-later
"""Small changes of a source in C or Python, each of which a good test would notice.

They are made in the syntax tree, so that what looks like an operator in a string, a pointer's declaration or a name is
left alone, and most of them compile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter
import tree_sitter_c
import tree_sitter_python
from tree_sitter import Node

PARSERS = {suffix: tree_sitter.Parser(tree_sitter.Language(grammar.language()))
           for suffix, grammar in ((".c", tree_sitter_c), (".py", tree_sitter_python))}

OPERATORS = {
    "<": ("<=", ">", "=="), "<=": ("<", ">=", "=="), ">": (">=", "<", "=="), ">=": (">", "<=", "=="),
    "==": ("!=",), "!=": ("==",), "+": ("-", "*"), "-": ("+", "*"), "*": ("/", "+"),
    "/": ("*", "-"), "%": ("/", "*"), "//": ("*", "/"), "**": ("*",), "<<": (">>",), ">>": ("<<",), "&": ("|", "^"),
    "|": ("&", "^"), "^": ("&", "|"), "&&": ("||",), "||": ("&&",), "and": ("or",), "or": ("and",),
    "+=": ("-=", "="), "-=": ("+=", "="), "*=": ("/=", "="), "|=": ("&=", "="), "&=": ("|=", "="), "++": ("--",),
    "--": ("++",), "is": ("is not",), "is not": ("is",), "in": ("not in",), "not in": ("in",),
}  # fmt: skip
WITH_OPERATOR = {"binary_expression", "assignment_expression", "update_expression", "binary_operator",
                 "comparison_operator", "boolean_operator", "augmented_assignment"}
CONJUNCTIONS = {"&&", "||", "and", "or"}
LOOPS = {"while_statement", "for_statement"}
WORDS = {"true": ("false",), "false": ("true",), "True": ("False",), "False": ("True",)}
# What only says something, or holds anyway, as that two lists are of one length, or is of the digest of a state, which
# only tests read. And names of types.
SILENT = re.compile(rb"(CELL_ASSERT|assert|static_assert|_Static_assert|digest_mix\w*|rlc_digest\w*)\b"
                    rb"|[A-Z][a-z]\w* = \w+\[|[A-Z]\w* = TypeVar\(|strict=True$")
LEFT_ALONE = {"comment", "type", "decorator", "assert_statement", "import_statement", "import_from_statement",
              "future_import_statement", "ERROR", "static_assert_declaration", "sizeof_expression"}


@dataclass(frozen=True)
class Change:
    """Bytes @start to @end of a source become @new."""

    start: int
    end: int
    new: bytes

    def apply(self, text: bytes) -> bytes:
        return text[:self.start] + self.new + text[self.end:]

    def lines(self, text: bytes) -> tuple[int, str, str]:
        """Return: number of the first line that changes, what it and the others were, and what they become."""
        begin = text.rfind(b"\n", 0, self.start) + 1
        end = text.find(b"\n", self.end) if b"\n" in text[self.end:] else len(text)
        new = text[begin:self.start] + self.new + text[self.end:end]
        return text.count(b"\n", 0, begin) + 1, text[begin:end].decode(), new.decode()


def changes(suffix: str, text: bytes) -> list[Change]:
    """All that the rules know for a source of that suffix, in the order of their places."""
    found = {change: None for change in _of(PARSERS[suffix].parse(text).root_node) if change.apply(text) != text}
    return sorted(found, key=lambda change: (change.start, change.end, change.new))


def functions(suffix: str, text: bytes) -> list[tuple[int, int, str]]:
    """Functions of a source: first and last byte, and name. One in another comes after it."""
    def walk(node: Node) -> Iterator[tuple[int, int, str]]:
        if node.type == "function_definition":
            yield node.start_byte, node.end_byte, _name(node)
        for child in node.children:
            yield from walk(child)

    return list(walk(PARSERS[suffix].parse(text).root_node))


def bodies(suffix: str, text: bytes) -> list[tuple[int, int]]:
    """First and last byte of what functions of a source do, without what is evaluated where they are defined."""
    def walk(node: Node) -> Iterator[tuple[int, int]]:
        body = node.child_by_field_name("body")
        if node.type == "function_definition" and body is not None:
            yield body.start_byte, body.end_byte
        for child in node.children:
            yield from walk(child)

    return list(walk(PARSERS[suffix].parse(text).root_node))


def _name(node: Node) -> str:
    """Of a function. In C it is the first identifier of the declarator, whatever the function returns and takes."""
    name = node.child_by_field_name("name")
    waiting = [node.child_by_field_name("declarator")] if name is None else []
    while waiting:
        name = waiting.pop()
        if name.type == "identifier":
            break
        waiting += reversed(name.children)
    return name.text.decode()


def _of(node: Node) -> Iterator[Change]:
    if node.type in LEFT_ALONE or SILENT.match(node.text):
        return
    for rule in (_operators, _numbers, _words, _conditions, _statements, _members):
        yield from rule(node)
    for child in node.children:
        yield from _of(child)


def _become(node: Node, *texts: str | bytes) -> Iterator[Change]:
    for text in texts:
        yield Change(node.start_byte, node.end_byte, text.encode() if isinstance(text, str) else text)


def _operators(node: Node) -> Iterator[Change]:
    if node.type in WITH_OPERATOR:
        for child in node.children:
            yield from _become(child, *OPERATORS.get(child.text.decode(), ()))
            if child.type in CONJUNCTIONS:
                yield from _become(node, child.prev_sibling.text, child.next_sibling.text)
    if node.type in ("unary_expression", "unary_operator", "not_operator"):
        yield from _become(node, node.children[-1].text)


def _numbers(node: Node) -> Iterator[Change]:
    if node.type in ("number_literal", "integer", "float"):
        text = node.text.decode()
        # A million and one is a million by what tests of a float allow. And 0.0 is 0.
        signs = ("* 2", "/ 2") if node.type == "float" and "e" in text else ("+ 1", "- 1")
        nothing = node.type == "float" and float(text) == 0
        yield from _become(node, *(() if nothing else "0"), *(f"({text} {sign})" for sign in signs))
    if node.type == "preproc_arg":
        for number in re.finditer(rb"\b\d[0-9a-fA-FxuUlL.]*\b", node.text):
            start = node.start_byte + number.start()
            for sign in (b"+", b"-"):
                yield Change(start, start + len(number[0]), b"(%s %s 1)" % (number[0], sign))


def _words(node: Node) -> Iterator[Change]:
    if not node.children:
        yield from _become(node, *WORDS.get(node.text.decode(), ()))


def _conditions(node: Node) -> Iterator[Change]:
    """A loop that never ends is found by waiting, which takes long and tells little."""
    python = node.type == "conditional_expression" and node.child_count and node.children[1].type == "if"
    condition = node.children[2] if python else node.child_by_field_name("condition")
    if condition is None:
        return
    text, no, yes, negated = condition.text.decode(), "0", "1", "!"
    if python or (node.children[-1].type in ("block", "else_clause", "elif_clause") and text[-1:] != ";"
                  and any(child.type == ":" for child in node.children)):
        no, yes, negated = "False", "True", "not "
    bracket = "({})" if condition.type == "parenthesized_expression" else "{}"
    yield from _become(condition, bracket.format(no), bracket.format(f"{negated}({text})"))
    if node.type not in LOOPS:
        yield from _become(condition, bracket.format(yes))


def _statements(node: Node) -> Iterator[Change]:
    python = node.text[-1:] != b";"
    nothing = "pass" if python else ";"
    if node.type == "expression_statement" and node.child_count and node.children[0].type not in ("string", "yield"):
        yield from _become(node, nothing)
    elif node.type == "return_statement" and node.named_child_count:
        yield from _become(node.named_children[0], *(("None",) if python else ("0", "1")))
    elif node.type in ("break_statement", "continue_statement", "raise_statement"):
        yield from _become(node, nothing)
    elif node.type == "else_clause" and not python:
        yield from _become(node, "")


def _members(node: Node) -> Iterator[Change]:
    """One that is named may be left out: of a structure, a call, a dictionary."""
    if node.type in ("initializer_pair", "keyword_argument", "pair"):
        after = node.next_sibling
        yield Change(node.start_byte, after.end_byte if after.type == "," else node.end_byte, b"")
