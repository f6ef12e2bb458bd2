"""What ``granum doctor`` examines, one function a check.

The command line speaks to the engine alone everywhere else. The doctor looks past it on purpose: it must tell
which part is at fault when the engine cannot even be opened.
"""

from __future__ import annotations

import importlib
import os
import platform
import re
import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from granum.cli.text import size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OLDEST_PYTHON: Final = (3, 11)
#: ``--end-of-options``, without which a revision could be taken for an option, came with this version.
OLDEST_GIT: Final = (2, 24)
GIT_PATIENCE: Final = 10.0
INOTIFY_LIMIT: Final = Path("/proc/sys/fs/inotify/max_user_watches")
LITTLE_SPACE: Final = 200 * 1024 * 1024
REINSTALL: Final = "install Granum again: pip install --force-reinstall granum"


class Outcome(StrEnum):
    """How a check ended. A warning costs comfort or speed; a failure keeps Granum from working."""

    OK = "ok"
    WARNING = "warning"
    FAILURE = "failure"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One check: what was found and, where it is not well, what to do."""

    name: str
    outcome: Outcome = Outcome.OK
    detail: str
    remedy: str = ""


def all_checks(root: Path, index: Path | None) -> Iterator[Check]:
    """Every check, in the order in which a fault explains the ones after it.

    Args:
        root: The workspace.
        index: The folder for the index, if the person chose one.
    """
    machine: tuple[Callable[[], Check], ...] = (python, sqlite, code_grammars, markdown, git)
    yield from (check() for check in machine)
    yield repository(root)
    if INOTIFY_LIMIT.exists():
        yield watches(root, INOTIFY_LIMIT)
    file = index_file(root, index)
    place = index_place(file)
    yield place
    if place.outcome is not Outcome.FAILURE:
        yield integrity(file)


def python() -> Check:
    """The interpreter."""
    found = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < OLDEST_PYTHON:
        return Check(name="Python", outcome=Outcome.FAILURE, detail=found, remedy="Granum needs Python 3.11 or newer")
    return Check(name="Python", detail=found)


def sqlite() -> Check:
    """SQLite as apsw brings it, with the full-text tables that the index is made of."""
    try:
        import apsw
    except ImportError as error:
        return Check(name="SQLite", outcome=Outcome.FAILURE, detail=str(error), remedy=REINSTALL)
    connection = apsw.Connection(":memory:")
    try:
        connection.execute(
            "CREATE VIRTUAL TABLE t USING fts5(x, content='', contentless_delete=1, tokenize='porter unicode61')"
        )
    except apsw.Error as error:
        detail = f"{apsw.sqlite_lib_version()} without the FTS5 tables that Granum needs: {error}"
        remedy = "use apsw's own wheel, which brings SQLite with FTS5: pip install --force-reinstall apsw"
        return Check(name="SQLite", outcome=Outcome.FAILURE, detail=detail, remedy=remedy)
    finally:
        connection.close()
    return Check(name="SQLite", detail=f"{apsw.sqlite_lib_version()} with FTS5")


def code_grammars() -> Check:
    """The grammars of the programming languages and the queries over them."""
    from granum.extract.language import load, suffixes

    names = sorted(set(suffixes().values()))
    broken = {}
    for name in names:
        try:
            language = load(name)
            if language is not None:
                language.parse(b"")
                _ = (language.outline, language.guards)
        except (ImportError, OSError, ValueError, SyntaxError) as error:
            broken[name] = str(error)
    if broken:
        detail = "; ".join(f"{name}: {why}" for name, why in broken.items())
        return Check(name="Languages", outcome=Outcome.FAILURE, detail=detail, remedy=REINSTALL)
    return Check(name="Languages", detail=", ".join(names))


def markdown() -> Check:
    """The parser of Markdown; reStructuredText needs none but Granum's own."""
    try:
        importlib.import_module("markdown_it")
    except ImportError as error:
        return Check(name="Prose", outcome=Outcome.FAILURE, detail=str(error), remedy=REINSTALL)
    return Check(name="Prose", detail="Markdown, reStructuredText")


