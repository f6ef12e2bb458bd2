"""Stack traces: from frames to places and functions."""

from __future__ import annotations

import re

from granum.retrieve.query.values import Frame, Origin

MAX_FRAMES = 40

_PYTHON = re.compile(r'File "([^"\n]{1,400})", line (\d{1,7})(?:, in (\S{1,150}))?')
_START = "Traceback (most recent call last)"
_PACKAGES = re.compile(r".*/(?:site-packages|dist-packages|node_modules)/")
_RUNTIME = re.compile(r".*/lib/python\d[\d.]*/|<")


def frames(text: str) -> tuple[Frame, ...]:
    """The frames of all traces: the workspace's first, then the innermost."""
    traces: list[list[Frame]] = [[]]
    for line in text.split("\n"):
        if _START in line[:200]:
            traces.append([])
        found = _PYTHON.search(line[:1000])
        if found:
            traces[-1].append(_frame(found))
    inner_first = dict.fromkeys(frame for trace in traces for frame in reversed(trace))
    return tuple(sorted(inner_first, key=lambda frame: frame.is_foreign)[:MAX_FRAMES])


def _frame(found: re.Match[str]) -> Frame:
    path = found[1].replace("\\", "/")
    function = "" if found[3] in (None, "<module>") else found[3]
    package = _PACKAGES.match(path)
    if package:
        return Frame(path[package.end() :], int(found[2]), function, language="python", origin=Origin.PACKAGE)
    origin = Origin.RUNTIME if _RUNTIME.match(path) else Origin.WORKSPACE
    return Frame(path, int(found[2]), function, language="python", origin=origin)
