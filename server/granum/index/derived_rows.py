"""The rows of chunks and summaries: diffed by key, nothing stale kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index import changes as sql
from granum.index.diff import by_key
from granum.index.fts import chunk_values, summary_values
from granum.index.rows import encode_summary_body

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.knowledge_rows import WrittenParagraph
    from granum.index.stored import ParagraphBody, Stored, StoredRow
    from granum.index.target import Target
    from granum.model.layers import Chunk, Summary

_CHUNKS, _SUMMARIES = "chunk_fts", "summary_fts"


def put_chunks(target: Target, stored: Stored, chunks: Sequence[Chunk], written: Sequence[WrittenParagraph]) -> None:
    """Works out the chunks' rows; what is searched of a chunk is the text of its paragraphs."""
    before = {row.place[0]: row.body for row in stored.paragraphs.values() if not row.is_stale}
    delta = by_key(stored.chunks, ((chunk.chunk_index, chunk) for chunk in chunks))
    for old, chunk in delta.kept:
        columns = _chunk_columns(chunk)
        if columns != old.columns:
            target.changes.add(sql.UPDATE_CHUNK, *columns, old.id)
        inside = _inside(chunk, written)
        if stored.module != target.module or _bodies(old, before) != [paragraph.body for paragraph in inside]:
            target.changes.add(sql.fts_delete(_CHUNKS), old.id)
            _index_chunk(target, old.id, inside)
    for chunk in delta.added:
        row_id = target.sequences.take("chunk")
        target.changes.add(sql.INSERT_CHUNK, row_id, target.document_id, chunk.chunk_index, *_chunk_columns(chunk))
        _index_chunk(target, row_id, _inside(chunk, written))
    for old in delta.vanished:
        target.changes.add(sql.DELETE_CHUNK, old.id)
        target.changes.add(sql.fts_delete(_CHUNKS), old.id)


def put_summaries(
    target: Target, stored: dict[tuple[str, str], StoredRow], before_module: str, summaries: Sequence[Summary]
) -> None:
    """Works out the summaries' rows; of equal keys the first counts."""
    distinct: dict[tuple[str, str], Summary] = {}
    for summary in summaries:
        distinct.setdefault((summary.granularity.value, summary.key), summary)
    delta = by_key(stored, ((key, (key, summary)) for key, summary in distinct.items()))
    for old, (_, summary) in delta.kept:
        columns = _summary_columns(summary)
        if columns != old.columns:
            target.changes.add(sql.UPDATE_SUMMARY, *columns, old.id)
        # the first two columns are lines, which are not searched
        if columns[2:] != old.columns[2:] or before_module != target.module:
            target.changes.add(sql.fts_delete(_SUMMARIES), old.id)
            target.changes.add(sql.fts_insert(_SUMMARIES), old.id, *summary_values(summary, target.module))
    for key, summary in delta.added:
        row_id = target.sequences.take("summary")
        target.changes.add(sql.INSERT_SUMMARY, row_id, target.document_id, *key, *_summary_columns(summary))
        target.changes.add(sql.fts_insert(_SUMMARIES), row_id, *summary_values(summary, target.module))
    for old in delta.vanished:
        target.changes.add(sql.DELETE_SUMMARY, old.id)
        target.changes.add(sql.fts_delete(_SUMMARIES), old.id)


def _chunk_columns(chunk: Chunk) -> tuple[int, ...]:
    return chunk.first_paragraph, chunk.last_paragraph, chunk.start_line, chunk.end_line, chunk.token_count


def _summary_columns(summary: Summary) -> tuple[int | str, ...]:
    return summary.start_line, summary.end_line, encode_summary_body(summary)


def _inside(chunk: Chunk, written: Sequence[WrittenParagraph]) -> Sequence[WrittenParagraph]:
    return written[chunk.first_paragraph : chunk.last_paragraph + 1]


def _bodies(old: StoredRow, before: dict[int, ParagraphBody]) -> list[ParagraphBody]:
    first, last = old.columns[:2]
    return [before[index] for index in range(first, last + 1) if index in before]


def _index_chunk(target: Target, row_id: int, paragraphs: Sequence[WrittenParagraph]) -> None:
    values = chunk_values([(paragraph.body, paragraph.parts) for paragraph in paragraphs], target.module)
    target.changes.add(sql.fts_insert(_CHUNKS), row_id, *values)
