"""A progress bar on stderr, where a person watches; nothing anywhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from granum.cli.output import progress_console

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID


class Bar:
    """Files done of files in all. It appears with the first news, so that work done at once shows no flicker."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def advance(self, done: int, total: int) -> None:
        """Tells how far the work is. Called from the thread that entered the block."""
        if self._progress is None:
            self._begin()
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total or None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _begin(self) -> None:
        console = progress_console()
        if console is None:
            return
        # rich.progress costs 30 ms to import, which a script need not pay
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task(self._title, total=None)
        self._progress.start()
