"""From the columns of a query to the values of ``granum.model.answers``.

Each ``*_COLUMNS`` is the select list that its function maps, with the aliases d (document), v (document_version),
p (proposition), g (paragraph), o (occurrence), s (symbol), y (summary).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from granum.index.freshness import CitedFile, FileStamp
from granum.index.schema import FQN, UNIT_SEPARATOR
from granum.index.summary_body import decode_summary_body
from granum.model.answers import (
    BranchScope,
    ChunkView,
    DocumentView,
    Fact,
    ParagraphView,
    Provenance,
    SummaryView,
    SymbolInfo,
)
from granum.model.layers import (
    Freshness,
    Granularity,
    ParagraphKind,
    PropositionType,
    SourceKind,
    SourceType,
    SymbolKind,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = tuple[Any, ...]

#: What tells whether a file is still what was read, and which document it is.
CITED_COLUMNS = "d.path, d.size, d.mtime_ns, d.ctime_ns, d.inode, d.content_sha256, d.indexed_at, d.id, d.module"
VERSION_COLUMNS = "v.branch_name, v.commit_sha, v.content_sha256, v.extractor_version, v.first_seen"
DOCUMENT_COLUMNS = (
    f"{VERSION_COLUMNS}, d.path, d.content_sha256, d.size, d.id, d.language, d.source_type, d.module, d.line_count,"
    " d.eol, d.encoding"
)
SYMBOL_COLUMNS = (
    f"s.id, {FQN}, s.name, s.kind, d.path, s.start_line, s.end_line, s.name_line, s.name_column, s.name_end_column,"
    " s.signature, s.ordinal"
)
#: How many further files are counted that state the same; counting thousands would cost more than it tells.
ALSO_LIMIT = 99
#: A vanished definition has no symbol any more; its facts name it by their paragraph.
FACT_COLUMNS = (
    f"{VERSION_COLUMNS}, d.path, p.id, p.text, p.hash, p.type, p.confidence, p.source, p.mentions, p.is_stale,"
    " p.stale_since, p.superseded_by, o.start_line, o.end_line,"
    " COALESCE(s.fqn, CASE WHEN p.is_stale AND g.qualified_name <> '' THEN d.module || '.' || g.qualified_name END,"
    " ''),"
    " (SELECT count(*) FROM (SELECT 1 FROM proposition_row q WHERE q.fingerprint = p.fingerprint"
    " AND q.document_id <> p.document_id"
    f" AND NOT q.is_stale LIMIT {ALSO_LIMIT}))"
)
FACT_TABLES = (
    "proposition p JOIN document d ON d.id = p.document_id JOIN document_version v ON v.id = p.version_id"
    " JOIN occurrence o ON o.proposition_id = p.id LEFT JOIN symbol s ON s.id = o.symbol_id"
    " LEFT JOIN paragraph g ON g.id = o.paragraph_id"
)
PARAGRAPH_COLUMNS = (
    "d.path, g.id, g.kind, g.qualified_name, g.ordinal, g.start_line, g.end_line, g.section_heading, g.heading_path,"
    " g.symbol_names, g.token_count, g.summary, g.is_stale, g.stale_since, g.superseded_by"
)
SUMMARY_COLUMNS = "d.path, y.id, y.granularity, y.key, y.start_line, y.end_line, y.body"
_VERSION, _PARAGRAPH = 5, 15

_TYPES = {kind.value: kind for kind in PropositionType}
_PRECEDENCE = {kind: order for order, kind in enumerate(PropositionType)}


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What is computed when reading: the branch scope of a path.

    Whether a file is still what was read is not: of the rows that a query ranks few are shown, and looking costs.
    """

    scope_of: Callable[[str], BranchScope]

    def scope(self, path: str, *, is_stale: bool = False) -> BranchScope:
        """The branch scope of a row of this file."""
        return BranchScope.HISTORICAL if is_stale else self.scope_of(path)


def cited_file(row: Row) -> CitedFile:
    """Maps ``CITED_COLUMNS``."""
    path, size, mtime_ns, ctime_ns, inode, content, read_at, document_id, module = row
    stamp = FileStamp(size=size, mtime_ns=mtime_ns, ctime_ns=ctime_ns, inode=inode)
    return CitedFile(
        path=path, stamp=stamp, content_sha256=content, read_at=read_at, document_id=document_id, module=module
    )


