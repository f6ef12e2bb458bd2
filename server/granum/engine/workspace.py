"""One workspace: its index, its open buffers, and the questions that can be asked of them.

All methods are safe from any thread. Reading methods block the calling thread for as long as their queries take and
accept a token, by which another thread can stop them. Paths in questions and answers are POSIX and relative to the
root.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import apsw
import msgspec

from granum.engine import overlay
from granum.engine.branches import Branches
from granum.engine.buffers import Buffers
from granum.engine.indexing import Indexing, Listeners
from granum.engine.syntaxes import Syntaxes
from granum.extract import language_of
from granum.index import paths
from granum.index.facts import FactFilter
from granum.index.freshness import FreshnessCheck
from granum.index.generation import DAMAGE
from granum.model.answers import Facts, Layers, Resolution
from granum.model.cancellation import CancelToken
from granum.model.errors import CancelledRequestError, IndexUnavailableError, InvalidRequestError
from granum.model.layers import Freshness
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from granum.extract.identify import Identifier
    from granum.index.reader import Snapshot
    from granum.model.answers import DocumentChange, Fact, LensCount, ProblemView, Reindexed, Status, SymbolInfo
    from granum.model.layers import PropositionType
    from granum.model.retrieval import SearchRequest, SearchResult
    from granum.resolve import Shelf

#: Mentions, and neighbours on either side, that an answer shows at most.
_MENTIONS = 20
_NEIGHBOURS = 20
#: Documents whose names are kept for the next question about a position, some 10 KB each.
_SHELVED = 256


class _Wanted(NamedTuple):
    filter: FactFilter
    mentions: bool
    context: bool


class Workspace:
    """Serves one root. Made by ``open``, set going by ``start``, ended by ``close``."""

    def __init__(self, root: Path, branches: Branches, indexing: Indexing) -> None:
        self.root = root
        self._branches = branches
        self._indexing = indexing
        self._buffers = Buffers()
        self._syntaxes = Syntaxes()

    @classmethod
    def open(
        cls,
        root: Path,
        settings: Settings | None = None,
        *,
        on_change: Callable[[Sequence[DocumentChange]], None] | None = None,
        on_status: Callable[[Status], None] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        index_dir: Path | None = None,
    ) -> Workspace:
        """Opens the index of ``root`` and readies its writer; nothing is scanned before ``start`` or ``reindex``.

        Args:
            root: The workspace's folder.
            settings: The user's settings; the defaults if not given.
            on_change: Told after each committed change; runs in the writer's thread, so it must be quick.
            on_status: Told, from ``start`` on, when health, queue or counts change; as quick.
            on_progress: Files done and files in all, while a scan runs.
            index_dir: Replaces the user's cache folder.

        Raises:
            NotInWorkspaceError: There is no such folder.
            IndexUnavailableError: The index can neither be opened nor rebuilt.
        """
        real = paths.real_root(root)
        branches = Branches(real)
        listeners = Listeners(on_change=on_change, on_status=on_status, on_progress=on_progress)
        return cls(real, branches, Indexing(real, settings or Settings(), branches, listeners, index_dir))

    def start(self) -> None:
        """Begins to bring the index up to date, in the background."""
        self._indexing.start()

    def close(self) -> None:
        """Stops the work and closes the index. What was committed stays; a second call does nothing."""
        self._indexing.close()

    def wait_idle(self, timeout: float) -> bool:
        """Waits until nothing is queued and nothing runs; False after ``timeout`` seconds."""
        return self._indexing.wait_idle(timeout)

    def update_settings(self, settings: Settings) -> None:
        """Takes new settings; what they include or exclude is scanned again."""
        self._indexing.update_settings(settings)

    def relative(self, path: Path) -> str:
        """The path as questions and answers spell it.

        Raises:
            NotInWorkspaceError: It lies outside the root or leads out of it.
        """
        return paths.relative(self.root, path)

    # what the editor tells

    def document_opened(self, path: Path, text: str, version: int) -> None:
        """A buffer was opened; its file is indexed before others if it is not indexed yet."""
        relative = self.relative(path)
        self._buffers.opened(relative, text, version)
        self._indexing.opened(relative)

    def document_changed(self, path: Path, text: str, version: int) -> None:
        """A buffer's text changed."""
        self._buffers.changed(self.relative(path), text, version)

    def document_saved(self, path: Path) -> Future[Reindexed]:
        """A buffer was saved; the future is done when readers see the new rows."""
        relative = self.relative(path)
        buffer = self._buffers.get(relative)
        future = self._indexing.saved(relative)
        if buffer is not None:
            # until the new rows are there, the buffer still knows better than the index
            future.add_done_callback(lambda _: self._buffers.indexed(relative, buffer.version))
        return future

    def document_closed(self, path: Path) -> None:
        """A buffer was closed; the disk speaks for the file again."""
        relative = self.relative(path)
        self._buffers.closed(relative)
        self._indexing.opened(relative)

    def reindex(
        self,
        paths: Sequence[str] | None = None,
        *,
        force: bool = False,
        progress: Callable[[int, int], None] | None = None,
        token: CancelToken | None = None,
    ) -> Reindexed:
        """Brings these files, or all, up to date; with ``force``, also those that seem unchanged. Blocks until done.

        Raises:
            CancelledRequestError: The token was cancelled; what was committed until then stays.
        """
        return self._indexing.reindex(paths, force=force, progress=progress, token=token)

    # symbols

    def symbol_at(self, path: str, line: int, column: int, *, token: CancelToken | None = None) -> Resolution:
        """What the name at a position stands for; the position is in the open buffer where there is one."""
        identifier = self._identifier(path, line, column)
        if identifier is None:
            return Resolution(name="")
        with self._snapshot(token) as snapshot:
            return self._resolved(snapshot, path, identifier)

    def symbol_named(self, partial: str, *, token: CancelToken | None = None) -> Resolution:
        """The symbol of this fully qualified name, or the one whose name ends with it after a dot."""
        from granum.resolve import symbol_by_name

        with self._snapshot(token) as snapshot:
            return symbol_by_name(snapshot, partial)

    def symbols(self, path: str, *, token: CancelToken | None = None) -> tuple[SymbolInfo, ...]:
        """The definitions of a document, in source order."""
        with self._snapshot(token) as snapshot:
            return snapshot.symbols_of(path)

    def find_symbols(self, query: str, limit: int, *, token: CancelToken | None = None) -> tuple[SymbolInfo, ...]:
        """Definitions whose name holds the query, the closest first."""
        with self._snapshot(token) as snapshot:
            return snapshot.find_symbols(query, limit)

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
        with self._snapshot(token) as snapshot:
            return self._facts(snapshot, self._resolved(snapshot, path, identifier), wanted)

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
        with self._snapshot(token) as snapshot:
            return self._facts(snapshot, symbol_by_name(snapshot, fqn), wanted)

    def find_propositions(self, query: str, limit: int, *, token: CancelToken | None = None) -> tuple[Fact, ...]:
        """Propositions that match the query, best first."""
        from granum.model.layers import Layer
        from granum.model.retrieval import SearchRequest
        from granum.retrieve import search

        request = SearchRequest(query=query, preferred_layers=(Layer.PROPOSITION,), limit=limit)
        with self._snapshot(token) as snapshot:
            hits = search(snapshot, request).hits
            return snapshot.facts_by_id([hit.id for hit in hits if hit.layer is Layer.PROPOSITION])

    def lenses(self, path: str, *, token: CancelToken | None = None) -> tuple[LensCount, ...]:
        """Counts of facts above the definitions of a document."""
        with self._snapshot(token) as snapshot:
            return snapshot.lens_counts(path)

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
        with self._snapshot(token) as snapshot:
            found = snapshot.layers(path, start_line=start_line, end_line=end_line, include_text=include_text)
        unsaved = self._buffers.unsaved(path, self._indexing.max_file_size)
        if unsaved is None:
            return found
        marked = overlay.marked(found.propositions, path, unsaved)
        return msgspec.structs.replace(found, propositions=marked, freshness=Freshness.STALE)

    def problems(self, *, token: CancelToken | None = None) -> tuple[ProblemView, ...]:
        """The files that are not in the index, or only in part, and why."""
        with self._snapshot(token) as snapshot:
            return snapshot.problems()

    def search(self, request: SearchRequest, *, token: CancelToken | None = None) -> SearchResult:
        """A ranked search over the layers.

        Raises:
            InvalidRequestError: Limit or offset is out of range.
        """
        from granum.retrieve import search

        with self._snapshot(token) as snapshot:
            return search(snapshot, request)

    def status(self, *, token: CancelToken | None = None) -> Status:
        """The state of the workspace; asks git, so it takes tens of milliseconds."""
        self._branches.refresh()
        at_rest = self._indexing.is_at_rest()
        with self._snapshot(token) as snapshot:
            return self._indexing.status(snapshot, at_rest=at_rest)

    # how it is done

    @contextmanager
    def _snapshot(self, token: CancelToken | None) -> Iterator[Snapshot]:
        token = token or CancelToken()
        check = FreshnessCheck(self.root)
        reader = self._indexing.reader
        try:
            with (
                reader.snapshot(scope_of=self._branches.view.scope_of, check=check) as snapshot,
                token.interrupting(snapshot.interrupt),
            ):
                yield snapshot
        except apsw.InterruptError as error:
            raise CancelledRequestError("the request was cancelled") from error
        except DAMAGE as error:
            self._indexing.met_damage(reader, str(error))
            raise IndexUnavailableError("The index is damaged and is being rebuilt; ask again in a moment.") from error

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
    def _shelf(self) -> Shelf:
        from granum.resolve import Shelf

        return Shelf(_SHELVED)

    def _resolved(self, snapshot: Snapshot, path: str, identifier: Identifier) -> Resolution:
        from granum.resolve import resolve_identifier

        return resolve_identifier(snapshot, path, identifier, self._shelf)

    def _facts(self, snapshot: Snapshot, resolution: Resolution, wanted: _Wanted) -> Facts:
        symbol = resolution.symbol
        if symbol is None:
            return Facts(resolution=resolution)
        facts = self._with_buffer(snapshot, snapshot.facts_for_symbol(symbol.id, wanted.filter), symbol, wanted.filter)
        mentioned = _mentions(snapshot, symbol) if wanted.mentions else ()
        shown = {fact.freshness for fact in (*facts, *mentioned) if not fact.is_stale}
        found = Facts(resolution=resolution, facts=facts, mentions=mentioned, freshness=Freshness.worst(shown))
        return _with_context(snapshot, symbol, found) if wanted.context else found

    def _with_buffer(
        self, snapshot: Snapshot, facts: tuple[Fact, ...], symbol: SymbolInfo, wanted: FactFilter
    ) -> tuple[Fact, ...]:
        """The saved facts as the open buffer leaves them, and those that only it holds."""
        unsaved = self._buffers.unsaved(symbol.path, self._indexing.max_file_size)
        if unsaved is None:
            return facts
        _, local_name = snapshot.local_name(symbol.id)
        added = overlay.added(facts, symbol, local_name, unsaved)
        return overlay.marked(facts, symbol.path, unsaved) + tuple(
            fact for fact in added if wanted.types is None or fact.type in wanted.types
        )


def _filter(types: Sequence[PropositionType] | None, include_stale: bool) -> FactFilter:
    return FactFilter(types=tuple(types) if types is not None else None, include_stale=include_stale)


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
