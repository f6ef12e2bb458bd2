"""What the parts of a watcher tell each other, and what it tells its listener."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Listener(Protocol):
    """Hears of changes, in the watcher's thread; it must be quick and must not raise."""

    def paths_changed(self, paths: Sequence[str]) -> None:
        """These files and folders may differ from what is known of them, folders with all below them."""

    def everything_changed(self, reason: str) -> None:
        """Any file may differ. ``reason`` says in a sentence why that cannot be told more exactly."""

    def git_changed(self, *, head: bool) -> None:
        """The repository's branches, index or configuration may differ, or it came or went.

        ``head`` says that what is checked out may be another commit or branch; paths that changed with it are told
        next.
        """

    def health_changed(self, reason: str) -> None:
        """Changes are noticed late or not at all, for this reason; or, when it is empty, as they should be."""


class CannotWatchError(Exception):
    """A way of noticing changes is not to be had; the message says why and what to do about it."""


class Notices:
    """What was noticed since the last delivery."""

    __slots__ = ("git", "head", "lost", "paths", "repository", "root", "rules")

    def __init__(self) -> None:
        self.paths: set[str] = set()
        #: Why changes may have been missed.
        self.lost = ""
        #: Files of ignore rules, or marks of folders that are left out, came, changed or went.
        self.rules = False
        self.git = False
        #: What is checked out may have changed, which is a change of git too.
        self.head = False
        #: The repository may have come, moved or gone.
        self.repository = False
        #: The root was deleted, moved or unmounted, whatever stands in its place now.
        self.root = False


class Source(Protocol):
    """One way of noticing changes. Used by the watcher's thread, except for ``wake``."""

    kind: str

    def begin(self) -> None:
        """Begins to notice.

        Raises:
            CannotWatchError: It cannot.
        """

    def read(self, timeout: float, notices: Notices) -> bool:
        """Waits for changes, for ``timeout`` seconds at most, and adds them; False when there were none."""

    def settle(self, notices: Notices) -> None:
        """Catches up with what the notices say of rules, repository and loss, before they are delivered.

        Raises:
            CannotWatchError: It cannot go on.
        """

    def wake(self) -> None:
        """Ends the waiting of ``read``. From any thread."""

    def close(self) -> None:
        """Notices nothing more."""


def least(paths: Iterable[str]) -> list[str]:
    """The paths without those that lie below another of them, in order."""
    kept: list[str] = []
    above: set[str] = set()
    for path in sorted(paths, key=lambda path: (path.count("/") if path else -1, path)):
        if not _is_below(path, above):
            kept.append(path)
            above.add(path)
    return sorted(kept)


def _is_below(path: str, above: set[str]) -> bool:
    if "" in above:
        return True
    end = path.rfind("/")
    while end > 0:
        if path[:end] in above:
            return True
        end = path.rfind("/", 0, end)
    return False
