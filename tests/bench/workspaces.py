"""The workspace that the benchmarks measure.

It is the one named on the command line, else by the environment's GRANUM_BENCH_WORKSPACE, else Django 5.2's source
archive. A name like ``Sphinx==9.0.4`` is a source archive that pip downloads into the user's cache.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from platformdirs import user_cache_path

from granum.extract import language_of
from granum.index.policy import Policy
from granum.model.settings import Settings

VARIABLE = "GRANUM_BENCH_WORKSPACE"
REQUIREMENT = "Django==5.2"
CACHE = user_cache_path("granum-bench", appauthor=False)


class NoWorkspaceError(Exception):
    """There is nothing to measure; the message tells what to do."""


def located(argument: Path | None) -> Path:
    """The workspace's folder.

    Raises:
        NoWorkspaceError: The folder does not exist, or the archive cannot be had.
    """
    named = argument or Path(os.environ.get(VARIABLE) or REQUIREMENT)
    if named.is_dir():
        return named.resolve()
    if "==" in named.name:
        return _downloaded(named.name)
    raise NoWorkspaceError(f"{named} is no folder")


def copied(workspace: Path, folder: Path) -> Path:
    """A copy that a benchmark may edit, as a git repository with one commit and no uncommitted file."""
    copy = folder / "workspace"
    shutil.copytree(workspace, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *identity, *arguments], cwd=copy, check=True, capture_output=True)
    return copy


def indexable(workspace: Path) -> list[tuple[str, int]]:
    """The files that Granum indexes, as (path, bytes), in path order."""
    policy = Policy.load(workspace, Settings())
    found = []
    for folder, folders, files in os.walk(workspace):
        here = Path(folder).relative_to(workspace)
        folders[:] = [name for name in folders if policy.verdict((here / name).as_posix(), is_dir=True).keep]
        for name in files:
            path = (here / name).as_posix()
            file = workspace / path
            if language_of(path) and not file.is_symlink() and policy.verdict(path, is_dir=False).keep:
                found.append((path, file.stat().st_size))
    return sorted(found)


def spread(files: list[tuple[str, int]], count: int) -> list[str]:
    """At most ``count`` files that stand for the sizes of all: every n-th by size, the largest included."""
    ordered = [path for path, _ in sorted(files, key=lambda file: (file[1], file[0]))]
    if count >= len(ordered):
        return ordered
    last = len(ordered) - 1
    return [ordered[round(place * last / max(count - 1, 1))] for place in range(count)]


def _downloaded(requirement: str) -> Path:
    name, _, version = requirement.lower().partition("==")
    folder = CACHE / f"{name}-{version}"
    if not (folder / ".complete").is_file():
        archive = _archive(requirement, f"{name}-{version}.tar.gz")
        shutil.rmtree(folder, ignore_errors=True)
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
        (folder / ".complete").touch()
    return next(path for path in sorted(folder.iterdir()) if path.is_dir())


def _archive(requirement: str, name: str) -> Path:
    archives = CACHE / "archives"

    def kept() -> list[Path]:
        # archives are named by the package as it is spelled now or in lower case
        return [path for path in archives.glob("*.tar.gz") if path.name.lower() == name]

    if not kept():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "-q", "-d"]
        try:
            subprocess.run([*command, str(archives), requirement], check=True, stdout=sys.stderr)
        except subprocess.CalledProcessError as error:
            message = (
                f"pip could not download {requirement}'s source archive; "
                f"name a folder on the command line or in {VARIABLE}"
            )
            raise NoWorkspaceError(message) from error
    return kept()[0]
