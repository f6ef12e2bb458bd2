"""What the engine answers: frozen values that the fronts (LSP, CLI, MCP) turn into their own shapes.

Paths are POSIX and relative to the workspace's root. Lines are 1-based and inclusive, columns 0-based code
points. Each value that cites lines of a file says how fresh it is: UNKNOWN until somebody has looked at the file.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from granum.model.layers import (
    Freshness,
    Granularity,
    ParagraphKind,
    PropositionType,
    ReferenceKind,
    SourceKind,
    SourceType,
    SymbolKind,
)


class BranchScope(StrEnum):
    """How a row relates to the branch that is checked out; computed when reading."""

    CURRENT_BRANCH = "current_branch"
    MAINLINE = "mainline"
    HISTORICAL = "historical"
    GLOBAL = "global"
    INHERITED_BRANCH = "inherited_branch"


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """Where a row's content was first read. ``branch`` and ``commit`` are empty outside git."""

    branch: str
    commit: str
    source_revision: str
    extractor_version: int
    first_seen: float


class SymbolInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One definition in the workspace. ``fqn`` is its fully qualified name.

    ``ordinal`` counts those of one name and kind. ``id`` is 0 or less for one that the index has not read yet.
    """

    id: int
    fqn: str
    name: str
    kind: SymbolKind
    path: str
    start_line: int
    end_line: int
    name_line: int
    name_column: int
    name_end_column: int
    signature: str = ""
    ordinal: int = 0
    freshness: Freshness = Freshness.UNKNOWN


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A definition that a name may stand for, with how sure that is (0..1) and why, in a few words."""

    symbol: SymbolInfo
    confidence: float
    reason: str


class Resolution(msgspec.Struct, frozen=True, kw_only=True):
    """What the name at a position stands for.

    ``symbol`` is set only when one definition is clearly meant; otherwise ``candidates`` tell the choice,
    best first. ``name`` is the dotted name as written, empty where there is no name. The columns span the
    identifier under the position.
    """

    name: str
    line: int = 0
    column: int = 0
    end_column: int = 0
    is_definition: bool = False
    symbol: SymbolInfo | None = None
    confidence: float = 0.0
    candidates: tuple[Candidate, ...] = ()
    freshness: Freshness = Freshness.UNKNOWN


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """One reference between two definitions. ``source`` is None in prose outside sections."""

    kind: ReferenceKind
    source: SymbolInfo | None
    target: SymbolInfo | None
    name: str
    path: str
    line: int
    confidence: float
    freshness: Freshness = Freshness.UNKNOWN


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One proposition at one place.

    ``symbol`` is the fully qualified name that it is about. ``is_stale`` says that the index no longer holds
    it for current, ``freshness`` what a look at the file says now. ``unsaved`` marks a fact that only the
    open buffer holds. ``also`` counts further files that state the same.
    """

    id: int
    text: str
    hash: str
    type: PropositionType
    confidence: float
    source: SourceKind
    path: str
    start_line: int
    end_line: int
    symbol: str
    freshness: Freshness
    mentions: tuple[str, ...] = ()
    is_stale: bool = False
    stale_since: float | None = None
    superseded_by: int | None = None
    unsaved: bool = False
    also: int = 0
    branch_scope: BranchScope = BranchScope.GLOBAL
    provenance: Provenance | None = None


class ParagraphView(msgspec.Struct, frozen=True, kw_only=True):
    """A paragraph's row, without its text where the caller did not ask for it."""

    id: int
    kind: ParagraphKind
    qualified_name: str
    path: str
    start_line: int
    end_line: int
    section_heading: str
    heading_path: tuple[str, ...]
    symbol_names: tuple[str, ...]
    token_count: int
    summary: str
    ordinal: int = 0
    freshness: Freshness = Freshness.UNKNOWN
    is_stale: bool = False
    stale_since: float | None = None
    superseded_by: int | None = None
    text: str = ""


