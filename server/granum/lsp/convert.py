"""From the engine's answers to what crosses the wire.

1-based lines become 0-based, code points the client's units, paths URIs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from granum.index.regular import read_regular
from granum.lsp import wire
from granum.text.decode import decode
from granum.text.lines import LineIndex, PositionEncoding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from granum.model import answers, retrieval

#: Files that are read for one answer to convert their columns; names in further ones are taken to stand behind ASCII.
MAX_FILES_READ = 64
MAX_BYTES_READ = 4 * 1024 * 1024


class Texts:
    """Lines of files, for converting columns: the open buffer's if there is one, else the disk's.

    Lives for one answer.
    """

    def __init__(self, open_line: Callable[[str, int], str | None]) -> None:
        self._open_line = open_line
        self._read: dict[Path, LineIndex | None] = {}

    def line(self, uri: str, path: Path, number: int) -> str | None:
        """Line ``number`` (1-based) without its end; None when the file is not at hand."""
        text = self._open_line(uri, number)
        if text is not None:
            return text
        if path not in self._read and len(self._read) < MAX_FILES_READ:
            self._read[path] = _lines_of(path)
        index = self._read.get(path)
        return None if index is None else index.line(number)


def _lines_of(path: Path) -> LineIndex | None:
    try:
        decoded = decode(read_regular(path, MAX_BYTES_READ)[1])
    except OSError:
        return None
    return LineIndex(decoded.text) if decoded is not None else None


class Translation:
    """Puts the answers of one folder in the client's terms."""

    def __init__(self, root: Path, uri_of: Callable[[str], str], texts: Texts, encoding: PositionEncoding) -> None:
        self._root = root
        self._uri_of = uri_of
        self._texts = texts
        self._encoding = encoding

    def uri(self, path: str) -> str:
        """A file as the client spells it."""
        return self._uri_of(path)

    def column(self, path: str, line: int, units: int) -> int:
        """The code point column of a column in the client's units."""
        if self._encoding is PositionEncoding.UTF32:
            return units
        text = self._line(path, line)
        return units if text is None else LineIndex(text).decode_column(1, units, self._encoding)

    def units(self, path: str, line: int, column: int) -> int:
        """The reverse: a code point column in the client's units."""
        if self._encoding is PositionEncoding.UTF32:
            return column
        text = self._line(path, line)
        return column if text is None else LineIndex(text).encode_column(1, column, self._encoding)

    def span(self, path: str, line: int, start: int, end: int) -> wire.Range:
        """A range within one line, from code point columns."""
        first, last = (self.units(path, line, column) for column in (start, end))
        row = max(line - 1, 0)
        return wire.Range(
            start=wire.Position(line=row, character=first), end=wire.Position(line=row, character=max(first, last))
        )

    def place(self, path: str, start_line: int, end_line: int) -> wire.Place:
        """Whole lines. The range ends where the next line begins, as LSP spells a range with its last line's end."""
        return wire.Place(
            uri=self._uri_of(path),
            range=wire.Range(
                start=wire.Position(line=max(start_line - 1, 0), character=0),
                end=wire.Position(line=max(end_line, start_line, 0), character=0),
            ),
            path=path,
            start_line=start_line,
            end_line=end_line,
        )

    def symbol(self, symbol: answers.SymbolInfo) -> wire.SymbolView:
        """A definition."""
        return wire.SymbolView(
            fqn=symbol.fqn,
            name=symbol.name,
            kind=symbol.kind,
            signature=symbol.signature,
            location=self.place(symbol.path, symbol.start_line, symbol.end_line),
            name_range=self.name_range(symbol),
            freshness=symbol.freshness,
        )

    def name_range(self, symbol: answers.SymbolInfo) -> wire.Range:
        """The range of a definition's name."""
        return self.span(symbol.path, symbol.name_line, symbol.name_column, symbol.name_end_column)

    def _optional_symbol(self, symbol: answers.SymbolInfo | None) -> wire.SymbolView | None:
        return None if symbol is None else self.symbol(symbol)

    def resolution(self, resolution: answers.Resolution, path: str | None) -> wire.SymbolResult:
        """What a name stands for; ``path`` is the file that holds the name, None when it was asked for by name."""
        at = None
        if path is not None and resolution.line:
            at = self.span(path, resolution.line, resolution.column, resolution.end_column)
        return wire.SymbolResult(
            name=resolution.name,
            range=at,
            is_definition=resolution.is_definition,
            symbol=self._optional_symbol(resolution.symbol),
            confidence=resolution.confidence,
            candidates=tuple(
                wire.CandidateView(symbol=self.symbol(each.symbol), confidence=each.confidence, reason=each.reason)
                for each in resolution.candidates
            ),
            freshness=resolution.freshness,
        )

    def fact(self, fact: answers.Fact) -> wire.FactView:
        """A proposition at one place."""
        return wire.FactView(
            id=fact.id,
            text=fact.text,
            hash=fact.hash,
            type=fact.type,
            confidence=fact.confidence,
            source=fact.source,
            location=self.place(fact.path, fact.start_line, fact.end_line),
            symbol=fact.symbol,
            mentions=fact.mentions,
            freshness=fact.freshness,
            is_stale=fact.is_stale,
            stale_since=fact.stale_since,
            superseded_by=fact.superseded_by,
            unsaved=fact.unsaved,
            also=fact.also,
            branch_scope=fact.branch_scope,
            provenance=provenance(fact.provenance),
        )

    def summary(self, summary: answers.SummaryView) -> wire.SummaryView:
        """A summary."""
        return wire.SummaryView(
            id=summary.id,
            granularity=summary.granularity,
            key=summary.key,
            location=self.place(summary.path, summary.start_line, summary.end_line),
            summary_text=summary.summary_text,
            purpose=summary.purpose,
            key_symbols=summary.key_symbols,
            responsibilities=summary.responsibilities,
            constraints_mentioned=summary.constraints_mentioned,
            important_interactions=summary.important_interactions,
            freshness=summary.freshness,
        )

    def edge(self, edge: answers.Edge) -> wire.EdgeView:
        """A reference."""
        return wire.EdgeView(
            kind=edge.kind,
            name=edge.name,
            source=self._optional_symbol(edge.source),
            target=self._optional_symbol(edge.target),
            location=self.place(edge.path, edge.line, edge.line),
            confidence=edge.confidence,
            freshness=edge.freshness,
        )

    def facts(self, facts: answers.Facts, path: str | None) -> wire.FactsResult:
        """What is known of a symbol."""
        return wire.FactsResult(
            focus=self.resolution(facts.resolution, path),
            facts=tuple(map(self.fact, facts.facts)),
            mentions=tuple(map(self.fact, facts.mentions)),
            summary=None if facts.summary is None else self.summary(facts.summary),
            callers=tuple(map(self.edge, facts.callers)),
            callees=tuple(map(self.edge, facts.callees)),
            freshness=facts.freshness,
        )

    def paragraph(self, paragraph: answers.ParagraphView) -> wire.ParagraphView:
        """A paragraph."""
        return wire.ParagraphView(
            id=paragraph.id,
            kind=paragraph.kind,
            qualified_name=paragraph.qualified_name,
            location=self.place(paragraph.path, paragraph.start_line, paragraph.end_line),
            section_heading=paragraph.section_heading,
            heading_path=paragraph.heading_path,
            symbol_names=paragraph.symbol_names,
            token_count=paragraph.token_count,
            summary=paragraph.summary,
            text=paragraph.text,
            freshness=paragraph.freshness,
            is_stale=paragraph.is_stale,
            stale_since=paragraph.stale_since,
            superseded_by=paragraph.superseded_by,
        )

    def chunk(self, chunk: answers.ChunkView) -> wire.ChunkView:
        """A chunk."""
        return wire.ChunkView(
            id=chunk.id,
            chunk_index=chunk.chunk_index,
            location=self.place(chunk.path, chunk.start_line, chunk.end_line),
            token_count=chunk.token_count,
            freshness=chunk.freshness,
        )

    def layers(self, layers: answers.Layers) -> wire.LayersResult:
        """All rows of a document."""
        return wire.LayersResult(
            uri=self._uri_of(layers.path),
            path=layers.path,
            document=None if layers.document is None else document(layers.document),
            paragraphs=tuple(map(self.paragraph, layers.paragraphs)),
            propositions=tuple(map(self.fact, layers.propositions)),
            chunks=tuple(map(self.chunk, layers.chunks)),
            summaries=tuple(map(self.summary, layers.summaries)),
            symbols=tuple(map(self.symbol, layers.symbols)),
            problems=tuple(
                wire.ProblemView(path=each.path, code=each.code, message=each.message, line=each.line)
                for each in layers.problems
            ),
            freshness=layers.freshness,
        )

    def hit(self, hit: retrieval.Hit) -> wire.HitView:
        """A search result."""
        return wire.HitView(
            id=hit.id,
            layer=hit.layer,
            content=hit.content,
            score=hit.score,
            score_breakdown=hit.score_breakdown,
            location=self.place(hit.path, hit.start_line, hit.end_line),
            symbol=hit.symbol,
            content_sha256=hit.content_sha256,
            commit=hit.commit,
            type=hit.type,
            confidence=hit.confidence,
            granularity=hit.granularity,
            freshness=hit.freshness,
            is_stale=hit.is_stale,
        )

    def _line(self, path: str, number: int) -> str | None:
        return self._texts.line(self._uri_of(path), self._root / path, number)


