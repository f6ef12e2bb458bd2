"""How a workspace's files relate to git: the state as last read, and what follows for a path."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from granum.index import gitstate
from granum.index.gitstate import GitState
from granum.model.answers import BranchScope

if TYPE_CHECKING:
    from pathlib import Path


class BranchView(msgspec.Struct, frozen=True):
    """Git's state and the paths that differ from the merge base with the default branch; None outside git."""

    state: GitState | None = None
    changed: frozenset[str] = frozenset()

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
    """Owns the view. Git is asked only in ``refresh``; all else reads what it found."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
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
