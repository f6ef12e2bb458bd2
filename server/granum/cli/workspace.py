"""Finding, opening and updating the workspace that a command is about."""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from granum.cli.exits import UsageError
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from granum.cli.options import QueryOptions, RootOptions
    from granum.engine import Workspace
    from granum.model.answers import Reindexed

PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)(?::(?P<column>\d+))?")


def folder(path: Path) -> Path:
    """The folder that a person named.

    Raises:
        UsageError: There is none, or it is a file.
    """
    try:
        real = path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise UsageError(f"there is no folder {path}") from error
    if not real.is_dir():
        raise UsageError(f"{path} is a file", f"name the folder around it: {path.parent}")
    return real


def find_root(start: Path) -> Path:
    """The git work tree around ``start``, else ``start`` itself. A worktree's ``.git`` is a file, so both count."""
    for candidate in (start, *start.parents):
        if (candidate / ".git").exists():
            return candidate
    return start


def root_of(options: RootOptions, file: Path | None = None) -> Path:
    """The root that the options name, else that around the current folder, or around ``file`` if it lies elsewhere."""
    if options.root:
        return folder(options.root)
    root = find_root(Path.cwd())
    if file is None:
        return root
    around = file.expanduser().absolute().parent
    return root if around.is_relative_to(root) or not around.is_dir() else find_root(around)


def settings_of(index_path: Path | None) -> Settings:
    """The settings of a command: the defaults, and its own place for the index."""
    return Settings(index_path=str(index_path.expanduser().absolute())) if index_path else Settings()


class Place(NamedTuple):
    """A place in a file as a person named it: line 1-based, column 0-based or None for the whole line."""

    path: Path
    line: int
    column: int | None


def place(text: str) -> Place | None:
    """Reads ``FILE:LINE`` or ``FILE:LINE:COLUMN`` (both 1-based, as compilers print them); None for a plain name."""
    match = PLACE.fullmatch(text)
    if not match:
        return None
    column = match["column"]
    return Place(Path(match["path"]), int(match["line"]), max(int(column) - 1, 0) if column else None)


@contextmanager
def opened(root: Path, options: QueryOptions) -> Iterator[Workspace]:
    """Opens the workspace, brings its index up to date unless told not to, and closes it at the end."""
    from granum.engine import Workspace

    workspace = Workspace.open(root, settings_of(options.index_path))
    try:
        if not options.no_update:
            update(workspace)
        yield workspace
    finally:
        workspace.close()


def update(workspace: Workspace, *, force: bool = False) -> Reindexed:
    """Brings the index up to date, with a progress bar on stderr if a person watches it. Ctrl-C stops it early."""
    from granum.cli.progress import Bar

    with Bar("Indexing") as bar:
        return workspace.reindex(force=force, progress=bar.advance)


def relative(workspace: Workspace, path: Path) -> str:
    """A path as the person gave it, relative to the workspace's root.

    Raises:
        UsageError: There is no such file.
    """
    real = path.expanduser().absolute()
    if not real.exists():
        raise UsageError(f"there is no file {path}")
    if real.is_dir():
        raise UsageError(f"{path} is a folder", "name a file in it")
    return workspace.relative(real)
