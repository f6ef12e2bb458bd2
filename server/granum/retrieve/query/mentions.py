"""Files and names that a query mentions."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from granum.retrieve.query.links import linked_paths, without_links
from granum.retrieve.query.marks import Kind
from granum.retrieve.query.values import PathMention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from granum.retrieve.query.marks import Marked, Piece

MAX_MENTIONS = 40

_EXTENSIONS = frozenset(
    [
        "bash",
        "bat",
        "c",
        "cc",
        "cfg",
        "cjs",
        "clj",
        "cmake",
        "conf",
        "cpp",
        "cs",
        "css",
        "csv",
        "cts",
        "cu",
        "cxx",
        "dart",
        "env",
        "erl",
        "ex",
        "exs",
        "fs",
        "go",
        "gql",
        "gradle",
        "graphql",
        "groovy",
        "h",
        "hpp",
        "hs",
        "htm",
        "html",
        "hxx",
        "ini",
        "ipynb",
        "java",
        "jl",
        "js",
        "json",
        "jsx",
        "kt",
        "kts",
        "less",
        "lock",
        "lua",
        "m",
        "md",
        "mdx",
        "mjs",
        "ml",
        "mm",
        "mts",
        "php",
        "pl",
        "po",
        "pot",
        "proto",
        "ps1",
        "pxd",
        "py",
        "pyi",
        "pyx",
        "r",
        "rb",
        "rs",
        "rst",
        "sass",
        "scala",
        "scss",
        "sh",
        "sql",
        "svelte",
        "swift",
        "tex",
        "toml",
        "ts",
        "tsx",
        "txt",
        "vue",
        "xml",
        "yaml",
        "yml",
        "zig",
    ]
)
_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|=*!?“”‘’«»]{3,300}")
_PLACE = re.compile(r"(?::(\d{1,7})(?:[:-]\d{1,7})?|#L(\d{1,7})(?:-L?(\d{1,7}))?)?[:.]{0,2}\Z")
_ROOT = re.compile(r"(?:[A-Za-z]:|[\w.@+~$-]{0,120})\Z")
_STEP = re.compile(r"[\w.@+~$-]{1,120}\Z")

_NAME = r"[^\W\d]\w{0,99}"
_DOTTED = re.compile(rf"(?<![\w.@/\\-]){_NAME}(?:(?:\.|::|\#){_NAME}){{1,12}}(?![\w/\\])")
_CALLED = re.compile(rf"(?<!\w)(?:{_NAME}(?:\.|::|\#)){{0,12}}{_NAME}(?=\()")
_WHOLE_NAME = re.compile(rf"[@.~!$]?((?:{_NAME}(?:\.|::|\#)){{0,12}}{_NAME})(?:\([^()]{{0,200}}\))?\Z")
_ABBREVIATIONS = frozenset({"e.g", "i.e", "a.k.a", "vs", "etc"})
_RECEIVERS = ("self.", "this.", "cls.", "super.")
#: What looks like a call and is not one, and what is the query's own.
_DEFINED = re.compile(r"\b(?:def|class|function|func|fn|interface|struct|new class)[ \t]{1,8}\Z")
_KEYWORDS = frozenset(
    [
        "and",
        "assert",
        "async",
        "await",
        "case",
        "catch",
        "def",
        "elif",
        "else",
        "except",
        "for",
        "function",
        "if",
        "import",
        "in",
        "lambda",
        "not",
        "or",
        "print",
        "return",
        "switch",
        "throw",
        "typeof",
        "while",
        "with",
        "yield",
    ]
)


def paths(marked: Marked) -> tuple[PathMention, ...]:
    """Files mentioned by path or name, with their line; links into a repository first."""
    linked = linked_paths(marked.whole)
    plain = (found for token in _TOKEN.finditer(without_links(marked.whole)) if (found := _path(token.group())))
    first: dict[str, PathMention] = {}
    for mention in (*linked, *plain):
        if mention.line or mention.path not in first:
            known = first.get(mention.path)
            if known is None or not known.line:
                first[mention.path] = mention
    return tuple(islice(first.values(), MAX_MENTIONS))


def modules(marked: Marked) -> tuple[str, ...]:
    """Dotted names of two or more steps, those of the title first."""
    return _distinct(marked.pieces, _dotted_names)


def symbols(marked: Marked) -> tuple[str, ...]:
    """Names marked as code, called, or written ``Class.method``; the title's first, code fences' last."""
    return _distinct(sorted(marked.pieces, key=lambda piece: piece.kind is Kind.CODE), _symbols)


def _distinct(pieces: Iterable[Piece], names: Callable[[Piece], Iterable[str]]) -> tuple[str, ...]:
    found = dict.fromkeys(name for piece in pieces for name in names(piece))
    return tuple(islice(found, MAX_MENTIONS))


def _dotted_names(piece: Piece) -> Iterator[str]:
    for match in _DOTTED.finditer(piece.text):
        name = _plain(match.group())
        last = name.rpartition(".")[2]
        if "." in name and name not in _ABBREVIATIONS and last not in _EXTENSIONS:
            yield name


def _symbols(piece: Piece) -> Iterator[str]:
    if piece.kind is Kind.INLINE:
        whole = _WHOLE_NAME.match(piece.text.strip())
        if whole and not _path(piece.text.strip()):
            yield _plain(whole[1])
            return
    for match in _CALLED.finditer(piece.text):
        name = _plain(match.group())
        if name not in _KEYWORDS and not _DEFINED.search(piece.text, max(0, match.start() - 20), match.start()):
            yield name
    if piece.kind is not Kind.CODE:
        yield from (name for name in _dotted_names(piece) if any(step[0].isupper() for step in name.split(".")))


def _plain(name: str) -> str:
    """In dots alone, and without the receiver."""
    dotted = name.replace("::", ".").replace("#", ".")
    for receiver in _RECEIVERS:
        dotted = dotted.removeprefix(receiver)
    return dotted


def _path(token: str) -> PathMention | None:
    place = _PLACE.search(token)
    bare = token[: place.start()] if place else token
    steps = bare.replace("\\", "/").removeprefix("./").split("/")
    if not _ROOT.match(steps[0]) or not all(_STEP.match(step) for step in steps[1:]):
        return None
    stem, _, extension = steps[-1].rpartition(".")
    if not (stem and extension.lower() in _EXTENSIONS) and len(steps) < 3:
        return None
    line = int(place[1] or place[2] or 0) if place else 0
    end = int(place[3] or line) if place else 0
    return PathMention("/".join(steps), line, end)
