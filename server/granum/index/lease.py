"""Which process writes an index: the one that holds the lease, a lock of the system beside it.

All others read, and ask for the lease now and then; it falls free when its holder ends, however it ends.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from granum.index import shared
from granum.index.oslock import NoLocksError, OsLock
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Lease", "NoLocksError"]


class Lease:
    """The right to write the index whose first generation is at ``index``. Not for several threads at once."""

    def __init__(self, index: Path) -> None:
        self._lock = OsLock(shared.folder_of(index) / "lease")
        #: When it was got, in seconds since the epoch.
        self.since = 0.0

    @property
    def held(self) -> bool:
        """Whether this process may write."""
        return self._lock.held

    def acquire(self) -> bool:
        """Takes the lease if it is free.

        Raises:
            NoLocksError: The file system lends no locks.
            IndexUnavailableError: Nothing can be written there.
        """
        held_before = self._lock.held
        try:
            held = self._lock.acquire()
        except OSError as error:
            raise IndexUnavailableError(
                f"The index cannot be opened or created: {error}. Free some space, or set granum.indexPath to a"
                " folder that can be written."
            ) from error
        if held and not held_before:
            self.since = time.time()
        return held

    def is_lost(self) -> bool:
        """Whether somebody deleted what the lock is on, so that another process may have the lease by now."""
        return self._lock.held and not self._lock.is_in_place()

    def release(self) -> None:
        """Lets the next one have it."""
        self._lock.release()
