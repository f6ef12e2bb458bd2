"""What errors said, without the parts that vary."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from granum.retrieve.query.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from granum.retrieve.query.marks import Marked

MAX_MESSAGES = 12
MAX_MESSAGE = 300
_MAX_FRAGMENTS = 8

_ERROR = re.compile(
    r"(?<![\w.])((?:[A-Za-z_]\w{0,60}\.){0,8}(?:[A-Z]\w{0,80})?(?:Error|Exception|Warning|Failure))\b:[ \t]{1,8}"
    r"([^\n`]{1,300})"
)
_VARIABLE = re.compile(
    r"""
      "[^"\n]{0,200}" | '[^'\n]{0,200}'(?!\w) | `[^`\n]{0,200}` | <[^<>\n]{1,200}> | \{[^{}\n]{0,200}\}
    | 0x[0-9a-fA-F]{1,40} | (?<![\w])[~./\\]?[\w.~-]{0,100}[/\\][^\s:,;]{1,300} | (?<![A-Za-z_])-?\d[\d.,:]{0,40}
    """,
    re.VERBOSE,
)
_HAS_A_WORD = re.compile(r"[^\W\d_]{3}")


def messages(marked: Marked) -> tuple[Message, ...]:
    """The errors' messages, in the order of the text, each once."""
    return tuple(islice(dict.fromkeys(_messages(marked.whole)), MAX_MESSAGES))


def _messages(text: str) -> Iterator[Message]:
    for found in _ERROR.finditer(text):
        said = found[2].strip()
        yield Message(found[1], said, fragments(said))


def fragments(said: str) -> tuple[str, ...]:
    """The runs of a message that do not vary."""
    runs = (run.strip(" \t.,:;()[]") for run in _VARIABLE.split(said))
    return tuple(islice((run for run in runs if _HAS_A_WORD.search(run)), _MAX_FRAGMENTS))
