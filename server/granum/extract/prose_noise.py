"""What is no statement though it stands in prose: badges, cross references, licences, credits, changelogs."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_REFERENCE = re.compile(
    r"!?\[(?:!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])|[^\[\]])*\](?:\([^()]*\)|\[[^\[\]]*\])?"
    r"|:[\w:+.-]{1,40}:`[^`]*`|``[^`]*``|`[^`]*`(?:__?)?|\|[^|]+\|_?|<https?://[^>]*>|https?://\S+"
)
#: A text that begins with another letter begins with a word that is neither an address nor a lead-in.
_MAY_BEGIN = frozenset("hHfFeEuU")
_MARKS = ("`", "[", "|", "://")
_LETTER = re.compile(r"[^\W_]")
_LEAD_IN = re.compile(r"\W*(?:(?:for )?examples?|e\.g\.|usage)\W*$", re.IGNORECASE)
_NO_FACTS = re.compile(
    r"(?:licen[cs]e|licensing|copyright|(?:table of )?contents|toc|contributors|authors?|credits|maintainers"
    r"|acknowledge?ments?|thanks|sponsors|backers|star history|badges|see also|references|indices and tables)\W*$",
    re.IGNORECASE,
)
_NO_FACTS_FILE = re.compile(
    r"(?:licen[cs]e|copying|copyright|notice|authors|contributors|thanks|credits|patents|maintainers|codeowners)\b",
    re.IGNORECASE,
)
_CHANGELOG_FILE = re.compile(
    r"(?:changes|changelog|change[-_]log|history|news|release[-_]?notes?|releases|whats?[-_]?new)"
    r"(?:[-_.]?v?\d[\w.-]*)?(?:\.[a-z]+)?$",
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
_BREAKING = re.compile(
    r"backwards?|breaking|incompatib|deprecat|removed|removal|security|upgrad|migrating|migration guide", re.IGNORECASE
)


def is_reference_only(text: str) -> bool:
    """Whether a block is nothing but links, images, names and code, perhaps announced as an example."""
    if (text[:1].isalpha() and text[0] not in _MAY_BEGIN) or not any(mark in text for mark in _MARKS):
        return False
    rest = _REFERENCE.sub("", text)
    return not _LETTER.search(rest) or _LEAD_IN.match(rest) is not None


def is_changelog(path: str) -> bool:
    """Whether a file tells of past versions, by its name or folder."""
    file = PurePosixPath(path)
    return bool(_CHANGELOG_FILE.match(file.name)) or not _CHANGELOG_FOLDERS.isdisjoint(
        part.lower() for part in file.parts[:-1]
    )


def has_no_facts(path: str) -> bool:
    """Whether a file of this name is a licence or a list of people."""
    return _NO_FACTS_FILE.match(PurePosixPath(path).name) is not None


def heading_has_no_facts(heading: str) -> bool:
    """Whether a section under this heading credits, licenses or refers elsewhere."""
    return _NO_FACTS.match(heading) is not None


def announces_breakage(heading: str) -> bool:
    """Whether a changelog's section under this heading still binds whoever works on the code."""
    return _BREAKING.search(heading) is not None
