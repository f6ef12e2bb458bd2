"""Token estimates, and the parts of identifiers."""

from __future__ import annotations

import re
from functools import lru_cache

_NOT_PUNCTUATION = bytes(i for i in range(128) if chr(i).isalnum() or chr(i) in "_ \t\n\r")
#: White space as ``str.split`` sees it, and the rest.
_GAPS = bytes(ord(" ") if chr(byte).isspace() else ord("a") for byte in range(128)).ljust(256)

#: A part of an identifier: an acronym (also its plural: URLs), a word, an upper-case run, digits.
_PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
#: One byte a code point: upper case, other word characters (what is not ASCII counts as one), and the rest.
_SHAPES = bytes(
    ord("A") if 65 <= byte <= 90 else ord("a") if 48 <= byte <= 57 or 97 <= byte <= 122 or byte == 63 else ord(" ")
    for byte in range(256)
)
_CASE_BOUNDARIES = (b"aA", b"AAa")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_IDENTIFIER = 80


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model's tokenizer makes of the text; 0 for empty text."""
    if not text:
        return 0
    data = text.encode("ascii", "replace")
    words = _words(data) if text.isascii() else len(text.split())
    punctuation = len(data.translate(None, _NOT_PUNCTUATION))
    return max(1, round(len(text) * 0.13 + words * 0.45 + punctuation * 0.5))


def _words(data: bytes) -> int:
    """How many words white space parts, without making them."""
    shape = data.translate(_GAPS)
    return shape.count(b" a") + shape.startswith(b"a")


def identifier_parts(identifier: str) -> tuple[str, ...]:
    """The parts of an identifier as written: ``parseHTTPHeader_v2`` gives parse, HTTP, Header, v, 2."""
    if identifier.isascii():
        return tuple(_PART.findall(identifier))
    return tuple(part for word in _WORD.findall(identifier) for part in _split_unicode(word))


def camel_parts(text: str) -> str:
    """The lower-case parts of every camelCase or PascalCase identifier in the text, each identifier once.

    It fills the FTS column ``parts``: the tokenizer splits at underscores but keeps ``getUserName`` whole.
    """
    shapes = text.encode("ascii", "replace").translate(_SHAPES)
    spans: set[tuple[int, int]] = set()
    for boundary in _CASE_BOUNDARIES:
        _add_words_around(shapes, boundary, spans)
    return " ".join(map(_lower_parts, dict.fromkeys([text[start:end] for start, end in sorted(spans)])))


def _add_words_around(shapes: bytes, boundary: bytes, spans: set[tuple[int, int]]) -> None:
    """Adds the spans of the words that hold the boundary; overlong ones (encoded data) are left out."""
    at = shapes.find(boundary)
    while at >= 0:
        start = shapes.rfind(b" ", 0, at) + 1
        end = shapes.find(b" ", at)
        end = len(shapes) if end < 0 else end
        if end - start <= _LONGEST_IDENTIFIER:
            spans.add((start, end))
        at = shapes.find(boundary, end)


# a workspace's identifiers come again and again
@lru_cache(maxsize=1 << 15)
def _lower_parts(identifier: str) -> str:
    return " ".join(identifier_parts(identifier)).lower()


def _split_unicode(word: str) -> list[str]:
    """Splits at case and digit boundaries by the characters' own properties."""
    parts = [word[:1]]
    for index in range(1, len(word)):
        before, here, after = word[index - 1], word[index], word[index + 1 : index + 2]
        starts_word = here.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if starts_word or here.isdigit() != before.isdigit():
            parts.append(here)
        else:
            parts[-1] += here
    return parts
