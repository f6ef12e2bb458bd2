"""How reStructuredText's block constructs look, line by line, and what each directive's content is."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from granum.extract.outline import words
from granum.extract.statement import Role

BULLET = re.compile(r"[-*+•‣⁃](?:\s+|$)")
_TOCTREE_ENTRY = re.compile(r"(?:.*<)?([\w./-]+)>?$")
_ORDINAL = r"(?:\d{1,9}|#|[a-zA-Z]|[ivxlcdm]{2,8}|[IVXLCDM]{2,8})"
ENUMERATOR = re.compile(rf"(?:\(?{_ORDINAL}\)|{_ORDINAL}\.)(?:\s+|$)")
FIELD = re.compile(r":(?![: `])((?:[^:\\`]|\\.|:(?![\s`]|$)){1,120}):(?:\s+|$)")
_OPTION = r"(?:--?|/)[\w?][^\s,]*(?:[ =]<?[\w.|:-]+>?)?"
OPTION = re.compile(rf"{_OPTION}(?:, {_OPTION})*(?:\s{{2,}}|$)")
ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*$")
SIMPLE_BORDER = re.compile(r"=+(?:\s+=+)+$")
GRID_BORDER = re.compile(r"\+-[-+]+\+$")
EXPLICIT = re.compile(r"\.\.(?:\s+|$)")
DIRECTIVE = re.compile(r"\.\.\s+(?:\|[^|]+\|\s+)?([A-Za-z0-9](?:[\w+.-]|:(?!:))*)\s?::(?:\s+|$)")
FOOTNOTE = re.compile(r"\.\.\s+\[(?:#?[\w.-]*|\*)\](?:\s+|$)")
TARGET = re.compile(r"\.\.\s+(?:_|\|)|__(?:\s|$)")

if TYPE_CHECKING:
    from collections.abc import Sequence


class Content(Enum):
    """How the block below a directive is read."""

    OPAQUE = auto()  # code, pictures, tables of contents
    ADMONITION = auto()  # prose with a role; no argument
    TITLED = auto()  # the argument is a title, then prose
    VERSION = auto()  # the argument begins with a version
    CONTAINER = auto()  # prose as if the directive were not there
    OBJECT = auto()  # the argument names what the content describes
    TABLE = auto()


ADMONITIONS: dict[str, Role] = {
    **dict.fromkeys(words("warning danger caution error"), Role.WARNING),
    **dict.fromkeys(words("note hint tip important attention"), Role.NOTE),
}
VERSIONS: dict[str, tuple[Role, str]] = {
    "versionadded": (Role.NOTE, "Added in version"),
    "versionchanged": (Role.NOTE, "Changed in version"),
    "deprecated": (Role.DEPRECATED, "Deprecated since version"),
    "deprecated-removed": (Role.DEPRECATED, "Deprecated since version"),
    "versionremoved": (Role.DEPRECATED, "Removed in version"),
}
TABLES = frozenset({"list-table", "csv-table", "flat-table"})
#: Directives whose members are named without their owner.
OWNERS = words("class exception autoclass autoexception struct interface enum protocol")
_TITLED = words("admonition topic sidebar rubric dropdown tab tab-item card grid-item-card collapse")
_CONTAINERS = words(
    "container rst-class only ifconfig glossary table compound tabs tab-set grid grid-item hlist cssclass"
    " compound highlights"
)
_OPAQUE = re.compile(
    r"code|literal|source|prompt|console|math|diagram|graph|doctest|^test(?:code|setup|output|cleanup)$|^raw$|plot"
    r"|ipython|jupyter|mermaid|uml|snippet|include|image|figure|^toctree|^index$|^contents$|sectnum|^seealso$|^meta$"
    r"|highlight|^role$|default-role|author$|tabularcolumns|^centered$|epigraph|pull-quote|^todo|^target-notes$"
    r"|^replace$|^unicode$|^date$|^header$|^footer$|^program$|domain$|^title$|video|youtube|button|jinja|exec|^click:"
    r"|^currentmodule$|^py:currentmodule$|^bibliography$|^autosummary$|^raw-html|^parsed|terminal|shell|^bash$"
    r"|^git_?changelog|towncrier|^changelog"
)

_TYPE_FIELDS = words("type rtype vartype kwtype paramtype no-index noindex module platform synopsis")
_PARAMETER_FIELDS = words("param parameter arg argument key keyword kwarg var ivar cvar")
_RAISES_FIELDS = words("raises raise except exception throws")
_RETURNS_FIELDS = words("return returns yield yields")


def content_of(name: str) -> Content:
    """How the directive's content is read; an unknown directive describes an object, as Sphinx domains do."""
    if name in ADMONITIONS:
        return Content.ADMONITION
    if name in VERSIONS:
        return Content.VERSION
    if name in TABLES:
        return Content.TABLE
    if name in _TITLED:
        return Content.TITLED
    if name in _CONTAINERS:
        return Content.CONTAINER
    if _OPAQUE.search(name):
        return Content.OPAQUE
    return Content.OBJECT


def field_role(name: str) -> tuple[Role, str] | None:
    """The role and label of a field in an object's description; None where it says nothing but a type."""
    kind, _, rest = name.partition(" ")
    label = rest.split(" ")[-1].lstrip("*\\") if rest else ""
    if kind in _TYPE_FIELDS:
        return None
    if kind in _PARAMETER_FIELDS:
        return Role.PARAMETER, label
    if kind in _RAISES_FIELDS:
        return Role.RAISES, rest
    if kind in _RETURNS_FIELDS:
        return Role.RETURNS, ""
    return Role.ITEM, name


def toctree_entries(lines: Sequence[str]) -> list[str]:
    """The documents that a table of contents lists, as written."""
    texts = (line.strip() for line in lines)
    entries = (_TOCTREE_ENTRY.match(text) for text in texts if text and text[0] != ":")
    return [entry.group(1) for entry in entries if entry]


def indent_of(line: str) -> int:
    """Columns before the first character, or -1 for a blank line."""
    stripped = line.lstrip()
    return len(line) - len(stripped) if stripped else -1


def is_adornment(line: str) -> bool:
    """Whether the line is one punctuation character repeated, as above or below a title."""
    return ADORNMENT.match(line) is not None


def underlines(title: str, line: str) -> bool:
    """Whether the line underlines the title; four characters are enough, as docutils takes them with a warning."""
    return is_adornment(line) and (len(line) >= len(title) or len(line) >= 4)


def enumerates(following: str, width: int, indent: int) -> bool:
    """Whether the line begins an enumerated item rather than a sentence such as ``A. Einstein was``.

    The line below it must be blank, indented under the text or the next item.
    """
    below = indent_of(following)
    if below == indent:
        return ENUMERATOR.match(following[indent:]) is not None
    return below < indent or below >= indent + width


def without_literal_mark(line: str) -> str:
    """A line as a reader sees it before a literal block: ``text ::`` is ``text``, ``text::`` is ``text:``."""
    if not line.endswith("::"):
        return line
    text = line[:-2]
    return text.rstrip() if not text.strip() or text[-1].isspace() else text + ":"
