"""How a workspace's files relate to git: the state as last read, and what follows for a path."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from granum.index import gitstate
from granum.index.gitstate import GitState
from granum.model.answers import BranchScope

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


class BranchView(msgspec.Struct, frozen=True):
    """Git's state and the paths that differ from the merge base with the default branch; None outside git."""

    state: GitState | None = None
    changed: frozenset[str] = frozenset()

    def names_the_same(self, other: BranchView) -> bool:
        """Whether commit, branch and merge base are the same, by their object ids."""
        return _names(self.state) == _names(other.state)

    def scope_of(self, path: str) -> BranchScope:
        """The branch scope of a current row of ``path``."""
        if self.state is None:
            return BranchScope.GLOBAL
        if path in self.changed or not self.state.merge_base:
            return BranchScope.CURRENT_BRANCH
        if self.state.upstream and self.state.branch != self.state.default_branch:
            return BranchScope.INHERITED_BRANCH
        return BranchScope.MAINLINE


class Branches:
    """Owns the view. Git is asked only in ``refresh`` and ``look``; all else reads what they found."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.RLock()
        self._view = BranchView()

    @property
    def view(self) -> BranchView:
        """The view as last read; outside git's reach before the first ``refresh``."""
        return self._view

    def provenance(self) -> tuple[str, str]:
        """Branch and commit for content that is read now; both empty outside git."""
        state = self._view.state
        return (state.branch, state.head) if state else ("", "")

    def refresh(self) -> BranchView:
        """Asks git anew. Takes tens of milliseconds, so never for an answer to a hover."""
        with self._lock:
            state = gitstate.read(self._root)
            base = state.merge_base if state else ""
            self._view = BranchView(state, gitstate.changed_paths(self._root, base) if base else frozenset())
            return self._view

    def look(self, paths: Collection[str]) -> BranchView:
        """Asks git about these files and folders only, at a fraction of what asking about all costs."""
        with self._lock:
            view, state = self._view, self._view.state
            if state is None or not state.merge_base:
                return view
            changed = gitstate.changed_paths(self._root, state.merge_base, paths)
            known = frozenset(path for path in view.changed if _is_within(path, paths))
            if state.dirty and not known <= changed:
                return self.refresh()  # it may have been all that was dirty
            dirty = state.dirty or bool(gitstate.differing_paths(self._root, state.head, paths))
            self._view = BranchView(msgspec.structs.replace(state, dirty=dirty), view.changed - known | changed)
            return self._view


def _names(state: GitState | None) -> tuple[str, str, str] | None:
    return (state.head, state.branch, state.merge_base) if state else None


def _is_within(path: str, paths: Collection[str]) -> bool:
    return path in paths or any(path.startswith(f"{folder}/") for folder in paths)
