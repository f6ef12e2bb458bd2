r"""Halves of surrogate pairs that stand alone in a message's JSON.

An editor's text may hold one (JavaScript and Java count in UTF-16, and an edit may cut a pair), and JSON lets it
through as ``\\ud800``; msgspec rejects the whole message, and a lost edit would put the server's text out of step.
U+FFFD takes as much room in UTF-16, so that positions hold.
"""

from __future__ import annotations

import re

#: Whole pairs and other escapes are met first, so that what is left is alone.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)
_REPLACEMENT = rb"\ufffd"


def replaced(body: bytes) -> bytes:
    """The message with U+FFFD for each half that stands alone; the message itself when there is none."""
    return _ESCAPE.sub(lambda match: _REPLACEMENT if match[1] else match[0], body)
