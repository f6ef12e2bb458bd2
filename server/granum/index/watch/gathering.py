"""Which changes are told together.

A program that writes a file in steps, or many files, is heard of once: changes are gathered until none came for a
moment, and at most for a tenth of a second. While git writes the work tree it holds a lock on its index, and moves
HEAD last; what it changes is told once it is done, so that nobody reads files that are about to change again, or
takes them for those of the branch that git is leaving.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from granum.index.watch.notices import Notices

if TYPE_CHECKING:
    import threading

    from granum.index.watch.notices import Source
    from granum.index.watch.repository import Repository

#: Changes are told when none came for as long as this, and at most as long as that after the first, in seconds.
QUIET_SECONDS = 0.025
LONGEST_SECONDS = 0.1
#: How long git is waited for, in seconds.
GIT_SECONDS = 5.0


class Gathering:
    """Reads a source, change by change."""

    def __init__(self, source: Source, repository: Repository, stop: threading.Event) -> None:
        self._source = source
        self._repository = repository
        self._stop = stop
        #: The lock that git held for longer than it was waited for: left by a crash, or by a commit being described.
        self._outlasted: object = None

    def next(self, timeout: float) -> Notices:
        """What belongs to one change; nothing if none came for ``timeout`` seconds."""
        notices = Notices()
        if not self._source.read(timeout, notices):
            return notices
        self._until_quiet(notices)
        if self._wait_for_git(notices):
            self._until_quiet(notices)
        return notices

    def _until_quiet(self, notices: Notices) -> None:
        deadline = time.monotonic() + LONGEST_SECONDS
        while (left := deadline - time.monotonic()) > 0 and self._source.read(min(QUIET_SECONDS, left), notices):
            pass

    def _wait_for_git(self, notices: Notices) -> bool:
        """Goes on reading while git works; whether it did."""
        deadline = time.monotonic() + GIT_SECONDS
        waited = False
        while (lock := self._repository.index_lock()) not in {None, self._outlasted}:
            if time.monotonic() >= deadline or self._stop.is_set():
                self._outlasted = lock
                break
            waited = True
            self._source.read(QUIET_SECONDS, notices)
        return waited
