"""Reading the index: snapshots that never wait for the writer, and typed queries on them.

A snapshot is one read transaction: whatever the writer commits meanwhile, its queries agree with each other. It
belongs to the thread that uses it; only ``interrupt`` may be called from another.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import apsw

from granum.index import facts, symbols, views
from granum.index.connection import open_reader
from granum.index.rows import View
from granum.model.answers import BranchScope

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from granum.index.facts import FactFilter
    from granum.index.freshness import CitedFile
    from granum.index.rows import Row
    from granum.model.answers import (
        DocumentView,
        Fact,
        LayerCounts,
        Layers,
        LensCount,
        ProblemView,
        SummaryView,
        SymbolInfo,
    )
    from granum.model.layers import Granularity

#: Idle connections kept for the next snapshots; each holds a page cache.
_KEPT = 4


def no_branches(_path: str) -> BranchScope:
    """The branch scope of every path outside git."""
    return BranchScope.GLOBAL


class Reader:
    """Hands out snapshots of an index. Safe to use from any thread.

    Connections are pooled rather than bound to threads: those of an executor come and go, and each would keep its
    connection open.
    """

    def __init__(self, index: Path | Callable[[], apsw.Connection]) -> None:
        """Opens nothing yet; ``index`` is a file, or makes connections."""
        self._connect = index if callable(index) else partial(open_reader, index)
        self._lock = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._closed = False

    @contextmanager
    def snapshot(self, *, scope_of: Callable[[str], BranchScope] = no_branches) -> Iterator[Snapshot]:
        """One read transaction. Whatever it answers is UNKNOWN in its freshness: no file is looked at here.

        Args:
            scope_of: Tells the branch scope of a path.

        Raises:
            apsw.Error: The index cannot be read.
        """
        connection = self._take()
        try:
            connection.execute("BEGIN")
            # a deferred transaction would fix its view only at the first query, which may come much later
            _touch(connection)
            yield Snapshot(connection, View(scope_of=scope_of))
        finally:
            if not connection.get_autocommit():
                connection.execute("ROLLBACK")
            self._give_back(connection)

    def close(self) -> None:
        """Closes the idle connections; those in use are closed when their snapshots end."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _take(self) -> apsw.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give_back(self, connection: apsw.Connection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.close()


def _touch(connection: apsw.Connection) -> None:
    try:
        connection.execute("SELECT 1 FROM meta LIMIT 1").fetchall()
    except apsw.SQLError as error:  # a file that was deleted is just being made again
        raise apsw.CantOpenError("it is only just being made") from error


