"""Notices what other programs do to a workspace's files and to its repository."""

from granum.index.watch.notices import Listener
from granum.index.watch.root import Presence, Root
from granum.index.watch.watcher import Watcher

__all__ = ["Listener", "Presence", "Root", "Watcher"]
