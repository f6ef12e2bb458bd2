"""Judging a value: does it look like a real credential, or like a placeholder, a name or prose?

Precision matters as much as recall: a masked identifier or example is knowledge lost, and source code is full of
``password="password"``, ``token = "csrfmiddlewaretoken"`` and ``secret: "{{ secret }}"``.
"""

from __future__ import annotations

import re

#: Shorter values are not worth stealing, and too often ordinary words.
MIN_LENGTH = 8
_SHORTEST_MIXED = 6

_PLACEHOLDER_WORDS = """
    password passwords passwd passphrase pass pwd secret secrets token tokens credential credentials key keys api
    auth access private public client user username usr login admin root guest test tests testing tester tested
    demo sample example dummy fake mock default django flask sphinx insecure placeholder change changed changeit
    this that me it my your the a is in to not no none null true false old new wrong bad good invalid valid
    incorrect correct raw plain strong weak very super top long short random some any other another first second
    foo bar baz qux spam eggs alice bob joe john jane database db server service session csrf cookie hash hashed
    value string text data field name id insert replace enter with and or of for use set todo fixme redacted
    removed hidden empty blank unset unknown required optional confirm confirmation again reset dev development
    production prod staging local localhost let qwerty letmein abc xyz lorem ipsum
"""
#: Longest first and possessive: ambiguous partitions of a long value would take exponential time.
_PLACEHOLDER = re.compile(
    rf"(?>{'|'.join(sorted(_PLACEHOLDER_WORDS.split(), key=len, reverse=True))}|x{{3,}}|[\W\d_])*+", re.IGNORECASE
)
#: "anewpassword", "passwordsensitive": test data that calls itself what it is.
_SELF_NAMED = re.compile(r"[a-z]*passw(?:or)?d[a-z]*\d{0,3}", re.IGNORECASE)

#: A reference to a value held elsewhere (``${VAR}``, ``%(name)s``, ``{{ x }}``, ``<name>``), or a mask.
_TEMPLATE = re.compile(
    r"(?<![^/:@=])\$[A-Za-z_]\w*\Z|\$[({]|%[(sd]|\{[^{}]*\}|<[^<>]*>|\[redacted|\.\.\.|…|\*{3,}|x{4,}|X{4,}"
)
_EXAMPLE = re.compile(
    r"example|placeholder|change.?me|dummy|your[-_]|replace|0123456789|1234567|abcdefg", re.IGNORECASE
)

#: Lower- or upper-case words joined as names, paths, and dotted names are.
_IDENTIFIER = re.compile(
    r"[a-z]+(?:[_./:]+[a-z0-9]*)+|[a-z]+-[a-z]+|[A-Z]+(?:_[A-Z0-9]*)+|[./]?[a-z]+(?:[./][\w-]+)+|[a-z]+(?:[A-Z][a-z]+)+"
)

_MIX = re.compile(
    r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]|(?<=[A-Z])[A-Z](?=[a-z]{1,2}[A-Z0-9])|(?<=[a-z])[A-Z](?![a-z]{2})"
)
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SYMBOL = re.compile(r"[!#$%^&*+=?@~|\\]")


def is_placeholder(value: str) -> bool:
    """Whether the value is a template, an obvious stand-in, or made of stand-in words only."""
    return bool(_TEMPLATE.search(value) or _PLACEHOLDER.fullmatch(value) or len(set(value)) <= 2)


def looks_random(value: str) -> bool:
    """Whether the value looks generated: a long hexadecimal number, or letters, digits and symbols in turns."""
    if len(value) < MIN_LENGTH or any(char.isspace() for char in value) or is_placeholder(value):
        return False
    if _HEX.fullmatch(value):
        return len(set(value)) >= 8 and not _EXAMPLE.search(value)
    mixes = len(_MIX.findall(value))
    needed = 3 if len(value) < 32 else 4
    if _has_classes(value):
        needed -= 1
    if _EXAMPLE.search(value):
        needed += 3
    return mixes >= needed


def looks_chosen(value: str) -> bool:
    """Whether the value of something called a password looks like one that a person chose.

    Any unbroken value of some length that is no placeholder, prose or identifier; a shorter one only with digits.
    """
    if any(char.isspace() for char in value) or is_placeholder(value) or _SELF_NAMED.fullmatch(value):
        return False
    if len(value) < MIN_LENGTH:
        return len(value) >= _SHORTEST_MIXED and _has_digits_and_letters(value)
    return looks_random(value) or not _IDENTIFIER.fullmatch(value)


def _has_digits_and_letters(value: str) -> bool:
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def _has_classes(value: str) -> bool:
    """Whether lower case, upper case, digits and symbols are all there, or three of them with a symbol."""
    found = (
        any(char.islower() for char in value)
        + any(char.isupper() for char in value)
        + any(char.isdigit() for char in value)
    )
    return found == 3 or (found == 2 and _SYMBOL.search(value) is not None)
