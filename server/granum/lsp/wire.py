"""Every custom type and method on the wire; docs/protocol.md describes each and a test compares the two.

Names are camelCase on the wire, unknown fields are ignored, a missing boolean is false. An LSP ``range`` is
0-based and in the negotiated encoding; ``startLine`` and ``endLine`` beside it are 1-based and inclusive, for
people and agents.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from granum.model.answers import BranchScope, Health, Role
from granum.model.layers import (
    Freshness,
    Granularity,
    Layer,
    ParagraphKind,
    PropositionType,
    ReferenceKind,
    SourceKind,
    SourceType,
    SymbolKind,
)
from granum.model.retrieval import TaskIntent

PROTOCOL_VERSION = 1


class Method(StrEnum):
    """The custom requests."""

    FACTS = "granum/facts"
    LAYERS = "granum/layers"
    SYMBOL = "granum/symbol"
    SEARCH = "granum/search"
    STATUS = "granum/status"
    REINDEX = "granum/reindex"

    @property
    def command(self) -> str:
        """The name under which ``workspace/executeCommand`` offers the same request."""
        return self.value.replace("/", ".")


class Notification(StrEnum):
    """The custom notifications to clients that announce ``experimental.granum``."""

    STATUS = "granum/status"
    DID_REINDEX = "granum/didReindex"


Unsigned = Annotated[int, msgspec.Meta(ge=0)]
PageSize = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Offset = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
ProgressToken = int | str


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all that crosses the wire."""


class Position(Wire, frozen=True):
    """An LSP position: both 0-based, ``character`` in units of the negotiated encoding."""

    line: Unsigned
    character: Unsigned


class Range(Wire, frozen=True):
    """An LSP range; ``end`` is exclusive."""

    start: Position
    end: Position


class TextDocument(Wire, frozen=True):
    """An LSP text document identifier."""

    uri: str


# -- params -------------------------------------------------------------------------------------------------


class FactsParams(Wire, frozen=True):
    """Which symbol, by place or by name, and which of its facts."""

    text_document: TextDocument | None = None
    position: Position | None = None
    fqn: str | None = None
    types: tuple[PropositionType, ...] | None = None
    include_stale: bool = False
    include_mentions: bool = False
    folder: str | None = None


class SymbolParams(Wire, frozen=True):
    """Which symbol, by place or by the end of its name."""

    text_document: TextDocument | None = None
    position: Position | None = None
    fqn: str | None = None
    folder: str | None = None


class LayersParams(Wire, frozen=True):
    """Which document, or which lines of it."""

    text_document: TextDocument
    range: Range | None = None
    include_text: bool = False


class SearchParams(Wire, frozen=True):
    """A ranked search."""

    query: str
    task_intent: str = TaskIntent.UNKNOWN.value
    preferred_layers: tuple[Layer, ...] = ()
    proposition_types: tuple[PropositionType, ...] | None = None
    granularity: Granularity | None = None
    path_glob: str = ""
    branch_scope: BranchScope | None = None
    include_stale: bool = False
    limit: PageSize = 20
    offset: Offset = 0
    folder: str | None = None


class StatusParams(Wire, frozen=True):
    """One folder, or all."""

    folder: str | None = None


class ReindexParams(Wire, frozen=True):
    """Which files to read again; all of them without ``paths``."""

    paths: tuple[str, ...] | None = None
    force: bool = False
    folder: str | None = None
    work_done_token: ProgressToken | None = None


# -- results ------------------------------------------------------------------------------------------------


class Place(Wire, frozen=True):
    """Where something stands. A superset of an LSP location, so that an editor opens it as it is."""

    uri: str
    range: Range
    path: str
    start_line: int
    end_line: int


class SymbolView(Wire, frozen=True):
    """A definition."""

    fqn: str
    name: str
    kind: SymbolKind
    signature: str
    location: Place
    name_range: Range
    freshness: Freshness


class CandidateView(Wire, frozen=True):
    """A definition that may be meant."""

    symbol: SymbolView
    confidence: float
    reason: str


class SymbolResult(Wire, frozen=True):
    """What a name stands for: one symbol, or the candidates, best first."""

    name: str
    range: Range | None
    is_definition: bool
    symbol: SymbolView | None
    confidence: float
    candidates: tuple[CandidateView, ...]
    freshness: Freshness


class ProvenanceView(Wire, frozen=True):
    """Where a document's content was first read."""

    branch: str
    commit: str
    source_revision: str
    extractor_version: int
    first_seen: float


class FactView(Wire, frozen=True):
    """One proposition at one place."""

    id: int
    text: str
    hash: str
    type: PropositionType
    confidence: float
    source: SourceKind
    location: Place
    symbol: str
    mentions: tuple[str, ...]
    freshness: Freshness
    is_stale: bool
    stale_since: float | None
    superseded_by: int | None
    unsaved: bool
    also: int
    branch_scope: BranchScope
    provenance: ProvenanceView | None