class Snapshot:
    """The index as one transaction sees it."""

    def __init__(self, connection: apsw.Connection, view: View) -> None:
        self._connection = connection
        self._view = view

    def rows(self, sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[Row]:
        """All rows of a query, in plain tuples.

        Raises:
            apsw.InterruptError: ``interrupt`` was called meanwhile.
        """
        return self._connection.execute(sql, params).fetchall()

    def interrupt(self) -> None:
        """Stops the query that runs; safe from any thread."""
        self._connection.interrupt()

    @property
    def view(self) -> View:
        """What ``granum.index.rows`` needs to map rows of further queries."""
        return self._view

    # documents and their layers

    def cited(self, paths: Collection[str]) -> dict[str, CitedFile]:
        """What the files at these paths were when they were read; those that are not indexed are missing."""
        return views.cited(self, paths)

    def document(self, path: str) -> DocumentView | None:
        """The indexed file at this path."""
        return views.document(self, path)

    def layers(
        self,
        path: str,
        start_line: int | None = None,
        end_line: int | None = None,
        *,
        include_text: bool = False,
        include_stale: bool = False,
    ) -> Layers:
        """All rows of a document that touch the lines, in source order; a proposition once for each place."""
        return views.layers(self, path, start_line, end_line, include_text=include_text, include_stale=include_stale)

    def summary(self, path: str, granularity: Granularity, key: str) -> SummaryView | None:
        """The summary with this key; ``path`` is empty for a package, whose key is its folder."""
        return views.summary(self, path, granularity, key)

    def summary_of_document(self, path: str) -> SummaryView | None:
        """The summary of a whole file."""
        return views.summary_of_document(self, path)

    def summary_of_symbol(self, symbol: SymbolInfo) -> SummaryView | None:
        """The summary of a class, section or module; None for others."""
        return views.summary_of_symbol(self, symbol)

    def counts(self) -> LayerCounts:
        """Rows by layer."""
        return views.counts(self)

    def indexed_at(self) -> float | None:
        """When a file was last read, in seconds since the epoch; None for an empty index."""
        found: float | None = self.rows("SELECT max(indexed_at) FROM document")[0][0]
        return found

    def problems(self, path: str | None = None) -> tuple[ProblemView, ...]:
        """What is not in the index, and why; of one file, or of all."""
        return views.problems(self, path)

    # symbols

    def symbol(self, symbol_id: int) -> SymbolInfo | None:
        """The definition with this id."""
        return next(iter(self.symbol_infos((symbol_id,)).values()), None)

    def symbol_infos(self, symbol_ids: Sequence[int]) -> dict[int, SymbolInfo]:
        """The definitions with these ids, by id; those that no longer exist are missing."""
        return symbols.by_ids(self, symbol_ids)

    def local_name(self, symbol_id: int) -> tuple[int, str]:
        """The document's id of a definition, and its name within the document."""
        return symbols.local(self, symbol_id)

    def symbols_of(self, path: str) -> tuple[SymbolInfo, ...]:
        """A document's definitions, in source order."""
        return symbols.of_path(self, path)

    def symbols_in(self, document_id: int) -> tuple[SymbolInfo, ...]:
        """A document's definitions, in source order."""
        return symbols.of_document(self, document_id)

    def symbols_by_fqn(self, fqn: str) -> tuple[SymbolInfo, ...]:
        """Definitions with exactly this fully qualified name; several where a name is defined more than once."""
        return symbols.by_fqn(self, fqn)

    def symbols_named(self, partial: str, limit: int = 200) -> tuple[SymbolInfo, ...]:
        """Definitions whose fully qualified name is ``partial`` or ends with ``.partial``, by name and place."""
        return symbols.by_suffix(self, partial, limit)

    def find_symbols(self, query: str, limit: int) -> tuple[SymbolInfo, ...]:
        """Definitions whose name (or dotted name, for a dotted query) contains the query; closest first."""
        return symbols.find(self, query, limit)

    def reference_lines(self, path: str, names: Collection[str]) -> dict[tuple[str, str, str], list[int]]:
        """The lines of a document's references by these names, in source order.

        Returns:
            By kind, name and the local name of the definition around.
        """
        return symbols.reference_lines(self, path, names)

    # facts

    def facts_for_symbol(self, symbol_id: int, filter: FactFilter | None = None) -> tuple[Fact, ...]:  # noqa: A002
        """The facts about a definition, most important first.

        A function's include those of functions nested in it, a class's those of its header.
        """
        return facts.for_symbol(self, symbol_id, filter or facts.ALL)

    def mentions_of(
        self,
        names: Sequence[str],
        *,
        fqn: str = "",
        exclude_symbol: int = 0,
        exclude_document: int = 0,
        limit: int = 20,
    ) -> tuple[Fact, ...]:
        """Facts elsewhere that mention one of these names (last identifiers).

        With ``fqn``, a mention that spells more of the name comes first.
        """
        return facts.mentioning(
            self, names, fqn=fqn, exclude_symbol=exclude_symbol, exclude_document=exclude_document, limit=limit
        )

    def facts_by_id(self, proposition_ids: Sequence[int]) -> tuple[Fact, ...]:
        """These propositions at their first places, in the order asked for."""
        return facts.by_ids(self, proposition_ids)

    def lens_counts(self, path: str) -> tuple[LensCount, ...]:
        """What is known of each of a document's definitions, in source order; those without facts are left out."""
        return facts.lens_counts(self, path)
