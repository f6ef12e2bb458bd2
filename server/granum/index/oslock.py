"""A lock of the operating system on a file: flock on POSIX, LockFileEx on Windows.

No file that stands for a lock: this one falls free when the process that holds it ends, however it ends. Descriptors
are not inherited by the programs that a process starts, so that none of them keeps the lock for a dead parent.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: What systems say of file systems that know no locks.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP})


class NoLocksError(Exception):
    """The file system lends no locks, as some network mounts do not; the message is the system's."""


class OsLock:
    """The lock on ``file``. Two of them on one file exclude each other, in one process too. Not for many threads."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._descriptor: int | None = None
        self.held = False

    def acquire(self) -> bool:
        """Takes the lock if it is free; asks the system once and never waits.

        Raises:
            NoLocksError: There are no locks here.
            OSError: The file cannot be made or opened.
        """
        if self.held:
            return True
        if self._descriptor is not None and not self.is_in_place():
            self.release()  # somebody deleted the file: the others lock another one by now
        if self._descriptor is None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        # late: it costs 40 ms, which a process that opens no workspace need not pay
        from filelock import lock_descriptor

        try:
            self.held = lock_descriptor(self._descriptor, blocking=False)
        except OSError as error:
            self.release()
            if error.errno in _NO_LOCKS:
                raise NoLocksError(error.strerror) from error
            raise
        if self.held and not self.is_in_place():
            self.release()
        return self.held

    def is_in_place(self) -> bool:
        """Whether the file is still the one that is open here; if not, holding its lock means nothing."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), self.file.stat())
        except OSError:
            return False

    def release(self) -> None:
        """Lets go of the lock; the file stays, since whoever waits has it open."""
        descriptor, self._descriptor, self.held = self._descriptor, None, False
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)
