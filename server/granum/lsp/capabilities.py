"""What the client can do, resolved once; and what the server offers in return.

Features ask these flags and never the client's own structure. A capability of a wrong shape counts as absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol import types

from granum.lsp import wire
from granum.text.lines import PositionEncoding

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFERRED_ENCODINGS = (PositionEncoding.UTF8, PositionEncoding.UTF32, PositionEncoding.UTF16)


class ClientFlags(msgspec.Struct, frozen=True, kw_only=True):
    """The client's capabilities, as far as Granum cares. The defaults are those of a client that says nothing."""

    encoding: PositionEncoding = PositionEncoding.UTF16
    hover_markdown: bool = False
    hierarchical_symbols: bool = False
    code_lens_refresh: bool = False
    work_done_progress: bool = False
    configuration: bool = False
    register_configuration: bool = False
    register_watched_files: bool = False
    workspace_folders: bool = False
    custom: bool = False


def client_flags(capabilities: Mapping[str, Any]) -> ClientFlags:
    """Reads ``InitializeParams.capabilities``."""
    return ClientFlags(
        encoding=_encoding(_at(capabilities, "general.positionEncodings")),
        hover_markdown=_prefers_markdown(_at(capabilities, "textDocument.hover.contentFormat")),
        hierarchical_symbols=_yes(capabilities, "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"),
        code_lens_refresh=_yes(capabilities, "workspace.codeLens.refreshSupport"),
        work_done_progress=_yes(capabilities, "window.workDoneProgress"),
        configuration=_yes(capabilities, "workspace.configuration"),
        register_configuration=_yes(capabilities, "workspace.didChangeConfiguration.dynamicRegistration"),
        register_watched_files=_yes(capabilities, "workspace.didChangeWatchedFiles.dynamicRegistration"),
        workspace_folders=_yes(capabilities, "workspace.workspaceFolders"),
        custom=_at(capabilities, "experimental.granum") not in (None, False),
    )


def server_capabilities(flags: ClientFlags) -> types.ServerCapabilities:
    """What the server offers to such a client."""
    return types.ServerCapabilities(
        position_encoding=types.PositionEncodingKind(flags.encoding.value),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True,
            change=types.TextDocumentSyncKind.Incremental,
            save=types.SaveOptions(include_text=False),
        ),
        hover_provider=True,
        code_lens_provider=types.CodeLensOptions(resolve_provider=True),
        document_symbol_provider=types.DocumentSymbolOptions(label="Granum"),
        workspace_symbol_provider=True,
        execute_command_provider=types.ExecuteCommandOptions(commands=[method.command for method in wire.Method]),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True)
        ),
        experimental={
            "granum": {"protocolVersion": wire.PROTOCOL_VERSION, "methods": [method.value for method in wire.Method]}
        },
    )


def _at(capabilities: object, path: str) -> object:
    for name in path.split("."):
        if not isinstance(capabilities, dict):
            return None
        capabilities = capabilities.get(name)
    return capabilities


def _yes(capabilities: Mapping[str, Any], path: str) -> bool:
    return _at(capabilities, path) is True


def _encoding(offered: object) -> PositionEncoding:
    if isinstance(offered, list):
        for encoding in PREFERRED_ENCODINGS:
            if encoding.value in offered:
                return encoding
    return PositionEncoding.UTF16


def _prefers_markdown(formats: object) -> bool:
    """The client lists formats in its order of preference; whoever lists none gets plain text, which all can show."""
    return isinstance(formats, list) and bool(formats) and formats[0] == types.MarkupKind.Markdown.value
