"""Ignore files: gitignore patterns compiled to one regular expression a file.

pathspec translates the patterns. Its own matcher emulates git by one look at a whole path; here every folder on the
way is judged by itself, as git does, so each pattern is narrowed to match a path exactly and not what lies below it.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

if TYPE_CHECKING:
    from collections.abc import Iterable

_BOM = "\ufeff"
_LARGEST = 1024 * 1024

#: pathspec's marker of "this is a folder, or something below it", in its two forms.
_BELOW = "(?P<ps_d>/)"
_BELOW_OR_END = rf"(?:{_BELOW}|$)"


class IgnoreRules:
    """The patterns of one ignore file, for paths relative to the workspace's root.

    ``base`` is the file's folder relative to the root: ``pkg/`` or empty. ``above`` is the way down from the file's
    folder to the root, for a file outside of the root. Later patterns win.
    """

    __slots__ = ("_above", "_cut", "_ignores", "_pattern")

    def __init__(self, lines: Iterable[str], *, base: str = "", above: str = "") -> None:
        rules = [rule for line in lines if (rule := _translate(line)) is not None]
        rules.reverse()
        self._ignores = tuple(ignores for _, ignores in rules)
        self._pattern = re.compile("|".join(f"({regex})" for regex, _ in rules)) if rules else None
        self._cut = len(base)
        self._above = above

    def __bool__(self) -> bool:
        return self._pattern is not None

    def ignores(self, path: str) -> bool | None:
        """Whether the file's last matching pattern ignores the path; None when no pattern matches.

        ``path`` is relative to the workspace's root; a folder's ends with a slash.
        """
        match = self._pattern.match(self._above + path[self._cut :]) if self._pattern else None
        return self._ignores[match.lastindex - 1] if match and match.lastindex else None


def read_lines(file: str) -> list[str]:
    """The lines of an ignore file; none when there is no such regular file (git does not follow links here)."""
    if not os.access(file, os.R_OK):
        return []
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return []
        with open(file, "rb") as stream:  # noqa: PTH123 -- Path objects would double the cost of a folder
            text = os.fsdecode(stream.read(_LARGEST))
    except OSError:
        return []
    return [line.removesuffix("\r") for line in text.removeprefix(_BOM).split("\n")]


def _translate(line: str) -> tuple[str, bool] | None:
    """A line's regular expression for exact paths, and whether it ignores; None for comments and broken patterns."""
    try:
        pattern = GitIgnoreSpecPattern(line)
    except (GitIgnorePatternError, re.error):
        return None
    if pattern.include is None or pattern.regex is None:
        return None
    regex = pattern.regex.pattern
    folder = r"/.+/\Z" if _means_folders_below(line) else r"/\Z"
    exact = regex.replace(_BELOW_OR_END, r"/?\Z").replace(_BELOW, folder)
    if exact == regex and regex.endswith("/"):
        exact += "."  # "folder/**": anything below the folder, but not the folder
    return exact if exact.startswith("^") else f"^.*?{exact}", pattern.include


def _means_folders_below(line: str) -> bool:
    """Whether the pattern is like ``a/**/``: git takes it for the folders below a, pathspec for ``a/``."""
    *segments, last = line.removeprefix("!").strip("/ ").split("/")
    return last == "**" and any(segment != "**" for segment in segments)
