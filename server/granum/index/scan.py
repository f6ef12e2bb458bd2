"""Walks the workspace and tells which files need a look.

A file needs none when its stamp (size, mtime, ctime, inode) is the one that the index has and was settled when the
file was read; whether its content changed is then found out by hash, never by the clock.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from granum.index.freshness import RACY_NS, FileStamp
from granum.index.paths import display
from granum.index.policy import KEEP
from granum.model.layers import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw

    from granum.index.policy import Policy, Verdict
    from granum.index.rows import Row


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What the index has of a path: a document, or a problem that stands for one."""

    stamp: str
    content_sha256: bytes = b""
    read_at: float | None = None

    def is_settled(self, stamp: FileStamp) -> bool:
        """Whether the stamp proves that the content is the known one."""
        if stamp.text() != self.stamp:
            return False
        return self.read_at is None or stamp.mtime_ns < self.read_at * 1e9 - RACY_NS


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A folder's files: those that need a look, how many do not, and what people should be told of others."""

    paths: tuple[str, ...]
    settled: int = 0
    problems: tuple[tuple[str, Problem], ...] = ()


def known_below(connection: apsw.Connection, folder: str) -> dict[str, Known]:
    """All that the index has of files in a folder and below ("" is the root)."""
    below, params = _below(folder)
    problems: list[Row] = connection.execute(
        f"SELECT path, max(stamp) FROM problem WHERE {below} GROUP BY path", params
    ).fetchall()
    documents: list[Row] = connection.execute(
        "SELECT path, size || ':' || mtime_ns || ':' || ctime_ns || ':' || inode, content_sha256, indexed_at"
        f" FROM document WHERE NOT is_stale AND {below}",
        params,
    ).fetchall()
    known = {path: Known(stamp=stamp) for path, stamp in problems}
    known.update(
        (path, Known(stamp=stamp, content_sha256=content, read_at=read_at))
        for path, stamp, content, read_at in documents
    )
    return known


def known_file(connection: apsw.Connection, path: str) -> Known | None:
    """What the index has of one file's document."""
    for size, mtime_ns, ctime_ns, inode, content, read_at in connection.execute(
        "SELECT size, mtime_ns, ctime_ns, inode, content_sha256, indexed_at FROM document"
        " WHERE path = ? AND NOT is_stale",
        (path,),
    ):
        return Known(stamp=f"{size}:{mtime_ns}:{ctime_ns}:{inode}", content_sha256=content, read_at=read_at)
    return None


def walk(
    root: Path, folder: str, policy: Policy, known: dict[str, Known], *, everything: bool = False
) -> Iterator[Found]:
    """Yields folder by folder; takes out of ``known`` every file that it meets. ``everything`` wants a look at all.

    What is left in ``known`` at the end is gone, or no longer belongs in the index. Links are not followed: one
    inside of the root leads to a file that is met anyway, one out of it to a file that is not ours.
    """
    folders = [folder]
    while folders:
        here = folders.pop()
        verdict = policy.verdict(here, is_dir=True) if here else KEEP
        if not verdict.keep:
            if verdict.problem:
                yield Found(paths=(), problems=(_left_out(here, verdict, known),))
            continue
        try:
            entries = sorted(os.scandir(root / here), key=lambda entry: entry.name)
        except OSError as error:
            message = f"The folder cannot be read: {error.strerror or type(error).__name__}."
            yield Found(paths=(), problems=((here or ".", Problem(code="unreadable", message=message)),))
            continue
        base = f"{here}/" if here else ""
        folders.extend(base + entry.name for entry in reversed(entries) if entry.is_dir(follow_symlinks=False))
        yield _found(base, entries, policy, known, everything=everything)


def _found(
    base: str, entries: list[os.DirEntry[str]], policy: Policy, known: dict[str, Known], *, everything: bool
) -> Found:
    """What is to be done about the files of one folder."""
    # late: the languages' specifications are not needed to answer from the index
    from granum.extract import language_of

    paths: list[str] = []
    problems: list[tuple[str, Problem]] = []
    settled = 0
    for entry in entries:
        path = base + entry.name
        if not entry.is_file(follow_symlinks=False) or language_of(path) is None:
            continue
        verdict = policy.verdict(path, is_dir=False)
        if not verdict.keep:
            if verdict.problem:
                problems.append(_left_out(path, verdict, known))
            continue
        before = known.pop(path, None)
        try:
            stamp = FileStamp.of(entry.stat(follow_symlinks=False))
        except OSError:
            continue  # it vanished just now; if it was known, the watcher or the next scan tells
        if before is not None and before.is_settled(stamp) and not everything:
            settled += 1
        else:
            paths.append(path)
    return Found(paths=tuple(paths), settled=settled, problems=tuple(problems))


def _left_out(path: str, verdict: Verdict, known: dict[str, Known]) -> tuple[str, Problem]:
    """What people are told of a file or folder that its name keeps out; a problem told before is met again."""
    shown = display(path)
    known.pop(shown, None)
    return shown, Problem(code=verdict.reason.value, message="The name is not valid Unicode; rename it to be indexed.")


def _below(folder: str) -> tuple[str, tuple[str, ...]]:
    """An SQL condition on ``path``; a range, so that the index on it serves."""
    if not folder:
        return "1", ()
    return "path >= ? AND path < ?", (f"{folder}/", f"{folder}0")  # "0" follows "/"
