"""Where a workspace's index lies.

``<cache>/granum/<repository id>/<worktree id>/index-<schema>-<extractor>.db``, where ``<cache>`` is the user's cache
folder or ``GRANUM_CACHE_DIR``. A program with another schema or extractor uses another file, so that two versions
side by side do not rebuild each other's index.

The repository id is random and kept in the repository's common directory (``granum-id``), so that it survives a
move and is shared by all work trees; outside git, or where it cannot be written, it is derived from the root's path.
The worktree id holds a digest of the root's path: a copied repository carries its ``granum-id`` along, and two roots
must never share an index.

The extraction cache, ``extractions.db``, lies beside the work trees' folders.

A corrupt index is left under its name (Windows cannot rename an open database) and the next generation begun:
``index-1-1.db``, ``index-1-1.1.db``, ``index-1-1.2.db``; the highest is current.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from granum.index import gitdir

if TYPE_CHECKING:
    from granum.model.settings import Settings

CACHE_VARIABLE = "GRANUM_CACHE_DIR"
ID_FILE = "granum-id"
EXTRACTIONS_FILE = "extractions.db"

_ID = re.compile(r"[0-9a-f]{32}")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_PATIENCE = 50


def index_path(root: Path, settings: Settings, cache_dir: Path | None = None, *, schema: int, extractor: int) -> Path:
    """The first generation's path of the root's index; nothing is created but the repository's id.

    ``settings.index_path`` replaces the folder: one relative to the root as it is, an absolute one with a folder for
    each root in it, since several roots may have the same setting.
    """
    name = f"index-{schema}-{extractor}.db"
    if settings.index_path:
        chosen = Path(settings.index_path).expanduser()
        return chosen / worktree_id(root) / name if chosen.is_absolute() else root / chosen / name
    return (cache_dir or default_cache_dir()) / repository_id(root) / worktree_id(root) / name


def extraction_cache_path(root: Path, settings: Settings, cache_dir: Path | None = None) -> Path:
    """The file of the extraction cache, which the work trees of the root's repository share.

    Where the settings name a folder, it lies in that one: the root's own, or that of all roots with the same setting.
    """
    if settings.index_path:
        chosen = Path(settings.index_path).expanduser()
        return (chosen if chosen.is_absolute() else root / chosen) / EXTRACTIONS_FILE
    return (cache_dir or default_cache_dir()) / repository_id(root) / EXTRACTIONS_FILE


def default_cache_dir() -> Path:
    """``GRANUM_CACHE_DIR`` if it is set, else granum's folder in the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE, "")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("granum", appauthor=False))


def repository_id(root: Path) -> str:
    """The id of the repository that holds ``root``, created at its first use: 32 hexadecimal digits."""
    repository = gitdir.find(root)
    kept = _kept_id(repository.common_dir / ID_FILE) if repository else ""
    return kept or _digest(root)[:32]


def worktree_id(root: Path) -> str:
    """A folder name for the root itself, unlike that of any other root on this machine."""
    repository = gitdir.find(root)
    name = _UNSAFE.sub("-", repository.worktree_name if repository else "folder")[:40]
    return f"{name}-{_digest(root)[:12]}"


def generations(path: Path) -> tuple[Path, ...]:
    """The existing generations of an index, the oldest first; ``path`` is the first one's."""
    pattern = re.compile(rf"{re.escape(path.stem)}(?:\.(\d{{1,9}}))?{re.escape(path.suffix)}")
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ()
    numbered = sorted((int(match[1] or 0), name) for name in names if (match := pattern.fullmatch(name)))
    return tuple(path.parent / name for _, name in numbered)


def current_generation(path: Path) -> Path:
    """The generation in use: the highest that exists, or ``path`` itself."""
    return (generations(path) or (path,))[-1]


def next_generation(path: Path) -> Path:
    """The path of the generation to begin after the current one; ``path`` itself when there is none."""
    existing = generations(path)
    if not existing:
        return path
    number = existing[-1].stem.removeprefix(path.stem).lstrip(".") or "0"
    return path.with_name(f"{path.stem}.{int(number) + 1}{path.suffix}")


def _digest(root: Path) -> str:
    return sha256(os.fsencode(os.path.realpath(root))).hexdigest()


def _kept_id(file: Path) -> str:
    """The id in the file, which is created when it is missing; empty when that cannot be done."""
    found = _read_id(file)
    if found is not None:
        return found
    try:
        # two servers may start at once: only one of them creates the file
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    except FileExistsError:
        return _read_id(file) or ""
    except OSError:
        return ""
    created = secrets.token_hex(16)
    try:
        with os.fdopen(descriptor, "w") as stream:
            stream.write(created)
    except OSError:  # a full disk: an empty file would keep everyone from ever having an id
        with suppress(OSError):
            file.unlink()
        return ""
    return created


def _read_id(file: Path) -> str | None:
    """The id in the file; empty when it holds something else, None when there is no file."""
    for _ in range(_PATIENCE):
        try:
            content = file.read_text("ascii", "replace").strip()
        except FileNotFoundError:
            return None
        except OSError:
            return ""
        if content:
            return content if _ID.fullmatch(content) else ""
        time.sleep(0.002)  # its creator is just writing it
    return ""
