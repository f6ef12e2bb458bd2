"""Words that say little about code: those of English, and those of issue reports."""

from __future__ import annotations

import re

#: Words of English that stand in every document.
_STOP = """
a about above after again all also always am an and any anyone anything are as at be because been before being
below both but by can cannot could did do does doing don done during each either else even ever every few for
from further get gets got had has have having he her here him his how however i if in into is isn it its
itself just let like may me might more most much must my myself neither never no nor not now of off ok on once
only or other others our ours out over own please quite really same shall she should since so some someone
something still such than thank thanks that the their theirs them then there these they thing things this
those though through thus to too under until up upon us very via was way we well were what when where whether
which while who whom whose why will with within without would yes yet you your yours doesn didn won wouldn
shouldn couldn aren wasn weren hasn haven hadn isnt dont doesnt didnt cant im ive
"""

#: Words of issue reports, whatever the project.
_NOISE = """
actual actually additional attached behave behavior behaviour browser bug case causes cause code comment
commit correct correctly current currently describe described description details environment error errors
example examples exception expect expected expects fail failed failing fails file fix fixed following happen
happened happens info information issue issues latest line look looks macos maintainers most output patch
platform problem problems question raise raised raises recent reproduce reproduced reproducible reproducing
reproduction result results run running screenshots see seem seems steps system think ticket traceback try
trying understand unexpected use used using ver version versions want windows work working works wrong
"""

STOP_WORDS = frozenset(_STOP.split())
NOISE_WORDS = frozenset(_NOISE.split())

_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_HEADING = 80


def says_nothing(line: str) -> bool:
    """Whether a line has nothing but noise and stop words: a template's heading, or an empty line."""
    if len(line) > _LONGEST_HEADING:
        return False
    return all(word in NOISE_WORDS or word in STOP_WORDS for word in _WORD.findall(line.casefold()))
