"""Links in a query, reduced to what helps to find code: a path into a repository's files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from granum.retrieve.query.values import PathMention

if TYPE_CHECKING:
    from collections.abc import Iterator

_URL = re.compile(r"(?:https?|ftp|file)://[^\s<>\"'`|\\^{}\[\]]{1,1000}")
#: What follows the repository's name in a link to a file: GitHub, GitLab, Gitea, Bitbucket, Trac.
_INTO_A_TREE = re.compile(
    r"/(?:(?:-/)?(?:blob|blame|raw|edit)/[^/\s]{1,200}|src/(?:branch|commit|tag)/[^/\s]{1,200}|browser/[^/\s]{1,80}/(?:trunk|[0-9a-f]{7,40}))/"
)
_RAW_HOST = re.compile(
    r"https?://raw\.githubusercontent\.com/[^/\s]{1,100}/[^/\s]{1,100}/(?:refs/heads/)?[^/\s]{1,200}/"
)
_LINES = re.compile(r"(?:L|lines-|l)?(\d{1,7})(?:[-:]L?(\d{1,7}))?")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\(([^()\s]{0,1000})[^()\n]{0,300}\)")


def without_links(text: str) -> str:
    """The text with each link reduced: to its title and the path it leads to, or to nothing."""
    if "](" in text:
        text = _MARKDOWN_LINK.sub(lambda link: f"{link[1]} {link[2] if '://' in link[2] else ''} ", text)
    return _URL.sub(lambda link: f" {_path(link.group())} ", text) if "://" in text else text


def linked_paths(text: str) -> Iterator[PathMention]:
    """The files that links lead to."""
    for link in _URL.finditer(text):
        path = _path(link.group())
        if path:
            yield PathMention(path, *_line_range(link.group().partition("#")[2]))


def _path(url: str) -> str:
    """The file's path in its repository, ``""`` for any other link."""
    bare = url.partition("#")[0].partition("?")[0].rstrip(".,;:!)")
    start = _INTO_A_TREE.search(bare) or _RAW_HOST.match(bare)
    return bare[start.end() :] if start else ""


def _line_range(fragment: str) -> tuple[int, int]:
    found = _LINES.match(fragment)
    if not found:
        return 0, 0
    first = int(found[1])
    return first, int(found[2] or first)
