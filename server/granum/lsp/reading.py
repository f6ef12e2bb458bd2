"""What one request sees while a reader thread answers it: the folders, the open texts, the client's terms.

Features are plain functions of a ``Reading`` and their params. They run in a reader thread, so that they may read
files and the index; nothing in them knows the event loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from granum.lsp.convert import Texts, Translation

if TYPE_CHECKING:
    from granum.lsp.buffers import Buffers
    from granum.lsp.capabilities import ClientFlags
    from granum.lsp.folders import Folder, Folders, Site
    from granum.lsp.wire import Position
    from granum.model.cancellation import CancelToken
    from granum.model.settings import Settings


#: LSP's largest; clients send larger ones to mean "the end", which the index's integers cannot all hold.
MAX_LINE = 2**31 - 1


class Point(NamedTuple):
    """A place in a file in the core's coordinates: line 1-based, column in code points."""

    site: Site
    line: int
    column: int
    translation: Translation


class Reading:
    """Made for one request."""

    def __init__(
        self, folders: Folders, buffers: Buffers, flags: ClientFlags, settings: Settings, token: CancelToken
    ) -> None:
        self.folders = folders
        self.flags = flags
        self.settings = settings
        self.token = token
        self._buffers = buffers
        self._texts = Texts(self._open_line)

    def translation(self, folder: Folder) -> Translation:
        """Spells the answers of a folder."""
        return Translation(
            folder.root, lambda path: self.folders.uri_of(folder, path), self._texts, self.flags.encoding
        )

    def point(self, uri: str, position: Position) -> Point:
        """Where a position of the client is.

        Raises:
            InvalidRequestError: The URI names no file of an open folder.
        """
        return self.point_at(self.folders.locate(uri), position)

    def point_at(self, site: Site, position: Position) -> Point:
        """The same for a file that is located already."""
        translation = self.translation(site.folder)
        line = min(position.line, MAX_LINE) + 1
        return Point(site, line, translation.column(site.path, line, position.character), translation)

    def _open_line(self, uri: str, number: int) -> str | None:
        buffer = self._buffers.get(uri)
        return None if buffer is None else buffer.line(number)
