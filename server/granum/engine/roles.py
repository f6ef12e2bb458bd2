"""What a process may be to an index: the one that writes it, or one of those that only read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from granum.index.jobs import Job
    from granum.index.options import WriterStatus
    from granum.index.reader import Reader
    from granum.model.answers import Reindexed
    from granum.model.answers import Role as RoleName
    from granum.model.settings import Settings


class Role(Protocol):
    """Serves one index until it is closed. Safe from any thread."""

    @property
    def name(self) -> RoleName:
        """Which of the two this is."""

    @property
    def reader(self) -> Reader:
        """The index as it is read now; another one after it had to be rebuilt."""

    @property
    def generation(self) -> Path:
        """The file that is read."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to read yet, because the process that writes has only just begun."""

    @property
    def message(self) -> str:
        """What people should know of it, or nothing."""

    @property
    def watcher(self) -> str:
        """How changes on disk are noticed."""

    def submit(self, job: Job) -> Future[Reindexed]:
        """Has a path brought in line with the disk; by whoever may.

        Raises:
            IndexUnavailableError: The index is closed.
        """

    def status(self) -> WriterStatus:
        """What the writing process does, as far as this one knows."""

    def wait_idle(self, timeout: float) -> bool:
        """Waits until nothing is to be done; False after ``timeout`` seconds."""

    def update_settings(self, settings: Settings) -> bool:
        """Judges files by these settings, where this process's rule; tells whether they do."""

    def prepare(self) -> None:
        """Readies itself for quick saves."""

    def close(self) -> None:
        """Ends the work; waits for the transaction that runs."""
