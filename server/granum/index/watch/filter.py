"""Which folders are watched and which changes matter: exactly what the indexer would enter and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index.policy import RULE_FILES, Reason

if TYPE_CHECKING:
    from granum.index.policy import Policy

#: Names whose coming and going turns the folder that holds them into one that is left out, or back.
MARKS = frozenset({".git", "pyvenv.cfg", "conda-meta"})
#: Folders that are left out for what they hold.
_MARKED = frozenset({Reason.NESTED_REPOSITORY, Reason.VIRTUAL_ENVIRONMENT})


class Filter:
    """The policy as the watcher needs it. The policy is the watcher's own: one is not safe in two threads."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def replace(self, policy: Policy) -> None:
        """Judges by another policy."""
        self._policy = policy

    def renew(self) -> None:
        """Reads all rules again."""
        self._policy = self._policy.fresh()

    def forget(self, folder: str) -> None:
        """Another folder may stand at this path now."""
        self._policy.forget(folder)

    def enters(self, folder: str) -> bool:
        """Whether the indexer looks into a folder ("" is the root)."""
        return not folder or self._policy.verdict(folder, is_dir=True).keep

    def is_marked(self, folder: str) -> bool:
        """Whether a folder is left out only for what it holds, so that its own entries, but nothing below, matter."""
        return self._policy.verdict(folder, is_dir=True).reason in _MARKED

    def told(self, path: str, *, is_dir: bool) -> str | None:
        """What to tell of a changed file or folder: its path; its folder, whose walk tells of bad names; or nothing."""
        # late: the languages' specifications are not needed to answer from the index
        from granum.extract import language_of

        folder, _, name = path.rpartition("/")
        verdict = self._policy.verdict(path, is_dir=is_dir)
        if verdict.problem:
            return folder
        if not verdict.keep:
            return None
        return path if is_dir or name in RULE_FILES or language_of(path) is not None else None
