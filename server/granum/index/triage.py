"""What is to be done about a path: nothing, a walk, a look, or the note that it is gone."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from granum.index.extraction_cache import ExtractionCache
from granum.index.freshness import FileStamp
from granum.index.jobs import Cause
from granum.index.look import Rules, recall
from granum.index.policy import RULE_FILES
from granum.index.reading import Reading, Request, State
from granum.index.scan import Known, known_below, known_file, walk

if TYPE_CHECKING:
    from granum.index.backlog import Backlog
    from granum.index.commit import Committer
    from granum.index.jobs import Entry
    from granum.index.options import Options


class Look(NamedTuple):
    """A file that must be read; ``size`` in bytes, 0 where it is not known."""

    request: Request
    size: int
    cause: Cause


class Triage:
    """Sorts paths; runs in the writer's thread. Owns the policy and the rules that files are judged by."""

    def __init__(self, options: Options, committer: Committer, backlog: Backlog) -> None:
        self.policy = options.policy
        self.rules = Rules(root=os.fspath(options.root), max_file_size=options.max_file_size)
        cache = options.extraction_cache
        self.cache = None if cache is None else ExtractionCache(cache, options.extractor_version)
        self._root = options.root
        self._committer = committer
        self._backlog = backlog
        self._is_here = options.is_here

    def sort(self, entry: Entry) -> Reading | Look | None:
        """What can be told of a path without reading it, else the look that it needs; None where it led to others."""
        if entry.unwanted:
            self._backlog.drop(entry)
            return None
        path = entry.path
        if path.rpartition("/")[2] in RULE_FILES:
            self._judge_anew(entry)
            return None
        try:
            status = os.stat(self._root / path)  # noqa: PTH116  its errors tell the cases apart
        except (FileNotFoundError, NotADirectoryError):
            return self._vanished(entry)
        except OSError:
            return self._look(entry, None, 0, self._backlog.begin(entry))
        if stat.S_ISDIR(status.st_mode):
            return self._folder(entry)
        return self._file(entry, status)

    def _file(self, entry: Entry, status: os.stat_result) -> Reading | Look:
        path, turn = entry.path, self._backlog.begin(entry)
        # late: the languages' specifications are not needed to answer from the index
        from granum.extract import language_of

        if language_of(path) is None or not self.policy.verdict(path, is_dir=False).keep:
            return Reading(path=path, state=State.REFUSED, turn=turn)
        known = known_file(self._committer.connection, path)
        if known is None and entry.cause is not Cause.SCAN:  # a scan meets what is gone by itself
            self._put_below(entry)
        if known is not None and not entry.force and known.is_settled(FileStamp.of(status)):
            return Reading(path=path, state=State.UNCHANGED, turn=turn)
        return self._look(entry, known, status.st_size, turn)

    def _look(self, entry: Entry, known: Known | None, size: int, turn: int) -> Look | Reading:
        content = b"" if known is None or entry.force else known.content_sha256
        request = Request(path=entry.path, known_sha256=content, turn=turn)
        kept = None if self.cache is None or entry.force else recall(self.rules, request, self.cache)
        return kept or Look(request, size, entry.cause)

    def _vanished(self, entry: Entry) -> Reading | None:
        if not (self._root.is_dir() and self._is_here()):
            # a root that was deleted or unmounted tells nothing of its files; when it is back, a scan does
            self._backlog.drop(entry)
            return None
        self._put_below(entry)
        return Reading(path=entry.path, state=State.MISSING, turn=self._backlog.begin(entry))

    def _put_below(self, entry: Entry) -> None:
        """What the index has below a path that is no folder (any more) is to be looked at too."""
        if entry.path:
            self._backlog.put(self._known_below(entry.path), entry.cause, entry.tickets)

    def _folder(self, entry: Entry) -> Reading | None:
        """Begins to walk a folder. A file that the index has under the same name was replaced by it, and is gone."""
        path = entry.path
        gone = None
        is_known = known_file(self._committer.connection, path) is not None or self._backlog.is_in_flight(path)
        if path and is_known:
            gone = Reading(path=path, state=State.MISSING, turn=self._backlog.begin_beside(entry))
        if path:
            self._committer.drop_problems(path)
            self.policy.forget(path)  # another folder may have come to stand here, with rules of its own
        else:
            # a scan of everything also finds what ignore files that changed unnoticed say now
            self.policy = self.policy.fresh()
            self._backlog.put(self._committer.take_up(), Cause.SCAN, entry.tickets, force=True)
        known = self._known_below(path)
        self._backlog.begin_walk(entry, walk(self._root, path, self.policy, known, everything=entry.force), known)
        return gone

    def _known_below(self, folder: str) -> dict[str, Known]:
        """What the index has there, or is about to have: what was read and then vanished would else stay forever."""
        known = known_below(self._committer.connection, folder)
        known.update((path, Known(stamp="")) for path in self._backlog.in_flight(folder))
        return known

    def _judge_anew(self, entry: Entry) -> None:
        """An ignore file came, changed or went: what it rules is walked again."""
        self.policy = self.policy.fresh()
        self._backlog.put((entry.path.rpartition("/")[0],), entry.cause, entry.tickets)
        self._backlog.drop(entry)
