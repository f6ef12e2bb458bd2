"""One small module a feature, and the table of what the server answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types

from granum.lsp import params, wire
from granum.lsp.features import (
    code_lens,
    configuration,
    execute_command,
    lifecycle,
    sync,
    watched_files,
    workspace_folders,
)
from granum.lsp.features.facts import facts
from granum.lsp.features.hover import hover
from granum.lsp.features.layers import layers
from granum.lsp.features.reindex import reindex
from granum.lsp.features.search import search
from granum.lsp.features.status import status
from granum.lsp.features.symbol import symbol
from granum.lsp.features.symbols import document_symbols, workspace_symbols
from granum.lsp.protocol import Notice, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    import msgspec

    from granum.lsp.reading import Reading
    from granum.lsp.server import GranumServer

P = TypeVar("P", bound="msgspec.Struct")


def read(takes: type[P], answer: Callable[[Reading, P], Any]) -> Request:
    """A request that a reader thread answers, after the lane's jobs that came before it."""

    def handle(server: GranumServer, values: P) -> Coroutine[Any, Any, Any]:
        return server.read(answer, values)

    return Request(takes, handle)


def requests() -> dict[str, Request]:
    """Who answers what."""
    return {
        types.INITIALIZE: Request(params.InitializeParams, lifecycle.initialize),
        types.SHUTDOWN: Request(params.NoParams, lifecycle.shutdown),
        types.TEXT_DOCUMENT_HOVER: read(params.PositionParams, hover),
        types.TEXT_DOCUMENT_CODE_LENS: read(params.DocumentParams, code_lens.code_lenses),
        types.CODE_LENS_RESOLVE: Request(params.CodeLensItem, code_lens.resolve),
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: read(params.DocumentParams, document_symbols),
        types.WORKSPACE_SYMBOL: read(params.WorkspaceSymbolParams, workspace_symbols),
        types.WORKSPACE_EXECUTE_COMMAND: Request(params.ExecuteCommandParams, execute_command.execute_command),
        wire.Method.FACTS.value: read(wire.FactsParams, facts),
        wire.Method.LAYERS.value: read(wire.LayersParams, layers),
        wire.Method.SYMBOL.value: read(wire.SymbolParams, symbol),
        wire.Method.SEARCH.value: read(wire.SearchParams, search),
        wire.Method.STATUS.value: read(wire.StatusParams, status),
        wire.Method.REINDEX.value: Request(wire.ReindexParams, reindex),
    }


def notices() -> dict[str, Notice]:
    """Who hears what."""
    return {
        types.INITIALIZED: Notice(params.NoParams, lifecycle.initialized),
        types.CANCEL_REQUEST: Notice(params.CancelParams, lifecycle.cancel),
        types.WINDOW_WORK_DONE_PROGRESS_CANCEL: Notice(params.ProgressCancelParams, lifecycle.cancel_progress),
        types.TEXT_DOCUMENT_DID_OPEN: Notice(params.DidOpenParams, sync.did_open),
        types.TEXT_DOCUMENT_DID_CHANGE: Notice(params.DidChangeParams, sync.did_change),
        types.TEXT_DOCUMENT_DID_SAVE: Notice(params.DocumentParams, sync.did_save),
        types.TEXT_DOCUMENT_DID_CLOSE: Notice(params.DocumentParams, sync.did_close),
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: Notice(
            params.DidChangeConfigurationParams, configuration.did_change_configuration
        ),
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: Notice(
            params.DidChangeWatchedFilesParams, watched_files.did_change_watched_files
        ),
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: Notice(
            params.DidChangeFoldersParams, workspace_folders.did_change_folders
        ),
    }
