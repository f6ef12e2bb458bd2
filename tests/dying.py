"""A process that indexes a workspace and dies at a chosen moment, as by ``kill -9``; and what must hold afterwards.

    python -m tests.dying ROOT INDEX_DIR MOMENT

Without a moment it indexes until it is killed from outside.

Granum itself knows nothing of moments. What SQLite is told to do, what its files are asked to do, and what Python does
with files beside them are heard from outside, by hooks and a VFS around the system's own.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from granum.engine import Workspace
from granum.index.connection import open_writer
from granum.index.generation import mark_damaged
from granum.index.schema import FTS_COLUMNS, STALE_TWINS
from granum.model.settings import Settings
from tests.index_rows import assert_full_text_is_consistent, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

WATCHDOG = 60.0
HERE = Path(__file__).resolve().parents[1]

#: What the process writes into its files between the first index and the later ones.
EDIT = '\n\ndef added():\n    """It must be edited. See `total`."""\n    return total(1)\n'
_TARGETS = (
    "SELECT d.path, r.line, r.column, r.kind, r.name, r.status, t.fqn, r.confidence FROM reference r"
    " JOIN document d ON d.id = r.document_id LEFT JOIN symbol t ON t.id = r.target_id"
)


class Moment(NamedTuple):
    """The ``nth`` time that an event's name matches; ``torn`` lets half of that write reach the file first."""

    pattern: str
    nth: int = 1
    torn: bool = False


_FIRST_SAVE = r"statement UPDATE document SET path"
MOMENTS = {
    "before the tables of a new index": Moment(r"statement\s+CREATE TABLE meta"),
    "among the tables of a new index": Moment(r"statement CREATE TABLE import"),
    "before a new index is committed": Moment(r"commit"),
    "while a new index is written": Moment(r"write log", 5, torn=True),
    "before a transaction": Moment(r"statement BEGIN IMMEDIATE", 3),
    "inside of a transaction": Moment(r"statement INSERT INTO proposition", 30),
    "inside of a save's transaction": Moment(_FIRST_SAVE, 2),
    "before a commit": Moment(r"commit", 3),
    "while a commit is written": Moment(r"write log", 60, torn=True),
    "between the rows of many files and their links": Moment(r"statement SELECT document_id, interface"),
    "inside of a checkpoint": Moment(r"write index", 9),
    "inside of a checkpoint's page": Moment(r"write index", 12, torn=True),
    "between a checkpoint and the end of the log": Moment(r"truncate log"),
    "before the mark of damage": Moment(r"open \S+\.damaged"),
    "between the mark of damage and the next generation": Moment(r"begin \S+\.1\.db"),
    "among the tables of the next generation": Moment(r"statement CREATE TABLE import", 2),
}


