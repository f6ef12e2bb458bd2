"""The settings of one workspace, as the client or the command line gives them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta


class HoverSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a hover shows."""

    enabled: bool = True
    max_facts: Annotated[int, Meta(ge=1, le=100)] = 8


class CodeLensSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Whether the line above a definition counts its rules, risks and failures."""

    enabled: bool = True


class RetentionSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How long stale rows are kept: for ``days``, and those of a document's last ``versions`` changes."""

    days: Annotated[int, Meta(ge=1, le=3650)] = 30
    versions: Annotated[int, Meta(ge=1, le=1000)] = 20


class Settings(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The ``granum.*`` settings; docs/settings.md describes each and is checked against this class.

    ``index_path`` replaces the folder that holds index.db. ``max_file_size`` is in bytes of source.
    ``exclude`` adds gitignore patterns. ``workers`` is the number of extraction processes, 0 for
    min(cores, 4). ``watcher`` says whether changes by other programs are noticed as well as the system can, or by
    looking at intervals. The bounds hold for settings that are decoded; Python code is trusted.
    """

    index_path: str = ""
    max_file_size: Annotated[int, Meta(ge=1024, le=1024 * 1024 * 1024)] = 1024 * 1024
    exclude: tuple[str, ...] = ()
    workers: Annotated[int, Meta(ge=0, le=64)] = 0
    watcher: Literal["auto", "polling"] = "auto"
    hover: HoverSettings = HoverSettings()
    code_lens: CodeLensSettings = CodeLensSettings()
    retention: RetentionSettings = RetentionSettings()