class SummaryView(Wire, frozen=True):
    """A summary of a class, section cluster, file or folder."""

    id: int
    granularity: Granularity
    key: str
    location: Place
    summary_text: str
    purpose: str
    key_symbols: tuple[str, ...]
    responsibilities: tuple[str, ...]
    constraints_mentioned: tuple[str, ...]
    important_interactions: tuple[str, ...]
    freshness: Freshness


class EdgeView(Wire, frozen=True):
    """A reference from one definition to another."""

    kind: ReferenceKind
    name: str
    source: SymbolView | None
    target: SymbolView | None
    location: Place
    confidence: float
    freshness: Freshness


class FactsResult(Wire, frozen=True):
    """What is known of the focal symbol."""

    focus: SymbolResult
    facts: tuple[FactView, ...]
    mentions: tuple[FactView, ...]
    summary: SummaryView | None
    callers: tuple[EdgeView, ...]
    callees: tuple[EdgeView, ...]
    freshness: Freshness


class DocumentInfo(Wire, frozen=True):
    """An indexed file."""

    id: int
    language: str
    source_type: SourceType
    module: str
    content_sha256: str
    size: int
    line_count: int
    eol: str
    encoding: str
    branch_scope: BranchScope
    provenance: ProvenanceView | None
    freshness: Freshness


class ParagraphView(Wire, frozen=True):
    """A function, class header, preamble or section."""

    id: int
    kind: ParagraphKind
    qualified_name: str
    location: Place
    section_heading: str
    heading_path: tuple[str, ...]
    symbol_names: tuple[str, ...]
    token_count: int
    summary: str
    text: str
    freshness: Freshness
    is_stale: bool
    stale_since: float | None
    superseded_by: int | None


class ChunkView(Wire, frozen=True):
    """Consecutive paragraphs of about 400 tokens together."""

    id: int
    chunk_index: int
    location: Place
    token_count: int
    freshness: Freshness


class ProblemView(Wire, frozen=True):
    """Why a file, or a part of it, is not indexed. ``line`` is 1-based; 0 means the whole file."""

    path: str
    code: str
    message: str
    line: int


class LayersResult(Wire, frozen=True):
    """All rows of one document, in source order."""

    uri: str
    path: str
    document: DocumentInfo | None
    paragraphs: tuple[ParagraphView, ...]
    propositions: tuple[FactView, ...]
    chunks: tuple[ChunkView, ...]
    summaries: tuple[SummaryView, ...]
    symbols: tuple[SymbolView, ...]
    problems: tuple[ProblemView, ...]
    freshness: Freshness


class HitView(Wire, frozen=True):
    """One ranked result; the terms of ``scoreBreakdown`` sum to ``score``."""

    id: int
    layer: Layer
    content: str
    score: float
    score_breakdown: dict[str, float]
    location: Place
    symbol: str
    content_sha256: str
    commit: str
    type: PropositionType | None
    confidence: float | None
    granularity: Granularity | None
    freshness: Freshness
    is_stale: bool


class SearchResult(Wire, frozen=True):
    """Hits, best first."""

    hits: tuple[HitView, ...]
    total: int
    intent: TaskIntent
    freshness: Freshness
    notes: tuple[str, ...]


class RowCounts(Wire, frozen=True):
    """Current rows by layer, and how many stale ones are kept beside them."""

    files: int
    paragraphs: int
    propositions: int
    chunks: int
    summaries: int
    symbols: int
    references: int
    stale: int


class FolderStatus(Wire, frozen=True):
    """The state of one workspace folder."""

    uri: str
    health: Health
    quiescent: bool
    role: Role
    message: str
    counts: RowCounts
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


class StatusResult(Wire, frozen=True):
    """The server's state: the worst health of its folders, and each folder."""

    health: Health
    quiescent: bool
    message: str
    folders: tuple[FolderStatus, ...]


class ReindexResult(Wire, frozen=True):
    """What an indexing run did to files and rows."""

    files: int
    unchanged: int
    removed_files: int
    added: int
    updated: int
    removed: int
    stale: int
    revived: int
    problems: int


class DocumentReindexed(Wire, frozen=True):
    """What happened to one document's rows; ``version`` is the index's version of it."""

    uri: str
    added: int
    removed: int
    stale: int
    version: int


class DidReindexParams(Wire, frozen=True):
    """A batch of documents whose new rows are committed."""

    documents: tuple[DocumentReindexed, ...]


#: method -> its params and its result
REQUESTS: dict[Method, tuple[type[Wire], type[Wire]]] = {
    Method.FACTS: (FactsParams, FactsResult),
    Method.LAYERS: (LayersParams, LayersResult),
    Method.SYMBOL: (SymbolParams, SymbolResult),
    Method.SEARCH: (SearchParams, SearchResult),
    Method.STATUS: (StatusParams, StatusResult),
    Method.REINDEX: (ReindexParams, ReindexResult),
}

#: notification -> its params
NOTIFICATIONS: dict[Notification, type[Wire]] = {
    Notification.STATUS: StatusResult,
    Notification.DID_REINDEX: DidReindexParams,
}