def lsp_range(span: wire.Range) -> types.Range:
    """A range as lsprotocol's."""
    return types.Range(
        start=types.Position(line=span.start.line, character=span.start.character),
        end=types.Position(line=span.end.line, character=span.end.character),
    )


def provenance(origin: answers.Provenance | None) -> wire.ProvenanceView | None:
    """Where a content was first read."""
    if origin is None:
        return None
    return wire.ProvenanceView(
        branch=origin.branch,
        commit=origin.commit,
        source_revision=origin.source_revision,
        extractor_version=origin.extractor_version,
        first_seen=origin.first_seen,
    )


def document(view: answers.DocumentView) -> wire.DocumentInfo:
    """An indexed file."""
    return wire.DocumentInfo(
        id=view.id,
        language=view.language,
        source_type=view.source_type,
        module=view.module,
        content_sha256=view.content_sha256,
        size=view.size,
        line_count=view.line_count,
        eol=view.eol,
        encoding=view.encoding,
        branch_scope=view.branch_scope,
        provenance=provenance(view.provenance),
        freshness=view.freshness,
    )


def folder_status(uri: str, status: answers.Status) -> wire.FolderStatus:
    """The state of one folder."""
    counts = status.counts
    return wire.FolderStatus(
        uri=uri,
        health=status.health,
        quiescent=status.quiescent,
        role=status.role,
        message=status.message,
        counts=wire.RowCounts(
            files=counts.files,
            paragraphs=counts.paragraphs,
            propositions=counts.propositions,
            chunks=counts.chunks,
            summaries=counts.summaries,
            symbols=counts.symbols,
            references=counts.references,
            stale=counts.stale,
        ),
        queue_length=status.queue_length,
        files_done=status.files_done,
        files_total=status.files_total,
        indexed_at=status.indexed_at,
        branch=status.branch,
        head=status.head,
        dirty=status.dirty,
        watcher=status.watcher,
        index_path=status.index_path,
        index_bytes=status.index_bytes,
        problems=status.problems,
    )


def reindexed(done: answers.Reindexed) -> wire.ReindexResult:
    """What an indexing run did."""
    return wire.ReindexResult(
        files=done.files,
        unchanged=done.unchanged,
        removed_files=done.removed_files,
        added=done.added,
        updated=done.updated,
        removed=done.removed,
        stale=done.stale,
        revived=done.revived,
        problems=done.problems,
    )
