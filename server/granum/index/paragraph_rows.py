"""The rows of paragraphs: updated in place, gone stale, revived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index import changes as sql
from granum.index.diff import Statement, successors
from granum.index.fts import paragraph_values
from granum.index.packing import Block, packed
from granum.index.schema import STALE_TWINS
from granum.text.tokens import camel_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.document_rows import DocumentRows, ParagraphRow
    from granum.index.packing import Fields
    from granum.index.stored import Stored, StoredParagraph
    from granum.index.target import Target

_FTS, _STALE_FTS = "paragraph_fts", STALE_TWINS["paragraph_fts"]


def put_paragraphs(
    target: Target, old: Stored, old_texts: list[Fields], new: DocumentRows, new_texts: list[Fields]
) -> list[int]:
    """Works out the paragraphs' rows; returns their ids in the order of ``new``."""
    known = [old.paragraphs.get(row[:3]) for row in new.paragraphs]
    added = [index for index, found in enumerate(known) if found is None]
    taken = iter(target.sequences.take("paragraph", len(added)))
    ids = [next(taken) if found is None else found.id for found in known]
    _add(target, new, new_texts, ids, added)
    revived: list[int] = []
    for index, found in enumerate(known):
        if found is not None:
            text = old.text(old_texts, found)
            if _keep(target, found, text, new, index, new_texts[index], is_moved=old.module != target.module):
                revived.append(index)
    if len(old.paragraphs) > len(known) - len(added):
        staying = set(ids)
        vanished = [row for row in old.paragraphs.values() if row.id not in staying and not row.is_stale]
        arrived = [_statement(ids[index], new.paragraphs[index], new_texts[index]) for index in added + revived]
        stale_paragraphs(target, old, old_texts, vanished, arrived)
    return ids


def stale_paragraphs(
    target: Target,
    old: Stored,
    texts: list[Fields],
    vanished: Sequence[StoredParagraph],
    arrived: Sequence[Statement] = (),
) -> None:
    """Makes paragraphs stale, each with its evident successor among those that arrived."""
    if not vanished:
        return
    following = successors([_statement(row.id, row.row, texts[row.at]) for row in vanished], arrived)
    for row in vanished:
        text = texts[row.at]
        own = packed(Block(row.at, [text]))
        target.changes.add(sql.STALE_PARAGRAPH, own, target.now, following.get(row.id), row.id)
        target.changes.add(sql.fts_delete(_FTS), row.id)
        values = paragraph_values(row.row, text, camel_parts(text[0] or ""), old.module)
        target.changes.add(sql.fts_insert(_STALE_FTS), row.id, *values)
        target.tally.stale += 1


def _statement(row_id: int, row: ParagraphRow, text: Fields) -> Statement:
    """The paragraph among those of its kind, for finding what succeeds it."""
    return Statement(row_id, row[0], text[0] or "")


def _add(target: Target, new: DocumentRows, texts: list[Fields], ids: list[int], added: Sequence[int]) -> None:
    document_id, version, module = target.document_id, target.version_id, target.module
    rows, parts = new.paragraphs, new.paragraph_parts
    target.changes.extend(sql.INSERT_PARAGRAPH, [(ids[i], document_id, version, i, *rows[i]) for i in added])
    target.changes.extend(
        sql.fts_insert(_FTS), [(ids[i], *paragraph_values(rows[i], texts[i], parts[i], module)) for i in added]
    )
    target.tally.added += len(added)


def _keep(
    target: Target,
    old: StoredParagraph,
    old_text: Fields,
    new: DocumentRows,
    index: int,
    text: Fields,
    *,
    is_moved: bool,
) -> bool:
    """Brings a row in line; whether it was stale and is revived. ``is_moved`` when the module's name is another one."""
    row, changes = new.paragraphs[index], target.changes
    # between key and token count stand the lines
    is_other = text != old_text or (row[3:5], row[7]) != (old.row[3:5], old.row[7])
    if is_other or old.is_stale:
        changes.add(sql.REWRITE_PARAGRAPH, target.version_id, index, *row[3:], old.id)
    elif index != old.at or row != old.row:
        changes.add(sql.MOVE_PARAGRAPH, index, *row[5:7], old.id)
    if old.is_stale:
        changes.add(sql.fts_delete(_STALE_FTS), old.id)
        target.tally.revived += 1
    elif is_other:
        changes.add(sql.fts_delete(_FTS), old.id)
        target.tally.updated += 1
    elif is_moved:
        changes.add(sql.fts_delete(_FTS), old.id)
    else:
        return False
    values = paragraph_values(row, text, new.paragraph_parts[index], target.module)
    changes.add(sql.fts_insert(_FTS), old.id, *values)
    return old.is_stale
