"""Which process writes an index: the one that holds the operating system's lock on a file beside it.

A lock of the system, not a file that stands for one: it falls free when its holder dies, however it dies. What the
holder says of itself lies in a second file, because on Windows a locked file cannot be read.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import filelock
import msgspec

from granum import __version__

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class HolderInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What the holder tells the others. ``since`` is in seconds since the epoch; ``resting`` that it has no work."""

    pid: int
    since: float
    version: str
    resting: bool = False
    message: str = ""


class Lease:
    """The right to write the index at ``path`` (its first generation). Not for several threads at once."""

    def __init__(self, path: Path) -> None:
        self._file = path.with_suffix(".lock")
        self._info = path.with_suffix(".holder")
        self._lock = filelock.FileLock(self._file, blocking=False, thread_local=False, fallback_to_soft=False)
        self._since = 0.0
        self._told = HolderInfo(pid=0, since=0.0, version="")
        self.failure = ""

    @property
    def held(self) -> bool:
        """Whether this is the holder."""
        return self._lock.is_locked

    def acquire(self) -> bool:
        """Takes the lease if it is free; ``failure`` tells why this file system cannot lend it."""
        if self._lock.is_locked:
            return True
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except filelock.Timeout:
            return False
        except (OSError, NotImplementedError) as error:
            self.failure = f"The index's folder lends no locks ({error}); let only one process serve this workspace."
            log.warning("%s", self.failure)
            return False
        self.failure = ""
        self._since = time.time()
        return True

    def tell(self, *, resting: bool, message: str = "") -> None:
        """Writes what the others should know; only by the holder, and only when it is new."""
        info = HolderInfo(pid=os.getpid(), since=self._since, version=__version__, resting=resting, message=message)
        if info == self._told or not self.held:
            return
        self._told = info
        temporary = self._info.with_suffix(".holder-new")
        with suppress(OSError):  # a full disk: the others only know less
            temporary.write_bytes(msgspec.json.encode(info))
            temporary.replace(self._info)

    def holder(self) -> HolderInfo | None:
        """What the holder told of itself, or the last one that had no time to take it back."""
        try:
            return msgspec.json.decode(self._info.read_bytes(), type=HolderInfo)
        except (OSError, msgspec.DecodeError):
            return None

    def release(self) -> None:
        """Lets the next one have it."""
        if self.held:
            with suppress(OSError):
                self._info.unlink(missing_ok=True)
        self._lock.release()
