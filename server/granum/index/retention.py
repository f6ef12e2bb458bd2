"""Which stale rows have had their time, and how they leave the index.

A row leaves once it has been stale for some days, or when its document has changed often enough since: of each
document only those rows stay that its last so many changes left behind. All rows that went stale in one change have
the same ``stale_since``, so that changes are told apart by it. A deleted file's document leaves by age alone, with all
that hangs on it.

Every condition names ``is_stale``: whatever the clock says, a live row is never removed. Each function is part of one
transaction of the caller's, and takes a limit by which the caller keeps that short.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from granum.index import changes as sql
from granum.index.proposition_rows import last_names
from granum.index.schema import STALE_TWINS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import apsw

    from granum.index.rows import Row

_DATED = ("document", "paragraph_row", "proposition_row")
_OF_DOCUMENTS = "document_id IN (SELECT value FROM json_each(:documents))"
# through the document, whose places are few: no index leads from a paragraph to those in it
_WITHOUT_PLACES = (
    "NOT EXISTS (SELECT 1 FROM proposition_row p JOIN occurrence o ON o.proposition_id = p.id"
    " WHERE p.document_id = r.document_id AND o.paragraph_id = r.id)"
)

_EXPIRED = "r.is_stale AND r.stale_since <= :before"
_EXPIRED_PROPOSITIONS = (
    f"SELECT r.id, r.document_id, r.mentions FROM proposition r WHERE {_EXPIRED} ORDER BY r.stale_since LIMIT :limit"
)
#: A paragraph leaves after the last proposition that names it as its place.
_EXPIRED_PARAGRAPHS = (
    f"SELECT r.id, r.document_id FROM paragraph r WHERE {_EXPIRED} AND {_WITHOUT_PLACES}"
    " ORDER BY r.stale_since LIMIT :limit"
)

#: Of each document, the newest of its changes whose rows leave.
_BOUND = f"""
WITH change (document_id, at) AS (
  SELECT document_id, stale_since FROM paragraph WHERE is_stale AND {_OF_DOCUMENTS}
  UNION SELECT document_id, stale_since FROM proposition WHERE is_stale AND {_OF_DOCUMENTS}
), bound (document_id, at) AS (
  SELECT document_id, at FROM (
    SELECT document_id, at, row_number() OVER (PARTITION BY document_id ORDER BY at DESC) AS place FROM change
  ) WHERE place = :kept + 1
)
"""
_SUPERSEDED = "r.document_id = b.document_id AND r.is_stale AND r.stale_since <= b.at"
_SUPERSEDED_PROPOSITIONS = (
    f"{_BOUND} SELECT r.id, r.document_id, r.mentions FROM bound b JOIN proposition r ON {_SUPERSEDED} LIMIT :limit"
)
_SUPERSEDED_PARAGRAPHS = (
    f"{_BOUND} SELECT r.id, r.document_id FROM bound b JOIN paragraph r ON {_SUPERSEDED} AND {_WITHOUT_PLACES}"
    " LIMIT :limit"
)

#: Versions that neither a document nor a row refers to, but for the latest.
_REMOVE_VERSIONS = f"""
WITH referred (id) AS (
  SELECT version_id FROM document WHERE id IN (SELECT value FROM json_each(:documents))
  UNION SELECT version_id FROM paragraph WHERE {_OF_DOCUMENTS}
  UNION SELECT version_id FROM proposition WHERE {_OF_DOCUMENTS}
)
DELETE FROM document_version WHERE id IN (
  SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY document_id ORDER BY id DESC) AS place FROM document_version
    WHERE {_OF_DOCUMENTS} AND id NOT IN referred
  ) WHERE place > :kept LIMIT :limit
)
"""

_EXPIRED_DOCUMENTS = (
    f"SELECT r.id FROM document r WHERE {_EXPIRED}"
    " AND NOT EXISTS (SELECT 1 FROM paragraph g WHERE g.document_id = r.id)"
    " AND NOT EXISTS (SELECT 1 FROM proposition p WHERE p.document_id = r.id) LIMIT :limit"
)
#: Where a document's id may stand when its rows have left.
_PLACES_OF_DOCUMENTS = (
    ("document", "id"),
    ("document_version", "document_id"),
    ("linkage", "document_id"),
    ("linkage_name", "document_id"),
    ("linkage_source", "document_id"),
    ("linkage_source", "source_id"),
)


class Doomed(NamedTuple):
    """Rows that leave together: (id, mentions) of propositions, ids of paragraphs, and their documents' ids."""

    propositions: Sequence[tuple[int, str]]
    paragraphs: Sequence[int]
    document_ids: Collection[int]

    def __len__(self) -> int:
        return len(self.propositions) + len(self.paragraphs)


