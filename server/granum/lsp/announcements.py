"""What the server tells of its own accord: that documents were reindexed, and how the folders are.

The engine speaks from its threads; here, on the event loop, its words are gathered into batches, so that a checkout
of 5,000 files is a few messages and the status is told at most four times a second.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from granum.lsp import convert, wire
from granum.lsp.features.status import overall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from granum.lsp.capabilities import ClientFlags
    from granum.lsp.folders import Folders
    from granum.lsp.protocol import GranumProtocol
    from granum.model.answers import DocumentChange, Status

log = logging.getLogger(__name__)

BATCH_SECONDS = 0.05
BATCH_DOCUMENTS = 500
STATUS_SECONDS = 0.25
REFRESH_SECONDS = 1.0
REFRESH_TIMEOUT_SECONDS = 10.0


class Paced:
    """Calls ``act`` once after any number of ``poke`` calls, and at least ``seconds`` apart."""

    def __init__(self, act: Callable[[], None], seconds: float) -> None:
        self._act = act
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._earliest = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def poke(self) -> None:
        """Asks for a call, at once if the last one is long enough ago."""
        if self._timer is None:
            self._timer = self._loop.call_at(max(self._earliest, self._loop.time()), self._fire)

    def stop(self) -> None:
        """Drops a call that is still to come."""
        if self._timer is not None:
            self._timer.cancel()

    def _fire(self) -> None:
        self._timer = None
        self._earliest = self._loop.time() + self._seconds
        self._act()


class Announcements:
    """Tells a client what it announced that it wants to hear."""

    def __init__(self, protocol: GranumProtocol, folders: Folders, flags: ClientFlags) -> None:
        self._protocol = protocol
        self._folders = folders
        self._flags = flags
        self._changes: dict[tuple[str, str], DocumentChange] = {}
        self._statuses: dict[str, Status] = {}
        self._refreshing: asyncio.Task[None] | None = None
        self._batch = Paced(self._tell_changes, BATCH_SECONDS)
        self._status = Paced(self._tell_status, STATUS_SECONDS)
        self._refresh = Paced(self._ask_refresh, REFRESH_SECONDS)

    def changed(self, folder_uri: str, changes: Sequence[DocumentChange]) -> None:
        """Documents of a folder have new rows."""
        for change in changes:
            key = folder_uri, change.path
            before = self._changes.get(key)
            self._changes[key] = change if before is None else _together(before, change)
        self._batch.poke()
        if self._flags.code_lens_refresh:
            self._refresh.poke()

    def status_changed(self, folder_uri: str, status: Status) -> None:
        """A folder's status is new."""
        self._statuses[folder_uri] = status
        if self._flags.custom:
            self._status.poke()

    def forget(self, folder_uri: str) -> None:
        """A folder is closed."""
        self._statuses.pop(folder_uri, None)

    def stop(self) -> None:
        """Tells nothing more."""
        for paced in (self._batch, self._status, self._refresh):
            paced.stop()

    def _tell_changes(self) -> None:
        changes, self._changes = self._changes, {}
        if not self._flags.custom:
            return
        folders = {folder.uri: folder for folder in self._folders}
        documents = [
            wire.DocumentReindexed(
                uri=self._folders.uri_of(folders[folder_uri], path),
                added=change.added,
                removed=change.removed,
                stale=change.stale,
                version=change.version,
            )
            for (folder_uri, path), change in changes.items()
            if folder_uri in folders
        ]
        for start in range(0, len(documents), BATCH_DOCUMENTS):
            batch = tuple(documents[start : start + BATCH_DOCUMENTS])
            self._protocol.notify(wire.Notification.DID_REINDEX.value, wire.DidReindexParams(documents=batch))

    def _tell_status(self) -> None:
        # a folder's last word may come after its end
        served = {folder.uri for folder in self._folders}
        told = [convert.folder_status(uri, status) for uri, status in self._statuses.items() if uri in served]
        self._protocol.notify(wire.Notification.STATUS.value, overall(told))

    def _ask_refresh(self) -> None:
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = asyncio.get_running_loop().create_task(self._ask_for_lenses())

    async def _ask_for_lenses(self) -> None:
        try:
            await self._protocol.ask(types.WORKSPACE_CODE_LENS_REFRESH, None, REFRESH_TIMEOUT_SECONDS)
        except (TimeoutError, JsonRpcException) as error:
            log.info("the client refreshes no lenses", extra={"reason": str(error)})


def _together(before: DocumentChange, after: DocumentChange) -> DocumentChange:
    return type(after)(
        path=after.path,
        added=before.added + after.added,
        removed=before.removed + after.removed,
        stale=before.stale + after.stale,
        version=after.version,
    )
