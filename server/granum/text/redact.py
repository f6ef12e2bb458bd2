"""Secrets out of text before anything is stored, logged or shown.

Every secret becomes a mask of as many code points, so that lines and columns hold. What is masked: credentials of
a known form (AWS, GitHub, Slack, Google, Stripe, JWT …), private key blocks, passwords in URLs, authorisation
headers, and the values that are assigned to names such as ``password``, ``api_key`` or ``TOKEN`` when they look like
credentials. What stays: commit ids, hashes and UUIDs as such, placeholders, references to variables.

Cost matters, since every indexed file passes here: a first look works on bytes of one byte per code point (so that
offsets hold), where the search for a literal is a few nanoseconds a line; regular expressions run only at the places
that it found.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from granum.text.credentials import is_placeholder, looks_chosen, looks_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    Spans = Iterator[tuple[int, int]]

_LABEL = "[redacted"

#: Every credential of a known form holds a run of this many word characters and dashes.
_RUN = 20
_RUN_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_RUN_TABLE = bytes(ord("a") if byte in _RUN_CHARACTERS else ord(" ") for byte in range(256))
_RUN_NEEDLE = b"a" * _RUN

#: Forms that tell themselves, by their issuers' documentation.
_KNOWN = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      (?:AKIA|ASIA|AROA|AIDA|AGPA|AIPA|ANPA|ANVA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])
    | gh[pousr]_[A-Za-z0-9]{20,255}
    | github_pat_[A-Za-z0-9_]{22,255}
    | gl(?:pat|dt|rt|ptt|ft|soat|cbt|agent)-[\w-]{18,64}
    | xox[abeoprs]-[\w-]{14,250} | xapp-\d-[\w-]{14,250}
    | AIza[\w-]{35} | ya29\.[\w-]{20,512} | GOCSPX-[\w-]{20,40}
    | (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{12,250} | whsec_[A-Za-z0-9+/=]{20,128}
    | sk-(?:proj|ant|svcacct|admin|or|None)-[\w-]{16,300} | sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,128}(?![\w-])
    | npm_[A-Za-z0-9]{30,64} | pypi-AgE[\w-]{20,512} | hf_[A-Za-z0-9]{30,64} | dop_v1_[0-9a-f]{40,64}
    | shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32} | dapi[0-9a-f]{32} | lin_api_[A-Za-z0-9]{30,64} | hv[sb]\.[\w-]{24,300}
    | SG\.[\w-]{16,64}\.[\w-]{16,64} | sq0(?:atp|csp)-[\w-]{22,60} | EAACEdEose0cBA[A-Za-z0-9]+
    | AGE-SECRET-KEY-1[A-Z0-9]{40,64} | \d{8,10}:AA[\w-]{32,35} | rubygems_[0-9a-f]{40,64}
    | (?<![\w-])eyJ[\w-]{8,2048}\.eyJ[\w-]{8,8192}\.[\w-]{8,2048}
    )""",
    re.VERBOSE | re.ASCII,
)
#: How each of them begins; tried first, and only around long runs.
_KNOWN_HEAD = re.compile(
    r"A[A-Z]{3}[A-Z0-9]{16}|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|x(?:ox[a-z]|app)-|AIza|ya29\.|GOCSPX-|[rsp]k[_-]|whsec_"
    r"|npm_|pypi-|hf_|dop_v1_|shp[a-z]{2}_|dapi|lin_api_|hv[sb]\.|SG\.|sq0|EAACE|AGE-|\d{8,10}:AA|rubygems_|eyJ"
)
_KNOWN_MARGIN = 12
_BEFORE_RUN = (b".", b":")
_DIGITS = b"0123456789"

_KEY_BLOCK = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<body>(?:(?!-----BEGIN ).){0,20000}?)-----END [A-Z0-9 ]{0,40}-----",
    re.DOTALL,
)
#: A block that was cut off: the lines behind its head that hold nothing but Base64, quotes and comment signs.
_KEY_HEAD = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?P<body>(?:[\s\"'#/*+,\\|>]{0,40}[A-Za-z0-9+/=]{16,})+)"
)
_KEY_RUN = re.compile(r"\\[nrt]|([A-Za-z0-9+/=]+)")
_KEY_EVIDENCE = re.compile(r"[A-Za-z0-9+/=]{16}")

_URL_PASSWORD = re.compile(r"://[^\s/:@\"'<>`]{0,100}:([^\s/@\"'<>`]{4,200})@\Z")
_LONGEST_LOGIN = 304
_SLACK_HOOK = re.compile(r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/]{20,120})")

_HEADER = re.compile(
    r"(?:bearer|authorization[\"']?\]?\s{0,4}[:=,]\s{0,4}[\"']?(?:bearer|token|basic|apikey))\s{1,4}[\"']?([\w.~+/=-]{12,2048})",
    re.IGNORECASE,
)

