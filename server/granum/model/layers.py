"""The layers of a workspace's memory, as frozen values.

Coordinates everywhere in Granum's core: lines are 1-based and inclusive, columns are 0-based and count
code points. Only ``granum.lsp`` knows other coordinates.

Names inside an extraction are local to their document (``Class.method``; ``""`` is the module itself), so
that an extraction is a pure function of path, text and language. The index joins them with the module's
name into fully qualified names.

Extractions cross process borders by the hundred thousand rows: their structs are encoded as arrays, and left out of
the garbage collector's rounds (frozen values of strings and numbers form no cycles).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable


class Freshness(StrEnum):
    """Whether an answer still speaks of the source as it is now."""

    FRESH = "FRESH"
    STALE = "STALE"
    UNKNOWN = "UNKNOWN"

    @classmethod
    def worst(cls, states: Iterable[Freshness]) -> Freshness:
        """The state of a whole answer: STALE if any part is, else UNKNOWN if any is or there is none, else FRESH."""
        found = set(states)
        for state in (cls.STALE, cls.UNKNOWN):
            if state in found:
                return state
        return cls.FRESH if found else cls.UNKNOWN


class Granularity(StrEnum):
    """What a summary is about: a class or section cluster, a code file, a prose file, a folder."""

    CHUNK = "chunk"
    MODULE = "module"
    DOCUMENT = "document"
    PACKAGE = "package"


class Layer(StrEnum):
    """The searchable layers."""

    PROPOSITION = "proposition"
    PARAGRAPH = "paragraph"
    SUMMARY = "summary"
    CHUNK = "chunk"


class PropositionType(StrEnum):
    """What kind of fact a proposition states, in order of precedence when it is classified."""

    SECURITY_RULE = "security_rule"
    CONSTRAINT = "constraint"
    ARCHITECTURE = "architecture"
    DECISION = "decision"
    RISK = "risk"
    TEST_EVIDENCE = "test_evidence"
    PROCEDURE = "procedure"
    BEHAVIOR = "behavior"
    IMPLEMENTATION_DETAIL = "implementation_detail"


class SourceKind(StrEnum):
    """Where in the source a proposition stands; it weighs the confidence."""

    DOCSTRING = "docstring"
    COMMENT = "comment"
    RAISE = "raise"
    ASSERTION = "assertion"
    BULLET = "bullet"
    NUMBERED = "numbered"
    PROSE = "prose"
    TABLE = "table"
    DIRECTIVE = "directive"


class ParagraphKind(StrEnum):
    """The local unit that a paragraph is."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    MODULE = "module"
    STATEMENTS = "statements"
    SECTION = "section"


class SymbolKind(StrEnum):
    """What a name stands for."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    PROPERTY = "property"
    ATTRIBUTE = "attribute"
    VARIABLE = "variable"
    SECTION = "section"


class ReferenceKind(StrEnum):
    """How one place in the workspace refers to a symbol."""

    CALL = "call"
    IMPORT = "import"
    INHERITS = "inherits"
    MENTION = "mention"


class SourceType(StrEnum):
    """What kind of document a source is; it weighs its hits (``source_quality``)."""

    ADR = "adr"
    ARCHITECTURE_DOC = "architecture_doc"
    API_SPEC = "api_spec"
    README = "readme"
    CODE_FILE = "code_file"
    TEST_REPORT = "test_report"
    MARKDOWN = "markdown"
    CODE_COMMENT = "code_comment"
    GIT_DIFF = "git_diff"
    RUNTIME_LOG = "runtime_log"


class Paragraph(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A function, method, class header, module preamble, run of statements or heading section.

    Its key within a document is (kind, qualified_name, ordinal). ``qualified_name`` is the local name for
    code and the heading path joined by ``" > "`` for prose. ``symbol_names`` are the local names defined in
    it. ``summary`` is its first documented sentence, or empty. ``text`` is redacted source text.
    """

    kind: ParagraphKind
    qualified_name: str
    ordinal: int
    paragraph_index: int
    start_line: int
    end_line: int
    text: str
    token_count: int
    section_heading: str = ""
    heading_path: tuple[str, ...] = ()
    symbol_names: tuple[str, ...] = ()
    summary: str = ""
    tags: tuple[str, ...] = ()


