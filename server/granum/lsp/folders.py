"""The workspace folders and who serves each; where a URI leads, and how answers spell a file.

A ``Folders`` belongs to the lane: only its jobs change it, by replacing a tuple, so that readers in other threads
see one state or the next and need no lock.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from granum.lsp import uris
from granum.model.errors import GranumError, InvalidRequestError, NotInWorkspaceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from granum.engine import Workspace
    from granum.lsp.params import InitializeParams
    from granum.model.answers import DocumentChange, Status
    from granum.model.settings import Settings

log = logging.getLogger(__name__)


class Folder(NamedTuple):
    """One workspace folder. ``uri`` is the client's spelling; ``workspace`` is None where it could not be opened."""

    uri: str
    root: Path
    workspace: Workspace | None
    failure: str = ""


class Site(NamedTuple):
    """A file within a folder: its path relative to the root, and the path that the URI named."""

    uri: str
    path: str
    full_path: Path
    folder: Folder
    workspace: Workspace


class Listener(Protocol):
    """Hears, in the engine's threads, what happens to a folder."""

    def changed(self, folder_uri: str, changes: Sequence[DocumentChange]) -> None:
        """Documents have new rows."""

    def status_changed(self, folder_uri: str, status: Status) -> None:
        """The status is new."""

    def progressed(self, folder_uri: str, done: int, total: int) -> None:
        """A scan has done that many files."""


def initial_folders(params: InitializeParams) -> list[str]:
    """The URIs of the folders that ``initialize`` names, in its three historical ways."""
    if params.workspace_folders is not None:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri:
        return [params.root_uri]
    return [uris.uri_of(Path(params.root_path))] if params.root_path else []


class Folders:
    """All open folders."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._folders: tuple[Folder, ...] = ()
        self._spelled: dict[Path, str] = {}

    def __iter__(self) -> Iterator[Folder]:
        return iter(self._folders)

    # -- changed by the lane ----------------------------------------------------------------------------

    def add(self, uri: str, settings: Settings) -> Folder | None:
        """Opens a folder and starts its indexing. None when it is no folder on this machine, or open already."""
        root = uris.path_of(uri)
        if root is None or self._same(uri, root):
            log.info("folder ignored", extra={"uri": uri})
            return None
        folder = self._open(uri, root, settings)
        # the deepest root first: a nested folder's files are its own
        self._folders = tuple(sorted((*self._folders, folder), key=lambda each: -len(each.root.parts)))
        if folder.workspace is not None:
            folder.workspace.start()  # only now: what it tells names a folder that must be known
        return folder

    def _open(self, uri: str, root: Path, settings: Settings) -> Folder:
        from granum.engine import Workspace

        listener = self._listener
        try:
            if not root.is_dir():
                return Folder(uri, root, None, f"{root.name} is not a folder")
            workspace = Workspace.open(
                root,
                settings,
                on_change=lambda changes: listener.changed(uri, changes),
                on_status=lambda status: listener.status_changed(uri, status),
                on_progress=lambda done, total: listener.progressed(uri, done, total),
            )
        except (GranumError, OSError) as error:
            log.exception("folder not opened", extra={"uri": uri})
            return Folder(uri, root, None, str(error) if isinstance(error, GranumError) else "it cannot be read")
        return Folder(uri, root, workspace)

    def _same(self, uri: str, root: Path | None) -> list[Folder]:
        """The folders that are this one, however it is spelled: one root must not get two writers."""
        real = root and root.resolve()
        return [folder for folder in self._folders if folder.uri == uri or folder.root.resolve() == real]

    def remove(self, uri: str) -> None:
        """Closes a folder."""
        gone = self._same(uri, uris.path_of(uri))
        self._folders = tuple(folder for folder in self._folders if folder not in gone)
        _close(gone)

    def configure(self, settings: Settings) -> None:
        """Gives every folder new settings."""
        for folder in self._folders:
            if folder.workspace is not None:
                folder.workspace.update_settings(settings)

    def close(self) -> None:
        """Closes all folders."""
        gone, self._folders = self._folders, ()
        _close(gone)

    def spell(self, site: Site) -> None:
        """Remembers how the client spells an open document."""
        self._spelled[site.folder.root / site.path] = site.uri

    def forget(self, site: Site) -> None:
        """Forgets the spelling of a document that was closed."""
        self._spelled.pop(site.folder.root / site.path, None)

    # -- read from any thread ---------------------------------------------------------------------------

    def locate(self, uri: str) -> Site:
        """Where a document's URI leads.

        Raises:
            InvalidRequestError: It names no file, or one in no open folder.
        """
        path = uris.path_of(uri)
        if path is None:
            raise InvalidRequestError("expected the URI of a file", "textDocument.uri")
        for folder in self._folders:
            if folder.workspace is None:
                continue
            try:
                relative = folder.workspace.relative(path)
            except NotInWorkspaceError:
                continue
            return Site(uri, relative, path, folder, folder.workspace)
        raise InvalidRequestError("the file is in no workspace folder", "textDocument.uri")

    def find(self, uri: str) -> Site | None:
        """The same, with None for a document that is none of ours."""
        try:
            return self.locate(uri)
        except InvalidRequestError:
            return None

    def select(self, uri: str | None) -> list[Folder]:
        """All folders, or the one of that URI.

        Raises:
            InvalidRequestError: No folder has that URI.
        """
        if uri is None:
            return list(self._folders)
        root = uris.path_of(uri)
        selected = [folder for folder in self._folders if folder.uri == uri or folder.root == root]
        if not selected:
            raise InvalidRequestError("no such workspace folder is open", "folder")
        return selected

    def uri_of(self, folder: Folder, path: str) -> str:
        """How the client spells a file of a folder: as it opened it, else by the folder's own spelling."""
        return self._spelled.get(folder.root / path) or uris.join(folder.uri, path)


def open_workspaces(folders: Iterable[Folder]) -> list[tuple[Folder, Workspace]]:
    """The folders that are served."""
    return [(folder, folder.workspace) for folder in folders if folder.workspace is not None]


def _close(folders: Iterable[Folder]) -> None:
    for _, workspace in open_workspaces(folders):
        workspace.close()