def git() -> Check:
    """The git executable. Granum works without it, but then knows neither branches nor commits."""
    advice = f"install git {'.'.join(map(str, OLDEST_GIT))} or newer to have branches and commits told"
    path = shutil.which("git")
    if path is None:
        return Check(name="git", outcome=Outcome.WARNING, detail="not found", remedy=advice)
    try:
        done = subprocess.run((path, "--version"), capture_output=True, text=True, timeout=GIT_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(name="git", outcome=Outcome.WARNING, detail=str(error), remedy=advice)
    match = re.search(r"(\d+)\.(\d+)", done.stdout)
    detail = f"{done.stdout.strip().removeprefix('git version ') or done.stderr.strip()} ({path})"
    if not match or (int(match[1]), int(match[2])) < OLDEST_GIT:
        return Check(name="git", outcome=Outcome.WARNING, detail=detail, remedy=advice)
    return Check(name="git", detail=detail)


def repository(root: Path) -> Check:
    """Which repository the workspace belongs to, and under which id its index is kept."""
    from granum.index import gitdir, location

    found = gitdir.find(root)
    identity = location.repository_id(root)
    if found is None:
        return Check(name="Repository", detail=f"none around {root}; identity {identity[:12]} from its path")
    kept = (found.common_dir / location.ID_FILE).exists()
    if not kept:
        remedy = f"make {found.common_dir} writable; until then the identity follows the folder's path"
        detail = f"{found.work_tree}; identity {identity[:12]} could not be kept"
        return Check(name="Repository", outcome=Outcome.WARNING, detail=detail, remedy=remedy)
    return Check(name="Repository", detail=f"{found.work_tree}; identity {identity[:12]}")


def watches(root: Path, limit_file: Path) -> Check:
    """Whether the system lets the server watch every folder of the workspace (Linux)."""
    limit = int(limit_file.read_text())
    needed = _kept_folders(root)
    detail = f"{needed:,} folders to watch, {limit:,} allowed for all programs of this user"
    # other programs (the editor among them) watch the same folders, so that half is the prudent bound
    if needed * 2 > limit:
        remedy = f"sudo sysctl fs.inotify.max_user_watches={max(524_288, needed * 4)} (and in /etc/sysctl.d to keep it)"
        return Check(name="File watches", outcome=Outcome.WARNING, detail=detail, remedy=remedy)
    return Check(name="File watches", detail=detail)


def _kept_folders(root: Path) -> int:
    from granum.index.policy import Policy
    from granum.model.settings import Settings

    policy = Policy.load(root, Settings())
    count = 0
    for at, folders, _ in os.walk(root):
        count += 1
        folder = Path(at)
        folders[:] = [
            name for name in folders if policy.verdict((folder / name).relative_to(root).as_posix(), is_dir=True).keep
        ]
    return count


def index_file(root: Path, index: Path | None) -> Path:
    """Where the workspace's index lies, or will."""
    from granum.cli.workspace import settings_of
    from granum.extract import EXTRACTOR_VERSION
    from granum.index import location
    from granum.index.schema import SCHEMA_VERSION

    first = location.index_path(root, settings_of(index), schema=SCHEMA_VERSION, extractor=EXTRACTOR_VERSION)
    return location.current_generation(first)


def index_place(file: Path) -> Check:
    """Whether the index's folder can be written, and has room."""
    remedy = "choose another folder: granum.indexPath in the editor, --index-path here, or GRANUM_CACHE_DIR for both"
    existing = next(folder for folder in file.parents if folder.exists())
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        probe = file.parent / f".probe-{os.getpid()}"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        detail = f"{file.parent} cannot be written: {error.strerror or error} (it exists up to {existing})"
        return Check(name="Index folder", outcome=Outcome.FAILURE, detail=detail, remedy=remedy)
    free = shutil.disk_usage(file.parent).free
    detail = f"{file.parent}, {size(free)} free"
    if free < LITTLE_SPACE:
        return Check(
            name="Index folder", outcome=Outcome.WARNING, detail=detail, remedy=f"free some space, or {remedy}"
        )
    return Check(name="Index folder", detail=detail)


def integrity(file: Path) -> Check:
    """Whether the index is whole."""
    import apsw

    from granum.index.connection import open_reader

    remedy = f"delete {file}; it is made again from the workspace"
    if not file.exists():
        return Check(name="Index", detail="not made yet; 'granum index' makes it")
    try:
        connection = open_reader(file)
        try:
            faults = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
        finally:
            connection.close()
    except apsw.Error as error:
        return Check(name="Index", outcome=Outcome.FAILURE, detail=f"{file.name}: {error}", remedy=remedy)
    if faults != ["ok"]:
        return Check(name="Index", outcome=Outcome.FAILURE, detail=f"{file.name}: {faults[0]}", remedy=remedy)
    return Check(name="Index", detail=f"{file.name}, {size(file.stat().st_size)}, whole")
