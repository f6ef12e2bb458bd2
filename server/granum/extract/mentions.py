"""Code-marked names in prose: references from a document to what the code calls so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from granum.extract.outline import Outline, words
from granum.model.layers import Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: A role before, code between one or two marks, and what makes a link of it behind.
_MARKED = re.compile(
    r"(?=[`:])"  # fails in one step nearly everywhere
    r"(?:(?<![\w:]):([A-Za-z][\w:+.-]{0,40}):)?(?<![`\\])(`{1,2})(?![`\s])([^`\n]{1,200})\2(?!`)(_?)"
)
_NAME = re.compile(r"[~!.@$]*((?:[^\W\d]\w*(?:\.|::))*([^\W\d]\w*))\s*(?:\([^()]*\)|\(\.\.\.\))?$")
_TARGET = re.compile(r"<([^<>]+)>\s*$")
_MENTION = ReferenceKind.MENTION
#: Roles whose text is no name of code.
_OTHER_ROLES = words(
    "ref doc numref term pep rfc ticket file samp command math sub sup subscript superscript abbr guilabel cve"
    " menuselection"
    " kbd download emphasis strong title eq keyword dfn issue pr pull user commit gh source manpage mimetype"
    " newsgroup program regexp token source-reference bpo wiki commit-hash github octicon sup-sub"
)
_NO_NAMES = words(
    "true false none null nil undefined self cls this and or not in is if else for while return e i.e e.g"
)
_FILE_SUFFIXES = words(
    "py pyi txt md rst html htm css js mjs ts tsx jsx json toml cfg ini yml yaml xml csv sh bat exe sql po mo pot log"
    " zip"
    " gz tar lock png svg jpg gif pdf conf env db sqlite sqlite3 so dll c h cc cpp hpp rs go java rb php com org net"
    " io example dev"
)


def mentions(text: str, outline: Outline, scopes: Sequence[tuple[int, str]]) -> list[Reference]:
    """Every code-marked name outside code, in source order.

    Args:
        text: the document.
        outline: what its reader found.
        scopes: (first line, qualified name) of each section, by line.
    """
    found = [*_marked(text, outline.opaque), *_described(outline)]
    found.sort(key=lambda mention: (mention[1], mention[2]))
    references: list[Reference] = []
    at, scope = 0, ""
    for name, line, column, end_column in found:
        while at < len(scopes) and scopes[at][0] <= line:
            scope = scopes[at][1]
            at += 1
        references.append(
            Reference(kind=_MENTION, name=name, line=line, column=column, end_column=end_column, scope=scope)
        )
    return references


def marked_around(line: str, column: int) -> tuple[int, int] | None:
    """Where the dotted name stands whose code marks lie around a column of a line; by the same rules as mentions."""
    for match in _MARKED.finditer(line):
        if match.start(3) <= column <= match.end(3):
            named = _named(match)
            return named.span(1) if named else None
    return None


def _marked(text: str, opaque: Sequence[tuple[int, int]]) -> Iterator[tuple[str, int, int, int]]:
    line, line_start, seen, range_index = 1, 0, 0, 0
    for match in _MARKED.finditer(text):
        passed = text.count("\n", seen, match.start())
        if passed:
            line += passed
            line_start = text.rfind("\n", seen, match.start()) + 1
        seen = match.start()
        while range_index < len(opaque) and opaque[range_index][1] < line:
            range_index += 1
        if range_index < len(opaque) and opaque[range_index][0] <= line:
            continue
        named = _name(match)
        if named is not None:
            name, start, end = named
            yield name, line, start - line_start, end - line_start


def _name(match: re.Match[str]) -> tuple[str, int, int] | None:
    """The dotted name in the code, and where its last identifier stands in the text."""
    named = _named(match)
    return (named.group(1).replace("::", "."), named.start(2), named.end(2)) if named else None


def _named(match: re.Match[str]) -> re.Match[str] | None:
    """The whole dotted name (group 1) and its last identifier (group 2), where the code is nothing but a name."""
    role, _, code, link = match.groups()
    if link or (role and (role.startswith("rst:") or role.rpartition(":")[2] in _OTHER_ROLES)):
        return None
    target = _TARGET.search(code) if role else None
    begin, end = target.span(1) if target else (0, len(code))
    named = _NAME.match(match.string, match.start(3) + begin, match.start(3) + len(code[:end].rstrip()))
    if named is None or role:
        return named
    name, last = named.group(1).replace("::", "."), named.group(2)
    return None if last.lower() in _NO_NAMES or (name != last and last in _FILE_SUFFIXES) else named


def _described(outline: Outline) -> Iterator[tuple[str, int, int, int]]:
    for described in outline.objects:
        yield described.name, described.line, described.column, described.end_column