class SummaryView(msgspec.Struct, frozen=True, kw_only=True):
    """A summary's row."""

    id: int
    granularity: Granularity
    key: str
    path: str
    start_line: int
    end_line: int
    summary_text: str
    purpose: str
    key_symbols: tuple[str, ...]
    responsibilities: tuple[str, ...]
    constraints_mentioned: tuple[str, ...]
    important_interactions: tuple[str, ...]
    freshness: Freshness = Freshness.UNKNOWN


class ChunkView(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk's row: a span over paragraphs."""

    id: int
    chunk_index: int
    path: str
    start_line: int
    end_line: int
    token_count: int
    freshness: Freshness = Freshness.UNKNOWN


class ProblemView(msgspec.Struct, frozen=True, kw_only=True):
    """Why a file, or a part of it, is not in the index."""

    path: str
    code: str
    message: str
    line: int = 0


class DocumentView(msgspec.Struct, frozen=True, kw_only=True):
    """An indexed file."""

    id: int
    path: str
    language: str
    source_type: SourceType
    module: str
    content_sha256: str
    size: int
    line_count: int
    eol: str
    encoding: str
    branch_scope: BranchScope
    provenance: Provenance | None
    freshness: Freshness = Freshness.UNKNOWN


class Layers(msgspec.Struct, frozen=True, kw_only=True):
    """All rows of one document, in source order. ``document`` is None for a file that is not indexed."""

    path: str
    document: DocumentView | None
    paragraphs: tuple[ParagraphView, ...] = ()
    propositions: tuple[Fact, ...] = ()
    chunks: tuple[ChunkView, ...] = ()
    summaries: tuple[SummaryView, ...] = ()
    symbols: tuple[SymbolInfo, ...] = ()
    problems: tuple[ProblemView, ...] = ()
    freshness: Freshness = Freshness.UNKNOWN


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the focal symbol: its own facts, and statements elsewhere that mention it.

    The callers of a module are those who import it.
    """

    resolution: Resolution
    facts: tuple[Fact, ...] = ()
    mentions: tuple[Fact, ...] = ()
    summary: SummaryView | None = None
    callers: tuple[Edge, ...] = ()
    callees: tuple[Edge, ...] = ()
    freshness: Freshness = Freshness.UNKNOWN


class LensCount(msgspec.Struct, frozen=True, kw_only=True):
    """Counts above one definition."""

    symbol: SymbolInfo
    rules: int
    risks: int
    tests: int
    facts: int


class LayerCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by layer; ``stale`` counts stale paragraphs and propositions, which the others leave out."""

    files: int = 0
    paragraphs: int = 0
    propositions: int = 0
    chunks: int = 0
    summaries: int = 0
    symbols: int = 0
    references: int = 0
    stale: int = 0


class Health(StrEnum):
    """Whether the workspace is served as promised."""

    STARTING = "starting"
    INDEXING = "indexing"
    READY = "ready"
    DEGRADED = "degraded"


class Role(StrEnum):
    """What a process is to the index of a workspace: the one that writes it, or one of those that only read it."""

    INDEXER = "indexer"
    READER = "reader"


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one workspace. ``quiescent`` means: nothing queued, nothing running."""

    root: str
    health: Health
    quiescent: bool
    role: Role
    message: str
    counts: LayerCounts
    queue_length: int
    files_done: int
    files_total: int
    indexed_at: float | None
    branch: str
    head: str
    dirty: bool
    watcher: str
    index_path: str
    index_bytes: int
    problems: int


class Reindexed(msgspec.Struct, frozen=True, kw_only=True):
    """What one indexing run did to the rows."""

    files: int = 0
    unchanged: int = 0
    removed_files: int = 0
    added: int = 0
    updated: int = 0
    removed: int = 0
    stale: int = 0
    revived: int = 0
    problems: int = 0

    def __add__(self, other: Reindexed) -> Reindexed:
        """What both runs did together."""
        return Reindexed(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})


class DocumentChange(msgspec.Struct, frozen=True, kw_only=True):
    """Told after a document's transaction is committed. Counts are rows of paragraphs and propositions."""

    path: str
    added: int
    removed: int
    stale: int
    version: int