#: Lower case, and letters folded so that one search finds two words.
_FOLD = bytes(range(256)).lower().translate(bytes.maketrans(b"rtcwd", b"knoas"))
#: What to search for in folded text: "pass" and "pwd"; "key"; the ends of "token" and "secret".
_FOLDED_NAMES = (b"pas", b"key", b"oken")
_FOLDED_HEADERS = tuple(name.translate(_FOLD) for name in (b"bearer ", b"authorization"))
#: "key" alone names far too much.
_KEY_PREFIX = re.compile(
    r"(?:api|app|access|secret|private|auth|encryption|encrypt|signing|sign|account|master|consumer|license|service"
    r"|storage|shared|subscription|webhook|hmac|deploy|ssh|rsa)[_.-]?\Z",
    re.IGNORECASE,
)
_ASSIGNMENT = re.compile(
    r"""(?P<word>pass(?:word|wd|phrase|code)?|pwd|secret|token|key)(?:_?\d{1,2})?
    (?P<close>["'`]?\]?)
    (?P<type>\s{0,2}:\s{0,2}[A-Za-z_][\w.\[\]|\ ]{0,60}?(?=\s{0,2}=(?!=)))?
    [ \t]{0,40}(?P<separator>=>|:=|==|=|!=|:|,|(?<=[ \t])(?:is|must[ ]be|should[ ]be|to)(?=[ \t]))[ \t]{0,40}
    (?:(?P<call>(?:[A-Za-z_][\w.]{0,60})?\()?[ \t]{0,4}[rRbBuUfF]{0,2}
      (?P<quote>\"{3}|'{3}|["'`])(?P<quoted>(?:\\.|(?!(?P=quote))[^\\\r\n]){4,400})
      (?:(?P=quote)|(?=\\?(?:[\r\n]|\Z)))
    |(?P<bare>[^\s"'`<>(){}\[\],;]{8,200})[ \t]*(?:[#;][^\r\n]*)?(?=[\r\n]|\Z)
    |(?P<inline>[^\s"'`<>(){}\[\],;&]{8,200}))""",
    re.VERBOSE | re.IGNORECASE,
)
_LINE_HEAD = re.compile(r"[ \t]*(?:[-#*+>:]{1,3}[ \t]*|//[ \t]*|(?:export|set|setx|ENV|ARG)[ \t]+)?(?P<name>[\w.-]*)\Z")
_INLINE_HEAD = re.compile(r"(?P<before>[?&]?)(?P<name>[\w.-]{0,60})\Z")


def redact(text: str) -> str:
    """Masks every secret in the text; the mask has as many code points, and line ends stay.

    Returns:
        The text itself when it holds no secret.
    """
    plain = text.encode("ascii", "replace")
    folded = plain.translate(_FOLD)
    spans = [
        *_known(text, plain),
        *_key_blocks(text, plain),
        *_url_passwords(text, plain),
        *_headers(text, folded),
        *_assignments(text, folded),
    ]
    return _masked(text, spans) if spans else text


def mask(length: int) -> str:
    """What stands for a secret of ``length`` code points: ``[redacted***]``, or only stars where that is too long."""
    if length <= len(_LABEL):
        return "*" * length
    return _LABEL + "*" * (length - len(_LABEL) - 1) + "]"


