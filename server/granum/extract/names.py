"""Names of symbols in a sentence: in code marks, dotted, CamelCase or snake_case."""

from __future__ import annotations

import re
from functools import lru_cache

_MARKED = re.compile(r"``([^`\n]{1,120})``|:[\w:+-]+:`([^`\n]{1,160})`|`([^`\n]{1,120})`")
#: A name without marks; it fills the run of characters that stand in names or beside no name, from its first on.
_BARE = re.compile(
    r"(?=[A-Za-z_])(?![A-Z]?[a-z]*+(?!\w|\.\w))"
    r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]\w*_\w+|_+[A-Za-z]\w*|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[A-Z]\w+)"
    r"(?![\w/@])"
)
_RUN = re.compile(r"[\w./:@-]+")
#: What parts the runs of ASCII text, as blanks.
_PARTED = bytes(code if chr(code).isalnum() or chr(code) in "_./:@-" else ord(" ") for code in range(128)).ljust(256)
_DOT_INSIDE = re.compile(r"\w\.\w")
#: Lower and upper case, and blanks for the rest.
_CASES = bytes(ord("aA "[2 * (not chr(code).isalpha()) or chr(code).isupper()]) for code in range(128)).ljust(256)
_TARGET = re.compile(r"<([^<>]+)>$")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")
_NO_NAMES = frozenset({"e.g", "i.e", "a.k.a"})


def mentions_in(sentence: str) -> tuple[str, ...]:
    """Names of symbols in a sentence as written, each once and in order."""
    if "`" in sentence:
        found = _marked(sentence)
    elif _may_name(sentence):
        found = _bare(sentence)
    else:
        return ()
    return tuple(dict.fromkeys(filter(None, found)))


def _may_name(sentence: str) -> bool:
    """Whether a name may stand in a sentence without marks; in most there is none."""
    if "_" in sentence or b"aA" in sentence.encode(errors="replace").translate(_CASES):
        return True
    return "." in sentence and _DOT_INSIDE.search(sentence) is not None


def _marked(sentence: str) -> list[str]:
    """The names in code marks, and those between them."""
    found: list[str] = []
    at = 0
    for match in _MARKED.finditer(sentence):
        found += _bare(sentence[at : match.start()])
        found.append(_named(*match.groups("")))
        at = match.end()
    return found + _bare(sentence[at:])


def _bare(text: str) -> list[str]:
    runs = text.encode().translate(_PARTED).decode().split() if text.isascii() else _RUN.findall(text)
    return list(map(_bare_name, runs))


@lru_cache(maxsize=1 << 14)
def _bare_name(run: str) -> str:
    """The name that begins a run of characters, or empty; the same words come again and again."""
    match = _BARE.match(run)
    return _plain(match.group(1)) if match else ""


def _named(literal: str, role: str, code: str) -> str:
    """The name in one of three kinds of mark, or empty."""
    name = literal or code
    if role:
        target = _TARGET.search(role)
        name = (target.group(1) if target else role).lstrip("~!.")
    return _plain(name.strip().removesuffix("()").lstrip("@"))


def _plain(name: str) -> str:
    return name if _DOTTED.match(name) and name.lower() not in _NO_NAMES else ""
