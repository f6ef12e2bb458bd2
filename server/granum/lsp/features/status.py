"""``granum/status``: whether the folders are served as promised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.lsp import convert, wire
from granum.model.answers import Health, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.lsp.folders import Folder
    from granum.lsp.reading import Reading

#: Worst first.
_SEVERITY = (Health.DEGRADED, Health.STARTING, Health.INDEXING, Health.READY)
_NO_COUNTS = wire.RowCounts(
    files=0, paragraphs=0, propositions=0, chunks=0, summaries=0, symbols=0, references=0, stale=0
)


def status(reading: Reading, params: wire.StatusParams) -> wire.StatusResult:
    """The state of all folders, or of one."""
    return overall([_folder_status(reading, folder) for folder in reading.folders.select(params.folder)])


def overall(folders: Sequence[wire.FolderStatus]) -> wire.StatusResult:
    """Sums folders up: the worst health, and the message of a folder that has it."""
    if not folders:
        return wire.StatusResult(health=Health.READY, quiescent=True, message="no workspace folder is open", folders=())
    worst = min(folders, key=lambda folder: _SEVERITY.index(folder.health))
    return wire.StatusResult(
        health=worst.health,
        quiescent=all(folder.quiescent for folder in folders),
        message=worst.message,
        folders=tuple(folders),
    )


def _folder_status(reading: Reading, folder: Folder) -> wire.FolderStatus:
    if folder.workspace is not None:
        return convert.folder_status(folder.uri, folder.workspace.status(token=reading.token))
    return wire.FolderStatus(
        uri=folder.uri,
        health=Health.DEGRADED,
        quiescent=True,
        role=Role.READER,
        message=f"the folder could not be opened: {folder.failure}",
        counts=_NO_COUNTS,
        queue_length=0,
        files_done=0,
        files_total=0,
        indexed_at=None,
        branch="",
        head="",
        dirty=False,
        watcher="",
        index_path="",
        index_bytes=0,
        problems=0,
    )
