"""What a query says, as frozen values.

Lines are 1-based; 0 means that none was given. Paths are as the query gives them, in POSIX form: they may be absolute,
relative to any folder, or a file's name alone, so that they are matched by their end.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Term(msgspec.Struct, frozen=True):
    """A word to ask the index for; distinct by casefold. A ``snake_case`` text is a phrase of its words for FTS5.

    ``is_identifier``: it looks like a name in code or stands in code. ``is_part``: the query has it only inside
    longer identifiers. ``in_title``: the title has it as a word of its own.
    """

    text: str
    weight: float
    is_identifier: bool = False
    is_part: bool = False
    in_title: bool = False


class PathMention(msgspec.Struct, frozen=True):
    """A file's path or name that the query mentions; ``end_line`` is that of a range (``#L3-L9``), else ``line``."""

    path: str
    line: int = 0
    end_line: int = 0


class TestMention(msgspec.Struct, frozen=True):
    """A test that the query names. What its form does not tell is empty: ``path`` or the dotted ``module``.

    ``name`` is dotted inside its file (``TestSession.test_expiry``), without parameters.
    """

    __test__ = False  # pytest takes every class called Test* for a collection of tests

    name: str
    path: str = ""
    module: str = ""


class Origin(StrEnum):
    """Whose code a frame is in, by its place alone."""

    WORKSPACE = "workspace"
    PACKAGE = "package"  # installed: it may still be the workspace's own, which its path tells
    RUNTIME = "runtime"  # the language's own library or machinery


class Frame(msgspec.Struct, frozen=True):
    """One call of a stack trace.

    ``path`` begins inside its package where it is an installed one. ``function`` is dotted inside its module
    (``Class.method``), ``""`` at a module's top level; closures are named after what holds them. ``module`` is what the
    trace itself names: dotted (Java, Rust) or an import path (Go), else empty.
    """

    path: str
    line: int
    function: str
    module: str = ""
    language: str = ""
    origin: Origin = Origin.WORKSPACE

    @property
    def is_foreign(self) -> bool:
        """Whether the frame is not in the workspace, as far as its place tells."""
        return self.origin is not Origin.WORKSPACE


class Message(msgspec.Struct, frozen=True):
    """What an error said.

    ``exception`` is its type as written, perhaps empty. ``fragments`` are the runs of ``text`` that its source is
    likely to hold literally: values, numbers, addresses and paths are taken out. They are in the order of the text.
    """

    exception: str
    text: str
    fragments: tuple[str, ...]


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """A query, understood. Every tuple is bounded and in the order of worth.

    ``title`` is the first line, heading or subject, ``body`` the rest, both without comments and template headings.
    ``modules`` are dotted names of two or more steps as written; ``symbols`` names that stand in code marks or are
    called, dotted (``Class.method``). ``frames``: the workspace's before the foreign ones, the innermost first.
    ``notes`` tell what was left out.
    """

    title: str = ""
    body: str = ""
    terms: tuple[Term, ...] = ()
    paths: tuple[PathMention, ...] = ()
    modules: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    tests: tuple[TestMention, ...] = ()
    frames: tuple[Frame, ...] = ()
    messages: tuple[Message, ...] = ()
    notes: tuple[str, ...] = ()
