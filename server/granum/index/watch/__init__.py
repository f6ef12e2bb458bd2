"""Notices what other programs do to a workspace's files and to its repository."""

from granum.index.watch.filter import MARKS, Filter
from granum.index.watch.notices import Listener, least
from granum.index.watch.root import Presence, Root
from granum.index.watch.watcher import Watcher

__all__ = ["MARKS", "Filter", "Listener", "Presence", "Root", "Watcher", "least"]
