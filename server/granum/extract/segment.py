"""Sentences of a block of text, with the lines they stand on.

A block is prose whose lines may be wrapped anywhere. Splitting happens on the raw text, before inline markup is
stripped, because code marks and links are what protects a full stop that ends nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from granum.extract.lexicon import words_in
from granum.text.normalise import folded

if TYPE_CHECKING:
    from collections.abc import Iterator


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """One sentence as written, wrapped lines joined by a space.

    The offsets count lines from the first line of the block, from 0, inclusive.
    """

    text: str
    first_line_offset: int
    last_line_offset: int


#: Words whose full stop ends no sentence, lower case, without that stop.
ABBREVIATIONS = words_in(
    "e.g i.e eg ie vs cf viz al approx ca resp esp incl excl dr mr mrs ms prof st jr sr inc ltd corp fig figs sec"
    " sect ch chap eq eqs no nos vol pp p pt ref refs ed eds dept est min max def ext misc lit op seq ver vers a.k.a"
    " aka w.r.t wrt i.i.d u.s n.b nb jan feb mar apr jun jul aug sep sept oct nov dec"
)
#: Abbreviations that may well end a sentence: they do before a capital letter.
_MAYBE_FINAL = frozenset({"etc", "inc", "ltd", "corp", "u.s", "no", "min", "max", "sec", "ext", "def", "p", "ms"})

_PROTECTED = re.compile(
    r"(?=[`<hw\]\"“])(?:"  # fails in one step where none of them can begin
    r"``.+?``|`[^`\n]+(?:\n[^`\n]+)?`"  # code marks, wrapped once at most
    r"|<?\bhttps?://[^\s<>]+|\bwww\.[^\s<>]+"
    r"|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)"  # a link's target
    r"|\"[^\"\n]{1,80}\"|“[^”]{1,120}”)",
    re.DOTALL,
)
_MAY_PROTECT = ("`", '"', "“", "]", "://", "www")
_INNER_STOP = re.compile(r"[.!?。！？…](?=.)", re.DOTALL)
#: The look-behind and the possessive runs keep a line of ten thousand dots from costing its square.
_STOP = re.compile(r"(?<![.!?])(?:[.!?]++|…)[\"'”’»)\]*_]*+(?=\s|$)|[。！？]+[\"'”’»」』）)]*")
#: All up to the last character that no word holds.
_BEFORE_WORD = re.compile(r".*[\s(\[{\"'“‘*_]", re.DOTALL)
_NEXT = re.compile(r"\s+[\"'“‘(\[*_]*(.)", re.DOTALL)
_ENUMERATOR = re.compile(r"(?:\d{1,3}|[a-zA-Z])$")
#: An enumerator stands within so many characters of its block's beginning.
_MARGIN = 80


def sentences(text: str) -> list[Sentence]:
    """Split a block into sentences; every word of it comes back once and in order.

    Args:
        text: the lines of one block, joined by line feeds. Blank lines end a sentence.
    """
    return list(_sentences(text))


def first_sentence(text: str) -> str:
    """The first of a block's sentences as written; empty if there is none."""
    first = next(_sentences(text), None)
    return first.text if first else ""


def _sentences(text: str) -> Iterator[Sentence]:
    start = line = 0
    for end in _ends(_shadow(text)):
        piece = text[start:end]
        stripped = piece.strip()
        breaks = piece.count("\n")
        if stripped:
            first = line + (piece.count("\n", 0, piece.index(stripped)) if breaks else 0)
            yield Sentence(folded(stripped), first, first + (stripped.count("\n") if breaks else 0))
        start, line = end, line + breaks


def _shadow(text: str) -> str:
    """The text with what protects its stops hidden; as long, so that offsets hold."""
    for mark in _MAY_PROTECT:
        if mark in text:
            return _PROTECTED.sub(_hide, text)
    return text


def _hide(match: re.Match[str]) -> str:
    """Same length, no stop inside; a closing stop right before the end of a quotation stays."""
    piece = match.group()
    if piece.startswith(('"', "“")):
        return piece[:1] + _INNER_STOP.sub("x", piece[1:-2]) + piece[-2:] if len(piece) > 2 else piece
    if piece.startswith(("<", "h", "w")):
        kept = len(piece.rstrip(".!?,;:)"))
        return "x" * kept + piece[kept:]
    if "\n" not in piece:
        return "x" * len(piece)
    return "\n".join("x" * len(line) for line in piece.split("\n"))


def _ends(shadow: str) -> Iterator[int]:
    depth = 0
    previous = 0
    has_brackets = "(" in shadow
    for match in _BOUNDARY.finditer(shadow):
        start, end = match.span()
        if shadow[start] == "\n":
            yield end
            depth = 0
        else:
            if has_brackets:
                depth = max(0, depth + _balance(shadow, previous, end))
            if depth and _closes(shadow, end):
                previous = end
                continue
            if _is_final(shadow, start, end):
                yield end
                depth = 0
        previous = end
    yield len(shadow)


#: A blank line, or a stop; the look-ahead fails in one step where no sentence can end.
_BOUNDARY = re.compile(rf"(?=[\n.!?…。！？])(?:\n[ \t]*\n|{_STOP.pattern})")


def _balance(shadow: str, start: int, end: int) -> int:
    return shadow.count("(", start, end) - shadow.count(")", start, end)


def _closes(shadow: str, position: int) -> bool:
    """Whether the parenthesis that is open at a stop closes soon, so that the stop lies inside it."""
    blank = shadow.find("\n\n", position, position + 300)
    return shadow.find(")", position, blank if blank >= 0 else position + 300) >= 0


def _is_final(shadow: str, start: int, end: int) -> bool:
    """Whether the stop between two offsets ends a sentence."""
    first = shadow[start]
    after = _character_after(shadow, end)
    if not after or first in "。！？":
        return True
    lower = after.islower()
    if first in "!?":
        return not lower
    stop = shadow[start:end]
    if stop.startswith(("...", "…")):
        return not lower and after not in ",;:"
    before = _word_before(shadow, start)
    if stop != ".":
        return not lower or before not in ABBREVIATIONS
    if start < _MARGIN and _ENUMERATOR.match(before) and not shadow[: start - len(before)].strip():
        return False
    return _is_final_after(before, after, lower=lower)


def _character_after(shadow: str, end: int) -> str:
    """The first character of the next word, without marks that may open it; empty if there is none."""
    following = shadow[end + 1 : end + 2]
    if following.isalnum() and shadow[end].isspace():
        return following
    match = _NEXT.match(shadow, end)
    return match.group(1) if match else ""


def _word_before(shadow: str, stop: int) -> str:
    start = max(0, stop - 40)
    if stop > start and shadow[stop - 1] == "\n":
        stop -= 1  # a stop that was wrapped to the next line ends the last word of this one
    gap = _BEFORE_WORD.match(shadow, start, stop)
    return shadow[gap.end() if gap else start : stop].lower()


def _is_final_after(before: str, after: str, *, lower: bool) -> bool:
    """Whether a plain full stop between these two ends a sentence."""
    if before in ABBREVIATIONS or before == "etc":
        return before in _MAYBE_FINAL | {"etc"} and after.isupper()
    if len(before) == 1 and before.isalpha():
        return not after.isupper() or before not in "bcdefghjklmnopqrstuvwxyz"
    if lower:
        # an unknown abbreviation is short; a word of four letters is a sentence that begins with an identifier
        return len(before) >= 4 or not before.isalpha()
    return after not in ",;:"
