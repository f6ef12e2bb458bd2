"""Normal forms of prose: what makes two statements the same, and markup taken off.

``normalise`` defines a proposition's identity (NFC, white space folded, inline markup stripped, case kept), so
any change here changes every hash: raise the extractor's version with it.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

#: All ASCII but the marks.
_NO_MARKS = bytes(code for code in range(128) if chr(code) not in "`*[<|\\_")
_UNDERSCORED = re.compile(r"(?<![\w\\])_[^\s_]")
_UNDERSCORED_WORD = re.compile(r"(?<!\w)_\w")

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
    return folded(plain if plain.isascii() else unicodedata.normalize("NFC", plain))


def folded(text: str) -> str:
    """The text with each run of white space as one blank, and none at its ends."""
    # of all white space only the blank is printable; to part a text, which seldom needs it, costs ten times as much
    if text.isprintable() and "  " not in text and text.strip() == text:
        return text
    return " ".join(text.split())


def fingerprint(text: str) -> str:
    """The hexadecimal sha256 of the text's normal form."""
    return sha256(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()


def strip_markup(text: str) -> str:
    """Takes off inline markup of Markdown, reStructuredText and HTML, and keeps what a reader would see.

    Code keeps its content as it is; a role or link keeps its title. ``*args`` and ``__init__`` are not markup,
    and neither are placeholders in angle brackets.
    """
    return _MARKUP.sub(_visible, text) if _may_be_marked(text) else text


def _may_be_marked(text: str) -> bool:
    """Whether there is a mark with its partner, without which the pattern need not run."""
    marks = text.encode("ascii", "replace").translate(None, _NO_MARKS)
    if not marks:
        return False
    if b"`" in marks or b"\\" in marks or marks.count(b"*") > 1 or marks.count(b"|") > 1:
        return True
    if b"[" in marks and ("](" in text or "][" in text or "]_" in text):
        return True
    if b"<" in marks and ">" in text:
        return True
    # beside another mark an underscore counts before all that is no blank, else only before a word
    underscored = _UNDERSCORED if marks.strip(b"_") else _UNDERSCORED_WORD
    return b"_" in marks and underscored.search(text) is not None


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
