"""What is no statement though it stands in prose: badges, cross references, licences, credits, changelogs."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_REFERENCE = re.compile(
    r"!?\[(?:!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])|[^\[\]])*\](?:\([^()]*\)|\[[^\[\]]*\])?"
    r"|:(?:ref|doc|numref|download):`[^`]*`|`[^`]*`__?|\|[^|]+\|_?|<https?://[^>]*>|https?://\S+"
)
_LETTER = re.compile(r"[^\W_]")
_NO_FACTS = re.compile(
    r"(?:licen[cs]e|licensing|copyright|(?:table of )?contents|toc|contributors|authors?|credits|maintainers"
    r"|acknowledge?ments?|thanks|sponsors|backers|star history|badges|see also|references|indices and tables)\W*$",
    re.IGNORECASE,
)
_NO_FACTS_FILE = re.compile(
    r"(?:licen[cs]e|copying|copyright|notice|authors|contributors|thanks|credits|patents|maintainers|codeowners"
    r"|requirements|constraints|sources|top_level|entry_points|dependency_links|requires|robots|manifest)\b",
    re.IGNORECASE,
)
_CHANGELOG_FILE = re.compile(
    r"(?:changes|changelog|change[-_]log|history|news|release[-_]?notes?|releases|whats?[-_]?new)(?:\b|_)",
    re.IGNORECASE,
)
_CHANGELOG_FOLDERS = frozenset(
    {
        "changes",
        "changelog",
        "changelogs",
        "releases",
        "release_notes",
        "release-notes",
        "whatsnew",
        "news",
        "newsfragments",
    }
)
_BREAKING = re.compile(r"backwards?|breaking|incompatib|deprecat|removed|removal|security|upgrad|migrat", re.IGNORECASE)


def is_reference_only(text: str) -> bool:
    """Whether nothing is left of a block once its links, images and substitutions are taken away."""
    return ("[" in text or "`" in text or "://" in text or "|" in text) and not _LETTER.search(_REFERENCE.sub("", text))


def is_changelog(path: str) -> bool:
    """Whether a file tells of past versions, by its name or folder."""
    file = PurePosixPath(path)
    return bool(_CHANGELOG_FILE.match(file.name)) or not _CHANGELOG_FOLDERS.isdisjoint(
        part.lower() for part in file.parts[:-1]
    )


def has_no_facts(path: str) -> bool:
    """Whether a file of this name is a licence, a list of names or a list of files."""
    return _NO_FACTS_FILE.match(PurePosixPath(path).name) is not None


def heading_has_no_facts(heading: str) -> bool:
    """Whether a section under this heading credits, licenses or refers elsewhere."""
    return _NO_FACTS.match(heading) is not None


def announces_breakage(heading: str) -> bool:
    """Whether a changelog's section under this heading still binds whoever works on the code."""
    return _BREAKING.search(heading) is not None
