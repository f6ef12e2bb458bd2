"""The sections of a doc comment: parameters, returns, raises and admonitions, in the idioms that people use.

Google's indented sections, NumPy's underlined ones, reStructuredText's field lists and epytext's fields. What
stands in none of them is passed on as prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from granum.extract.statement import Role, Statement
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Role of each section title, in lower case; None drops the section.
SECTIONS: dict[str, Role | None] = {
    **dict.fromkeys(("args", "arguments", "parameters", "params", "attributes", "other parameters"), Role.PARAMETER),
    **dict.fromkeys(("keyword args", "keyword arguments", "keyword parameters"), Role.PARAMETER),
    **dict.fromkeys(("return", "returns", "yield", "yields", "receives"), Role.RETURNS),
    **dict.fromkeys(("raises", "raise", "throws", "exceptions", "warns"), Role.RAISES),
    **dict.fromkeys(("note", "notes", "hint", "tip", "important"), Role.NOTE),
    **dict.fromkeys(("warning", "warnings", "caution", "danger", "attention"), Role.WARNING),
    **dict.fromkeys(("deprecated", "deprecation"), Role.DEPRECATED),
    **dict.fromkeys(
        ("example", "examples", "see also", "references", "usage", "todo", "todos", "methods", "sample", "output"), None
    ),
}
_TITLES = "|".join(sorted((re.escape(title) for title in SECTIONS), key=len, reverse=True))
_HEADER = re.compile(rf"(\s*)({_TITLES})\s*:\s*$", re.IGNORECASE)
_UNDERLINED = re.compile(rf"(\s*)({_TITLES})\s*$", re.IGNORECASE)
_UNDERLINE = re.compile(r"\s*-{3,}\s*$")
_FIELD = re.compile(r"(\s*)[:@]([A-Za-z]+)(?:\s+([^:\n]*))?:(?:\s+(.*)|$)")
_FIELDS: dict[str, Role | None] = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "key", "keyword", "kwarg"), Role.PARAMETER),
    **dict.fromkeys(("var", "ivar", "cvar"), Role.PARAMETER),
    **dict.fromkeys(("return", "returns", "yield", "yields"), Role.RETURNS),
    **dict.fromkeys(("raise", "raises", "except", "exception", "throws"), Role.RAISES),
    "note": Role.NOTE,
    "warning": Role.WARNING,
    "deprecated": Role.DEPRECATED,
}
#: Fields that state no fact of their own.
_SILENT_FIELDS = frozenset(
    (
        "type",
        "rtype",
        "vartype",
        "ytype",
        "meta",
        "author",
        "authors",
        "since",
        "see",
        "module",
        "platform",
        "synopsis",
        "copyright",
        "license",
    )
)
_SOURCE, _SUMMARY, _BODY = SourceKind.DOCSTRING, Role.SUMMARY, Role.BODY
_MEMBER_FIELDS = frozenset({"var", "ivar", "cvar"})
_ENTRY = re.compile(r"(\**[\w.\-`]+(?:\s*,\s*\**[\w.`]+)*)\s*(?:\(([^()]*(?:\([^()]*\)[^()]*)*)\))?\s*:(?:\s+(.*)|$)")
_RAISE_ENTRY = re.compile(r"[:`~!\w]*?([A-Za-z_][\w.]*(?:\s*(?:,|or|\|)\s*[A-Za-z_][\w.]*)*)`?\s*:(?:\s+(.*)|$)")
_RETURN_TYPE = re.compile(r"(?:[\w.]+(?:\[[^\]]*\])?(?:\s*\|\s*[\w.\[\], ]+)*)\s*:\s+(?=\S)")


class Doc(msgspec.Struct, frozen=True, gc=False):
    """A doc comment: its dedented lines, the first one's number, and what it documents."""

    lines: Sequence[str]
    start_line: int
    symbol: str
    is_class: bool = False
    is_test: bool = False


def statements(doc: Doc) -> Iterator[Statement]:
    """The doc comment's statements in order: its prose before any section is the summary."""
    lines = doc.lines
    prose_start = 0
    role = _SUMMARY
    at = 0
    while at < len(lines):
        section = _section_at(lines, at)
        if section is None:
            at += 1
            continue
        if prose := _prose(doc, prose_start, at, role):
            yield prose
        role = _BODY
        yield from _section(doc, section)
        at = prose_start = section.end
    if prose := _prose(doc, prose_start, at, role):
        yield prose


class _Section(msgspec.Struct, frozen=True, gc=False):
    """Lines ``start``..``end`` (exclusive) of one section's content; ``inline`` stands on its title's line."""

    role: Role | None
    title: str
    start: int
    end: int
    inline: str = ""
    label: str = ""
    is_field: bool = False
    is_underlined: bool = False


def _section_at(lines: Sequence[str], at: int) -> _Section | None:
    line = lines[at]
    stripped = line.lstrip()
    if not stripped:
        return None
    if stripped[0] in ":@" and (field := _FIELD.match(line)):
        return _field(lines, at, field)
    following = lines[at + 1] if at + 1 < len(lines) else ""
    if following.lstrip().startswith("---") and _UNDERLINE.match(following) and (title := _UNDERLINED.match(line)):
        end = at + 2
        while end < len(lines) and not _is_underlined_title(lines, end):
            end += 1
        name = title.group(2).lower()
        return _Section(SECTIONS[name], name, at + 2, end, is_underlined=True)
    if stripped.rstrip().endswith(":") and (header := _HEADER.match(line)):
        end = _past_deeper(lines, at + 1, len(header.group(1)))
        if any(lines[index].strip() for index in range(at + 1, end)):
            name = header.group(2).lower()
            return _Section(SECTIONS[name], name, at + 1, end)
    return None


