"""The tour's copy of a workspace: the files that Granum would index, and the git history if there is one."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from granum.extract import language_of
from granum.index.policy import RULE_FILES, Policy
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bounds of the copy, so that a tour of a very large workspace neither takes long nor fills the disk.
MOST_FILES = 20_000
MOST_BYTES = 500 * 1024 * 1024
SAMPLE = 40
GIT_PATIENCE = 60.0


class Copy(NamedTuple):
    """The copy's root, its files, those left out because of the bounds, and how long it took in seconds.

    ``sample`` are some of its files, those nearest to the root first.
    """

    root: Path
    files: int
    left_out: int
    seconds: float
    sample: tuple[Path, ...]


def copy_workspace(source: Path, target: Path) -> Copy:
    """Copies what the policy would index. The source is only read."""
    started = time.perf_counter()
    target.mkdir(parents=True)
    _copy_history(source, target)
    copied: list[Path] = []
    room = MOST_BYTES
    left_out = 0
    for path, size in _indexable(source):
        if len(copied) >= MOST_FILES or size > room:
            left_out += 1
            continue
        room -= size
        destination = target / path.relative_to(source)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, destination)
        copied.append(destination)
    shown = [path for path in copied if path.name not in RULE_FILES]
    sample = sorted(shown, key=lambda path: (len(path.parts), path))[:SAMPLE]
    return Copy(target, len(copied), left_out, time.perf_counter() - started, tuple(sample))


def _indexable(source: Path) -> Iterator[tuple[Path, int]]:
    """The regular files that the policy lets into the index by their names, with their sizes in bytes."""
    policy = Policy.load(source, Settings())
    for at, folders, files in os.walk(source):
        inner = PurePosixPath(Path(at).relative_to(source).as_posix())
        folders[:] = sorted(name for name in folders if policy.verdict((inner / name).as_posix(), is_dir=True).keep)
        for name in sorted(files):
            path = (inner / name).as_posix()
            if name not in RULE_FILES and not (language_of(path) and policy.verdict(path, is_dir=False).keep):
                continue
            try:
                status = (source / path).lstat()
            except OSError:
                continue  # it has just vanished
            if stat.S_ISREG(status.st_mode) and os.access(source / path, os.R_OK):
                yield source / path, status.st_size


def _copy_history(source: Path, target: Path) -> None:
    """Lets the copy share the objects of the source's repository, which costs nothing and writes nothing there.

    Without git, or where it fails, the copy is a plain folder, which Granum serves as well.
    """
    if not (source / ".git").exists() or shutil.which("git") is None:
        return
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    clone = ("git", "clone", "--quiet", "--shared", "--no-checkout", "--end-of-options", str(source), str(target))
    reset = ("git", "-C", str(target), "reset", "--quiet", "--mixed")
    for command in (clone, reset):
        try:
            done = subprocess.run(command, env=environment, capture_output=True, timeout=GIT_PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return
        if done.returncode:
            return
