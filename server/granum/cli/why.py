"""Why a file is, or is not, in the index: the rule by its name and in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from granum.extract import language_of
from granum.index.paths import relative
from granum.index.policy import Policy, Reason
from granum.index.regular import read_regular
from granum.model.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

SENTENCES: Final = {
    Reason.KEPT: "it is indexed",
    Reason.VERSION_CONTROL: "it belongs to a version control system",
    Reason.DEPENDENCIES: "it lies in a folder of installed dependencies",
    Reason.VIRTUAL_ENVIRONMENT: "it lies in a virtual environment",
    Reason.CACHE: "it lies in a cache or in what a build tool makes",
    Reason.NESTED_REPOSITORY: "it belongs to another repository inside this one; open that as a workspace of its own",
    Reason.IGNORED: "a .gitignore, .git/info/exclude or .granumignore names it; '!' in .granumignore brings it back",
    Reason.EXCLUDED: "the setting granum.exclude names it",
    Reason.SECRET: "its name says that it holds secrets, which are never read",
    Reason.MINIFIED: "it is minified, so that nobody has written it as it stands",
    Reason.GENERATED: "it says that it is generated",
    Reason.LOCK_FILE: "it is a lock file, written by a tool",
    Reason.BAD_NAME: "its name is not valid Unicode; rename it",
    Reason.TOO_LARGE: "it is larger than the setting granum.maxFileSize allows",
    Reason.BINARY: "it is binary",
}
NO_LANGUAGE: Final = "no_language"
_LARGEST: Final = 256 * 1024 * 1024


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """A file's verdict. ``reason`` is a stable name, ``explanation`` a sentence for a person."""

    path: str
    indexed: bool
    reason: str
    explanation: str


def why(root: Path, file: Path) -> Why:
    """Judges one file.

    Raises:
        NotInWorkspaceError: It lies outside the root.
    """
    path = relative(root, file.expanduser().absolute())
    policy = Policy.load(root, Settings())
    verdict = policy.verdict(path, is_dir=file.is_dir())
    if verdict.keep and not file.is_dir():
        if language_of(path) is None:
            explanation = "Granum knows no language by its name"
            return Why(path=path, indexed=False, reason=NO_LANGUAGE, explanation=explanation)
        verdict = policy.content_verdict(path, read_regular(file, _LARGEST)[1])
    return Why(path=path, indexed=verdict.keep, reason=verdict.reason, explanation=SENTENCES[verdict.reason])
