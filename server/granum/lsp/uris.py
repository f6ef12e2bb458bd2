"""File URIs to paths and back, decoded exactly once.

``file:///c%3A/x``, ``file:///C:/x`` and ``file:///c:/x`` are one file; which spelling a client uses is its own
business, and answers repeat it (see ``folders``). Other schemes (``untitled:``, ``vscode-notebook-cell:``,
``git:``) have no path here.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote_to_bytes

_FILE = re.compile(r"file:(?://(?P<host>[^/?#]*))?(?P<path>/[^?#]*)?", re.IGNORECASE)
_DRIVE = re.compile(r"/[A-Za-z]:(?:/|\Z)")
#: Besides letters, digits and ``-._~``, what all clients leave as it is.
_SAFE = "/"
#: Three characters for each byte of the longest path that Linux or Windows takes; a longer one costs seconds to follow.
_LONGEST = 3 * 32_768


def path_of(uri: str, windows: bool = sys.platform == "win32") -> Path | None:
    """The path that a file URI names, or None for another scheme and for what can be no path."""
    match = _FILE.match(uri) if len(uri) <= _LONGEST else None
    if match is None or not match["path"]:
        return None
    path = os.fsdecode(unquote_to_bytes(match["path"]))
    if "\0" in path:
        return None
    host = match["host"] or ""
    if windows:
        return _windows_path(host, path)
    return Path(path) if host in ("", "localhost") else None


def _windows_path(host: str, path: str) -> Path:
    if host not in ("", "localhost"):
        return Path(f"//{host}{path}")
    return Path(path[1:] if _DRIVE.match(path) else path)


def uri_of(path: Path) -> str:
    """The file URI of an absolute path, spelled as most clients do."""
    posix = path.as_posix()
    if posix.startswith("//"):
        return "file:" + quote(os.fsencode(posix), safe=_SAFE)
    return "file://" + quote(os.fsencode(posix if posix.startswith("/") else f"/{posix}"), safe=_SAFE)


def join(folder_uri: str, relative: str) -> str:
    """The URI of a file inside a folder, which keeps the folder's own spelling."""
    path = PurePosixPath(relative).as_posix()
    return folder_uri.rstrip("/") + ("" if path == "." else "/" + quote(os.fsencode(path), safe=_SAFE))