def provenance(row: Row) -> Provenance:
    """Maps ``VERSION_COLUMNS``."""
    branch, commit, content, version, first_seen = row
    return Provenance(
        branch=branch, commit=commit, source_revision=content.hex(), extractor_version=version, first_seen=first_seen
    )


def document_view(row: Row, view: View) -> DocumentView:
    """Maps ``DOCUMENT_COLUMNS``."""
    path, content, size, identity, language, source_type, module, line_count, eol, encoding = row[_VERSION:]
    return DocumentView(
        id=identity,
        path=path,
        language=language,
        source_type=SourceType(source_type),
        module=module,
        content_sha256=content.hex(),
        size=size,
        line_count=line_count,
        eol=eol,
        encoding=encoding,
        branch_scope=view.scope(path),
        provenance=provenance(row[:_VERSION]),
    )


def symbol_info(row: Row) -> SymbolInfo:
    """Maps ``SYMBOL_COLUMNS``."""
    return SymbolInfo(
        id=row[0],
        fqn=row[1],
        name=row[2],
        kind=SymbolKind(row[3]),
        path=row[4],
        start_line=row[5],
        end_line=row[6],
        name_line=row[7],
        name_column=row[8],
        name_end_column=row[9],
        signature=row[10],
        ordinal=row[11],
    )


def fact(row: Row, view: View) -> Fact:
    """Maps ``FACT_COLUMNS``."""
    (
        path,
        identity,
        text,
        content,
        kind,
        confidence,
        source,
        mentions,
        is_stale,
        since,
        successor,
        start,
        end,
        symbol,
        also,
    ) = row[_VERSION:]
    stale = bool(is_stale)
    return Fact(
        id=identity,
        text=text,
        hash=content.hex(),
        type=_TYPES[kind],
        confidence=confidence,
        source=SourceKind(source),
        path=path,
        start_line=start,
        end_line=end,
        symbol=symbol,
        freshness=Freshness.STALE if stale else Freshness.UNKNOWN,
        mentions=tuple(mentions.split()),
        is_stale=stale,
        stale_since=since,
        superseded_by=successor,
        also=also,
        branch_scope=view.scope(path, is_stale=stale),
        provenance=provenance(row[:_VERSION]),
    )


def in_order(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Current before stale, then by type precedence, confidence and place."""
    return tuple(
        sorted(facts, key=lambda f: (f.is_stale, _PRECEDENCE[f.type], -f.confidence, f.path, f.start_line, f.id))
    )


def paragraph_view(row: Row) -> ParagraphView:
    """Maps ``PARAGRAPH_COLUMNS``, and the text if it follows them."""
    (
        path,
        identity,
        kind,
        name,
        ordinal,
        start,
        end,
        heading,
        headings,
        symbols,
        tokens,
        summary,
        is_stale,
        since,
        successor,
    ) = row[:_PARAGRAPH]
    return ParagraphView(
        id=identity,
        kind=ParagraphKind(kind),
        qualified_name=name,
        ordinal=ordinal,
        path=path,
        start_line=start,
        end_line=end,
        section_heading=heading,
        heading_path=tuple(headings.split(UNIT_SEPARATOR)) if headings else (),
        symbol_names=tuple(symbols.split()),
        token_count=tokens,
        summary=summary,
        freshness=Freshness.STALE if is_stale else Freshness.UNKNOWN,
        is_stale=bool(is_stale),
        stale_since=since,
        superseded_by=successor,
        text=row[_PARAGRAPH] if len(row) > _PARAGRAPH else "",
    )


def summary_view(row: Row) -> SummaryView:
    """Maps ``SUMMARY_COLUMNS``; a package has no file, and its key is its path."""
    path, identity, granularity, key, start, end, body = row
    text, purpose, symbols, duties, constraints, interactions = decode_summary_body(body)
    return SummaryView(
        id=identity,
        granularity=Granularity(granularity),
        key=key,
        path=key if path is None else path,
        start_line=start,
        end_line=end,
        summary_text=text,
        purpose=purpose,
        key_symbols=symbols,
        responsibilities=duties,
        constraints_mentioned=constraints,
        important_interactions=interactions,
    )


def chunk_view(row: Row, path: str) -> ChunkView:
    """Maps id, chunk_index, start_line, end_line and token_count."""
    return ChunkView(id=row[0], chunk_index=row[1], path=path, start_line=row[2], end_line=row[3], token_count=row[4])
