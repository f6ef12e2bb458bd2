"""Comments as statements: blocks joined, and left out what speaks to tools, is a banner, or is code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from granum.extract.statement import Role, Statement
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node

    from granum.extract.language import CodeLanguage
    from granum.extract.source import Source

_SOURCE, _ROLE = SourceKind.COMMENT, Role.COMMENT
_NO_WORD = re.compile(r"[\W\d_]*$")
#: What banners are drawn with, and how many of them begin one, alone or around a title.
_MARKS = "-=#*~_+ "
_BANNER_EDGE = 3
_BANNER_HEAD = 6
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx-|all rights reserved|\(c\) \d{4}", re.IGNORECASE)
#: Signs that a line may be code; prose seldom has one, so that few comments need a parse.
_MAY_BE_CODE = re.compile(
    r"[=(\[{]\s*$|\w\s*=\s*\S|\w\(.*\)|^\s*(?:@?\w[\w.]*\(|def |class |import |from \S+ import |return\b|raise |"
    r"if .*:$|else:|elif .*:$|for \w+ in .*:$|while .*:$|try:|except\b.*:$|with .*:$|print\b|assert |del |pass$|"
    r"@\w|[)\]}],?$)",
    re.MULTILINE,
)
_CLOSING = ")]}"
#: Licence headers stand at the top; further down the words have their usual meaning.
_HEADER_LINES = 40
#: Lines of a banner's title, at most.
_LONGEST_TITLE = 2


class Comment(msgspec.Struct, frozen=True, gc=False):
    """One comment of one line."""

    line: int
    column: int
    start: int
    end: int
    is_own_line: bool


_Line = tuple[Comment, str]


def find(source: Source, nodes: Sequence[Node]) -> list[Comment]:
    """All comments in order, a comment of several lines as one that starts on its first."""
    found = []
    for node in nodes:
        start = node.start_byte
        line, column = source.position(start)
        is_own = not source.lines[line - 1][:column].strip()
        found.append(Comment(line, column, start, node.end_byte, is_own))
    return found


def statements(
    source: Source,
    language: CodeLanguage,
    comments: Sequence[Comment],
    symbol_at: Callable[[int, bool], str],
    *,
    is_test: bool,
) -> Iterator[Statement]:
    """The comments' statements.

    Args:
        source: the text.
        language: for its markers and directives, and to tell code that is commented out.
        comments: all comments in order.
        symbol_at: the symbol that a comment at a line is about; the flag tells that it stands behind code.
        is_test: whether the file is a test.
    """
    for block in _blocks(source, language, comments):
        text = "\n".join(line for _, line in block)
        first, last = block[0][0], block[-1][0]
        if _says_nothing(text, first, language):
            continue
        following = _code_after(source, last.line)
        yield Statement(
            text=text,
            start_line=first.line,
            end_line=last.line,
            source=_SOURCE,
            role=_ROLE,
            symbol=symbol_at(last.line + 1 if first.is_own_line else first.line, not first.is_own_line),
            context=following if first.is_own_line else source.lines[first.line - 1][: first.column].strip(),
            is_test=is_test,
        )


def _blocks(source: Source, language: CodeLanguage, comments: Sequence[Comment]) -> Iterator[list[_Line]]:
    """Comments on consecutive lines at one column; a directive or a rule belongs to none and ends a block.

    A title between two rules is a banner, and no block.
    """
    block: list[_Line] = []
    is_below_rule = False
    for comment in comments:
        written = source.slice(comment.start, comment.end)
        if language.directive.match(written):
            continue
        text = _without_marker(written, language)
        last = block[-1][0] if block else None
        is_next = last is not None and comment.line == last.line + 1
        if _is_rule(text):
            if block and not (is_below_rule and is_next and len(block) <= _LONGEST_TITLE):
                yield block
            block, is_below_rule = [], True
        elif is_next and last is not None and comment.is_own_line and comment.column == last.column:
            block.append((comment, text))
        else:
            if block:
                yield block
                is_below_rule = False
            block = [(comment, text)]
    if block:
        yield block


def _without_marker(written: str, language: CodeLanguage) -> str:
    text = language.directive_tail.sub("", written)
    marker = language.comment_marker.match(text)
    text = text[marker.end() :] if marker else text
    return (text.removeprefix(" ")).rstrip()


def _says_nothing(text: str, first: Comment, language: CodeLanguage) -> bool:
    if _NO_WORD.match(text) or (first.line <= _HEADER_LINES and first.is_own_line and _LICENCE.search(text)):
        return True
    return bool(_MAY_BE_CODE.search(text)) and _is_code(text, language)


def _is_rule(line: str) -> bool:
    """Whether a line only separates: marks alone, or a title between runs of marks."""
    if line[:1].isalpha():
        return False
    if _NO_WORD.match(line):
        return len(line) > 2
    head = len(line) - len(line.lstrip(_MARKS))
    tail = len(line) - len(line.rstrip(_MARKS))
    return head >= _BANNER_HEAD or (head >= _BANNER_EDGE and tail >= _BANNER_EDGE)


def _is_code(text: str, language: CodeLanguage) -> bool:
    """Whether the text parses as statements: ``x = f(y)`` does, a sentence with brackets does not."""
    lines = [line for line in text.split("\n") if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    if _parses("\n".join(line[margin:] for line in text.split("\n")), language):
        return True
    if len(lines) == 1 and not lines[0].endswith(":"):
        return lines[0][margin] in _CLOSING  # the same text need not be parsed again
    coded = [line for line in lines if _is_code_line(line.strip(), language)]
    return len(coded) * 2 > len(lines)


def _is_code_line(line: str, language: CodeLanguage) -> bool:
    if not _MAY_BE_CODE.search(line):
        return False
    return line[0] in _CLOSING or _parses(line + " pass" if line.endswith(":") else line, language)


def _parses(text: str, language: CodeLanguage) -> bool:
    if language.prose.match(text):
        return False
    return not language.parse(text.encode(errors="replace")).root_node.has_error


def _code_after(source: Source, line: int) -> str:
    """The next line with something on it."""
    for text in source.lines[line : line + 3]:
        if text.strip():
            return text.strip()
    return ""