def _is_underlined_title(lines: Sequence[str], at: int) -> bool:
    return bool(at + 1 < len(lines) and lines[at].strip() and _UNDERLINE.match(lines[at + 1]))


def _field(lines: Sequence[str], at: int, field: re.Match[str]) -> _Section | None:
    name = field.group(2).lower()
    argument = (field.group(3) or "").strip()
    if name not in _FIELDS and name not in _SILENT_FIELDS:
        return None
    end = _past_deeper(lines, at + 1, len(field.group(1)))
    label = argument.split()[-1] if argument and _FIELDS.get(name) is Role.PARAMETER else argument
    return _Section(_FIELDS.get(name), name, at + 1, end, field.group(4) or "", label, is_field=True)


def _past_deeper(lines: Sequence[str], at: int, indent: int) -> int:
    """The first line from ``at`` on that is no deeper than ``indent``; trailing blank lines are not passed."""
    end = at
    while at < len(lines):
        line = lines[at]
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent:
                break
            end = at + 1
        at += 1
    return end


def _section(doc: Doc, section: _Section) -> Iterator[Statement]:
    role = section.role
    if role is None:
        return
    if section.is_field:
        symbol = f"{doc.symbol}.{section.label}" if section.title in _MEMBER_FIELDS and doc.symbol else doc.symbol
        content = [section.inline, *doc.lines[section.start : section.end]]
        yield from _entry(doc, role, section.label, content, section.start - 1, symbol)
    elif role in {Role.PARAMETER, Role.RAISES}:
        yield from _entries(doc, section)
    else:
        content = list(doc.lines[section.start : section.end])
        if role is Role.RETURNS:
            content = _without_type(content, is_underlined=section.is_underlined)
        yield from _entry(doc, role, "", content, section.start, doc.symbol)


def _without_type(content: list[str], *, is_underlined: bool) -> list[str]:
    """A returns section without the type that leads it; its lines keep their number."""
    first = next((index for index, line in enumerate(content) if line.strip()), 0)
    line = content[first] if content else ""
    indent = len(line) - len(line.lstrip())
    following = content[first + 1] if first + 1 < len(content) else ""
    if is_underlined and following.strip() and len(following) - len(following.lstrip()) > indent:
        content[first] = ""
    elif typed := _RETURN_TYPE.match(line.strip()):
        content[first] = line.strip()[typed.end() :]
    return content


def _entries(doc: Doc, section: _Section) -> Iterator[Statement]:
    """Each entry of a list of parameters or exceptions: a line at the list's own depth begins one."""
    lines = doc.lines[section.start : section.end]
    depth = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    starts = [index for index, line in enumerate(lines) if line.strip() and len(line) - len(line.lstrip()) == depth]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        label, first = _label(lines[start].strip(), section)
        symbol = doc.symbol
        if section.title == "attributes" and doc.is_class and label:
            symbol = f"{doc.symbol}.{label}"
        if section.role is not None:
            content = [first, *lines[start + 1 : end]]
            yield from _entry(doc, section.role, label, content, section.start + start, symbol)


def _label(line: str, section: _Section) -> tuple[str, str]:
    """An entry's name, and what follows it on its line."""
    if section.role is Role.RAISES:
        match = _RAISE_ENTRY.match(line)
        if match:
            return match.group(1), match.group(2) or ""
    elif match := _ENTRY.match(line):
        return match.group(1).strip("`"), "" if section.is_underlined else match.group(3) or ""
    elif not section.is_underlined:
        return "", line
    if section.is_underlined:
        return re.split(r"\s*[:(]", line.strip("`"), maxsplit=1)[0], ""
    return "", line


def _entry(doc: Doc, role: Role, label: str, content: Sequence[str], offset: int, symbol: str) -> Iterator[Statement]:
    lines = [line.strip() for line in content]
    while lines and not lines[-1]:
        lines.pop()
    if not any(lines):
        return
    yield Statement(
        text="\n".join(lines),
        start_line=doc.start_line + offset,
        end_line=doc.start_line + offset + len(lines) - 1,
        source=_SOURCE,
        role=role,
        symbol=symbol,
        label=label,
        is_test=doc.is_test,
    )


def _prose(doc: Doc, start: int, end: int, role: Role) -> Statement | None:
    lines = doc.lines
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start >= end:
        return None
    return Statement(
        text="\n".join(lines[start:end]),
        start_line=doc.start_line + start,
        end_line=doc.start_line + end - 1,
        source=_SOURCE,
        role=role,
        symbol=doc.symbol,
        is_test=doc.is_test,
    )


def dedented(text: str) -> list[str]:
    """The lines of a doc literal: the common indentation of all but the first is taken off; none is dropped."""
    lines = text.expandtabs(4).split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(indents, default=0)
    return [lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])]
