"""Normal forms of prose: what makes two statements the same, and markup taken off.

``normalise`` defines a proposition's identity (NFC, white space folded, inline markup stripped, case kept), so
any change here changes every hash: raise the extractor's version with it.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

#: Without one of these, or an underscore that begins a word, there is no markup.
_MARKS = ("`", "*", "[", "<", "|", "\\")
_UNDERSCORED = re.compile(r"(?<!\w)_\w")

#: Code comes first, since nothing inside it is markup. Every repetition is bounded: a mark without its partner must
#: not make each search run to the end of a long text.
_MARKUP = re.compile(
    # the look-ahead fails in one step where no alternative can begin, which is nearly everywhere
    r"""(?=[`:!\[<*_|\\]|\s\[)(?:
      (?P<literal>(?<!`)``(?!`)(?P<literal_text>.{1,1000}?)``(?!`))
    | :(?P<role>[a-zA-Z][\w+.:-]{0,60}):`(?P<role_text>[^`]{1,1000})`
    | (?<![`\\])`(?P<code>[^`]{1,1000})`(?:__?(?!\w)|:(?P<suffix_role>[a-zA-Z][\w:-]{0,60}):)?
    | !?\[(?P<link>[^\[\]]{0,500})\](?:\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?
        (?:\s+["'][^"']{0,500}["'])?\)|\[[^\[\]]{0,500}\])
    | \s?\[(?:\#?[\w-]{0,60}|\*)\]_(?!\w)
    | <(?P<auto>(?:https?|ftp|mailto):[^<>\s]{1,2000})>
    | <!--.{0,2000}?-->
    | <(?P<tag>a|abbr|b|big|code|del|em|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var)
        (?:\s[^<>]{0,500})?>(?P<tagged>.{0,1000}?)</(?P=tag)\s*>
    | <(?:br|img)\b[^<>]{0,500}>
    | (?<![\w*\\])\*\*(?=[^\s*])(?P<strong>.{1,1000}?)(?<=[^\s*\\])\*\*(?![\w*])
    | (?<![\w*\\])\*(?=[^\s*])(?P<emphasis>[^*]{1,1000}?)(?<=[^\s\\])\*(?![\w*])
    | (?<![\w\\])_(?=[^\s_])(?P<underscored>[^_\n\s]{1,60}\s[^_\n]{0,500}?)(?<=\S)_(?!\w)
    | (?<![\w|])\|(?=[^\s|])(?P<substitution>[\w .-]{1,60}?)(?<=\S)\|_{0,2}(?![\w|])
    | (?<=[`*|])\\\s | \\\s(?=[`*|:])
    | \\(?P<escaped>[*_`|\[\]<>])
    )""",
    re.VERBOSE | re.DOTALL,
)

#: Text inside these groups may hold markup again.
_NESTING = ("link", "tagged", "strong", "emphasis", "underscored")
_TARGET = re.compile(r"\s*<[^<>]*>\s*\Z")
_LABELLED_ROLES = {"pep": "PEP ", "rfc": "RFC "}


def normalise(text: str) -> str:
    """The normal form by which two statements are the same: markup stripped, NFC, white space folded."""
    plain = strip_markup(text)
    return " ".join((plain if plain.isascii() else unicodedata.normalize("NFC", plain)).split())


def fingerprint(text: str) -> str:
    """The hexadecimal sha256 of the text's normal form."""
    return sha256(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()


def strip_markup(text: str) -> str:
    """Takes off inline markup of Markdown, reStructuredText and HTML, and keeps what a reader would see.

    Code keeps its content as it is; a role or link keeps its title. ``*args`` and ``__init__`` are not markup,
    and neither are placeholders in angle brackets.
    """
    for mark in _MARKS:
        if mark in text:
            return _MARKUP.sub(_visible, text)
    return _MARKUP.sub(_visible, text) if "_" in text and _UNDERSCORED.search(text) else text


def _visible(match: re.Match[str]) -> str:
    kind = match.lastgroup  # the last group to close: an alternative's own, or the last one inside it
    if kind == "literal":
        return match["literal_text"].strip()
    if kind == "role_text":
        return _role_title(match["role"], match["role_text"])
    if kind in ("code", "suffix_role"):
        return _role_title(match["suffix_role"] or "", match["code"])
    if kind is None:
        return ""
    return strip_markup(match[kind]) if kind in _NESTING else match[kind]


def _role_title(role: str, text: str) -> str:
    """What a role shows: ``title <target>`` its title, ``~a.b.c`` only c, ``!x`` x."""
    title = _TARGET.sub("", text) or text
    if title != text:
        return title
    if not role:
        return text
    prefix = _LABELLED_ROLES.get(role.rpartition(":")[2], "")
    title = text.strip()
    if title.startswith("~"):
        return title[1:].rpartition(".")[2] or title[1:]
    # ``!x`` is not linked; a leading dot tells Sphinx where to look, not the reader
    return prefix + title.removeprefix("!").removeprefix(".")
