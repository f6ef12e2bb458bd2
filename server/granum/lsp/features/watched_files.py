"""``workspace/didChangeWatchedFiles``: what the client's own watcher noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.lsp.folders import open_workspaces

if TYPE_CHECKING:
    from granum.engine import Workspace
    from granum.lsp.folders import Folders
    from granum.lsp.params import DidChangeWatchedFilesParams
    from granum.lsp.server import GranumServer

#: The registration: which files matter is decided here, by rules that change with the workspace's ignore files.
EVERYTHING = {"watchers": [{"globPattern": "**/*"}]}


def did_change_watched_files(server: GranumServer, params: DidChangeWatchedFilesParams) -> None:
    """Passes the paths on. Not through the lane: a checkout's thousands would hold up the requests behind them."""
    server.spawn(server.executors.wait(lambda _: _pass_on(server.folders, params)))


def _pass_on(folders: Folders, params: DidChangeWatchedFilesParams) -> None:
    if not any(workspace.wants_file_events for _, workspace in open_workspaces(folders)):
        return  # spares looking up each path
    told: dict[str, tuple[Workspace, list[str]]] = {}
    for change in params.changes:
        site = folders.find(change.uri)
        if site is not None:
            told.setdefault(site.folder.uri, (site.workspace, []))[1].append(site.path)
    for workspace, paths in told.values():
        if workspace.wants_file_events:
            workspace.files_changed(paths)