class Hearing:
    """Counts events of one pattern and ends the process at the chosen one."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment
        self._pattern = re.compile(moment.pattern)
        self._left = moment.nth
        self._lock = threading.Lock()

    def is_torn(self, event: str) -> bool:
        """Hears an event; True when half of it is to be done, and ``die`` to be called."""
        if self._pattern.search(event) is None:
            return False
        with self._lock:
            self._left -= 1
            if self._left:
                return False
            if self._moment.torn:
                return True
        die()
        raise AssertionError("unreachable")

    def hear(self, event: str) -> None:
        """Hears an event that cannot be done by half."""
        if self.is_torn(event):
            die()


def die() -> None:
    """Ends the process as the system would."""
    os.kill(os.getpid(), signal.SIGKILL)


#: The VFS that everything ends in: the default of the machine.
_SYSTEM = apsw.vfs_names()[0]


class _File(apsw.VFSFile):
    def __init__(self, hearing: Hearing, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        kinds = {apsw.SQLITE_OPEN_WAL: "log", apsw.SQLITE_OPEN_MAIN_DB: "index"}
        self._hearing = hearing
        self._kind = next((kind for flag, kind in kinds.items() if flags[0] & flag), "other")
        super().__init__(_SYSTEM, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  apsw's name
        if self._hearing.is_torn(f"write {self._kind}"):
            super().xWrite(data[: len(data) // 2], offset)
            die()
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802  apsw's name
        self._hearing.hear(f"truncate {self._kind}")
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802  apsw's name
        self._hearing.hear(f"sync {self._kind}")
        super().xSync(flags)


class _Files(apsw.VFS):
    def __init__(self, hearing: Hearing) -> None:
        self._hearing = hearing
        super().__init__("heard", _SYSTEM, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> _File:  # noqa: N802  apsw's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if flags[0] & apsw.SQLITE_OPEN_CREATE and path:
            self._hearing.hear(f"begin {path}")
        return _File(self._hearing, name, flags)


def listen(hearing: Hearing) -> _Files:
    """Has everything from now on be heard; the result must be kept."""

    def on_statement(_: apsw.Cursor, sql: str, __: Any) -> bool:
        hearing.hear(f"statement {sql}")
        return True

    def on_commit() -> bool:
        hearing.hear("commit")
        return False

    def on_connection(connection: apsw.Connection) -> None:
        connection.exec_trace = on_statement
        connection.set_commit_hook(on_commit)

    def on_audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.remove", "os.rename"):
            hearing.hear(f"{event} {arguments[0]}")

    apsw.connection_hooks.append(on_connection)
    sys.addaudithook(on_audit)
    return _Files(hearing)


def work(root: Path, index_dir: Path) -> None:
    """Indexes all, saves some, finds the index damaged, indexes all again, and ends in order."""
    rested = threading.Event()
    workspace = Workspace.open(
        root, Settings(workers=1), index_dir=index_dir, on_status=lambda s: rested.set() if s.quiescent else None
    )
    workspace.start()
    assert rested.wait(WATCHDOG)
    for file in sorted(root.glob("*.py"))[:5]:
        file.write_text(file.read_text() + EDIT)
        workspace.document_saved(file).result(WATCHDOG)
    index = Path(workspace.status().index_path)
    mark_damaged(index)
    workspace.close()
    workspace = Workspace.open(root, Settings(workers=1), index_dir=index_dir)
    workspace.reindex()
    workspace.close()


def run_and_be_killed(root: Path, index_dir: Path, seconds: float) -> bool:
    """Kills a process that indexes after so many seconds; False when it had done its work by then."""
    process = _process(root, index_dir, "")
    try:
        return process.wait(seconds) != 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


def run_and_die(root: Path, index_dir: Path, moment: str) -> None:
    """Lets a process do its work until it dies at that moment."""
    done = _process(root, index_dir, moment).wait(WATCHDOG)
    assert done == -signal.SIGKILL, f"the moment did not come; exit code {done}"


def _process(root: Path, index_dir: Path, moment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "tests.dying", str(root), str(index_dir), moment], cwd=HERE)


def settled_rows(root: Path, index_dir: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Brings the index up to date, asserts that it is whole, and returns all that it says of the files."""
    workspace = Workspace.open(root, Settings(workers=1), index_dir=index_dir)
    try:
        workspace.reindex()
        index = Path(workspace.status().index_path)
    finally:
        workspace.close()
    connection = open_writer(index)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        for table in (*FTS_COLUMNS, *STALE_TWINS.values()):
            connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
        assert_full_text_is_consistent(connection)
        return {**rows(connection), "target": sorted(connection.execute(_TARGETS).fetchall(), key=repr)}
    finally:
        connection.close()


def main(words: Sequence[str]) -> None:
    """Works until the moment."""
    root, index_dir, moment = words
    if not moment:
        workspace = Workspace.open(Path(root), Settings(workers=2), index_dir=Path(index_dir))
        workspace.reindex()
        workspace.close()
        return
    files = listen(Hearing(MOMENTS[moment]))
    work(Path(root), Path(index_dir))
    del files


if __name__ == "__main__":
    main(sys.argv[1:])