def _masked(text: str, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if end > done:
            begin = max(start, done)
            pieces += (text[done:begin], mask(end - begin))
            done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _known(text: str, plain: bytes) -> Spans:
    runs = plain.translate(_RUN_TABLE)
    innocent: set[bytes] = set()  # long names come again and again
    at = runs.find(_RUN_NEEDLE)
    while at >= 0:
        end = runs.find(b" ", at + _RUN)
        end = len(runs) if end < 0 else end
        run = plain[at:end]
        if run not in innocent:
            found = list(_known_at(text, run, at, end))
            yield from found
            if found:
                end = max(end, found[-1][1])
            elif plain[at - 1 : at] not in _BEFORE_RUN:
                innocent.add(run)
        at = runs.find(_RUN_NEEDLE, end)


def _known_at(text: str, run: bytes, start: int, end: int) -> Spans:
    """The credentials of a known form that begin in a long run of characters, or just before it."""
    if len(run.translate(None, _DIGITS)) == len(run):
        match = _KNOWN.match(text, start)
        if match:
            yield match.span()
        return
    # "SG." and the like stand before the run; and a name may stand before the credential ("key_AKIA…")
    for head in _KNOWN_HEAD.finditer(text, max(0, start - _KNOWN_MARGIN), end):
        match = _KNOWN.match(text, head.start())
        if match:
            yield match.span()


def _key_blocks(text: str, plain: bytes) -> Spans:
    if b"PRIVATE KEY" not in plain:
        return
    for pattern in (_KEY_BLOCK, _KEY_HEAD):
        for match in pattern.finditer(text):
            if not _KEY_EVIDENCE.search(match["body"]):
                continue
            start, end = match.span("body")
            # only the Base64 runs: quotes and signs around them keep the code parsable
            yield from (run.span(1) for run in _KEY_RUN.finditer(text, start, end) if run[1])


def _url_passwords(text: str, plain: bytes) -> Spans:
    # "@" is rarer than "://" where it follows a word: decorators follow white space
    for at in _places(plain, b"@"):
        if plain[at - 1 : at].isspace() or plain.find(b"://", max(0, at - _LONGEST_LOGIN), at) < 0:
            continue
        match = _URL_PASSWORD.search(text, max(0, at - _LONGEST_LOGIN), at + 1)
        if match and _is_url_password(match[1]):
            yield match.span(1)
    if b"hooks.slack.com" in plain:
        yield from (match.span(1) for match in _SLACK_HOOK.finditer(text))


def _is_url_password(value: str) -> bool:
    return not is_placeholder(value) and (len(value) >= 6 or any(char.isdigit() for char in value))


def _headers(text: str, folded: bytes) -> Spans:
    for name in _FOLDED_HEADERS:
        for at in _places(folded, name):
            match = _HEADER.match(text, at)
            if match and (looks_random(match[1]) or _is_basic(match[1])):
                yield match.span(1)


def _is_basic(value: str) -> bool:
    """Whether the value is ``user:password`` in Base64 (RFC 7617)."""
    try:
        plain = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    user, colon, password = plain.partition(b":")
    return bool(user and colon and len(password) >= 4) and plain.isascii()


def _assignments(text: str, folded: bytes) -> Spans:
    for name in _FOLDED_NAMES:
        for at in _places(folded, name):
            match = _ASSIGNMENT.match(text, _name_start(text, name, at))
            if match and _names_secret(text, match) and (found := _secret_value(text, match)):
                yield found


def _name_start(text: str, name: bytes, at: int) -> int:
    if name != b"oken":
        return at
    return max(0, at - 2 if text[at + 3] in "tT" else at - 1)


def _names_secret(text: str, match: re.Match[str]) -> bool:
    """Whether the name around the matched word is one of a secret."""
    before = text[max(0, match.start() - 14) : match.start()]
    word = match["word"]
    if word.lower() == "key":
        return _KEY_PREFIX.search(before) is not None
    # "pass" is a word of its own in many languages
    return word.lower() != "pass" or before.endswith(("_", "-")) or word == "PASS"


def _secret_value(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """Where the assigned value stands, if it is a secret."""
    if match["quoted"] is not None:
        return match.span("quoted") if _is_secret_quoted(match) else None
    if match["bare"] is not None and _is_secret_bare(text, match):
        return match.span("bare")
    return _inline_value(text, match)


def _is_secret_quoted(match: re.Match[str]) -> bool:
    if match["separator"] == "," and not match["close"]:
        return False
    # a word between name and value is prose, which quotes more than values
    if match["call"] or match["separator"] == "," or match["separator"][0].isalpha() or not _is_chosen(match):
        return looks_random(match["quoted"])
    return looks_chosen(match["quoted"])


def _is_chosen(match: re.Match[str]) -> bool:
    """Whether people choose such a value, so that it need not look generated."""
    return match["word"].lower().startswith(("pass", "pwd"))


def _is_secret_bare(text: str, match: re.Match[str]) -> bool:
    """An unquoted value counts only where a configuration line would have it: ``NAME=value``, ``name: value``."""
    line_start = max(text.rfind("\n", 0, match.start()), text.rfind("\r", 0, match.start())) + 1
    head = _LINE_HEAD.match(text[line_start : match.start()][:200])
    if not head or match["separator"] not in ("=", ":") or match["type"]:
        return False
    value = match["bare"]
    if _is_chosen(match) and (head["name"] + match["word"]).isupper() and text[match.start("bare") - 1] == "=":
        return looks_chosen(value)
    return looks_random(value)


def _inline_value(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    """A value in the middle of a line: ``NAME=value`` of a shell, or a URL's query."""
    start = match.start("bare" if match["bare"] is not None else "inline")
    if match["separator"] != "=" or match["type"] or match["close"] or text[start - 1] != "=":
        return None
    head = _INLINE_HEAD.search(text, max(0, match.start() - 61), match.start())
    if head is None or not (head["before"] or (head["name"] + match["word"]).isupper()):
        return None
    value = text[start : match.end()].partition("&")[0].rstrip(".:")
    return (start, start + len(value)) if looks_random(value) else None


def _places(haystack: bytes, needle: bytes) -> Iterator[int]:
    at = haystack.find(needle)
    while at >= 0:
        yield at
        at = haystack.find(needle, at + len(needle))
