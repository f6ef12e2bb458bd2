"""Text of the workspace made safe to show: whatever stands in a comment appears as the characters it is."""

from __future__ import annotations

import re

from granum.model.layers import Freshness
from granum.text.controls import visible

_SPACE = re.compile(r"\s+")
#: Characters that Markdown or HTML could take for markup; an underscore within a word is none.
_MARKUP = re.compile(r"[\\`*\[\]<>~|$]|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_])|^[#=+-]", re.ASCII)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])")
_URL = re.compile(r"(?i)\b(https?|ftp|mailto|command|javascript|data|vscode|file)(:)|\b(www)(\.)")
_LINK_UNSAFE = re.compile(r"[\s()<>\\\x00-\x1f]")


def mark(freshness: Freshness) -> str:
    """What people are told of something that is not certainly as it is shown; empty where it is."""
    return {Freshness.FRESH: "", Freshness.STALE: "stale", Freshness.UNKNOWN: "not checked"}[freshness]


def one_line(text: str) -> str:
    """Folds white space and shows hidden characters as U+FFFD."""
    return visible(_SPACE.sub(" ", text).strip())


def escape(text: str) -> str:
    """Markdown that shows ``text`` as it is, on one line: no HTML, no emphasis, no links, no automatic links."""
    escaped = _NUMBERED.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", one_line(text)))
    return _URL.sub(lambda match: f"{match[1] or match[3]}\\{match[2] or match[4]}", escaped)


def code(text: str) -> str:
    """Markdown that shows ``text`` in a code span, whatever backticks it holds."""
    plain = one_line(text)
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def link(label: str, uri: str, line: int) -> str:
    """A Markdown link to a line of a file."""
    target = _LINK_UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), uri)
    return f"[{escape(label)}]({target}#L{line})"
