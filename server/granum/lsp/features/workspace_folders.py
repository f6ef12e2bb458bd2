"""``workspace/didChangeWorkspaceFolders``: folders that come and go while the server runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from granum.lsp.features.sync import announce

if TYPE_CHECKING:
    from granum.lsp.lane import Job
    from granum.lsp.params import DidChangeFoldersParams
    from granum.lsp.server import GranumServer


def did_change_folders(server: GranumServer, params: DidChangeFoldersParams) -> None:
    """Closes the folders that went and opens those that came."""
    for folder in params.event.removed:
        server.lane.put("close folder", _closing(server, folder.uri))
    for folder in params.event.added:
        server.lane.put("open folder", _opening(server, folder.uri))
    if params.event.added:
        for buffer in server.buffers:  # a folder must hear of documents that were open before it
            announce(server, buffer)


def _closing(server: GranumServer, uri: str) -> Job:
    async def close() -> None:
        await server.executors.in_order(lambda: server.folders.remove(uri))
        server.announcements.forget(uri)

    return close


def _opening(server: GranumServer, uri: str) -> Job:
    return lambda: open_folder(server, uri)


async def open_folder(server: GranumServer, uri: str) -> None:
    """Opens a folder; tells the client when that fails."""
    folder = await server.executors.in_order(lambda: server.folders.add(uri, server.settings))
    if folder is not None and folder.workspace is None:
        server.tell(types.MessageType.Error, f"Granum cannot serve {folder.root.name}: {folder.failure}")
