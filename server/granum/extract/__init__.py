"""From a document's text to its layers; pure.

``extract`` is the one entrance. It does no I/O but reading the language folders' own files, and raises for no
text.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from granum.extract.language import load, suffixes
from granum.extract.modules import module_of
from granum.text.redact import redact

if TYPE_CHECKING:
    from granum.model.layers import Extraction

__all__ = ["EXTRACTOR_VERSION", "extract", "language_of", "module_of", "samples"]

#: Raised whenever the same text would give other rows.
EXTRACTOR_VERSION: Final = 1

MARKDOWN: Final = "markdown"
RST: Final = "rst"
TEXT: Final = "text"

_PROSE_SUFFIXES: Final = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdx": MARKDOWN,
    ".rst": RST,
    ".rest": RST,
    # Sphinx projects keep reStructuredText in .txt; its reader takes plain text as well
    ".txt": RST,
}
#: Files known by name, upper case, without a suffix.
_PROSE_NAMES: Final = frozenset(
    {"README", "CHANGES", "CHANGELOG", "CONTRIBUTING", "HISTORY", "NEWS", "INSTALL", "HACKING", "ARCHITECTURE"}
)


def language_of(path: str) -> str | None:
    """The language of a file, by its name; None for what is not indexed."""
    file = PurePosixPath(path)
    suffix = file.suffix.lower()
    found = suffixes().get(suffix) or _PROSE_SUFFIXES.get(suffix)
    return found or (RST if not suffix and file.name.upper() in _PROSE_NAMES else None)


def samples() -> tuple[str, ...]:
    """A file's name of each language; extracting an empty text under them loads everything that extraction needs."""
    return tuple(f"sample{suffix}" for suffix in (*suffixes(), *_PROSE_SUFFIXES))


def extract(path: str, text: str, language: str | None = None) -> Extraction:
    """All layers of one document; secrets are masked before anything is read.

    Args:
        path: POSIX, relative to the root.
        text: decoded, with LF line ends only.
        language: the language to read it as; by the path if not given.

    Returns:
        What the text yields. Text that cannot be read yields what can, and problems that say so.
    """
    name = language or language_of(path) or TEXT
    safe = redact(text)
    if name == MARKDOWN:
        from granum.extract.prose import extract_markdown

        return extract_markdown(path, safe)
    if name == RST:
        from granum.extract.prose import extract_rst

        return extract_rst(path, safe)
    code = load(name)
    if code is not None:
        from granum.extract.code import extract_code

        return extract_code(path, safe, code)
    from granum.extract.prose import extract_plain

    return extract_plain(path, safe)
