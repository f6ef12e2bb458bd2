"""What a process may be to an index: the one that writes it, or one of those that only read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from granum.index.jobs import Job
    from granum.index.options import WriterStatus
    from granum.index.policy import Policy
    from granum.index.reader import Reader
    from granum.model.answers import Reindexed


class Role(Protocol):
    """Serves one index until it is closed. Safe from any thread."""

    @property
    def reader(self) -> Reader:
        """The index as it is read now; another one after it had to be rebuilt."""

    @property
    def generation(self) -> Path:
        """The file that is read."""

    @property
    def message(self) -> str:
        """What people should know of it, or nothing."""

    def submit(self, job: Job) -> Future[Reindexed]:
        """Has a path brought in line with the disk; by whoever may.

        Raises:
            IndexUnavailableError: The index is closed.
        """

    def status(self) -> WriterStatus:
        """What the writing process does, as far as this one knows."""

    def wait_idle(self, timeout: float) -> bool:
        """Waits until nothing is to be done; False after ``timeout`` seconds."""

    def set_policy(self, policy: Policy, max_file_size: int) -> None:
        """Judges files by other rules; the settings of the process that writes rule."""

    def prepare(self) -> None:
        """Readies itself for quick saves."""

    def close(self) -> None:
        """Ends the work; waits for the transaction that runs."""
