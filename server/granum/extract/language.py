"""Languages as data: a folder below ``languages/`` with a spec.toml and tree-sitter query files.

Adding a language adds a folder; nothing here or in the engine names one.
"""

from __future__ import annotations

import importlib
import re
import tomllib
from collections import defaultdict
from functools import cache, cached_property
from pathlib import Path

import msgspec
from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

FOLDER = Path(__file__).parent / "languages"

#: Levels of the tree that are searched. A chain of 32,768 calls fills the cursor's pool of states, and every node
#: behind that costs a search of all of it: a file of a megabyte took minutes.
DEEPEST = 10_000

#: One match of a query: the nodes by capture name.
Match = dict[str, list[Node]]
#: The first capture that a pattern's text names.
_FIRST_CAPTURE = re.compile(rb"@([\w.]+)")


#: Indentation as a scanner sees it: a continued line's counts on.
_INDENTATION = re.compile(rb"^(?:[ \t]|\\\n)+", re.MULTILINE)
#: Fewer characters of indentation cannot make more different widths than any grammar bears.
_DEEP = b" " * 33
_INDENTING = bytes(ord(" ") if byte in b" \t\\\n" else ord(".") for byte in range(256))
_TAB = 8


def _regions(data: bytes, runs: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
    """Lines that begin with these runs of indentation, consecutive ones joined."""
    found: list[tuple[int, int]] = []
    for start, end, _ in runs:
        line_end = data.find(b"\n", end)
        stop = len(data) if line_end < 0 else line_end
        if found and found[-1][1] + 1 >= start:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((start, stop))
    return found


def _width(run: bytes) -> int:
    return run.count(b" ") + _TAB * run.count(b"\t")


class Strings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Node types of string literals and their parts. ``prefix`` matches the opening of one that may be a doc."""

    literal: tuple[str, ...]
    concatenation: tuple[str, ...]
    content: tuple[str, ...]
    placeholder: tuple[str, ...]
    prefix: str


class Definitions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How definitions speak of themselves and their types."""

    nodes: tuple[str, ...]
    class_nodes: tuple[str, ...]
    receivers: tuple[str, ...]
    constants: tuple[str, ...]
    base_call: str
    base_name: str
    property_decorators: str
    constructions: tuple[str, ...]
    transparent: tuple[str, ...]
    alternatives: tuple[str, ...]
    sequences: tuple[str, ...]
    function_values: tuple[str, ...]
    block_opener: str
    most_indentations: int


class Positions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Node types around a name under a cursor: what is a name, a member, a call, and what names no symbol."""

    identifiers: tuple[str, ...]
    members: tuple[str, ...]
    texts: tuple[str, ...]
    argument_names: tuple[str, ...]
    imports: tuple[str, ...]


class Comments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The comment marker, comments that speak to tools, and such a tail behind a real comment.

    ``prose`` matches a line's beginning with which nothing parses: to find that out by parsing is dear.
    """

    marker: str
    prose: str
    directive: str
    directive_tail: str


class Raises(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is special about exceptions: abstract methods, casts, message translation."""

    handlers: tuple[str, ...]
    abstract: tuple[str, ...]
    assertion_error: str
    casts: tuple[str, ...]
    translations: tuple[str, ...]
    message_keywords: tuple[str, ...]


class Deprecations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Calls that warn, the categories that make one a deprecation, and decorators that say so."""

    calls: str
    categories: str
    decorators: str


class Tests(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What files and functions are tests, which calls assert, and which expect something of a block."""

    path: str
    function: str
    assertion: str
    expectation: str


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One language's spec.toml. ``grammar`` is the Python package that carries the tree-sitter grammar."""

    name: str
    grammar: str
    suffixes: tuple[str, ...]
    strings: Strings
    definitions: Definitions
    positions: Positions
    comments: Comments
    raises: Raises
    deprecations: Deprecations
    tests: Tests


#: Bytes that the parser reads at a time: half a millisecond's work.
_PIECE = 4096


class CompiledQuery:
    """A query with, for each of its patterns, the value of ``#set! form``, or empty."""

    def __init__(self, language: Language, source: str) -> None:
        self._query = Query(language, source)
        patterns = range(self._query.pattern_count)
        self.forms = tuple(self._query.pattern_settings(index).get("form") or "" for index in patterns)
        self._kinds = tuple(self._kind(source.encode(), index) for index in patterns)

    def matches(self, node: Node) -> list[tuple[int, Match]]:
        """All matches below ``node`` with their patterns' indices, in source order.

        What is nested deeper than ``DEEPEST`` levels is left out.
        """
        cursor = QueryCursor(self._query)
        cursor.set_max_start_depth(DEEPEST)
        return cursor.matches(node)

    def by_kind(self, node: Node) -> defaultdict[str, list[Match]]:
        """All matches below ``node`` by the first capture in the text of each one's pattern, in source order."""
        found: defaultdict[str, list[Match]] = defaultdict(list)
        for index, match in self.matches(node):
            found[self._kinds[index]].append(match)
        return found

    def _kind(self, source: bytes, index: int) -> str:
        first = _FIRST_CAPTURE.search(source, self._query.start_byte_for_pattern(index))
        return first.group(1).decode() if first else ""


class CodeLanguage:
    """A language ready to parse: its spec, grammar, and compiled queries and patterns."""

    def __init__(self, spec: Spec, folder: Path) -> None:
        self.spec = spec
        self._folder = folder
        self._language = Language(importlib.import_module(spec.grammar).language())

    def parse(self, data: bytes) -> Tree:
        """The syntax tree of UTF-8 text; broken code gives a tree with error nodes."""
        whole = self.shallow(data)
        if len(whole) <= _PIECE:
            return Parser(self._language).parse(whole)
        # read piece by piece, which costs nothing more: between two pieces other threads may have the interpreter,
        # which a large file would else keep from them for a tenth of a second
        return Parser(self._language).parse(lambda at, _: whole[at : at + _PIECE])

    def shallow(self, data: bytes) -> bytes:
        """The text without the lines that are indented deeper than the grammar can keep track of.

        A scanner of indentation saves its stack in 1,024 bytes and writes past them: a file of 511 levels would
        end the process. The stack only grows from a width to a larger one, so a bound on the number of different
        widths bounds it in broken code too. One name of the same length stands for such lines (white space would be
        read once for every level that ends there). Byte offsets stay; without such lines the same object comes back.
        """
        most = self.spec.definitions.most_indentations
        shape = data.translate(_INDENTING)
        if not most or _DEEP not in shape:
            return data
        if b" " * most not in shape and b"\t" not in data and b"\\\n" not in data:
            return data  # of blanks alone there are no more widths than the longest has columns
        if len(set(_INDENTATION.findall(data))) <= most:
            return data
        runs = [(run.start(), run.end(), _width(run.group())) for run in _INDENTATION.finditer(data)]
        widths = sorted({width for _, _, width in runs})
        if len(widths) <= most:
            return data
        limit = widths[most - 1]
        masked = bytearray(data)
        for start, end in _regions(data, [run for run in runs if run[2] > limit]):
            margin = limit if end - start > limit else 0
            masked[start:end] = b" " * margin + b"_" * (end - start - margin)
        return bytes(masked)

    @cached_property
    def outline(self) -> CompiledQuery:
        """Definitions, texts, references and failures, in one pass."""
        return self._compiled("outline")

    @cached_property
    def guards(self) -> CompiledQuery:
        """Blocks with the condition under which they run."""
        return self._compiled("guards")

    @cached_property
    def doc_prefix(self) -> re.Pattern[str]:
        """The opening of a string literal that may be a doc."""
        return re.compile(self.spec.strings.prefix)

    @cached_property
    def directive(self) -> re.Pattern[str]:
        """A comment that speaks to a tool."""
        return re.compile(self.spec.comments.directive)

    @cached_property
    def directive_tail(self) -> re.Pattern[str]:
        """Such a comment behind a real one."""
        return re.compile(self.spec.comments.directive_tail)

    @cached_property
    def prose(self) -> re.Pattern[str]:
        """How a line begins that is no code."""
        return re.compile(self.spec.comments.prose)

    @cached_property
    def comment_marker(self) -> re.Pattern[str]:
        """What begins a comment."""
        return re.compile(self.spec.comments.marker)

    @cached_property
    def test_path(self) -> re.Pattern[str]:
        """The path of a test file."""
        return re.compile(self.spec.tests.path)

    def _compiled(self, name: str) -> CompiledQuery:
        return CompiledQuery(self._language, (self._folder / f"{name}.scm").read_text(encoding="utf-8"))


@cache
def _specs() -> dict[str, tuple[Spec, Path]]:
    found = {}
    for path in sorted(FOLDER.glob("*/spec.toml")):
        spec = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Spec)
        found[spec.name] = (spec, path.parent)
    return found


@cache
def suffixes() -> dict[str, str]:
    """Languages by file suffix, as the specs name them."""
    return {suffix: name for name, (spec, _) in _specs().items() for suffix in spec.suffixes}


@cache
def load(name: str) -> CodeLanguage | None:
    """The language of that name; None when no folder defines it."""
    found = _specs().get(name)
    return CodeLanguage(*found) if found else None
