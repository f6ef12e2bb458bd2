"""One workspace: its index, its open buffers, and the questions that can be asked of them.

All methods are safe from any thread. Reading methods block the calling thread for as long as their queries take and
accept a token, by which another thread can stop them. Paths in questions and answers are POSIX and relative to the
root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.engine.branches import Branches
from granum.engine.buffers import Buffers
from granum.engine.indexing import Indexing, Listeners
from granum.engine.questions import Questions
from granum.index import paths
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from granum.model.answers import DocumentChange, Reindexed, Status
    from granum.model.cancellation import CancelToken


class Workspace(Questions):
    """Serves one root. Made by ``open``, set going by ``start``, ended by ``close``."""

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
        indexing = Indexing(real, settings or Settings(), branches, listeners, index_dir)
        return cls(real, branches, indexing, Buffers())

    def start(self) -> None:
        """Begins to bring the index up to date, in the background."""
        self._indexing.start()

    def close(self) -> None:
        """Stops the work and closes the index. What was committed stays; a second call does nothing."""
        self._present.close()
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
        self._buffers.put(relative, text, version)
        self._indexing.opened(relative)

    def document_changed(self, path: Path, text: str, version: int) -> None:
        """A buffer's text changed; one that was never opened is taken as opened."""
        self._buffers.put(self.relative(path), text, version)

    def document_saved(self, path: Path) -> Future[Reindexed]:
        """A buffer was saved; the future is done when readers see the new rows."""
        return self._indexing.saved(self.relative(path))

    def document_closed(self, path: Path) -> None:
        """A buffer was closed; the disk speaks for the file again."""
        relative = self.relative(path)
        self._buffers.closed(relative)
        self._present.forget(relative)
        self._indexing.opened(relative)

    @property
    def wants_file_events(self) -> bool:
        """Whether ``files_changed`` tells anything new: not where the system tells of every change."""
        return self._indexing.watching.wants_client

    def files_changed(self, paths: Sequence[str]) -> None:
        """The editor's own watcher noticed that files or folders came, changed or went."""
        self._indexing.watching.client_told(paths)

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