class Occurrence(msgspec.Struct, frozen=True, kw_only=True, order=True, array_like=True, gc=False):
    """One place where a proposition stands.

    ``paragraph`` indexes ``Extraction.paragraphs`` (the smallest paragraph around it). ``symbol`` is the
    local name of the symbol that the fact is about, or empty for the document itself.
    """

    start_line: int
    end_line: int
    paragraph: int
    symbol: str = ""


class Proposition(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """An atomic, independently useful statement of 12 to 350 characters.

    ``hash`` is the hexadecimal sha256 of the normalised text and identifies the proposition within its
    document. ``mentions`` are names of symbols that it names, as written.
    """

    text: str
    hash: str
    type: PropositionType
    confidence: float
    source: SourceKind
    occurrences: tuple[Occurrence, ...]
    mentions: tuple[str, ...] = ()


class Chunk(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """Consecutive paragraphs (by index, inclusive) packed to about 400 tokens."""

    chunk_index: int
    first_paragraph: int
    last_paragraph: int
    start_line: int
    end_line: int
    token_count: int


class Summary(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """What a class, section cluster, file or folder is for. ``key`` identifies it among its granularity."""

    granularity: Granularity
    key: str
    start_line: int
    end_line: int
    summary_text: str
    purpose: str
    key_symbols: tuple[str, ...] = ()
    responsibilities: tuple[str, ...] = ()
    constraints_mentioned: tuple[str, ...] = ()
    important_interactions: tuple[str, ...] = ()


class Symbol(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A definition. ``start_line``..``end_line`` is the whole of it, decorators and doc comment included.

    ``type_name`` is its type as written: a function's return annotation; a variable's or attribute's annotation
    (without quotes), else the dotted name of the class or function called to make it; or empty.
    ``paragraph`` indexes ``Extraction.paragraphs``. ``ordinal`` counts equal qualified names of one kind.
    A code file has one symbol of kind module for itself, without a name: the index names it after where it lies.
    """

    name: str
    qualified_name: str
    kind: SymbolKind
    ordinal: int
    start_line: int
    end_line: int
    name_line: int
    name_column: int
    name_end_column: int
    paragraph: int
    signature: str = ""
    type_name: str = ""


class Reference(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A place that refers to a symbol by ``name``, dotted as written (``self.client.get``).

    The columns span the last identifier of the name. ``scope`` is the local name of the definition around it
    (for an inherits reference, of the class that inherits).
    ``local_type`` tells how a parameter or variable of an enclosing function binds the name's first
    identifier: empty when none does, ``"?"`` when one does whose type is not known (it then hides the
    module's names), else its annotation or the class called to make it, as written.
    """

    kind: ReferenceKind
    name: str
    line: int
    column: int
    end_column: int
    scope: str = ""
    local_type: str = ""


class Import(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A binding made by an import: ``from module import name as local`` (``level`` leading dots).

    ``name`` is empty for ``import module as local`` and ``"*"`` for a star import (``local`` empty).
    ``import a.b`` binds local ``a`` to module ``a`` and is recorded with module ``a.b``, local ``a.b``.
    """

    local: str
    module: str
    level: int
    name: str
    line: int
    scope: str = ""


class Problem(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """An expected failure of one file, told to people instead of raised."""

    code: str
    message: str
    line: int = 0


class Extraction(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """All that one document's text yields, in source order."""

    language: str
    source_type: SourceType
    line_count: int
    paragraphs: tuple[Paragraph, ...] = ()
    propositions: tuple[Proposition, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    summaries: tuple[Summary, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    problems: tuple[Problem, ...] = ()
