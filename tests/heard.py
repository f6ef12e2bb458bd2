"""A listener that keeps what a watcher tells, for tests to wait for; and, run as a program, prints it line by line."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from granum.index.policy import Policy
from granum.index.watch import Root, Watcher
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: No wait is longer, in seconds; what is waited for takes a tenth of a second, polling a second.
WATCHDOG = 30.0


class Heard:
    """Implements ``Listener``."""

    def __init__(self) -> None:
        self._news = threading.Condition()
        self.deliveries: list[list[str]] = []
        self.reasons: list[str] = []
        self.health: list[str] = []
        self.git = self.heads = 0
        #: What was told, by kind, in order.
        self.log: list[str] = []
        #: Called in the watcher's thread with the paths of each delivery.
        self.on_paths: Callable[[Sequence[str]], None] = lambda _: None

    def paths_changed(self, paths: Sequence[str]) -> None:
        self.on_paths(paths)
        with self._news:
            self.deliveries.append(list(paths))
            self.log.append("paths")
            self._news.notify_all()

    def everything_changed(self, reason: str) -> None:
        with self._news:
            self.reasons.append(reason)
            self._news.notify_all()

    def git_changed(self, *, head: bool) -> None:
        with self._news:
            self.git += 1
            self.heads += head
            self.log.append("head" if head else "git")
            self._news.notify_all()

    def health_changed(self, reason: str) -> None:
        with self._news:
            self.health.append(reason)
            self._news.notify_all()

    @property
    def paths(self) -> set[str]:
        """All paths told so far."""
        return {path for delivery in self.deliveries for path in delivery}

    def until(self, predicate: Callable[[Heard], object]) -> None:
        """Waits until it holds of what was heard."""
        with self._news:
            assert self._news.wait_for(lambda: predicate(self), WATCHDOG), (
                f"heard paths {sorted(self.paths)}, reasons {self.reasons}, health {self.health}, git {self.git}"
            )

    def forget(self) -> None:
        """Begins anew."""
        with self._news:
            self.deliveries.clear()
            self.log.clear()
            self.reasons.clear()
            self.git = self.heads = 0


@contextmanager
def watching(root: Path, *, exclude: Sequence[str] = (), polling: bool = False) -> Iterator[tuple[Heard, Watcher]]:
    """A watcher that is ready."""
    heard = Heard()
    policy = Policy.load(root, Settings(exclude=tuple(exclude)))
    watcher = Watcher(Root(root), policy, heard, polling=polling)
    watcher.start()
    try:
        assert watcher.wait_ready(WATCHDOG)
        yield heard, watcher
    finally:
        watcher.close()


class _Printer:
    """Implements ``Listener``: one line for each thing told."""

    def paths_changed(self, paths: Sequence[str]) -> None:
        say("paths", *paths)

    def everything_changed(self, reason: str) -> None:
        say("everything", reason)

    def git_changed(self, *, head: bool) -> None:
        say("head" if head else "git")

    def health_changed(self, reason: str) -> None:
        say("health", reason)


def say(*words: str) -> None:
    """Prints a line at once and whole, from whichever thread."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Watches the folder that is named, until standard input ends."""
    root = Path(sys.argv[1]).resolve()
    policy = Policy.load(root, Settings())
    watcher = Watcher(Root(root), policy, _Printer(), polling="--polling" in sys.argv)
    watcher.start()
    watcher.wait_ready(WATCHDOG)
    say("ready", watcher.kind)
    sys.stdin.read()
    watcher.close()


if __name__ == "__main__":
    main()
