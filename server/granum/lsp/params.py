"""The params of the standard methods that Granum serves: only the fields that it reads, decoded strictly.

lsprotocol's own converter takes 3 for the URI ``"3"`` and names wrong fields in Python's spelling; these types
refuse it and say ``textDocument.uri``. What goes out is lsprotocol's.
"""

from __future__ import annotations

from typing import Any

import msgspec

from granum.lsp.wire import Position, ProgressToken, Range, TextDocument, Wire


class FolderItem(Wire, frozen=True):
    """A workspace folder."""

    uri: str
    name: str = ""


class ClientInfo(Wire, frozen=True):
    """Who speaks to the server; for the log."""

    name: str = ""
    version: str | None = None


class InitializeParams(Wire, frozen=True):
    """``initialize``. ``capabilities`` stay untyped: an odd one must not refuse the client."""

    process_id: int | None = None
    client_info: ClientInfo | None = None
    root_uri: str | None = None
    root_path: str | None = None
    workspace_folders: tuple[FolderItem, ...] | None = None
    capabilities: dict[str, Any] = msgspec.field(default_factory=dict)
    initialization_options: Any = None


class NoParams(Wire, frozen=True):
    """Methods that take nothing; whatever comes with them is ignored."""


class CancelParams(Wire, frozen=True):
    """``$/cancelRequest``."""

    id: int | str


class OpenedDocument(Wire, frozen=True):
    """A document's whole content."""

    uri: str
    version: int
    text: str
    language_id: str = ""


class DidOpenParams(Wire, frozen=True):
    """``textDocument/didOpen``."""

    text_document: OpenedDocument


class VersionedDocument(Wire, frozen=True):
    """A document and the version that it has after the change."""

    uri: str
    version: int | None = None


class ContentChange(Wire, frozen=True):
    """One edit; without ``range`` the text is the whole document's."""

    text: str
    range: Range | None = None


class DidChangeParams(Wire, frozen=True):
    """``textDocument/didChange``."""

    text_document: VersionedDocument
    content_changes: tuple[ContentChange, ...]


class DocumentParams(Wire, frozen=True):
    """Methods about one document."""

    text_document: TextDocument


class PositionParams(Wire, frozen=True):
    """Methods about one place in a document."""

    text_document: TextDocument
    position: Position


class CodeLensItem(Wire, frozen=True):
    """``codeLens/resolve``: a lens as the server sent it."""

    range: Range
    data: Any = None


class WorkspaceSymbolParams(Wire, frozen=True):
    """``workspace/symbol``."""

    query: str


class ExecuteCommandParams(Wire, frozen=True):
    """``workspace/executeCommand``. The argument, the request's params, stays undecoded until its type is known."""

    command: str
    arguments: tuple[msgspec.Raw, ...] | None = None
    work_done_token: ProgressToken | None = None


class DidChangeConfigurationParams(Wire, frozen=True):
    """``workspace/didChangeConfiguration``."""

    settings: Any = None


class FileEvent(Wire, frozen=True):
    """A file or folder that came, changed or went; which of them it was shows on the disk."""

    uri: str


class DidChangeWatchedFilesParams(Wire, frozen=True):
    """``workspace/didChangeWatchedFiles``."""

    changes: tuple[FileEvent, ...] = ()


class FoldersEvent(Wire, frozen=True):
    """Folders that came and went."""

    added: tuple[FolderItem, ...] = ()
    removed: tuple[FolderItem, ...] = ()


class DidChangeFoldersParams(Wire, frozen=True):
    """``workspace/didChangeWorkspaceFolders``."""

    event: FoldersEvent


class ProgressCancelParams(Wire, frozen=True):
    """``window/workDoneProgress/cancel``."""

    token: ProgressToken
