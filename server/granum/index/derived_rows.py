"""The rows of chunks, summaries and blocks of text: diffed by key, nothing stale kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index import changes as sql
from granum.index.fts import summary_values
from granum.index.schema import block_id
from granum.index.summary_body import decode_summary_body

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.document_rows import BlockRow, ChunkRow, SummaryRow
    from granum.index.packing import Fields
    from granum.index.stored import Stored
    from granum.index.target import Target

_FTS = "summary_fts"


def put_blocks(target: Target, old: Stored, blocks: Sequence[BlockRow]) -> None:
    """Works out the blocks of the document's texts."""
    document_id = target.document_id
    now = {(layer, first): packed for layer, first, packed in blocks}
    target.changes.extend(
        sql.PUT_BLOCK,
        [(block_id(document_id, *key), packed) for key, packed in now.items() if old.blocks.get(key) != packed],
    )
    gone = [(block_id(document_id, *key),) for key in old.blocks if key not in now]
    target.changes.extend(sql.DELETE_BLOCK, gone)


def put_chunks(target: Target, old: Stored, chunks: Sequence[ChunkRow]) -> None:
    """Works out the chunks' rows."""
    for (row_id, before), now in zip(old.chunks, chunks, strict=False):
        if now != before:
            target.changes.add(sql.UPDATE_CHUNK, *now, row_id)
    first = len(old.chunks)
    ids = target.sequences.take("chunk", max(len(chunks) - first, 0))
    added = enumerate(zip(ids, chunks[first:], strict=True), first)
    target.changes.extend(
        sql.INSERT_CHUNK, [(row_id, target.document_id, index, *chunk) for index, (row_id, chunk) in added]
    )
    target.changes.extend(sql.DELETE_CHUNK, [(row_id,) for row_id, _ in old.chunks[len(chunks) :]])


def put_summaries(
    target: Target,
    old: Stored,
    old_texts: list[Fields],
    summaries: Sequence[SummaryRow],
    texts: list[Fields],
    parts: Sequence[str],
) -> None:
    """Works out the summaries' rows."""
    changes = target.changes
    known = [old.summaries.get(row[:2]) for row in summaries]
    taken = iter(target.sequences.take("summary", known.count(None)))
    for index, (found, row) in enumerate(zip(known, summaries, strict=True)):
        if found is None:
            row_id = next(taken)
            changes.add(sql.INSERT_SUMMARY, row_id, target.document_id, index, *row, None)
        else:
            row_id = found.id
            if (index, row) != (found.at, found.row):
                changes.add(sql.UPDATE_SUMMARY, index, *row[2:], None, row_id)
            if texts[index] == old_texts[found.at] and old.module == target.module:
                continue
            changes.add(sql.fts_delete(_FTS), row_id)
        index_summary(target, row_id, row[1], texts[index], parts[index])
    staying = {found.id for found in known if found is not None}
    gone = [(row.id,) for row in old.summaries.values() if row.id not in staying]
    changes.extend(sql.DELETE_SUMMARY, gone)
    changes.extend(sql.fts_delete(_FTS), gone)


def index_summary(target: Target, row_id: int, key: str, text: Fields, parts: str) -> None:
    """Has a summary found."""
    values = summary_values(key, decode_summary_body(text[0] or ""), parts, target.module)
    target.changes.add(sql.fts_insert(_FTS), row_id, *values)
