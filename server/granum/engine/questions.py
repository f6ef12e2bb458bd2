"""The questions that can be asked of a workspace.

Each is answered from one snapshot of the index, and what it answers is then brought in line with what the cited
documents are now (``settle``).
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import apsw
import msgspec

from granum.engine import settle, settle_documents
from granum.engine.present import Present, Survey
from granum.engine.syntaxes import Syntaxes
from granum.extract import language_of
from granum.index import paths
from granum.index.facts import FactFilter
from granum.index.generation import CANNOT_READ, DAMAGE
from granum.model.answers import Facts, Layers, Resolution
from granum.model.cancellation import CancelToken
from granum.model.errors import CancelledRequestError, IndexUnavailableError, InvalidRequestError
from granum.model.layers import Freshness

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from granum.engine.branches import Branches
    from granum.engine.buffers import Buffers
    from granum.engine.indexing import Indexing
    from granum.extract.identify import Identifier
    from granum.index.reader import Snapshot
    from granum.model.answers import Fact, LensCount, ProblemView, Status, SymbolInfo
    from granum.model.layers import PropositionType
    from granum.model.retrieval import SearchRequest, SearchResult
    from granum.resolve import Shelf
    from granum.retrieve import DocumentOf

#: Mentions, and neighbours on either side, that an answer shows at most.
_MENTIONS = 20
_NEIGHBOURS = 20
#: Documents whose names are kept for the next question about a position, some 10 KB each.
_SHELVED = 256


class _Wanted(NamedTuple):
    filter: FactFilter
    mentions: bool
    context: bool


class Questions:
    """Answers. Each method blocks its thread for as long as its queries take; a token stops them from another."""

    def __init__(self, root: Path, branches: Branches, indexing: Indexing, buffers: Buffers) -> None:
        self.root = root
        self._branches = branches
        self._indexing = indexing
        self._buffers = buffers
        self._syntaxes = Syntaxes()
        self._present = Present(root, buffers, indexing.changed_on_disk, lambda: indexing.max_file_size)

    # symbols

    def symbol_at(self, path: str, line: int, column: int, *, token: CancelToken | None = None) -> Resolution:
        """What the name at a position stands for; the position is in the open buffer where there is one."""
        identifier = self._identifier(path, line, column)
        if identifier is None:
            return Resolution(name="")
        with self._survey(token) as survey:
            return settle.resolution(self._resolved(survey, path, identifier), survey)

    def symbol_named(self, partial: str, *, token: CancelToken | None = None) -> Resolution:
        """The symbol of this fully qualified name, or the one whose name ends with it after a dot."""
        from granum.resolve import symbol_by_name

        with self._survey(token) as survey:
            return settle.resolution(symbol_by_name(survey.snapshot, partial), survey)

    def symbols(self, path: str, *, token: CancelToken | None = None) -> tuple[SymbolInfo, ...]:
        """The definitions of a document, in source order."""
        with self._survey(token) as survey:
            return settle.definitions(path, survey)

    def find_symbols(self, query: str, limit: int, *, token: CancelToken | None = None) -> tuple[SymbolInfo, ...]:
        """Definitions whose name holds the query, the closest first."""
        with self._survey(token) as survey:
            return settle.symbols(survey.snapshot.find_symbols(query, limit), survey)

    # facts

    def facts_at(
        self,
        path: str,
        line: int,
        column: int,
        *,
        types: Sequence[PropositionType] | None = None,
        include_stale: bool = False,
        include_mentions: bool = True,
        include_context: bool = True,
        token: CancelToken | None = None,
    ) -> Facts:
        """What is known of the symbol at a position. Context is its summary, its callers and its callees."""
        wanted = _Wanted(_filter(types, include_stale), mentions=include_mentions, context=include_context)
        identifier = self._identifier(path, line, column)
        if identifier is None:
            return Facts(resolution=Resolution(name=""))
        with self._survey(token) as survey:
            return _facts(survey, self._resolved(survey, path, identifier), wanted)

    def facts_of(
        self,
        fqn: str,
        *,
        types: Sequence[PropositionType] | None = None,
        include_stale: bool = False,
        include_mentions: bool = True,
        include_context: bool = True,
        token: CancelToken | None = None,
    ) -> Facts:
        """What is known of the symbol of this name, which may be partial; context as in ``facts_at``."""
        from granum.resolve import symbol_by_name

        wanted = _Wanted(_filter(types, include_stale), mentions=include_mentions, context=include_context)
        with self._survey(token) as survey:
            return _facts(survey, symbol_by_name(survey.snapshot, fqn), wanted)

    def find_propositions(self, query: str, limit: int, *, token: CancelToken | None = None) -> tuple[Fact, ...]:
        """Propositions that match the query, best first."""
        from granum.model.layers import Layer
        from granum.model.retrieval import SearchRequest
        from granum.retrieve import search

        request = SearchRequest(query=query, preferred_layers=(Layer.PROPOSITION,), limit=limit)
        with self._survey(token) as survey:
            hits = search(survey.snapshot, request, self._document_of).hits
            found = survey.snapshot.facts_by_id([hit.id for hit in hits if hit.layer is Layer.PROPOSITION])
            return settle.facts(found, survey, of_whom=False)

    def lenses(self, path: str, *, token: CancelToken | None = None) -> tuple[LensCount, ...]:
        """Counts of facts above the definitions of a document."""
        with self._survey(token) as survey:
            return settle.lenses(path, survey)

    # documents and search

    def layers(
        self,
        path: str,
        *,
        start_line: int | None = None,
        end_line: int | None = None,
        include_text: bool = False,
        token: CancelToken | None = None,
    ) -> Layers:
        """All rows of a document, or those that touch the lines."""
        with self._survey(token) as survey:
            return settle_documents.layers(
                path, survey, start_line=start_line, end_line=end_line, include_text=include_text
            )

    def problems(self, *, token: CancelToken | None = None) -> tuple[ProblemView, ...]:
        """The files that are not in the index, or only in part, and why."""
        with self._survey(token) as survey:
            return survey.snapshot.problems()

    def search(self, request: SearchRequest, *, token: CancelToken | None = None) -> SearchResult:
        """A ranked search over the layers.

        Raises:
            InvalidRequestError: Limit or offset is out of range.
        """
        from granum.retrieve import search

        with self._survey(token) as survey:
            return settle_documents.result(search(survey.snapshot, request, self._document_of), survey)

    def status(self, *, token: CancelToken | None = None) -> Status:
        """The state of the workspace; asks git, so it takes tens of milliseconds."""
        self._branches.refresh()
        at_rest = self._indexing.is_at_rest()
        with self._survey(token) as survey:
            return self._indexing.status(survey.snapshot, at_rest=at_rest)

    # how it is done

    @contextmanager
    def _survey(self, token: CancelToken | None) -> Iterator[Survey]:
        token = token or CancelToken()
        reader = self._indexing.reader
        try:
            with (
                reader.snapshot(scope_of=self._branches.view.scope_of) as snapshot,
                token.interrupting(snapshot.interrupt),
            ):
                yield Survey(self._present, snapshot, token)
        except apsw.InterruptError as error:
            raise CancelledRequestError("the request was cancelled") from error
        except DAMAGE as error:
            self._indexing.met_damage(reader, str(error))
            raise IndexUnavailableError("The index is damaged and is being rebuilt; ask again in a moment.") from error
        except CANNOT_READ as error:
            message = f"The index cannot be read right now ({error}); ask again in a moment."
            raise IndexUnavailableError(message) from error

    def _identifier(self, path: str, line: int, column: int) -> Identifier | None:
        """The name at a position.

        Raises:
            InvalidRequestError: Line or column is out of the coordinates' range.
            NotInWorkspaceError: The path leads out of the root.
        """
        if line < 1 or column < 0:
            raise InvalidRequestError("lines count from 1 and columns from 0", "position")
        language = language_of(path)
        if language is None:
            return None
        # parsing holds the interpreter's lock: a file too large to be indexed would silence the server for seconds
        largest = self._indexing.max_file_size
        buffer = self._buffers.get(path)
        if buffer is None:
            syntax = self._syntaxes.of_file(path, paths.absolute(self.root, path), language, largest)
        elif len(buffer.text) > largest:
            return None
        else:
            syntax = self._syntaxes.of_text(path, buffer.text, language)
        return None if syntax is None else syntax.identifier_at(line, column)

    @cached_property
    def _document_of(self) -> DocumentOf:
        from granum.retrieve import DocumentOf

        return DocumentOf()

    @cached_property
    def _shelf(self) -> Shelf:
        from granum.resolve import Shelf

        return Shelf(_SHELVED)

    def _resolved(self, survey: Survey, path: str, identifier: Identifier) -> Resolution:
        from granum.resolve import resolve_identifier

        freshness, edition = survey.at(path)
        table = None if edition is None else edition.table(lambda: survey.snapshot.symbols_of(path))
        known = table is not None or freshness is not Freshness.STALE
        return resolve_identifier(survey.snapshot, path, identifier, self._shelf, table=table, lines_tell=known)


def _filter(types: Sequence[PropositionType] | None, include_stale: bool) -> FactFilter:
    return FactFilter(types=tuple(types) if types is not None else None, include_stale=include_stale)


def _facts(survey: Survey, resolution: Resolution, wanted: _Wanted) -> Facts:
    found = Facts(resolution=resolution)
    symbol = resolution.symbol
    if symbol is not None:
        found = msgspec.structs.replace(
            found,
            facts=survey.snapshot.facts_for_symbol(symbol.id, wanted.filter),
            mentions=_mentions(survey.snapshot, symbol) if wanted.mentions else (),
        )
        if wanted.context:
            found = _with_context(survey.snapshot, symbol, found)
    return settle.whole(found, survey, wanted.filter.types)


def _with_context(snapshot: Snapshot, symbol: SymbolInfo, facts: Facts) -> Facts:
    from granum.resolve import callees, callers

    return msgspec.structs.replace(
        facts,
        summary=snapshot.summary_of_symbol(symbol),
        callers=callers(snapshot, symbol.id, _NEIGHBOURS),
        callees=callees(snapshot, symbol.id, _NEIGHBOURS),
    )


def _mentions(snapshot: Snapshot, symbol: SymbolInfo) -> tuple[Fact, ...]:
    """What other documents say of a symbol; its own document's facts are its own or its neighbours'."""
    document_id, _ = snapshot.local_name(symbol.id)
    return snapshot.mentions_of(
        (symbol.name,), fqn=symbol.fqn, exclude_symbol=symbol.id, exclude_document=document_id, limit=_MENTIONS
    )
