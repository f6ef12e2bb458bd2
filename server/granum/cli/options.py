"""The options that commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cyclopts import Group, Parameter

SHARED = Group("Shared options", sort_key=10)


@Parameter(name="*", group=SHARED)
@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """How a command shows its answer."""

    json: bool = False
    """Print one JSON value on stdout and nothing else."""

    debug: bool = False
    """Show the trace of an unexpected fault."""


@Parameter(name="*", group=SHARED)
@dataclass(frozen=True, kw_only=True)
class IndexOptions(OutputOptions):
    """Where the index of a command lies."""

    index_path: Path | None = None
    """The folder that holds the index, instead of one in the user's cache."""


@Parameter(name="*", group=SHARED)
@dataclass(frozen=True, kw_only=True)
class RootOptions(IndexOptions):
    """Which workspace a command is about."""

    root: Path | None = None
    """The workspace's root. Default: the git work tree around the current folder, else the folder itself."""


@Parameter(name="*", group=SHARED)
@dataclass(frozen=True, kw_only=True)
class QueryOptions(RootOptions):
    """What a command that asks the index needs to know."""

    no_update: bool = False
    """Answer from the index as it is, without looking for changed files first."""


#: The defaults of commands: nothing asked for.
PLAIN = OutputOptions()
USUAL_INDEX = IndexOptions()
USUAL_ROOT = RootOptions()
USUAL_QUERY = QueryOptions()
