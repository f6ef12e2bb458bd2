"""What git says of a workspace: branch, commit, merge base, changed paths.

The ``git`` executable is asked, never its files: refs may be packed. Every call is bounded in time, takes no lock
(``GIT_OPTIONAL_LOCKS=0``), runs no program that a repository's configuration names (file system monitor, external
diff), and reaches no network. Without git, outside a repository, and in a repository that git refuses (owned by
someone else), there is no state.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import msgspec

from granum.index import gitdir

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

_TIMEOUT = 10.0

#: Variables that would make git look at another repository, as inside a hook.
_FOREIGN = re.compile(
    r"GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|PREFIX|NAMESPACE"
    r"|CEILING_DIRECTORIES|EXTERNAL_DIFF|QUARANTINE_PATH|CONFIG_PARAMETERS|CONFIG_COUNT|TRACE.*)"
)
_OVERRIDES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",  # a file may be called *.py
    "LC_ALL": "C",
}
_COMMAND = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")

#: What a default branch is called where the remote does not tell, best first.
_DEFAULT_NAMES = ("main", "master", "trunk", "default", "develop")
_REMOTE = "refs/remotes/origin/"
_LOCAL = "refs/heads/"

#: A commit id, abbreviated or whole (sha1 and sha256), or a ref by its full name.
_REVISION = re.compile(r"[0-9a-f]{4,64}|refs/[^\s~^:?*\[\\\x00-\x1f]+")


class GitState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a work tree.

    ``branch`` is empty on a detached HEAD; ``head`` is the commit's id, empty on an unborn branch. ``dirty`` says
    that tracked files differ from HEAD. ``default_branch`` is a short name, empty when there is none;
    ``merge_base`` is the commit where HEAD left it. ``upstream`` says that the branch has an upstream configured.
    """

    branch: str
    head: str
    dirty: bool
    default_branch: str
    merge_base: str
    upstream: bool
    worktree_id: str
    common_dir: str


def read(root: Path) -> GitState | None:
    """Reads the state of the work tree that holds ``root``; None when git has nothing to say."""
    repository = gitdir.find(root)
    if repository is None:
        return None
    status = _git(
        root, "status", "--porcelain=v2", "--branch", "-z", "--untracked-files=no", "--ignore-submodules=dirty"
    )
    if status is None:
        return None
    lines = status.split("\0")
    headers = dict(line[2:].split(" ", 1) for line in lines if line.startswith("# ") and line.count(" ") > 1)
    head = headers.get("branch.oid", "").replace("(initial)", "")
    default, refs = _default_branch(root)
    return GitState(
        branch=headers.get("branch.head", "").replace("(detached)", ""),
        head=head,
        dirty=any(line and not line.startswith("# ") for line in lines),
        default_branch=default,
        merge_base=_merge_base(root, refs) if head else "",
        upstream="branch.upstream" in headers,
        worktree_id=repository.worktree_name,
        common_dir=os.fspath(repository.common_dir),
    )


def changed_paths(root: Path, base: str, within: Collection[str] = ()) -> frozenset[str]:
    """The paths below ``root`` (relative, POSIX) that differ from commit ``base``, and the untracked ones.

    Deleted paths count, ignored ones do not. Empty when git has nothing to say.

    Args:
        root: A folder of a work tree.
        base: A commit.
        within: Files and folders to look at, relative to ``root``; all when empty. A few cost a fraction of all.

    Raises:
        ValueError: ``base`` is no commit id and no full ref name.
    """
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", *within)
    return differing_paths(root, base, within) | _paths(untracked)


def differing_paths(root: Path, base: str, within: Collection[str] = ()) -> frozenset[str]:
    """The tracked paths among them.

    Raises:
        ValueError: As in ``changed_paths``.
    """
    if not _REVISION.fullmatch(base):
        raise ValueError("a revision must be a commit id or a full ref name")
    differing = _git(
        root, "diff", "--name-only", "-z", "--relative", "--no-renames", "--no-ext-diff", "--no-textconv",
        "--ignore-submodules=dirty", "--end-of-options", base, "--", *within,
    )  # fmt: skip
    return _paths(differing)


def _paths(answer: str | None) -> frozenset[str]:
    return frozenset(path for path in (answer or "").split("\0") if path)


def _default_branch(root: Path) -> tuple[str, list[str]]:
    """The default branch's short name, and the full names of the refs that stand for it, local and remote."""
    wanted = [prefix + name for prefix in (_LOCAL, _REMOTE) for name in _DEFAULT_NAMES]
    listed = _git(root, "for-each-ref", "--format=%(refname) %(symref)", _REMOTE + "HEAD", *wanted) or ""
    symrefs = dict(line.split(" ", 1) for line in listed.split("\n") if " " in line)
    told = symrefs.pop(_REMOTE + "HEAD", "").removeprefix(_REMOTE)
    name = told or next((name for name in _DEFAULT_NAMES if {_LOCAL + name, _REMOTE + name} & symrefs.keys()), "")
    if told and told not in _DEFAULT_NAMES:
        local = _git(root, "for-each-ref", "--format=%(refname)", _LOCAL + told) or ""
        return told, [_REMOTE + told, *local.split()]
    return name, [ref for ref in (_LOCAL + name, _REMOTE + name) if ref in symrefs]


def _merge_base(root: Path, refs: Sequence[str]) -> str:
    """Where HEAD left the default branch: the nearest common ancestor with its local or remote ref."""
    if not refs:
        return ""
    return (_git(root, "merge-base", "--end-of-options", "HEAD", *refs) or "").strip()


def _git(root: Path, *arguments: str) -> str | None:
    """Git's standard output, or None when it failed, is missing, or took too long."""
    try:
        done = subprocess.run(
            [*_COMMAND, *arguments],
            cwd=root,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
            creationflags=0x08000000 if sys.platform == "win32" else 0,  # no console window
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not _FOREIGN.fullmatch(name)}
    return {**kept, **_OVERRIDES}