def is_due(connection: apsw.Connection, before: float, after: float) -> bool:
    """Whether anything went stale before or after those times; told by an index, without reading a row."""
    ages = " OR ".join(
        f"EXISTS (SELECT 1 FROM {table} WHERE is_stale AND stale_since {bound})"
        for table in _DATED
        for bound in ("<= :before", "> :after")
    )
    return bool(connection.execute(f"SELECT {ages}", {"before": before, "after": after}).fetchall()[0][0])


def expired(connection: apsw.Connection, before: float, limit: int) -> Doomed:
    """Rows that went stale before that time, the oldest first."""
    return _doomed(connection, (_EXPIRED_PROPOSITIONS, _EXPIRED_PARAGRAPHS), {"before": before}, limit)


def crowded(connection: apsw.Connection, document_ids: Sequence[int], kept: int) -> list[int]:
    """Those of the documents that may have more than ``kept`` superseded versions.

    Rows that went stale at one time were last live in one content, and each content has a version: with few versions
    there are few such times.
    """
    rows: list[Row] = connection.execute(
        f"SELECT document_id FROM document_version WHERE {_OF_DOCUMENTS} GROUP BY document_id HAVING count(*) > :kept",
        {"documents": json.dumps(document_ids), "kept": kept},
    ).fetchall()
    return [row[0] for row in rows]


def superseded(connection: apsw.Connection, document_ids: Sequence[int], kept: int, limit: int) -> Doomed:
    """Rows of the documents that went stale before the last ``kept`` of the changes that left rows."""
    params: dict[str, float | str] = {"documents": json.dumps(document_ids), "kept": kept}
    return _doomed(connection, (_SUPERSEDED_PROPOSITIONS, _SUPERSEDED_PARAGRAPHS), params, limit)


def remove(connection: apsw.Connection, doomed: Doomed) -> None:
    """Removes the rows, all that belongs to them, and their names as successors of rows that stay."""
    propositions = [row_id for row_id, _ in doomed.propositions]
    mentions = [(name, row_id) for row_id, text in doomed.propositions for name in last_names(text)]
    connection.executemany(sql.DELETE_MENTION, mentions)
    connection.execute(
        "DELETE FROM occurrence WHERE proposition_id IN (SELECT value FROM json_each(?))", (json.dumps(propositions),)
    )
    for layer, ids in (("proposition", propositions), ("paragraph", doomed.paragraphs)):
        if not ids:
            continue
        params = {"ids": json.dumps(ids), "documents": json.dumps(list(doomed.document_ids))}
        connection.execute(
            f"UPDATE {layer}_row SET superseded_by = NULL"
            f" WHERE {_OF_DOCUMENTS} AND superseded_by IN (SELECT value FROM json_each(:ids))",
            params,
        )
        connection.execute(
            f"DELETE FROM {layer}_row WHERE is_stale AND id IN (SELECT value FROM json_each(:ids))", params
        )
        connection.executemany(sql.fts_delete(STALE_TWINS[f"{layer}_fts"]), [(row_id,) for row_id in ids])


def remove_versions(connection: apsw.Connection, document_ids: Sequence[int], kept: int, limit: int) -> int:
    """Removes the provenance of contents that nothing refers to any more; returns of how many.

    The last ``kept`` of a document stay, so that a content that returns has its own again.
    """
    before = connection.total_changes()
    connection.execute(_REMOVE_VERSIONS, {"documents": json.dumps(document_ids), "kept": kept, "limit": limit})
    return connection.total_changes() - before


def remove_documents(connection: apsw.Connection, before: float, limit: int) -> int:
    """Removes documents whose files went before that time and whose rows have left; returns how many."""
    rows: list[Row] = connection.execute(_EXPIRED_DOCUMENTS, {"before": before, "limit": limit}).fetchall()
    ids = json.dumps([row[0] for row in rows])
    for table, column in _PLACES_OF_DOCUMENTS if rows else ():
        connection.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (ids,))
    return len(rows)


def recall(connection: apsw.Connection, now: float, after: float, limit: int) -> int:
    """Has rows go stale now that did so after a time yet to come, by a clock set back since; returns how many.

    They would be kept until that time.
    """
    before = connection.total_changes()
    for table in _DATED:
        connection.execute(
            f"UPDATE {table} SET stale_since = :now WHERE id IN"
            f" (SELECT id FROM {table} WHERE is_stale AND stale_since > :after LIMIT :limit)",
            {"now": now, "after": after, "limit": limit},
        )
    return connection.total_changes() - before


def _doomed(
    connection: apsw.Connection, statements: tuple[str, str], params: dict[str, float | str], limit: int
) -> Doomed:
    """What both statements find, paragraphs only as far as the propositions left room."""
    propositions: list[Row] = connection.execute(statements[0], {**params, "limit": limit}).fetchall()
    room = limit - len(propositions)
    paragraphs: list[Row] = connection.execute(statements[1], {**params, "limit": room}).fetchall() if room else []
    return Doomed(
        [(row[0], row[2]) for row in propositions],
        [row[0] for row in paragraphs],
        {row[1] for row in (*propositions, *paragraphs)},
    )
