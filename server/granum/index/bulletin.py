"""What the process that writes an index tells those that read it: a small file, replaced whole when there is news.

The rows themselves need no telling. What is told is who writes, how far the work is, and which documents the last
commits have changed, so that each reading process can tell its own client.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from granum.index import shared
from granum.model.answers import DocumentChange

if TYPE_CHECKING:
    from pathlib import Path

#: Changes that are kept for who looks late; a reader that looks four times a second misses none of them.
MOST_CHANGES = 500


class Bulletin(msgspec.Struct, frozen=True, kw_only=True):
    """The news of one holder.

    ``since`` is when it got the lease, in seconds since the epoch; ``generation`` the name of the file that it writes.
    ``exclude`` and ``max_file_size`` are the settings
    that rule what is indexed. ``changes`` are the last ones, and ``changes_before`` counts those that came before.
    """

    pid: int
    since: float
    version: str
    generation: str = ""
    exclude: tuple[str, ...] = ()
    max_file_size: int = 0
    running: bool = True
    queue_length: int = 0
    files_done: int = 0
    files_total: int = 0
    degraded: str = ""
    message: str = ""
    watcher: str = ""
    changes_before: int = 0
    changes: tuple[DocumentChange, ...] = ()


class Board:
    """Where the bulletin of the index at ``index`` hangs. Only the holder of the lease puts one up."""

    def __init__(self, index: Path) -> None:
        self._file = shared.folder_of(index) / "bulletin.json"
        self._last: Bulletin | None = None
        self._seen: tuple[int, int, int] | None = None

    def put(self, bulletin: Bulletin) -> None:
        """Puts up a bulletin unless it says what the last one said."""
        if bulletin == self._last:
            return
        with suppress(OSError):  # a full disk, or on Windows somebody who is just reading: then with the next news
            shared.put(self._file, msgspec.json.encode(bulletin))
            self._last = bulletin

    def read(self) -> Bulletin | None:
        """The bulletin of the holder, or of the last one; None where there is none that can be read."""
        try:
            status = self._file.stat()
            seen = status.st_mtime_ns, status.st_ino, status.st_size
            if seen != self._seen:
                self._last = msgspec.json.decode(self._file.read_bytes(), type=Bulletin)
                self._seen = seen
        except (OSError, msgspec.DecodeError):
            return None
        return self._last
