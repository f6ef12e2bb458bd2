"""Characters that a reader does not see but a terminal, an editor or a machine obeys.

Whoever shows text of a workspace shows them as U+FFFD; whoever prints it as JSON escapes them.
"""

from __future__ import annotations

import json
import re
from typing import Final

#: C0 but tab and line feed, DEL, C1; marks that reorder text for the eye; signs without a width, and Unicode's tags,
#: which can hide a whole text. The joiners (U+200C, U+200D) stay: scripts and emoji need them.
HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_MARK: Final = "\N{REPLACEMENT CHARACTER}"


def visible(text: str) -> str:
    """The text with each hidden character replaced by U+FFFD; as long as before."""
    return HIDDEN.sub(_MARK, text)


def escape_json(encoded: str) -> str:
    r"""JSON with each hidden character in it as ``\uXXXX``, which reads back as the same value."""
    return HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], encoded)
